"""The exit codes of the program, which the ranks of an MPI program have, too."""

from __future__ import annotations

import signal

from dagscape.core.errors import BackendUnavailable, DagscapeError, InvalidData, InvalidOption, TooLarge

FAILED = 1
WRONG_USAGE = 2
BAD_DATA = 3
# Or a back end is missing.
TOO_LARGE = 4

_OF_ERRORS: tuple[tuple[type[BaseException], int], ...] = (
    (InvalidOption, WRONG_USAGE),
    (InvalidData, BAD_DATA),
    (TooLarge, TOO_LARGE),
    (BackendUnavailable, TOO_LARGE),
    (DagscapeError, FAILED),
    (MemoryError, TOO_LARGE),
)


def of_signal(number: int) -> int:
    """Return the exit code of a process that a signal has ended: 130 for Ctrl-C.

    >>> of_signal(signal.SIGINT), of_signal(signal.SIGTERM)
    (130, 143)
    """
    return 128 + number


def of_error(error: BaseException) -> int:
    """Return the exit code of a process that an error has ended.

    >>> of_error(InvalidData("no rows")), of_error(MemoryError()), of_error(KeyboardInterrupt()), of_error(KeyError())
    (3, 4, 130, 1)
    """
    if isinstance(error, KeyboardInterrupt):
        return of_signal(signal.SIGINT)
    return next((code for kind, code in _OF_ERRORS if isinstance(error, kind)), FAILED)
