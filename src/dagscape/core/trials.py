"""The time of work that is not known in advance: extrapolated from the same work with fewer variables."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable
from contextlib import suppress

from dagscape.core.errors import DagscapeWarning
from dagscape.core.progress import Progress, ProgressListener

# The usual number of variables of the first trial, and about how long all trials may take, in seconds.
FEWEST = 8
_SECONDS = 0.5

# Work with some variables, which can be stopped by its listener.
Work = Callable[[ProgressListener], object]


class _TimeIsUpError(Exception):
    """Raised by a listener, to stop a trial."""


def grown_seconds(n: int, work_on: Callable[[int], Work], power: float, fewest: int = FEWEST) -> float:
    """Return the estimated time of work on ``n`` variables.

    It is done with few variables, then with twice as many, and so on, while that is quick. If all variables are too
    many, the time of the last trial is extrapolated.

    Parameters
    ----------
    n : int
        The number of variables.
    work_on : callable
        ``work_on(k)`` prepares the work with the first ``k`` variables, which is not timed.
    power : float
        The time grows with about this power of the number of variables.
    fewest : int
        The number of variables of the first trial.
    """
    left, tried = _SECONDS, min(n, fewest)
    # The first run of anything is slow.
    seconds = min(_timed(work_on(tried), 2 * _SECONDS) for _ in range(2))
    while tried < n:
        left -= seconds
        more = min(2 * tried, n)
        if seconds * math.pow(more / tried, power) > left:
            break
        seconds, tried = _timed(work_on(more), 2 * _SECONDS), more
    return seconds * math.pow(n / tried, power)


def _timed(work: Work, longest: float) -> float:
    """Return how long some work takes; if it takes longer, it is stopped, and the time until then counts."""
    start = time.perf_counter()

    def stop(progress: Progress) -> None:  # noqa: ARG001 (as all listeners)
        if time.perf_counter() - start > longest:
            raise _TimeIsUpError

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DagscapeWarning)
        with suppress(_TimeIsUpError):
            work(stop)
    return time.perf_counter() - start
