"""What a search for the best networks will take, before it starts."""

from __future__ import annotations

import time

import numpy as np

from dagscape import kernels
from dagscape.scores.family_arrays import search_layout, search_memory
from dagscape.scores.lattice import set_count
from dagscape.scores.planning import PlanStep

# Sizes that take a few hundredths of a second.
_TRIAL_DENSE = 16
_TRIAL_TILED = 19
_TRIAL_BITS = 30
_NEVER_MORE = 500


def plan_best(n: int, max_parents: int, threads: int) -> PlanStep:
    """Memory and time of finding the best network; a list of many takes more, which none can tell beforehand."""
    families = n * set_count(n - 1, max_parents)
    tiled = search_layout(n, max_parents, families) == "size"
    trial = min(n, _TRIAL_TILED if tiled else _TRIAL_DENSE)
    seconds = _trial_seconds(trial, min(max_parents, trial - 1), tiled, threads)
    seconds *= 2.0 ** min(n - trial, _NEVER_MORE) * (n / trial) ** (1 if tiled else 2)
    work = f"2^{n} sets" + (f", up to {max_parents} parents" if max_parents < n - 1 else "")
    work += "; a list of many takes more"
    return PlanStep("best network", work, search_memory(n, max_parents, families, threads), seconds)


def _trial_seconds(n: int, max_parents: int, tiled: bool, threads: int) -> float:
    columns = set_count(n, max_parents) if tiled else 1 << (n - 1)
    # In tiles a child may seem to be its own parent here: nobody asks for the networks, and the time is the same.
    values = np.random.default_rng(n).integers(-(20 << _TRIAL_BITS), 0, (n, columns))
    families = kernels.Families.by_size(values, max_parents) if tiled else kernels.Families.by_mask(values)
    times = []
    for _ in range(2):
        start = time.perf_counter()
        kernels.BestNetworks(families, True, threads, 1, None)
        times.append(time.perf_counter() - start)
    return min(times)
