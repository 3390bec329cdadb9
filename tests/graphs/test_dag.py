from __future__ import annotations

import itertools
import pickle
import random
import sys

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagscape as ds
from oracles.graphs import all_dags, d_separated, descendants, parent_sets


@pytest.mark.parametrize(("n", "count"), [(1, 1), (2, 3), (3, 25), (4, 543), (5, 29281)])
def test_number_of_dags(n, count):
    assert len(set(all_dags(n))) == count


def test_relations_agree_with_the_definitions():
    for dag in all_dags(4):
        parents = parent_sets(dag)
        for v, name in enumerate(dag.variables):
            below = descendants(parents, v) - {v}
            assert {dag.number(x) for x in dag.descendants(name)} == below
            assert {dag.number(x) for x in dag.ancestors(name)} == {
                u for u in range(4) if u != v and v in descendants(parents, u)
            }
            children = {c for c in range(4) if v in parents[c]}
            assert {dag.number(x) for x in dag.children(name)} == children
            blanket = parents[v] | children | {p for c in children for p in parents[c]}
            assert {dag.number(x) for x in dag.markov_blanket(name)} == blanket - {v}
        order = dag.order_numbers()
        assert sorted(order) == [0, 1, 2, 3]
        assert all(order.index(p) < order.index(c) for c in range(4) for p in parents[c])


def test_the_topological_order_is_the_first_of_all():
    for dag in all_dags(4)[::7]:
        parents = parent_sets(dag)
        orders = [
            order
            for order in itertools.permutations(range(4))
            if all(order.index(p) < order.index(c) for c in range(4) for p in parents[c])
        ]
        assert dag.order_numbers() == min(orders)


@pytest.mark.slow
def test_d_separation_agrees_with_all_paths():
    for dag in [*all_dags(4), *random.Random(0).sample(all_dags(5), 300)]:
        for x, y in itertools.combinations(range(dag.n), 2):
            others = [v for v in range(dag.n) if v not in (x, y)]
            for size in range(len(others) + 1):
                for known in itertools.combinations(others, size):
                    names = dag.variables
                    found = dag.d_separated(names[x], names[y], [names[v] for v in known])
                    assert found == d_separated(dag, x, y, set(known))


def test_d_separation_of_sets():
    dag = ds.Dag.from_edges("abcde", [("a", "c"), ("b", "c"), ("c", "d"), ("d", "e")])
    assert dag.d_separated(["a", "b"], ["e"], ["c"])
    assert not dag.d_separated(["a", "b"], ["e"])
    assert not dag.d_separated("a", "b", ["e"])
    with pytest.raises(ds.InvalidOption, match="must not overlap"):
        dag.d_separated("a", "b", ["a"])


def test_conversions_round_trip():
    for dag in all_dags(4)[::5]:
        assert ds.Dag.from_adjacency(dag.to_adjacency(), dag.variables) == dag
        assert ds.Dag.from_networkx(dag.to_networkx()) == dag
        assert ds.Dag.from_edges(dag.variables, dag.edges) == dag
        assert ds.Dag.from_parents({v: dag.parents(v) for v in dag.variables}) == dag
        assert hash(ds.Dag(dag.variables, dag.parent_masks)) == hash(dag)


@pytest.mark.parametrize("graph", [ds.Dag.from_edges("ab", []), ds.Dag.from_edges("ab", []).to_cpdag()])
def test_networkx_graphs_need_the_extra(graph, monkeypatch):
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(ds.BackendUnavailable, match=r"needs networkx, .*pip install networkx; to_adjacency\(\) and"):
        graph.to_networkx()


def test_editing_makes_new_graphs():
    dag = ds.Dag.from_edges("abc", [("a", "b")])
    assert dag.with_edge("b", "c").edges == (("a", "b"), ("b", "c"))
    assert dag.without_edge("a", "b").edge_count == 0
    assert dag.with_parents("c", ["a", "b"]).parents("c") == ("a", "b")
    assert dag.edge_count == 1
    assert dag.has_edge("a", "b")
    assert not dag.has_edge("b", "a")
    assert dag.reordered("cba").edges == dag.edges
    assert dag.subgraph(["b", "c"]).variables == ("b", "c")
    with pytest.raises(ds.InvalidOption, match="must have every variable of the graph once"):
        dag.reordered("ab")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ds.Dag.from_edges("abc", [("a", "b"), ("b", "c"), ("c", "a")]), "directed cycle: "),
        (lambda: ds.Dag.from_edges("ab", [("a", "a")]), "parent of itself"),
        (lambda: ds.Dag.from_edges("ab", [("a", "x")]), "names 'x', which is not a variable"),
        (lambda: ds.Dag.from_edges(["a", "a"], []), "two variables are called 'a'"),
        (lambda: ds.Dag.from_edges([1, 2], []), "is not a string"),
        (lambda: ds.Dag(("a",), (0, 0)), "2 sets of parents"),
        (lambda: ds.Dag(["a", "b"], [("a", "b"), ("b", "a")]), "directed cycle: "),
        (lambda: ds.Dag(["a", "b"], [("a", "a")]), "parent of itself"),
        (lambda: ds.Dag(["a", "b"], [("a", "x")]), "names 'x', which is not a variable"),
        (lambda: ds.Dag(["a", "b"], ["ab"]), r"'ab' is not an edge: an edge is a pair \(parent, child\)"),
        (lambda: ds.Dag(["a", "b"], [("a", "b"), 1]), "1 is not an edge"),
        (lambda: ds.Dag(["a", "b"], 1), r"1 are not edges: give a list of pairs \(parent, child\)"),
        (lambda: ds.Dag(("a",), (2,)), "not a set of the variables"),
        (lambda: ds.Dag(("a",), (-1,)), "not a set"),
        (lambda: ds.Dag.from_adjacency([[0, 1]]), "square"),
        (lambda: ds.Dag.from_adjacency([[0]], ["a", "b"]), "has 1 row, but the names are 2"),
        (lambda: ds.Dag.from_networkx(nx.path_graph(2)), "not directed"),
    ],
)
def test_wrong_graphs(make, message):
    with pytest.raises(ds.InvalidData, match=message):
        make()


def test_a_graph_takes_edges_or_sets_of_parents():
    edges = [("a", "c"), ("b", "c")]
    expected = ds.Dag.from_edges("abc", edges)
    assert ds.Dag(["a", "b", "c"], edges) == ds.Dag(("a", "b", "c"), iter(edges)) == expected
    assert ds.Dag("abc", [0, 0, 3]) == ds.Dag("abc", np.array([0, 0, 3])) == expected
    assert ds.Dag("abc", parent_masks=(0, 0, 3)).parent_masks == (0, 0, 3)
    assert ds.Dag("abc") == ds.Dag("abc", []) == ds.Dag.from_edges("abc")
    assert ds.Dag((), ()).n == 0
    assert pickle.loads(pickle.dumps(expected)) == expected


def test_a_cycle_is_shown():
    with pytest.raises(ds.InvalidData, match=r"cycle: (a -> b -> c -> a|b -> c -> a -> b|c -> a -> b -> c)$"):
        ds.Dag.from_edges("dabce", [("d", "a"), ("a", "b"), ("b", "c"), ("c", "a"), ("c", "e")])


def test_unknown_names():
    with pytest.raises(ds.InvalidOption, match="'z' is not a variable"):
        ds.Dag.from_edges("ab").parents("z")
    near = "'smok', which is not a variable; did you mean 'smoke'"
    with pytest.raises(ds.InvalidData, match=near):
        ds.Dag.from_edges(["smoke", "lung"], [("smok", "lung")])
    with pytest.raises(ds.InvalidData, match=near):
        ds.Cpdag.from_edges(["smoke", "lung"], [], [("smok", "lung")])


@given(n=st.integers(1, 12), seed=st.integers(0, 10**9))
@settings(max_examples=60, deadline=None)
def test_random_dags(n, seed):
    dag = ds.random_dag(n, min(1.5, (n - 1) / 2), max_parents=2, seed=seed)
    assert dag == ds.random_dag(n, min(1.5, (n - 1) / 2), max_parents=2, seed=np.random.default_rng(seed))
    assert max(mask.bit_count() for mask in dag.parent_masks) <= 2
    assert ds.uniform_dag(n, seed=seed) == ds.uniform_dag(n, seed=seed)


def test_expected_number_of_parents():
    rng = np.random.default_rng(1)
    edges = [ds.random_dag(20, 2.0, seed=rng).edge_count for _ in range(300)]
    assert np.mean(edges) == pytest.approx(40, abs=1.5)


@pytest.mark.slow
def test_uniform_dags_are_uniform():
    rng = np.random.default_rng(5)
    draws = 20_000
    counts = dict.fromkeys(all_dags(3), 0)
    for _ in range(draws):
        counts[ds.uniform_dag(["v0", "v1", "v2"], seed=rng)] += 1
    expected = draws / 25
    chi_square = sum((count - expected) ** 2 / expected for count in counts.values())
    # 24 degrees of freedom: mean 24, standard deviation 6.9.
    assert chi_square < 24 + 5 * 6.9


def test_wrong_random_graphs():
    with pytest.raises(ds.InvalidOption, match="expected_parents is 3"):
        ds.random_dag(3, 3)
    with pytest.raises(ds.InvalidOption, match="max_parents is -1"):
        ds.random_dag(3, 1, max_parents=-1)
    with pytest.raises(ds.InvalidOption, match="at least one variable"):
        ds.uniform_dag(0)


def test_data_frames_name_the_variables():
    frame = pd.DataFrame([[0, 1], [0, 0]], index=["x", "y"], columns=["x", "y"])
    assert ds.Dag.from_adjacency(frame).edges == (("x", "y"),)
    assert ds.Dag.from_adjacency(frame[["y", "x"]]).edges == (("x", "y"),)
    with pytest.raises(ds.InvalidData, match="same labels"):
        ds.Dag.from_adjacency(frame.rename(columns={"x": "z"}))


@pytest.mark.parametrize("cells", [[[0, float("nan")], [0, 0]], [["0", "1"], ["0", "0"]], [[None, 1], [0, 0]]])
def test_adjacency_matrices_hold_numbers(cells):
    with pytest.raises(ds.InvalidData, match="must hold numbers or Booleans"):
        ds.Dag.from_adjacency(cells)


def test_a_string_is_not_a_collection_of_names():
    dag = ds.Dag.from_edges(["a", "b", "ab"])
    with pytest.raises(ds.InvalidOption, match="collection of names"):
        dag.with_parents("a", "ab")
    with pytest.raises(ds.InvalidOption, match="the parents of 'b'"):
        ds.Dag.from_parents({"a": [], "b": "a"})
    with pytest.raises(ds.InvalidData, match="an edge is a pair"):
        ds.Dag.from_edges("ab", [("a", "b", 0.5)])


def test_an_edge_that_is_not_there_cannot_be_left_out():
    with pytest.raises(ds.InvalidOption, match="no edge 'b' -> 'a'"):
        ds.Dag.from_edges("ab", [("a", "b")]).without_edge("b", "a")


def test_scores_take_graphs_and_networks():
    asia = ds.load_network("asia")
    scores = ds.local_scores(asia.sample(200, seed=1), max_parents=2)
    assert scores.network(asia) == scores.network(asia.dag) == scores.network(asia.dag.to_parents())
    assert len({scores.network_exact(member) for member in asia.dag.to_cpdag().members()}) == 1
    with pytest.raises(ds.InvalidOption, match="has no score"):
        scores.network(asia.dag.to_cpdag())


def test_structures_of_other_kinds_are_refused():
    asia = ds.load_network("asia")
    rows = asia.sample(50, seed=1)
    assert ds.Network.fit(asia, rows).dag == asia.dag
    assert ds.equivalent(asia, asia.dag)
    with pytest.raises(ds.InvalidOption, match="to_dag"):
        ds.Network.fit(asia.dag.to_cpdag(), rows)
    with pytest.raises(ds.InvalidOption, match=r"data is a list; it must be a Dataset: use read_data\(\)"):
        ds.Network.fit(asia.dag, rows.codes.tolist())
    with pytest.raises(ds.InvalidOption, match="is not a DAG"):
        ds.equivalent(asia.dag, asia.dag.to_cpdag())
