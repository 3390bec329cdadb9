"""Ancestors and Markov blankets of many graphs, compared with those of one graph at a time."""

from __future__ import annotations

import numpy as np
import pytest

import dagscape as ds
from dagscape.graphs.lists import DagList
from dagscape.graphs.relations import ancestor_sets, blanket_sets
from dagscape.graphs.words import transposed, unpack
from oracles.graphs import all_dags


@pytest.mark.parametrize("n", [1, 3, 4, 63, 64, 65, 130])
def test_relations_are_those_of_each_graph(n):
    dags = list(all_dags(n))[:200] if n < 5 else [ds.random_dag(n, 1.5, seed=seed) for seed in range(12)]
    parents = DagList.from_dags(dags).parents
    ancestors, blankets, children = ancestor_sets(parents), blanket_sets(parents), transposed(parents)
    for at, dag in enumerate(dags):
        assert unpack(ancestors[at]) == dag.ancestor_masks()
        number = {name: place for place, name in enumerate(dag.variables)}
        assert unpack(blankets[at]) == tuple(
            sum(1 << number[other] for other in dag.markov_blanket(name)) for name in dag.variables
        )
        assert unpack(children[at]) == tuple(
            sum(1 << number[other] for other in dag.children(name)) for name in dag.variables
        )


def test_cycles_and_no_graphs():
    cycle = np.array([[[2], [1]]], dtype=np.uint64)
    with pytest.raises(ValueError, match="directed cycle"):
        ancestor_sets(cycle)
    assert ancestor_sets(cycle[:0]).shape == (0, 2, 1)
    assert blanket_sets(cycle[:0]).shape == (0, 2, 1)


def test_different_dags_of_a_list():
    dags = [ds.random_dag(70, seed=seed) for seed in (1, 2, 1, 3, 2, 1)]
    first, places = DagList.from_dags(dags).distinct()
    assert first.tolist() == [0, 1, 3]
    assert places.tolist() == [0, 1, 0, 2, 1, 0]
