from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagscape as ds
from oracles.graphs import all_dags, compare_dags


def measures(found, truth, *names):
    result = ds.compare(found, truth)
    return tuple(result[name] for name in names)


def test_members_of_one_class_do_not_differ():
    rng = random.Random(0)
    for dag in rng.sample(all_dags(5), 60):
        for member in itertools.islice(dag.to_cpdag().members(), 5):
            result = ds.compare(member, dag)
            assert all(result[name] == 0 for name in ("shd", "a_plus", "a_minus", "vs_plus", "vs_minus"))
            assert result["f1_adjacency"] == result["f1_orientation"] == 1.0


def test_hand_worked_cases():
    collider = ds.Dag.from_edges("abc", [("a", "c"), ("b", "c")])
    chain = ds.Dag.from_edges("abc", [("a", "c"), ("c", "b")])
    # The skeletons agree; both edges are directed in one class and undirected in the other.
    assert measures(chain, collider, "shd", "a_plus", "a_minus", "vs_plus", "vs_minus") == (2, 0, 0, 0, 1)
    assert measures(collider, chain, "shd", "vs_plus", "vs_minus") == (2, 1, 0)
    assert measures(chain, collider, "f1_adjacency", "f1_orientation", "recall_orientation") == (1.0, 0.0, 0.0)

    empty = ds.Dag.from_edges("abc")
    assert measures(empty, collider, "shd", "a_plus", "a_minus", "vs_minus") == (2, 0, 2, 1)
    assert measures(empty, collider, "f1_adjacency", "recall_adjacency") == (0.0, 0.0)
    assert measures(empty, empty, "shd", "f1_adjacency", "f1_orientation") == (0, 1.0, 1.0)

    # One edge missing, one extra, and the collider is gone: a - b is new, b -> c stays as b - c.
    other = ds.Dag.from_edges("abc", [("a", "b"), ("b", "c")])
    assert measures(other, collider, "shd", "a_plus", "a_minus", "vs_plus", "vs_minus") == (3, 1, 1, 0, 1)
    assert measures(other, collider, "precision_adjacency", "recall_adjacency", "f1_adjacency") == (0.5, 0.5, 0.5)


def test_a_reversed_compelled_edge_counts_once():
    # Two colliders that share the middle edge b - c with opposite directions.
    first = ds.Dag.from_edges("abcd", [("a", "b"), ("c", "b"), ("c", "d")])
    second = ds.Dag.from_edges("abcd", [("a", "b"), ("b", "c"), ("d", "c")])
    assert first.to_cpdag().directed_edges == (("a", "b"), ("c", "b"))
    assert second.to_cpdag().directed_edges == (("b", "c"), ("d", "c"))
    assert measures(first, second, "shd", "a_plus", "a_minus", "vs_plus", "vs_minus") == (3, 0, 0, 1, 1)


@pytest.mark.slow
def test_distance_is_a_metric_on_classes():
    rng = random.Random(3)
    classes = [dag.to_cpdag() for dag in rng.sample(all_dags(4), 40)]
    for a, b, c in itertools.islice(itertools.permutations(classes, 3), 3000):
        ab, ba, ac, cb = (ds.compare(x, y)["shd"] for x, y in ((a, b), (b, a), (a, c), (c, b)))
        assert ab == ba
        assert ab <= ac + cb
        assert (ab == 0) == (a == b)


def test_variables_in_any_order():
    a = ds.Dag.from_edges("abc", [("a", "b")])
    b = ds.Dag.from_edges("cba", [("b", "a")])
    assert ds.compare(a, b)["shd"] == 0


def test_a_comparison_is_a_mapping_and_a_result(tmp_path):
    result = ds.compare(ds.Dag.from_edges("ab", [("a", "b")]), ds.Dag.from_edges("ab"))
    assert dict(result)["a_plus"] == 1
    assert len(result) == 11
    assert len(result.to_frame()) == 11
    result.save(tmp_path / "c.json")
    assert ds.load_result(tmp_path / "c.json") == result
    with pytest.raises(KeyError):
        result["nothing"]


def test_what_cannot_be_compared():
    a = ds.Dag.from_edges("ab")
    with pytest.raises(ds.InvalidOption, match="only the second has 'c'"):
        ds.compare(a, ds.Dag.from_edges("abc"))
    with pytest.raises(ds.InvalidOption, match="only the first has 'a', 'b', and only the second has 'c', 'd'"):
        ds.compare(a, ds.Dag.from_edges("cd"))
    many = [f"v{i}" for i in range(12)]
    with pytest.raises(ds.InvalidOption, match=r"only the second has 'v0', .*'v7' and 4 more$"):
        ds.compare(ds.Dag.from_edges("a"), ds.Dag.from_edges(["a", *many]))
    for level in ("classes", "dags"):
        with pytest.raises(ds.InvalidOption, match="no structure to compare"):
            ds.compare(a, "ab", level=level)
    with pytest.raises(ds.InvalidOption, match="level is 'class'; it must be one of 'classes', 'dags'"):
        ds.compare(a, a, level="class")


@given(st.integers(1, 5), st.integers(0, 29_280), st.integers(0, 29_280), st.randoms())
@settings(max_examples=200)
def test_dags_as_dags(n, i, j, rng):
    found, truth = (all_dags(n)[number % len(all_dags(n))] for number in (i, j))
    shuffled = found.reordered(rng.sample(found.variables, found.n))
    result = ds.compare(shuffled, truth, level="dags")
    assert dict(result) == compare_dags(found, truth)
    assert result.level == "dags"
    # The distance is the number of moves, and a metric.
    assert (result["shd"] == 0) == (found == truth)
    assert result["shd"] == ds.compare(truth, found, level="dags")["shd"]


def test_rightly_directed_edges_count_although_another_edge_is_wrong():
    truth = ds.Dag.from_edges(
        ["Raf", "Mek", "Plcg", "PIP2", "PIP3", "Erk", "Akt", "PKA", "PKC", "P38", "Jnk"],
        [
            *[("PKC", child) for child in ("Raf", "Mek", "Jnk", "P38", "PKA")],
            *[("PKA", child) for child in ("Raf", "Mek", "Erk", "Akt", "Jnk", "P38")],
            ("Raf", "Mek"), ("Mek", "Erk"), ("Erk", "Akt"), ("Plcg", "PIP3"), ("Plcg", "PIP2"), ("PIP3", "PIP2"),
        ],
    )  # fmt: skip
    assert truth.edge_count == 17
    found = truth.with_edge("Plcg", "Raf")
    result = ds.compare(found, truth, level="dags")
    assert result["recall_orientation"] == result["same_direction"] == 1.0
    assert result["precision_orientation"] == 17 / 18
    assert (result["shd"], result["reversed"], result["a_plus"]) == (1, 0, 1)
    # By classes nothing is compelled in the truth: no direction counts.
    assert ds.compare(found, truth)["f1_orientation"] == 0.0


def test_classes_are_not_dags():
    chain = ds.Dag.from_edges("abc", [("a", "b"), ("b", "c")])
    for pair in ((chain.to_cpdag(), chain), (chain, chain.to_cpdag())):
        with pytest.raises(ds.InvalidOption, match="level is 'dags', but an equivalence class with 2 undirected edges"):
            ds.compare(*pair, level="dags")
    # A class without undirected edges has one member.
    collider = ds.Dag.from_edges("abc", [("a", "b"), ("c", "b")])
    assert ds.compare(collider.to_cpdag(), collider, level="dags")["shd"] == 0
    assert ds.compare(chain, collider.to_cpdag(), level="dags")["reversed"] == 1


def test_a_comparison_of_dags_is_a_result(tmp_path):
    result = ds.compare(ds.load_network("asia"), ds.load_network("asia").dag.without_edge("asia", "tub"), level="dags")
    assert repr(result) == "Comparison(of dags: shd=1, a_plus=1, a_minus=0, reversed=0, vs_plus=0, vs_minus=0)"
    assert len(result) == len(result.to_frame()) == 13
    result.save(tmp_path / "c.json")
    back = ds.load_result(tmp_path / "c.json")
    assert (back, back.level) == (result, "dags")
    classes = ds.compare(ds.load_network("asia"), ds.load_network("asia"))
    assert (classes.level, classes.reversed, "reversed" in classes) == ("classes", None, False)
