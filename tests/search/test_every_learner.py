"""The contract that every learner keeps: scores, constraints, time limits, threads, and hundreds of variables."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagscape as ds
from dagscape.search.registry import LEARNERS
from scores.strategies import DISCRETE_SCORES
from search.strategies import problems

# Without K2, which searches over equivalence classes refuse.
EQUIVALENT = tuple(name for name, definition in DISCRETE_SCORES.items() if definition.score_equivalent)
CLASS_SEARCHES = ("eq1", "ges", "xges")
HEURISTICS = [name for name in LEARNERS if name != "optimal"]


def check(found, data, options):
    """Check what a result claims, and that the network meets the constraints."""
    scores = ds.family_scores(data, **options)
    assert found.score == scores.network(found.network)
    assert found.variables == found.network.variables == data.variables
    edges = {*found.network.edges}
    assert {*options.get("required", ())} <= edges
    assert not {*options.get("forbidden", ())} & edges
    tier = {name: i for i, names in enumerate(options.get("tiers") or ()) for name in names}
    assert all(tier.get(parent, 0) <= tier.get(child, len(tier)) for parent, child in edges)
    limit = options.get("max_parents")
    assert limit is None or all(len(found.network.parents(name)) <= limit for name in data.variables)
    # A DAG has an order in which all edges lead forwards.
    place = {name: i for i, name in enumerate(found.network.topological_order())}
    assert all(place[parent] < place[child] for parent, child in edges)
    seconds = [step.seconds for step in found.trace]
    assert seconds == sorted(seconds)


@pytest.mark.slow
@pytest.mark.parametrize("method", LEARNERS)
@settings(max_examples=12, deadline=None)
@given(data=st.data(), seed=st.integers(0, 99))
def test_random_problems(method, data, seed):
    scores = EQUIVALENT if method in CLASS_SEARCHES else tuple(DISCRETE_SCORES)
    table, options = data.draw(problems(scores=scores))
    found = ds.learn(table, method, seed=seed, **options, settings="fixed")
    assert found.complete
    check(found, table, options)
    again = ds.learn(table, method, seed=seed, threads=2, **options, settings="fixed")
    assert again.network == found.network
    assert [step.move for step in again.trace] == [step.move for step in found.trace]


@pytest.mark.slow
@pytest.mark.parametrize("method", HEURISTICS)
@settings(max_examples=12, deadline=None)
@given(data=st.data(), seed=st.integers(0, 99))
def test_a_network_is_never_worse_than_its_start(method, data, seed):
    scores = EQUIVALENT if method in CLASS_SEARCHES else tuple(DISCRETE_SCORES)
    table, options = data.draw(problems(scores=scores))
    start = ds.optimal_network(ds.local_scores(table, **options)).network
    found = ds.learn(table, method, seed=seed, start=start, **options, settings="fixed")
    assert found.score >= ds.family_scores(table, **options).network(start)


@pytest.mark.parametrize("method", LEARNERS)
def test_results_are_saved_and_pictured(method, tmp_path):
    found = ds.learn(ds.load_dataset("iris"), method, settings="fixed")
    found.save(tmp_path / "found.json")
    assert ds.load_result(tmp_path / "found.json") == found
    assert len(found.trace_frame()) == len(found.trace) > 0
    ds.draw(found, tmp_path / "found.svg")
    assert "petal_width" in (tmp_path / "found.svg").read_text()


@pytest.mark.parametrize("method", HEURISTICS)
def test_a_time_limit_of_a_nanosecond_still_gives_a_network(method):
    data = ds.load_network("asia").sample(300, seed=1)
    options = {"required": [("smoke", "lung")], "max_parents": 2}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ds.StoppedEarly)
        found = ds.learn(data, method, max_seconds=1e-9, **options, settings="fixed")
    check(found, data, options)


@pytest.mark.slow
@pytest.mark.parametrize("method", HEURISTICS)
def test_three_hundred_variables(method):
    rng = np.random.default_rng(5)
    names = [f"v{i}" for i in range(300)]
    dag = ds.random_dag(names, max_parents=3, seed=rng)
    cpts = {name: rng.dirichlet([0.5, 0.5], size=[2] * len(dag.parents(name))) for name in names}
    data = ds.Network(dag, {name: ["no", "yes"] for name in names}, cpts).sample(200, seed=2)
    check_large(data, method, dag.edges)


@pytest.mark.slow
@pytest.mark.parametrize("method", HEURISTICS)
def test_andes(method, shared_data):
    andes = ds.read_network(shared_data / "networks" / "andes.bif.gz")
    check_large(andes.sample(300, seed=3), method, andes.dag.edges)


def check_large(data, method, edges):
    """Learn a network with and without some of the true edges. Complete or not, it must be valid."""
    options = {"max_parents": 3, "required": [edges[0]], "forbidden": [edges[1]]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ds.StoppedEarly)
        found = ds.learn(data, method, max_seconds=2, **options, settings="fixed")
    check(found, data, options)
    start = ds.Dag.from_edges(data.variables, [edges[0]])
    assert found.score >= ds.family_scores(data, **options).network(start)
