"""The classifier for scikit-learn: its contract, its probabilities, missing cells, unseen levels and structures."""

from __future__ import annotations

import itertools
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import parametrize_with_checks

import dagscape as ds
from dagscape.search.class_structures import tree_augmented_dag
from dagscape.search.registry import LEARNERS
from dagscape.sklearn import BayesNetClassifier

METHODS = ["naive", "tan", "order"]
WEATHER = pd.DataFrame(
    {
        "sky": ["sun", "sun", "rain", "rain", "sun", "snow"],
        "wind": [0, 1, 0, 1, 1, 1],
        "heat": pd.Categorical([1, 2, 1, 1, 2, 1], categories=[1, 2, 3]),
    }
)
PLAY = np.array(["yes", "yes", "no", "no", "yes", "no"])


# All checks apply: columns of decimals are cut, and are discrete from then on.
@pytest.mark.slow
@parametrize_with_checks([BayesNetClassifier(method) for method in METHODS])
def test_the_contract_of_scikit_learn(estimator, check):
    check(estimator)


def test_naive_bayes_with_add_one_smoothing():
    model = BayesNetClassifier("naive").fit(WEATHER, PLAY)
    assert model.classes_.tolist() == ["no", "yes"]
    expected = []
    for row in WEATHER.itertuples(index=False):
        joint = []
        for label in model.classes_:
            rows = WEATHER[label == PLAY]
            product = (len(rows) + 1) / (len(WEATHER) + 2)
            for name, value, arity in zip(WEATHER, row, (3, 2, 3), strict=True):
                product *= ((rows[name] == value).sum() + 1) / (len(rows) + arity)
            joint.append(product)
        expected.append(np.array(joint) / sum(joint))
    np.testing.assert_allclose(model.predict_proba(WEATHER), expected)
    np.testing.assert_allclose(model.predict_log_proba(WEATHER), np.log(expected))
    assert model.predict(WEATHER).tolist() == PLAY.tolist()


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_probabilities_are_those_of_the_network(method):
    data = ds.load_network("asia").sample(400, seed=1).to_frame()
    y = data.pop("dysp").astype(str)
    model = BayesNetClassifier(method).fit(data, y)
    network = model.network_
    assert (model.target_, network.variables) == ("class", (*data.columns, "class"))
    rows = [data.assign(**{"class": str(code)}) for code in range(2)]
    joint = np.array([[np.exp(network.log_probability(row)) for _, row in each.iterrows()] for each in rows]).T
    np.testing.assert_allclose(model.predict_proba(data), joint / joint.sum(axis=1, keepdims=True))
    assert model.score(data, y) > 0.7


def information(data, target, first, second):
    """The conditional mutual information of two variables given a third, by definition."""
    frame = data.to_frame().astype(str)
    total = 0.0
    for (c, a, b), count in frame.groupby([target, first, second]).size().items():
        of_class = (frame[target] == c).sum()
        with_first = ((frame[target] == c) & (frame[first] == a)).sum()
        with_second = ((frame[target] == c) & (frame[second] == b)).sum()
        total += count * np.log(count * of_class / (with_first * with_second))
    return total


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_the_tree_has_the_most_conditional_information(seed):
    """The oracle: every tree on five attributes."""
    names = [f"a{i}" for i in range(5)]
    network = ds.Network.fit(
        ds.uniform_dag([*names, "c"], seed=seed),
        ds.Dataset.from_array(np.random.default_rng(seed).integers(0, 3, (40, 6)), [*names, "c"]),
    )
    data = network.sample(60, seed=seed)
    weight = {pair: information(data, "c", *pair) for pair in itertools.combinations(names, 2)}
    best = 0.0
    for edges in itertools.combinations(weight, 4):
        reached = {names[0]}
        while grown := {v for pair in edges for v in pair if reached & set(pair)} - reached:
            reached |= grown
        if len(reached) == 5:
            best = max(best, sum(weight[edge] for edge in edges))
    dag = tree_augmented_dag(data, "c", np.random.default_rng(seed))
    tree = [tuple(sorted(edge)) for edge in dag.edges if "c" not in edge]
    assert len(tree) == 4
    assert sum(weight[edge] for edge in tree) == pytest.approx(best)
    assert all(dag.has_edge("c", name) for name in names)


def test_equal_trees_are_a_choice_by_the_seed():
    data = ds.Dataset.from_array([[0, 0, 0, 0], [1, 1, 1, 0], [0, 0, 0, 1], [1, 1, 1, 1]], ["x", "y", "z", "c"])
    trees = {tree_augmented_dag(data, "c", np.random.default_rng(seed)).edges for seed in range(60)}
    # Three trees with three roots each.
    assert len(trees) == 9
    assert len({frozenset(map(frozenset, tree)) for tree in trees}) == 3


def test_independent_attributes_still_form_a_tree():
    """All gains are 0 up to rounding: here they come out two units below it."""
    rows = np.repeat(list(itertools.product(range(3), repeat=3)), 19, axis=0)
    dag = tree_augmented_dag(ds.Dataset.from_array(rows, ["x", "y", "c"]), "c", np.random.default_rng(0))
    assert len([edge for edge in dag.edges if "c" not in edge]) == 1


def test_permuted_columns_give_the_same_tree():
    data = ds.load_network("asia").sample(2000, seed=1).drop(["either"])
    turned = data.select(data.variables[::-1])

    def skeleton(rows, seed):
        return {frozenset(edge) for edge in tree_augmented_dag(rows, "dysp", np.random.default_rng(seed)).edges}

    assert skeleton(data, 1) == skeleton(turned, 2)


@pytest.mark.parametrize("method", METHODS)
def test_unseen_levels_and_missing_cells_are_summed_out(method):
    model = BayesNetClassifier(method).fit(WEATHER, PLAY)
    rows = pd.DataFrame({"sky": ["hail", None, "sun"], "wind": [1, 1, 7], "heat": [1, 1, None]})
    found = model.predict_proba(rows)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    np.testing.assert_allclose(found[0], found[1])
    expected = model.network_.query("class", {"sky": "sun"})
    np.testing.assert_allclose(found[2], expected)


def test_missing_cells_of_training_are_a_level():
    frame = WEATHER.assign(sky=["sun", "sun", None, None, "sun", "rain"])
    model = BayesNetClassifier("naive").fit(frame, PLAY)
    assert model.network_.levels["sky"] == ("rain", "sun", "?")
    assert model.predict_proba(frame)[2, 0] > 0.5
    numbers = np.array([[0.5], [1.5], [np.nan], [2.5], [3.5], [np.nan]] * 5)
    y = ["a", "a", "b", "a", "a", "b"] * 5
    assert BayesNetClassifier("naive").fit(numbers, y).predict([[np.nan], [1.0]]).tolist() == ["b", "a"]


def test_cuts_come_from_the_training_rows():
    X, y = load_iris(return_X_y=True)
    model = BayesNetClassifier("naive").fit(X[::2], y[::2])
    classes = pd.Series(y[::2].astype(str))
    alone = ds.Discretizer(method="mdl", class_column="c").fit(pd.DataFrame(X[::2]).add_prefix("X").assign(c=classes))
    for name, cuts in alone.cuts.items():
        assert model.network_.discretizer.cuts[name].tolist() == cuts.tolist()
    # Numbers beyond the range of training belong to the outer intervals.
    np.testing.assert_allclose(model.predict_proba([[-99.0] * 4]), model.predict_proba([X.min(axis=0) - 1]))
    by_width = BayesNetClassifier("naive", discretizer="width", bins=4).fit(X, y).network_
    assert {len(cuts) for cuts in by_width.discretizer.cuts.values()} == {3}


def test_columns_without_information_leave_the_prior():
    X = np.random.default_rng(0).normal(size=(40, 2))
    y = np.array([0, 0, 0, 1] * 10)
    model = BayesNetClassifier("naive").fit(X, y)
    assert model.network_.variables == ("class",)
    np.testing.assert_allclose(model.predict_proba(X[:1]), [[31 / 42, 11 / 42]])
    for method in ("tan", "order"):
        assert BayesNetClassifier(method).fit(X, y).network_.variables == ("class",)


@pytest.mark.parametrize(
    "convert",
    [
        lambda frame: frame,
        lambda frame: frame.astype(object).to_numpy(),
        lambda frame: frame.astype(str).to_numpy(),
        lambda frame: pl.from_pandas(frame.astype({"heat": int})),
        lambda frame: frame.to_numpy().tolist(),
    ],
    ids=["pandas", "objects", "strings", "polars", "lists"],
)
def test_any_kind_of_table(convert):
    expected = BayesNetClassifier("naive").fit(WEATHER.astype({"heat": int}), PLAY).predict_proba(WEATHER)
    model = BayesNetClassifier("naive").fit(convert(WEATHER.astype({"heat": int})), PLAY)
    np.testing.assert_allclose(model.predict_proba(convert(WEATHER.astype({"heat": int}))), expected)


def test_a_column_called_class():
    model = BayesNetClassifier("naive").fit(WEATHER.rename(columns={"sky": "class", "wind": "class_"}), PLAY)
    assert model.target_ == "class__"
    assert model.predict(WEATHER.set_axis(["class", "class_", "heat"], axis=1)).tolist() == PLAY.tolist()


def test_pipelines_searches_copies_and_pickles():
    X, y = load_iris(return_X_y=True)
    model = BayesNetClassifier("tan", options={"ess": 2.0}, random_state=3)
    assert clone(model).get_params() == model.get_params()
    pipeline = make_pipeline(FunctionTransformer(), model).fit(X, y)
    np.testing.assert_array_equal(pipeline.predict(X), model.fit(X, y).predict(X))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict_proba(X), model.predict_proba(X))
    assert cross_val_score(model, X, y, cv=3).mean() > 0.9
    search = GridSearchCV(BayesNetClassifier("naive"), {"method": METHODS, "prior": ["k2", "bdeu"]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.9


@pytest.mark.parametrize("state", [None, 5, np.random.RandomState(1), np.random.default_rng(1)])
def test_random_states(state):
    X, y = load_iris(return_X_y=True)
    assert BayesNetClassifier("tan", random_state=state, n_jobs=-1).fit(X, y).score(X, y) > 0.9


def test_options_reach_the_learner():
    X, y = load_iris(return_X_y=True)
    model = BayesNetClassifier("optimal", options={"max_parents": 1, "ess": 5.0}).fit(X, y)
    found = model.network_.dag
    assert max(mask.bit_count() for mask in found.parent_masks) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"method": "naiv"}, "method is 'naiv'.* did you mean 'naive'"),
        ({"method": "naive", "discretizer": "mld"}, "discretizer is 'mld'.* did you mean 'mdl'"),
        ({"method": "naive", "random_state": "x"}, "random_state is a str; it must be an integer or a generator"),
        ({"method": "optimal", "options": {"max_parnts": 2}}, "no option 'max_parnts'; did you mean 'max_parents'"),
        ({"method": "naive", "options": 3}, "options is an int; it must be a mapping of names to values"),
        ({"method": "optimal", "options": {3: 4}}, "options has the key 3; names of options are strings"),
        ({"options": {"seed": 4}}, "options has the key 'seed': use random_state instead"),
        ({"options": {"threads": 4}}, "options has the key 'threads': use n_jobs instead"),
        ({"options": {"method": "tan"}}, "options has the key 'method': use method instead"),
        ({"options": {"data": WEATHER}}, "options has the key 'data': use X and y instead"),
        ({"random_state": -1}, "random_state is -1; it must be at least 0"),
        ({"n_jobs": "x"}, "n_jobs is 'x'; it must be an integer from 1 to 1024, or -1 for all processors"),
        ({"n_jobs": 1.5}, "n_jobs is 1.5; it must be an integer"),
        ({"n_jobs": 0}, "n_jobs is 0; it must be an integer"),
        ({"n_jobs": True}, "n_jobs is True; it must be an integer"),
        ({"n_jobs": 10**30}, "n_jobs is 10+; it must be an integer"),
        ({"method": "naive", "prior": "k3"}, "prior is 'k3'; it must be one of 'bdeu', 'k2', 'none'"),
        ({"method": "naive", "bins": "x"}, "bins is 'x'; it must be an integer from 2 to 100000"),
    ],
)
def test_arguments_that_are_refused(arguments, message):
    with pytest.raises(ds.InvalidOption, match=message):
        BayesNetClassifier(**arguments).fit(WEATHER, PLAY)


def test_one_class_is_refused():
    with pytest.raises(ds.InvalidData, match="y has only one class, 'yes'; there must be at least two"):
        BayesNetClassifier("naive").fit(WEATHER, ["yes"] * 6)


@pytest.mark.parametrize(
    "convert",
    [
        list,
        lambda y: [np.nan if label is None else label for label in y],
        lambda y: np.array(y, dtype=object),
        pd.Series,
        lambda y: pd.Series(y, dtype="string"),
        lambda y: pd.Series(y, dtype="category"),
        pl.Series,
    ],
    ids=["list", "nan", "array", "objects", "strings", "categories", "polars"],
)
def test_missing_classes_are_refused(convert):
    y = convert(["yes", None, "no", "yes", None, "no"])
    with pytest.raises(ds.InvalidData, match=r"y has missing classes, the first at row 1 \(counted from 0\): drop"):
        BayesNetClassifier("naive").fit(WEATHER, y)


def test_numbers_that_are_not_finite_are_refused():
    X = pd.DataFrame({"a": np.linspace(0.5, 9.0, 40)})
    y = np.arange(40) // 20
    model = BayesNetClassifier("naive").fit(X, y)
    advice = "which is not a finite number: replace it by one, or by NaN if it means a missing cell"
    for wrong in (np.inf, -np.inf):
        infinite = X.replace(X["a"][3], wrong)
        for method in (lambda rows: BayesNetClassifier("naive").fit(rows, y), model.predict):
            with pytest.raises(ds.InvalidData, match=rf"X has '{wrong}' in column 'a' at row 3 .*, {advice}"):
                method(infinite)
    with pytest.raises(ds.InvalidData, match=f"X has 'high' in column 'a' at row 0 .*, {advice}"):
        model.predict(pd.DataFrame({"a": ["high"]}))


@pytest.mark.parametrize("convert", [lambda X: X, pl.from_pandas, lambda X: X.to_numpy()])
def test_no_rows_are_refused(convert):
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = BayesNetClassifier("naive").fit(X, y)
    for method in (lambda rows: model.fit(rows, []), model.predict):
        with pytest.raises(ds.InvalidData, match="X has no rows; it must have at least one"):
            method(convert(X[:0]))


def test_every_learner_is_a_structure():
    X, y = load_iris(return_X_y=True)
    for method in LEARNERS:
        assert BayesNetClassifier(method).fit(X, y).score(X, y) > 0.9, method
