"""Classifiers on rows that they were not fitted to."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import dagscape as ds
from dagscape.search.class_structures import naive_bayes_dag


@pytest.fixture(scope="module")
def zoo():
    return ds.load_dataset("zoo").to_frame()


def test_one_table_for_training_and_another_for_the_test(zoo):
    rng = np.random.default_rng(1)
    training = rng.random(len(zoo)) < 0.7
    train, test = zoo[training], zoo[~training]
    levels = {name: tuple(train[name].astype(str).unique()) for name in zoo}
    test = test[[all(str(row[name]) in levels[name] for name in zoo) for _, row in test.iterrows()]]
    found = ds.classify_rows(train, "type", "naive", test=test)
    data = ds.Dataset.from_frame(train.astype(str))
    network = ds.Network.fit(naive_bayes_dag(data, "type"), data, prior="k2")
    expected = network.predict(test.astype(str), "type")
    truth = test["type"].astype(str).tolist()
    assert found.accuracy == (float(np.mean(expected.idxmax(axis=1).astype(str).to_numpy() == np.array(truth))),)
    columns = [list(map(str, expected.columns)).index(level) for level in truth]
    losses = -np.log(expected.to_numpy()[range(len(truth)), columns])
    assert found.mean_log_loss == pytest.approx(losses.mean(), abs=1e-12)
    assert found.rows == len(test)
    usual = train["type"].astype(str).mode()[0]
    assert found.baseline == (pytest.approx(np.mean(np.array(truth) == usual)),)


def test_every_row_is_classified_once_in_stratified_folds(zoo):
    found = ds.classify_rows(zoo, "type", "naive", cv=5, seed=3)
    counts = found.confusion_frame()
    assert counts.sum(axis=1).to_dict() == zoo["type"].astype(str).value_counts().to_dict()
    assert len(found.accuracy) == 5
    right = np.trace(found.confusion) / found.rows
    assert found.mean_accuracy == pytest.approx(right, abs=0.02)
    assert found.mean_accuracy > np.mean(found.baseline) + 0.3
    assert ds.classify_rows(zoo, "type", "naive", cv=5, seed=3) == found
    assert ds.classify_rows(zoo, "type", "naive", cv=5, seed=4) != found


def test_nothing_is_learned_from_the_rows_to_classify():
    """With a column of noise, cut by the class, a classifier that saw the test rows would do better than chance."""
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({f"x{i}": rng.normal(size=200) for i in range(30)} | {"y": rng.integers(0, 2, 200)})
    found = ds.classify_rows(frame, "y", "naive", cv=4, discretizer="quantile", bins=8)
    assert abs(found.mean_accuracy - 0.5) < 0.12


@pytest.mark.parametrize("method", ["tan", "order", "ges"])
def test_other_structures(zoo, method):
    found = ds.classify_rows(zoo.iloc[:, :8].assign(type=zoo["type"]), "type", method, cv=3)
    assert found.method == method
    assert found.mean_accuracy > np.mean(found.baseline)


def test_numbers_are_cut_and_a_fitted_network_predicts():
    frame = ds.load_dataset("iris").to_frame()
    network = ds.fit_classifier(frame, "class", "tan")
    assert network.dag.parents("class") == ()
    assert (network.classify(frame, "class").astype(str) == frame["class"].astype(str)).mean() > 0.9


def test_the_class_may_be_a_number_of_many_values():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 25, 400)
    frame = pd.DataFrame({"x": y // 5, "y": y})
    found = ds.classify_rows(frame, "y", "naive", cv=3)
    assert len(found.levels) == 25


def test_what_is_refused(zoo):
    cases = [
        ({"target": "typ"}, ds.InvalidOption, "is not a column.*did you mean 'type'"),
        ({"method": "bayes"}, ds.InvalidOption, "method is 'bayes'"),
        ({"discretizer": "mdll"}, ds.InvalidOption, "did you mean 'mdl'"),
        ({"cv": 1}, ds.InvalidOption, "cv is 1"),
        ({"cv": 500}, ds.InvalidOption, "cv is 500; there are only 101 rows"),
        ({"data": [1, 2]}, ds.InvalidOption, "data is a list"),
        ({"data": zoo.assign(type="a")}, ds.InvalidData, "there must be two classes"),
        ({"data": zoo.assign(type=[None, *["a", "b"] * 50])}, ds.InvalidData, "1 row .*: drop these rows"),
        ({"test": zoo.assign(type="alien")}, ds.InvalidData, "classes that training lacks: 'alien'"),
    ]
    for options, kind, message in cases:
        with pytest.raises(kind, match=message):
            ds.classify_rows(**({"data": zoo, "target": "type", "method": "naive"} | options))


def test_tables_may_be_in_files(zoo, tmp_path):
    for name, rows in (("train", zoo.iloc[::2]), ("test", zoo.iloc[1::2])):
        rows.to_csv(tmp_path / f"{name}.csv", index=False)
    train, test = (pd.read_csv(tmp_path / f"{name}.csv") for name in ("train", "test"))
    found = ds.classify_rows(tmp_path / "train.csv", "type", "naive", test=str(tmp_path / "test.csv"))
    assert found == ds.classify_rows(train, "type", "naive", test=test)
    network = ds.fit_classifier(tmp_path / "train.csv", "type", "tan")
    assert network == ds.fit_classifier(train, "type", "tan")
    assert found.provenance.source.name == "train.csv"


@pytest.mark.slow
def test_settings_are_those_that_the_rows_of_training_favour():
    boards = ds.load_dataset("tic-tac-toe")
    found = ds.classify_rows(boards, "Class", "greedy", cv=3)
    assert found == ds.classify_rows(boards, "Class", "greedy", cv=3, settings="best")
    assert found.mean_log_loss < ds.classify_rows(boards, "Class", "greedy", cv=3, settings="fixed").mean_log_loss - 0.1
