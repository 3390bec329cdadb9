"""The estimated time of a sum on the processors of this machine, extrapolated from a small sum of the same kind."""

from __future__ import annotations

from functools import cache

from dagscape.posterior.contract import Job, SumFunction
from dagscape.posterior.sum_plan import SumSize
from dagscape.posterior.timing import TRIAL_BITS, random_weights, run_seconds
from dagscape.posterior.weights import is_tiled

# The largest numbers of variables of trials, which take at most a tenth of a second. Trials of smaller sums have some
# variables less, so that they take a small part of the time that they predict, unless that is nothing anyway.
_TRIAL_DAGS = 16
_TRIAL_ORDERS = 17
_TRIAL_TILED = 19
_TRIAL_PATHS = 10
_FEWER = 4
_ALWAYS_QUICK = 12
_NEVER_MORE = 500

# The time to convert a few scores, which matters only for small sums.
_PREPARATION_SECONDS = 0.003


def dag_seconds(size: SumSize, run: SumFunction) -> float:
    """Return the estimated time of a sum over DAGs, without that of arranging the weights."""
    n = size.n
    if size.with_paths:
        trial = min(n, _TRIAL_PATHS)
        alone = _trial_seconds(run, trial, None, Job(TRIAL_BITS, size.threads, wanted="paths"))
        return alone * 4.0 ** min(n - trial, _NEVER_MORE) + _PREPARATION_SECONDS
    trial = _trial_variables(n, _TRIAL_DAGS)
    more = min(n - trial, _NEVER_MORE)
    seconds = _trial_seconds(run, trial, None, Job(TRIAL_BITS, size.threads))
    # About half of the trial's time is spent on pairs of sets, the rest on sets and variables.
    return seconds * (3.0**more + 2.0**more * (n / trial) ** 2) / 2 + _PREPARATION_SECONDS


def order_seconds(size: SumSize, run: SumFunction) -> float:
    """Return the estimated time of a sum over orders, without that of arranging the weights."""
    n, tiled = size.n, is_tiled(size.n, size.max_parents)
    trial = _trial_variables(n, _TRIAL_TILED if tiled else _TRIAL_ORDERS)
    most = min(size.max_parents, trial - 1) if tiled and is_tiled(trial, min(size.max_parents, trial - 1)) else None
    seconds = _trial_seconds(run, trial, most, Job(TRIAL_BITS, size.threads))
    return seconds * 2.0 ** min(n - trial, _NEVER_MORE) * (n / trial) ** (1 if tiled else 2) + _PREPARATION_SECONDS


def _trial_variables(n: int, largest: int) -> int:
    return min(largest, max(n - _FEWER, min(n, _ALWAYS_QUICK)))


@cache
def _trial_seconds(run: SumFunction, n: int, max_parents: int | None, job: Job) -> float:
    """Return the time of a trial, which is made once in a process, so that the same question has the same answer."""
    return run_seconds(run, random_weights(max(n, 2), max_parents), job)
