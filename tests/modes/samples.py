"""Scores with many modes, all settings of the search, and checks of its results."""

from __future__ import annotations

import itertools
import math
import random

import numpy as np
import pytest
from hypothesis import strategies as st

import dagscape as ds
from best.samples import PLENTY
from dagscape.core import kernels
from dagscape.scores.tables.family_arrays import kernel_families
from oracles.best import possible_families
from oracles.modes import (
    farthest,
    mode_networks,
)

TIES = st.sampled_from([0, 1, 2, 5, 1000])
DROPS = st.sampled_from([0.0, 0.3, 0.6, 0.9])
LIMITS = st.sampled_from([None, 0, 1, 2, 3])
ALL = 10**6

# What the kernel answers.
FOUND, NO_MORE = kernels.ModeOutcome.FOUND, kernels.ModeOutcome.NO_MORE
NO_ROOM, NO_TIME = kernels.ModeOutcome.OUT_OF_ROOM, kernels.ModeOutcome.OUT_OF_TIME


def some_deltas(n):
    return st.integers(0, 8 if n <= 6 else farthest(n))


def dependent_data(n, rows, seed):
    """Bits: most are noisy copies of others, some noisy sums."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 2, (rows, n))
    for v in range(2, n):
        signal_of = codes[:, v - 1] ^ codes[:, v - 2] if v % 3 == 0 else codes[:, rng.integers(v)]
        codes[:, v] = np.where(rng.random(rows) < 0.75, signal_of, codes[:, v])
    return ds.Dataset.from_array(codes, keep_constant=True)


def parted(names, count, rng):
    """Divide the names into random non-empty groups."""
    shuffled = rng.sample(names, len(names))
    cuts = sorted(rng.sample(range(1, len(names)), count - 1))
    return [shuffled[start:end] for start, end in itertools.pairwise([0, *cuts, len(names)])]


def ways(scores, seed):
    """Arguments that find the same modes."""
    rng = random.Random(seed)
    names = list(scores.variables)
    yield from ({}, {"merge": False}, {"threads": 2}, {"bound": "exact"}, {"bound": "patterns"}, {"bound": "none"})
    yield {"bound": "none", "merge": False}
    for count in {min(2, scores.n), min(3, scores.n)}:
        yield {"groups": count}
        yield {"bound": "patterns", "groups": count, "grouping": "random", "seed": seed, "merge": False}
        yield {"bound": "patterns", "groups": parted(names, count, rng)}
        # The first variables, then the rest.
        yield {"groups": [names[:count], names[count:]] if count < scores.n else [names]}


def listed(scores, found):
    """Exact score, parents and ordering of each mode."""
    numbers = {name: i for i, name in enumerate(scores.variables)}
    return [
        (scores.network_exact(network), network.parent_masks, tuple(numbers[name] for name in order))
        for network, order in zip(found.networks, found.orders, strict=True)
    ]


def check_list(scores, found, expected, k):
    """Check that modes are the first of those expected, and that the result is right about the others."""
    assert listed(scores, found) == expected[:k]
    assert found.scores.tolist() == [scores.unit.to_float(score) for score, _, _ in expected[:k]]
    assert len(found) == len(found.networks) == len(found.orders) == min(k, len(expected))
    assert found.complete
    assert found.stopped == ""
    assert found.exhausted == (k > len(expected))
    if found.exhausted:
        assert found.bound == -math.inf
    else:
        assert found.bound <= found.scores[-1]
        assert all(found.bound >= scores.unit.to_float(score) for score, _, _ in expected[k:])


def check_every_way(scores, delta, k, seed, distinct="network"):
    expected = mode_networks(possible_families(scores), delta, distinct)
    for options in ways(scores, seed):
        if expected:
            found = ds.modes(scores, k, delta, distinct=distinct, **({"threads": 1} | options))
            check_list(scores, found, expected, k)
            assert (found.delta, found.distinct) == (delta, distinct)
        else:
            with pytest.raises(ds.InvalidData, match="every network has an impossible family: there are no modes"):
                ds.modes(scores, k, delta, distinct=distinct, **options)


def layouts_of(scores):
    """The families in every layout of the kernels."""
    names = ["mask", "list", "size"] if scores.n >= 10 else ["mask", "list"]
    return {name: kernel_families(scores, name) for name in names}


def kernel_list(families, n, delta, groups, count, *, merge=True, classes=False, threads=1):
    """The first modes as the kernel finds them, and its counts."""
    search = kernels.ModeSearch(families, delta, bool(merge), classes, groups, threads, PLENTY, None)
    return rest_of(search, n, count), search.counts


def rest_of(search, n, count):
    found = []
    parents, order = np.zeros(n, dtype=np.uint64), np.zeros(n, dtype=np.uint8)
    while len(found) < count:
        outcome, score = search.next(parents, order, math.inf, None)
        if outcome != FOUND:
            assert outcome == NO_MORE
            break
        found.append((score, tuple(parents.tolist()), tuple(order.tolist())))
    return found
