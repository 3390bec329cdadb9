"""No error estimate is below the true error, computed to 50 digits from the data or from given scores."""

from __future__ import annotations

import itertools
import pickle
from pathlib import Path

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagscape as ds
from dagscape.posterior import accuracy, running, summing
from dagscape.posterior.backends import BACKENDS
from dagscape.posterior.contract import Job, Sum
from oracles.high_precision import (
    dag_posterior,
    data_log_weights,
    every_structure,
    listed_log_weights,
    order_edges,
    probability,
    rounded_log_weights,
)


def largest_difference(matrix, exact):
    return max(
        float(abs(value - other))
        for row, others in zip(matrix, exact, strict=True)
        for value, other in zip(row, others, strict=True)
    )


def true_error(found, weights):
    """Return the largest error of the probabilities of a posterior."""
    if found.over == "orders":
        return largest_difference(found.edges, order_edges(weights))
    _, edges, ancestors = dag_posterior(weights)
    return max(largest_difference(found.edges, edges), largest_difference(found.ancestors, ancestors))


def true_error_by_counting(found, weights):
    n = len(weights)
    edges, ancestors = ([[mpmath.mpf(0)] * n for _ in range(n)] for _ in range(2))
    with mpmath.workdps(50):
        for dag, share in every_structure(weights, found.over):
            for matrix, masks in ((edges, dag.parent_masks), (ancestors, dag.ancestor_masks())):
                for u, v in itertools.permutations(range(n), 2):
                    matrix[u][v] += share * (masks[v] >> u & 1)
        error = largest_difference(found.edges, edges)
        return error if found.ancestors is None else max(error, largest_difference(found.ancestors, ancestors))


# Scores from data.


def dependent_columns(levels, copied, seed=0):
    """Return two columns of a million rows, equal in a share of them."""
    rng = np.random.default_rng(seed)
    first, other = rng.integers(0, levels, (2, 1_000_000))
    return ds.Dataset.from_array(np.column_stack([first, np.where(rng.random(1_000_000) < copied, first, other)]))


def undecided(data):
    """Return the equivalent sample size at which dependence has probability 1/2, where errors are largest."""
    low, high = 1e-6, 1e9
    for _ in range(60):
        ess = (low * high) ** 0.5
        scores = ds.local_scores(data, ess=ess)
        low, high = (ess, high) if scores.family(1, [0]) < scores.family(1) else (low, ess)
    return ess


def columns_of_300_levels():
    """Return two columns of a million rows, as many of them equal as make dependence uncertain at ess 199155."""
    first, second = np.random.default_rng(0).integers(0, 300, (2, 1_000_000))
    second[:30_115] = first[:30_115]
    return ds.Dataset.from_array(np.column_stack([first, second]))


# The data, the equivalent sample size, and an error that would be unreasonable.
DATA = {
    "asia, 300 rows": (lambda: ds.load_network("asia").sample(300, seed=1), 1.0, 1e-11),
    "asia, 10,000 rows": (lambda: ds.load_network("asia").sample(10_000, seed=1), 1.0, 1e-9),
    "asia, a million rows": (lambda: ds.load_network("asia").sample(1_000_000, seed=1), 1.0, 1e-7),
    "18 levels": (lambda: dependent_columns(18, 0.013), None, 1e-6),
    "300 levels": (lambda: dependent_columns(300, 0.017), None, 1e-6),
    "300 levels, ess 199155": (columns_of_300_levels, 199_155.0, 1e-6),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", DATA)
def test_data(monkeypatch, name):
    make, ess, sane = DATA[name]
    data = make()
    ess = undecided(data) if ess is None else ess
    scores = ds.local_scores(data, ess=ess)
    found = ds.posterior(scores)
    error = true_error(found, data_log_weights(data, ess=ess))
    assert error <= found.error < sane
    if data.m > 300:
        # The rounding of scores is the larger part of the error.
        assert error > ds.posterior(without_rounding(monkeypatch, scores)).error


def without_rounding(monkeypatch, scores):
    """Make posteriors leave out the rounding of scores; return the scores."""
    monkeypatch.setattr(summing, "score_error", lambda rounding: 0.0)
    return scores


def test_titanic(shared_data):
    data = ds.read_data(shared_data / "sets/titanic.csv.gz")
    for over in ("dags", "orders"):
        found = ds.posterior(ds.local_scores(data), over)
        assert true_error(found, data_log_weights(data)) <= found.error < 1e-11


@st.composite
def small_data(draw):
    arities = draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    rows = draw(st.lists(st.tuples(*(st.integers(0, arity - 1) for arity in arities)), min_size=1, max_size=25))
    weights = draw(
        st.lists(st.sampled_from([1, 2, 7, 1000, 40_000, 3_000_001]), min_size=len(rows), max_size=len(rows))
    )
    levels = {f"v{i}": [str(level) for level in range(arity)] for i, arity in enumerate(arities)}
    return ds.Dataset.from_codes(rows, levels, weights=weights)


@pytest.mark.slow
@pytest.mark.parametrize("over", ["dags", "orders"])
@given(
    data=small_data(),
    score=st.sampled_from(["bdeu", "bdeu", "k2", "bic", "aic", "mdl", "loglik"]),
    ess=st.sampled_from([1e-9, 0.1, 1.0, 50.0, 12345.678, 1e9]),
    structure_prior=st.sampled_from(["uniform", "per-size", "edge-penalty:0.7"]),
)
@settings(max_examples=40, deadline=None)
def test_small_data(over, data, score, ess, structure_prior):
    options = {"score": score, "ess": ess, "structure_prior": structure_prior}
    found = ds.posterior(ds.local_scores(data, **options), over, ancestors=True)
    assert true_error_by_counting(found, data_log_weights(data, **options)) <= found.error < 1e-6


@given(data=small_data(), score=st.sampled_from(["bdeu", "k2", "bic", "mdl"]), ess=st.sampled_from([0.5, 1e7]))
@settings(max_examples=40, deadline=None)
def test_rounding_bounds_the_scores_of_networks(data, score, ess):
    scores = ds.local_scores(data, score=score, ess=ess)
    with mpmath.workdps(50):
        unit = mpmath.mpf(2) ** -scores.unit.bits
        exact = data_log_weights(data, score, ess)
        errors = [
            max(abs(scores.family_exact(v, [u for u in range(data.n) if mask >> u & 1]) * unit - log_weight)
                for mask, log_weight in listed.items())
            for v, listed in enumerate(exact)
        ]  # fmt: skip
        assert sum(errors) <= scores.rounding


@pytest.mark.parametrize("structure_prior", ["uniform", "per-size", "edge-penalty:0.1"])
def test_prior_probabilities(structure_prior):
    data = ds.Dataset.from_array(np.random.default_rng(1).integers(0, 2, (40, 4)))
    found = ds.posterior(ds.local_scores(data, structure_prior=structure_prior), prior=True)
    # One row without a penalty carries no information.
    row = ds.Dataset.from_array(np.zeros((1, 4), dtype=int), keep_constant=True)
    weights = data_log_weights(row, "loglik", structure_prior=structure_prior)
    assert true_error_by_counting(found, weights) <= found.error < 1e-12


# Given scores.


def random_families(n, score, rng):
    names = [f"v{i}" for i in range(n)]
    return {
        child: {
            tuple(others): score(rng, others)
            for size in range(n)
            for others in itertools.combinations([v for v in names if v != child], size)
        }
        for child in names
    }


def blocks(rng, n):
    """Return penalties of edges that depend on the groups of their ends: some sums cancel, others do not."""
    groups = rng.integers(0, 3, n)
    price = rng.choice([-2.0, 0.0, 0.5, 3.0, 10.0, 30.0], (3, 3)) * rng.uniform(0.5, 1.5)
    families = random_families(n, lambda rng, others: 0.0, rng)
    return {
        child: {
            others: -sum(price[groups[int(u[1:])], groups[int(child[1:])]] for u in others) + rng.normal(0, 1e-6)
            for others in listed
        }
        for child, listed in families.items()
    }


SHAPES = {
    "narrow": lambda rng, n: random_families(n, lambda rng, others: rng.normal(0, 1e-3), rng),
    "wide": lambda rng, n: random_families(n, lambda rng, others: -rng.exponential(3000.0), rng),
    "very wide": lambda rng, n: random_families(n, lambda rng, others: -min(rng.exponential(1e8), 9e8), rng),
    "tied": lambda rng, n: random_families(n, lambda rng, others: float(rng.choice([0.0, -1.0, -30.0, -300.0])), rng),
    "independent": lambda rng, n: random_families(n, lambda rng, others: -12.3 * len(others), rng),
    "blocks": blocks,
    "holes": lambda rng, n: random_families(
        n, lambda rng, others: float(rng.choice([0.1, -2.5, -np.inf])) if others else -40.3, rng
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
@given(n=st.integers(2, 5), seed=st.integers(0, 10**9))
@settings(max_examples=25, deadline=None)
def test_tables(shape, n, seed):
    families = SHAPES[shape](np.random.default_rng(seed), n)
    scores = ds.FamilyTable(families, complete=True)
    for over in ("dags", "orders"):
        found = ds.posterior(scores, over)
        assert true_error(found, listed_log_weights(families)) <= found.error
        # The error of the sum, in addition to the rounding of scores, has a safety margin.
        sum_error = (
            BACKENDS[over, "cpu"].run(BACKENDS[over, "cpu"].weights(scores, 1, 2**30), Job(scores.unit.bits, 1)).error
        )
        assert 2 * true_error(found, rounded_log_weights(scores)) <= sum_error <= found.error


def test_a_score_that_is_rounded_coarsely(monkeypatch):
    families = {"a": {(): 0.1, ("b",): 0.0}, "b": {(): 0.0, ("a",): -1e9}}
    scores = ds.FamilyTable(families)
    found = ds.posterior(scores)
    error = true_error(found, listed_log_weights(families))
    assert 9e-11 < error <= found.error < 1e-9
    assert error > ds.posterior(without_rounding(monkeypatch, scores)).error


def test_scores_that_the_unit_holds_are_not_rounded():
    assert ds.FamilyTable({"a": {(): -10.0, ("b",): -8.5}, "b": {(): -7.0, ("a",): -5.25}}).rounding == 0.0


@pytest.mark.parametrize("n", [6, 7])
@pytest.mark.parametrize("shape", ["blocks", "independent", "wide"])
def test_more_variables(n, shape):
    families = SHAPES[shape](np.random.default_rng(n), n)
    scores = ds.FamilyTable(families)
    for over in ("dags", "orders"):
        found = ds.posterior(scores, over)
        assert 2 * true_error(found, rounded_log_weights(scores)) <= found.error < 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("spread", [0.001, 30.0, 800.0, 40_000.0])
def test_tiles(spread):
    rng = np.random.default_rng(int(spread))
    names = [f"v{i}" for i in range(10)]
    families = {
        v: {
            others: -spread * rng.random()
            for size in range(3)
            for others in itertools.combinations([u for u in names if u != v], size)
        }
        for v in names
    }
    scores = ds.FamilyTable(families)
    assert BACKENDS["orders", "cpu"].weights(scores, 1, 2**30).max_parents == 2
    found = ds.posterior(scores, "orders")
    assert true_error(found, listed_log_weights(families)) <= found.error < 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["narrow", "wide", "independent", "blocks"])
def test_paths(shape):
    families = SHAPES[shape](np.random.default_rng(3), 4)
    found = ds.posterior(ds.FamilyTable(families), via="all")
    structures = every_structure(listed_log_weights(families), "dags")

    def leads_by_way_of(s, p, t):
        return lambda dag: dag.ancestor_masks()[p] >> s & 1 and dag.ancestor_masks()[t] >> p & 1

    for s, p, t in itertools.permutations(range(4), 3):
        assert abs(found.paths[s, p, t] - probability(structures, leads_by_way_of(s, p, t))) <= found.error


def test_files_keep_the_rounding(tmp_path):
    data = ds.load_network("asia").sample(300, seed=1)
    scores = ds.local_scores(data, max_parents=2)
    ds.write_scores(scores, tmp_path / "lattice.npz")
    assert ds.read_scores(tmp_path / "lattice.npz").rounding == scores.rounding > 0
    table = ds.FamilyTable({"a": {(): 0.1, ("b",): 0.3}, "b": {(): -1 / 3}})
    ds.write_scores(table, tmp_path / "families.npz")
    assert ds.read_scores(tmp_path / "families.npz").rounding == table.rounding > 0


def test_files_without_a_bound_get_one_from_their_unit():
    """Version 0.1.0 rounded the term of each cell, and there are no more cells than rows."""
    old = Path(__file__).parents[1] / "files/results_0.1.0"
    lattice = ds.read_scores(old / "lattice-scores.npz")
    unit = 2.0**-lattice.unit.bits
    assert lattice.n * (lattice.info.rows + 1) * unit <= lattice.rounding < 1e-6
    families = ds.read_scores(old / "family-table.npz")
    assert families.rounding == families.n * 2.0 ** -(families.unit.bits + 1)


# Features.


@pytest.mark.slow
@pytest.mark.parametrize("over", ["dags", "orders"])
@given(seed=st.integers(0, 10**9), shape=st.sampled_from(["narrow", "wide", "very wide", "blocks"]))
@settings(max_examples=25, deadline=None)
def test_features(over, seed, shape):
    families = SHAPES[shape](np.random.default_rng(seed), 4)
    scores = ds.FamilyTable(families)
    structures = every_structure(listed_log_weights(families), over)
    asked = {
        "edge": ({"required": [("v0", "v1")]}, lambda dag: dag.parent_masks[1] & 1),
        "orphan": ({"parents": {"v2": []}}, lambda dag: dag.parent_masks[2] == 0),
        "cycle": ({"required": [("v0", "v1"), ("v1", "v0")]}, lambda dag: False),
        "all": ({}, lambda dag: True),
    }
    for options, holds in asked.values():
        found = ds.feature_probability(scores, over=over, **options)
        assert abs(found - probability(structures, holds)) <= found.error < 1e-6


def test_features_of_data_with_many_rows():
    data = ds.load_network("asia").sample(1_000_000, seed=3).select(["asia", "tub", "smoke", "either"])
    structures = every_structure(data_log_weights(data), "dags")
    found = ds.feature_probability(ds.local_scores(data), required=[("asia", "tub")])
    assert abs(found - probability(structures, lambda dag: dag.has_edge("v0", "v1"))) <= found.error < 1e-7


@pytest.mark.parametrize("over", ["dags", "orders"])
def test_no_structure_comes_near_the_best_families(over):
    families = {"a": {(): -1e8, ("b",): 0.0}, "b": {(): -1e8, ("a",): 0.0}}
    found = ds.feature_probability(ds.FamilyTable(families), required=[("a", "b")], over=over)
    exact = probability(every_structure(listed_log_weights(families), over), lambda dag: dag.has_edge("v0", "v1"))
    assert exact == 0.5
    assert abs(found - exact) <= found.error < 1e-10
    assert abs(found - exact) <= 1e-12


@pytest.mark.slow
@pytest.mark.parametrize("over", ["dags", "orders"])
@given(n=st.integers(2, 4), seed=st.integers(0, 10**9))
@settings(max_examples=25, deadline=None)
def test_features_far_below_the_best_families(over, n, seed):
    """The families with parents are far better than those without, but no DAG has parents for all variables."""
    rng = np.random.default_rng(seed)
    families = random_families(
        n, lambda rng, others: float(rng.choice([0.0, -0.5, -3.0, -1e4])) if others else -1e8 - rng.integers(0, 3), rng
    )
    structures = every_structure(listed_log_weights(families), over)
    scores = ds.FamilyTable(families)
    for source, target in itertools.permutations(range(n), 2):
        found = ds.feature_probability(scores, required=[(f"v{source}", f"v{target}")], over=over)
        exact = probability(structures, lambda dag, s=source, t=target: dag.parent_masks[t] >> s & 1)
        assert abs(found - exact) <= found.error < 1e-9


def test_a_probability_is_a_float():
    scores = ds.local_scores(ds.load_dataset("tic-tac-toe"), max_parents=2)
    found = ds.feature_probability(scores, parents={"Class": []})
    assert isinstance(found, float)
    assert type(found + 1) is float
    assert 0 < found.error < 1e-9
    copy = pickle.loads(pickle.dumps(found))
    assert (copy, copy.error, type(copy)) == (found, found.error, ds.Probability)
    assert str(found) == repr(float(found))
    assert repr(found) == f"Probability({found}, error={found.error:.2g})"
    with pytest.raises(AttributeError):
        found.error = 0.0


def sum_of(mantissa, condition):
    nothing = np.zeros((2, 2))
    return Sum(mantissa, -4.0, nothing, nothing, None, 1e-15, condition)


@pytest.mark.parametrize(
    ("mantissa", "condition", "error"), [(-0.25, -2.0, 0.5), (-0.5, -9.0, 1.0), (0.0, np.inf, 1.0)]
)
def test_a_warning_if_a_sum_cancels(monkeypatch, mantissa, condition, error):
    """All digits are lost: the probability is at most the share of the absolute values of the terms."""
    sums = iter([Sum(0.5, -3.0, *3 * [np.zeros((2, 2))], 1e-15, 1.0), sum_of(mantissa, condition)])
    monkeypatch.setattr(running.Prepared, "sum", lambda *arguments: next(sums))
    table = ds.FamilyTable({"a": {(): 0.0, ("b",): 0.0}, "b": {(): 0.0, ("a",): 0.0}})
    with pytest.warns(ds.LostPrecision, match="cancellation"):
        found = ds.feature_probability(table, required=[("a", "b")])
    assert (found, found.error) == (0.0, error)


def test_an_error_if_the_total_cancels(monkeypatch):
    monkeypatch.setattr(running.Prepared, "sum", lambda *arguments: sum_of(-1e-9, -1e9))
    table = ds.FamilyTable({"a": {(): 0.0}, "b": {(): 0.0}}, complete=True)
    with pytest.raises(ds.DagscapeError, match="lost all its digits"):
        ds.feature_probability(table)


@pytest.mark.slow
@pytest.mark.parametrize("gain", [30.0, 120.0, 2000.0])
def test_ranges_that_differ_between_blocks_of_sets(gain):
    """Eight variables are likely to have the ninth as parent: without it, sums span eight times the gain."""
    rng = np.random.default_rng(9)
    names = [f"v{i}" for i in range(9)]
    families = {
        child: {
            others: rng.normal(0, 1) - (gain if child != "v8" and "v8" not in others else 0.0)
            for size in range(3)
            for others in itertools.combinations([v for v in names if v != child], size)
        }
        for child in names
    }
    scores = ds.FamilyTable(families)
    found = ds.posterior(scores)
    assert 2 * true_error(found, rounded_log_weights(scores)) <= found.error < 1e-11
    assert found.edge("v8", "v0") > 0.9


@pytest.mark.slow
@pytest.mark.parametrize("penalty", [0.5, 8.0])
def test_totals_without_probabilities(monkeypatch, penalty):
    """Equal variables, whose errors add up: only the number of terms says how large they may be."""
    monkeypatch.setattr(accuracy, "_TOTALS_ALONE", range(9, 10))
    names = [f"v{i}" for i in range(9)]
    families = {
        child: {
            others: -penalty * len(others)
            for size in range(9)
            for others in itertools.combinations([v for v in names if v != child], size)
        }
        for child in names
    }
    scores = ds.FamilyTable(families)
    backend = BACKENDS["dags", "cpu"]
    found = backend.run(backend.weights(scores, 1, 2**30), Job(scores.unit.bits, 1, wanted="total"))
    assert found.edges.size == 0
    log_total, _, _ = dag_posterior(rounded_log_weights(scores))
    with mpmath.workdps(50):
        relative = mpmath.mpf(found.mantissa) * mpmath.mpf(2) ** int(found.exponent)
        error = abs(relative * mpmath.exp(-log_total) - 1)
    assert 4 * error <= found.error < 1e-10
