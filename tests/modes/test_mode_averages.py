"""Averages over modes, compared with sums over the networks, or over all members of their classes."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

import dagscape as ds
from dagscape.graphs.directions import LimitedClass


@pytest.fixture(scope="module")
def scores():
    return ds.local_scores(ds.load_network("asia").sample(60, seed=3))


def summed(found, feature):
    """The average of a matrix of a DAG over the networks, each with its posterior weight; classes by their members."""
    total, weight = 0.0, 0.0
    for dag, score in zip(found.networks, found.scores, strict=True):
        members = list(dag.to_cpdag().members()) if found.distinct == "class" else [dag]
        for member in members:
            total = total + np.exp(score - found.scores[0]) * feature(member)
            weight += np.exp(score - found.scores[0])
    return total / weight


def reached(dag):
    return np.array([[u in dag.ancestors(v) for v in dag.variables] for u in dag.variables], dtype=float)


@pytest.mark.parametrize("distinct", ["network", "class"])
def test_averages_are_sums_over_the_networks(scores, distinct):
    found = ds.modes(scores, 8, 1, distinct=distinct)
    np.testing.assert_allclose(found.edges, summed(found, ds.Dag.to_adjacency), atol=1e-12)
    np.testing.assert_allclose(found.ancestors, summed(found, reached), atol=1e-12)
    blankets = summed(found, lambda dag: np.array([[u in dag.markov_blanket(v) for v in dag.variables]
                                                   for u in dag.variables], dtype=float))  # fmt: skip
    np.testing.assert_allclose(found.blanket_probabilities(), blankets, atol=1e-12)
    np.testing.assert_allclose(found.average(lambda dag: dag.edge_count), summed(found, lambda dag: dag.edge_count))
    for triple, probability in found.v_structure_probabilities().items():
        assert probability == pytest.approx(float(summed(found, lambda dag, t=triple: float(t in dag.v_structures()))))
    assert found.weights().sum() == pytest.approx(1)
    assert found.class_sizes == tuple(dag.to_cpdag().size() if distinct == "class" else 1 for dag in found.networks)


def intervened():
    """Scores of a chain in which the first variable was set in a third of the rows."""
    rng = np.random.default_rng(2)
    set_here = rng.random(200) < 0.3
    x = np.zeros((200, 3), dtype=int)
    x[:, 0] = rng.random(200) < np.where(set_here, 0.5, 0.2)
    for child in (1, 2):
        x[:, child] = np.where(rng.random(200) < 0.8, x[:, child - 1], 1 - x[:, child - 1])
    frame = pd.DataFrame(x, columns=list("abc")).astype(str)
    marks = pd.DataFrame({"a": set_here, "b": False, "c": False})
    return ds.local_scores(ds.Dataset.from_frame(frame, interventions=marks))


def unequal_scores():
    """Kinds of scores that differ, or may differ, between the members of a class."""
    asia = ds.load_network("asia").sample(60, seed=3)
    names = ["smoke", "lung", "bronc"]
    unknown = ds.local_scores(asia.select(names))
    families = {c: {p: unknown.family(c, p) for p in subsets(set(names) - {c})} for c in names}
    return {
        "interventions": intervened(),
        "k2": ds.local_scores(asia, score="k2"),
        "forbidden": ds.local_scores(asia, forbidden=[("lung", "smoke")]),
        "tiers": ds.local_scores(asia.select(names), tiers=[["smoke"], ["lung", "bronc"]]),
        "unknown": ds.FamilyTable(families),
    }


def subsets(names):
    return [some for size in range(len(names) + 1) for some in combinations(sorted(names), size)]


@pytest.mark.parametrize("kind", ["interventions", "k2", "forbidden", "tiers", "unknown"])
def test_networks_count_alone_where_members_of_a_class_may_differ(kind):
    scores = unequal_scores()[kind]
    with pytest.raises(ds.InvalidOption, match="cannot be ranked"):
        ds.k_best(scores, 3, space="classes")
    found = ds.modes(scores, 5, 1, distinct="class")
    assert any(cpdag.size() > 1 for cpdag in found.cpdags)
    assert found.class_sizes == (1,) * len(found)
    shares = np.exp(found.scores - found.scores[0])
    shares /= shares.sum()

    def alone(feature):
        return sum(share * feature(dag) for share, dag in zip(shares, found.networks, strict=True))

    np.testing.assert_allclose(found.weights(), shares)
    np.testing.assert_allclose(found.edges, alone(ds.Dag.to_adjacency), atol=1e-12)
    np.testing.assert_allclose(found.ancestors, alone(reached), atol=1e-12)
    np.testing.assert_allclose(found.to_dict()["edges"], found.edges)
    first, second = scores.variables[:2]
    share = found.average(lambda dag: float(dag.has_edge(first, second)))
    assert share == pytest.approx(found.edge(first, second))
    # Experiments and constraints leave a class that fits alike; this score tells all its members apart.
    assert isinstance(found.drawable, ds.Dag if kind == "k2" else LimitedClass)


def test_one_network_of_each_class(scores):
    classes = ds.modes(scores, 8, 1, distinct="class")
    networks = ds.modes(scores, 200, 1)
    assert len({dag.to_cpdag() for dag in classes}) == len(classes) == 8
    seen = dict.fromkeys(dag.to_cpdag() for dag in networks)
    assert [dag.to_cpdag() for dag in classes] == list(seen)[:8]


def test_averages_are_in_documents_and_used_by_others(scores, tmp_path):
    found, truth = ds.modes(scores, 5, 1), ds.load_network("asia")
    document = found.to_dict()
    assert document["edges"] == found.edges.tolist()
    assert document["ancestors"] == found.ancestors.tolist()
    found.save(tmp_path / "modes.json")
    assert np.array_equal(ds.load_result(tmp_path / "modes.json").edges, found.edges)
    assert ds.edge_accuracy(found, truth).auc == ds.edge_accuracy(found.edges, truth).auc
    assert found.consensus().edge_count > 0
    data = truth.sample(60, seed=3)
    rows = truth.sample(5, seed=9).to_frame()
    predicted = found.predict(data, rows, "lung")
    np.testing.assert_allclose(predicted.sum(axis=1), 1.0)


def test_there_is_nothing_to_average_without_modes(scores):
    with pytest.warns(ds.StoppedEarly):
        nothing = ds.modes(scores, 5, 1, bound="none", max_seconds=1e-6)
    assert nothing.to_dict()["edges"] is None
    with pytest.raises(ds.InvalidOption, match="no networks to average over"):
        _ = nothing.edges
