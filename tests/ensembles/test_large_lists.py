"""Lists of networks of more than 64 variables, compared with the results for one network at a time."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import dagscape as ds
from dagscape.ensembles.class_shares import ancestor_shares, edge_shares
from dagscape.ensembles.diversity import class_counts, distances, mean_distances
from dagscape.ensembles.mixtures import log_predictive, predict
from dagscape.graphs.class_size import class_sizes
from dagscape.graphs.lists import DagList
from dagscape.networks.discrete.network import Network
from dagscape.results.base import Provenance

N = 100


def some_dags(count=6, n=N):
    """Different DAGs, some of them in the same class."""
    dags = [ds.random_dag(n, 1.2, seed=seed) for seed in range(count - 2)]
    members = dags[0].to_cpdag().members()
    return [*dags, *itertools.islice((dag for dag in members if dag != dags[0]), 2)]


def best_of(dags, space):
    networks = DagList.from_dags(dags)
    classes = space == "classes"
    return ds.BestNetworks(
        variables=networks.variables,
        provenance=Provenance(ds.__version__, "k_best"),
        space=space,
        networks=networks,
        scores=-np.linspace(1, 3, len(dags)),
        class_sizes=tuple(class_sizes(networks.cpdags().undirected)) if classes else (1,) * len(dags),
        ties=(1,) * len(dags),
        ends_in_tie=False,
        exhausted=False,
        complete=True,
        stored=len(dags),
    )


@pytest.mark.slow
def test_averages_over_dags():
    dags = some_dags()
    best = best_of(dags, "dags")
    weights = best.weights()

    def average(matrix):
        return sum(weight * matrix(dag) for weight, dag in zip(weights, dags, strict=True))

    def ancestors(dag):
        return np.array([[mask >> u & 1 for mask in dag.ancestor_masks()] for u in range(N)])

    def blankets(dag):
        members = [dag.markov_blanket(v) for v in dag.variables]
        return np.array([[u in blanket for blanket in members] for u in dag.variables])

    assert best.edges == pytest.approx(average(ds.Dag.to_adjacency), abs=1e-15)
    assert best.ancestors == pytest.approx(average(ancestors), abs=1e-15)
    assert best.blanket_probabilities() == pytest.approx(average(blankets), abs=1e-15)
    found = best.v_structure_probabilities()
    assert set(found) == {triple for dag in dags for triple in dag.v_structures()}
    for triple, probability in found.items():
        expected = sum(w for w, dag in zip(weights, dags, strict=True) if triple in dag.v_structures())
        assert probability == pytest.approx(expected)


def test_averages_over_classes():
    dags = some_dags()
    best = best_of(dags, "classes")
    cpdags = [dag.to_cpdag() for dag in dags]
    assert best.class_sizes == tuple(cpdag.size() for cpdag in cpdags)
    for found, shares in ((best.edges, edge_shares), (best.ancestors, ancestor_shares)):
        expected = sum(w * shares(c.directed, c.undirected) for w, c in zip(best.weights(), cpdags, strict=True))
        assert found == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("space", ["dags", "classes"])
def test_agreement_counts_networks(space):
    dags = some_dags()
    best = best_of(dags, space)
    frame = best.agreement()
    assert len(frame) == N * (N - 1) // 2
    graphs = [dag.to_cpdag() for dag in dags] if space == "classes" else dags
    for row in frame[:300].itertuples(index=False):
        u, v = (best.variables.index(name) for name in (row.source, row.target))
        assert row.forward == sum(graph.directed[v] >> u & 1 for graph in graphs)
        assert row.backward == sum(graph.directed[u] >> v & 1 for graph in graphs)
        assert row.undirected == sum(graph.undirected[u] >> v & 1 for graph in graphs)
        assert row.absent == len(dags) - row.forward - row.backward - row.undirected
    assert frame[["forward", "backward", "undirected"]].to_numpy().sum() == sum(dag.edge_count for dag in dags)


def test_results_are_kept(tmp_path):
    best = best_of(some_dags(), "classes")
    best.save(tmp_path / "best.json")
    back = ds.load_result(tmp_path / "best.json")
    assert back.networks == best.networks
    assert back.to_frame().equals(best.to_frame())


@pytest.mark.slow
@pytest.mark.parametrize("n", [N, 1000])
def test_distances(n):
    dags = some_dags(5, n)
    classes = DagList.from_dags(dags).cpdags()
    shd = {pair: ds.compare(*pair)["shd"] for pair in itertools.combinations(dags, 2)}
    assert distances(classes, dags[0]).tolist() == [0] + [shd[dags[0], dag] for dag in dags[1:]]
    assert mean_distances(classes)[-1] == sum(shd.values()) / len(shd)
    assert class_counts(classes).tolist() == [1, 2, 3, 3, 3]


def test_predictions():
    dags = some_dags(4, 70)
    random = np.random.default_rng(1)
    names = dags[0].variables
    levels = dict.fromkeys(names, ("no", "yes"))
    train, rows = (ds.Dataset.from_codes(random.integers(0, 2, (m, 70)), levels) for m in (60, 5))
    weights = np.log([0.4, 0.3, 0.2, 0.1])
    parents = DagList.from_dags(dags).parents
    networks = [Network.fit(dag, train) for dag in dags]

    def log_probability(codes):
        row = ds.Dataset.from_codes(codes[np.newaxis], levels)
        return np.logaddexp.reduce([w + net.log_likelihood(row) for w, net in zip(weights, networks, strict=True)])

    found = log_predictive(names, parents, weights, train, rows)
    assert found == pytest.approx([log_probability(codes) for codes in rows.codes], rel=1e-12)
    target = 66
    predicted = predict(names, parents, weights, train, rows, names[target])
    for codes, probabilities in zip(rows.codes, predicted, strict=True):
        filled = np.repeat(codes[np.newaxis], 2, axis=0)
        filled[:, target] = 0, 1
        logs = np.array([log_probability(row) for row in filled])
        assert probabilities == pytest.approx(np.exp(logs - np.logaddexp.reduce(logs)), rel=1e-9)
