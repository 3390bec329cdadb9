"""Queries and predictions of networks with measured variables, against all states and matrices of 50 digits."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagscape as ds
from dagscape.core.errors import InvalidData, InvalidOption, NothingObserved, TooLarge
from networks.samples import random_conditional
from oracles.measured_networks import answer

SEEDS = st.integers(0, 2**32 - 1)


def some_evidence(network, rng, target, share=0.5):
    """Codes of discrete variables and numbers of measured ones, near what the network would draw."""
    found = {}
    for name in network.variables:
        if name == target or rng.random() > share:
            continue
        found[name] = int(rng.integers(len(network.levels[name]))) if name in network.levels else rng.normal(0, 2)
    return found


def in_words(network, evidence):
    return {name: network.levels[name][value] if name in network.levels else value for name, value in evidence.items()}


def check_answer(network, target, evidence, found):
    expected, _ = answer(network, target, evidence)
    if target in network.levels:
        np.testing.assert_allclose(found.to_numpy(), [float(share) for share in expected], rtol=1e-8, atol=1e-12)
        return
    mean, variance = map(float, expected)
    assert found.mean == pytest.approx(mean, rel=1e-8, abs=1e-9)
    assert found.sd == pytest.approx(variance**0.5, rel=1e-6)


@settings(max_examples=60, deadline=None)
@given(SEEDS)
def test_answers_are_those_of_all_states(seed):
    rng = np.random.default_rng(seed)
    network = random_conditional(seed, *rng.integers(0, 4, 2) + np.array([0, 1]))
    target = str(rng.choice(network.variables))
    evidence = some_evidence(network, rng, target)
    words = in_words(network, evidence)
    check_answer(network, target, evidence, network.query(target, words))
    _, log_density = answer(network, None, evidence)
    assert network.log_density(words) == pytest.approx(float(log_density), rel=1e-9, abs=1e-9)


@settings(max_examples=30, deadline=None)
@given(SEEDS)
def test_predictions_are_queries_of_each_row(seed):
    rng = np.random.default_rng(seed)
    network = random_conditional(seed, *rng.integers(0, 4, 2) + np.array([0, 1]))
    target = str(rng.choice(network.variables))
    rows = [in_words(network, some_evidence(network, rng, target, share)) for share in (0.3, 0.6, 0.6, 0.9, 1.0, 1.0)]
    frame = pd.DataFrame(rows, columns=list(network.variables)).drop(columns=target)
    if not frame.shape[1]:
        return
    found = network.predict(frame, target)
    for place, row in enumerate(rows):
        answered = network.query(target, row)
        if target in network.levels:
            np.testing.assert_allclose(found.iloc[place], answered, rtol=1e-9, atol=1e-12)
        else:
            expected = [answered.mean, answered.sd, *(answered.quantile(level) for level in (0.025, 0.5, 0.975))]
            np.testing.assert_allclose(found.iloc[place], expected, rtol=1e-8, atol=1e-9)


@settings(max_examples=40, deadline=None)
@given(SEEDS)
def test_setting_variables_is_the_network_without_their_families(seed):
    """The truncated product, by definition: the same tables and regressions without those that were set."""
    rng = np.random.default_rng(seed)
    network = random_conditional(seed, *rng.integers(0, 3, 2) + np.array([0, 2]))
    target, chosen = map(str, rng.choice(network.variables, 2, replace=False))
    evidence = some_evidence(network, rng, target)
    evidence.pop(chosen, None)
    value = int(rng.integers(len(network.levels[chosen]))) if chosen in network.levels else rng.normal()
    found = network.query(target, in_words(network, evidence), do=in_words(network, {chosen: value}))
    dag = network.dag.with_parents(chosen, [])
    cpts, regressions = dict(network.cpts), dict(network.regressions)
    if chosen in network.levels:
        cpts[chosen] = np.eye(len(network.levels[chosen]))[value]
        set_ = ds.ConditionalGaussianNetwork(dag, network.levels, cpts, regressions)
        check_answer(set_, target, evidence, found)
        return
    # Whatever distribution the set variable had, it is observed, and has no parents.
    regressions[chosen] = ds.Regression(value, [], 1.0)
    kind = ds.ConditionalGaussianNetwork if network.levels else ds.GaussianNetwork
    parts = (network.levels, cpts, regressions) if network.levels else (regressions,)
    check_answer(kind(dag, *parts), target, evidence | {chosen: value}, found)


@settings(max_examples=25, deadline=None)
@given(SEEDS)
def test_rows_of_experiments_say_nothing_about_causes(seed):
    rng = np.random.default_rng(seed)
    network = random_conditional(seed, 2, 3)
    target = str(rng.choice(network.variables))
    values = np.column_stack(
        [
            rng.integers(len(network.levels[name]), size=5).astype(float)
            if name in network.levels
            else rng.normal(size=5)
            for name in network.variables
        ]
    )
    marks = rng.random(values.shape) < 0.4
    marks[:, network.variables.index(target)] = False
    data = ds.MixedData(network.variables, values, dict(network.levels), marks)
    found = network.predict(data, target)
    for row, mark, predicted in zip(values, marks, found.itertuples(index=False), strict=True):
        cells = {
            name: int(value) if name in network.levels else float(value)
            for name, value in zip(network.variables, row, strict=True)
            if name != target
        }
        set_ = [name for name, was_set in zip(network.variables, mark, strict=True) if was_set]
        seen = in_words(network, {name: value for name, value in cells.items() if name not in set_})
        answered = network.query(target, seen, do=in_words(network, {name: cells[name] for name in set_}))
        if target in network.levels:
            np.testing.assert_allclose(list(predicted), answered, rtol=1e-8, atol=1e-12)
        else:
            np.testing.assert_allclose(list(predicted)[:2], [answered.mean, answered.sd], rtol=1e-8, atol=1e-9)


def test_a_query_of_one_gaussian_by_integration():
    """Numerical integration of the joint density, without any matrix."""
    from scipy.integrate import quad

    dag = ds.Dag(["d", "x", "y"], [("d", "x"), ("d", "y"), ("x", "y")])
    x, y = ds.Regression([0.0, 2.0], [], [1.0, 0.5]), ds.Regression([1.0, 0.0], [[2.0], [-1.0]], [0.7, 1.5])
    network = ds.ConditionalGaussianNetwork(dag, {"d": ["a", "b"]}, {"d": [0.25, 0.75]}, {"x": x, "y": y})

    def joint(d, x_value, y_value):
        def normal(value, mean, sd):
            return np.exp(-0.5 * ((value - mean) / sd) ** 2) / (sd * np.sqrt(2 * np.pi))

        mean = [1 + 2 * x_value, -x_value][d]
        return [0.25, 0.75][d] * normal(x_value, [0.0, 2.0][d], [1.0, 0.5][d]) * normal(y_value, mean, [0.7, 1.5][d])

    def integral(power, d):
        return quad(lambda value: value**power * joint(d, value, 1.25), -12, 12, epsabs=1e-13)[0]

    total = integral(0, 0) + integral(0, 1)
    mean = (integral(1, 0) + integral(1, 1)) / total
    second = (integral(2, 0) + integral(2, 1)) / total
    found = network.query("x", {"y": 1.25})
    assert (found.mean, found.variance) == pytest.approx((mean, second - mean**2), rel=1e-8)
    assert network.query("d", {"y": 1.25})["a"] == pytest.approx(integral(0, 0) / total, rel=1e-9)
    assert network.log_density({"y": 1.25}) == pytest.approx(np.log(total), rel=1e-9)
    below = sum(quad(lambda value, d=d: joint(d, value, 1.25), -12, found.quantile(0.3))[0] for d in (0, 1)) / total
    assert below == pytest.approx(0.3, abs=1e-9)


def test_a_gaussian_network_is_a_multivariate_normal():
    from scipy.stats import multivariate_normal

    network = random_conditional(11, 0, 5)
    rows = np.random.default_rng(0).normal(size=(7, 5))
    data = ds.NumericData.from_array(rows, network.variables)
    expected = multivariate_normal(network.mean, network.covariance).logpdf(rows).sum()
    assert network.log_likelihood(data) == pytest.approx(expected, rel=1e-10)
    drawn = network.sample(40_000, seed=1).values
    np.testing.assert_allclose(
        drawn.mean(axis=0), network.mean, atol=5 * np.sqrt(network.covariance.diagonal().max() / 4e4)
    )
    np.testing.assert_allclose(np.cov(drawn.T), network.covariance, atol=0.05 * network.covariance.diagonal().max())


def test_nearly_determined_variables_keep_their_digits():
    """With errors of 1e-9, a covariance matrix would lose all digits of what is left."""
    dag = ds.Dag(["x", "y", "z"], [("x", "y"), ("x", "z"), ("y", "z")])
    regressions = {
        "x": ds.Regression(0.0),
        "y": ds.Regression(0.0, [1.0], 1e-9),
        "z": ds.Regression(0.0, [1.0, -1.0], 1e-9),
    }
    network = ds.GaussianNetwork(dag, regressions)
    found = network.query("y", {"z": 2e-9, "x": 0.5})
    # y - x and z have the same variance, and z is x - y plus an error.
    assert found.mean == pytest.approx(0.5 - 1e-9, abs=1e-18)
    assert found.sd == pytest.approx(1e-9 / 2**0.5, rel=1e-9)
    found = network.query("x", {"y": 0.5, "z": 2e-9})
    assert found.sd == pytest.approx(1e-9 / 2**0.5, rel=1e-9)
    assert found.mean == pytest.approx(0.5 + 1e-9, abs=1e-16)


def test_far_tails_do_not_underflow():
    """Hundreds of features, each of which has a density below the smallest double under both classes."""
    names = [f"x{i}" for i in range(300)]
    dag = ds.Dag(["class", *names], [("class", name) for name in names])
    regressions = {name: ds.Regression([0.0, 1.0], [], [1.0, 1.0]) for name in names}
    network = ds.ConditionalGaussianNetwork(dag, {"class": ["a", "b"]}, {"class": [0.5, 0.5]}, regressions)
    row = pd.DataFrame([np.where(np.arange(300) % 2, 51.0, -50.0)], columns=names)
    # The distances to the two classes are the same.
    np.testing.assert_allclose(network.predict(row, "class"), [[0.5, 0.5]], atol=1e-6)
    row.iloc[0, 0] += 0.01
    assert network.predict(row, "class")["b"].item() == pytest.approx(1 / (1 + np.exp(-0.01)), abs=1e-6)


def test_discrete_chains_are_eliminated_not_enumerated():
    """A switching process with 2^60 joint states of the discrete variables, all of them hidden."""
    steps = 60
    names = [f"d{i}" for i in range(steps)], [f"x{i}" for i in range(steps)]
    edges = [*zip(names[0], names[0][1:], strict=False), *zip(*names, strict=True)]
    dag = ds.Dag([*names[0], *names[1]], edges)
    cpts = {name: [[0.9, 0.1], [0.2, 0.8]] if i else [0.5, 0.5] for i, name in enumerate(names[0])}
    regressions = {name: ds.Regression([0.0, 1.0], [], [1.0, 1.0]) for name in names[1]}
    network = ds.ConditionalGaussianNetwork(dag, dict.fromkeys(names[0], ("a", "b")), cpts, regressions)
    values = np.random.default_rng(0).normal(size=steps)
    forward = np.array([0.5, 0.5])
    log_total = 0.0
    for place, value in enumerate(values):
        forward = forward @ np.array([[0.9, 0.1], [0.2, 0.8]]) if place else forward
        forward = forward * np.exp(-0.5 * (value - np.array([0.0, 1.0])) ** 2) / np.sqrt(2 * np.pi)
        log_total += np.log(forward.sum())
        forward /= forward.sum()
    evidence = dict(zip(names[1], values, strict=True))
    np.testing.assert_allclose(network.query(names[0][-1], evidence), forward, rtol=1e-9)
    assert network.log_density(evidence) == pytest.approx(log_total, rel=1e-12)


def test_too_many_states_are_refused_before_anything_is_allocated():
    names = [f"d{i}" for i in range(32)]
    dag = ds.Dag(
        [*names, "x", "y"], [*((name, "x") for name in names[:16]), *((name, "y") for name in names[16:]), ("x", "y")]
    )
    states = (2,) * 16
    regressions = {
        "x": ds.Regression(np.zeros(states), np.zeros((*states, 0)), np.ones(states)),
        "y": ds.Regression(np.zeros(states), np.ones((*states, 1)), np.ones(states)),
    }
    levels, cpts = dict.fromkeys(names, ("a", "b")), dict.fromkeys(names, (0.5, 0.5))
    network = ds.ConditionalGaussianNetwork(dag, levels, cpts, regressions)
    with pytest.raises(TooLarge, match=r"2 measured variables in each of the 4,294,967,296 states.*give the values"):
        network.query("x", {"y": 1.0})
    assert network.query("y", {**dict.fromkeys(names, "a"), "x": 2.0}).mean == 2.0


def small():
    dag = ds.Dag(["d", "x", "y"], [("d", "x"), ("x", "y")])
    regressions = {"x": ds.Regression([0.0, 5.0], [], [1.0, 2.0]), "y": ds.Regression(1.0, [2.0], 0.5)}
    return ds.ConditionalGaussianNetwork(dag, {"d": ["1", "2"]}, {"d": [0.5, 0.5]}, regressions, types={"d": "integer"})


def test_evidence_is_numbers_and_levels_of_any_type():
    network = small()
    expected = network.query("y", {"d": "1", "x": 2.5})
    for evidence in ({"d": 1, "x": "2.5"}, {"d": np.int64(1), "x": np.float32(2.5)}, {"d": 1.0, "x": 2.5, "y": None}):
        found = network.query("y", evidence)
        assert (found.mean, found.sd) == (expected.mean, expected.sd)
    row = pd.Series({"d": 1, "x": 2.5, "y": 99.0, "other": "z"})
    assert network.query("y", row).mean == expected.mean
    assert network.query("y", {"d": None, "x": float("nan")}).mean == network.query("y").mean
    assert network.query("d", {"x": 2.5}).index.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("target", "options", "problem"),
    [
        ("z", {}, "target is 'z', which is not a variable"),
        (["x"], {}, "target is a list; it must be the name of one variable"),
        ("x", {"evidence": {"x": 1}}, "target is 'x', which is also in the evidence"),
        ("y", {"evidence": {"x": "tall"}}, "evidence has 'tall' for 'x', which is measured: give a number"),
        ("y", {"evidence": {"x": True}}, "evidence has True for 'x'"),
        ("y", {"evidence": {"x": float("inf")}}, "evidence has inf for 'x'"),
        ("y", {"evidence": {"d": 3}}, "evidence has 3 for 'd', which is not one of its levels"),
        ("y", {"evidence": {"e": 3}}, "evidence has 'e', which is not a variable"),
        ("y", {"evidence": 3}, "evidence is an int; it must map variables to values"),
        ("y", {"do": {"e": 3}}, "do has 'e', which is not a variable"),
        ("y", {"do": {"x": "a"}}, "do has 'a' for 'x', which is measured"),
        ("y", {"do": {"d": "a"}}, "do has 'a' for 'd', which is not one of its levels"),
        ("y", {"do": {"y": 1}}, "do has 'y', which is the target"),
        ("y", {"do": {"x": 1}, "evidence": {"x": 2}}, "do has 'x', which is also in the evidence"),
        ("y", {"do": 3}, "do is an int; it must map variables to values"),
    ],
)
def test_questions_that_make_no_sense(target, options, problem):
    with pytest.raises(InvalidOption, match=problem):
        small().query(target, **options)


def test_what_was_set_is_constant():
    network = small().do({"x": 3})
    found = network.query("x", {"y": 100.0})
    assert (found.mean, found.sd, found.quantile(0.9), found.interval()) == (3.0, 0.0, 3.0, (3.0, 3.0))
    assert network.query("y").mean == 7.0
    assert network.query("d", {"y": 100.0}).tolist() == [0.5, 0.5]
    assert network.log_density({"x": 3.0, "y": 7.0}) == network.log_density({"y": 7.0})
    assert network.log_density({"x": 3.5}) == -np.inf
    with pytest.raises(InvalidData, match="the evidence has probability 0"):
        network.query("y", {"x": 3.5})
    assert set(network.sample(50, seed=1).values[:, 1]) == {3.0}
    frame = pd.DataFrame({"x": [3.0, 99.0], "y": [7.0, None]})
    assert network.predict(frame, "x")["mean"].tolist() == [3.0, 3.0]
    assert network.predict(frame, "y")["mean"].tolist() == [7.0, 7.0]
    complete = ds.MixedData.from_frame(
        pd.DataFrame({"d": [1, 2], "x": [3.0, 3.0], "y": [7.0, 7.5]}),
        nominal=["d"],
        numeric=["x", "y"],
        keep_constant=True,
    )
    assert np.isfinite(network.log_likelihood(complete))
    assert small().do({"x": 2}).log_likelihood(complete) == -np.inf


def test_impossible_evidence_says_nothing_in_predictions():
    dag = ds.Dag(["d", "x"], [("d", "x")])
    network = ds.ConditionalGaussianNetwork(
        dag, {"d": ["a", "b"]}, {"d": [1.0, 0.0]}, {"x": ds.Regression([0.0, 5.0], [], [1.0, 2.0])}
    )
    assert network.query("d", {"x": 1e6}).tolist() == [1.0, 0.0]
    with pytest.raises(InvalidData, match="probability 0"):
        network.query("x", {"d": "b"})
    assert network.predict(pd.DataFrame({"d": ["b"]}), "x")["mean"].tolist() == [5.0]


def test_rows_may_come_from_data_of_any_kind():
    network = small()
    frame = pd.DataFrame({"d": [1, 2, 2], "y": [1.5, 2.5, 12.5], "other": list("abc")}, index=[7, 8, 9])
    expected = network.predict(frame, "x")
    assert expected.index.tolist() == [7, 8, 9]
    assert expected.columns.tolist() == ["mean", "sd", "2.5%", "50%", "97.5%"]
    mixed = ds.MixedData.from_frame(frame.drop(columns="other"), nominal=["d"], numeric=["y"])
    np.testing.assert_array_equal(network.predict(mixed, "x"), expected)
    numbers = ds.NumericData.from_frame(frame.drop(columns="other"))
    np.testing.assert_array_equal(network.predict(numbers, "x"), expected)
    codes = ds.Dataset.from_frame(frame.drop(columns="other"), levels={"y": [1.5, 2.5, 12.5]})
    np.testing.assert_array_equal(network.predict(codes, "x"), expected)
    assert len(network.predict(frame[:0], "x")) == 0
    assert network.predict(frame, "d", max_memory="1GiB").columns.tolist() == [1, 2]
    assert network.classify(frame, "d").tolist() == [1, 1, 2]
    assert network.predict(frame, "y", quantiles=[0.1]).columns.tolist() == ["mean", "sd", "10%"]
    with pytest.warns(NothingObserved, match="the rows have none of the variables"):
        network.predict(frame[["other"]], "x")


@pytest.mark.parametrize(
    ("rows", "options", "problem"),
    [
        ("rows.csv", {}, "rows is 'rows.csv'; it must be a data frame, MixedData or NumericData"),
        (3, {}, "rows is an int"),
        (pd.DataFrame({"x": ["tall"]}), {}, "'tall' in column 'x' .* is not a number"),
        (pd.DataFrame({"d": [3]}), {}, "'3' in column 'd' .* is not one of its levels"),
        (pd.DataFrame({"x": [1.0]}), {"quantiles": [1.5]}, "quantiles is 1.5; it must be a number above 0 and below 1"),
        (pd.DataFrame({"x": [1.0]}), {"quantiles": ["a"]}, "quantiles is not a list of probabilities"),
    ],
)
def test_rows_that_cannot_be_used(rows, options, problem):
    with pytest.raises((InvalidData, InvalidOption), match=problem):
        small().predict(rows, "y", **options)


def test_classes_are_for_discrete_targets():
    with pytest.raises(InvalidOption, match="target is 'y', which is measured: use predict"):
        small().classify(pd.DataFrame({"x": [1.0]}), "y")


def test_numbers_beyond_all_expectation_have_no_density():
    tight = {"x": ds.Regression(0.0, [], 1e-20), "y": ds.Regression(1.0, [2.0], 1e-20)}
    network = ds.GaussianNetwork(ds.Dag("xy", [("x", "y")]), tight)
    assert network.log_density({"x": 0.0, "y": 1e145}) == -np.inf
    assert network.query("y", {"x": 1e145}).mean == 2e145
    with pytest.raises(InvalidData, match="the evidence has probability 0"):
        network.query("x", {"y": 1e145})
    rows = pd.DataFrame({"x": [0.0], "y": [1e145]})
    assert network.log_likelihood(rows) == -np.inf
    mixed = ds.ConditionalGaussianNetwork(
        small().dag, small().levels, small().cpts, {"x": small().regressions["x"], "y": tight["y"]}
    )
    assert mixed.predict(rows.assign(x=1e145), "d").sum(axis=1).tolist() == [1.0]
