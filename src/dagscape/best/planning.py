"""What a search for the best networks will take, before it starts."""

from __future__ import annotations

import time

import numpy as np

from dagscape import kernels
from dagscape.scores.family_arrays import BY_MASK, LEAST_TILED, can_be_tiled, suits_tiles
from dagscape.scores.lattice import set_count
from dagscape.scores.planning import PlanStep

# Sizes that take a few hundredths of a second.
_TRIAL_DENSE = 16
_TRIAL_TILED = 19
_TRIAL_BITS = 30
_NEVER_MORE = 500

# For each of a child's families: its set and its score, sorted, and twice while they are sorted.
_SORTED_BYTES = 16


def is_tiled(n: int, max_parents: int) -> bool:
    """Whether the search goes by tiles: where parents are few, or where that takes less memory."""
    if not can_be_tiled(n, max_parents):
        return False
    return suits_tiles(n, max_parents) or _tiled_memory(n, max_parents, 1) < _dense_memory(n, 1)


def search_memory(n: int, max_parents: int, threads: int) -> int:
    """Bytes that a search takes before it keeps its first network."""
    return _tiled_memory(n, max_parents, threads) if is_tiled(n, max_parents) else _dense_memory(n, threads)


def _dense_memory(n: int, threads: int) -> int:
    # Scores, sorted families, and the best within every set, for each child; one number for every set.
    sets = 1 << (n - 1)
    return n * sets * (8 + _SORTED_BYTES + 8) + threads * sets * _SORTED_BYTES + (8 << n)


def _tiled_memory(n: int, max_parents: int, threads: int) -> int:
    sets = set_count(n, max_parents)
    columns = n * sum(set_count(left, max_parents) for left in range(LEAST_TILED, n + 1))
    return n * sets * (8 + _SORTED_BYTES) + threads * (sets * _SORTED_BYTES + columns * 8) + (8 << n)


def plan_best(n: int, max_parents: int, threads: int) -> PlanStep:
    """Memory and time of finding the best network; a list of many takes more, which none can tell beforehand."""
    tiled = is_tiled(n, max_parents)
    trial = min(n, _TRIAL_TILED if tiled else _TRIAL_DENSE)
    seconds = _trial_seconds(trial, min(max_parents, trial - 1), tiled, threads)
    seconds *= 2.0 ** min(n - trial, _NEVER_MORE) * (n / trial) ** (1 if tiled else 2)
    work = f"2^{n} sets" + (f", up to {max_parents} parents" if max_parents < n - 1 else "")
    return PlanStep("best network", work, search_memory(n, max_parents, threads), seconds)


def _trial_seconds(n: int, max_parents: int, tiled: bool, threads: int) -> float:
    columns = set_count(n, max_parents) if tiled else 1 << (n - 1)
    # In tiles a child may seem to be its own parent here: nobody asks for the networks, and the time is the same.
    values = np.random.default_rng(n).integers(-(20 << _TRIAL_BITS), 0, (n, columns))
    times = []
    for _ in range(2):
        start = time.perf_counter()
        kernels.BestNetworks(values, max_parents if tiled else BY_MASK, True, threads, 1, None)
        times.append(time.perf_counter() - start)
    return min(times)
