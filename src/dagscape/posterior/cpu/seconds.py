"""The estimated time of a sum on the processors of this machine, extrapolated from a small sum of the same kind."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from dagscape.core import kernels
from dagscape.posterior.contract import Job, SumFunction
from dagscape.posterior.sum_plan import SumSize
from dagscape.posterior.timing import TRIAL_BITS, random_weights, run_seconds
from dagscape.posterior.weights import is_tiled
from dagscape.scores.tables.lattice import set_count

# The largest numbers of variables of trials, which take at most a tenth of a second.
_TRIAL_DAGS = 16
_TRIAL_ORDERS = 17
_TRIAL_TILED = 19
_TRIAL_PATHS = 10
_TRIAL_ANCESTORS = 11
# The most weights of a tiled trial, which take time, too.
_TRIAL_WEIGHTS = 1 << 20
_NEVER_MORE = 500

# Sums of up to this many variables are tried as they are. Larger ones are tried with some variables less, so that a
# trial takes a small part of the time that it predicts.
_TRIED_WHOLE = 16
_FEWER = 4

# The second trial has this many variables less, and at least this share of the time of the first grows.
_SMALLER = 3
_LEAST_GROWING = 0.1

# The time to convert a few scores, which matters only for small sums.
_PREPARATION_SECONDS = 0.003


def dag_seconds(size: SumSize, run: SumFunction) -> float:
    """Return the estimated time of a sum over DAGs, without that of arranging the weights."""
    n = size.n
    if size.with_paths:
        trial = min(n, _TRIAL_PATHS)
        alone = _trial_seconds(run, trial, None, Job(TRIAL_BITS, size.threads, wanted="paths"))
        return alone * 4.0 ** min(n - trial, _NEVER_MORE) + _PREPARATION_SECONDS

    def growth(more: int, ratio: float) -> float:
        # About half of the time is spent on pairs of sets, the rest on sets and variables.
        return (3.0**more + 2.0**more * ratio**2) / 2

    return _extrapolated(n, _trial_variables(n, _TRIAL_DAGS), None, growth, run, size.threads)


def order_seconds(size: SumSize, run: SumFunction) -> float:
    """Return the estimated time of a sum over orders, without that of arranging the weights."""
    n, tiled = size.n, is_tiled(size.n, size.max_parents)
    trial = _trial_variables(n, _TRIAL_TILED if tiled else _TRIAL_ORDERS)
    while tiled and trial > kernels.LEAST_TILED and trial * set_count(trial, size.max_parents) > _TRIAL_WEIGHTS:
        trial -= 1

    def growth(more: int, ratio: float) -> float:
        return 2.0**more * ratio ** (1 if tiled else 2)

    return _extrapolated(n, trial, size.max_parents if tiled else None, growth, run, size.threads)


def ancestor_seconds(size: SumSize, run: SumFunction) -> float:
    """Return the estimated time of the ancestor relations of a sum over orders, beside the sum itself."""
    n, trial = size.n, min(size.n, _TRIAL_ANCESTORS)
    seconds = _trial_seconds(run, trial, None, Job(TRIAL_BITS, size.threads, wanted="ancestors"))
    return seconds * (n / trial) ** 2 * 3.0 ** min(n - trial, _NEVER_MORE)


def _extrapolated(
    n: int,
    trial: int,
    max_parents: int | None,
    growth: Callable[[int, float], float],
    run: SumFunction,
    threads: int,
) -> float:
    """Return the time of a sum of n variables, from a trial of fewer and one that is smaller still.

    What both trials take is the start of threads, most of all, which does not grow.

    Parameters
    ----------
    n, trial : int
        The numbers of variables.
    max_parents : int or None
        The largest number of parents of a tiled sum; None for others.
    growth : callable
        ``growth(more, ratio)``: how many times as long a sum takes with some variables more, or less if it is negative;
        ``ratio`` is that of the numbers of variables.
    run, threads
        The sum, and its threads.
    """

    def tried(variables: int) -> float:
        most = None if max_parents is None else min(max_parents, variables - 1)
        return _trial_seconds(run, variables, most, Job(TRIAL_BITS, threads))

    def times(variables: int) -> float:
        return growth(min(variables - trial, _NEVER_MORE), variables / trial)

    seconds, smaller = tried(trial), trial - _SMALLER
    if n == trial or smaller < kernels.LEAST_TILED:
        return seconds * times(n) + _PREPARATION_SECONDS
    growing = (seconds - tried(smaller)) / (1 - times(smaller))
    # Noise must not make large sums free, nor longer than if all of the trial grew.
    growing = min(max(growing, _LEAST_GROWING * seconds), seconds)
    return seconds - growing + growing * times(n) + _PREPARATION_SECONDS


def _trial_variables(n: int, largest: int) -> int:
    return n if n <= _TRIED_WHOLE else min(largest, n - _FEWER)


@cache
def _trial_seconds(run: SumFunction, n: int, max_parents: int | None, job: Job) -> float:
    """Return the time of a trial, which is made once in a process, so that the same question has the same answer."""
    return run_seconds(run, random_weights(max(n, 2), max_parents), job)
