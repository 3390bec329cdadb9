"""Time limits."""

from __future__ import annotations

import math

import pytest

import dagscape as ds
from dagscape.core import clock
from dagscape.core.clock import Clock


@pytest.fixture
def at(monkeypatch):
    """Return a function that sets the time."""

    class Time:
        now = 100.0

        def perf_counter(self):
            return self.now

    time = Time()
    monkeypatch.setattr(clock, "time", time)
    return lambda now: setattr(time, "now", now)


def test_the_time_that_is_left(at):
    limited, free = Clock(3), Clock()
    assert (limited.seconds, limited.left, limited.expired) == (0.0, 3.0, False)
    at(102.0)
    assert (limited.seconds, limited.left, limited.expired) == (2.0, 1.0, False)
    at(103.0)
    assert (limited.left, limited.expired) == (0.0, True)
    at(110.0)
    assert (limited.seconds, limited.left, limited.expired) == (10.0, 0.0, True)
    assert (free.seconds, free.left, free.expired) == (10.0, math.inf, False)


@pytest.mark.parametrize("seconds", [1e16, math.inf, 10**400])
def test_very_long_limits_are_none(seconds):
    assert Clock(seconds).left == math.inf


@pytest.mark.parametrize("seconds", [0, 0.0, -1, -0.5, math.nan, "1", True])
def test_limits_that_are_refused(seconds):
    with pytest.raises(ds.InvalidOption, match=r"^max_seconds is .*; it must be a number above 0$"):
        Clock(seconds)
