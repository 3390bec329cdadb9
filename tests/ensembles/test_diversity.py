"""The diversity of lists, compared with comparisons of every two networks."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagscape as ds
from dagscape.ensembles.diversity import class_counts, distances, least_distances, mean_distances
from dagscape.graphs.lists import DagList
from oracles.best import pattern
from oracles.graphs import all_dags


def drawn(n, count, seed):
    """Some of all DAGs, with repetitions."""
    return random.Random(seed).choices(all_dags(n), k=count)


def as_list(dags):
    return DagList(dags[0].variables, np.array([dag.parent_masks for dag in dags], dtype=np.uint64))


def shd(first, second):
    return ds.compare(first, second)["shd"]


@pytest.mark.slow
@given(n=st.integers(1, 5), count=st.integers(1, 12), seed=st.integers(0, 10**9))
@settings(max_examples=60, deadline=None)
def test_curves_are_those_of_all_pairs(n, count, seed):
    dags = drawn(n, count, seed)
    classes = as_list(dags).cpdags()
    truth = drawn(n, 1, seed + 1)[0]
    to_truth = [shd(dag, truth) for dag in dags]
    assert distances(classes, truth).tolist() == to_truth
    assert least_distances(classes, truth).tolist() == [min(to_truth[: i + 1]) for i in range(count)]
    assert class_counts(classes).tolist() == [len(set(map(pattern_of, dags[: i + 1]))) for i in range(count)]
    means = mean_distances(classes)
    assert means[0] == 0
    for length in range(2, count + 1):
        pairs = [shd(a, b) for a, b in itertools.combinations(dags[:length], 2)]
        assert means[length - 1] == sum(pairs) / len(pairs)


def pattern_of(dag):
    return pattern(dag.parent_masks)


def test_members_of_one_class_are_at_no_distance():
    members = list(ds.Dag.from_edges("abcd", [("a", "b"), ("b", "c"), ("c", "d")]).to_cpdag().members())
    assert len(members) == 4
    classes = as_list(members).cpdags()
    assert mean_distances(classes).tolist() == [0.0] * 4
    assert class_counts(classes).tolist() == [1] * 4
    assert distances(classes, members[0]).tolist() == [0] * 4


def test_the_truth_in_all_its_forms():
    truth = ds.load_network("asia")
    rng = random.Random(5)
    dags = []
    for _ in range(6):
        order = rng.sample(truth.variables, 8)
        pairs = itertools.combinations(order, 2)
        dags.append(ds.Dag.from_edges(truth.variables, [pair for pair in pairs if rng.random() < 0.3]))
    classes = as_list(dags).cpdags()
    expected = [shd(dag, truth) for dag in dags]
    turned = truth.variables[::-1]
    forms = [
        truth,
        truth.dag,
        truth.dag.to_cpdag(),
        truth.dag.reordered(turned),
        truth.dag.to_cpdag().reordered(turned),
    ]
    for form in forms:
        assert distances(classes, form).tolist() == expected
        assert least_distances(classes, form).tolist() == np.minimum.accumulate(expected).tolist()


def test_a_list_of_nothing():
    classes = DagList("abc", np.zeros((0, 3), dtype=np.uint64)).cpdags()
    truth = ds.Dag.from_edges("abc", [("a", "b")])
    for curve in (mean_distances(classes), distances(classes, truth), least_distances(classes, truth)):
        assert curve.tolist() == []
    assert class_counts(classes).tolist() == []


@pytest.mark.parametrize(
    ("truth", "message"),
    [
        ({"a": ["b"]}, "a dict is not a structure: give a Dag, a Cpdag or a Network"),
        (None, "a NoneType is not a structure"),
        ("a -> b", "a str is not a structure"),
        (ds.Dag, "a type is not a structure"),
        (
            ds.Dag.from_edges("ab", [("a", "b")]),
            "the known structure does not have the variables of the networks: it lacks 'c'",
        ),
        (
            ds.Dag.from_edges("abcd").to_cpdag(),
            "the known structure does not have the variables of the networks: it has 'd'",
        ),
        (
            ds.Dag.from_edges("abx"),
            "the known structure does not have the variables of the networks: it lacks 'c' and has 'x'",
        ),
    ],
)
def test_no_truth(truth, message):
    classes = DagList.from_edges("abc", [[("a", "b")]]).cpdags()
    for ask in (distances, least_distances):
        with pytest.raises(ds.InvalidOption, match=message):
            ask(classes, truth)
