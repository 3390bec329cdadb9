"""Estimators for scikit-learn that take measured columns as they are: their contract, and their predictions."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.utils.estimator_checks import parametrize_with_checks

import dagscape as ds
from dagscape.core.errors import InvalidData, InvalidOption
from dagscape.sklearn import BayesNetClassifier, BayesNetRegressor

RAW = {"score": "auto"}


@pytest.mark.slow
@parametrize_with_checks(
    [BayesNetRegressor(), BayesNetClassifier("naive", options=RAW), BayesNetClassifier("greedy", options=RAW)]
)
def test_the_contract_of_scikit_learn(estimator, check):
    check(estimator)


def test_naive_bayes_is_that_of_scikit_learn():
    """By maximum likelihood, up to the denominators of variances, and at classes of equal size."""
    X, y = load_iris(return_X_y=True)
    model = BayesNetClassifier("naive", options=RAW, prior="none").fit(X, y)
    oracle = GaussianNB(var_smoothing=0).fit(X, y)
    oracle.var_ *= 50 / 49
    np.testing.assert_allclose(model.predict_proba(X), oracle.predict_proba(X), rtol=1e-8, atol=1e-12)
    assert model.network_.dag.edge_count == 4


def test_a_regression_on_all_columns_is_linear():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    X = X.drop(columns="sex")
    names = [*X.columns, "target"]
    dag = ds.Dag(names, [(name, "target") for name in X.columns])
    network = ds.GaussianNetwork.fit(dag, X.assign(target=y), "ml")
    expected = LinearRegression().fit(X, y).predict(X)
    np.testing.assert_allclose(network.predict(X, "target")["mean"], expected, rtol=1e-8)


@pytest.fixture(scope="module")
def houses():
    rng = np.random.default_rng(0)
    town = rng.choice(["north", "south", "west"], 300)
    rooms = rng.normal(4, 1, 300)
    size = 20 * rooms + rng.normal(0, 5, 300)
    price = 3 * size + np.select([town == "north", town == "south"], [100.0, 0.0], 50.0) + rng.normal(0, 10, 300)
    return pd.DataFrame({"town": town, "rooms": rooms, "size": size}), price


def test_mixed_columns_predict_a_number(houses):
    X, y = houses
    model = BayesNetRegressor().fit(X[:200], y[:200])
    assert isinstance(model.network_, ds.ConditionalGaussianNetwork)
    assert model.score(X[200:], y[200:]) > 0.9
    mean, sd = model.predict(X[200:], return_std=True)
    expected = model.network_.predict(X[200:], "target")
    np.testing.assert_array_equal(mean, expected["mean"])
    np.testing.assert_array_equal(sd, expected["sd"])
    # The error is that of the price.
    assert 8 < sd.mean() < 20
    gaps = X[200:].assign(size=None)
    np.testing.assert_array_equal(model.predict(gaps), model.network_.predict(gaps, "target")["mean"])
    strange = X[200:].assign(town="east")
    np.testing.assert_array_equal(model.predict(strange), model.predict(X[200:].assign(town=None)))
    twin = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(twin.predict(X), model.predict(X))


def test_no_discrete_variable_has_a_measured_parent(houses):
    X, y = houses
    kind = np.where(y > np.median(y), "dear", "cheap")
    for score in ("dg-bge", "auto"):
        model = BayesNetClassifier("order", options={"score": score}).fit(X, kind)
        for name in model.network_.levels:
            assert set(model.network_.dag.parents(name)) <= set(model.network_.levels)
        assert model.score(X, kind) > 0.85


def test_options_of_the_score_are_those_of_the_prior(houses):
    X, y = houses
    options = {"score": "bge", "alpha_mu": 0.1, "nu": 0.0}
    model = BayesNetRegressor(options=options).fit(X[["rooms", "size"]], y)
    data = ds.NumericData.from_frame(X[["rooms", "size"]].assign(target=y))
    assert model.network_ == ds.GaussianNetwork.fit(model.network_.dag, data, alpha_mu=0.1, nu=0.0)
    by_ml = BayesNetRegressor(fitting="ml").fit(X[["rooms", "size"]], y)
    assert by_ml.network_ == ds.GaussianNetwork.fit(by_ml.network_.dag, data, "ml")


@pytest.mark.slow
def test_measured_columns_classify_better_than_chance():
    X, y = load_iris(return_X_y=True)
    for method in ("naive", "order"):
        assert cross_val_score(BayesNetClassifier(method, options=RAW), X, y, cv=5).mean() > 0.93


def test_estimators_can_be_cloned(houses):
    X, y = houses
    model = BayesNetRegressor("greedy", options={"score": "auto", "max_parents": 2}, fitting="ml", random_state=3)
    assert clone(model).get_params() == model.get_params()
    found = clone(model).fit(X, y).network_
    assert max(len(found.dag.parents(name)) for name in found.variables) <= 2


@pytest.mark.parametrize(
    ("model", "change", "problem"),
    [
        (BayesNetRegressor("naive"), {}, "method is 'naive'"),
        (BayesNetRegressor(fitting="bayes"), {}, "fitting is 'bayes'"),
        (BayesNetRegressor(options={"score": "bdeu"}), {}, "options has the score 'bdeu', which is for discrete data"),
        (BayesNetRegressor(), {"size": None}, "X has missing cells in size|X has missing cells in 'size'"),
        (BayesNetRegressor(), {"size": np.inf}, "X has 'inf' in column 'size'"),
    ],
)
def test_what_a_regressor_refuses(houses, model, change, problem):
    X, y = houses
    changed = X.copy()
    for name, value in change.items():
        changed.loc[3, name] = value
    with pytest.raises((InvalidData, InvalidOption), match=problem):
        model.fit(changed, y)


def test_a_constant_target_is_refused(houses):
    X, _ = houses
    with pytest.raises(InvalidData, match="y has the same value, '1', in every row, so that there is nothing"):
        BayesNetRegressor().fit(X, np.ones(len(X)))


def test_trees_need_discrete_columns(houses):
    X, y = houses
    with pytest.raises(InvalidOption, match="method is 'tan', which needs discrete columns"):
        BayesNetClassifier("tan", options=RAW).fit(X, y > np.median(y))


def test_degrees_of_freedom_of_scores_of_columns(houses):
    """The score dg-bge counts three measured columns and two of levels, and regressions count the three alone."""
    X, y = houses
    for score, alpha_w, own in (("dg-bge", 9.0, 7.0), ("auto", 9, 7.0), ("cg", 7.0, 7.0), ("dg-bge", "n+2", "n+2")):
        found = BayesNetRegressor("greedy", options={"score": score, "alpha_w": alpha_w}).fit(X, y).network_
        data = ds.MixedData.from_frame(X.assign(target=y))
        assert found == ds.ConditionalGaussianNetwork.fit(found.dag, data, alpha_w=own)
    with pytest.raises(InvalidOption, match="alpha_w is 6; with 5 columns, it must be greater than 6"):
        BayesNetRegressor("greedy", options={"score": "dg-bge", "alpha_w": 6.0}).fit(X, y)
    options = {"score": "dg-bge", "alpha_w": 6.0}
    with pytest.raises(InvalidOption, match="alpha_w is 6; with 6 columns, it must be greater than 7"):
        BayesNetClassifier("naive", options=options).fit(X.assign(price=y), np.arange(len(X)) % 2)
