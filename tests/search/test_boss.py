"""BOSS and its grow-shrink trees, against versions that score every order from scratch."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagscape as ds
from dagscape.core.masks import bits
from dagscape.scores.arithmetic.fixed_point import IMPOSSIBLE
from dagscape.search.boss import best_place, move
from dagscape.search.grow_shrink import GrowShrinkTree, OutOfTime
from dagscape.search.order_climbing import OrderState
from dagscape.search.orders import random_order
from dagscape.search.starting import starting_network
from oracles import orders_by_growing as oracle
from search.strategies import problems
from search.test_class_search import random_data, random_table
from search.test_every_learner import EQUIVALENT

METHODS = ("boss", "grasp")


def never():
    return False


def trees_of(scores, lots):
    return [GrowShrinkTree(scores, child, lots, never) for child in range(scores.n)]


def score_of(scores):
    def score(child, parents):
        many = len(parents) > scores.max_parents
        return oracle.possible(IMPOSSIBLE if many else scores.family_exact(child, sorted(parents)))

    return score


def sets(masks):
    return [frozenset(bits(mask)) for mask in masks]


@settings(max_examples=60, deadline=None)
@given(n=st.integers(1, 7), seed=st.integers(0, 2**16), coarse=st.booleans())
def test_walks_are_greedy_selections(n, seed, coarse):
    rng = np.random.default_rng(seed)
    scores, lots = random_table(n, seed, coarse=coarse), rng.permutation(n)
    child = int(rng.integers(n))
    tree = GrowShrinkTree(scores, child, lots, never)
    for _ in range(6):
        within = (rng.random(n) < rng.random()) & (np.arange(n) != child)
        walk = tree.walk(within)
        among = frozenset(np.flatnonzero(within).tolist())
        parents = oracle.grow_shrink(score_of(scores), child, among, lots)
        assert frozenset(bits(walk.parents)) == parents
        assert walk.exact == scores.family_exact(child, sorted(parents))
        # Only the variables that a walk names can change it.
        for v in set(range(n)) - {child}:
            changed = within.copy()
            changed[v] ^= True
            other = tree.walk(changed)
            if v not in walk.taken and v not in walk.preferred:
                assert (other.taken, other.parents) == (walk.taken, walk.parents)
        if _ == 3:
            tree.forget()


@settings(max_examples=40, deadline=None)
@given(n=st.integers(2, 7), seed=st.integers(0, 2**16), coarse=st.booleans())
def test_walks_along_an_order_change_where_they_say(n, seed, coarse):
    rng = np.random.default_rng(seed)
    scores, lots = random_table(n, seed, coarse=coarse), rng.permutation(n)
    child = int(rng.integers(n))
    order = np.array([v for v in rng.permutation(n) if v != child])
    first = int(rng.integers(n))
    tree = GrowShrinkTree(scores, child, lots, never)
    steps = dict(tree.walks(order, first))
    assert min(steps) == first
    for size in range(first, n):
        walk = steps[max(step for step in steps if step <= size)]
        among = frozenset(order[:size].tolist())
        assert frozenset(bits(walk.parents)) == oracle.grow_shrink(score_of(scores), child, among, lots)


@settings(max_examples=40, deadline=None)
@given(data=st.data(), seed=st.integers(0, 2**16))
def test_best_places_are_those_of_scoring_every_place(data, seed):
    table, options = data.draw(problems(max_variables=6))
    scores = ds.family_scores(table, **options)
    rng = np.random.default_rng(seed)
    lots, score, required = rng.permutation(scores.n), score_of(scores), scores.constraints.required
    state = OrderState(trees_of(scores, lots), random_order(starting_network(scores, None), rng))
    for v in rng.integers(scores.n, size=8).tolist():
        order = state.order.tolist()
        assert sets(state.parents) == oracle.network_of(score, order, lots, required)
        place = best_place(state, v, required)
        assert place == oracle.best_place(score, order, v, lots, required)
        move(state, v, place)
        rest = [w for w in order if w != v]
        assert state.order.tolist() == [*rest[:place], v, *rest[place:]]
        assert state.places[state.order].tolist() == list(range(scores.n))


@settings(max_examples=30, deadline=None)
@given(n=st.integers(2, 8), seed=st.integers(0, 2**16))
def test_rearranged_segments_have_the_networks_of_their_orders(n, seed):
    rng = np.random.default_rng(seed)
    scores, lots = random_table(n, seed), rng.permutation(n)
    state = OrderState(trees_of(scores, lots), rng.permutation(n))
    for _ in range(5):
        first, end = sorted(rng.integers(n + 1, size=2).tolist())
        segment = rng.permutation(state.order[first:end])
        state.rearrange(first, segment, state.changes(first, segment))
        fresh = OrderState(trees_of(scores, lots), state.order)
        assert state.parents == fresh.parents
        assert state.exact == fresh.exact
        assert (state.preferred == fresh.preferred).all()
        assert (state.taken == fresh.taken).all()


@pytest.mark.parametrize("seed", range(10))
def test_no_place_of_a_variable_is_better_in_the_end(seed):
    data = random_data(7, 300, seed)
    scores = ds.family_scores(data, score="k2")
    found = ds.learn(scores, "boss", seed=seed)
    assert found.complete
    assert found.details["deleted"] == 0
    # The same random numbers give the same order again.
    rng = np.random.default_rng(seed)
    lots = rng.permutation(7)
    state = OrderState(trees_of(scores, lots), random_order(starting_network(scores, None), rng))
    order = state.order.tolist()
    idle = 0
    while idle < 7:
        for v in rng.permutation(7).tolist():
            place = oracle.best_place(score_of(scores), order, v, lots)
            idle += 1
            if place != order.index(v):
                order.remove(v)
                order.insert(place, v)
                idle = 0
            if idle == 7:
                break
    assert sets(found.network.parent_masks) == oracle.network_of(score_of(scores), order, lots)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", range(3))
def test_the_class_is_recovered_from_enough_data(method, seed):
    truth = ds.random_dag(9, 1.3, max_parents=3, seed=seed)
    rng = np.random.default_rng(seed)
    rows = np.zeros((20_000, 9))
    for v in truth.order_numbers():
        above = list(bits(truth.parent_masks[v]))
        rows[:, v] = rows[:, above] @ rng.uniform(0.4, 0.9, len(above)) + rng.normal(size=20_000)
    data = ds.NumericData.from_array(rows, truth.variables)
    for options in ({"score": "bic-g"}, {"score": "bge"}):
        assert ds.learn(data, method, **options, settings="fixed").cpdag == truth.to_cpdag()


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=25, deadline=None)
@given(data=st.data(), seed=st.integers(0, 99))
def test_restarts_never_lower_the_score(method, data, seed):
    table, options = data.draw(problems(scores=EQUIVALENT))
    once = ds.learn(table, method, seed=seed, **options, settings="fixed")
    often = ds.learn(table, method, seed=seed, restarts=3, **options, settings="fixed")
    assert often.score >= once.score
    assert often.details["restarts"] == 3
    assert once.trace[0].move == ("start",)
    assert max(step.score for step in often.trace) == often.score


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=25, deadline=None)
@given(data=st.data(), seed=st.integers(0, 99))
def test_they_are_never_below_ges(method, data, seed):
    table, options = data.draw(problems(max_variables=7, scores=EQUIVALENT))
    found = ds.learn(table, method, seed=seed, **options, settings="fixed")
    assert found.score >= ds.learn(table, "ges", seed=seed, **options, settings="fixed").score


@pytest.mark.parametrize("method", METHODS)
def test_they_start_from_random_orders_if_asked_to(method):
    data = ds.load_dataset("votes")
    found = {ds.learn(data, method, seed=seed, first="random", settings="fixed").score for seed in range(4)}
    assert len(found) > 1
    with pytest.raises(ds.InvalidOption, match="first is 'greedy'"):
        ds.learn(data, method, first="greedy")


@pytest.mark.parametrize("method", METHODS)
def test_threads_and_memory_do_not_change_the_network(method, monkeypatch):
    sample = ds.load_network("asia").sample(500, seed=1)
    found = ds.learn(sample, method, threads=1, seed=3)
    assert ds.learn(sample, method, threads=3, seed=3).network == found.network
    # Trees that may store nothing are dropped after every move.
    monkeypatch.setattr("dagscape.search.order_climbing._SHARE_OF_MEMORY", 0.0)
    assert ds.learn(sample, method, seed=3).network == found.network


def test_a_tree_stops_growing_when_time_is_over():
    tree = GrowShrinkTree(random_table(3, 1), 0, np.arange(3), lambda: True)
    with pytest.raises(OutOfTime):
        tree.walk(np.array([False, True, True]))
