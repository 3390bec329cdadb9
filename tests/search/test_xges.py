"""XGES, against a version that lists all members of all classes, and against GES."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagscape as ds
from dagscape.core.masks import bits
from dagscape.search import class_state
from dagscape.search.chordal import allowed_directions, component_of, directed_from
from dagscape.search.class_moves import KINDS, Differences
from dagscape.search.class_state import ClassState
from oracles.classes import all_classes, class_of, deletes
from oracles.graphs import parent_sets
from oracles.xges import moves, xges, xges0_paths
from search.strategies import problems
from search.test_class_search import NAMES, meets, random_constraints, random_data, random_table, state_of
from search.test_every_learner import EQUIVALENT


def exact_of(scores):
    return lambda child, parents: scores.family_exact(child, sorted(parents))


def state_at(dag, scores, seed=0):
    none = [0] * dag.n
    differences = Differences(scores, np.random.default_rng(seed))
    return ClassState(differences, list(dag.parent_masks), scores.network_exact(dag), none, none)


@pytest.mark.slow
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_moves_are_those_that_lead_to_a_class(n):
    scores = random_table(n, n)
    for state, members in all_classes(n).items():
        for kind in KINDS:
            check_moves(members[-1], scores, state, kind)


def check_moves(dag, scores, state, kind):
    """Make all moves of a kind that improve the score, each from the class itself."""
    start = state_at(dag, scores)
    score = exact_of(scores)
    expected = {}
    for (x, y, clique), after in moves(state, kind).items():
        gain = sum(score(v, frozenset(p)) for v, p in enumerate(parent_sets(all_classes(dag.n)[after][0])))
        new_edge = score(y, state[0][y] | clique | {x}) - score(y, state[0][y] | clique)
        if gain > start.exact and (kind != "turn" or new_edge > 0):
            expected[x, y, clique] = (gain - start.exact, after)
    waiting = start._waiting[kind]
    found = {}
    while (popped := waiting.pop()) is not None:
        move, _ = popped
        if kind == "delete" or start._open_path(kind, move) is None:
            made = start.copy()
            assert made.make(kind, move)
            assert made.exact == start.exact - move.loss == scores.network_exact(ds.Dag(NAMES[: dag.n], made.dag))
            found[move.x, move.y, frozenset(bits(move.clique))] = (
                -move.loss,
                state_of(ds.Dag(NAMES[: dag.n], made.dag)),
            )
    assert found == expected


@pytest.mark.parametrize("n", [2, 3, 4])
def test_all_deletes_are_listed(n):
    scores = random_table(n, 10 + n)
    for state, members in all_classes(n).items():
        found = state_at(members[0], scores).deletes()
        assert {(move.x, move.y, frozenset(bits(move.clique))) for move in found} == deletes(state).keys()
        assert [move.loss for move in found] == sorted(move.loss for move in found)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_xges0_ends_where_listing_all_members_does(seed):
    rng = np.random.default_rng(seed)
    scores = random_table(4, seed, coarse=seed % 3 == 0)
    start = list(all_classes(4).values())[rng.integers(185)][0] if seed % 2 else ds.Dag.from_edges(NAMES[:4])
    state = state_at(start, scores, seed)
    while state.make_best() is not None:
        pass
    reached = ds.Dag(NAMES[:4], state.dag)
    assert state.exact == scores.network_exact(reached)
    assert state_of(reached) in set(xges0_paths(state_of(start), exact_of(scores)))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_the_extended_search_ends_where_listing_all_members_does(seed):
    rng = np.random.default_rng(100 + seed)
    scores = random_table(4, seed)
    start = list(all_classes(4).values())[rng.integers(185)][0] if seed % 2 else ds.Dag.from_edges(NAMES[:4])
    found = ds.learn(scores, "xges", seed=seed, start=start)
    assert state_of(found.network) == xges(state_of(start), exact_of(scores))
    assert found.score == scores.network(found.network)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_five_variables(seed):
    scores = random_table(5, 1000 + seed)
    found = ds.learn(scores, "xges", seed=seed)
    assert state_of(found.network) == xges(class_of([set()] * 5), exact_of(scores))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_constraints_are_those_of_listing_all_members(seed):
    rng = np.random.default_rng(seed)
    data, constraints = random_data(4, 200, seed), random_constraints(4, rng)
    limit = 1 + seed % 3
    constraints["required"] = constraints["required"][:1]
    free = ds.local_scores(data, ess=5, max_parents=limit)

    def score(child, parents):
        return free.family_exact(child, sorted(parents)) if len(parents) <= limit else -(10**15)

    def allowed(state):
        return any(meets(dag, constraints, limit) for dag in all_classes(4)[state])

    found = ds.learn(data, "xges", seed=seed, ess=5, max_parents=limit, extended=False, **constraints)
    start = state_of(ds.Dag.from_edges(data.variables, constraints["required"]))
    ends = set(xges0_paths(start, score, allowed))
    ges = ds.learn(data, "ges", seed=seed, ess=5, max_parents=limit, **constraints)
    ends |= set(xges0_paths(state_of(ges.network), score, allowed))
    assert meets(found.network, constraints, limit)
    assert state_of(found.network) in ends
    assert found.score >= ges.score


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(data=st.data(), seed=st.integers(0, 99), extended=st.booleans())
def test_it_is_never_below_ges(data, seed, extended):
    table, options = data.draw(problems(max_variables=7, scores=EQUIVALENT))
    found = ds.learn(table, "xges", seed=seed, extended=extended, **options, settings="fixed")
    assert found.score >= ds.learn(table, "ges", seed=seed, **options, settings="fixed").score
    if not options["required"] and not options["forbidden"] and options["tiers"] is None:
        again = ds.learn(table, "xges", seed=seed, start=found.network, **options, settings="fixed")
        assert again.score >= found.score


def test_the_trace_names_the_moves():
    data = random_data(6, 400, 5)
    found = ds.learn(data, "xges", seed=1, score="bic")
    assert found.trace[0].move == ("start",)
    assert {step.move[0] for step in found.trace[1:]} <= {"insert", "turn", "delete", "ges"}
    assert found.trace[-1].score == found.score
    assert found.details["deletions_tried"] > 0
    plain = ds.learn(data, "xges", seed=1, score="bic", extended=False)
    assert plain.details["deletions_tried"] == 0
    assert plain.score <= found.score


@pytest.mark.parametrize("seed", range(3))
def test_the_class_is_recovered_from_enough_data(seed):
    truth = ds.random_dag(9, 1.3, max_parents=3, seed=seed)
    rng = np.random.default_rng(seed)
    rows = np.zeros((20_000, 9))
    for v in truth.order_numbers():
        above = list(bits(truth.parent_masks[v]))
        rows[:, v] = rows[:, above] @ rng.uniform(0.4, 0.9, len(above)) + rng.normal(size=20_000)
    data = ds.NumericData.from_array(rows, truth.variables)
    for options in ({"score": "bic-g"}, {"score": "bge"}):
        assert ds.learn(data, "xges", **options, settings="fixed").cpdag == truth.to_cpdag()


def test_scores_that_distinguish_members_are_refused():
    with pytest.raises(ds.InvalidOption, match=r"method is 'xges'.*k2 differs between members.*such as 'tabu'"):
        ds.learn(ds.load_dataset("iris"), "xges", score="k2")


def test_many_cliques_are_refused(monkeypatch):
    monkeypatch.setattr(class_state, "MOST_CLIQUES", 3)
    dense = ds.Dag(NAMES[:4], (0, 1, 3, 7))
    with pytest.raises(
        ds.TooLarge, match=r"undirected neighbours of 'v\d' have more than 3 cliques: lower max_parents"
    ):
        ds.learn(random_table(4, 1), "xges", start=dense)


@pytest.mark.parametrize("seed", range(20))
def test_components_are_directed_without_v_structures(seed):
    neighbours = ds.random_dag(8, 1.5, max_parents=2, seed=seed).to_cpdag().undirected
    for vertex, near in enumerate(neighbours):
        for second in [None, *bits(near)]:
            first = [vertex] if second is None else [vertex, second]
            directed = dict(directed_from(neighbours, first))
            assert sum(1 << v for v in directed) == component_of(neighbours, vertex)
            assert list(directed)[: len(first)] == first
            for above in directed.values():
                assert all(neighbours[u] >> v & 1 for u, v in itertools.combinations(bits(above), 2))


@pytest.mark.parametrize("n", [2, 3, 4])
def test_allowed_directions_are_found_if_there_are_any(n):
    rng = np.random.default_rng(n)
    for members in all_classes(n).values():
        neighbours, compelled = members[0].to_cpdag().undirected, members[0].to_cpdag().directed
        for _ in range(4):
            forbidden = [int(rng.integers(1 << n)) & near for near in neighbours]
            possible = [
                dag for dag in members if not any(a & b for a, b in zip(dag.parent_masks, forbidden, strict=True))
            ]
            found = allowed_directions(neighbours, forbidden)
            assert (found is None) == (not possible)
            if found is not None:
                assert tuple(a | b for a, b in zip(found, compelled, strict=True)) in {d.parent_masks for d in possible}
