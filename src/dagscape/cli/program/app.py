"""The program ``dagscape``: runs a subcommand, and turns errors into one sentence and an exit code.

Exit codes: 0 done; 1 failed while running; 2 wrong usage; 3 bad data; 4 too large, or a back end is missing;
130 interrupted; 128 plus the number of the signal if another one ended the program.
"""

from __future__ import annotations

import importlib
import io
import os
import signal
import sys
from collections.abc import Sequence
from types import ModuleType

import click
from click.shell_completion import CompletionItem

from dagscape.cli.program.processes import Start, start_of
from dagscape.cli.program.signals import RaisedSignals
from dagscape.cli.program.startup import end_with, exit_out_of_memory, is_program, out_of_memory, short_of_memory
from dagscape.cli.program.streams import discard_output, replace_what_terminals_lack, say, unwritable_output
from dagscape.cli.program.wording import worded
from dagscape.core import exit_codes
from dagscape.core.errors import DagscapeError, did_you_mean
from dagscape.core.signals import ending
from dagscape.core.version import __version__
from dagscape.planning.registry import TASKS

# A subcommand is a module of `cli/commands` with a click command called `command`, imported on demand. Those of tasks
# stand in their records; the others make no result.
COMMANDS: dict[str, str] = {task.command: task.help for task in TASKS.values() if task.help} | {
    "iter-best": "List the best networks one by one, for as long as somebody reads them.",
    "fit": "Fit the probabilities of a network to data.",
    "query": "Compute probabilities of a network's variables, given others.",
    "predict": "Predict a variable in each row of a table.",
    "sample": "Draw rows from a network.",
    "draw": "Draw a network.",
    "reproduce": "Run the tables and figures of the papers again.",
    "demo": "Take a short tour with a bundled data set.",
    "completion": "Print the script that completes commands and options in a shell.",
}


def _module(name: str) -> ModuleType:
    """Import the module of a subcommand when it is needed."""
    return importlib.import_module(f"dagscape.cli.commands.{name.replace('-', '_')}")


class _Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        command: click.Command = _module(name).command
        if ctx.resilient_parsing:
            _module("completion").completing(command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in COMMANDS and not name.startswith("-") and not ctx.resilient_parsing:
            raise click.UsageError(f"No such command {name!r}{did_you_mean(name, COMMANDS)}", ctx)
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        # The default would import every command for its help.
        commands = [CompletionItem(name, help=text) for name, text in COMMANDS.items() if name.startswith(incomplete)]
        return commands + click.Command.shell_complete(self, ctx, incomplete)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["--help", "-h"]},
    epilog="Run 'dagscape COMMAND --help' for the options of a command.",
)
@click.version_option(__version__, prog_name="dagscape")
def cli() -> None:
    """Find the Bayesian-network structures that explain a table of data, and how certain they are."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program and return its exit code."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    if is_program():
        replace_what_terminals_lack()
    start = start_of(given)
    end_with(start.end)
    return start.run(lambda: _answer(given, start))


def _answer(arguments: list[str], start: Start) -> int:
    with RaisedSignals() as signals:
        try:
            code = _run(arguments, start)
            signals.stop_raising()
        except BaseException as error:
            signals.stop_raising()
            if signals.received is not None:
                return _fail(ending(signals.received), exit_codes.of_signal(signals.received))
            return _failure(error)
    return code


def _run(arguments: list[str], start: Start) -> int:
    if instruction := os.environ.get("_DAGSCAPE_COMPLETE"):
        code: int = _module("completion").answer(cli, instruction)
        return code
    with cli.make_context("dagscape", list(arguments), obj=tuple(arguments)) as context:
        start.tell(context)
        cli.invoke(context)
    if sys.stdout is not None:
        sys.stdout.flush()
    return 0


def _failure(error: BaseException) -> int:
    """Say what an exception means, and return its exit code; raise it again if it is a defect."""
    if isinstance(error, click.exceptions.Exit):
        return error.exit_code
    if isinstance(error, click.ClickException):
        message = io.StringIO()
        _in_own_words(error).show(message)
        say(message.getvalue().rstrip("\n"))
        return error.exit_code
    if isinstance(error, BrokenPipeError) or isinstance(error.__cause__, BrokenPipeError):
        # A reader such as head has closed the pipe.
        discard_output()
        return 0
    if isinstance(error, DagscapeError):
        return _fail(worded(error), exit_codes.of_error(error))
    if short_of_memory(error):
        if is_program():
            exit_out_of_memory()
        return _fail(out_of_memory(), exit_codes.TOO_LARGE)
    if isinstance(error, KeyboardInterrupt):
        return _fail(ending(signal.SIGINT), exit_codes.of_error(error))
    if isinstance(error, OSError):
        # Errors of files are DagscapeErrors, or have the name of the file; the others are of what click writes.
        failed = unwritable_output(error) if error.filename is None else f"{error.filename!r}: {error.strerror}"
        return _fail(worded(failed), exit_codes.FAILED)
    raise error


def _in_own_words(error: click.ClickException) -> click.ClickException:
    """Return the error with a message that is the same with every version of click."""
    if not isinstance(error, click.NoSuchOption):
        return error
    name = error.option_name
    return click.UsageError(f"No such option {name!r}{did_you_mean(name, error.possibilities or ())}", error.ctx)


def _fail(message: str, code: int) -> int:
    say(f"dagscape: {message}")
    return code
