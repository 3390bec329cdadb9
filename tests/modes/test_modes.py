"""Modes against all orderings of few variables."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagscape as ds
from best.samples import SEEDS, SYMMETRIC, table_of, whole_scores
from dagscape.scores.tables.family_arrays import kernel_families
from modes.samples import (
    ALL,
    DROPS,
    LIMITS,
    TIES,
    check_every_way,
    check_list,
    dependent_data,
    kernel_list,
    listed,
    some_deltas,
)
from oracles.best import possible_families
from oracles.modes import (
    best_within,
    fast_modes,
    kendall,
    mode_networks,
    modes_by_windows,
    obvious_modes,
)
from scores.strategies import dataset, tables


@given(n=st.integers(1, 5), spread=TIES, seed=SEEDS, drop=DROPS, max_parents=LIMITS, data=st.data())
@settings(max_examples=30, deadline=None)
def test_a_mode_precedes_all_orderings_about_it(n, spread, seed, drop, max_parents, data):
    """The two ways of comparing all orderings agree."""
    delta = data.draw(some_deltas(n))
    families = possible_families(whole_scores(n, spread, seed, max_parents, drop))
    assert sorted(fast_modes(families, delta)) == obvious_modes(families, delta)


@given(n=st.integers(1, 6), spread=TIES, seed=SEEDS, drop=DROPS, max_parents=LIMITS, data=st.data())
@settings(max_examples=60, deadline=None)
def test_windows_tell_modes(n, spread, seed, drop, max_parents, data):
    """Theorem 1: if every window is the best, so is the ordering, even with ties and impossible families."""
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


@pytest.mark.slow
@given(
    n=st.integers(1, 5), spread=TIES, seed=SEEDS, drop=DROPS, max_parents=LIMITS, k=st.just(ALL) | st.integers(1, 30),
    distinct=st.sampled_from(["network", "class"]), data=st.data(),
)  # fmt: skip
@settings(max_examples=150, deadline=None)
def test_modes_of_any_scores(n, spread, seed, drop, max_parents, k, distinct, data):
    scores = whole_scores(n, spread, seed, max_parents, drop)
    check_every_way(scores, data.draw(some_deltas(n)), k, seed, distinct)


@pytest.mark.slow
@pytest.mark.parametrize("delta", range(7))
@pytest.mark.parametrize(("n", "max_parents", "drop"), [(6, None, 0.0), (6, 2, 0.5), (7, None, 0.4), (7, 3, 0.0)])
def test_modes_of_more_variables(n, max_parents, drop, delta):
    for spread, distinct in ((1, "network"), (3, "class"), (1000, "network")):
        scores = whole_scores(n, spread, seed=n + delta, max_parents=max_parents, drop=drop)
        check_every_way(scores, delta, (5, ALL)[delta % 2], delta, distinct)


@pytest.mark.slow
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


@pytest.mark.slow
@pytest.mark.parametrize("distinct", ["network", "class"])
@pytest.mark.parametrize("name", SYMMETRIC)
def test_symmetric_data_tie(name, distinct):
    scores = ds.local_scores(dataset([2] * 4, SYMMETRIC[name]))
    for delta in range(7):
        check_every_way(scores, delta, ALL, delta, distinct)


@pytest.mark.slow
@pytest.mark.parametrize("rows", [1, 3, 10, 200])
@pytest.mark.parametrize("delta", [0, 1, 2, 3, 6])
def test_modes_of_seven_variables_from_data(rows, delta):
    scores = ds.local_scores(dependent_data(7, rows, seed=rows))
    # There are thousands of orderings, and hundreds of networks.
    check_every_way(scores, delta, ALL if delta else 60, seed=rows)


@pytest.mark.slow
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
    """A table of unknown completeness, in which not every variable can come first."""
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


@pytest.mark.slow
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
    # The best of all orderings is always a mode.
    assert len({(found[0][0], found[0][2]) for found in lists}) == 1


@pytest.mark.slow
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
    # At most as many prefixes are expanded.
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


def test_kendall():
    """The example of the paper."""
    assert kendall((1, 2, 3), (3, 1, 2)) == 2
