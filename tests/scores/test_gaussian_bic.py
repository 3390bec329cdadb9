"""The Gaussian BIC against regressions, published values, exact arithmetic and damaged tables."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import dagscape as ds
from dagscape.scores.arithmetic.scatter import scatter_of
from oracles.gaussian import gaussian_bic


def dependent(rows: int, n: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(rows, n))
    for i in range(1, n):
        values[:, i] += values[:, i - 1] * rng.normal() + 100 * i
    return values


def data_of(values: np.ndarray, **options) -> ds.NumericData:
    return ds.NumericData.from_array(values, [f"x{i}" for i in range(values.shape[1])], **options)


def test_every_family_is_a_regression():
    values = dependent(60, 5)
    scores = ds.local_scores(data_of(values), score="bic-g")
    for child in range(5):
        others = [u for u in range(5) if u != child]
        for size in range(5):
            for parents in itertools.combinations(others, size):
                found = scores.family(f"x{child}", [f"x{u}" for u in parents])
                assert found == pytest.approx(gaussian_bic(values, child, list(parents)), abs=1e-8)


def test_the_published_value(shared_data):
    frame = pd.read_csv(shared_data / "continuous" / "gaussian_test.csv.gz").head(200)
    scores = ds.local_scores(frame, score="bic-g")
    network = {"A": "", "B": "", "E": "", "G": "", "C": "AB", "D": "B", "F": "ADEG"}
    # As bnlearn 4.9.4 computes it.
    assert sum(scores.family(v, list(parents)) for v, parents in network.items()) == pytest.approx(
        -2164.50787109, abs=5e-9
    )


def test_rows_and_ways_do_not_change_a_bit():
    values = dependent(80, 5)
    scores = ds.local_scores(data_of(values), score="bic-g")
    turned = ds.local_scores(data_of(values[::-1]), score="bic-g")
    assert [t.tolist() for t in turned.tables] == [t.tolist() for t in scores.tables]
    demand = ds.family_scores(data_of(values), score="bic-g")
    limited = ds.local_scores(data_of(values), score="bic-g", max_parents=2)
    assert demand.unit == scores.unit
    for child in range(5):
        assert demand.additions_exact(child).tolist() == scores.additions_exact(child).tolist()
        for sets in scores.family_sets(child):
            assert demand.exact_scores(child, sets).tolist() == scores.exact_scores(child, sets).tolist()
        for sets in limited.family_sets(child):
            exact = limited.exact_scores(child, sets) * 2.0**-limited.unit.bits
            assert exact == pytest.approx(scores.exact_scores(child, sets) * 2.0**-scores.unit.bits, abs=1e-9)


def test_equivalent_networks_score_alike():
    scores = ds.local_scores(data_of(dependent(50, 4)), score="bic-g")
    assert scores.score_equivalent
    forward = ds.Dag.from_edges(scores.variables, [("x0", "x1"), ("x1", "x2"), ("x2", "x3")])
    backward = ds.Dag.from_edges(scores.variables, [("x3", "x2"), ("x2", "x1"), ("x1", "x0")])
    assert scores.network(forward) == scores.network(backward)


def test_every_method_takes_it(tmp_path):
    frame = pd.DataFrame(dependent(100, 5), columns=list("abcde"))
    scores = ds.local_scores(frame, score="bic-g")
    assert ds.posterior(scores).edges.sum() > 0
    assert len(ds.k_best(scores, k=3).networks) == 3
    assert ds.learn(frame, score="bic-g").score == ds.optimal_network(scores).score
    boot = ds.bootstrap(frame, samples=5, score="bic-g", workers=1)
    assert boot.edges.max() > 0.5
    study = ds.sensitivity(frame, score="bic-g", structure_prior=("uniform", "per-size"), max_parents=(1, 2))
    assert [dict(setting.parameters) for setting in study.settings] == [{}] * 4
    planned = ds.plan(frame, "posterior", score="bic-g")
    assert planned.fits
    ds.write_scores(scores, tmp_path / "scores.npz")
    assert ds.read_scores(tmp_path / "scores.npz").info == scores.info


def test_rows_of_experiments_are_left_out_of_the_child_only():
    values = dependent(40, 3)
    marks = [["x0"] if i % 4 == 0 else [] for i in range(40)]
    scores = ds.local_scores(data_of(values, interventions=marks), score="bic-g")
    observed = np.array([not mark for mark in marks])
    assert scores.family("x0", ["x1"]) == pytest.approx(gaussian_bic(values[observed], 0, [1]), abs=1e-9)
    assert scores.family("x1", ["x0"]) == pytest.approx(gaussian_bic(values, 1, [0]), abs=1e-9)
    assert not scores.score_equivalent


def test_a_variable_that_was_always_set_is_not_scored():
    values = dependent(20, 3)
    scores = ds.local_scores(data_of(values, interventions=[["x0"]] * 20), score="bic-g")
    assert scores.family("x0") == 0.0
    assert scores.family("x0", ["x1", "x2"]) == -np.inf


@pytest.mark.filterwarnings("ignore::dagscape.FewRows")
def test_a_family_needs_two_rows_more_than_parents():
    scores = ds.local_scores(data_of(dependent(4, 4)), score="bic-g")
    assert np.isfinite(scores.family("x0", ["x1", "x2"]))
    assert scores.family("x0", ["x1", "x2", "x3"]) == -np.inf


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda v: v.__setitem__((slice(None), 1), 3 * v[:, 0] + 1), "'x0' and 'x1' are linearly dependent"),
        (lambda v: v.__setitem__((slice(None), 3), v[:, 0] - v[:, 2]), "'x0', 'x2' and 'x3' are linearly dependent"),
    ],
)
def test_linear_dependence_is_refused_by_name(change, words):
    values = dependent(50, 4)
    change(values)
    with pytest.raises(ds.InvalidData, match=f"{words} in 50 rows, so that their likelihood has no limit: set a"):
        ds.local_scores(data_of(values), score="bic-g")


def test_missing_cells_and_other_kinds_are_refused_with_the_remedy():
    values = dependent(10, 3)
    values[0, 0] = np.nan
    with pytest.raises(ds.InvalidData, match=r"missing cells, which the score 'bic-g' cannot use: .* missing='drop'"):
        ds.local_scores(data_of(values, missing="keep"), score="bic-g")
    with pytest.raises(ds.InvalidData, match="which is not a number"):
        ds.local_scores(ds.load_dataset("votes"), score="bic-g")
    with pytest.raises(ds.InvalidOption, match=r"data is a NumericData; it must be discrete: .*discretize\(\)"):
        ds.local_scores(data_of(dependent(10, 3)))
    with pytest.raises(ds.InvalidOption, match="must be a NumericData: use read_data"):
        ds.local_scores([[1.0]], score="bic-g")


finite = st.floats(-1e6, 1e6, allow_nan=False).map(lambda x: round(x, 6))


@settings(deadline=None)
@given(hnp.arrays(np.float64, st.tuples(st.integers(2, 12), st.integers(1, 3)), elements=finite))
def test_scatter_matrices_are_those_of_exact_arithmetic(values):
    found = scatter_of(values)
    exact = [[Fraction(x) for x in column] for column in values.T.tolist()]
    centred = [[x - sum(column) / len(column) for x in column] for column in exact]
    for i, first in enumerate(centred):
        square = sum(x * x for x in first)
        # Columns whose deviations vanish beside their largest number have no more digits.
        if square < Fraction(1, 10**6):
            continue
        assert np.exp(found.logs[i]) == pytest.approx(float(square), rel=1e-9)
        for j, second in enumerate(centred):
            other = sum(x * x for x in second)
            if other > Fraction(1, 10**6):
                correlation = sum(x * y for x, y in zip(first, second, strict=True))
                exactly = float(correlation) / (float(square) ** 0.5 * float(other) ** 0.5)
                assert found.correlations[i, j] == pytest.approx(exactly, abs=max(1e-12, found.error))


def test_scatter_does_not_depend_on_the_order_of_rows():
    values = np.random.default_rng(3).normal(size=(1000, 6)) * 10.0 ** np.arange(-6, 6, 2)
    first, second = scatter_of(values), scatter_of(values[np.random.default_rng(4).permutation(1000)])
    assert (first.correlations == second.correlations).all()
    assert (first.logs == second.logs).all()


@pytest.mark.parametrize("rows", [8000, 16384, 65536])
def test_small_deviations_from_a_large_mean(rows):
    """The sum of integers exceeds 64 bits where the mean has few digits for the deviations."""
    small = np.tile([[0.0, 1.0], [0.125, 3.0]], (rows // 2, 1))
    small[: rows // 4, 1] += 5.0
    near, far = (scatter_of(small + offset) for offset in (np.zeros(2), np.array([1e15, 0.0])))
    assert far.logs == pytest.approx(near.logs, rel=1e-12)
    assert far.correlations == pytest.approx(near.correlations, abs=1e-12)


@pytest.mark.parametrize("constant", [0.2368105065960997, 1e300, 5e-324])
def test_a_constant_column_has_no_scatter(constant):
    values = np.column_stack([np.full(5000, constant), np.arange(5000.0)])
    assert scatter_of(values).logs[0] == -np.inf


@pytest.mark.parametrize("scale", [1.7e308, 1e300, 1e-300, 3e-310])
def test_extreme_scales_change_no_correlation(scale):
    values = np.array([[-1.0, 0.5], [0.5, 1.0], [1.0, -1.0], [0.0, 0.25]])
    extreme, plain = scatter_of(values * scale), scatter_of(values)
    assert extreme.correlations == pytest.approx(plain.correlations, abs=1e-9)
    assert extreme.logs == pytest.approx(plain.logs + 2 * np.log(scale), rel=1e-9)


@pytest.mark.filterwarnings("ignore::dagscape.FewRows")
def test_two_rows_allow_no_parents():
    scores = ds.local_scores(data_of(dependent(2, 3)), score="bic-g")
    assert np.isfinite(scores.family("x0"))
    assert scores.family("x0", ["x1"]) == -np.inf


@pytest.mark.filterwarnings("ignore::dagscape.FewRows")
def test_the_bound_is_that_of_possible_sets():
    """Sets of as many variables as rows are impossible, and do not count."""
    limited = ds.local_scores(data_of(dependent(8, 10)), score="bic-g", max_parents=1)
    assert limited.rounding < 1e-3


def test_the_bound_on_rounding_holds():
    """Against determinants in exact arithmetic."""
    from mpmath import mp

    values = dependent(30, 4)
    scores = ds.local_scores(data_of(values), score="bic-g")
    mp.prec = 200
    m = 30
    exact = mp.matrix(values.tolist())
    means = [sum(exact[r, i] for r in range(m)) / m for i in range(4)]
    total = mp.mpf(0)
    for child in range(4):
        size = child + 1
        scatter = mp.matrix(size, size)
        for a, b in itertools.product(range(size), repeat=2):
            scatter[a, b] = sum((exact[r, a] - means[a]) * (exact[r, b] - means[b]) for r in range(m))
        below = scatter[:child, :child] if child else mp.matrix([[1]])
        rss = mp.det(scatter) / mp.det(below)
        variance = rss / (m - child - 1)
        price = mp.log(m) / 2 * (child + 2)
        total += -mp.mpf(m) / 2 * mp.log(2 * mp.pi * variance) - rss / (2 * variance) - price
    network = ds.Dag.from_edges(scores.variables, [(f"x{a}", f"x{b}") for b in range(4) for a in range(b)])
    assert abs(mp.mpf(scores.network(network)) - total) <= scores.rounding < 1e-6


def test_integers_that_floats_cannot_tell_apart_are_refused():
    data = ds.Dataset.from_array([["9007199254740992", "1"], ["9007199254740993", "2"]], ["a", "b"])
    with pytest.raises(ds.InvalidData, match="'9007199254740993' of 'a', which is not a number that can be used"):
        ds.local_scores(data, score="bic-g")


def test_a_method_that_counts_rows_says_that_it_needs_discrete_data():
    message = "needs discrete data, and the score 'bic-g' takes another kind: use another method, such as 'order'"
    with pytest.raises(ds.InvalidOption, match=message):
        ds.learn(data_of(dependent(30, 3)), "curriculum", score="bic-g")


def test_a_bootstrap_says_which_samples_are_left_out():
    with pytest.warns(ds.SamplesLeftOut, match=r"\d+ of 20 samples were left out: .* are linearly dependent in"):
        boot = ds.bootstrap(data_of(dependent(12, 9)), samples=20, score="bic-g", workers=1, max_parents=8)
    assert 0 < boot.left_out < 20


def test_an_unused_ess_is_checked():
    with pytest.raises(ds.InvalidOption, match="ess is 'abc'; it must be a number"):
        ds.sensitivity(ds.load_dataset("iris"), ess="abc", score="bic", max_parents=1)


def test_messages_name_the_cause():
    data = data_of(np.column_stack([dependent(10, 2), np.ones(10)]), keep_constant=True)
    with pytest.raises(ds.InvalidData, match="'x2' has the same value in all rows: leave it out"):
        ds.local_scores(data, score="bic-g")
    with pytest.raises(ds.InvalidOption, match="NumericData; it must be discrete: cut the numbers"):
        ds.learn(data_of(dependent(10, 3)))
