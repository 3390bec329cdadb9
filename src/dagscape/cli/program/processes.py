"""Commands that several processes run as one: the first reads, prints and writes, and the others help it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple, NoReturn

import click

if TYPE_CHECKING:
    from dagscape.posterior.contract import Processes, SumBackend

# The command whose work processes can share.
_COMMAND = "posterior"

# Where commands find the back end of the processes that a launcher has started.
_KEY = "dagscape.launched"


class Start(NamedTuple):
    """How a command starts.

    Attributes
    ----------
    run : callable
        Runs the command, on all processes that are to run it together, and returns its exit code.
    end : callable
        Ends these processes at once, with an exit code.
    launched : SumBackend or None
        The back end that uses all processes, if a launcher has started several.
    """

    run: Callable[[Callable[[], int]], int]
    end: Callable[[int], NoReturn]
    launched: SumBackend | None = None

    def tell(self, context: click.Context) -> None:
        """Let the command know."""
        context.meta[_KEY] = self.launched


_ALONE = Start(lambda command: command(), os._exit)


def start_of(arguments: Sequence[str]) -> Start:
    """Return how a command starts; if it cannot use all processes, the first one runs it alone."""
    if not arguments or arguments[0] != _COMMAND:
        return _ALONE
    # Other commands need not wait for the modules of the back ends.
    backends = import_module("dagscape.posterior.backends")
    launched: SumBackend | None = backends.launched_backend()
    named: Processes | None = backends.processes_named(_last(arguments, "--backend", "auto"))
    processes = named if launched is None else launched.processes
    return _ALONE if processes is None else Start(processes.run_command, processes.end, launched)


def launched_backend() -> SumBackend | None:
    """Return the back end of the processes that run the current command together; None if a launcher started none."""
    context = click.get_current_context(silent=True)
    return None if context is None else context.meta.get(_KEY)


def _last(arguments: Sequence[str], option: str, default: str) -> str:
    """Return the value of an option before click reads the command line: all processes must agree on how to start."""
    value = default
    for argument, following in zip(arguments, [*arguments[1:], ""], strict=True):
        if argument == option:
            value = following
        elif argument.startswith(f"{option}="):
            value = argument.removeprefix(f"{option}=")
    return value
