"""All settings of the search for modes against each other, for more variables."""

from __future__ import annotations

import pytest

import dagscape as ds
from best.samples import whole_scores
from dagscape.scores.search_planning import SearchSize
from modes.samples import (
    dependent_data,
    kernel_list,
    layouts_of,
    listed,
)
from oracles.best import pattern, possible_families
from oracles.modes import (
    best_within,
    is_mode_by_windows,
    network_of,
    worth,
)


def check_each(scores, found, delta, distinct):
    """Check what does not need all orderings: each entry is a mode, and they are sorted and distinct."""
    best = best_within(possible_families(scores))
    rows = listed(scores, found)
    for score, network, order in rows:
        assert is_mode_by_windows(best, order, delta)
        assert worth(best, order) == score
        assert network_of(best, order) == network
    assert rows == sorted(rows, key=lambda row: (-row[0], row[2]))
    keys = [network if distinct == "network" else pattern(network) for _, network, _ in rows]
    assert len(set(keys)) == len(keys)


@pytest.mark.slow
@pytest.mark.parametrize("distinct", ["network", "class"])
@pytest.mark.parametrize("delta", [0, 1, 3, 5])
@pytest.mark.parametrize(("n", "max_parents"), [(10, 2), (11, 3), (12, 2)])
def test_all_bounds_give_the_same_modes(n, max_parents, delta, distinct):
    """Scores that are processed in tiles, as those of groups of at least ten variables."""
    scores = ds.local_scores(dependent_data(n, 60, seed=n), max_parents=max_parents)
    assert SearchSize.like(scores).layout == "size"
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
        # A looser bound keeps more prefixes open.
        assert other.bound >= exact.bound
        assert other.expanded >= exact.expanded


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "spread", "max_parents", "drop"), [(12, 3, 3, 0.9), (12, 1000, 5, 0.85), (11, 1000, 10, 0.8)]
)
def test_all_layouts_give_the_same_modes(n, spread, max_parents, drop):
    scores = whole_scores(n, spread, seed=3, max_parents=max_parents, drop=drop)
    assert SearchSize.like(scores).layout == "list"
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
    """A ring of fifty edges, of which one must be absent: each choice is a mode; the smallest ordering starts there."""
    n = 50
    names = [f"v{i}" for i in range(n)]
    families = {names[i]: {(): -2.0, (names[i - 1],): -1.0} for i in range(n)}
    found = ds.modes(ds.FamilyTable(families, complete=True), 5, 2, groups=5, max_memory="500MiB")
    assert found.scores.tolist() == [-51.0] * 5
    assert found.classes == 5
    for network, order in zip(found.networks, found.orders, strict=True):
        assert network.edge_count == n - 1
        assert not network.parents(order[0])
