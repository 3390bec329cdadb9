"""The estimated time of a sum on a GPU.

If the GPU is here, two short trials tell how long a sum takes to start, and how long each of its steps takes; the
numbers of steps follow from the algorithms. No trial can tell the speed of a GPU that is not here: a plan for one takes
the sums that were measured on an NVIDIA H200 (benchmarks/results/gpu.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from dagscape.posterior.contract import Job, SumFunction
from dagscape.posterior.cuda import device
from dagscape.posterior.cuda.dag_sum import dag_sum_steps
from dagscape.posterior.cuda.order_sum import order_sum_steps
from dagscape.posterior.timing import TRIAL_BITS, best_seconds, random_weights
from dagscape.scores.tables.lattice import set_count

# The GPU that was measured.
MEASURED_GPU = "NVIDIA H200"

# There: the time to start, and for each family, which is listed on the host.
_START = 0.05
_PER_FAMILY = 2e-8

# There: sums over orders, for each set, with up to 4 parents; sums over DAGs, for each pair of disjoint sets.
_PER_SET, _PARENTS = 7.2e-10, 4
_PER_PAIR = 4.1e-12

# The sums of trials, which take some hundredths of a second: over orders with few parents, over DAGs with one.
_TRIAL_VARIABLES = {"orders": (12, 20), "dags": (10, 18)}
_TRIAL_PARENTS = {"orders": 4, "dags": 1}

# Larger sums never end.
_MOST_TIMED = 600


def seconds_elsewhere(n: int, max_parents: int, over: str) -> float:
    """Return the predicted time of a sum on the GPU that was measured.

    >>> [round(seconds_elsewhere(n, 4, "orders"), 1) for n in (30, 31, 33, 34)]
    [0.8, 1.6, 6.3, 12.5]
    >>> [round(seconds_elsewhere(n, 4, "dags"), 1) for n in (20, 25, 28)]
    [0.1, 3.5, 93.9]
    """
    n = min(n, _MOST_TIMED)
    families = _PER_FAMILY * n * min(set_count(n, max_parents), 1 << (n - 1))
    steps: float = _PER_PAIR * 3.0**n if over == "dags" else _PER_SET * (max_parents + 1) / (_PARENTS + 1) * 2.0**n
    return _START + families + steps


def seconds_here(n: int, max_parents: int, over: str, run: SumFunction) -> float:
    """Return the estimated time of a sum on the GPU of this machine, without that of arranging the weights."""
    found, n = _calibration(over, run), min(n, _MOST_TIMED)
    return found.start + found.per_step * _steps(over, n, max_parents)


@dataclass(frozen=True, slots=True)
class _Calibration:
    start: float
    per_step: float


@cache
def _calibration(over: str, run: SumFunction) -> _Calibration:
    """Return how long sums take on the GPU of this machine; the trials are made once in a process."""
    most = _TRIAL_PARENTS[over]
    small, large = _TRIAL_VARIABLES[over]
    seconds = {n: _trial_seconds(n, most, run) for n in (small, large)}
    few, many = (_steps(over, n, most) for n in (small, large))
    # Noise must not make large sums free.
    per_step = max(seconds[large] - seconds[small], 0.1 * seconds[large]) / (many - few)
    return _Calibration(max(seconds[small] - per_step * few, 0.0), per_step)


def _trial_seconds(n: int, max_parents: int, run: SumFunction) -> float:
    weights, job = random_weights(n, max_parents), Job(TRIAL_BITS, 1)
    # The first time, CuPy compiles the kernels, or loads them from its cache.
    run(weights, job)
    return best_seconds(lambda: run(weights, job))


def _steps(over: str, n: int, max_parents: int) -> float:
    processors = device.processor_count()
    return dag_sum_steps(n, processors) if over == "dags" else order_sum_steps(n, max_parents, processors)
