from __future__ import annotations

import math

import pytest

import dagscape as ds


def test_scores_are_rounded_once_and_missing_families_are_impossible():
    scores = ds.FamilyTable({"a": {(): -10.1, ("b",): -8.5}, "b": {(): -7.0}})
    assert scores.family("a") == pytest.approx(-10.1, abs=1e-13)
    assert scores.family("b", ["a"]) == -math.inf
    assert scores.complete is None
    assert scores.max_parents == 1
    assert scores.family_count == 3
    assert scores.nbytes > 0
    assert not scores.score_equivalent


def test_parents_in_any_collection_and_order():
    scores = ds.FamilyTable({"a": {frozenset({"c", "b"}): -1.0, "b": -2.0, (): -3.0}, "b": {(): 0.0}, "c": {(): 0.0}})
    assert scores.family("a", ["c", "b"]) == -1.0
    assert scores.family("a", ["b"]) == -2.0


def test_many_ties_are_exact():
    third = -100 / 3
    scores = ds.FamilyTable({"a": {(): third, ("b",): third}, "b": {(): third, ("a",): third}})
    assert scores.network_exact({"a": ["b"]}) == scores.network_exact({"b": ["a"]})


@pytest.mark.parametrize(
    ("families", "message"),
    [
        ({}, "no variables"),
        ({"a": {}}, "'a' has no possible family"),
        ({"a": {(): -math.inf}}, "'a' has no possible family"),
        ({"a": {(): math.nan}}, "not a number"),
        ({"a": {(): math.inf}}, "not a number"),
        ({"a": {("b",): -1.0}}, "'b', which is not a variable"),
        ({"a": {("a",): -1.0}}, "the child itself"),
        ({"a": {("b", "c"): -1.0, ("c", "b"): -2.0}, "b": {(): 0}, "c": {(): 0}}, "listed twice"),
    ],
)
def test_wrong_tables(families, message):
    with pytest.raises(ds.InvalidData, match=message):
        ds.FamilyTable(families)


def test_wrong_variables():
    with pytest.raises(ds.InvalidData, match="not the same names"):
        ds.FamilyTable({"a": {(): 0.0}}, variables=["b"])
