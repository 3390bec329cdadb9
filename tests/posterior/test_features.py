from __future__ import annotations

import math

import numpy as np
import pytest

import dagscape as ds
from dagscape.posterior.contract import Sum
from dagscape.posterior.features import _share
from oracles.posterior import orders_of, possible_dags


@pytest.fixture(scope="module")
def scores():
    return ds.local_scores(ds.Dataset.from_array(np.random.default_rng(1).integers(0, 2, (25, 4)), list("abcd")))


def by_counting(scores, over, holds):
    weights = [
        (math.exp(log_weight) * (orders_of(parents) if over == "orders" else 1), holds(dag))
        for dag, log_weight, parents in possible_dags(scores)
    ]
    return math.fsum(w for w, held in weights if held) / math.fsum(w for w, _ in weights)


@pytest.mark.slow
@pytest.mark.parametrize("over", ["dags", "orders"])
@pytest.mark.parametrize(
    ("feature", "holds"),
    [
        ({"required": [("a", "b")]}, lambda dag: dag.has_edge("a", "b")),
        ({"forbidden": [("a", "b"), ("b", "a")]}, lambda dag: not (dag.has_edge("a", "b") or dag.has_edge("b", "a"))),
        (
            {"required": [("a", "b"), ("c", "d")], "forbidden": [("a", "d")]},
            lambda dag: dag.has_edge("a", "b") and dag.has_edge("c", "d") and not dag.has_edge("a", "d"),
        ),
        ({"parents": {"d": []}}, lambda dag: not dag.parents("d")),
        (
            {"parents": {"d": ["b", "a"], "c": ["d"]}},
            lambda dag: dag.parents("d") == ("a", "b") and dag.parents("c") == ("d",),
        ),
        ({}, lambda dag: True),
    ],
)
def test_agrees_with_counting(scores, over, feature, holds):
    found = ds.feature_probability(scores, over=over, **feature)
    assert found == pytest.approx(by_counting(scores, over, holds), abs=1e-10)


def test_impossible_features_have_probability_zero(scores):
    assert ds.feature_probability(scores, required=[("a", "b"), ("b", "a")]) == pytest.approx(0.0, abs=1e-12)
    assert ds.feature_probability(scores, required=[("a", "b")], forbidden=[("a", "b")]) == 0.0
    assert ds.feature_probability(scores, parents={"a": ["b"]}, required=[("c", "a")]) == 0.0


@pytest.mark.parametrize(
    ("feature", "message"),
    [
        ({"required": [("a", "x")]}, "required names 'x'"),
        ({"forbidden": ["ab"]}, "an edge must be a pair"),
        ({"parents": {"a": "b"}}, "must be a collection"),
        ({"parents": {"z": []}}, "parents names 'z'"),
        ({"over": "trees"}, "over is 'trees'"),
    ],
)
def test_wrong_features(scores, feature, message):
    with pytest.raises(ds.InvalidOption, match=message):
        ds.feature_probability(scores, **feature)


def test_no_possible_structure():
    table = ds.FamilyTable({"a": {("b",): 0.0}, "b": {("a",): 0.0}}, complete=True)
    for over in ("dags", "orders"):
        with pytest.raises(ds.InvalidData, match="nothing to sum"):
            ds.feature_probability(table, required=[("a", "b")], over=over)


@pytest.mark.parametrize("far", [0.0, -1e6, -1e8, -5e9])
def test_the_distance_of_scores_from_zero_does_not_matter(far):
    near = {"a": {(): 0.0, ("b",): -0.25}, "b": {(): -0.5, ("a",): -0.75}}
    table = ds.FamilyTable({v: {p: s + far for p, s in listed.items()} for v, listed in near.items()})
    same = ds.FamilyTable(near)
    for over in ("dags", "orders"):
        found, expected = ds.posterior(table, over), ds.posterior(same, over)
        assert np.abs(found.edges - expected.edges).max() <= expected.error
        assert found.log_total == pytest.approx(expected.log_total + 2 * far, rel=1e-15)
        edge = ds.feature_probability(table, required=[("a", "b")], over=over)
        assert edge == pytest.approx(expected.edge("a", "b"), abs=1e-14)


def test_scores_that_span_too_much_are_refused():
    table = ds.FamilyTable({"a": {(): -3e9, ("b",): 0.0}, "b": {(): 0.0}}, complete=True)
    with pytest.raises(ds.InvalidData, match="write -inf"):
        ds.posterior(table)


@pytest.mark.parametrize("rounding", [1e-12, 0.1, 1.0, 2.0, 5.0, 400.0])
@pytest.mark.parametrize("exponent", [-1, -6, -40])
def test_the_error_covers_any_rounding_of_the_scores(rounding, exponent):
    """The odds of a feature can be wrong by a factor of exp(2 · rounding)."""
    part, everything = (Sum(1.0, float(e), np.zeros((2, 2)), None, None, 0.0) for e in (exponent, 0))
    share = 2.0**exponent
    log_odds = math.log(share / (1 - share)) + 2 * rounding
    moved = 1 / (1 + math.exp(-log_odds)) - share
    found = _share(part, everything, rounding)
    assert found == share
    assert moved <= found.error * (1 + 1e-12) + 1e-15
