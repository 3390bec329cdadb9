"""General structure priors: log-odds of edges and weights of families, in every kind of scores."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagscape as ds
from dagscape.scores.arithmetic.fixed_point import IMPOSSIBLE
from dagscape.scores.tables.family_arrays import families_by_mask, families_by_size
from oracles.priors import family_prior

NAMES = ("a", "b", "c", "d")
CODES = np.random.default_rng(3).integers(0, 2, (40, 4))
CODES[:, 2] |= CODES[:, 0]
DATA = ds.Dataset.from_codes(CODES, dict.fromkeys(NAMES, "01"))
PLAIN = ds.local_scores(DATA)

ODDS = np.array([[0, 1.5, -0.3, 0], [0.2, 0, 0, -2], [-0.3, 4, 0, 0.25], [1e-9, 0, -7.125, 0]])


def weight_of(child, parents):
    """Any function of a family; some are impossible."""
    if child == "b" and "d" in parents:
        return -math.inf
    return len(parents) * 0.3 - 0.7 * ("a" in parents) + 0.1 * ord(child)


def per_size(n, parents):
    return -math.log(math.comb(n - 1, parents))


def families(most):
    for child in range(4):
        for size in range(most + 1):
            for parents in itertools.combinations([v for v in range(4) if v != child], size):
                yield child, parents


def check(scores, **prior):
    """Compare every family with its score without a prior, plus the prior by its definition."""
    for child, parents in families(scores.max_parents):
        expected = PLAIN.family(child, parents) + family_prior(NAMES, child, parents, **prior)
        assert scores.family(child, parents) == pytest.approx(expected, abs=1e-9), (child, parents)


PRIORS = {
    "array": (ODDS, {"odds": ODDS}),
    "frame": (pd.DataFrame(ODDS, NAMES, NAMES).iloc[::-1, [2, 0, 1, 3]], {"odds": ODDS}),
    "edges": ({("c", "b"): 4, ("a", "d"): -math.inf}, {"odds": {(2, 1): 4.0, (0, 3): -math.inf}}),
    "function": (weight_of, {"weight": weight_of}),
    "families": (
        {("a", ()): 1.25, ("d", ("c", "a")): -2, ("c", frozenset("a")): -math.inf},
        {
            "weight": lambda child, parents: {("a", ()): 1.25, ("d", ("a", "c")): -2, ("c", ("a",)): -math.inf}.get(
                (child, parents), 0.0
            )
        },
    ),
    "list": (["per-size", ODDS, weight_of], {"odds": ODDS, "weight": weight_of, "size": per_size}),
    "sum of matrices": ([ODDS, ODDS.T], {"odds": ODDS + ODDS.T}),
}
PRIORS["edges"][1]["odds"] = np.array([[0, 0, 0, -math.inf], [0] * 4, [0, 4, 0, 0], [0] * 4])


@pytest.mark.parametrize("most", [1, 2, 3])
@pytest.mark.parametrize("name", PRIORS)
def test_every_kind_of_scores_adds_the_prior(name, most):
    prior, expected = PRIORS[name]
    lattice = ds.local_scores(DATA, structure_prior=prior, max_parents=most)
    check(lattice, **expected)
    check(ds.family_scores(DATA, structure_prior=prior, max_parents=most), **expected)
    table = ds.FamilyTable(
        {
            NAMES[child]: {
                tuple(NAMES[v] for v in parents): PLAIN.family(child, parents)
                for c, parents in families(most)
                if c == child
            }
            for child in range(4)
        },
        structure_prior=prior,
    )
    check(table, **expected)
    assert table.info.structure_prior == lattice.info.structure_prior


@pytest.mark.parametrize("most", [1, 2, 3])
@pytest.mark.parametrize("name", PRIORS)
def test_the_layouts_of_the_kernels_have_the_same_numbers(name, most):
    """Scores and priors by mask and by size, in a table and in a lattice."""
    scores = ds.local_scores(DATA, structure_prior=PRIORS[name][0], max_parents=most)
    prior = PRIORS[name][1]
    listed = ds.FamilyTable.from_exact(
        NAMES,
        [{p: scores.family_exact(child, p) for c, p in families(most) if c == child} for child in range(4)],
        scores.unit,
    )
    for layout in (families_by_mask, families_by_size):
        assert np.array_equal(layout(scores), layout(listed))
    by_mask = families_by_mask(scores, prior_only=True)
    for child, parents in families(most):
        column = sum(1 << (p - (p > child)) for p in parents)
        expected = family_prior(NAMES, child, parents, **prior)
        assert scores.unit.to_float(int(by_mask[child, column])) == pytest.approx(expected, abs=1e-9)
    by_size = families_by_size(scores, prior_only=True)
    for child in range(4):
        assert sorted(by_size[child][by_size[child] != IMPOSSIBLE]) == sorted(
            by_mask[child][by_mask[child] != IMPOSSIBLE]
        )


@pytest.mark.parametrize("name", PRIORS)
def test_additions_and_removals_of_scores_on_demand(name):
    lattice = ds.local_scores(DATA, structure_prior=PRIORS[name][0])
    lazy = ds.family_scores(DATA, structure_prior=PRIORS[name][0])
    for child, parents in families(3):
        assert np.array_equal(lattice.additions_exact(child, parents), lazy.additions_exact(child, parents))
        assert np.array_equal(lattice.removals_exact(child, parents), lazy.removals_exact(child, parents))


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(odds=st.lists(st.floats(-50, 50), min_size=16, max_size=16), most=st.integers(0, 3))
def test_rounding_is_within_the_stated_error(odds, most):
    matrix = np.array(odds).reshape(4, 4)
    scores = ds.local_scores(DATA, structure_prior=matrix, max_parents=most)
    bare = ds.local_scores(DATA, max_parents=most)
    network = {"b": ["a"] if most else [], "d": ["b"] if most else []}
    prior = (matrix[0, 1] + matrix[1, 3]) if most else 0.0
    error = abs(scores.network(network) - bare.network(network) - prior)
    # Floats as results are rounded once more.
    assert error <= scores.rounding + bare.rounding + 1e-12
    assert scores.prior_rounding <= scores.rounding


def test_a_function_is_called_once_for_each_family():
    calls = []

    def weigh(child, parents):
        calls.append((child, parents))
        return 0.5

    ds.local_scores(DATA, structure_prior=weigh, max_parents=2)
    assert len(calls) == len(set(calls)) == 4 * (1 + 3 + 3)
    assert all(list(parents) == sorted(parents) for _, parents in calls)
    calls.clear()
    scores = ds.family_scores(DATA, structure_prior=weigh)
    for _ in range(2):
        for child, parents in families(3):
            scores.family(child, parents)
    assert len(calls) == len(set(calls)) == 32


def test_zero_changes_nothing():
    for nothing in (np.zeros((4, 4)), {}, [np.zeros((4, 4)), "uniform"]):
        scores = ds.local_scores(DATA, structure_prior=nothing)
        assert all(scores.family_exact(*f) == PLAIN.family_exact(*f) for f in families(3))
        assert scores.score_equivalent


def test_symmetric_odds_are_the_same_for_all_members_of_a_class():
    symmetric = ODDS + ODDS.T
    scores = ds.local_scores(DATA, structure_prior=["per-size", symmetric])
    assert scores.score_equivalent
    assert scores.network_exact({"b": ["a"], "c": ["b"]}) == scores.network_exact({"a": ["b"], "b": ["c"]})
    best = ds.k_best(scores, 5, space="classes")
    assert best.networks[0] is not None
    assert not ds.local_scores(DATA, structure_prior=ODDS).score_equivalent
    assert not ds.local_scores(DATA, structure_prior=lambda child, parents: 0.0).score_equivalent
    with pytest.raises(ds.InvalidOption, match="cannot be ranked: the structure prior distinguishes members"):
        ds.k_best(ds.local_scores(DATA, structure_prior=ODDS), 5, space="classes")


def test_minus_infinity_forbids_an_edge():
    odds = {("a", "b"): -math.inf}
    scores = ds.local_scores(DATA, structure_prior=odds)
    assert scores.info.forbidden == (("a", "b"),)
    assert scores.family("b", ["a"]) == -math.inf
    assert scores.without_constraints().family_exact("b", ["a"]) == PLAIN.family_exact("b", ["a"])
    with pytest.raises(ds.InvalidOption, match="'a' -> 'b' is both required and forbidden"):
        ds.local_scores(DATA, structure_prior=odds, required=[("a", "b")])


def test_the_name_has_a_digest():
    def name_of(prior):
        return ds.local_scores(DATA, structure_prior=prior).info.structure_prior

    assert name_of(ODDS) == name_of(pd.DataFrame(ODDS, NAMES, NAMES)) != name_of(ODDS.T)
    assert name_of(ODDS).startswith("edge log-odds (sha ")
    assert name_of(weight_of).startswith("family weights weight_of (sha ")
    assert name_of(lambda c, p: 0.0) != name_of(lambda c, p: 1.0 * len(p))
    assert name_of(["per-size", ODDS]).startswith("per-size + edge log-odds (sha ")
    assert name_of(["uniform"]) == "uniform"


@pytest.mark.parametrize(
    ("prior", "message"),
    [
        (np.zeros((3, 3)), r"shape \(3, 3\).* must have 4 rows \(parents\) and 4 columns"),
        (np.full((4, 4), "x"), "of numbers"),
        (np.where(np.eye(4)[::-1], np.nan, 0.0), "the edge 'a' -> 'd' the log-odds nan"),
        ({("a", "b"): math.inf}, "'a' -> 'b' the log-odds inf; for an edge that every network has, use required"),
        ({("a", "b"): 1e7}, "between -1e[+]06 and 1e[+]06"),
        ({("a", "x"): 1}, "names 'x', which is not a variable"),
        ({("a", "a"): 1}, "the pair of 'a' and itself"),
        ({("a", "b"): "much"}, "'much', which is not a number"),
        ({"a": 1}, "has the key 'a'; all keys"),
        ({("a", "b"): 1, ("a", ("b",)): 1}, "all of them families"),
        ({("a", ("a",)): 1}, "lists a parent of 'a' twice, or the child itself"),
        ({("a", ("b", "c")): 1, ("a", ("c", "b")): 1}, "twice"),
        ({("a", ("b",)): math.nan}, "the log weight nan"),
        ({("q", ()): 1.0}, "names 'q'"),
        (pd.DataFrame(np.zeros((4, 4))), "names 0, which is not a variable"),
        (pd.DataFrame(np.zeros((2, 1)), ["a", "a"], ["b"]), "index names a variable twice"),
        (lambda child, parents: math.inf, r"family of 'a' with parents \[\] the log weight inf"),
        (lambda child, parents: math.nan if "b" in parents else 0.0, r"parents \['b'\] the log weight nan"),
        (lambda child, parents: 1e5, "between -10000 and 10000"),
        (lambda child, parents: None, "None, which is not a number"),
        ([], "is an empty list"),
        ([[0.0, 1.0]], "a NumPy array"),
        (["per-size", 3], "is 3; it must be one of uniform"),
        (3, "is 3; it must be one of uniform"),
        ("flat", "is 'flat'; it must be one of"),
    ],
)
def test_wrong_priors_are_refused_by_name(prior, message):
    for scored in (ds.local_scores, ds.family_scores):
        with pytest.raises(ds.InvalidOption, match=message) as caught:
            scored(DATA, structure_prior=prior)
        assert caught.value.option == "structure_prior"


def test_a_frame_without_an_index_is_refused():
    polars = pytest.importorskip("polars")
    with pytest.raises(ds.InvalidOption, match="without an index"):
        ds.local_scores(DATA, structure_prior=polars.DataFrame({"a": [0.0]}))


def test_a_variable_must_keep_a_family():
    with pytest.raises(ds.InvalidData, match="'c' has no possible family"):
        ds.local_scores(DATA, structure_prior=lambda child, parents: -math.inf if child == "c" else 0.0)


@pytest.mark.parametrize("name", PRIORS)
def test_score_files_keep_the_prior(name, tmp_path):
    scores = ds.local_scores(DATA, structure_prior=PRIORS[name][0], max_parents=2)
    table = ds.FamilyTable(
        {"a": {(): -1.0, ("b",): -0.5}, "b": {(): -1.0, ("a",): -3.0}}, structure_prior={("a", "b"): 0.5}
    )
    for written in (scores, table):
        ds.write_scores(written, tmp_path / "s.npz")
        read = ds.read_scores(tmp_path / "s.npz")
        for layout in (families_by_mask, families_by_size):
            for prior_only in (False, True):
                assert np.array_equal(layout(written, prior_only=prior_only), layout(read, prior_only=prior_only))
        assert read.info == written.info
        assert read.info.equivalent_prior == written.info.equivalent_prior
        assert (read.rounding, read.prior_rounding) == (written.rounding, written.prior_rounding)
