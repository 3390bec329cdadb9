"""Options with a fixed list of choices: a wrong value gets a suggestion."""

from __future__ import annotations

from functools import partial

import pytest

import dagscape as ds

DATA = ds.Dataset.from_array([[0, 0], [1, 1], [1, 0]], ["a", "b"])
SCORES = ds.local_scores(DATA)
DAG = ds.Dag.from_edges(["a", "b"], [("a", "b")])


@pytest.mark.parametrize(
    ("call", "option", "meant"),
    [
        (partial(ds.discretize, "builtin:iris", method="quantil"), "method", "quantile"),
        (partial(ds.local_scores, DATA, score="bde"), "score", "bdeu"),
        (partial(ds.local_scores, DATA, structure_prior="unifrom"), "structure_prior", "uniform"),
        (partial(ds.Dataset.from_array, [[0], [1]], missing="lvel"), "missing", "level"),
        (partial(ds.posterior, SCORES, over="order"), "over", "orders"),
        (partial(ds.k_best, SCORES, k=1, space="class"), "space", "classes"),
        (partial(ds.modes, SCORES, k=1, distinct="classes"), "distinct", "class"),
        (partial(ds.plan, DATA, "posterio"), "task", "posterior"),
        (partial(ds.compare, DAG, DAG, level="clases"), "level", "classes"),
        (partial(ds.Network.fit, DAG, DATA, prior="bdu"), "prior", "bdeu"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_similar_choices_are_suggested(call, option, meant):
    with pytest.raises(ds.InvalidOption, match=rf"^{option} is '\w+'; .*; did you mean '{meant}'\?$") as caught:
        call()
    assert caught.value.option == option
