"""The contract of learn(): options, start, time limit, and the result."""

from __future__ import annotations

import numpy as np
import pytest

import dagscape as ds
from dagscape.search.registry import LEARNERS

IRIS = ds.load_dataset("iris")


def test_options_of_scores_and_of_methods_are_told_apart():
    found = ds.learn(IRIS, "optimal", ess=10, max_parents=1)
    assert found.network == ds.optimal_network(ds.local_scores(IRIS, ess=10, max_parents=1)).network
    with pytest.raises(ds.InvalidOption, match="no option 'max_parnts'; did you mean 'max_parents'"):
        ds.learn(IRIS, "optimal", max_parnts=2)
    with pytest.raises(ds.InvalidOption, match="ess is an option of scoring, but scores are given"):
        ds.learn(ds.local_scores(IRIS), "optimal", ess=2)
    with pytest.raises(ds.InvalidOption, match=r"method is 'optimum'.* did you mean 'optimal'"):
        ds.learn(IRIS, "optimum")


def test_a_result_is_read_back(tmp_path):
    found = ds.learn(IRIS, "optimal")
    found.save(tmp_path / "found.json")
    assert ds.load_result(tmp_path / "found.json") == found
    assert found.to_frame()["source"].tolist() == [edge[0] for edge in found.network.edges]


@pytest.mark.parametrize(
    ("start", "message"),
    [
        (ds.Dag.from_edges(IRIS.variables, []), "start lacks the required edge 'petal_width' -> 'class'"),
        (
            ds.Dag.from_edges(IRIS.variables, [("petal_width", "class"), ("petal_length", "class")]),
            "start has the forbidden edge 'petal_length' -> 'class'",
        ),
        (
            ds.Dag.from_edges(
                IRIS.variables, [("petal_width", "class"), ("sepal_length", "class"), ("sepal_width", "class")]
            ),
            "start has 3 parents of 'class', but max_parents is 2",
        ),
        (
            ds.Dag.from_edges("ab", []),
            "start does not have the variables of the data: it lacks 'sepal_length' and has 'a'",
        ),
        ("class", "start is a str; it must be a Dag or a Network"),
    ],
)
def test_starts_that_break_constraints_are_refused(start, message):
    with pytest.raises(ds.InvalidOption, match=message):
        ds.learn(
            IRIS,
            "optimal",
            start=start,
            required=[("petal_width", "class")],
            forbidden=[("petal_length", "class")],
            max_parents=2,
        )


@pytest.mark.parametrize("name", LEARNERS)
def test_records_are_complete(name):
    learner = LEARNERS[name]
    assert learner.name == name
    assert learner.summary
    assert learner.citations


@pytest.mark.parametrize("max_parents", [None, 3])
def test_an_exact_search_that_cannot_fit_is_refused_before_scoring(max_parents):
    data = ds.Dataset.from_array(np.random.default_rng(1).integers(0, 2, (50, 223)))
    seen = []
    with pytest.raises(ds.TooLarge) as refused:
        ds.learn(data, "optimal", max_parents=max_parents, progress=seen.append)
    message = str(refused.value)
    assert message.startswith("searches for a network of 223 variables need")
    assert message.endswith("; otherwise use method='order' or method='ges'")
    assert "max_parents" not in message
    assert not seen


def test_an_exact_search_through_given_scores_names_other_methods():
    with pytest.raises(ds.TooLarge, match=r"otherwise use method='order' or method='ges'"):
        ds.learn(ds.local_scores(IRIS), "optimal", max_memory=1000)


@pytest.mark.parametrize(
    ("method", "option", "end"),
    [
        ("tabu", "alpha", r"; it is an option of 'mmhc' and 'curriculum'"),
        ("tabu", "patiance", r"; did you mean 'patience'\?"),
        (
            "tabu",
            "size",
            r"; its options are 'tabu_length', 'patience', .*'perturbation' and those of local_scores\(\)",
        ),
        ("optimal", "size", r"; its options are those of local_scores\(\)"),
    ],
)
def test_unknown_options_come_with_a_hint(method, option, end):
    with pytest.raises(ds.InvalidOption, match=rf"^method {method!r} has no option {option!r}{end}$"):
        ds.learn(IRIS, method, **{option: 1})


@pytest.mark.parametrize(("given", "kind"), [(3.5, "a float"), ([[0, 1], [1, 0]], "a list")])
def test_what_is_neither_data_nor_scores_is_refused(given, kind):
    expected = f"data is {kind}; it must be a Dataset, a data frame, a path or LocalScores"
    with pytest.raises(ds.InvalidOption) as refused:
        ds.learn(given)
    assert str(refused.value) == expected
    assert refused.value.option == "data"
