"""Fitting regressions: published likelihoods, least squares by normal equations, and posteriors of 50 digits."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagscape as ds
from dagscape.core.errors import InvalidData, InvalidOption, TooLarge
from networks.samples import random_conditional
from oracles.measured_networks import posterior_regression

SEEDS = st.integers(0, 2**32 - 1)
TEST_EDGES = [("A", "C"), ("B", "C"), ("B", "D"), ("A", "F"), ("D", "F"), ("E", "F"), ("G", "F")]
MIXED_EDGES = ["AD", "HD", "CF", "FB", "BE", "DE", "AG", "DG", "EG", "FG"]


def test_the_published_likelihood_of_a_gaussian_network(shared_data):
    """bnlearn's bic-g of the first 200 rows of gaussian.test is the likelihood minus ln(m) / 2 for each parameter."""
    frame = pd.read_csv(shared_data / "continuous" / "gaussian_test.csv.gz")[:200]
    network = ds.GaussianNetwork.fit(ds.Dag(list("ABCDEFG"), TEST_EDGES), frame, "ml")
    assert network.parameter_count == 21
    assert network.log_likelihood(frame) - math.log(200) / 2 * 21 == pytest.approx(-2164.50787109, abs=1e-7)


def test_the_published_likelihood_of_a_conditional_network(shared_data):
    data = ds.read_data(shared_data / "continuous" / "clgaussian_300.csv", kind="mixed")
    network = ds.ConditionalGaussianNetwork.fit(ds.Dag(list("ABCDEFGH"), map(tuple, MIXED_EDGES)), data, "ml")
    assert network.parameter_count == 45
    assert network.log_likelihood(data) == pytest.approx(-1187.22310663, abs=1e-7)


def test_least_squares_are_those_of_the_normal_equations():
    rng = np.random.default_rng(3)
    x, y = rng.normal(50, 2, 40), rng.normal(0, 0.1, 40)
    z = 3 + 0.5 * x - 2 * y + rng.normal(0, 0.3, 40)
    frame = pd.DataFrame({"z": z, "x": x, "y": y})
    dag = ds.Dag(["x", "y", "z"], [("x", "z"), ("y", "z")])
    found = ds.GaussianNetwork.fit(dag, frame, "ml")
    design = np.column_stack([np.ones(40), x, y])
    inverse = np.linalg.inv(design.T @ design)
    beta = inverse @ design.T @ z
    variance = ((z - design @ beta) ** 2).sum() / 37
    regression = found.regressions["z"]
    np.testing.assert_allclose([regression.intercept, *regression.coefficients], beta, rtol=1e-9)
    assert float(regression.sd) == pytest.approx(variance**0.5, rel=1e-10)
    np.testing.assert_allclose(regression.standard_errors, np.sqrt(variance * np.diag(inverse)), rtol=1e-8)
    assert regression.freedom == 37
    shown = found.coefficients().set_index(["variable", "term"]).loc[("z", "y")]
    assert shown["t"] == pytest.approx(beta[2] / math.sqrt(variance * inverse[2, 2]), rel=1e-8)
    assert shown["state"] == ""


@settings(max_examples=25, deadline=None)
@given(SEEDS)
def test_posterior_means_are_those_of_the_matrix(seed):
    rng = np.random.default_rng(seed)
    options = {
        "alpha_mu": float(rng.choice([0.5, 1.0, 4.0])),
        "nu": rng.choice(["means", 0.0]) if rng.random() < 0.5 else 1.5,
        "scale": str(rng.choice(["standardize", "none"])),
    }
    options["nu"] = "means" if options["nu"] == "means" else float(options["nu"])
    freedom = float(rng.choice([2.0, 3.5]))
    frame = pd.DataFrame(rng.normal(rng.normal(0, 100, 3), np.exp(rng.normal(0, 2, 3)), (12, 3)), columns=list("xyz"))
    frame["d"] = rng.integers(0, 3, 12).astype(str)
    frame.loc[0, "d"], frame.loc[1, "d"] = "0", "1"
    data = ds.MixedData.from_frame(frame, nominal=["d"])
    dag = ds.Dag(["d", "x", "y", "z"], [("d", "z"), ("x", "z"), ("y", "z")])
    network = ds.ConditionalGaussianNetwork.fit(dag, data, alpha_w=freedom + 3, **options)
    found, values = network.regressions["z"], frame[["x", "y", "z"]].to_numpy().tolist()
    for code, level in enumerate(network.levels["d"]):
        rows = np.flatnonzero(frame["d"] == level).tolist()
        intercept, coefficients, variance, scales, delta = posterior_regression(
            values, [0, 1], 2, rows,
            alpha_mu=options["alpha_mu"], freedom=freedom,
            nu=None if options["nu"] == "means" else options["nu"], standardize=options["scale"] == "standardize",
        )  # fmt: skip
        assert found.intercept[code] == pytest.approx(float(intercept), rel=1e-8, abs=1e-8)
        np.testing.assert_allclose(found.coefficients[code], list(map(float, coefficients)), rtol=1e-8, atol=1e-12)
        assert found.sd[code] == pytest.approx(float(variance) ** 0.5, rel=1e-9)
        np.testing.assert_allclose(found.standard_errors[code], list(map(float, scales)), rtol=1e-8)
        assert found.freedom[code] == pytest.approx(float(delta))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::dagscape.FewRows")
def test_the_posterior_is_where_the_marginal_likelihood_says():
    """The predictive density of one more row, from BGe scores, has the posterior mean as its mean."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(8, 2)), columns=["x", "y"])
    frame["y"] += frame["x"]
    prior = {"alpha_mu": 1.0, "alpha_w": 5.0, "nu": 0.0, "scale": "none"}
    network = ds.GaussianNetwork.fit(ds.Dag(["x", "y"], [("x", "y")]), frame, **prior)

    def log_score(y):
        rows = pd.concat([frame, pd.DataFrame({"x": [0.7], "y": [y]})])
        return ds.local_scores(ds.NumericData.from_frame(rows), score="bge", **prior).family("y", ["x"])

    # The trapezoidal rule is exact to many digits for smooth densities; the tails beyond are below 1e-6.
    grid = np.linspace(-14, 16, 49)
    weights = np.exp([log_score(y) - log_score(0.0) for y in grid])
    mean = float((weights * grid).sum() / weights.sum())
    assert mean == pytest.approx(network.query("y", {"x": 0.7}).mean, abs=1e-5)


def test_states_without_rows_have_the_prior():
    frame = pd.DataFrame({"d": list("aabb"), "x": [1.0, 2.0, 4.0, 8.0]})
    data = ds.MixedData.from_frame(frame, levels={"d": ["a", "b", "c"]}, numeric=["x"])
    dag = ds.Dag(["d", "x"], [("d", "x")])
    network = ds.ConditionalGaussianNetwork.fit(dag, data)
    x = frame["x"]
    # Without rows, the variance is t s² / (δ - 2), where t = 1/2 and δ = 3.
    assert network.regressions["x"].intercept[2] == pytest.approx(x.mean())
    assert network.regressions["x"].sd[2] == pytest.approx(math.sqrt(x.var() / 2))
    assert network.cpts["d"].tolist() == pytest.approx([(2 + 1 / 3) / 5, (2 + 1 / 3) / 5, (1 / 3) / 5])
    with pytest.raises(InvalidData, match=r"'x' has 0 rows in a state of .*use posterior means"):
        ds.ConditionalGaussianNetwork.fit(dag, data, "ml")


@pytest.mark.parametrize("method", ["ml", "posterior-mean"])
def test_rows_in_which_a_variable_was_set_do_not_count_for_it(method):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"x": rng.normal(size=30), "d": rng.choice(["a", "b"], 30)})
    frame["y"] = 2 * frame["x"] + rng.normal(size=30)
    marks = pd.DataFrame(False, index=frame.index, columns=["x", "d", "y"])
    marks.loc[:9, "y"] = marks.loc[5:12, "d"] = True
    data = ds.MixedData.from_frame(frame, interventions=marks.to_numpy())
    dag = ds.Dag(["x", "d", "y"], [("x", "y"), ("d", "y")])
    found = ds.ConditionalGaussianNetwork.fit(dag, data, method, ess=2)
    if method == "ml":
        free = ds.MixedData.from_frame(frame[10:])
        apart = ds.ConditionalGaussianNetwork.fit(dag, free, method).regressions["y"]
        np.testing.assert_allclose(found.regressions["y"].coefficients, apart.coefficients, rtol=1e-10)
    columns = frame[["x", "y"]].to_numpy().tolist()
    for code, level in enumerate("ab"):
        rows = [row for row in range(10, 30) if frame["d"][row] == level]
        if method == "posterior-mean":
            expected = posterior_regression(columns, [0], 1, rows)
            assert found.regressions["y"].coefficients[code, 0] == pytest.approx(float(expected[1][0]), rel=1e-9)
    free = [row for row in range(30) if not 5 <= row <= 12]
    share = (frame["d"][free] == "a").sum()
    expected = share / 22 if method == "ml" else (share + 1) / 24
    assert found.cpts["d"][0] == pytest.approx(expected)
    total = found.log_likelihood(data)
    by_hand = sum(
        math.log(found.cpts["d"]["ab".index(row.d)]) * (not 5 <= row.Index <= 12)
        + found.log_density({"x": row.x})
        + (found.log_density({"x": row.x, "d": row.d, "y": row.y}) - found.log_density({"x": row.x, "d": row.d}))
        * (row.Index > 9)
        for row in frame.itertuples()
    )
    assert total == pytest.approx(by_hand, rel=1e-10)


@settings(max_examples=15, deadline=None)
@given(SEEDS)
def test_the_likelihood_is_the_density_of_each_row(seed):
    network = random_conditional(seed, 2, 3)
    data = network.sample(6, seed=seed % 2**31)
    frame = data.to_frame()
    total = sum(network.log_density(row) for _, row in frame.iterrows())
    assert network.log_likelihood(data) == pytest.approx(total, rel=1e-9, abs=1e-9)
    assert network.log_likelihood(frame[list(reversed(frame.columns))]) == pytest.approx(total, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("method", ["ml", "posterior-mean"])
def test_fitting_recovers_what_rows_were_drawn_from(method):
    dag = ds.Dag(["d", "x", "y"], [("d", "x"), ("d", "y"), ("x", "y")])
    truth = ds.ConditionalGaussianNetwork(
        dag,
        {"d": ["a", "b"]},
        {"d": [0.3, 0.7]},
        {"x": ds.Regression([1.0, -1.0], [], [0.5, 2.0]), "y": ds.Regression([5.0, 7.0], [[2.0], [-1.0]], [1.0, 0.1])},
    )
    data = truth.sample(40_000, seed=5)
    assert truth.sample(40_000, seed=5) == data
    found = ds.ConditionalGaussianNetwork.fit(dag, data, method)
    # About four standard errors.
    np.testing.assert_allclose(found.cpts["d"], [0.3, 0.7], atol=0.01)
    np.testing.assert_allclose(found.regressions["x"].intercept, [1.0, -1.0], atol=0.05)
    np.testing.assert_allclose(found.regressions["x"].sd, [0.5, 2.0], rtol=0.03)
    np.testing.assert_allclose(found.regressions["y"].coefficients, [[2.0], [-1.0]], atol=0.08)
    np.testing.assert_allclose(found.regressions["y"].sd, [1.0, 0.1], rtol=0.03)
    errors = found.regressions["y"].standard_errors
    assert np.abs(found.regressions["y"].coefficients - [[2.0], [-1.0]]).max() < 5 * errors[:, 1:].max()


def test_huge_offsets_and_tiny_columns_lose_no_digits():
    rng = np.random.default_rng(2)
    x = rng.normal(size=50)
    frame = pd.DataFrame({"x": x, "y": 3 * x + rng.normal(size=50)})
    moved = pd.DataFrame({"x": 1e8 + frame["x"], "y": 1e-12 * frame["y"]})
    dag = ds.Dag(["x", "y"], [("x", "y")])
    for method in ("ml", "posterior-mean"):
        plain = ds.GaussianNetwork.fit(dag, frame, method).regressions["y"]
        found = ds.GaussianNetwork.fit(dag, moved, method).regressions["y"]
        np.testing.assert_allclose(found.coefficients * 1e12, plain.coefficients, rtol=1e-6)
        np.testing.assert_allclose(found.sd * 1e12, plain.sd, rtol=1e-6)


def test_collinear_parents_are_refused_by_least_squares_alone():
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(rng.normal(size=(20, 2)), columns=["x", "z"])
    frame["y"] = 2 * frame["x"]
    dag = ds.Dag(["x", "y", "z"], [("x", "z"), ("y", "z")])
    with pytest.raises(InvalidData, match="the measured parents of 'z' are linearly dependent"):
        ds.GaussianNetwork.fit(dag, frame, "ml")
    found = ds.GaussianNetwork.fit(dag, frame).regressions["z"]
    # Both columns are the same in units of their standard deviations, so that they share the effect.
    assert found.coefficients[0] == pytest.approx(2 * found.coefficients[1], rel=1e-6)
    with pytest.raises(InvalidData, match="'y' is determined by its parents"):
        ds.GaussianNetwork.fit(ds.Dag(["x", "y", "z"], [("x", "y")]), frame, "ml")


@pytest.mark.parametrize("size", [1e2, 1e3, 1e4])
def test_weak_priors_tell_dependent_parents_apart(size):
    rng = np.random.default_rng(6)
    x = size * rng.normal(size=30)
    frame = pd.DataFrame({"x": x, "z": 2 * x, "y": x / size + rng.normal(size=30)})
    dag = ds.Dag(["x", "z", "y"], [("x", "y"), ("z", "y")])
    found = ds.GaussianNetwork.fit(dag, frame, scale="none").regressions["y"]
    expected = posterior_regression(frame.to_numpy().tolist(), [0, 1], 2, range(30), standardize=False)
    np.testing.assert_allclose(found.coefficients, list(map(float, expected[1])), rtol=1e-5)
    np.testing.assert_allclose(found.standard_errors, list(map(float, expected[3])), rtol=1e-5)


@pytest.mark.parametrize("size", [1e6, 1e8, 1e9, 1e30])
def test_priors_that_are_too_weak_for_dependent_columns_are_refused(size):
    rng = np.random.default_rng(6)
    frame = pd.DataFrame(rng.normal(size=(30, 2)), columns=["w", "y"])
    frame["x"] = size * rng.normal(size=30)
    frame["z"] = 2 * frame["x"]
    words = (
        "'x', 'z' are linearly dependent, and the prior is too weak to tell them apart in double precision: "
        "use scale='standardize', or leave one of them out \\(drop\\)"
    )
    for target in ("y", "z"):
        others = [name for name in "wxyz" if name != target]
        dag = ds.Dag(list("wxyz"), [(name, target) for name in others])
        with pytest.raises(InvalidData, match=words):
            ds.GaussianNetwork.fit(dag, frame, scale="none")
        assert ds.GaussianNetwork.fit(dag, frame).regressions[target].sd > 0
    with pytest.raises(InvalidData, match=r"use nu='means', or leave"):
        ds.GaussianNetwork.fit(ds.Dag(list("wxyz"), [("w", "y")]), frame, nu=1e20)
    with pytest.raises(InvalidData, match=r"the prior of 'w' is too far from the data .*: use nu='means'"):
        ds.GaussianNetwork.fit(ds.Dag(list("wxyz")), frame, nu=1e300)
    huge = pd.DataFrame({"d": list("ab") * 15, "x": 1e200 * frame["w"]})
    states = ds.MixedData.from_frame(huge, levels={"d": ["a", "b", "c"]}, numeric=["x"])
    with pytest.raises(InvalidData, match=r"the prior of 'x' is too far from the data .*: use scale='standardize'"):
        ds.ConditionalGaussianNetwork.fit(ds.Dag(["d", "x"], [("d", "x")]), states, scale="none")


FEW = pd.DataFrame({"x": [1.0, 2.0, 3.0], "y": [1.0, 5.0, 2.0]})
CONSTANT = ds.NumericData.from_frame(FEW.assign(y=2.0))
MIXED = ds.MixedData.from_frame(FEW.assign(y=list("aba")), numeric=["x"])


@pytest.mark.parametrize(
    ("dag", "data", "options", "problem"),
    [
        (ds.Dag(["x"]), FEW, {}, "the data have variables that the network lacks: 'y'"),
        (ds.Dag(["x", "y", "z"]), FEW, {}, "the data lack variables of the network: 'z'"),
        (ds.Dag(["x", "y"]), CONSTANT, {}, "lack variables of the network: 'y'; 'y' was set aside"),
        (ds.Dag(["x", "y"]), FEW.assign(y=["a", "b", "a"]), {}, "'a' .* is not a number"),
        (ds.Dag(["x", "y"]), MIXED, {}, "'y' has levels, not numbers"),
        (ds.Dag(["x", "y"], [("x", "y")]), FEW[:2], {"method": "ml"}, "has 2 rows; .* least squares needs 3"),
        (ds.Dag(["x", "y"]), FEW, {"method": "mle"}, "method is 'mle'; .* did you mean 'ml'"),
        (ds.Dag(["x", "y"]), FEW, {"alpha_w": 3}, "alpha_w is 3; with 2 variables, it must be greater than 3"),
        (ds.Dag(["x", "y"]), FEW, {"alpha_w": "n"}, "alpha_w is 'n'; it must be a number, or 'n\\+2'"),
        (ds.Dag(["x", "y"]), FEW, {"nu": "zero"}, "nu is 'zero'; it must be a number, or 'means'"),
        (ds.Dag(["x", "y"]), FEW, {"scale": "unit"}, "scale is 'unit'"),
        (ds.Dag(["x", "y"]), FEW, {"alpha_mu": 0}, "alpha_mu is 0"),
        (ds.Dag(["x", "y"]), 3, {}, "data is an int"),
    ],
)  # fmt: skip
def test_what_cannot_be_fitted(dag, data, options, problem):
    with pytest.raises((InvalidData, InvalidOption), match=problem):
        ds.GaussianNetwork.fit(dag, data, **options)


def test_a_measured_parent_of_a_discrete_variable_is_refused():
    frame = pd.DataFrame({"x": np.linspace(0, 1, 30), "d": list("ab") * 15})
    with pytest.raises(InvalidData, match=r"'d' is discrete and has a measured parent, 'x'.*reverse the edge"):
        ds.ConditionalGaussianNetwork.fit(ds.Dag(["x", "d"], [("x", "d")]), frame)


def test_tables_are_those_of_discrete_networks():
    data = ds.load_network("asia").sample(200, seed=1)
    dag = ds.load_network("asia").dag
    for method, prior in (("posterior-mean", "bdeu"), ("ml", "none")):
        found = ds.ConditionalGaussianNetwork.fit(dag, data, method, ess=3)
        expected = ds.Network.fit(dag, data, 3, prior)
        for name in dag.variables:
            np.testing.assert_array_equal(found.cpts[name], expected.cpts[name])
        assert found.types == expected.types
        assert found.log_likelihood(data) == pytest.approx(expected.log_likelihood(data), rel=1e-12)


def test_columns_that_do_not_vary_are_refused():
    frame = pd.DataFrame({"x": [1.0, 1.0, 1.0], "y": [1.0, 5.0, 2.0]})
    data = ds.NumericData.from_frame(frame, keep_constant=True)
    with pytest.raises(InvalidData, match=r"'x' has the same value in every row, so that it has no variance"):
        ds.GaussianNetwork.fit(ds.Dag(["x", "y"]), data)
    one = ds.NumericData.from_frame(frame[:1], keep_constant=True)
    with pytest.raises(InvalidData, match="the data have one row; a regression needs two or more"):
        ds.GaussianNetwork.fit(ds.Dag(["x", "y"]), one)
    apart = ds.MixedData.from_frame(pd.DataFrame({"d": list("aabb"), "y": [1.0, 1.0, 2.0, 3.0]}), numeric=["y"])
    dag = ds.Dag(["d", "y"], [("d", "y")])
    with pytest.raises(
        InvalidData, match="'y' has a single value in a state of its parents, so that it has no variance"
    ):
        ds.ConditionalGaussianNetwork.fit(dag, apart, "ml")
    assert ds.ConditionalGaussianNetwork.fit(dag, apart).regressions["y"].sd[0] > 0


def test_missing_cells_are_refused():
    frame = pd.DataFrame({"x": [1.0, None, 3.0], "y": [1.0, 5.0, 2.0]})
    data = ds.NumericData.from_frame(frame, missing="keep")
    with pytest.raises(InvalidData, match="the data have missing cells, which a network's parameters cannot use"):
        ds.GaussianNetwork.fit(ds.Dag(["x", "y"]), data)
    network = ds.GaussianNetwork.fit(ds.Dag(["x", "y"]), frame.dropna())
    with pytest.raises(InvalidData, match="the data have missing cells, which the likelihood cannot use"):
        network.log_likelihood(data)
    with pytest.raises(InvalidData, match="the data frame has missing cells, which the likelihood cannot use"):
        network.log_likelihood(frame)
    with pytest.raises(InvalidData, match="the data lack variables of the network: 'y'"):
        network.log_likelihood(frame[["x"]].dropna())
    words = ds.MixedData.from_frame(frame.dropna().assign(y=["a", "b"]), numeric=["x"], nominal=["y"])
    with pytest.raises(InvalidData, match="'y' is measured in the network; the data have levels: 'a', 'b'"):
        network.log_likelihood(words)


def test_too_many_parents_are_refused():
    names = [f"x{i}" for i in range(65)]
    data = ds.NumericData.from_array(np.random.default_rng(0).normal(size=(4, 65)), names)
    with pytest.raises(InvalidData, match="'x64' has 64 parents; the limit is 63"):
        ds.GaussianNetwork.fit(ds.Dag(names, [(name, "x64") for name in names[:64]]), data)
    levels = {f"d{i}": ["a", "b"] for i in range(40)}
    values = np.random.default_rng(0).integers(0, 2, (50, 40)).astype(float)
    x = np.random.default_rng(1).normal(size=(50, 1))
    mixed = ds.MixedData((*levels, "x"), np.hstack([values, x]), levels)
    with pytest.raises(TooLarge, match=r"parameters of 'x' need .*: use a graph with fewer discrete parents"):
        ds.ConditionalGaussianNetwork.fit(ds.Dag(mixed.variables, [(name, "x") for name in levels]), mixed)


@pytest.mark.parametrize("method", ["ml", "posterior-mean"])
def test_units_whose_squares_are_no_doubles(method):
    rng = np.random.default_rng(5)
    x = rng.normal(3, 1, 40)
    frame = pd.DataFrame({"x": x, "y": 2 * x + rng.normal(size=40)})
    dag = ds.Dag(["x", "y"], [("x", "y")])
    expected = ds.GaussianNetwork.fit(dag, frame, method).regressions["y"]
    for unit in (1e-200, 1e-300):
        found = ds.GaussianNetwork.fit(dag, frame * unit, method).regressions["y"]
        np.testing.assert_allclose(found.coefficients, expected.coefficients, rtol=1e-9)
        np.testing.assert_allclose(found.sd / unit, expected.sd, rtol=1e-9)
        np.testing.assert_allclose(found.standard_errors / [unit, 1], expected.standard_errors, rtol=1e-9)
        with pytest.raises(InvalidData, match=r"coefficients of 'y' include .*e\+.*, of at most 1e\+150 in size"):
            ds.GaussianNetwork.fit(dag, frame.assign(x=x * unit), method)
    for unit in (1e155, 1e300):
        with pytest.raises(InvalidData, match=r"of 'x' include .*e\+.*, of at most 1e\+150 in size"):
            ds.GaussianNetwork.fit(dag, frame * unit, method)


def test_digits_of_predictions_far_from_zero():
    """As the documentation says: with a mean of 10^k standard deviations, 16 - k digits are left, up to one."""
    rng = np.random.default_rng(7)
    x = rng.normal(size=50)
    frame = pd.DataFrame({"x": x, "y": 3 * x + rng.normal(size=50)})
    dag = ds.Dag(["x", "y"], [("x", "y")])
    for k in (20, 30, 40):
        # Columns about multiples of 2^k whose digits all fit into a double.
        own = (frame * 1024).round() / 1024
        expected = ds.GaussianNetwork.fit(dag, own).query("y", {"x": 1.0}).mean
        moved = ds.GaussianNetwork.fit(dag, own + 2.0**k).query("y", {"x": 2.0**k + 1}).mean - 2.0**k
        assert abs(moved - expected) < 16 * 2.0 ** (k - 52)
