"""Graphs as arrays of words, compared with sets as Python integers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dagscape as ds
from dagscape.core import masks
from dagscape.graphs.lists import DagList
from dagscape.graphs.words import checked_graphs, distinct, holds, members_of_any, pack, transposed, unpack, word_count


@st.composite
def relations(draw):
    """Some graphs, each with one set per variable."""
    n = draw(st.sampled_from([1, 2, 5, 63, 64, 65, 128, 130]))
    sets = st.one_of(st.just(0), st.integers(0, (1 << n) - 1), st.integers(0, n - 1).map(lambda u: 1 << u))
    return n, draw(st.lists(st.lists(sets, min_size=n, max_size=n), max_size=3))


@pytest.mark.slow
@given(relations())
def test_sets_survive_packing(relation):
    n, graphs = relation
    packed = pack(graphs, n)
    assert packed.shape == (len(graphs), n, word_count(n))
    assert packed.dtype == np.uint64
    assert [list(unpack(graph)) for graph in packed] == graphs


@pytest.mark.slow
@given(relations())
def test_questions_about_words_are_those_about_sets(relation):
    n, graphs = relation
    packed = pack(graphs, n)
    assert [list(unpack(graph)) for graph in transposed(packed)] == [masks.transposed(graph) for graph in graphs]
    for u in {0, n // 2, n - 1}:
        assert holds(packed, u).tolist() == [[bool(mask >> u & 1) for mask in graph] for graph in graphs]
    for graph, rows in zip(graphs, packed, strict=True):
        assert members_of_any(rows) == sorted({u for mask in graph for u in masks.bits(mask)})
        found, places = distinct(rows)
        assert len(set(found)) == len(found)
        assert [found[place] for place in places] == graph


@pytest.mark.parametrize("n", [3, 64, 65, 1000])
def test_sets_that_cannot_be_parents(n):
    graphs = pack([[0] * n, [0] * n], n)
    assert checked_graphs(graphs) is not None
    graphs[1, n - 1, (n - 1) // 64] = 1 << (n - 1) % 64
    with pytest.raises(ds.InvalidData, match="the variable itself"):
        checked_graphs(graphs)
    graphs[1, n - 1] = 0
    if n % 64:
        graphs[0, 0, -1] = 1 << n % 64
        with pytest.raises(ds.InvalidData, match="one that does not exist"):
            checked_graphs(graphs)


@pytest.mark.parametrize("shape", [(3,), (2, 65), (2, 65, 1), (2, 64, 2), (2, 0), (2, 0, 0), (2, 3, 1, 1)])
def test_wrong_shapes(shape):
    with pytest.raises(ds.InvalidData, match="words with a word for every 64 variables"):
        checked_graphs(np.zeros(shape, dtype=np.uint64))


def test_up_to_64_variables_may_leave_the_words_out():
    dags = [ds.random_dag(64, 2, seed=seed) for seed in range(4)]
    flat = np.array([dag.parent_masks for dag in dags], dtype=np.uint64)
    assert DagList(dags[0].variables, flat) == DagList.from_dags(dags)
    assert checked_graphs(flat).shape == (4, 64, 1)


def test_lists_are_of_dags_on_the_same_variables():
    for dags in ([], [ds.random_dag(3), ds.random_dag(4)], [ds.Dag.from_edges("ab"), ds.Dag.from_edges("ba")]):
        with pytest.raises(ds.InvalidData, match="all on the same variables"):
            DagList.from_dags(dags)


def test_lists_of_large_dags():
    dags = [ds.random_dag(100, 2, seed=seed) for seed in range(5)]
    listed = DagList.from_dags(dags)
    assert list(listed[1:4]) == dags[1:4]
    assert DagList.from_edges(listed.variables, listed.to_edges()) == listed
    assert listed.edge_counts().tolist() == [dag.edge_count for dag in dags]
    assert DagList.from_edges(listed.variables, []).parents.shape == (0, 100, 2)
    with pytest.raises(ValueError, match="read-only"):
        listed.parents[0, 0, 0] = 1
