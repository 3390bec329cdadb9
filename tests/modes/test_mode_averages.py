"""Averages over modes, compared with sums over the networks, or over all members of their classes."""

from __future__ import annotations

import numpy as np
import pytest

import dagscape as ds


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
