"""``dagscape completion``, and the completion of words in a shell.

The script of a shell calls the program with ``_DAGSCAPE_COMPLETE`` set; :func:`answer` replies. Parameters
complete by their metavar: FILE completes file names, DATA and NETWORK also the names of bundled tables and networks.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterable

import click
from click.shell_completion import BashComplete, CompletionItem, add_completion_class, shell_complete, split_arg_string

from dagscape.core.references import loaded

VARIABLE = "_DAGSCAPE_COMPLETE"
SHELLS = ("bash", "zsh", "fish")

_PROGRAM = "dagscape"


class _Words(click.types.StringParamType):
    """A string that the shell completes to one of some words, or to the name of a file."""

    def __init__(self, words: Callable[[], Iterable[str]], *, files: bool = False) -> None:
        self._words = words
        self._files = files

    def shell_complete(
        self,
        ctx: click.Context,
        param: click.Parameter,
        incomplete: str,
    ) -> list[CompletionItem]:
        found = [CompletionItem(word) for word in self._words() if word.startswith(incomplete)]
        return [CompletionItem(incomplete, type="file"), *found] if self._files else found


def _bundled(where: str) -> list[str]:
    return [f"builtin:{name}" for name in loaded(where)]


# Tables of names are imported when words of them are completed.
_FILE = _Words(lambda: (), files=True)
_NETWORK = _Words(lambda: _bundled("networks.bundled:NETWORKS"), files=True)

# By metavar; an argument without one has its name in capitals.
_COMPLETED = {
    "ANSWERS": _FILE,
    "DATA": _Words(lambda: _bundled("data.bundled:BUNDLED"), files=True),
    "FILE": _FILE,
    "METHOD[:BINS]": _Words(lambda: [*loaded("data.discrete.cut_rules:CUT_RULES"), "none"]),
    "MODEL": _NETWORK,
    "NETWORK": _NETWORK,
    "PRIOR": _Words(lambda: (name.removesuffix("K") for name in loaded("scores.priors:PRIORS"))),
    "STRUCTURE": _Words(
        lambda: (*loaded("student.model.simulate:STRUCTURES"), *_bundled("networks.bundled:NETWORKS")), files=True
    ),
    "TRUTH": _NETWORK,
}


def completing(command: click.Command) -> None:
    """Let the parameters of a command complete by their metavars."""
    for parameter in command.params:
        name = parameter.metavar or (parameter.name or "").upper()
        if parameter.type is click.STRING and name in _COMPLETED:
            parameter.type = _COMPLETED[name]


class _Bash(BashComplete):
    """Completion for bash, which splits words at colons, and shows either words or names of files."""

    name = "bash"

    def get_completion_args(self) -> tuple[list[str], str]:
        given, current = os.environ["COMP_WORDS"], int(os.environ["COMP_CWORD"])
        words = given.split("\n") if "\n" in given else split_arg_string(given)
        typed: list[str] = []
        self._shown_from = 0
        for word in [*words, ""][: current + 1]:
            joined = bool(typed) and (word == ":" or typed[-1].endswith(":"))
            if joined:
                typed[-1] += word
            else:
                typed.append(word)
            self._shown_from = typed[-1].rfind(":") + 1 if joined else 0
        *complete, incomplete = (" ".join(split_arg_string(word)) for word in typed)
        return complete[1:], incomplete

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem]:
        found = super().get_completions(args, incomplete)
        files = [item for item in found if item.type == "file"]
        if files and glob.glob(glob.escape(incomplete) + "*"):
            return files
        return found

    def format_completion(self, item: CompletionItem) -> str:
        return f"{item.type},{item.value[self._shown_from :]}"


def answer(program: click.Command, instruction: str) -> int:
    """Print what a shell asks for, its script or completions, and return the exit code."""
    add_completion_class(_Bash)
    return shell_complete(program, {}, _PROGRAM, VARIABLE, instruction)


_WHERE = """\b
bash: add  eval "$(dagscape completion bash)"  to ~/.bashrc
zsh:  add  eval "$(dagscape completion zsh)"   to ~/.zshrc, after compinit
fish: add  dagscape completion fish | source   to ~/.config/fish/config.fish"""


@click.command(epilog=_WHERE)
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def command(context: click.Context, shell: str) -> None:
    """Print a script that lets a shell complete commands, options, choices, bundled names and file names."""
    answer(context.find_root().command, f"{shell}_source")
