"""What the benchmark of given edges rests on: its data, its exact answers, and the pairs that it counts."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dagscape as ds
from oracles.posterior import orders_of, possible_dags


@pytest.fixture
def trust(import_benchmark):
    return import_benchmark("trust")


def test_data_have_the_edges_and_the_noise_of_the_protocol(trust):
    drawn = [trust.simulated(seed) for seed in range(100)]
    counts = [len(data.edges) for data in drawn]
    # Their variance is 120 · p (1 − p) with p = 32 / 120.
    assert np.mean(counts) == pytest.approx(32, abs=4 * np.sqrt(23.5 / 100))
    roots = [data.frame.to_numpy()[:, data.truth.sum(axis=0) == 0].std() for data in drawn]
    assert np.mean(roots) == pytest.approx(0.316, abs=0.01)
    for data in drawn:
        assert data.frame.shape == (100, 16)
        assert len(set(data.edges)) == data.truth.sum()
        assert all(data.truth[edge] == 1 for edge in data.edges)
        assert ds.Dag.from_edges(list(data.frame), data.names(len(data.edges))).edge_count == len(data.edges)


@pytest.mark.parametrize(("prior", "over"), [("uniform", "dags"), ("per-size", "dags"), ("per-size", "orders")])
def test_answers_are_those_of_all_structures(trust, monkeypatch, prior, over):
    """Four variables: each DAG counts once, or as often as there are orders that it agrees with."""
    monkeypatch.setattr(trust, "VARIABLES", 4)
    monkeypatch.setattr(trust, "EDGES", 5)
    data = trust.simulated(3)
    scores = ds.local_scores(data.frame, "bge", structure_prior=prior, nu=0, scale="none")
    everything, with_given, edges = 0.0, 0.0, np.zeros((4, 4))
    for dag, log_weight, parents in possible_dags(scores):
        weight = math.exp(log_weight) * (orders_of(parents) if over == "orders" else 1)
        everything += weight
        if all(source in parents[target] for source, target in data.edges[:2]):
            with_given += weight
            edges += weight * dag.to_adjacency()
    answer = trust.exact(data, 2, prior, over)
    assert answer.evidence == pytest.approx(math.log(with_given / everything), abs=1e-9)
    assert answer.edges == pytest.approx(edges / with_given, abs=1e-9)


def test_pairs_of_given_edges_are_left_out_of_the_area(trust):
    truth = np.array([[0, 1, 1], [0, 0, 1], [0, 0, 0]], dtype=float)
    data = trust.Simulated(frame=None, truth=truth, edges=[(0, 1), (0, 2), (1, 2)])
    edges = np.array([[0, 1, 0.6], [0, 0, 0.5], [0.3, 0.55, 0]])
    # Two edges and two entries that are none: three of the four comparisons are right.
    assert trust.open_area(edges, data, 1) == 0.75
    assert trust.open_area(edges, data, 2) == 0
