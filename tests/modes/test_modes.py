"""Modes against all orderings of few variables; of more, every way to search for them against the others."""

from __future__ import annotations

import itertools
import math
import os
import random
import re
import signal
import threading
import time
import warnings
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagscape as ds
from best.samples import PLENTY, SEEDS, SYMMETRIC, random_data, table_of, whole_scores
from dagscape import kernels
from dagscape.modes.bounds import dependences, equal_groups, tightest_groups
from dagscape.scores.family_arrays import kernel_families, search_layout, search_memory
from oracles.best import pattern, possible_families
from oracles.modes import (
    best_within,
    bound_of_groups,
    farthest,
    fast_modes,
    is_mode_by_windows,
    kendall,
    mode_networks,
    modes_by_windows,
    network_of,
    obvious_modes,
    worth,
)
from scores.strategies import dataset, tables

TIES = st.sampled_from([0, 1, 2, 5, 1000])
DROPS = st.sampled_from([0.0, 0.3, 0.6, 0.9])
LIMITS = st.sampled_from([None, 0, 1, 2, 3])
ALL = 10**6

# What the kernel answers.
FOUND, NO_MORE, NO_ROOM, NO_TIME = range(4)


class Enough(Exception):
    """What a listener raises."""


def some_deltas(n):
    return st.integers(0, 8 if n <= 6 else farthest(n))


def dependent_data(n, rows, seed):
    """Bits of which most are noisy copies of others, and some noisy sums."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 2, (rows, n))
    for v in range(2, n):
        signal_of = codes[:, v - 1] ^ codes[:, v - 2] if v % 3 == 0 else codes[:, rng.integers(v)]
        codes[:, v] = np.where(rng.random(rows) < 0.75, signal_of, codes[:, v])
    return ds.Dataset.from_array(codes)


def parted(names, count, rng):
    """The names in so many groups at random, none of them empty."""
    shuffled = rng.sample(names, len(names))
    cuts = sorted(rng.sample(range(1, len(names)), count - 1))
    return [shuffled[start:end] for start, end in itertools.pairwise([0, *cuts, len(names)])]


def ways(scores, seed):
    """Ways to ask for the same modes."""
    rng = random.Random(seed)
    names = list(scores.variables)
    yield from ({}, {"merge": False}, {"threads": 2}, {"bound": "exact"}, {"bound": "patterns"}, {"bound": "none"})
    yield {"bound": "none", "merge": False}
    for count in {min(2, scores.n), min(3, scores.n)}:
        yield {"groups": count}
        yield {"bound": "patterns", "groups": count, "grouping": "random", "seed": seed, "merge": False}
        yield {"bound": "patterns", "groups": parted(names, count, rng)}
        # The first variables, and then the rest.
        yield {"groups": [names[:count], names[count:]] if count < scores.n else [names]}


def listed(scores, found):
    """Exact score, parents and ordering of each mode."""
    numbers = {name: i for i, name in enumerate(scores.variables)}
    return [
        (scores.network_exact(network), network.parent_masks, tuple(numbers[name] for name in order))
        for network, order in zip(found.networks, found.orders, strict=True)
    ]


def check_list(scores, found, expected, k):
    """Whether modes are the first of those expected, and say the right thing about the others."""
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
            with pytest.raises(ds.InvalidData, match="no network has all families possible: there are no modes"):
                ds.modes(scores, k, delta, distinct=distinct, **options)


@given(n=st.integers(1, 5), spread=TIES, seed=SEEDS, drop=DROPS, max_parents=LIMITS, data=st.data())
@settings(max_examples=30, deadline=None)
def test_a_mode_precedes_all_orderings_about_it(n, spread, seed, drop, max_parents, data):
    """The two ways to compare all orderings agree."""
    delta = data.draw(some_deltas(n))
    families = possible_families(whole_scores(n, spread, seed, max_parents, drop))
    assert sorted(fast_modes(families, delta)) == obvious_modes(families, delta)


@given(n=st.integers(1, 6), spread=TIES, seed=SEEDS, drop=DROPS, max_parents=LIMITS, data=st.data())
@settings(max_examples=60, deadline=None)
def test_windows_tell_modes(n, spread, seed, drop, max_parents, data):
    """Theorem 1: where every window is the best, so is the ordering; with ties and impossible families, too."""
    delta = data.draw(some_deltas(n))
    families = possible_families(whole_scores(n, spread, seed, max_parents, drop))
    assert modes_by_windows(families, delta) == sorted(fast_modes(families, delta))


@pytest.mark.parametrize("delta", range(7))
@pytest.mark.parametrize("n", range(1, 7))
def test_where_all_scores_are_equal_only_the_first_ordering_is_a_mode(n, delta):
    scores = table_of(n, n - 1, lambda child, parents: 0.0)
    found = ds.modes(scores, ALL, delta)
    assert found.exhausted
    # With δ = 0 every ordering is a mode, but all have the network without edges.
    assert listed(scores, found) == [(0, (0,) * n, tuple(range(n)))]
    if delta:
        assert fast_modes(possible_families(scores), delta) == [tuple(range(n))]


@given(
    n=st.integers(1, 5), spread=TIES, seed=SEEDS, drop=DROPS, max_parents=LIMITS, k=st.just(ALL) | st.integers(1, 30),
    distinct=st.sampled_from(["network", "class"]), data=st.data(),
)  # fmt: skip
@settings(max_examples=150, deadline=None)
def test_modes_of_any_scores(n, spread, seed, drop, max_parents, k, distinct, data):
    scores = whole_scores(n, spread, seed, max_parents, drop)
    check_every_way(scores, data.draw(some_deltas(n)), k, seed, distinct)


@pytest.mark.parametrize("delta", range(7))
@pytest.mark.parametrize(("n", "max_parents", "drop"), [(6, None, 0.0), (6, 2, 0.5), (7, None, 0.4), (7, 3, 0.0)])
def test_modes_of_more_variables(n, max_parents, drop, delta):
    for spread, distinct in ((1, "network"), (3, "class"), (1000, "network")):
        scores = whole_scores(n, spread, seed=n + delta, max_parents=max_parents, drop=drop)
        check_every_way(scores, delta, (5, ALL)[delta % 2], delta, distinct)


@given(
    table=tables(max_rows=12, max_arity=3), score=st.sampled_from(["bdeu", "bic", "k2"]), delta=st.integers(0, 6),
    max_parents=st.sampled_from([None, 1, 2]), k=st.just(ALL) | st.integers(1, 10), seed=SEEDS,
    distinct=st.sampled_from(["network", "class"]),
)  # fmt: skip
@settings(max_examples=40, deadline=None)
def test_modes_of_data(table, score, delta, max_parents, k, seed, distinct):
    limit = None if max_parents is None else min(max_parents, len(table[0]) - 1)
    scores = ds.local_scores(dataset(*table), score, max_parents=limit, threads=1)
    check_every_way(scores, delta, k, seed, distinct)


@pytest.mark.parametrize("distinct", ["network", "class"])
@pytest.mark.parametrize("name", SYMMETRIC)
def test_symmetric_data_tie(name, distinct):
    scores = ds.local_scores(dataset([2] * 4, SYMMETRIC[name]))
    for delta in range(7):
        check_every_way(scores, delta, ALL, delta, distinct)


@pytest.mark.parametrize("rows", [1, 3, 10, 200])
@pytest.mark.parametrize("delta", [0, 1, 2, 3, 6])
def test_modes_of_seven_variables_from_data(rows, delta):
    scores = ds.local_scores(dependent_data(7, rows, seed=rows))
    # There are thousands of orderings, and hundreds of networks.
    check_every_way(scores, delta, ALL if delta else 60, seed=rows)


@pytest.mark.parametrize(
    "options",
    [
        {"required": [("X0", "X1"), ("X2", "X1")]},
        {"forbidden": [("X0", "X1"), ("X3", "X2"), ("X5", "X0")]},
        {"tiers": [["X5"], ["X1", "X2"], ["X0"]], "max_parents": 2},
        {"required": [("X3", "X0"), ("X0", "X4"), ("X4", "X1")], "score": "k2"},
    ],
)
def test_constraints(options):
    scores = ds.local_scores(dependent_data(6, 40, seed=2), **options)
    for delta, distinct in itertools.product((0, 1, 2, 4, 7), ("network", "class")):
        check_every_way(scores, delta, ALL, delta, distinct)


def test_families_may_be_missing_or_ruled_out():
    """A table that does not say whether it is complete, and whose variables cannot all come first."""
    families = {
        "a": {("b",): -3.0, ("c",): -1.0, ("b", "d"): -1.0},
        "b": {(): -2.0, ("a",): -1.0, ("c", "e"): -math.inf},
        "c": {(): -4.0, ("a", "b"): -math.inf, ("e",): -1.0, ("a", "d"): 0.0},
        "d": {("a",): 0.0, ("c",): 0.0},
        "e": {(): -1.0, ("d",): 0.0, ("c",): -1.0},
    }
    scores = ds.FamilyTable(families)
    assert scores.complete is None
    for delta in range(9):
        check_every_way(scores, delta, ALL, delta)


@given(n=st.integers(2, 6), spread=TIES, seed=SEEDS, delta=st.integers(0, 6))
@settings(max_examples=30, deadline=None)
def test_families_that_are_never_best_do_not_matter(n, spread, seed, delta):
    scores = whole_scores(n, spread, seed)
    best = best_within(possible_families(scores))
    kept = {
        (child, best(child, before)[1])
        for child, before in itertools.product(range(n), range(1 << n))
        if not before >> child & 1
    }
    names = scores.variables
    pruned = ds.FamilyTable(
        {
            names[child]: {
                tuple(names[p] for p in range(n) if mask >> p & 1): scores.unit.to_float(exact)
                for mask, exact in families.items()
                if (child, mask) in kept
            }
            for child, families in enumerate(possible_families(scores))
        },
        names,
    )
    whole, part = (ds.modes(made, ALL, delta, threads=1) for made in (scores, pruned))
    assert part.networks == whole.networks
    assert part.scores.tolist() == whole.scores.tolist()
    assert part.orders == whole.orders


@pytest.mark.parametrize("delta", [0, 1, 2, 3])
def test_every_k(delta):
    scores = whole_scores(6, 5, seed=3, max_parents=2, drop=0.3)
    expected = mode_networks(possible_families(scores), delta)
    assert len(expected) > 3
    for k in range(1, len(expected) + 3):
        check_list(scores, ds.modes(scores, k, delta, threads=1), expected, k)


@given(n=st.integers(1, 6), spread=TIES, seed=SEEDS, drop=DROPS)
@settings(max_examples=30, deadline=None)
def test_fewer_are_modes_where_more_is_about_them(n, spread, seed, drop):
    scores = whole_scores(n, spread, seed, drop=drop)
    if not fast_modes(possible_families(scores), 0):
        return
    lists = [listed(scores, ds.modes(scores, ALL, delta, threads=1)) for delta in range(9)]
    assert all(len(more) >= len(fewer) for more, fewer in itertools.pairwise(lists))
    networks = [{network for _, network, _ in found} for found in lists]
    assert all(more >= fewer for more, fewer in itertools.pairwise(networks))
    # The best ordering of all is a mode, whatever is about it.
    assert len({(found[0][0], found[0][2]) for found in lists}) == 1


@given(
    n=st.integers(2, 8), spread=st.integers(0, 6), seed=SEEDS, delta=st.integers(1, 8),
    drop=st.sampled_from([0.0, 0.2, 0.5]), max_parents=st.sampled_from([None, 1, 2, 3]),
)  # fmt: skip
@settings(max_examples=400, deadline=None)
def test_merging_changes_nothing(n, spread, seed, delta, drop, max_parents):
    scores = whole_scores(n, spread, seed, max_parents, drop)
    everything = [(1 << n) - 1]
    merged, apart = (kernel_list(kernel_families(scores, "mask"), n, delta, everything, ALL, merge=m) for m in (1, 0))
    assert merged[0] == apart[0]
    # Fewer prefixes are continued, or as many.
    assert merged[1][0] <= apart[1][0]
    assert apart[1][3] == 0


@pytest.mark.parametrize(
    ("spread", "seed", "max_parents", "drop"), [(1, 44, 1, 0.7), (1000, 329, 2, 0.5), (5, 432, 1, 0.7)]
)
def test_of_prefixes_with_the_same_future_one_may_fail(spread, seed, max_parents, drop):
    """The first of two such prefixes is not the best of its newest window, which reaches back to where they differ."""
    scores = whole_scores(8, spread, seed, max_parents, drop)
    merged, apart = (ds.modes(scores, ALL, 2, merge=merge) for merge in (True, False))
    assert listed(scores, merged) == listed(scores, apart)


def layouts_of(scores):
    """The families in every layout that a kernel takes."""
    names = ["mask", "list", "size"] if scores.n >= 10 else ["mask", "list"]
    return {name: kernel_families(scores, name) for name in names}


def kernel_list(families, n, delta, groups, count, *, merge=True, classes=False, threads=1):
    """The first modes as the kernel finds them, and its counts."""
    search = kernels.ModeSearch(families, delta, bool(merge), classes, [groups], threads, PLENTY, None)
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


def check_each(scores, found, delta, distinct):
    """What can be told of a list without all orderings: each entry is a mode, they are sorted and differ."""
    best = best_within(possible_families(scores))
    rows = listed(scores, found)
    for score, network, order in rows:
        assert is_mode_by_windows(best, order, delta)
        assert worth(best, order) == score
        assert network_of(best, order) == network
    assert rows == sorted(rows, key=lambda row: (-row[0], row[2]))
    keys = [network if distinct == "network" else pattern(network) for _, network, _ in rows]
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize("distinct", ["network", "class"])
@pytest.mark.parametrize("delta", [0, 1, 3, 5])
@pytest.mark.parametrize(("n", "max_parents"), [(10, 2), (11, 3), (12, 2)])
def test_all_bounds_give_the_same_modes(n, max_parents, delta, distinct):
    """Scores that are walked in tiles, as those of groups of ten variables and more."""
    scores = ds.local_scores(dependent_data(n, 60, seed=n), max_parents=max_parents)
    assert search_layout(n, max_parents, scores.family_count) == "size"
    names = list(scores.variables)
    exact, *others = (
        ds.modes(scores, 15, delta, distinct=distinct, **options)
        for options in (
            {"bound": "exact"},
            {"bound": "patterns"},
            {"groups": 2},
            {"groups": 3, "grouping": "random", "seed": 5},
            {"groups": [names[: n - 1], names[n - 1 :]]},
            {"groups": [names[::2], names[1::2]]},
            {"groups": [names[-10:], names[:-10]] if n > 10 else [names]},
            {"bound": "none"},
        )
    )
    check_each(scores, exact, delta, distinct)
    assert exact.scores[0] == ds.optimal_network(scores).score
    for other in others:
        assert listed(scores, other) == listed(scores, exact)
        assert (other.complete, other.exhausted) == (True, exact.exhausted)
        # A bound that knows less keeps more prefixes open.
        assert other.bound >= exact.bound
        assert other.expanded >= exact.expanded


@pytest.mark.parametrize(
    ("n", "spread", "max_parents", "drop"), [(12, 3, 3, 0.9), (12, 1000, 5, 0.85), (11, 1000, 10, 0.8)]
)
def test_all_layouts_give_the_same_modes(n, spread, max_parents, drop):
    scores = whole_scores(n, spread, seed=3, max_parents=max_parents, drop=drop)
    assert search_layout(n, scores.max_parents, scores.family_count) == "list"
    everything = (1 << n) - 1
    for delta, groups in ((1, [everything]), (2, [0b11, everything & ~0b11]), (3, [everything & ~1, 1])):
        by_mask, *others = (
            kernel_list(families, n, delta, groups, 20, classes=delta == 2) for families in layouts_of(scores).values()
        )
        assert all(other == by_mask for other in others)
        found = ds.modes(scores, 20, delta, distinct="class" if delta == 2 else "network")
        assert listed(scores, found) == by_mask[0]
        assert len(found) > 1
        check_each(scores, found, delta, found.distinct)
        assert found.scores[0] == ds.optimal_network(scores).score


@pytest.mark.parametrize("max_parents", [3, None])
def test_threads_do_not_matter(max_parents):
    scores = ds.local_scores(dependent_data(11, 80, seed=1), max_parents=max_parents)
    first, *others = (ds.modes(scores, 30, 2, threads=threads) for threads in (1, 2, 3))
    for other in others:
        assert listed(scores, other) == listed(scores, first)
        assert (other.expanded, other.generated, other.failed) == (first.expanded, first.generated, first.failed)
        assert (other.merged, other.bound) == (first.merged, first.bound)


def test_more_variables_than_sets_can_be_kept_of():
    """A ring of fifty edges, of which one has to go: each is a mode, and the smallest ordering starts where it went."""
    n = 50
    names = [f"v{i}" for i in range(n)]
    families = {names[i]: {(): -2.0, (names[i - 1],): -1.0} for i in range(n)}
    found = ds.modes(ds.FamilyTable(families, complete=True), 5, 2, groups=5, max_memory="500MiB")
    assert found.scores.tolist() == [-51.0] * 5
    assert found.classes == 5
    for network, order in zip(found.networks, found.orders, strict=True):
        assert network.edge_count == n - 1
        assert not network.parents(order[0])


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
            bounds[name] = kernels.ModeSearch(made, 1, True, False, [groups], 1, PLENTY, None).bound
            assert bounds[name] == bound_of_groups(families, groups)
    assert bounds["exact"] == mode_networks(families, 0)[0][0]
    assert bounds["exact"] <= bounds["groups"] <= bounds["none"]
    # Of two partitions, whichever bounds more tightly.
    for pair in (("none", "exact"), ("exact", "none")):
        both = kernels.ModeSearch(made, 1, True, False, [partitions[name] for name in pair], 1, PLENTY, None)
        assert both.bound == bounds["exact"]
        assert rest_of(both, n, ALL) == mode_networks(families, 1)


def test_bounds_of_large_groups_at_the_start():
    """Groups of ten variables and more are walked in tiles as well; every layout gives the same."""
    n = 12
    scores = whole_scores(n, 1000, seed=4, max_parents=3)
    everything = (1 << n) - 1
    optimum = scores.network_exact(ds.optimal_network(scores).network)
    for group in (everything, everything & ~1, everything & ~0b110, everything >> 2):
        groups = [part for part in (group, everything & ~group) if part]
        bounds = {
            kernels.ModeSearch(made, 1, True, False, [groups], threads, PLENTY, None).bound
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
    """Scores of variables that depend on those of the same block only, the first of which is given."""

    def score(child, parents):
        return sum(within if (child in first) == (parent in first) else -1.0 for parent in parents)

    return table_of(n, 1, score)


@pytest.mark.parametrize("first", [{0, 1, 2, 3}, {0, 2, 4, 6}, {1, 2, 5, 7}])
def test_independent_blocks_are_different_groups(first):
    scores = blocks(8, first)
    mask = sum(1 << v for v in first)
    assert set(equal_groups(scores, 2, "dependence", 0)) == {mask, 255 & ~mask}
    # Two bits that nobody sees, and noisy copies of one or the other.
    rng = np.random.default_rng(1)
    bits = rng.integers(0, 2, (400, 2))
    codes = bits[:, [int(v in first) for v in range(8)]] ^ (rng.random((400, 8)) < 0.2)
    scores = ds.local_scores(ds.Dataset.from_array(codes))
    assert set(equal_groups(scores, 2, "dependence", 0)) == {mask, 255 & ~mask}


def test_variables_change_places_between_groups():
    """Pairs that the first come, first served rule would part, because others have filled the group."""
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
    return kernels.ModeSearch(families, 0, False, False, [groups], 1, PLENTY, None).bound


@pytest.mark.parametrize("first", [{0, 1, 2, 3, 4}, {1, 3, 4, 5, 7}, {0, 2, 5, 7}, {6}])
@pytest.mark.parametrize("slack", [0, 1, 2])
def test_the_tightest_groups_are_independent_blocks(first, slack):
    scores = blocks(8, first)
    mask = sum(1 << v for v in first)
    largest = min(max(len(first), 8 - len(first)) + slack, 7)
    groups = tightest_groups(scores, largest, lambda groups: bound_at_the_start(scores, groups))
    # No bound is lower than the optimum, and that of the blocks is it.
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
            # One of every size at least, from the smallest that fits to the half.
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


@cache
def many_modes():
    """Sixteen variables with so many modes that no search comes to an end within seconds."""
    return ds.local_scores(dependent_data(16, 30, seed=16), max_parents=3)


def stopped(scores, k, delta, why, **options):
    """Modes of a search that has to end early, and says so where the call stands."""
    message = rf"the search ran out of {why} after (\d+) modes, which are proved to be the best"
    with pytest.warns(ds.StoppedEarly, match=message) as caught:
        found = ds.modes(scores, k, delta, **options)
    assert [warning.filename for warning in caught] == [__file__]
    assert int(re.search(message, str(caught[0].message))[1]) == len(found)
    return found


def check_stopped(scores, found, delta, why):
    """Whether what was found is the beginning of the whole list, and the bound holds for the next ones."""
    assert (found.complete, found.exhausted, found.stopped) == (False, False, why)
    more = ds.modes(scores, len(found) + 20, delta)
    assert more.complete
    assert listed(scores, more)[: len(found)] == listed(scores, found)
    assert found.bound >= more.scores[len(found)]
    assert len(found) == 0 or found.bound <= found.scores[-1]


@pytest.mark.parametrize("delta", [0, 1])
@pytest.mark.parametrize("seconds", [1e-9, 0.02, 0.05])
def test_time_runs_out(seconds, delta):
    scores = many_modes()
    start = time.perf_counter()
    found = stopped(scores, ALL, delta, "time", max_seconds=seconds)
    assert time.perf_counter() - start < seconds + 1
    check_stopped(scores, found, delta, "time")
    if seconds < 1e-6:
        assert len(found) == 0
        assert found.bound >= ds.optimal_network(scores).score


@pytest.mark.parametrize("options", [{"bound": "exact"}, {"groups": 2}, {"bound": "none"}, {"merge": False}])
def test_memory_runs_out(options):
    scores = many_modes()
    found = stopped(scores, ALL, 1, "memory", max_memory="5MiB", threads=1, **options)
    check_stopped(scores, found, 1, "memory")
    # Where the bound knows little, prefixes fill the room before the first mode.
    assert len(found) > 0 or options in ({"groups": 2}, {"bound": "none"})


def test_memory_runs_out_before_the_first_mode():
    """There is room for the bound, but none for prefixes."""
    scores = whole_scores(16, 9, seed=1, max_parents=2, drop=0.95)
    found = stopped(scores, 3, 1, "memory", bound="exact", max_memory=memory_for(scores, 16), threads=1)
    assert len(found) == 0
    assert found.bound == ds.optimal_network(scores).score
    check_stopped(scores, found, 1, "memory")


def test_time_enough_is_no_limit():
    scores = ds.local_scores(dependent_data(8, 50, seed=1))
    with_limit, without = ds.modes(scores, 5, 2, max_seconds=1000), ds.modes(scores, 5, 2)
    assert listed(scores, with_limit) == listed(scores, without)
    assert with_limit.complete
    assert ds.modes(scores, 5, 2, max_seconds=3).provenance.parameters["max_seconds"] == 3


def memory_for(scores, group):
    """Bytes that the families take, and the bound for a group of so many variables."""
    return search_memory(scores.n, scores.max_parents, scores.family_count, 1, group)


@pytest.mark.parametrize(
    ("options", "group", "remedy"),
    [
        ({"bound": "exact"}, 16, "use bound='patterns'"),
        ({"groups": [[f"X{i}" for i in range(16)]]}, 16, "use bound='patterns'"),
        ({"groups": 2}, 8, "use more groups"),
        ({"groups": [[f"X{i}" for i in range(2, 16)], ["X1", "X0"]]}, 14, "use more groups"),
    ],
)
def test_a_bound_that_does_not_fit(options, group, remedy):
    scores = many_modes()
    with pytest.raises(ds.TooLarge) as caught:
        ds.modes(scores, max_memory=memory_for(scores, group) - 1, threads=1, **options)
    assert re.fullmatch(
        rf"the families of 16 variables and the bound for a group of {group} need [\d.]+ [KM]iB; "
        rf"the limit is [\d.]+ [KM]iB \(max_memory\): raise the limit, or {remedy}",
        str(caught.value),
    )


@pytest.mark.parametrize("bound", ["auto", "exact", "patterns", "none"])
def test_families_that_do_not_fit(bound):
    with pytest.raises(ds.TooLarge) as caught:
        ds.modes(many_modes(), bound=bound, max_memory="20 KiB", threads=1)
    assert re.fullmatch(
        r"the families of 16 variables need [\d.]+ [KM]iB; the limit is 20\.0 KiB \(max_memory\): "
        r"raise the limit, or score with a lower max_parents",
        str(caught.value),
    )


def test_the_bound_follows_the_memory():
    """Where all sets would take more than half of the memory, groups are bounded instead."""
    scores = ds.local_scores(dependent_data(18, 60, seed=4), max_parents=2)
    needed = memory_for(scores, 18)
    with warnings.catch_warnings():
        # Groups know less, and the search may fill the memory.
        warnings.simplefilter("ignore", ds.StoppedEarly)
        less, more = (ds.modes(scores, 2, 3, max_memory=size, threads=1) for size in (2 * needed - 1, 2 * needed))
    assert more.provenance.parameters["groups"] == [list(scores.variables)]
    groups = less.provenance.parameters["groups"]
    assert len(groups) == 2
    assert sorted(itertools.chain(*groups)) == sorted(scores.variables)
    assert more.complete
    assert listed(scores, less) == listed(scores, more)[: len(less)]
    assert more.scores[0] == ds.optimal_network(scores).score
    alone = stopped(scores, 1, 3, "time", bound="none", max_seconds=1e-9)
    assert alone.provenance.parameters["groups"] == [[name] for name in scores.variables]


def test_a_search_goes_on_after_its_time():
    families, groups = kernel_families(many_modes(), "size"), [(1 << 16) - 1]
    expected, _ = kernel_list(families, 16, 1, groups, 40)
    search = kernels.ModeSearch(families, 1, True, False, [groups], 1, PLENTY, None)
    parents, order = np.zeros(16, dtype=np.uint64), np.zeros(16, dtype=np.uint8)
    found = []
    for _ in range(4):
        assert search.next(parents, order, 0.0, None) == (NO_TIME, 0)
        found += rest_of(search, 16, 10)
        assert search.bound <= found[-1][0]
    assert found == expected


def test_a_kernel_out_of_room_says_so():
    families, groups = kernel_families(many_modes(), "size"), [(1 << 16) - 1]
    most = (8 << 16) + 500_000
    search = kernels.ModeSearch(families, 1, True, False, [groups], 1, most, None)
    parents, order = np.zeros(16, dtype=np.uint64), np.zeros(16, dtype=np.uint8)
    count = 0
    while (outcome := search.next(parents, order, math.inf, None)[0]) == FOUND:
        count += 1
    assert outcome == NO_ROOM
    assert count > 0
    # The last list to grow has at most doubled.
    assert most < search.bytes < most + 500_000
    assert search.next(parents, order, math.inf, None) == (NO_ROOM, 0)


def test_kernels_check_their_arguments():
    families = kernel_families(ds.local_scores(random_data(3, 10, seed=1)), "mask")
    for groups in ([0b011, 0b110], [0b111, 0]):
        with pytest.raises(ValueError, match="groups must not be empty, nor overlap"):
            kernels.ModeSearch(families, 1, True, False, [groups], 1, PLENTY, None)
    for groups in ([0b011], [0b1111]):
        with pytest.raises(ValueError, match="the groups must cover all variables"):
            kernels.ModeSearch(families, 1, True, False, [groups], 1, PLENTY, None)
    with pytest.raises(ValueError, match="delta is too large"):
        kernels.ModeSearch(families, 9, True, False, [[0b111]], 1, PLENTY, None)
    search = kernels.ModeSearch(families, 1, True, False, [[0b111]], 1, PLENTY, None)
    for places in ((2, 3), (3, 4)):
        with pytest.raises(ValueError, match="parents and order must have n places"):
            search.next(np.zeros(places[0], dtype=np.uint64), np.zeros(places[1], dtype=np.uint8), 1.0, None)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 0}, "k is 0; it must be a whole number, 1 or more"),
        ({"k": 2.5}, "k is 2.5"),
        ({"k": True}, "k is True"),
        ({"k": "ten"}, "k is 'ten'"),
        ({"delta": -1}, "delta is -1; it must be a whole number from 0 to 8"),
        ({"delta": 9}, "delta is 9"),
        ({"delta": 1.0}, "delta is 1.0"),
        ({"delta": None}, "delta is None"),
        ({"distinct": "dags"}, "distinct is 'dags'; it must be one of 'network', 'class'"),
        ({"bound": "tight"}, "bound is 'tight'; it must be one of 'auto', 'exact', 'patterns', 'none'"),
        ({"grouping": "size"}, "grouping is 'size'; it must be one of 'dependence', 'random'"),
        ({"max_seconds": 0}, "max_seconds is 0; it must be a positive number"),
        ({"max_seconds": -1.5}, "max_seconds is -1.5"),
        ({"max_seconds": math.nan}, "max_seconds is nan"),
        ({"max_seconds": "1"}, "max_seconds is '1'"),
        ({"groups": 0}, "groups is 0; it must be a number from 1 to 3, or a list of groups of variables"),
        ({"groups": 4}, "groups is 4; it must be a number from 1 to 3"),
        ({"groups": 1.5}, "groups is 1.5"),
        ({"groups": "X0"}, "groups is 'X0'"),
        ({"groups": ["X0", "X1", "X2"]}, "groups holds 'X0'; each group must be a collection of variables"),
        ({"groups": [["X0", "X1", "X2"], []]}, "groups holds []; each group must be a collection of variables"),
        ({"groups": [["X0", "X1", "X2"], 3]}, "groups holds 3; each group must be a collection of variables"),
        ({"groups": [["X0", "X1"], ["X1", "X2"]]}, "groups names 'X1' twice"),
        ({"groups": [["X0", "X0"], ["X1", "X2"]]}, "groups names 'X0' twice"),
        ({"groups": [["X0"], ["X2"]]}, "groups leaves out 'X1': every variable must be in one of them"),
        ({"groups": []}, "groups leaves out 'X0'"),
        ({"groups": [["X0", "X1"], ["XX2"]]}, "groups names 'XX2', which is not a variable; did you mean 'X2'?"),
        ({"groups": [[0], [1, 2]]}, "groups names 0, which is not a variable"),
        ({"groups": 2, "bound": "exact"}, "groups are for pattern databases, and bound is 'exact': use bound='patt"),
        ({"groups": [["X0", "X1", "X2"]], "bound": "none"}, "groups are for pattern databases, and bound is 'none'"),
        ({"groups": 2, "grouping": "random", "seed": -1}, "seed is -1; it must be a whole number of at least 0"),
        ({"threads": 0}, "threads is 0"),
        ({"max_memory": "much"}, "max_memory is 'much'"),
        ({"progress": "yes"}, "progress is 'yes'"),
    ],
)
def test_wrong_arguments(options, message):
    scores = ds.local_scores(random_data(3, 10, seed=1))
    with pytest.raises(ds.InvalidOption, match=re.escape(message)):
        ds.modes(scores, **options)


def test_data_are_not_scores():
    with pytest.raises(ds.InvalidOption, match="scores is a Dataset; make local scores first"):
        ds.modes(random_data(3, 10, seed=1))


def test_numbers_of_other_kinds_are_numbers(tmp_path):
    scores = ds.local_scores(dependent_data(5, 40, seed=1))
    expected = listed(scores, ds.modes(scores, 2, 1))
    found = ds.modes(scores, np.int64(2), np.int32(1), groups=np.int64(2), max_seconds=np.float64(100))
    assert listed(scores, found) == expected
    found.save(tmp_path / "modes.json")


def test_what_nobody_can_search_in():
    ring = ds.FamilyTable({"a": {("b",): 0.0}, "b": {("c",): 0.0}, "c": {("a",): 0.0}}, complete=True)
    for options in ({}, {"bound": "none"}, {"groups": 2}, {"distinct": "class"}):
        with pytest.raises(ds.InvalidData, match="no network has all families possible: there are no modes"):
            ds.modes(ring, **options)


def test_progress_is_reported():
    heard = []
    found = ds.modes(many_modes(), 30, 1, progress=heard.append)
    assert [task for task, _ in itertools.groupby(p.task for p in heard)] == ["Preparing the bound", "Finding modes"]
    finding = [p for p in heard if p.task == "Finding modes"]
    assert {p.total for p in finding} == {30}
    assert [p.done for p in finding] == sorted(p.done for p in finding)
    assert len(finding) >= len(found) == 30


@pytest.mark.parametrize("task", ["Preparing the bound", "Finding modes"])
def test_a_listener_can_stop_the_search(task):
    def stop(progress):
        if progress.task == task:
            raise Enough

    start = time.perf_counter()
    with pytest.raises(Enough):
        ds.modes(many_modes(), ALL, 0, progress=stop)
    assert time.perf_counter() - start < 2


def test_an_interrupt_stops_the_search():
    scores = many_modes()
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    start = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        ds.modes(scores, ALL, 0, bound="none", merge=False)
    assert time.perf_counter() - start < 5
    timer.join()


def test_kendall():
    """The paper's own example."""
    assert kendall((1, 2, 3), (3, 1, 2)) == 2
