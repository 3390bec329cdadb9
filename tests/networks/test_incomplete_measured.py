"""Expected moments, likelihood and draws of incomplete rows with measured variables, and EM for regressions."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagscape as ds
import dagscape.networks.gaussian.incomplete as incomplete
from dagscape.core.clock import Clock
from dagscape.data.values import as_mixed
from dagscape.networks.discrete.elimination import Tables
from dagscape.networks.gaussian.incomplete import IncompleteMeasured
from dagscape.networks.gaussian.incomplete_fitting import IncompleteMeasuredFitter
from dagscape.networks.gaussian.model import LinearModel
from dagscape.networks.gaussian.priors import RegressionPrior
from dagscape.networks.gaussian.regression import Regression
from dagscape.networks.gaussian.rows import Rows, rows_to_fit
from oracles.incomplete_measured import expected_moments


def random_problem(seed, share, *, discrete=True, experiments=True):
    """A random conditional Gaussian network, and rows with holes, some of them from experiments."""
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(1, 6)), int(rng.integers(1, 8))
    levels = {v: int(rng.integers(1, 4)) for v in range(n) if discrete and rng.random() < 0.5}
    order = rng.permutation(n).tolist()
    parents = [[] for _ in range(n)]
    for place, v in enumerate(order):
        allowed = [u for u in order[:place] if v not in levels or u in levels]
        parents[v] = sorted(u for u in allowed if rng.random() < 0.6)
    cpts = {v: rng.dirichlet(np.ones(levels[v]), [levels[u] for u in parents[v]]) for v in levels}
    regressions = {}
    for v in range(n):
        if v not in levels:
            shape = [levels[u] for u in parents[v] if u in levels]
            above = [u for u in parents[v] if u not in levels]
            regressions[v] = Regression(
                rng.normal(size=shape), rng.normal(size=(*shape, len(above))), rng.uniform(0.3, 1.5, shape)
            )
    rows = np.stack([rng.integers(0, levels[v], m) if v in levels else rng.normal(size=m) for v in range(n)], axis=1)
    rows = rows.astype(float)
    rows[rng.random(rows.shape) < share] = np.nan
    chosen = np.zeros(rows.shape, dtype=bool)
    if experiments and rng.random() < 0.5:
        chosen = (rng.random(rows.shape) < 0.2) & ~np.isnan(rows)
    return parents, levels, cpts, regressions, rows, chosen, order


def model_of(parents, levels, cpts, regressions, order):
    masks = [sum(1 << u for u in own) for own in parents]
    above = [masks[v] if v in levels else 0 for v in range(len(parents))]
    tables = Tables(above, [cpts.get(v, np.ones(1)) for v in range(len(parents))])
    return masks, LinearModel(masks, tables, regressions, order)


def expectation_of(masks, levels, rows, chosen):
    n = len(masks)
    measured = sum(1 << v for v in range(n) if v not in levels)
    arities = [levels.get(v, 1) for v in range(n)]
    names = [f"X{v}" for v in range(n)]
    return IncompleteMeasured(masks, arities, measured, Rows(rows, chosen if chosen.any() else None), names)


def by_state(regression, parents, levels):
    above = [u for u in parents if u not in levels]
    return {
        state: (
            float(regression.intercept[state]),
            dict(zip(above, regression.coefficients[state].tolist(), strict=True)),
            float(regression.sd[state]),
        )
        for state in np.ndindex(*(levels[u] for u in parents if u in levels))
    }


@given(st.integers(0, 2**32), st.sampled_from([0.1, 0.5, 0.9]), st.booleans(), st.sampled_from([1, 2**20]))
def test_expected_moments_are_those_of_all_configurations(seed, share, discrete, block):
    parents, levels, cpts, regressions, rows, chosen, order = random_problem(seed, share, discrete=discrete)
    masks, model = model_of(parents, levels, cpts, regressions, order)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(incomplete, "_BLOCK", block)
        found = expectation_of(masks, levels, rows, chosen).expected(model)
    plain = {v: by_state(regression, parents[v], levels) for v, regression in regressions.items()}
    counts, moments, log_likelihood = expected_moments(parents, levels, cpts, plain, rows, chosen)
    assert found.log_likelihood == pytest.approx(log_likelihood, abs=1e-8)
    for v, count in counts.items():
        np.testing.assert_allclose(found.counts[v], count, atol=1e-8)
    for v, states in moments.items():
        shape = [levels[u] for u in parents[v] if u in levels]
        for cell, state in enumerate(np.ndindex(*shape)):
            rows_of, sums, products = states.get(state, (0.0, 0.0, 0.0))
            own = found.moments[v]
            np.testing.assert_allclose(own.rows[cell], rows_of, atol=1e-8)
            np.testing.assert_allclose(own.sums[cell], np.broadcast_to(sums, own.sums[cell].shape), atol=1e-8)
            np.testing.assert_allclose(
                own.products[cell], np.broadcast_to(products, own.products[cell].shape), atol=1e-7
            )


def test_draws_have_the_moments_of_the_holes():
    parents, levels = [[], [0], [0, 1], [2]], {0: 2}
    cpts = {0: np.array([0.3, 0.7])}
    regressions = {
        1: Regression([0.0, 1.0], np.zeros((2, 0)), [1.0, 0.5]),
        2: Regression([0.0, -1.0], [[0.5], [2.0]], [1.0, 0.4]),
        3: Regression(0.5, [1.0], 0.7),
    }
    masks, model = model_of(parents, levels, cpts, regressions, [0, 1, 2, 3])
    copies = 40_000
    rows = np.tile([np.nan, np.nan, np.nan, 1.3], (copies, 1))
    none = np.zeros(rows.shape, dtype=bool)
    expectation = expectation_of(masks, levels, rows, none)
    drawn = expectation.draw(model, np.random.default_rng(3))
    found = expectation.expected(model)
    assert drawn[:, 3].tolist() == rows[:, 3].tolist()
    np.testing.assert_allclose(np.bincount(drawn[:, 0].astype(int)), found.counts[0], rtol=0.03)
    for level in (0, 1):
        own = drawn[drawn[:, 0] == level][:, 1:3]
        moments = found.moments[2]
        np.testing.assert_allclose(own.sum(axis=0) / copies, moments.sums[level] / copies, atol=0.02)
        np.testing.assert_allclose(own.T @ own / copies, moments.products[level] / copies, atol=0.03)


def test_rows_with_too_many_configurations_are_refused():
    data = mixed_data(1, n_discrete=13)
    dag = ds.Dag(data.variables)
    with pytest.raises(
        ds.TooLarge, match=r"a row lacks 13 discrete variables .* 8,192 joint states; .* limit is 4,096"
    ):
        ds.ConditionalGaussianNetwork.fit(dag, data, missing="em")


def mixed_data(seed, m=60, share=0.25, n_discrete=2):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, (m, n_discrete))
    labels[:, 1] = np.where(rng.random(m) < 0.8, labels[:, 0], labels[:, 1])
    x = labels[:, 0] + rng.normal(size=m)
    y = 10 + 2 * x * labels[:, 1] + rng.normal(size=m)
    frame = pd.DataFrame(np.where(labels == 1, "b", "a"), columns=[f"d{i}" for i in range(n_discrete)])
    frame = frame.assign(x=x, y=y).astype(object)
    frame = frame.mask(rng.random(frame.shape) < share)
    frame.iloc[0] = ["a"] * n_discrete + [0.1, 9.5]
    frame.iloc[1] = ["b"] * n_discrete + [0.9, 11.5]
    frame.loc[2, [f"d{i}" for i in range(n_discrete)]] = None
    return ds.MixedData.from_frame(frame.astype({"x": float, "y": float}), missing="keep", numeric=["x", "y"])


MIXED_DAG = ds.Dag.from_edges(["d0", "d1", "x", "y"], [("d0", "d1"), ("d0", "x"), ("d1", "y"), ("x", "y")])


def numeric_data(seed, m=50, share=0.3):
    rng = np.random.default_rng(seed)
    a = 100 + rng.normal(size=m)
    b = 3 * a + rng.normal(size=m)
    c = 0.1 * b + 0.2 * rng.normal(size=m)
    values = np.stack([a, b, c], axis=1)
    values[rng.random(values.shape) < share] = np.nan
    values[:2] = [[99.0, 297.5, 29.8], [101.2, 303.1, 30.4]]
    return ds.NumericData.from_array(values, ["a", "b", "c"], missing="keep")


NUMERIC_DAG = ds.Dag.from_edges(["a", "b", "c"], [("a", "b"), ("b", "c"), ("a", "c")])


def fitter_of(dag, data, method):
    mixed = as_mixed(data)
    rows = rows_to_fit(dag.variables, mixed, incomplete=True)
    return IncompleteMeasuredFitter(dag, rows, mixed.levels, method, 1.0, RegressionPrior())


@settings(max_examples=15)
@given(st.integers(0, 10**6), st.sampled_from(["ml", "posterior-mean"]), st.booleans())
def test_the_objective_never_falls(seed, method, discrete):
    data, dag = (mixed_data(seed, m=120), MIXED_DAG) if discrete else (numeric_data(seed), NUMERIC_DAG)
    fitter = fitter_of(dag, data, method)
    model, *_ = fitter._starts(1, 0, None)
    objectives = []
    for _ in range(12):
        step = fitter._step(model)
        objectives.append(step.objective)
        model = step.parameters
    assert (np.diff(objectives) >= -1e-8).all()


@pytest.mark.parametrize("method", ["ml", "posterior-mean"])
@pytest.mark.parametrize(("data", "dag"), [(mixed_data(4, m=100), MIXED_DAG), (numeric_data(4), NUMERIC_DAG)])
def test_em_ends_where_the_objective_is_flat(data, dag, method):
    fitter = fitter_of(dag, data, method)
    ended = fitter.fit(clock=Clock(), tolerance=1e-9, max_iterations=5000)
    top = fitter._step(ended.parameters).objective
    assert top == pytest.approx(ended.fit.objectives[-1])
    rng = np.random.default_rng(0)
    for _ in range(20):
        near = fitter._model(
            {
                v: 0.999 * table + 0.001 * rng.dirichlet(np.ones(2), table.shape[:-1])
                for v, table in enumerate(ended.parameters.tables.cpts)
                if v not in ended.parameters.regressions
            },
            {
                v: Regression(
                    own.intercept + 1e-3 * rng.normal(size=own.intercept.shape),
                    own.coefficients + 1e-3 * rng.normal(size=own.coefficients.shape),
                    own.sd * np.exp(1e-3 * rng.normal(size=own.sd.shape)),
                )
                for v, own in ended.parameters.regressions.items()
            },
        )
        assert fitter._step(near).objective < top + 1e-6


@pytest.mark.parametrize("method", ["ml", "posterior-mean"])
def test_complete_rows_are_fitted_as_without_em(method):
    data = numeric_data(2, share=0)
    plain = ds.GaussianNetwork.fit(NUMERIC_DAG, data, method)
    em = ds.GaussianNetwork.fit(NUMERIC_DAG, data, method, missing="em")
    for name, parents in (("a", 0), ("b", 1), ("c", 2)):
        own, other = em.regressions[name], plain.regressions[name]
        np.testing.assert_allclose(own.coefficients, other.coefficients, rtol=1e-7)
        np.testing.assert_allclose(own.intercept, other.intercept, rtol=1e-6)
        # The denominator of maximum likelihood is m, without EM m - p - 1.
        ratio = ((data.m - parents - 1) / data.m) ** 0.5 if method == "ml" else 1.0
        assert own.sd == pytest.approx(other.sd * ratio)
    assert em.incomplete_fit.log_likelihood == pytest.approx(em.log_likelihood(data))


def test_complete_mixed_rows_are_fitted_as_without_em():
    data = mixed_data(2, share=0, m=80)
    kept = ds.MixedData.from_frame(data.to_frame().dropna())
    plain = ds.ConditionalGaussianNetwork.fit(MIXED_DAG, kept)
    em = ds.ConditionalGaussianNetwork.fit(MIXED_DAG, kept, missing="em")
    for name in ("x", "y"):
        np.testing.assert_allclose(em.regressions[name].coefficients, plain.regressions[name].coefficients, atol=1e-9)
        np.testing.assert_allclose(em.regressions[name].sd, plain.regressions[name].sd, rtol=1e-9)
    for name in ("d0", "d1"):
        np.testing.assert_allclose(em.cpts[name], plain.cpts[name], rtol=1e-9)
    assert em.incomplete_fit.log_likelihood == pytest.approx(em.log_likelihood(kept))


@pytest.mark.parametrize("scale", [1.0, 1000.0])
@pytest.mark.parametrize("discrete", [False, True])
def test_numbers_that_were_set_have_no_density(scale, discrete):
    rng = np.random.default_rng(0)
    x = 5 * rng.normal(size=50)
    y = 2 * x + rng.normal(size=50)
    rows = scale * np.stack([x, y, y - x + 3 * rng.normal(size=50)], axis=1)
    rows[45, 1] = np.nan
    marks = np.zeros(rows.shape, dtype=bool)
    marks[:20, 0] = True
    if discrete:
        # A discrete variable apart from the others, with one level.
        frame = pd.DataFrame(rows, columns=list("xyz")).assign(d="a")
        data = ds.MixedData.from_frame(frame, missing="keep", keep_constant=True)
        data = replace(data, interventions=np.column_stack([marks, np.zeros(50, dtype=bool)]))
        dag = ds.Dag.from_edges(data.variables, [("x", "y"), ("y", "z")])
        found = ds.ConditionalGaussianNetwork.fit(dag, data, "ml", missing="em")
    else:
        data = replace(ds.NumericData.from_array(rows, list("xyz"), missing="keep"), interventions=marks)
        dag = ds.Dag.from_edges(list("xyz"), [("x", "y"), ("y", "z")])
        found = ds.GaussianNetwork.fit(dag, data, "ml", missing="em")
    plain = {v: by_state(found.regressions[name], [[], [0], [1]][v], {}) for v, name in enumerate("xyz")}
    _, _, expected = expected_moments([[], [0], [1]], {}, {}, plain, data.values[:, :3], data.interventions[:, :3])
    assert found.incomplete_fit.log_likelihood == pytest.approx(expected, abs=1e-8)
    assert found.incomplete_fit.objectives[-1] == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("method", ["posterior-mean", "ml"])
def test_the_table_of_a_level_that_was_always_set_is_that_of_complete_rows(method):
    rng = np.random.default_rng(2)
    g = rng.random(60) < 0.85
    y = 2 * g + rng.normal(size=60)
    frame = pd.DataFrame({"g": np.where(g, "b", "a"), "y": y, "w": y + rng.normal(size=60)})
    dag = ds.Dag.from_edges(["g", "y", "w"], [("g", "y"), ("y", "w")])

    def fitted(table, **options):
        data = ds.MixedData.from_frame(table, missing="keep")
        marks = np.zeros((60, 3), dtype=bool)
        marks[:, data.variables.index("g")] = True
        return ds.ConditionalGaussianNetwork.fit(dag, replace(data, interventions=marks), method, **options)

    found = fitted(frame.assign(y=np.where(np.arange(60) < 1, np.nan, y)), missing="em")
    np.testing.assert_allclose(found.cpts["g"], fitted(frame).cpts["g"])
    # Of rows that do not say what was chosen, nothing is counted.
    lacking = fitted(frame.assign(g=frame["g"].where(np.arange(60) > 4)), missing="em").cpts["g"]
    counts = frame["g"][5:].value_counts()[["a", "b"]].to_numpy() + (0.5 if method == "posterior-mean" else 0)
    np.testing.assert_allclose(lacking, counts / counts.sum())
    assert found.incomplete_fit.converged
    assert found.incomplete_fit.iterations > 0
    assert (np.diff(found.incomplete_fit.objectives) >= 0).all()


def test_a_normal_sample_with_holes_in_one_column_has_the_known_answer():
    # With x complete, the maximum is that of x alone, and of the regression in complete rows.
    rng = np.random.default_rng(8)
    x = rng.normal(size=200)
    y = 1 + 2 * x + rng.normal(size=200)
    hidden = np.where(x > 0.3, np.nan, y)
    data = ds.NumericData.from_array(np.stack([x, hidden], axis=1), ["x", "y"], missing="keep")
    found = ds.GaussianNetwork.fit(
        ds.Dag.from_edges(["y", "x"], [("y", "x")]), data, "ml", missing="em", tolerance=1e-10, max_iterations=10_000
    )
    shown = ~np.isnan(hidden)
    slope, intercept = np.polyfit(x[shown], y[shown], 1)
    rest = np.mean((y[shown] - intercept - slope * x[shown]) ** 2)
    mean = intercept + slope * x.mean()
    assert found.mean == pytest.approx([mean, x.mean()], abs=1e-4)
    expected = [[rest + slope**2 * x.var(), slope * x.var()], [slope * x.var(), x.var()]]
    np.testing.assert_allclose(found.covariance, expected, rtol=1e-3)


def test_frames_starts_and_pickles():
    data = mixed_data(6)
    found = ds.ConditionalGaussianNetwork.fit(MIXED_DAG, data, missing="em", starts=3)
    assert len(found.incomplete_fit.ends) == 3
    copy = pickle.loads(pickle.dumps(found))
    assert copy == found
    assert copy.incomplete_fit == found.incomplete_fit
    numeric = numeric_data(6)
    network = ds.GaussianNetwork.fit(NUMERIC_DAG, numeric.to_frame(), missing="em")
    assert network == ds.GaussianNetwork.fit(NUMERIC_DAG, numeric, missing="em")
    assert pickle.loads(pickle.dumps(network)).incomplete_fit == network.incomplete_fit
    assert network.do({"a": 100.0}).incomplete_fit is None


def test_maximum_likelihood_needs_rows_and_variance():
    few = ds.NumericData.from_array([[1.0, 2.0], [2.0, np.nan], [np.nan, 3.5]], ["a", "b"], missing="keep")
    dag = ds.Dag.from_edges(["a", "b"], [("a", "b")])
    ds.GaussianNetwork.fit(dag, few, missing="em")
    with pytest.raises(ds.InvalidData, match="'b' is determined by its parents"):
        ds.GaussianNetwork.fit(dag, few, "ml", missing="em", tolerance=0, max_iterations=5000)
    mixed = mixed_data(1, m=12, share=0.1)
    with pytest.raises(ds.InvalidData, match=r"has .* expected rows in a state of its discrete parents; .* needs"):
        ds.ConditionalGaussianNetwork.fit(
            ds.Dag.from_edges(["d0", "d1", "x", "y"], [("d0", "y"), ("d1", "y"), ("x", "y")]), mixed, "ml", missing="em"
        )
