from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import dagscape as ds

NAMES = ["a", "b", "c", "d"]


@pytest.fixture(scope="module")
def data():
    return ds.Dataset.from_array(np.random.default_rng(1).integers(0, 2, (40, 4)), NAMES)


def families():
    for child in NAMES:
        others = [v for v in NAMES if v != child]
        for size in range(4):
            for parents in itertools.combinations(others, size):
                yield child, set(parents)


@pytest.mark.parametrize(
    ("constraints", "allows"),
    [
        ({"required": [("a", "b")]}, lambda child, parents: child != "b" or "a" in parents),
        (
            {"forbidden": [("a", "b"), ("c", "b")]},
            lambda child, parents: child != "b" or not parents & {"a", "c"},
        ),
        (
            {"tiers": [["a"], ["b", "c"]]},
            lambda child, parents: not (child == "a" and parents & {"b", "c"}),
        ),
        (
            {"required": [("a", "b")], "forbidden": [("d", "b")], "tiers": [["a", "b"], ["c", "d"]]},
            lambda child, parents: not (child in "ab" and parents & {"c", "d"}) and (child != "b" or "a" in parents),
        ),
    ],
)
def test_constraints_make_exactly_the_excluded_families_impossible(data, constraints, allows):
    free = ds.local_scores(data)
    scores = ds.local_scores(data, **constraints)
    assert not scores.score_equivalent
    assert free.score_equivalent
    for child, parents in families():
        expected = free.family(child, parents) if allows(child, parents) else -math.inf
        assert scores.family(child, parents) == expected


@pytest.mark.parametrize(
    ("constraints", "message"),
    [
        ({"required": [("a", "x")]}, "required names 'x', which is not a variable"),
        ({"forbidden": [("x", "a")]}, "forbidden names 'x'"),
        ({"required": ["ab"]}, "an edge must be a pair"),
        ({"forbidden": "a->b"}, "forbidden is 'a->b'; it must be a list of edges, each a pair"),
        ({"required": 3}, "required is 3; it must be a list of edges, each a pair"),
        ({"required": [("a", "b", "c")]}, "an edge must be a pair"),
        ({"required": [("a", "a")]}, "to itself"),
        ({"required": [("a", "b")], "forbidden": [("a", "b")]}, "'a' -> 'b' is both required and forbidden"),
        ({"required": [("b", "a")], "tiers": [["a"], ["b"]]}, "both required and forbidden"),
        ({"required": [("a", "b"), ("b", "c"), ("c", "a")]}, "cycle among 'a', 'b', 'c'"),
        (
            {"required": [("a", "d"), ("b", "d")], "max_parents": 1},
            "2 required parents, but max_parents is 1",
        ),
        ({"tiers": [["a"], ["a"]]}, "tiers names 'a' twice"),
        ({"tiers": [["a"], ["y"]]}, "tiers names 'y'"),
    ],
)
def test_contradictions_are_refused(data, constraints, message):
    with pytest.raises(ds.InvalidOption, match=message):
        ds.local_scores(data, **constraints)
