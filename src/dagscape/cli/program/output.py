"""Where the results, progress and warnings of a subcommand go, and checks of the files it will write."""

from __future__ import annotations

import logging
import os
import shlex
import shutil
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

import click

from dagscape.cli.program.processes import launched_backend
from dagscape.cli.program.streams import outputs_meet, say, show, write_document, write_json
from dagscape.cli.program.wording import worded
from dagscape.core.errors import DagscapeWarning, InvalidOption, SuspiciousColumns, argument
from dagscape.core.files.writing import check_writable, replace_by_ending
from dagscape.core.progress import ProgressLines, ProgressListener, progress_bar
from dagscape.report.blocks import Block
from dagscape.report.tables import closing, remarks, render
from dagscape.report.terminal import terminal_text
from dagscape.results.base import ARCHIVE, Result, document

Command = TypeVar("Command", bound=Callable[..., Any])

_FILE_WIDTH = 120

# Where the value of --format is kept, so that commands need not pass it on.
_FORMAT_KEY = "dagscape.output_format"


@dataclass(frozen=True, slots=True)
class Output:
    """Where a subcommand's results, progress and warnings go."""

    as_json: bool
    quiet: bool

    def show(self, result: Result) -> None:
        """Print a result on standard output: as tables with its warnings, or as one JSON document."""
        if self.as_json:
            write_json(result.to_dict())
            return
        self.show_blocks(render(result))

    def show_blocks(self, blocks: Iterable[Block]) -> None:
        """Print blocks on standard output."""
        # Files and pipes have no width: leave room for long names.
        fits_terminal = sys.stdout.isatty() or "COLUMNS" in os.environ
        show(terminal_text(blocks, None if fits_terminal else _FILE_WIDTH))

    def deliver(
        self,
        result: Result,
        path: str | None,
        blocks: Callable[[], Iterable[Block]],
        more: Mapping[str, Callable[[], Result | None]] | None = None,
    ) -> None:
        """Save a result if there is a path for it, and print it: as one JSON document, or as blocks if there are any.

        The path ``-`` is standard output, where the document takes the place of the blocks. The warnings of the result
        have been shown on standard error. They also end the blocks if these go elsewhere, such as to a file. The
        document on standard output has ``more`` results under their names.
        """
        result = _with_call(result)
        file_format = chosen_format()
        if path == "-" and file_format == ARCHIVE:
            result.save("/dev/stdout", file_format=ARCHIVE)
            return
        if path == "-":
            write_document(document(result, file_format or "json"))
            return
        if path is not None:
            result.save(path, file_format=file_format)
        if self.as_json:
            found = {name: other() for name, other in (more or {}).items()}
            others = {name: other.to_dict() for name, other in found.items() if other is not None}
            write_json(result.to_dict() | others)
        elif shown := list(blocks()):
            # A launcher of processes joins both streams on its own terminal.
            said = self.quiet or outputs_meet() or launched_backend() is not None
            self.show_blocks([*shown, *(remarks(result) if said else closing(result))])

    def warn(self, message: str) -> None:
        """Show a warning on standard error."""
        if not self.quiet:
            say(f"dagscape: warning: {message}")

    def note(self, message: str) -> None:
        """Say on standard error what was chosen in place of a default."""
        if not self.quiet:
            say(f"dagscape: {message}")

    @contextmanager
    def working(self) -> Iterator[ProgressListener | None]:
        """Show progress on standard error, and at the end each warning once."""
        with self.showing_warnings(), self._showing_progress() as progress:
            yield progress

    @contextmanager
    def showing_warnings(self) -> Iterator[None]:
        """Show, at the end, each warning once."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", DagscapeWarning)
            # The commands show all warnings about their data before they start.
            warnings.simplefilter("ignore", SuspiciousColumns)
            yield
        for message in dict.fromkeys(worded(warning.message) for warning in caught):
            self.warn(message)

    def _showing_progress(self) -> AbstractContextManager[ProgressListener | None]:
        """Show a bar on a terminal, and lines where a launcher stands between this process and the terminal."""
        on_terminal = sys.stderr.isatty()
        if not self.quiet and not on_terminal and launched_backend() is not None:
            return nullcontext(ProgressLines(self.note))
        return progress_bar(enabled=not self.quiet and on_terminal)

    @contextmanager
    def telling(self, log: logging.Logger) -> Iterator[None]:
        """Show what a part of the library logs on standard error."""
        handler, level = _Notes(self), log.level
        log.addHandler(handler)
        log.setLevel(logging.INFO)
        try:
            yield
        finally:
            log.removeHandler(handler)
            log.setLevel(level)


def _with_call(result: Result) -> Result:
    """Return a result that records the command line."""
    arguments = click.get_current_context().obj
    if not arguments:
        return result
    call = shlex.join(["dagscape", *map(str, arguments)])
    return replace(result, provenance=replace(result.provenance, call=call))


class _Notes(logging.Handler):
    """Shows what is logged as notes of a subcommand."""

    def __init__(self, out: Output) -> None:
        super().__init__(logging.INFO)
        self._out = out

    def emit(self, record: logging.LogRecord) -> None:
        """Show one message."""
        self._out.note(record.getMessage())


def format_option(formats: Sequence[str], default: str | None = None) -> Callable[[Command], Command]:
    """Return the option that chooses the format of the output in place of its ending; ``default`` is used without."""
    otherwise = "" if default is None else f", else {default}"
    return click.option(
        "--format",
        type=click.Choice(formats),
        is_eager=True,
        expose_value=False,
        callback=_keep_format,
        show_default=f"by the ending of FILE{otherwise}",
        help="The format of FILE.",
    )


def _keep_format(context: click.Context, parameter: click.Parameter, value: str | None) -> None:
    context.meta[_FORMAT_KEY] = value


def chosen_format() -> str | None:
    """Return the value of --format; None if the ending of the output decides."""
    file_format: str | None = click.get_current_context().meta.get(_FORMAT_KEY)
    return file_format


def check_format_used(path: str | None) -> None:
    """Refuse --format without an output file."""
    if path is None and chosen_format() is not None:
        raise InvalidOption("--format needs -o: give the file to write, or -o - for standard output")


def check_format(check: Callable[[str], object], path: str) -> None:
    """Let ``check`` refuse the ending of an output file, or the format that is chosen in place of it."""
    file_format = chosen_format()
    if file_format is not None:
        check(f"output.{file_format}")
    elif path != "-":
        try:
            check(path)
        except InvalidOption as error:
            raise InvalidOption(f"{error}; or choose the format with {argument('file_format')}") from error


@contextmanager
def written_file(path: str) -> Iterator[str]:
    """Yield the path for a writer that goes by endings, of a file whose contents go to ``path`` if there is --format.

    The path ``-`` is standard output.
    """
    file_format = chosen_format()
    if file_format is None:
        yield path
        return
    with TemporaryDirectory(prefix="dagscape-") as folder:
        written = os.path.join(folder, f"output.{file_format}")
        yield written
        with open(written, "rb") as contents, replace_by_ending("/dev/stdout" if path == "-" else path) as stream:
            shutil.copyfileobj(contents, stream)


def output_path(context: click.Context, parameter: click.Parameter, path: str | None) -> str | None:
    """Check that an output file can be written, before any work is done for it."""
    if path is not None:
        check_writable(path)
        _check_named_once(path, context.obj or ())
    return path


def _check_named_once(path: str, arguments: Sequence[str]) -> None:
    """Raise an error if an output file is also an input, or another output: one of the two would be lost."""
    if os.path.exists(path) and not os.path.isfile(path):
        # Devices and pipes take everything.
        return
    values = [_value(argument) for argument in arguments]
    target = os.path.realpath(path)
    if sum(_leads_to(value, target) for value in values) > 1:
        raise InvalidOption(f"cannot write {path!r}: the command names this file twice; choose another name")


def _leads_to(value: str, target: str) -> bool:
    try:
        return os.path.realpath(value) == target
    except ValueError:  # No file can have that name.
        return False


def _value(argument: str) -> str:
    """Return the value in ``VALUE``, ``--option=VALUE`` or ``-oVALUE``."""
    if argument.startswith("--"):
        return argument.partition("=")[2]
    return argument[2:] if argument.startswith("-") else argument


def checked_path(check: Callable[[str], object]) -> Callable[[click.Context, click.Parameter, str | None], str | None]:
    """Return a callback for an output file whose name ``check`` must accept."""

    def callback(context: click.Context, parameter: click.Parameter, path: str | None) -> str | None:
        if path is not None:
            check(path)
        return output_path(context, parameter, path)

    return callback
