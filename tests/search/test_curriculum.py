"""Curriculum learning: the score of segments by splitting the data, the sequence, and every stage."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagscape as ds
from dagscape.core.clock import Clock
from dagscape.graphs.moves import Move
from dagscape.scores.scoring_job import prepare, segmented_job
from dagscape.scores.tables.on_demand import on_demand_scores
from dagscape.search import learning
from dagscape.search.curriculum import stages, variable_sequence
from dagscape.search.independence import pairwise_information
from dagscape.search.segments import Segments
from oracles import independence as oracle
from oracles.climbing import Walk
from scores.strategies import DISCRETE_SCORES, dataset, tables
from search.strategies import problems

ASIA = ds.load_network("asia").sample(500, seed=2)


def rows_of(data):
    return [tuple(row) for row in np.repeat(data.codes, data.weights, axis=0).tolist()]


def stage_scores(data, selected, penalty, **options):
    """The scores of a stage, from the segments of the production code."""
    sequence = [*sorted(selected), *sorted({*range(data.n)} - {*selected})]
    job = prepare(data, **options)
    segments = Segments(data.codes, sequence).numbers(len(selected))
    return on_demand_scores(segmented_job(job, segments, penalty, job.constraints), threads=1)


@settings(max_examples=40, deadline=None)
@given(table=tables(max_variables=4), score=st.sampled_from(sorted(DISCRETE_SCORES)), seed=st.integers(0, 99))
def test_segments_are_scored_as_data_sets_of_their_own(table, score, seed):
    arities, rows = table
    data = dataset(arities, rows)
    rng = np.random.default_rng(seed)
    selected = {v for v in range(data.n) if rng.random() < 0.6}
    found = stage_scores(data, selected, 0.25, score=score)
    child = int(rng.integers(data.n))
    parents = [v for v in range(data.n) if v != child and rng.random() < 0.5]
    parts = [dataset(arities, part) for part in oracle.segments(rows, selected)]
    expected = sum(ds.family_scores(part, score=score).family(child, parents) for part in parts)
    # What the structure itself costs is counted once.
    size = prepare(data, score=score).size_terms()[len(parents)]
    expected += (1 - len(parts)) * size - 0.25 * len(parents)
    assert found.family(child, parents) == pytest.approx(expected, abs=1e-9)
    additions = found.additions_exact(child, parents)
    for v in range(data.n):
        if v != child and v not in parents:
            assert additions[v] == found.family_exact(child, [*parents, v])


def test_rows_of_experiments_are_left_out_of_segments_too():
    codes = [[0, 1, 0], [1, 1, 1], [0, 0, 1], [1, 0, 0], [1, 1, 0], [0, 1, 1]]
    marks = np.zeros((6, 3), dtype=bool)
    marks[:3, 0] = True
    levels = {name: ["0", "1"] for name in "abc"}
    data = ds.Dataset.from_codes(codes, levels, interventions=marks)
    found = stage_scores(data, {0, 1}, 0.0)
    parts = [[row for row in range(6) if codes[row][2] == level] for level in (0, 1)]
    expected = sum(
        ds.family_scores(ds.Dataset.from_codes([codes[i] for i in part], levels, interventions=marks[part])).family(
            "a", ["b"]
        )
        for part in parts
    )
    assert found.family("a", ["b"]) == pytest.approx(expected, abs=1e-9)


@given(tables(max_variables=5, max_rows=40), st.randoms())
def test_segments_are_the_rows_that_agree_on_the_rest(table, random):
    arities, rows = table
    data = dataset(arities, rows)
    sequence = list(range(data.n))
    random.shuffle(sequence)
    segments = Segments(data.codes, sequence)
    for selected in range(data.n + 1):
        numbers = segments.numbers(selected)
        rest = [tuple(row) for row in data.codes[:, sequence[selected:]].tolist()]
        assert segments.count(selected) == len(set(rest)) == int(numbers.max()) + 1
        assert len(set(zip(rest, numbers.tolist(), strict=True))) == len(set(rest))
        assert segments.count(selected) == len(oracle.segments(rows, set(sequence[:selected])))


@pytest.mark.parametrize(("first", "step"), [(3, 1), (3, 2), (3, 3), (2, 4), (8, 1), (1, 7)])
def test_the_curriculum_is_that_of_algorithm_2_1(first, step):
    sequence = variable_sequence(pairwise_information(ASIA, 1, None), np.random.default_rng(0))
    expected = oracle.construct_curriculum(rows_of(ASIA), ASIA.n, first, step)
    assert [set(sequence[:selected]) for selected in stages(ASIA.n, first, step)] == expected


def test_ties_in_the_sequence_are_decided_by_the_seed():
    information = np.ones((5, 5), dtype=np.int64) - np.eye(5, dtype=np.int64)
    found = {variable_sequence(information, np.random.default_rng(seed)) for seed in range(40)}
    assert {sequence[0] for sequence in found} == set(range(5))


def replay_stages(found, data, options, neighbours, first=3, a=1000.0, b=100.0):
    """Follow the trace: the stages, the network that each starts from, and every move as a best one."""
    number = {name: i for i, name in enumerate(data.variables)}
    sequence = [number[name] for name in found.details["sequence"]]
    steps = iter(found.trace)
    scores = ds.family_scores(data, **options)
    best = []
    for candidate in found.details["candidates"]:
        network = ds.Dag.from_edges(data.variables, options["required"])
        listed = candidate["stages"]
        assert [stage["variables"] for stage in listed] == [*stages(data.n, first, candidate["step_size"])]
        last = None
        for stage in listed:
            selected = sequence[: stage["variables"]]
            assert stage["segments"] == len(oracle.segments(rows_of(data), set(selected)))
            assert stage["skipped"] == (stage["segments"] == last)
            last = stage["segments"]
            if stage["skipped"]:
                continue
            inside = np.isin(np.arange(data.n), selected)
            allowed = neighbours & inside & inside[:, None]
            penalty = a / data.m + len(selected) / b
            assert next(steps).network == network.edges
            walk = Walk(stage_scores(data, set(selected), penalty, **options), network, allowed=allowed)
            while (step := next(steps)).move[0] != "stage":
                kind, *names = step.move
                walk.make(Move(kind, *(number[name] for name in names)))
                assert step.score == walk.scores.scores.unit.to_float(walk.exact)
            assert walk.over
            network = walk.dag
            assert step.network == network.edges
        assert candidate["score"] == scores.network(network)
        assert candidate["edges"] == network.edge_count
        best.append((candidate["score"], candidate["step_size"], network))
    last = next(steps)
    assert last.move[0] == "choose"
    assert next(steps, None) is None
    start = ds.Dag.from_edges(data.variables, options["required"])
    best.append((scores.network(start), "start", start))
    highest = max(score for score, _, _ in best)
    assert found.score == last.score == highest == scores.network(found.network)
    assert (found.score, found.details["winner"], found.network) in best


@pytest.mark.slow
@settings(max_examples=20, deadline=None)
@given(problem=problems(), seed=st.integers(0, 1000), a=st.sampled_from([0.0, 20.0]))
def test_every_step_of_every_stage_is_a_best_move(problem, seed, a):
    data, options = problem
    found = ds.learn(
        data, "curriculum", seed=seed, alpha=0.5, rows_per_cell=1, a=a, first=2, **options, settings="fixed"
    )
    neighbours = ds.mmpc(data, 0.5, rows_per_cell=1, symmetric=False, seed=seed)
    replay_stages(found, data, options, neighbours.adjacent, first=2, a=a)
    assert {*options["required"]} <= {*found.network.edges}
    assert not {*options["forbidden"]} & {*found.network.edges}
    again = ds.learn(
        data, "curriculum", seed=seed, alpha=0.5, rows_per_cell=1, a=a, first=2, threads=2, **options, settings="fixed"
    )
    assert [step.move for step in again.trace] == [step.move for step in found.trace]


def test_asia_with_the_defaults():
    found = ds.learn(ASIA, "curriculum", ess=10, settings="fixed")
    replay_stages(found, ASIA, {"ess": 10, "required": []}, ds.mmpc(ASIA, symmetric=False).adjacent)
    assert [candidate["step_size"] for candidate in found.details["candidates"]] == [None, 1, 2, 3]


def test_the_candidate_without_a_curriculum_is_a_greedy_search_among_neighbours():
    options = {"step_sizes": [], "penalize_plain": False}
    found = ds.learn(ASIA, "curriculum", **options, settings="fixed")
    start = ds.Dag.from_edges(ASIA.variables)
    walk = Walk(ds.family_scores(ASIA), start, allowed=ds.mmpc(ASIA, symmetric=False).adjacent)
    number = {name: i for i, name in enumerate(ASIA.variables)}
    for step in found.trace[1:-2]:
        kind, parent, child = step.move
        walk.make(Move(kind, number[parent], number[child]))
    assert walk.over
    assert walk.dag == found.network
    assert found.details["winner"] is None


def test_a_penalty_decides_between_candidates_if_asked_to():
    found = ds.learn(ASIA, "curriculum", a=5000.0, penalize_plain=False, choose_by="penalized", settings="fixed")
    listed = found.details["candidates"]
    best = max(listed, key=lambda candidate: candidate["penalized"])
    assert found.score == best["score"]
    for candidate in listed:
        cost = (5000.0 / ASIA.m + ASIA.n / 100) * candidate["edges"]
        assert candidate["penalized"] == pytest.approx(candidate["score"] - cost)


def test_other_variables_can_be_ignored():
    found = ds.learn(ASIA, "curriculum", conditional=False, settings="fixed")
    assert not any(stage["skipped"] for candidate in found.details["candidates"] for stage in candidate["stages"])
    assert found.score == ds.family_scores(ASIA).network(found.network)


def measure(network, choose_by):
    """The score of a network of Asia, or the score minus the default penalty."""
    cost = (1000 / ASIA.m + ASIA.n / 100) * network.edge_count
    return ds.family_scores(ASIA).network(network) - (cost if choose_by == "penalized" else 0)


@pytest.mark.slow
@pytest.mark.parametrize("choose_by", ["score", "penalized"])
def test_a_search_that_is_cut_short_does_not_lose_a_better_start(choose_by, monkeypatch):
    # Every edge of an optimal network gains, but some of them less than an edge costs in the stages.
    start = ds.optimal_network(ds.local_scores(ASIA)).network

    class Looks(Clock):
        """Expires when it has been looked at a number of times."""

        __slots__ = ("left_looks",)

        @property
        def expired(self):
            self.left_looks -= 1
            return self.left_looks < 0

    def limited(looks):
        def make(max_seconds):
            clock = Looks()
            clock.left_looks = looks
            return clock

        monkeypatch.setattr(learning, "Clock", make)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ds.StoppedEarly)
            return ds.learn(ASIA, "curriculum", start=start, choose_by=choose_by, settings="fixed")

    looks, chosen = 0, set()
    while not (found := limited(looks)).complete:
        assert found.score == pytest.approx(ds.family_scores(ASIA).network(found.network))
        assert measure(found.network, choose_by) >= measure(start, choose_by) - 1e-9
        chosen.add(found.trace[-1].text if found.trace else "")
        looks += 5
    assert looks > 20
    assert ("choose start" in chosen) == (choose_by == "score")


@pytest.mark.parametrize("choose_by", ["score", "penalized"])
def test_a_search_that_ends_by_itself_does_not_lose_a_better_start(choose_by):
    start = ds.optimal_network(ds.local_scores(ASIA)).network
    found = ds.learn(ASIA, "curriculum", start=start, choose_by=choose_by, settings="fixed")
    assert found.complete
    # The stages remove edges that gain less than they cost, so every candidate scores less than the start.
    values = [candidate[choose_by] for candidate in found.details["candidates"]]
    assert (max(values) < measure(start, choose_by)) == (choose_by == "score")
    assert measure(found.network, choose_by) == pytest.approx(max(*values, measure(start, choose_by)), rel=1e-12)
    assert (found.network == start) == (found.details["winner"] == "start") == (choose_by == "score")
    assert (found.trace[-1].move == ("choose", "start")) == (choose_by == "score")


def test_edges_of_a_start_wait_for_their_variables():
    start = ds.Dag.from_edges(ASIA.variables, [("xray", "asia"), ("smoke", "bronc")])
    found = ds.learn(ASIA, "curriculum", start=start, settings="fixed")
    sequence = found.details["sequence"]
    waiting = max(sequence.index("xray"), sequence.index("asia"))
    for step in found.trace:
        if step.move[0] == "stage":
            selected = int(step.move[2].split()[0])
            assert selected > waiting or ("xray", "asia") in step.network


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"step_sizes": 2}, "step_sizes is 2; it must be a sequence of integers"),
        ({"step_sizes": [0]}, "step_sizes holds 0; a step size must be an integer of at least 1"),
        ({"first": 0}, "first is 0; it must be an integer of at least 1"),
        ({"first": 9}, "first is 9, but there are only 8 variables; it must be at most their number"),
        ({"a": -1}, "a is -1; it must be a number between 0 and 1e9"),
        ({"b": 0}, r"b is 0; it must be a number of at least 0\.001"),
        ({"penalize_plain": 1}, "penalize_plain is 1; it must be True or False"),
        ({"conditional": "no"}, "conditional is 'no'; it must be True or False"),
        ({"choose_by": "bdeu"}, "choose_by is 'bdeu'; it must be one of 'score', 'penalized'"),
    ],
)
def test_wrong_options_are_refused(options, message):
    with pytest.raises(ds.InvalidOption, match=message):
        ds.learn(ASIA, "curriculum", **options, settings="fixed")


def test_two_variables_are_one_stage():
    data = ds.load_dataset("iris").to_frame()[["petal_width", "class"]]
    found = ds.learn(data, "curriculum", settings="fixed")
    assert [stage["variables"] for stage in found.details["candidates"][1]["stages"]] == [2]


def test_a_result_is_read_back(tmp_path):
    found = ds.learn(ASIA, "curriculum", settings="fixed")
    found.save(tmp_path / "found.json")
    assert ds.load_result(tmp_path / "found.json") == found
