"""The start of the program ``dagscape``: it answers signals and finds closed streams before its slow imports.

Only the program calls :func:`run`. Importing dagscape elsewhere, in a script, a notebook or another program, changes
no signal handler, hook or stream.
"""

from __future__ import annotations

import importlib
import io
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from types import FrameType, TracebackType
from typing import NoReturn

from dagscape.core.signals import ENDING_SIGNALS, ending

# How the loader of shared libraries says that memory is short.
_LOADER_SHORT_OF_MEMORY = ("failed to map segment", "cannot allocate memory", "cannot create shared object descriptor")


# Whether this process is the program: set once, by `run`.
_is_program = False

# What ends the process at once; where several run a command together, it must end the others, too.
_end: Callable[[int], NoReturn] = os._exit


def run() -> int:
    """Run the program, as ``dagscape`` or ``python -m dagscape``, and return its exit code."""
    global _is_program
    _is_program = True
    _start()
    code: int = importlib.import_module("dagscape.cli.program.app").main()
    return code


def is_program() -> bool:
    """Whether this process is the program, and not one that imports dagscape."""
    return _is_program


def end_with(end: Callable[[int], NoReturn]) -> None:
    """From now on, end the process with this function if it must end at once."""
    global _end
    _end = end


def leave(number: int, _frame: FrameType | None = None) -> None:
    """End the process at once: while modules load and at the very end, there is nothing to clean up."""
    _leave(ending(number), 128 + number)


def exit_out_of_memory() -> None:
    """End the process at once: modules that were loaded in part may crash when Python unloads them."""
    _leave(out_of_memory(), 4)


def out_of_memory() -> str:
    """Return what to say when memory is short: even the modules need some, which no option can reduce."""
    remedy = "raise the limit of this process (ulimit -v)" if _address_space_is_limited() else "close other programs"
    return f"out of memory: {remedy} or, if the job is large, set a lower --max-memory or --max-parents"


def short_of_memory(error: BaseException | None) -> bool:
    """Whether memory was short, if only for loading a module.

    >>> short_of_memory(ImportError("libx.so: failed to map segment from shared object")), short_of_memory(KeyError())
    (True, False)
    """
    while error is not None:
        message = str(error).lower()
        if isinstance(error, ImportError | OSError) and any(words in message for words in _LOADER_SHORT_OF_MEMORY):
            return True
        # Extension modules may forget to say why they fail.
        if isinstance(error, MemoryError) or (isinstance(error, SystemError) and _address_space_is_limited()):
            return True
        error = error.__cause__ or error.__context__
    return False


def _address_space_is_limited() -> bool:
    try:
        import resource
    except ImportError:
        return False
    return resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY


def _start() -> None:
    for number in ENDING_SIGNALS:
        # A signal that is ignored, as by nohup, stays ignored.
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, leave)
    sys.excepthook = _report
    _occupy_closed_streams()


def _leave(message: str, code: int) -> NoReturn:
    with suppress(OSError):
        os.write(2, f"dagscape: {message}\n".encode())
    _end(code)


def _report(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Report an exception that nothing has caught, for example while modules load."""
    if isinstance(error, KeyboardInterrupt):
        leave(signal.SIGINT)
    if short_of_memory(error):
        exit_out_of_memory()
    sys.__excepthook__(kind, error, trace)


def _occupy_closed_streams() -> None:
    """Open closed standard streams so that no file gets their numbers; using them remains an error."""
    for number, missing in enumerate((sys.stdin is None, sys.stdout is None, sys.stderr is None)):
        if not missing:
            continue
        # Standard input is opened for writing only, and the others for reading only.
        descriptor = os.open(os.devnull, os.O_WRONLY if number == 0 else os.O_RDONLY)
        if descriptor != number:
            os.dup2(descriptor, number)
            os.close(descriptor)
    if sys.stdin is None:
        sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0)), encoding="utf-8")
    if sys.stdout is None:
        sys.stdout = io.TextIOWrapper(io.BufferedWriter(io.FileIO(1, "w")), encoding="utf-8", write_through=True)
    if sys.stderr is None:
        # There is nowhere to say that messages cannot be written.
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 (open as long as the process runs)
