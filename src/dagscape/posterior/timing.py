"""Short trials of sums, from which back ends extrapolate the time of large ones."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache

import numpy as np

from dagscape.data.discrete.dataset import Dataset
from dagscape.posterior.contract import Job, Sum
from dagscape.posterior.weights import FamilyWeights
from dagscape.scores.arithmetic.fixed_point import IMPOSSIBLE
from dagscape.scores.scoring import local_scores
from dagscape.scores.tables.enumerable_scores import EnumerableScores
from dagscape.scores.tables.lattice import set_count

# The unit of the weights of trials.
TRIAL_BITS = 30

# Short trials are repeated, because noise may exceed them.
_LEAST_RUNS, _MOST_RUNS = 2, 8
_ENOUGH_SECONDS = 0.02

# Weights are arranged for this many variables to find out how long each takes.
_ARRANGED = 12


def best_seconds(work: Callable[[], object]) -> float:
    """Return the shortest time that some work takes, twice or, if it is short, some times."""
    found: list[float] = []
    while len(found) < _LEAST_RUNS or (sum(found) < _ENOUGH_SECONDS and len(found) < _MOST_RUNS):
        start = time.perf_counter()
        work()
        found.append(time.perf_counter() - start)
    return min(found)


def run_seconds(run: Callable[[FamilyWeights, Job], Sum], weights: FamilyWeights, job: Job) -> float:
    """Return how long a sum of random weights takes."""
    return best_seconds(lambda: run(weights, job))


def random_weights(n: int, max_parents: int | None) -> FamilyWeights:
    """Return random weights: of all sets of parents by mask, or of up to ``max_parents`` by size."""
    columns = 1 << (n - 1) if max_parents is None else set_count(n, max_parents)
    values = np.random.default_rng(n).integers(-(20 << TRIAL_BITS), 0, (n, columns))
    weights = FamilyWeights(values, 0, max_parents)
    if max_parents is not None:
        sets = weights.sets(0)
        for child, row in enumerate(values):
            # No variable is its own parent.
            row[sets >> np.uint64(child) & np.uint64(1) == 1] = IMPOSSIBLE
    return weights


def arranging_seconds(arrange: Callable[[EnumerableScores, int, bool, int, int], FamilyWeights], count: int) -> float:
    """Return how long it takes to arrange ``count`` weights."""
    return _seconds_per_weight(arrange) * count


@cache
def _seconds_per_weight(arrange: Callable[[EnumerableScores, int, bool, int, int], FamilyWeights]) -> float:
    scores = _trial_scores()
    arranged: list[FamilyWeights] = []
    seconds = best_seconds(lambda: arranged.append(arrange(scores, scores.n, False, 1, 1 << 40)))
    return seconds / arranged[0].values.size


@cache
def _trial_scores() -> EnumerableScores:
    rows = np.random.default_rng(0).integers(0, 2, (20, _ARRANGED))
    return local_scores(Dataset.from_array(rows, keep_constant=True), threads=1)
