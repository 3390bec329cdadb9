from __future__ import annotations

import math

import numpy as np
import pytest

import dagscape as ds
from dagscape.scores.tables.family_arrays import family_list


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
        ({"a": {(): math.nan}}, "not finite"),
        ({"a": {(): math.inf}}, "not finite"),
        ({"a": {("b",): -1.0}}, "'b', which is not a variable"),
        ({"a": {("a",): -1.0}}, "the child itself"),
        ({"a": {("b", "c"): -1.0, ("c", "b"): -2.0}, "b": {(): 0}, "c": {(): 0}}, "listed twice"),
    ],
)
def test_wrong_tables(families, message):
    with pytest.raises(ds.InvalidData, match=message):
        ds.FamilyTable(families)


def test_wrong_variables():
    with pytest.raises(ds.InvalidData, match="must have the same names"):
        ds.FamilyTable({"a": {(): 0.0}}, variables=["b"])


def test_a_thousand_variables_as_a_list():
    names = [f"v{i}" for i in range(1000)]
    families = {name: {(): -1.0} for name in names}
    families["v3"] |= {("v999", "v64"): -0.5, ("v63",): -0.25}
    first, sets, exact = family_list(ds.FamilyTable(families))
    assert sets.shape == (1002, 16)
    assert first.tolist() == [*range(4), *range(6, 1003)]
    members = [
        {64 * word + bit for word in range(16) for bit in range(64) if int(row[word]) >> bit & 1} for row in sets
    ]
    assert members[3:6] == [set(), {63}, {64, 999}]
    assert not any(members[:3] + members[6:])
    unit = ds.FamilyTable(families).unit
    assert unit.to_floats(exact[3:6]).tolist() == [-1.0, -0.25, -0.5]


def test_additions_and_removals_of_a_list():
    scores = ds.FamilyTable({"a": {(): -3.0, ("b",): -2.0, ("b", "c"): -1.0}, "b": {(): 0.0}, "c": {(): 0.0}})
    assert np.array_equal(scores.additions("a", ["b"]), [np.nan, np.nan, -1.0], equal_nan=True)
    assert np.array_equal(scores.additions("a"), [np.nan, -2.0, -np.inf], equal_nan=True)
    assert scores.removals("a", ["c", "b"]).tolist() == [-2.0, -np.inf]
    assert scores.removals("a", []).tolist() == []


@pytest.mark.parametrize(("name", "problem"), [(1, "is not a string"), ("\ud800", "lone surrogate")])
def test_names_that_no_file_can_hold_are_refused(name, problem):
    with pytest.raises(ds.InvalidData, match=problem):
        ds.FamilyTable({name: {(): -1.0}})
