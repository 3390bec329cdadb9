"""Every error that dagscape raises on purpose.

Each message is one sentence a user can act on: the value, the limit and the remedy. Option names stand in it as
they are spelled in Python; the command line rewrites them.
"""

from collections.abc import Iterable
from difflib import get_close_matches


class DagscapeError(Exception):
    """Base of all errors raised by dagscape."""


class InvalidData(DagscapeError, ValueError):
    """The data cannot be used as they are."""


class InvalidOption(DagscapeError, ValueError):
    """An argument has a wrong value, or two arguments contradict each other."""


class TooLarge(DagscapeError, MemoryError):
    """The job needs more memory than it may take."""


class BackendUnavailable(DagscapeError, RuntimeError):
    """An optional package or a device that the job needs is not there."""


class IncompleteScores(UserWarning):
    """Families are missing from a table of scores, or may be."""


class StoppedEarly(UserWarning):
    """A search ended before it found all that was asked for; what it found is right."""


class LostPrecision(UserWarning):
    """A sum of terms of both signs is smaller than its own rounding errors."""


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """The end of a sentence about an unknown name: the known name that it is most like, if there is one.

    >>> did_you_mean("smokng", ["smoking", "cancer"])
    "; did you mean 'smoking'?"
    """
    close = get_close_matches(str(name), list(known), n=1)
    return f"; did you mean {close[0]!r}?" if close else ""
