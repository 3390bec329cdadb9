"""Bounds on completions, and groups of variables."""

from __future__ import annotations

import itertools
import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagscape as ds
from best.samples import PLENTY, SEEDS, table_of, whole_scores
from dagscape.core import kernels
from dagscape.modes.bounds import dependences, equal_groups, tightest_groups
from dagscape.scores.tables.family_arrays import kernel_families
from modes.samples import (
    DROPS,
    TIES,
    layouts_of,
    parted,
)
from oracles.best import possible_families
from oracles.modes import (
    bound_of_groups,
    fast_modes,
    mode_networks,
)


@given(n=st.integers(1, 6), spread=TIES, seed=SEEDS, drop=DROPS, count=st.integers(1, 6))
@settings(max_examples=60, deadline=None)
def test_bounds_at_the_start(n, spread, seed, drop, count):
    scores = whole_scores(n, spread, seed, drop=drop)
    families = possible_families(scores)
    if not fast_modes(families, 0):
        return
    names = list(range(n))
    partitions = {
        "exact": [(1 << n) - 1],
        "groups": [sum(1 << v for v in g) for g in parted(names, min(count, n), random.Random(seed))],
        "none": [1 << v for v in range(n)],
    }
    bounds = {}
    for name, groups in partitions.items():
        for layout in ("mask", "list"):
            made = kernel_families(scores, layout)
            bounds[name] = kernels.ModeSearch(made, 1, True, False, groups, 1, PLENTY, None).bound
            assert bounds[name] == bound_of_groups(families, groups)
    assert bounds["exact"] == mode_networks(families, 0)[0][0]
    assert bounds["exact"] <= bounds["groups"] <= bounds["none"]


def test_bounds_of_large_groups_at_the_start():
    """Groups of at least ten variables are processed in tiles; every layout gives the same bounds."""
    n = 12
    scores = whole_scores(n, 1000, seed=4, max_parents=3)
    everything = (1 << n) - 1
    optimum = scores.network_exact(ds.optimal_network(scores).network)
    for group in (everything, everything & ~1, everything & ~0b110, everything >> 2):
        groups = [part for part in (group, everything & ~group) if part]
        bounds = {
            kernels.ModeSearch(made, 1, True, False, groups, threads, PLENTY, None).bound
            for made in layouts_of(scores).values()
            for threads in (1, 3)
        }
        assert len(bounds) == 1
        assert bounds == {optimum} if group == everything else min(bounds) > optimum


@pytest.mark.parametrize("grouping", ["dependence", "random"])
def test_equal_groups(grouping):
    for n in (1, 2, 5, 9):
        scores = whole_scores(n, 5, seed=n, max_parents=1, drop=0.2)
        for count in range(1, n + 1):
            groups = equal_groups(scores, count, grouping, 3)
            assert len(groups) == count
            assert sum(groups) == (1 << n) - 1
            sizes = [group.bit_count() for group in groups]
            assert sum(sizes) == n
            assert max(sizes) - min(sizes) <= 1
            assert groups == equal_groups(scores, count, grouping, 3)


def test_random_groups_follow_their_seed():
    scores = whole_scores(9, 5, seed=1, max_parents=1)
    drawn = {tuple(equal_groups(scores, 3, "random", seed)) for seed in range(10)}
    assert len(drawn) > 5
    found = ds.modes(scores, 1, 2, groups=3, grouping="random", seed=7)
    assert found.provenance.seed == 7
    groups = equal_groups(scores, 3, "random", 7)
    named = [[name for v, name in enumerate(scores.variables) if group >> v & 1] for group in groups]
    assert found.provenance.parameters["groups"] == named
    drawn = ds.modes(scores, 1, 2, groups=3, grouping="random", seed=np.random.default_rng(7))
    assert drawn.provenance.parameters["groups"] == named
    assert drawn.provenance.seed is None


def blocks(n, first, within=4.0):
    """Scores of variables that depend only on those of the same block, the first of which is given."""

    def score(child, parents):
        return sum(within if (child in first) == (parent in first) else -1.0 for parent in parents)

    return table_of(n, 1, score)


@pytest.mark.parametrize("first", [{0, 1, 2, 3}, {0, 2, 4, 6}, {1, 2, 5, 7}])
def test_independent_blocks_are_different_groups(first):
    scores = blocks(8, first)
    mask = sum(1 << v for v in first)
    assert set(equal_groups(scores, 2, "dependence", 0)) == {mask, 255 & ~mask}
    # Two hidden bits, and noisy copies of one or the other.
    rng = np.random.default_rng(1)
    bits = rng.integers(0, 2, (400, 2))
    codes = bits[:, [int(v in first) for v in range(8)]] ^ (rng.random((400, 8)) < 0.2)
    scores = ds.local_scores(ds.Dataset.from_array(codes))
    assert set(equal_groups(scores, 2, "dependence", 0)) == {mask, 255 & ~mask}


def test_variables_change_places_between_groups():
    """Pairs that a greedy rule would separate, because other variables have filled the group."""
    for seed in range(30):
        rng = random.Random(seed)
        order = rng.sample(range(8), 8)
        gains = {frozenset(order[i : i + 4]): rng.randint(1, 9) for i in (0, 4)}

        def score(child, parents, gains=gains):
            return sum(gain for block, gain in gains.items() for p in parents if {child, p} <= block)

        groups = equal_groups(table_of(8, 1, score), 2, "dependence", 0)
        assert set(groups) == {sum(1 << v for v in block) for block in gains}


def bound_at_the_start(scores, groups):
    families = kernel_families(scores, "mask")
    return kernels.ModeSearch(families, 0, False, False, groups, 1, PLENTY, None).bound


@pytest.mark.parametrize("first", [{0, 1, 2, 3, 4}, {1, 3, 4, 5, 7}, {0, 2, 5, 7}, {6}])
@pytest.mark.parametrize("slack", [0, 1, 2])
def test_the_tightest_groups_are_independent_blocks(first, slack):
    scores = blocks(8, first)
    mask = sum(1 << v for v in first)
    largest = min(max(len(first), 8 - len(first)) + slack, 7)
    groups = tightest_groups(scores, largest, lambda groups: bound_at_the_start(scores, groups))
    # No bound is below the optimum, and that of the blocks equals it.
    assert bound_at_the_start(scores, groups) == bound_at_the_start(scores, [255])
    if slack == 0:
        assert set(groups) == {mask, 255 & ~mask}


@pytest.mark.parametrize("n", [2, 3, 7, 8])
def test_the_tightest_groups_hold_every_variable_once(n):
    scores = whole_scores(n, 5, seed=n, max_parents=2, drop=0.3)
    for largest in range(1, n):
        tried = {}

        def bound_of(groups, tried=tried):
            tried[tuple(groups)] = bound_at_the_start(scores, groups)
            return tried[tuple(groups)]

        groups = tightest_groups(scores, largest, bound_of)
        for found in (groups, *tried):
            assert sum(found) == (1 << n) - 1
            assert sum(group.bit_count() for group in found) == n
            assert max(group.bit_count() for group in found) <= largest
        if n <= 2 * largest:
            assert len(groups) == 2
            assert tried[tuple(groups)] == min(tried.values())
            # At least one of each size, from the smallest that fits to half of the variables.
            sizes = {min(group.bit_count() for group in found) for found in tried}
            assert sizes == set(range(max(n - largest, 1), n // 2 + 1))
        else:
            assert len(groups) == math.ceil(n / largest)
            assert not tried


def test_dependences():
    scores = whole_scores(5, 9, seed=1, max_parents=2, drop=0.3)
    families = possible_families(scores)
    expected = np.zeros((5, 5))
    for child, parent in itertools.permutations(range(5), 2):
        if 0 in families[child] and 1 << parent in families[child]:
            gain = max(families[child][1 << parent] - families[child][0], 0)
            expected[[parent, child], [child, parent]] += scores.unit.to_float(gain)
    assert any(0 not in listed for listed in families)
    assert dependences(scores).tolist() == expected.tolist()
    assert not dependences(whole_scores(5, 9, seed=1, max_parents=0)).any()
