"""Local scores for tests of the best networks: random ones, with ties, and those of data."""

from __future__ import annotations

import itertools
import math
import random

import numpy as np
from hypothesis import strategies as st

import dagscape as ds
from dagscape.core import kernels
from scores.strategies import DISCRETE_SCORES

SEEDS = st.integers(0, 10**9)
SPREADS = st.sampled_from([0, 1, 3, 1000])
SPACES = ["dags", "classes"]
EQUIVALENT = [name for name, definition in DISCRETE_SCORES.items() if definition.score_equivalent]
PLENTY = 1 << 40

# The numbers of DAGs and of equivalence classes by the number of labelled variables.
DAGS = {1: 1, 2: 3, 3: 25, 4: 543, 5: 29281}
CLASSES = {1: 1, 2: 2, 3: 11, 4: 185, 5: 8782}


def table_of(n, max_parents, score, **options):
    """A table of all families of up to some parents; ``score`` takes child and parents and may return None."""
    names = [f"v{i}" for i in range(n)]
    families = {}
    for child in range(n):
        others = [v for v in range(n) if v != child]
        sets = [s for size in range(max_parents + 1) for s in itertools.combinations(others, size)]
        listed = {tuple(names[p] for p in s): score(child, s) for s in sets}
        families[names[child]] = {s: value for s, value in listed.items() if value is not None}
    return ds.FamilyTable(families, names, **options)


def whole_scores(n, spread, seed, max_parents=None, drop=0.0):
    """Random integers: the smaller their spread, the more ties; some families are impossible."""
    rng = random.Random(seed)
    limit = n - 1 if max_parents is None else min(max_parents, n - 1)
    kept = [rng.randrange(sum(math.comb(n - 1, size) for size in range(limit + 1))) for _ in range(n)]
    places = [itertools.count() for _ in range(n)]

    def score(child, parents):
        value = -float(rng.randint(0, spread))
        # One family of each child must be possible.
        return value if next(places[child]) == kept[child] or rng.random() >= drop else None

    return table_of(n, limit, score, complete=True)


def equivalent_scores(n, spread, seed, max_parents=None):
    """Score-equivalent integers: J(G ∪ {i}) − J(G) + c(|G|), with J and c random."""
    rng = random.Random(seed)
    joint = [rng.randint(-spread, spread) for _ in range(1 << n)]
    terms = [rng.randint(-spread, 0) for _ in range(n)]

    def score(child, parents):
        base = sum(1 << p for p in parents)
        return float(joint[base | 1 << child] - joint[base] + terms[len(parents)])

    limit = n - 1 if max_parents is None else min(max_parents, n - 1)
    return table_of(n, limit, score, score_equivalent=True)


def random_data(n, rows, seed, levels=2):
    return ds.Dataset.from_array(np.random.default_rng(seed).integers(0, levels, (rows, n)), keep_constant=True)


def kernel_list(families, n, classes, count, threads=1):
    search = kernels.BestNetworks(families, classes, threads, PLENTY, None)
    parents = np.zeros((count, n), dtype=np.uint64)
    exact = np.zeros(count, dtype=np.int64)
    found, out_of_room = search.next(parents, exact, None)
    assert not out_of_room
    return parents[:found].tolist(), exact[:found].tolist(), search.stored


SYMMETRIC = {
    "one row": [(0, 0, 0, 0)],
    "two rows": [(0, 0, 0, 0), (1, 1, 1, 1)],
    "every row": list(itertools.product((0, 1), repeat=4)),
    "even rows": [row for row in itertools.product((0, 1), repeat=4) if sum(row) % 2 == 0],
    "two pairs": [(a, a, b, b) for a in (0, 1) for b in (0, 1) for _ in range(3)],
    "a ring": [row for row in itertools.product((0, 1), repeat=4) if row[0] != row[2] or row[1] != row[3]],
}
