"""Max-Min Hill Climbing: a tabu search among neighbours, under any constraints."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagscape as ds
from dagscape.search import mmpc
from search.strategies import problems
from search.test_climbing import replay

ASIA = ds.load_network("asia").sample(2000, seed=1)


@settings(max_examples=25, deadline=None)
@given(problem=problems(), seed=st.integers(0, 1000), alpha=st.sampled_from([0.05, 0.5]))
def test_every_step_is_a_best_move_among_neighbours(problem, seed, alpha):
    data, options = problem
    found = ds.learn(data, "mmhc", seed=seed, alpha=alpha, rows_per_cell=1, **options, settings="fixed")
    # The search draws its ranks from the seed, as mmpc does.
    neighbours = ds.mmpc(data, alpha, rows_per_cell=1, seed=seed)
    replay(found, ds.family_scores(data, **options), visited=100, patience=15, allowed=neighbours.adjacent)
    assert {*options["required"]} <= {*found.network.edges}
    assert not {*options["forbidden"]} & {*found.network.edges}
    assert found.details["neighbour_pairs"] == neighbours.pair_count
    assert found.details["tests"] == neighbours.tests


def test_edges_join_neighbours():
    found = ds.learn(ASIA, "mmhc", ess=10, settings="fixed")
    allowed = ds.mmpc(ASIA).adjacent
    assert not (found.network.to_adjacency().astype(bool) & ~allowed).any()
    assert found.network.edge_count > 0


def test_a_start_may_have_other_edges():
    start = ds.Dag.from_edges(ASIA.variables, [("asia", "smoke"), ("bronc", "dysp")])
    found = ds.learn(ASIA, "mmhc", start=start, settings="fixed")
    assert found.trace[0].network == start.edges
    assert found.score >= ds.family_scores(ASIA).network(start)


def test_permuted_columns_permute_the_network():
    order = np.random.default_rng(3).permutation(ASIA.n)
    permuted = ASIA.select([ASIA.variables[i] for i in order])
    found, other = ds.learn(ASIA, "mmhc", settings="fixed"), ds.learn(permuted, "mmhc", settings="fixed")
    # Scores of equivalent networks tie, so the seed may choose other members of the class.
    assert other.score == pytest.approx(found.score, abs=1e-9)
    assert ds.equivalent(other.network.reordered(ASIA.variables), found.network)


def test_scores_are_refused():
    with pytest.raises(ds.InvalidOption, match="'mmhc' needs data, not scores"):
        ds.learn(ds.local_scores(ASIA), "mmhc", settings="fixed")


@pytest.mark.parametrize(
    ("option", "message"),
    [("tabu_length", "tabu_length is 0; it must be"), ("patience", "patience is 0; it must be")],
)
def test_wrong_options_are_refused(option, message):
    with pytest.raises(ds.InvalidOption, match=message):
        ds.learn(ASIA, "mmhc", **{option: 0}, settings="fixed")


@pytest.mark.parametrize("method", ["mmhc", "curriculum"])
def test_the_time_limit_returns_the_start(method):
    with pytest.warns(ds.StoppedEarly, match="max_seconds"):
        found = ds.learn(ASIA, method, max_seconds=1e-9, settings="fixed")
    assert not found.complete
    assert found.network.edge_count == 0


@pytest.mark.parametrize("method", ["mmhc", "curriculum"])
def test_the_time_limit_ends_the_tests(method, monkeypatch):
    def slow_tests(data, options, *, callback, **others):
        callback(1, data.n)
        raise AssertionError

    monkeypatch.setattr(mmpc, "max_min_strengths", slow_tests)
    with pytest.warns(ds.StoppedEarly, match="max_seconds"):
        found = ds.learn(ASIA, method, max_seconds=1e-9, required=[("smoke", "lung")], settings="fixed")
    assert found.network.edges == (("smoke", "lung"),)
    assert found.score == ds.family_scores(ASIA).network(found.network)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["mmhc", "curriculum"])
def test_hundreds_of_variables(method, shared_data):
    data = ds.read_network(shared_data / "networks" / "andes.bif.gz").sample(300, seed=1)
    found = ds.learn(data, method, ess=10, settings="fixed")
    assert found.network.n == 223
    assert found.score == ds.family_scores(data, ess=10).network(found.network)
    assert found.network.edge_count > 0


@pytest.mark.slow
@pytest.mark.parametrize("method", ["mmhc", "curriculum"])
def test_a_random_network_of_300_variables(method):
    rng = np.random.default_rng(5)
    codes = np.empty((400, 300), dtype=np.int64)
    for i in range(300):
        above = codes[:, rng.integers(0, i, 2)].sum(axis=1) if i else np.zeros(400)
        codes[:, i] = rng.random(400) < 0.1 + 0.4 * above
    data = ds.Dataset.from_codes(codes, {f"v{i}": ["0", "1"] for i in range(300)})
    found = ds.learn(data, method, settings="fixed")
    empty = ds.Dag.from_edges(data.variables)
    assert found.score > ds.family_scores(data).network(empty)
