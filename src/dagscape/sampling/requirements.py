"""Memory and time of exact samples of networks."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import cache

import numpy as np

from dagscape.core.constraints import OneOf, Whole
from dagscape.core.requirements import ProblemSize, Requirements, TaskOption
from dagscape.core.wording import plural
from dagscape.posterior.backends import SUMMED_OVER, usual_backend
from dagscape.posterior.contract import Job
from dagscape.posterior.forward_tables import forward_table, sampling_memory
from dagscape.posterior.requirements import running_requirements, sum_seconds
from dagscape.posterior.timing import TRIAL_BITS, random_weights

SAMPLES = Whole(1)
DEFAULT_SAMPLES = 1000

SAMPLING_OPTIONS = {
    "over": TaskOption("Draw from DAGs or from orders of the variables.", OneOf(SUMMED_OVER), varied=True),
    "samples": TaskOption("The number of networks.", SAMPLES, str(DEFAULT_SAMPLES)),
}

# A table is the first of two passes of a sum.
_SHARE_OF_SUM = 0.5

# Samples of a few variables are tried. Their time depends on the data, and grows about so much with each variable.
_TRIAL_VARIABLES = 12
_TRIAL_SAMPLES = 64
_GROWTH = {"dags": 1.5, "orders": 1.2}
_NEVER_MORE = 500


def sampling_requirements(
    size: ProblemSize, threads: int, limit: int, *, over: str = "dags", samples: int | None = DEFAULT_SAMPLES
) -> Requirements:
    """Return the requirements of exact samples: those of a table of all sets, and of the samples."""
    samples = DEFAULT_SAMPLES if samples is None else samples
    backend = usual_backend(over)
    memory = sampling_memory(size, threads, over=over, samples=samples)
    plan = replace(backend.plan(size, threads), memory=memory)
    needs = running_requirements(backend, plan, size, threads, limit)
    return replace(
        needs,
        step=f"samples over {over}",
        work=f"{needs.work.partition(';')[0]}, then {plural(samples, 'sample')}",
        subject=f"samples of networks of {plural(size.n, 'variable')}",
    )


def sampling_seconds(
    size: ProblemSize,
    threads: int,
    limit: int,  # noqa: ARG001 (as all tasks take it)
    *,
    over: str = "dags",
    samples: int | None = DEFAULT_SAMPLES,
) -> float:
    """Return the estimated time of exact samples; that of the samples themselves depends on the data."""
    count = DEFAULT_SAMPLES if samples is None else samples
    trial = min(max(size.n, 2), _TRIAL_VARIABLES)
    grown = _GROWTH[over] ** min(max(size.n - trial, 0), _NEVER_MORE)
    drawn = _trial_seconds(over, trial) * count * grown / threads
    return _SHARE_OF_SUM * sum_seconds(size, threads, over=over) + drawn


@cache
def _trial_seconds(over: str, n: int) -> float:
    """Return the time of one sample from random weights."""
    table = forward_table(over, random_weights(n, None), Job(TRIAL_BITS, 1))
    seeds = np.arange(_TRIAL_SAMPLES, dtype=np.uint64)
    parents, exact = np.zeros((_TRIAL_SAMPLES, n), dtype=np.uint64), np.zeros(_TRIAL_SAMPLES, dtype=np.int64)
    start = time.perf_counter()
    table.sample(seeds, parents, exact, 0, None)
    return (time.perf_counter() - start) / _TRIAL_SAMPLES
