"""Averages over samples of networks, compared with means over the list, one network at a time."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagscape as ds
from dagscape.ensembles.chain_diagnostics import diagnose
from dagscape.ensembles.monte_carlo import batch_means, chain_share_errors, effective_size
from dagscape.graphs.lists import DagList
from dagscape.report.samples import render_samples
from dagscape.report.tables import render
from dagscape.report.terminal import terminal_text
from dagscape.results.base import Provenance
from oracles.graphs import all_dags, d_separated, descendants, parent_sets

FEATURES = ("edges", "ancestors", "adjacencies", "compelled", "blankets")
ERRORS = ("edge_errors", "ancestor_errors", "adjacency_errors", "compelled_errors", "blanket_errors")


def samples_of(dags, *, scores=None, chains=1, method="exact", **more):
    networks = dags if isinstance(dags, DagList) else DagList.from_dags(dags)
    return ds.SampledNetworks(
        variables=networks.variables,
        provenance=Provenance(ds.__version__, "sample_dags"),
        networks=networks,
        scores=np.arange(len(networks), dtype=float) % 7 if scores is None else scores,
        over="dags",
        method=method,
        chains=chains,
        **more,
    )


@st.composite
def some_samples(draw):
    dags = all_dags(draw(st.sampled_from([2, 3])))
    chains, draws = draw(st.sampled_from([(1, 1), (1, 7), (2, 6), (3, 4)]))
    chosen = draw(st.lists(st.sampled_from(dags), min_size=chains * draws, max_size=chains * draws))
    method = draw(st.sampled_from(["exact", "chain"])) if chains == 1 else "chain"
    scores = np.array(draw(st.lists(st.integers(-3, 3), min_size=len(chosen), max_size=len(chosen))), dtype=float)
    return samples_of(chosen, scores=scores, chains=chains, method=method)


def indicator(feature, dag):
    """Whether each pair of variables of one DAG has a feature."""
    parents, n = parent_sets(dag), dag.n
    below = [descendants(parents, v) - {v} for v in range(n)]
    directed = {(u, v) for v in range(n) for u in parents[v]}
    members = [m for m in all_dags(n) if m.to_cpdag() == dag.to_cpdag()]
    families = [parents[v] | {v} for v in range(n)]
    has = {
        "edges": lambda u, v: (u, v) in directed,
        "ancestors": lambda u, v: v in below[u],
        "adjacencies": lambda u, v: (u, v) in directed or (v, u) in directed,
        "compelled": lambda u, v: all(u in parent_sets(member)[v] for member in members),
        "blankets": lambda u, v: any({u, v} <= family for family in families),
    }[feature]
    return [[u != v and has(u, v) for v in range(n)] for u in range(n)]


@pytest.mark.slow
@given(some_samples())
@settings(max_examples=25)
def test_probabilities_and_errors_are_those_of_the_indicators(found):
    size = len(found) if found.method == "exact" else found.chains
    if found.method == "chain" and found.draws >= 4:
        size = effective_size(found.scores.reshape(found.chains, -1))
    for feature, errors in zip(FEATURES, ERRORS, strict=True):
        values = np.array([indicator(feature, dag) for dag in found], dtype=float)
        assert getattr(found, feature) == pytest.approx(values.mean(axis=0))
        if found.method == "exact":
            smoothed = (values.sum(axis=0) + 1) / (len(found) + 2)
            expected = np.sqrt(smoothed * (1 - smoothed) / len(found))
        else:
            chains = values.reshape(found.chains, found.draws, *values.shape[1:])
            expected = chain_share_errors(
                batch_means(chains), chains.mean(axis=1), draws=len(found), scores_size=float(size)
            )
        np.fill_diagonal(expected, 0)
        assert getattr(found, errors) == pytest.approx(expected)


@pytest.mark.slow
@given(some_samples())
@settings(max_examples=25)
def test_averages_of_functions_and_sets(found):
    u, v = found.variables[:2]
    count = found.average(lambda dag: dag.edge_count)
    assert type(count) is ds.Estimate
    assert count == pytest.approx(np.mean([dag.edge_count for dag in found]))
    there = found.average(lambda dag: dag.has_edge(u, v))
    assert type(there) is ds.Probability
    assert (there, there.error) == pytest.approx((found.edge(u, v), found.edge(u, v).error))
    arrays = found.average(lambda dag: dag.to_adjacency())
    assert arrays.value == pytest.approx(found.edges)
    off = ~np.eye(len(found.variables), dtype=bool)
    assert arrays.error[off] == pytest.approx(found.edge_errors[off])
    for shares, of in (
        (found.parents(v), lambda dag: dag.parents(v)),
        (found.markov_blankets(v), lambda dag: dag.markov_blanket(v)),
    ):
        listed = [of(dag) for dag in found]
        assert set(shares) == set(listed)
        assert [*shares.values()] == sorted(shares.values(), reverse=True)
        for each, share in shares.items():
            matching = found.average(lambda dag, each=each, of=of: of(dag) == each)
            assert (share, share.error) == pytest.approx((matching, matching.error))


@pytest.mark.slow
@given(some_samples().filter(lambda found: len(found.variables) == 3))
@settings(max_examples=25)
def test_paths_separation_and_v_structures(found):
    a, b, c = found.variables

    def share(holds):
        return np.mean([holds(dag) for dag in found])

    assert found.via(a, b, c) == pytest.approx(
        share(lambda dag: {0} <= {s for s in range(3) if 1 in descendants(parent_sets(dag), s) and s != 1}
              and 2 in descendants(parent_sets(dag), 1))
    )  # fmt: skip
    assert found.d_separated(a, c, [b]) == pytest.approx(share(lambda dag: d_separated(dag, 0, 2, {1})))
    triples = found.v_structure_probabilities()
    for triple in {each for dag in found for each in dag.v_structures()} | set(triples):
        expected = found.average(lambda dag, triple=triple: triple in dag.v_structures())
        assert (triples[triple], triples[triple].error) == pytest.approx((expected, expected.error))


@pytest.mark.slow
@given(some_samples())
@settings(max_examples=20)
def test_shares_of_classes_and_networks(found):
    for frame, same in (
        (found.network_shares(), lambda one, other: one == other),
        (found.class_shares(), lambda one, other: ds.equivalent(one, other)),
    ):
        assert frame["samples"].sum() == len(found)
        assert frame["cumulative"].iloc[-1] == 1
        assert frame["share"].is_monotonic_decreasing
        for row in frame.itertuples():
            inside = [same(dag, row.network) for dag in found]
            assert row.samples == sum(inside)
            assert row.share == pytest.approx(np.mean(inside))
            assert row.score == found.scores[inside].max()
            expected = found.average(lambda dag, row=row, same=same: same(dag, row.network))
            assert row.error == pytest.approx(expected.error)
    assert found.best == found.networks[int(found.scores.argmax())]
    assert found.best_score == found.scores.max()


def test_functions_are_called_once_for_each_different_network():
    one, other = ds.Dag.from_edges("ab", [("a", "b")]), ds.Dag("ab")
    found, calls = samples_of([one, other] * 10), []
    found.average(lambda dag: calls.append(dag) or 1)
    assert calls == [one, other]
    for wrong, problem in [
        (3, "function is an int, not a function of a DAG"),
        (lambda dag: "text", "the function returned a str"),
        (lambda dag: np.zeros(dag.edge_count), "arrays of different shapes"),
    ]:
        with pytest.raises(ds.InvalidOption, match=problem):
            found.average(wrong)
    with pytest.raises(ds.InvalidOption, match="'x' is not a variable"):
        found.edge("a", "x")
    with pytest.raises(ds.InvalidOption, match="must differ"):
        found.via("a", "b", "a")


def chain_samples(steps=False, n=3):
    """Two short chains, with averages over all steps if asked for."""
    rng = np.random.default_rng(2)
    dags = all_dags(n)
    networks = DagList.from_dags([dags[i] for i in rng.integers(0, len(dags), 40)])
    scores = rng.normal(size=40)
    more = {}
    if steps:
        batches = rng.random((2, 10, n, n)) * (1 - np.eye(n)) / 2
        more = {"edge_means": batches.mean(axis=1), "edge_batches": batches}
    diagnostics = diagnose(scores.reshape(2, 20), networks, **more, burn_in=5, steps=200)
    return samples_of(networks, scores=scores, chains=2, method="chain", diagnostics=diagnostics, **more)


def test_averages_over_all_steps_count():
    found = chain_samples(steps=True)
    assert found.edges == pytest.approx(found.edge_means.mean(axis=0))
    size = min(found.diagnostics.ess_score, 40)
    off = ~np.eye(3, dtype=bool)
    errors = chain_share_errors(found.edge_batches, found.edge_means, scores_size=size)
    assert found.edge_errors[off] == pytest.approx(errors[off])
    both = found.edge_means + found.edge_means.swapaxes(1, 2)
    assert found.adjacencies == pytest.approx(both.mean(axis=0))
    # Without batch means, errors are at least those from the networks, and from the spread of the chains.
    alone = dataclasses.replace(found, edge_batches=None)
    of_networks = dataclasses.replace(found, edge_batches=None, edge_means=None)
    spread = np.sqrt(found.edge_means.var(axis=0, ddof=1) / 2)
    assert alone.edge_errors == pytest.approx(np.maximum(of_networks.edge_errors, spread))
    # What includes an edge is at least as probable; of two ways to estimate it, that with the smaller error is taken.
    for feature, part in (("ancestors", "edges"), ("blankets", "adjacencies")):
        errors = {"ancestors": "ancestor_errors", "blankets": "blanket_errors"}[feature]
        by_parts = getattr(found, part) + getattr(of_networks, feature) - getattr(of_networks, part)
        estimates, kept = getattr(found, feature), getattr(found, errors)
        lowest = getattr(found, part)
        assert (estimates >= lowest).all()
        assert (kept <= getattr(of_networks, errors) + 1e-15).all()
        direct = np.isclose(estimates, np.clip(getattr(of_networks, feature), lowest, 1))
        assert (direct | np.isclose(estimates, np.clip(by_parts, lowest, 1))).all()
    assert (found.compelled <= found.edges).all()
    assert (found.compelled_errors <= of_networks.compelled_errors + 1e-15).all()
    by_edges = np.clip(found.edges - (of_networks.edges - of_networks.compelled), 0, found.edges)
    direct = np.isclose(found.compelled, np.minimum(of_networks.compelled, found.edges))
    assert (direct | np.isclose(found.compelled, by_edges)).all()


def test_a_sure_path_is_sure():
    """s → m → t in every network, s → t in some: the path has the error of what every sample has."""
    dags = [
        ds.Dag.from_edges("smt", [("s", "m"), ("m", "t"), *([("s", "t")] if number % 3 else [])])
        for number in range(80)
    ]
    means = np.zeros((2, 3, 3))
    means[:, 0, 1] = means[:, 1, 2] = 1
    means[:, 0, 2] = 0.6, 0.7
    batches = np.repeat(means[:, np.newaxis], 4, axis=1)
    found = ds.SampledNetworks(
        ("s", "m", "t"), Provenance("1", "example"), DagList.from_dags(dags), np.zeros(80),
        over="dags", method="chain", chains=2, edge_means=means, edge_batches=batches,
    )  # fmt: skip
    assert found.ancestor("s", "t") == 1
    assert found.ancestor("s", "t").error == pytest.approx(found.ancestor("s", "m").error)


@pytest.mark.slow
@pytest.mark.parametrize("steps", [False, True])
@pytest.mark.parametrize("name", ["samples.json", "samples.npz", "samples.json.gz"])
def test_round_trips(tmp_path, name, steps):
    found = chain_samples(steps)
    found.save(tmp_path / name)
    back = ds.load_result(tmp_path / name)
    assert back == found
    assert back.diagnostics == found.diagnostics
    assert back.to_dict() == found.to_dict()
    assert set(FEATURES[:4]) | set(ERRORS[:4]) <= set(found.to_dict())


def test_fields_that_contradict_each_other_are_refused():
    document = chain_samples(steps=True).to_dict()
    for change, problem in [
        ({"chains": 3}, "there are 40 networks; 3 chains must share them"),
        ({"chains": 0}, "chains is 0; it must be at least 1"),
        ({"method": "exact"}, "chains is 2; it must be 1 if samples are independent"),
        ({"networks": [], "scores": []}, "there are 0 networks"),
        ({"edge_means": [[[0.5]]]}, r"edge_means has the shape \(1, 1, 1\); it must be \(2, 3, 3\)"),
        ({"edge_batches": [0.5]}, r"edge_batches has the shape \(1,\); it must be \(2, 1, 3, 3\)"),
        ({"edge_means": None}, "edge_batches are given without edge_means"),
        ({"scores": [[0.0]] * 40}, "scores is not a list of numbers"),
        ({"diagnostics": document["diagnostics"] | {"disagreement_edge": ["v0", "x"]}}, "diagnostics mentions 'x'"),
    ]:
        with pytest.raises(ds.InvalidData, match=problem):
            ds.SampledNetworks.from_dict(document | change)


def test_frames():
    found = chain_samples()
    frame = found.to_frame()
    columns = [name for each in ("edge", "ancestor", "adjacent", "compelled") for name in (each, f"{each}_error")]
    assert [*frame.columns] == ["source", "target", *columns]
    row = frame.iloc[0]
    assert row["edge"] == found.edge(row["source"], row["target"]) == found.edges.max()
    assert row["edge_error"] == found.edge(row["source"], row["target"]).error
    assert row["compelled"] == found.direction(row["source"], row["target"])
    assert row["ancestor_error"] == found.ancestor(row["source"], row["target"]).error
    for feature in FEATURES[:4]:
        assert (found.to_frame(wide=True, feature=feature).to_numpy() == getattr(found, feature)).all()
    with pytest.raises(ds.InvalidOption, match="feature is 'compelled', which chooses the matrix of a wide frame"):
        found.to_frame(feature="compelled")
    u, v = found.variables[:2]
    trace = found.trace_frame([(u, v)])
    assert [*trace.columns] == ["chain", "draw", "score", f"{u} → {v}"]
    assert trace["chain"].tolist() == [0] * 20 + [1] * 20
    assert trace["draw"].tolist() == [*range(20)] * 2
    assert trace[f"{u} → {v}"].tolist() == [int(dag.has_edge(u, v)) for dag in found]
    arviz = found.to_arviz([(u, v)])["posterior"]
    assert arviz["score"].shape == arviz[f"{u} → {v}"].shape == (2, 20)
    assert (arviz["score"].reshape(-1) == found.scores).all()
    assert found.in_blanket(u, v) == found.blanket_probabilities()[0, 1]
    assert found.adjacent(u, v) == found.adjacency(u, v) == found.adjacencies[0, 1]
    assert found.ancestor(u, v) == found.ancestors[0, 1]


def test_what_is_shown():
    found = chain_samples()
    text = terminal_text(render(found), 200)
    assert "2 chains of 20 networks" in text
    assert "5 draws of burn-in left out" in text
    assert found.diagnostics.verdict in " ".join(text.split())
    assert "± error" in text
    assert "Consensus network" in terminal_text(render_samples(found, consensus=found.consensus()), 200)
    assert repr(found).startswith("SampledNetworks(2 chains of 20 DAGs over dags, 3 variables, ")
    assert repr(found).endswith(", not converged)")
    exact = samples_of([ds.Dag("ab")] * 3, error=1e-12)
    assert repr(exact) == "SampledNetworks(3 independent DAGs over dags, 2 variables, 0 edges above 0.5)"
    assert "numerical error of the sampling: 1e-12" in terminal_text(render(exact), 200)
    assert "<svg" in found.draw()._repr_svg_()


def test_predictions_average_the_networks_equally():
    data = ds.load_dataset("iris")
    one = ds.Dag.from_edges(data.variables, [("class", "petal_width")])
    other = ds.Dag.from_edges(data.variables, [("class", "petal_length")])
    found = samples_of([one, other, one, one])
    rows = data.to_frame().head(5)
    first, second = (np.exp(samples_of([dag]).log_predictive(data, rows)) for dag in (one, other))
    assert np.exp(found.log_predictive(data, rows)) == pytest.approx((3 * first + second) / 4)
    shares = found.predict(data, rows, "class")
    assert shares.sum(axis=1).tolist() == pytest.approx([1] * 5)
    assert found.classify(data, rows, "class").tolist() == shares.idxmax(axis=1).tolist()


def test_features_of_lists_can_be_listed():
    found = chain_samples()
    listed = ds.feature_averages(found, "v-structures")
    assert dict(zip(listed.entries, listed.probabilities, strict=True)) == found.v_structure_probabilities()
    assert ds.feature_averages(found, "blankets").probabilities[0] == found.blankets.max()


@pytest.mark.slow
def test_300_variables():
    dags = [ds.random_dag(300, 1.5, seed=seed) for seed in range(6)]
    found = samples_of([dags[i] for i in np.random.default_rng(1).integers(0, 6, 120)], chains=4, method="chain")
    u, v = next(iter(dags[0].edges))
    counts = sum(dag.to_adjacency().astype(float) for dag in found)
    assert found.edges == pytest.approx(counts / 120)
    assert found.edge(u, v) == found.average(lambda dag: dag.has_edge(u, v))
    below = found.variables[200]
    expected = found.average(lambda dag: np.array([name in dag.ancestors(below) for name in found.variables]))
    assert found.ancestors[:, 200] == pytest.approx(expected.value)
    assert np.delete(found.ancestor_errors[:, 200], 200) == pytest.approx(np.delete(expected.error, 200))
    near = found.average(lambda dag: np.array([name in dag.markov_blanket(below) for name in found.variables]))
    assert found.blankets[:, 200] == pytest.approx(near.value)
    assert len(found.class_shares()) == 6
    assert math.isclose(sum(found.parents(below).values()), 1)
    assert found.to_frame()["edge"].iloc[0] == found.edges.max()
