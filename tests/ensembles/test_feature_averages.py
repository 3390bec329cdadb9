"""Averages of features over lists, compared with sums over the networks and their members."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import dagscape as ds

HOLDS = {
    "edges": lambda dag, u, v: dag.has_edge(u, v),
    "adjacencies": lambda dag, u, v: dag.has_edge(u, v) or dag.has_edge(v, u),
    "ancestors": lambda dag, u, v: u in dag.ancestors(v),
    "blankets": lambda dag, u, v: u in dag.markov_blanket(v),
    "v-structures": lambda dag, *triple: triple in dag.v_structures(),
}


@pytest.fixture(scope="module")
def data():
    return ds.load_network("asia").sample(60, seed=3)


def weighted(found, weights):
    """Every DAG that the list stands for, with its share."""
    if isinstance(found, ds.Bootstrap):
        # A network counts as its class.
        return [(m, 1 / len(found) / dag.to_cpdag().size()) for dag in found.networks for m in dag.to_cpdag().members()]
    classes = getattr(found, "space", "dags") == "classes"
    entries = []
    for dag, score in zip(found.networks, found.scores, strict=True):
        members = list(dag.to_cpdag().members()) if classes else [dag]
        each = np.exp(score - found.scores[0]) / (1 if weights == "dags" else len(members))
        entries += [(member, each) for member in members]
    total = sum(weight for _, weight in entries)
    return [(dag, weight / total) for dag, weight in entries]


@pytest.mark.parametrize("feature", HOLDS)
@pytest.mark.parametrize("weights", ["dags", "classes"])
def test_averages_are_sums_over_the_networks(data, feature, weights):
    scores = ds.local_scores(data)
    lists = [ds.k_best(scores, 6), ds.k_best(scores, 6, space="dags"), ds.modes(scores, 4, 1)]
    lists += [ds.bootstrap(data, "greedy", samples=3, workers=1)] if weights == "dags" else []
    for listed in lists:
        found = ds.feature_averages(listed, feature, weights)
        given = dict(zip(found.entries, found.probabilities.tolist(), strict=True))
        assert list(found.probabilities) == sorted(found.probabilities, reverse=True)
        dags = weighted(listed, weights)
        names = listed.variables
        if feature == "v-structures":
            candidates = {triple for dag, _ in dags for triple in dag.v_structures()}
        elif feature in ("adjacencies", "blankets"):
            candidates = set(itertools.combinations(names, 2))
        else:
            candidates = set(itertools.permutations(names, 2))
        assert set(given) <= candidates
        for entry in candidates:
            expected = sum(share for dag, share in dags if HOLDS[feature](dag, *entry))
            assert given.get(entry, 0.0) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("feature", HOLDS)
def test_averages_of_samples_have_their_errors(data, feature):
    drawn = ds.sample_dags(ds.local_scores(data), 200, seed=1)
    found = ds.feature_averages(drawn, feature)
    frame = found.to_frame()
    assert list(frame.columns[-2:]) == ["probability", "error"]
    assert found.errors.shape == (len(found.entries),)
    for entry, probability, error in zip(found.entries, found.probabilities, found.errors, strict=True):
        expected = drawn.average(lambda dag, entry=entry: HOLDS[feature](dag, *entry))
        assert (probability, error) == pytest.approx((float(expected), expected.error))
    assert ds.feature_averages(ds.k_best(ds.local_scores(data), 3), feature).errors is None


def test_averages_of_chains_keep_their_warnings(data):
    with pytest.warns(ds.UnconvergedChains):
        drawn = ds.chain(ds.local_scores(data), draws=4, chains=2, seed=1)
    found = ds.feature_averages(drawn, "ancestors")
    assert found.warnings == drawn.warnings != ()


def test_what_is_refused(data):
    best = ds.k_best(ds.local_scores(data), 3)
    with pytest.raises(ds.InvalidOption, match=r"feature is 'edge'.*did you mean 'edges'"):
        ds.feature_averages(best, "edge")
    with pytest.raises(ds.InvalidOption, match="weights is 'trees'"):
        ds.feature_averages(best, weights="trees")
    with pytest.raises(ds.InvalidOption, match="networks is a list; it must be a list of networks"):
        ds.feature_averages([best.networks[0]])


def test_weights_without_effect_and_names_of_features_are_refused():
    rows = ds.load_network("cancer").sample(100, seed=1)
    boot = ds.bootstrap(rows, samples=3, workers=1)
    with pytest.raises(ds.InvalidOption, match="weights is 'classes', but these networks all count alike"):
        ds.feature_averages(boot, weights="classes")
    with pytest.raises(ds.InvalidOption, match=r"function is a str, not a function of a DAG: .*edge_probabilities"):
        ds.modes(ds.local_scores(rows), 2).average("edges")
