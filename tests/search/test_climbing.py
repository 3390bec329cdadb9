"""Greedy and tabu search: every step against the oracle, constraints, ties, restarts and limits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import dagscape as ds
from dagscape.core.clock import Clock
from dagscape.graphs.moves import Move
from dagscape.search.climbing import Rules, climb
from dagscape.search.job import SearchJob
from dagscape.search.trace import TraceRecorder
from oracles.climbing import Walk
from search.strategies import problems, random_data

METHODS = {"greedy": {"visited": 0, "patience": 0}, "tabu": {"visited": 10, "patience": 10}}


def replay(found, scores, visited, patience, allowed=None):
    """Follow a trace: every move must be a best one, every score right, and every climb must end where it may."""
    walk, best = None, None
    number = {name: i for i, name in enumerate(scores.variables)}
    for step in found.trace:
        kind, *names = step.move
        if kind in ("start", "restart"):
            assert walk is None or walk.over
            walk = Walk(scores, ds.Dag.from_edges(scores.variables, step.network), visited, patience, allowed)
        else:
            walk.make(Move(kind, *(number[name] for name in names)))
        assert step.score == scores.unit.to_float(walk.exact)
        if best is None or walk.exact > best[0]:
            best = walk.exact, walk.dag
    assert walk.over or not found.complete
    assert found.network == best[1]
    assert found.score == scores.unit.to_float(best[0]) == scores.network(found.network)


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=25, deadline=None)
@given(problem=problems(), seed=st.integers(0, 1000), restarts=st.integers(0, 2))
def test_every_step_is_a_best_move(method, problem, seed, restarts):
    data, options = problem
    scores = ds.family_scores(data, **options)
    found = ds.learn(data, method, seed=seed, restarts=restarts, **options, settings="fixed")
    replay(found, scores, **METHODS[method])
    assert sum(step.move == ("restart",) for step in found.trace) == restarts == found.details["restarts"]
    assert {*options["required"]} <= {*found.network.edges}
    assert not {*options["forbidden"]} & {*found.network.edges}
    again = ds.learn(scores, method, seed=seed, restarts=restarts, threads=2, settings="fixed")
    assert [step.move for step in again.trace] == [step.move for step in found.trace]


@settings(max_examples=20, deadline=None)
@given(
    problem=problems(5),
    visited=st.integers(1, 4),
    patience=st.integers(1, 4),
    share=st.floats(0, 1),
    seed=st.integers(0, 1000),
)
def test_tabu_lists_of_any_length_and_restricted_edges(problem, visited, patience, share, seed):
    data, options = problem
    scores = ds.family_scores(data, **options)
    allowed = np.random.default_rng(seed).random((data.n, data.n)) < share
    found = ds.learn(data, "tabu", seed=seed, tabu_length=visited, patience=patience, **options, settings="fixed")
    replay(found, scores, visited, patience)
    clock = Clock()
    start = ds.Dag.from_edges(scores.variables, options["required"])
    job = SearchJob(scores, None, start, np.random.default_rng(seed), clock, TraceRecorder(scores.unit, clock), 1)
    outcome = climb(job, Rules(visited=visited, patience=patience), allowed=allowed)
    walk = Walk(scores, start, visited, patience, allowed)
    number = {name: i for i, name in enumerate(scores.variables)}
    for step in job.trace.steps[1:]:
        kind, parent, child = step.move
        walk.make(Move(kind, number[parent], number[child]))
    assert walk.over
    assert outcome.exact == walk.summit == scores.network_exact(outcome.network)


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=15, deadline=None)
@given(problem=problems(4), seed=st.integers(0, 1000))
def test_permuted_columns_permute_the_answer_where_no_tie_decides(method, problem, seed):
    data, options = problem
    scores = ds.family_scores(data, **options)
    found = ds.learn(data, method, **options, settings="fixed")
    walk = Walk(scores, ds.Dag.from_edges(scores.variables, options["required"]), **METHODS[method])
    while not walk.over:
        assume(len(walk.moves) == 1)
        walk.make(walk.moves[0])
    order = np.random.default_rng(seed).permutation(data.n)
    shuffled = ds.Dataset.from_array(
        data.to_frame().to_numpy()[:, order],
        [data.variables[i] for i in order],
        levels=data.levels,
        keep_constant=True,
    )
    again = ds.learn(shuffled, method, seed=seed, **options, settings="fixed")
    assert {*again.network.edges} == {*found.network.edges}
    assert again.score == pytest.approx(found.score, abs=1e-6)


def test_ties_are_decided_by_the_seed():
    # With two dependent variables, both directions of the edge have the same score.
    data = random_data(2, np.random.default_rng(3))
    edges = [ds.learn(data, "greedy", seed=seed, settings="fixed").network.edges[0] for seed in range(40)]
    assert 8 <= edges.count(("v0", "v1")) <= 32
    assert edges == [ds.learn(data, "greedy", seed=seed, settings="fixed").network.edges[0] for seed in range(40)]


def test_a_search_without_time_returns_its_start():
    data = ds.load_dataset("iris")
    start = ds.Dag.from_edges(data.variables, [("class", "petal_width")])
    with pytest.warns(ds.StoppedEarly, match="the search reached max_seconds"):
        found = ds.learn(data, "greedy", max_seconds=1e-9, start=start, settings="fixed")
    assert found.network == start
    assert not found.complete
    assert found.score == ds.family_scores(data).network(start)


def test_a_start_at_the_summit_stays_there():
    data = ds.load_dataset("tic-tac-toe")
    top = ds.learn(data, "greedy", settings="fixed")
    again = ds.learn(data, "greedy", start=top.network, seed=5, settings="fixed")
    assert again.network == top.network
    assert again.details == {"steps": 0, "restarts": 0}


def test_score_files_suffice(tmp_path):
    scores = ds.local_scores(ds.load_dataset("tic-tac-toe"), max_parents=2)
    ds.write_scores(scores, tmp_path / "scores.jkl")
    listed = ds.read_scores(tmp_path / "scores.jkl")
    for method, rules in METHODS.items():
        found = ds.learn(listed, method, seed=1, settings="fixed")
        replay(found, listed, **rules)
        assert found.network == ds.learn(scores, method, seed=1, settings="fixed").network


def test_a_start_with_an_impossible_family_is_refused(tmp_path):
    (tmp_path / "scores.jkl").write_text("2\na 2\n-5 0\n-4 1 b\nb 1\n-3 0\n")
    scores = ds.read_scores(tmp_path / "scores.jkl")
    with pytest.raises(ds.InvalidOption, match=r"start has the impossible family of 'b' with parents \['a'\]"):
        ds.learn(scores, "greedy", start=ds.Dag.from_edges("ab", [("a", "b")]), settings="fixed")


@pytest.mark.parametrize("method", METHODS)
def test_scores_without_the_families_of_the_default_start(method, tmp_path):
    (tmp_path / "scores.jkl").write_text("2\na 1\n-4 1 b\nb 1\n-3 0\n")
    scores = ds.read_scores(tmp_path / "scores.jkl")
    message = (
        "the search would start with the family of 'a' without parents, which is impossible: choose a start without "
        "it, or use method='order'"
    )
    with pytest.raises(ds.InvalidOption, match=f"^{message}$"):
        ds.learn(scores, method, settings="fixed")
    # Both remedies help.
    start = ds.Dag.from_edges("ab", [("b", "a")])
    assert (
        ds.learn(scores, method, start=start, settings="fixed").network
        == ds.learn(scores, "order", settings="fixed").network
        == start
    )


@pytest.mark.parametrize(
    ("method", "options", "message"),
    [
        ("greedy", {"restarts": -1}, "restarts is -1; it must be an integer of at least 0"),
        ("greedy", {"perturbation": 0}, "perturbation is 0; it must be an integer of at least 1"),
        ("tabu", {"tabu_length": 0}, "tabu_length is 0; it must be an integer of at least 1"),
        ("tabu", {"patience": 1.5}, "patience is 1.5; it must be an integer of at least 1"),
        ("greedy", {"patience": 5}, "method 'greedy' has no option 'patience'"),
    ],
)
def test_wrong_options_are_refused(method, options, message):
    with pytest.raises(ds.InvalidOption, match=message):
        ds.learn(ds.load_dataset("iris"), method, **options, settings="fixed")


def test_options_of_any_size_are_accepted():
    found = ds.learn(ds.load_dataset("iris"), "tabu", tabu_length=10**30, patience=500, settings="fixed")
    assert found.details["steps"] >= 500
    edges, states = set(), [frozenset()]
    for kind, *edge in (step.move for step in found.trace[1:]):
        edges ^= {tuple(edge)} | ({tuple(reversed(edge))} if kind == "reverse" else set())
        states.append(frozenset(edges))
    assert len(set(states)) == len(states)
    with pytest.warns(ds.StoppedEarly):
        assert not ds.learn(
            ds.load_dataset("iris"), "tabu", perturbation=10**30, restarts=1, max_seconds=0.2, settings="fixed"
        ).complete


def test_memory_is_checked_before_the_search():
    data = random_data(400, np.random.default_rng(1), rows=20)
    with pytest.raises(ds.TooLarge, match="searches for a network of 400 variables need"):
        ds.learn(data, "greedy", max_memory="1300KiB", threads=1, settings="fixed")


def test_progress_is_reported_and_can_stop_the_search():
    reports = []
    ds.learn(ds.load_dataset("iris"), "greedy", restarts=2, progress=reports.append, settings="fixed")
    assert [(one.done, one.total) for one in reports if one.task == "scoring"] == [(i, 5) for i in range(1, 6)]
    assert [(one.done, one.total) for one in reports if one.task == "climbing"][-1] == (3, 3)

    def stop(progress):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ds.learn(ds.load_dataset("iris"), "greedy", progress=stop, settings="fixed")
