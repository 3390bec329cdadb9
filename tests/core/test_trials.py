"""Estimated times: of work whose real time is known, by a clock that the work itself moves."""

from __future__ import annotations

import warnings

import pytest

import dagscape as ds
from dagscape.core import trials
from dagscape.core.trials import grown_seconds


class Clock:
    """A clock that only work moves."""

    def __init__(self):
        self.now = 0.0

    def perf_counter(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(trials, "time", clock)
    return clock


def growing(clock, tried, seconds):
    """Work that takes ``seconds(n)`` with n variables, and reports its progress ten times."""

    def work_on(n):
        def work(listener):
            tried.append(n)
            for done in range(10):
                clock.now += seconds(n) / 10
                listener(ds.Progress("working", done, 10))

        return work

    return work_on


def test_all_variables_are_tried_if_that_is_quick(clock):
    tried = []
    assert grown_seconds(30, growing(clock, tried, lambda n: 1e-4 * n), 2.0) == pytest.approx(3e-3)
    assert tried == [8, 8, 16, 30]


def test_few_variables_are_tried_once_more(clock):
    tried = []
    assert grown_seconds(5, growing(clock, tried, lambda n: 0.2), 2.0) == pytest.approx(0.2)
    assert tried == [5, 5]


@pytest.mark.parametrize("power", [1.5, 2.0, 3.0])
def test_more_variables_than_there_is_time_for_are_extrapolated(clock, power):
    tried = []
    found = grown_seconds(1000, growing(clock, tried, lambda n: 1e-3 * (n / 8) ** power), power)
    assert found == pytest.approx(1e-3 * (1000 / 8) ** power)
    assert tried[:2] == [8, 8]
    assert max(tried) < 1000
    assert clock.now < 1


def test_the_first_trial_may_have_more_variables(clock):
    tried = []
    grown_seconds(40, growing(clock, tried, lambda n: 1e-3), 3.0, fewest=18)
    assert tried == [18, 18, 36, 40]


def test_a_trial_that_takes_too_long_is_stopped(clock):
    """The time until then, extrapolated, is less than the truth, but long."""
    assert grown_seconds(80, growing(clock, [], lambda n: 3600.0), 2.0) == pytest.approx(360 * 100)
    assert clock.now < 2 * 3600


def test_trials_issue_no_warnings_of_dagscape():
    def work_on(n):
        return lambda listener: warnings.warn(ds.SparseFamilies("no matter"), stacklevel=2)

    assert grown_seconds(3, work_on, 2.0) >= 0
