"""Time limits: the time that a search has taken, and has left."""

from __future__ import annotations

import math
import time

from dagscape.core.constraints import Number, OrNone

_SECONDS = OrNone(Number(0, low_open=True))

# Seconds; longer limits are no limits, and may exceed the largest float.
_LONGEST = 1e15


class Clock:
    """Measures the time since it was made.

    Parameters
    ----------
    max_seconds : float, optional
        The time limit, above 0. Default: none.

    Examples
    --------
    >>> Clock().expired, Clock(1e-9).expired
    (False, True)
    """

    __slots__ = ("_start", "limit")

    def __init__(self, max_seconds: float | None = None) -> None:
        _SECONDS.check(max_seconds, "max_seconds")
        self.limit = math.inf if max_seconds is None or max_seconds > _LONGEST else float(max_seconds)
        self._start = time.perf_counter()

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.perf_counter() - self._start

    @property
    def left(self) -> float:
        """Seconds until the limit; infinite if there is none."""
        return max(self.limit - self.seconds, 0.0)

    @property
    def expired(self) -> bool:
        """Whether the limit is reached."""
        return self.seconds >= self.limit
