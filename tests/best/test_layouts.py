"""The same lists from every layout of the families, every number of threads and both builds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagscape as ds
from best.samples import (
    SEEDS,
    SPACES,
    SPREADS,
    kernel_list,
    random_data,
    whole_scores,
)
from builds import assert_same_bits
from dagscape.core import kernels
from dagscape.scores.search_planning import SearchSize
from dagscape.scores.tables.family_arrays import (
    families_by_size,
    kernel_families,
)
from oracles.best import pattern, possible_families, scores_of_sets


def layouts_of(scores):
    """The families in every layout of the kernels."""
    names = ["mask", "list", "size"] if scores.n >= 10 else ["mask", "list"]
    return {name: kernel_families(scores, name) for name in names}


@pytest.mark.slow
@pytest.mark.parametrize("classes", [False, True])
@pytest.mark.parametrize(("n", "max_parents"), [(8, 7), (10, 2), (10, 0), (11, 3), (13, 1), (15, 3), (10, 9)])
def test_lists_from_all_layouts_are_the_same(n, max_parents, classes):
    scores = ds.local_scores(random_data(n, 25, seed=n), max_parents=max_parents)
    by_mask, *others = (kernel_list(families, n, classes, 400) for families in layouts_of(scores).values())
    assert all(other == by_mask for other in others)
    assert len(by_mask[1]) == (1 if max_parents == 0 else 400)


@pytest.mark.parametrize("spread", [0, 2])
@pytest.mark.parametrize("max_parents", [2, 3])
def test_all_layouts_with_impossible_families_and_ties(spread, max_parents):
    scores = whole_scores(11, spread, seed=7, max_parents=max_parents, drop=0.6)
    by_mask, *others = (kernel_list(families, 11, False, 500) for families in layouts_of(scores).values())
    assert all(other == by_mask for other in others)
    assert len(by_mask[1]) == 500
    for parents, exact in zip(*by_mask[:2], strict=True):
        assert scores.network_exact(ds.Dag(scores.variables, tuple(parents))) == exact


def test_the_layout_follows_the_number_of_families():
    def of_all(n, max_parents):
        return SearchSize.complete(n, max_parents).layout

    assert of_all(12, 3) == "size"
    assert of_all(9, 3) == "mask"
    assert of_all(12, 11) == "mask"
    # With many parents, the layout that takes less memory.
    assert of_all(26, 8) == "size"
    assert SearchSize(26, 8, 5000).layout == "list"


def kernel_scores(families, n, *, forwards, threads=1):
    out = np.empty(1 << n, dtype=np.int64)
    kernels.best_scores(families, forwards, out, threads, None)
    return [None if value == -(1 << 62) else value for value in out.tolist()]


@pytest.mark.parametrize("forwards", [True, False])
@given(n=st.integers(1, 7), spread=SPREADS, seed=SEEDS, drop=st.sampled_from([0.0, 0.5, 0.9]))
@settings(max_examples=25, deadline=None)
def test_scores_of_all_sets(forwards, n, spread, seed, drop):
    scores = whole_scores(n, spread, seed, drop=drop)
    expected = scores_of_sets(possible_families(scores), forwards=forwards)
    for families in layouts_of(scores).values():
        assert kernel_scores(families, n, forwards=forwards) == expected


@pytest.mark.slow
@pytest.mark.parametrize("forwards", [True, False])
@pytest.mark.parametrize(("n", "max_parents", "drop"), [(8, 7, 0.3), (10, 2, 0.5), (11, 3, 0.0), (12, 1, 0.4)])
def test_scores_of_all_sets_in_all_layouts(n, max_parents, drop, forwards):
    scores = whole_scores(n, 10**6, seed=n, max_parents=max_parents, drop=drop)
    expected = scores_of_sets(possible_families(scores), forwards=forwards)
    for families in layouts_of(scores).values():
        for threads in (1, 3):
            assert kernel_scores(families, n, forwards=forwards, threads=threads) == expected


@pytest.mark.parametrize("layout", ["mask", "size", "list"])
def test_the_two_directions_meet_at_the_same_optimum(layout):
    scores = ds.local_scores(random_data(15, 60, seed=1), max_parents=3)
    families = kernel_families(scores, layout)
    forth, back = (np.empty(1 << 15, dtype=np.int64) for _ in range(2))
    kernels.best_scores(families, True, forth, 2, None)
    kernels.best_scores(families, False, back, 2, None)
    optimum = forth[-1]
    assert back[0] == optimum
    # Every set leaves the optimum or less, and those along a best order exactly that.
    assert (forth + back).max() == optimum
    assert (forth + back == optimum).sum() >= 16
    best_families = families_by_size(scores).max(axis=1).sum()
    assert optimum + best_families == scores.network_exact(ds.optimal_network(scores).network)


@pytest.mark.slow
@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("max_parents", [None, 3])
def test_threads_do_not_matter(space, max_parents):
    scores = ds.local_scores(random_data(12, 50, seed=9), max_parents=max_parents)
    first, *others = (ds.k_best(scores, 500, space, threads=threads) for threads in (1, 2, 3))
    for other in others:
        assert other.networks == first.networks
        assert other.scores.tolist() == first.scores.tolist()
        assert other.stored == first.stored
        assert np.array_equal(other.edges, first.edges)


@pytest.mark.slow
def test_both_builds_give_the_same_lists():
    assert_same_bits(
        "data = ds.Dataset.from_array(np.random.default_rng(3).integers(0, 3, (60, 12)))\n"
        "scores = [ds.local_scores(data, max_parents=p) for p in (3, None)]\n"
        "lists = [ds.k_best(found, 300, space) for found in scores for space in ('dags', 'classes')]\n"
        "parts = [a.tobytes() for b in lists for a in (b.networks.parents, b.scores, b.edges, b.ancestors)]\n"
        "lists = [ds.modes(found, 30, delta) for found in scores for delta in (0, 3)]\n"
        "parts += [a.tobytes() for b in lists for a in (b.networks.parents, b.scores)]\n"
    )


@pytest.mark.slow
def test_no_two_entries_are_equivalent():
    scores = ds.local_scores(ds.load_dataset("tic-tac-toe"))
    best = ds.k_best(scores, 2000)
    assert len({pattern(network.parent_masks) for network in best.networks}) == len(set(best.cpdags)) == 2000
    dags = ds.k_best(scores, 2000, "dags")
    assert len({network.parent_masks for network in dags.networks}) == 2000
    # The DAGs of the classes, one class after the other, are the list of DAGs up to the order of ties.
    scores_of_dags = np.repeat(best.scores, best.class_sizes)
    assert dags.scores.tolist() == scores_of_dags[:2000].tolist()
    for network, score in zip(dags.networks, dags.scores, strict=True):
        assert scores.network(network) == score
