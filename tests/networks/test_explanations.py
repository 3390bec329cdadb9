"""The most probable explanation, against the product of all tables at every row."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagscape as ds
from oracles.networks import explanations


def network(dag: ds.Dag, levels: dict[str, tuple[str, ...]], rng: np.random.Generator, *, few: bool) -> ds.Network:
    cpts = {}
    for name in dag.variables:
        shape = (*(len(levels[parent]) for parent in dag.parents(name)), len(levels[name]))
        # Few different probabilities make many ties, and zeros.
        weights = rng.integers(0, 3, shape) if few else rng.random(shape)
        weights[..., 0] += (weights.sum(axis=-1) == 0).astype(weights.dtype)
        cpts[name] = weights / weights.sum(axis=-1, keepdims=True)
    return ds.Network(dag, levels, cpts)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.booleans())
def test_it_is_the_first_of_the_most_probable_rows(seed, n, few):
    rng = np.random.default_rng(seed)
    names = [f"v{i}" for i in range(n)]
    dag = ds.random_dag(names, max_parents=3, seed=rng)
    levels = {name: tuple("abc"[: rng.integers(1, 4)]) for name in names}
    net = network(dag, levels, rng, few=few)
    observed = {name: str(rng.choice(levels[name])) for name in names if rng.random() < 0.3}
    best = explanations(net, observed, denominator=6 if few else 0)
    if not best:
        with pytest.raises(ds.InvalidData, match="has probability 0 in the network"):
            net.most_probable(observed)
        return
    found = tuple(net.most_probable(observed))
    assert found in best
    # Rows with the same probabilities tie exactly; others with the same product may not.
    assert found == next(row for row, factors in best.items() if factors == best[found])


def test_symmetric_ties_go_to_the_earlier_level_of_the_first_variable():
    names = ["c", "a", "b"]
    half = np.full((2, 2), 0.5)
    dag = ds.Dag.from_edges(names, [("c", "a"), ("c", "b")])
    tables = {"c": half[0], "a": np.array([[0.1, 0.9], [0.9, 0.1]]), "b": half}
    net = ds.Network(dag, dict.fromkeys(names, ("x", "y")), tables)
    assert net.most_probable().to_dict() == {"c": "x", "a": "y", "b": "x"}
    assert net.most_probable({"a": "x"}).to_dict() == {"c": "y", "a": "x", "b": "x"}


def test_the_most_probable_values_together_are_not_those_of_each_variable():
    wet = ds.Dag.from_edges(["rain", "wet"], [("rain", "wet")])
    levels = {"rain": ("no", "yes"), "wet": ("no", "yes")}
    net = ds.Network(wet, levels, {"rain": np.array([0.6, 0.4]), "wet": np.array([[0.5, 0.5], [0.1, 0.9]])})
    assert net.query("rain").idxmax() == "no"
    found = net.most_probable()
    assert found.to_dict() == {"rain": "yes", "wet": "yes"}
    assert np.exp(net.log_probability(found)) == pytest.approx(0.36)


def test_levels_have_their_own_type_and_evidence_is_as_in_queries():
    data = ds.Dataset.from_array(np.array([[0, 1], [0, 1], [1, 0]]), ["a", "b"])
    net = ds.Network.fit(ds.Dag.from_edges(["a", "b"], [("a", "b")]), data)
    found = net.most_probable(pd.Series({"a": 0, "other": 3}))
    assert found.to_dict() == {"a": 0, "b": 1}
    with pytest.raises(ds.InvalidOption, match="which is not a variable; did you mean"):
        ds.load_network("asia").most_probable({"smok": "yes"})


def test_long_products_do_not_underflow():
    n = 3000
    names = [f"v{i}" for i in range(n)]
    dag = ds.Dag.from_edges(names, itertools.pairwise(names))
    tables = {name: np.array([[0.4, 0.6], [0.7, 0.3]]) for name in names} | {names[0]: np.array([0.4, 0.6])}
    found = ds.Network(dag, dict.fromkeys(names, ("0", "1")), tables).most_probable()
    # 1, 0, 1, 0 … has the products of 0.6 and 0.7.
    assert found.tolist() == [1, 0] * (n // 2)


def test_large_tables_are_refused():
    net = ds.load_network("asia")
    with pytest.raises(ds.TooLarge, match=r"the tables of exact inference, of up to 8 probabilities, need"):
        net.most_probable(max_memory=10)


def test_the_oracle_knows_the_first_row():
    coin = ds.Network(ds.Dag.from_edges(["x"], []), {"x": ("h", "t")}, {"x": np.array([0.5, 0.5])})
    assert list(explanations(coin, {}, denominator=2)) == [("h",), ("t",)]
    assert Fraction(coin.cpts["x"][0]) == Fraction(1, 2)


@pytest.mark.parametrize("excess", [1e-9, 9e-7, 1e-13])
def test_impossible_evidence_stays_so_where_rows_sum_to_a_little_more_than_1(excess):
    dag = ds.Dag.from_edges(["a", "b"], [("a", "b")])
    tables = {"a": np.array([1 + excess, 0.0]), "b": np.array([[1.0, 0.0], [0.5, 0.5]])}
    network = ds.Network(dag, {"a": ["0", "1"], "b": ["0", "1"]}, tables)
    with pytest.raises(ds.InvalidData):
        network.most_probable({"b": "1"})
