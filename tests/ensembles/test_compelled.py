"""The probability that an edge holds in every member of its class, over lists of networks and bootstraps."""

from __future__ import annotations

import numpy as np
import pytest

import dagscape as ds
from compelled_cases import CASES, NAMES, expected_compelled, experiments, rows


@pytest.mark.parametrize("case", CASES)
def test_a_list_of_all_networks_has_the_exact_probabilities(case):
    reading, scoring, families = CASES[case]
    scores = ds.local_scores(rows(**reading), **scoring)
    best = ds.k_best(scores, 600, space="dags")
    assert best.exhausted
    expected = expected_compelled(scores, families)
    np.testing.assert_allclose(best.compelled, expected, atol=1e-9)
    assert (best.compelled <= best.edges + 1e-12).all()
    assert expected.max() > 0.01
    if case == "plain":
        classes = ds.k_best(scores, 200)
        np.testing.assert_allclose(classes.compelled, expected, atol=1e-9)
        np.testing.assert_allclose(classes.to_dict()["compelled"], expected, atol=1e-9)
        alone = classes.compelled_probabilities("classes")
        assert abs(alone - expected).max() > 1e-4
        frame = classes.to_frame(wide=True, feature="compelled")
        assert frame.loc["v0", "v1"] == classes.compelled[0, 1]


def test_modes_have_compelled_edges():
    scores = ds.local_scores(rows(), tiers=[["v2"], ["v0", "v1", "v3"]])
    found = ds.modes(scores, 5, 1)
    assert found.compelled.shape == (4, 4)
    assert found.to_dict()["compelled"] == found.compelled.tolist()
    assert set(np.flatnonzero(found.compelled[:, 2])) == set()
    # A tier directs an edge of every network that has it.
    np.testing.assert_allclose(found.compelled[2], found.edges[2], atol=1e-12)


def test_bootstraps_respect_tiers_and_experiments():
    """Plain classes would leave edges between tiers, and those at one end of which an experiment was, undirected."""
    data = rows(interventions=experiments())
    boot = ds.bootstrap(data, samples=20, tiers=[["v0"], ["v1", "v2", "v3"]], seed=1)
    np.testing.assert_allclose(boot.compelled[0], boot.edges[0])
    np.testing.assert_allclose(boot.compelled[1], boot.edges[1])
    np.testing.assert_allclose(boot.compelled[:, 1], boot.edges[:, 1])
    assert boot.reversible[[0, 1]].sum() == 0
    plain = np.zeros((4, 4))
    for dag in boot.networks:
        for parent, child in dag.to_cpdag().directed_edges:
            plain[NAMES.index(parent), NAMES.index(child)] += 1 / len(boot)
    assert (boot.compelled >= plain - 1e-12).all()
    assert (boot.compelled > plain + 0.05).any()


def test_one_network_is_listed_and_drawn_as_its_class():
    chain = ds.load_network("asia").sample(1000, seed=2)
    free = ds.learn(chain, "optimal", settings="fixed")
    assert set(free.compelled_edges) == set(free.cpdag.directed_edges)
    assert free.reversible_edges == free.cpdag.undirected_edges
    assert free.drawable.undirected == free.cpdag.undirected
    assert ds.draw(free) == ds.draw(free.cpdag)
    frame = free.to_frame()
    assert [tuple(row) for row in frame[["source", "target"]].to_numpy()] == list(free.network.edges)
    assert frame["compelled"].sum() == len(free.compelled_edges)
    document = free.to_dict()
    assert document["reversible_edges"] == [list(edge) for edge in free.reversible_edges]
    first = free.reversible_edges[0]
    tied = ds.optimal_network(ds.local_scores(chain, forbidden=[first]))
    assert first not in tied.reversible_edges
    assert (first[1], first[0]) in tied.compelled_edges
    # K2 tells members apart, so that its network is no member of a class that fits alike.
    assert ds.learn(chain, "optimal", score="k2").reversible_edges == ()
