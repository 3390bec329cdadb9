"""The search of MMPC with arrays of tests against the paper's algorithm, test by test."""

from __future__ import annotations

import numpy as np
import pytest

from dagscape.core.masks import bits
from dagscape.graphs.random_dags import random_dag
from dagscape.search import max_min
from dagscape.search.fisher_z import FisherZ
from dagscape.search.max_min import NOT_TESTED, max_min_neighbours
from oracles import independence as oracle


class Separations:
    """d-separation in a graph, with random strengths; some tests are not made, by the size of their sets."""

    def __init__(self, n, most, seed):
        dag = random_dag(n, max_parents=3, seed=seed)
        self.n, self.most = n, most
        self.parents = [set(bits(mask)) for mask in dag.parent_masks]
        self._rng, self._known = np.random.default_rng(seed), {}

    def association(self, target, candidate, given):
        if len(given) > self.most:
            return None
        key = frozenset((target, candidate)), given
        if key not in self._known:
            separated = oracle.d_separated(self.parents, target, candidate, given)
            self._known[key] = 0.0 if separated else 1 + self._rng.random()
        return self._known[key]

    def associations(self, target, candidates, sets):
        found = [[self.association(target, c, frozenset(s)) for c in candidates.tolist()] for s in sets.tolist()]
        return np.array([[NOT_TESTED if v is None else v for v in row] for row in found]).reshape(len(sets), -1)


@pytest.mark.parametrize("seed", range(12))
def test_neighbours_are_those_of_the_papers_algorithm(seed):
    tests = Separations(7, 7 if seed % 3 else 1, seed)
    rank, largest = np.random.default_rng(seed).permutation(7), 7 if seed % 2 else 2
    expected = oracle.mmpc(7, tests.association, largest, rank.tolist(), symmetric=False)
    least, _ = max_min_neighbours(tests, rank, largest, None)
    both = np.where((least > 0) & (least.T > 0), np.minimum(least, least.T), np.maximum(least, least.T))
    found = [{int(v): row[v] for v in np.flatnonzero(row)} for row in both]
    assert found == expected
    if tests.most == largest == 7:
        adjacent = [{u for u in range(7) if u in tests.parents[v] or v in tests.parents[u]} for v in range(7)]
        assert [set(np.flatnonzero(row).tolist()) for row in np.minimum(least, least.T)] == adjacent


def test_tests_are_counted_as_if_they_were_made_one_at_a_time(monkeypatch):
    """A candidate that a set separates from the target is not tested given the sets after it."""
    rng, asked = np.random.default_rng(1), []
    tests = FisherZ(rng.normal(size=(150, 9)) @ np.triu(rng.normal(size=(9, 9))), 0.05)

    class Counted:
        n = 9

        def associations(self, target, candidates, sets):
            asked.append(len(sets) * len(candidates))
            return tests.associations(target, candidates, sets)

    many = max_min_neighbours(Counted(), np.arange(9), 9, None)
    assert sum(asked) > many[1]
    asked.clear()
    monkeypatch.setattr(max_min, "_FIRST_SETS", 1)
    monkeypatch.setattr(max_min, "_MOST_TESTS", 1)
    least, count = max_min_neighbours(Counted(), np.arange(9), 9, None)
    assert least.tolist() == many[0].tolist()
    assert sum(asked) == count == many[1]


def test_progress_is_reported_and_can_stop_the_search():
    tests, seen = FisherZ(np.random.default_rng(2).normal(size=(30, 4)), 0.05), []
    max_min_neighbours(tests, np.arange(4), 4, lambda done, total: seen.append((done, total)))
    assert seen[-4:] == [(1, 4), (2, 4), (3, 4), (4, 4)]

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        max_min_neighbours(tests, np.arange(4), 4, stop)
