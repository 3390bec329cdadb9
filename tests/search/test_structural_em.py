"""Structural EM: expected scores against enumeration, observed scores, and what ends it."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagscape as ds
from dagscape.core.clock import Clock
from dagscape.networks.discrete.completing import COPIES, MOST_STATES, completed_rows
from dagscape.networks.discrete.incomplete import IncompleteCounter, IncompleteRows
from dagscape.report.learning import render_learned
from dagscape.scores.expected import expected_job
from dagscape.scores.tables.on_demand import on_demand_scores
from dagscape.search import structural_em
from dagscape.search.incomplete_kinds import IncompleteColumns, IncompleteLevels, IncompleteMixed
from oracles.incomplete_measured import expected_moments
from oracles.incomplete_rows import completions, row_probability


def levels_data(seed, n=4, m=60, share=0.3, arity=3):
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, arity, (m, n)).astype(object)
    for v in range(1, n):
        rows[:, v] = np.where(rng.random(m) < 0.7, rows[:, v - 1], rows[:, v])
    rows[rng.random(rows.shape) < share] = None
    for level in range(arity):
        rows[level] = level
    return ds.Dataset.from_array(rows, [f"X{i}" for i in range(n)], missing="keep")


def numbers(seed, m=80, share=0.3):
    rng = np.random.default_rng(seed)
    a = rng.normal(5, 1, m)
    b = 2 * a + rng.normal(size=m)
    c = rng.normal(size=m)
    d = b - c + rng.normal(size=m)
    values = np.stack([a, b, c, d], axis=1)
    values[rng.random(values.shape) < share] = np.nan
    return ds.NumericData.from_array(values, list("abcd"), missing="keep")


def mixed(seed, m=150, share=0.2):
    rng = np.random.default_rng(seed)
    group, kind = rng.integers(0, 2, m), rng.integers(0, 3, m)
    kind = np.where(rng.random(m) < 0.6, group, kind)
    x = 2 * group + rng.normal(size=m)
    y = x * (kind + 1) + rng.normal(size=m)
    frame = pd.DataFrame({"group": np.array(["u", "v"])[group], "kind": np.array(["k", "l", "m"])[kind]}).astype(object)
    frame = frame.assign(x=x, y=y)
    frame = frame.mask(rng.random(frame.shape) < share)
    return ds.MixedData.from_frame(frame, missing="keep", numeric=["x", "y"])


def expected_bic(data, dag, tables, child, parents):
    """BIC of a family by its definition, with the counts of all completions under a network."""
    rows = IncompleteRows.of(dag.variables, data)
    arities = [len(data.levels[name]) for name in dag.variables]
    above = [[dag.number(u) for u in dag.parents(name)] for name in dag.variables]
    members = [*(dag.number(u) for u in parents), dag.number(child)]
    counts = np.zeros([arities[v] for v in members])
    for row, weight in zip(rows.codes.tolist(), rows.weights, strict=True):
        every = [
            (full, row_probability(above, tables, full, [False] * len(arities))) for full in completions(row, arities)
        ]
        total = sum(p for _, p in every)
        for full, p in every:
            counts[tuple(full[v] for v in members)] += weight * p / total
    shares = counts / np.maximum(counts.sum(axis=-1, keepdims=True), 1e-300)
    price = math.log(data.m) / 2 * (counts.shape[-1] - 1) * (counts.size // counts.shape[-1])
    return float((counts * np.log(shares, where=counts > 0, out=np.zeros(counts.shape))).sum()) - price


@settings(max_examples=10)
@given(st.integers(0, 10**6), st.sampled_from([0.1, 0.4]))
def test_scores_of_completed_rows_are_those_of_expected_counts(seed, share):
    data = levels_data(seed, share=share, arity=2)
    kind = IncompleteLevels(data)
    fitted = kind.fit(kind.tree(None), Clock())
    completed = kind.complete(fitted, np.random.default_rng(0))
    assert completed.copies == COPIES
    assert completed.data.m == COPIES * data.m
    scores = on_demand_scores(expected_job(completed.data, completed.copies, {}))
    for child, parents in (("X0", ()), ("X1", ("X0",)), ("X2", ("X0", "X3")), ("X3", ("X0", "X1", "X2"))):
        exact = expected_bic(data, fitted.dag, fitted.parameters, child, parents)
        # Weights are multiples of 1/256.
        assert scores.family(child, parents) / completed.copies == pytest.approx(exact, abs=0.5)


def test_rows_with_many_holes_are_drawn():
    n = 7
    counter = IncompleteCounter([0] * n, [2] * n, IncompleteRows(np.full((1, n), -1), np.array([3])))
    tables = [np.array([0.25, 0.75])] * n
    found = completed_rows(counter, tables, np.random.default_rng(1))
    assert 2**n > MOST_STATES
    assert len(found.codes) == 16
    assert found.weights.sum() == 3 * COPIES
    assert found.codes.min() == 0


def test_columns_of_numbers_have_the_expected_moments():
    data = numbers(3)
    kind = IncompleteColumns(data)
    fitted = kind.fit(kind.tree(None), Clock())
    completed = kind.complete(fitted, np.random.default_rng(0)).data
    cpts, regressions = fitted.fitter.in_units(fitted.parameters)
    assert not cpts
    dag = fitted.dag
    order = [data.variables.index(name) for name in dag.variables]
    parents = [[dag.number(u) for u in dag.parents(name)] for name in dag.variables]
    plain = {
        v: {(): (float(r.intercept), dict(zip(parents[v], r.coefficients.tolist(), strict=True)), float(r.sd))}
        for v, r in enumerate(regressions[name] for name in dag.variables)
    }
    rows = data.values[:, order]
    _, moments, _ = expected_moments(parents, {}, {}, plain, rows, np.zeros(rows.shape, dtype=bool))
    own = completed.values[:, order]
    assert completed.m == data.m
    for v, above in enumerate(parents):
        _, sums, products = moments[v][()]
        members = [*above, v]
        np.testing.assert_allclose(own[:, members].sum(axis=0), sums, rtol=1e-8)
        np.testing.assert_allclose(own[:, members].T @ own[:, members], products, rtol=1e-8)


COMPLETE = ds.load_network("asia").sample(500, seed=3)


@pytest.mark.parametrize("options", [{}, {"structure_prior": "edge-penalty:1.5"}, {"max_parents": 1}])
def test_complete_rows_are_learned_as_without_em(options):
    plain = ds.learn(COMPLETE, "optimal", score="bic", settings="fixed", **options)
    em = ds.learn(COMPLETE, "optimal", missing="em", settings="fixed", **options)
    assert em.score == pytest.approx(plain.score, abs=1e-6)
    assert em.score_info.score == "bic"
    assert em.score_info.data == COMPLETE.fingerprint
    assert em.details["incomplete_rows"] == 0


def test_complete_numbers_are_learned_as_without_em():
    data = numbers(1, share=0)
    plain = ds.learn(data, "optimal", score="bic-g")
    em = ds.learn(data, "optimal", missing="em")
    assert ds.compare(em.network, plain.network)["shd"] == 0
    fitted = ds.GaussianNetwork.fit(em.network, data, "ml", missing="em")
    count = fitted.parameter_count
    assert em.score == pytest.approx(fitted.log_likelihood(data) - math.log(data.m) / 2 * count)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("data_of", [levels_data, numbers, mixed])
def test_the_observed_score_never_falls_and_is_that_of_the_network(data_of, seed):
    data = data_of(seed)
    found = ds.learn(data, "tabu", missing="em", starts=3, seed=seed)
    for start in ("start 1", "start 2", "start 3"):
        scores = [step.score for step in found.trace if step.move[1] == start]
        assert (np.diff(scores) > 0).all()
    assert found.score == max(step.score for step in found.trace) == max(found.details["ends"])
    log_likelihood = found.details["log_likelihood"]
    if isinstance(data, ds.Dataset):
        network = ds.Network.fit(found.network, data, prior="none", missing="em", tolerance=1e-9)
        penalty = math.log(data.m) / 2 * network.parameter_count
    elif isinstance(data, ds.NumericData):
        network = ds.GaussianNetwork.fit(found.network, data, "ml", missing="em", tolerance=1e-9)
        penalty = math.log(data.m) / 2 * network.parameter_count
    else:
        network = ds.ConditionalGaussianNetwork.fit(found.network, data, missing="em", tolerance=1e-9)
        penalty = math.log(data.m) / 2 * network.parameter_count
    assert found.score == pytest.approx(log_likelihood - penalty)
    # EM ended with little left to gain.
    assert network.incomplete_fit.log_likelihood == pytest.approx(log_likelihood, abs=1.0)


def test_dependences_are_found_among_holes():
    found = ds.learn(numbers(2, m=400, share=0.2), "ges", missing="em")
    pairs = {frozenset(edge) for edge in found.network.edges}
    assert pairs == {frozenset("ab"), frozenset("bd"), frozenset("cd")}
    names = ds.learn(mixed(2, m=400), "order", missing="em").network
    assert "y" in names.children("x") or "x" in names.children("y")
    assert not any(parent in "xy" for child in ("group", "kind") for parent in names.parents(child))


def test_trees_have_no_measured_parent_of_a_discrete_variable():
    data = mixed(4)
    kind = IncompleteMixed(data)
    for rng in (None, np.random.default_rng(1), np.random.default_rng(2)):
        tree = kind.tree(rng)
        assert tree.edge_count == data.n - 1
        assert not any(parent in data.measured for child in data.discrete for parent in tree.parents(child))


def test_constraints_hold_and_seeds_repeat():
    data = levels_data(5, n=5, m=120)
    options = {"required": [("X4", "X0")], "forbidden": [("X0", "X1"), ("X1", "X0")], "max_parents": 2}
    found = ds.learn(data, "tabu", missing="em", seed=4, starts=2, **options)
    assert ("X4", "X0") in found.network.edges
    assert not {("X0", "X1"), ("X1", "X0")} & {*found.network.edges}
    again = ds.learn(data, "tabu", missing="em", seed=4, starts=2, **options)
    assert (again.network, again.score, again.details) == (found.network, found.score, found.details)
    assert found == ds.Learned.from_dict(found.to_dict())
    given = ds.learn(data, "tabu", missing="em", start=found.network, **options)
    assert given.score >= found.score - 0.05  # what EM may leave to gain


def test_frames_files_and_kinds(tmp_path):
    data = levels_data(6)
    frame = data.to_frame()
    frame.to_csv(tmp_path / "x.csv", index=False)
    found = ds.learn(frame, "ges", missing="em")
    assert found.network == ds.learn(tmp_path / "x.csv", "ges", missing="em").network
    table = mixed(1)
    assert ds.learn(table.to_frame(), "ges", missing="em", score="bic-cg").score_info.score == "bic-cg"
    assert ds.learn(table.to_frame(), "ges", missing="em", score="auto").score_info.score == "bic-cg"
    only = ds.MixedData.from_frame(table.to_frame()[["x", "y"]], missing="keep")
    assert ds.learn(only, "ges", missing="em").score_info.score == "bic-g"
    labels = ds.MixedData.from_frame(table.to_frame()[["group", "kind"]], missing="keep")
    assert ds.learn(labels, "ges", missing="em").score_info.score == "bic"


def test_randomised_variables_have_no_parents():
    data = levels_data(7, share=0.1)
    frame = data.to_frame()
    frame["X2"] = frame["X2"].fillna(1)
    kept = ds.Dataset.from_frame(frame, missing="keep")
    found = ds.learn(kept, "tabu", missing="em", randomised=["X2"])
    assert found.network.parents("X2") == ()
    table = numbers(7).to_frame()
    table["b"] = table["b"].fillna(0.5)
    found = ds.learn(ds.NumericData.from_frame(table, missing="keep"), "tabu", missing="em", randomised=["b"])
    assert found.network.parents("b") == ()


def test_experiments_are_used():
    data = levels_data(8, share=0.0, m=200)
    frame = data.to_frame()
    rng = np.random.default_rng(8)
    frame = frame.mask(rng.random(frame.shape) < 0.1)
    targets = ["X1" if i % 4 == 0 and not pd.isna(frame["X1"][i]) else "" for i in range(len(frame))]
    kept = ds.Dataset.from_frame(frame, missing="keep", interventions=targets)
    found = ds.learn(kept, "tabu", missing="em")
    assert found.score_info.experimental_rows == kept.experimental_rows > 0


def test_few_rows_of_many_numbers_are_refused():
    values = np.random.default_rng(0).normal(size=(5, 6))
    values[0, 0] = np.nan
    data = ds.NumericData.from_array(values, missing="keep")
    with pytest.raises(
        ds.InvalidData, match=r"the data have 5 rows; the expected covariances of 6 variables .* need 7"
    ):
        ds.learn(data, "ges", missing="em", start=ds.Dag(data.variables))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"score": "bdeu"}, r"score is 'bdeu'; with missing='em', it must be 'bic' \(discrete data\), 'bic-g'"),
        ({"method": "mmhc"}, "method is 'mmhc', which looks at rows; with missing='em', the search must need scores"),
        ({"method": "curriculum"}, "method is 'curriculum', which looks at rows"),
        ({"starts": 0}, "starts is 0; it must be an integer of at least 1"),
        ({"max_iterations": 0.5}, "max_iterations is 0.5; it must be an integer of at least 1"),
        ({"settings": "all"}, "settings is 'all'; it must be one of 'best', 'fixed'"),
        ({"missing": "level"}, "missing is 'level'; it must be one of 'error', 'em'"),
        ({"structure_prior": lambda child, parents: 0.0}, "structure_prior must be a named prior or log-odds"),
        ({"missing": "error", "starts": 2}, "method 'order' has no option 'starts'"),
    ],
)
def test_wrong_options_are_refused(options, message):
    with pytest.raises(ds.InvalidOption, match=message):
        ds.learn(levels_data(0), **{"missing": "em", **options})


@pytest.mark.parametrize(
    ("start", "message"),
    [
        ("em.json", "start is a str; it must be a Dag or a Network"),
        (5, "start is an int; it must be a Dag or a Network"),
        (ds.Dag(["a", "b"]), "start"),
    ],
)
def test_only_networks_of_the_data_are_starts(start, message):
    with pytest.raises((ds.InvalidData, ds.InvalidOption), match=message):
        ds.learn(levels_data(0), missing="em", start=start)


def test_scores_cannot_be_completed():
    with pytest.raises(ds.InvalidOption, match="missing is 'em', which needs data, not scores"):
        ds.learn(ds.local_scores(COMPLETE), missing="em")


def test_time_ends_it():
    with pytest.warns(ds.StoppedEarly, match="structural EM reached max_seconds: the network is the best found"):
        found = ds.learn(levels_data(1), "ges", missing="em", max_seconds=1e-6, starts=3)
    assert not found.complete
    assert len(found.details["ends"]) == 1
    assert found.stopped_by == "the time limit"
    with pytest.warns(ds.StoppedEarly, match="structural EM reached max_iterations"):
        found = ds.learn(levels_data(1), "ges", missing="em", max_iterations=1)
    assert repr(found).endswith(", stopped by the limit on iterations)")


def test_ctrl_c_keeps_the_best(monkeypatch):
    fits = []
    fit = IncompleteLevels.fit

    def interrupted(self, dag, clock, completed=None):
        fits.append(dag)
        if len(fits) == 3:
            raise KeyboardInterrupt
        return fit(self, dag, clock, completed)

    monkeypatch.setattr(IncompleteLevels, "fit", interrupted)
    with pytest.warns(ds.StoppedEarly, match="Ctrl-C ended structural EM: the network is the best found by then"):
        found = ds.learn(levels_data(1), "ges", missing="em", starts=4)
    assert not found.complete
    assert found.provenance.parameters["interrupted"]
    assert repr(found).endswith(", stopped by Ctrl-C)")
    assert "; stopped by Ctrl-C" in str(render_learned(found)[0])
    fits[:] = [None, None]
    with pytest.raises(KeyboardInterrupt):
        ds.learn(levels_data(1), "ges", missing="em")


def test_progress_is_reported(monkeypatch):
    seen = []
    ds.learn(levels_data(1), "ges", missing="em", starts=2, progress=lambda progress: seen.append(progress.task))
    assert "Structural EM, start 1 of 2" in seen
    assert structural_em.MAX_ITERATIONS == 20
