"""GRaSP, against a version that scores every order from scratch."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagscape as ds
from dagscape.core.masks import bits
from dagscape.search.grasp import ancestors_between, tucked
from dagscape.search.order_climbing import OrderState
from dagscape.search.orders import random_order
from dagscape.search.starting import starting_network
from oracles import orders_by_growing as oracle
from search.strategies import problems
from search.test_boss import score_of, sets, trees_of
from search.test_class_search import random_data, random_table


@settings(max_examples=60, deadline=None)
@given(n=st.integers(2, 8), seed=st.integers(0, 2**16))
def test_tucks_are_those_of_the_definition(n, seed):
    rng = np.random.default_rng(seed)
    scores = random_table(n, seed)
    state = OrderState(trees_of(scores, rng.permutation(n)), rng.permutation(n))
    parents = sets(state.parents)
    for y in range(n):
        for x in parents[y]:
            first, segment = tucked(state, x, y)
            order = state.order.tolist()
            order[first : first + len(segment)] = segment.tolist()
            assert order == oracle.tucked(state.order.tolist(), parents, x, y)
            above, below_x = ancestors_between(state, x, y)
            assert below_x != oracle.is_singular(parents, x, y)
            after = {v for v in oracle.ancestors(parents, y) if state.places[v] > state.places[x]}
            assert set(bits(above)) == after


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(
    data=st.data(),
    seed=st.integers(0, 2**16),
    depths=st.tuples(st.integers(1, 3), st.integers(0, 2), st.integers(0, 2)),
)
def test_searches_end_where_scoring_every_order_does(data, seed, depths):
    # With K2, no deletion of edges follows.
    table, options = data.draw(problems(max_variables=5, scores=("k2",)))
    scores = ds.family_scores(table, **options)
    depth, uncovered, nonsingular = depths
    found = ds.learn(scores, "grasp", seed=seed, depth=depth, uncovered_depth=uncovered, nonsingular_depth=nonsingular)
    # The same random numbers in the same order.
    rng = np.random.default_rng(seed)
    lots = rng.permutation(scores.n)
    order = random_order(starting_network(scores, None), rng).tolist()
    required = scores.constraints.required
    score = score_of(scores)

    def shuffled(members):
        return rng.permutation(list(members)).tolist()

    end = oracle.grasp(score, order, lots, shuffled, depths, required)
    start = scores.network_exact(starting_network(scores, None))
    assert scores.network_exact(found.network) == max(start, oracle.order_score(score, end, lots, required))


def test_depths_relax_the_search():
    data = random_data(8, 400, 11)
    best = {
        depths: max(
            ds.learn(
                data,
                "grasp",
                seed=seed,
                depth=3,
                uncovered_depth=depths[0],
                nonsingular_depth=depths[1],
                settings="fixed",
            ).score
            for seed in range(5)
        )
        for depths in [(0, 0), (1, 0), (1, 1)]
    }
    assert best[0, 0] <= best[1, 1]
    assert best[1, 0] <= best[1, 1]


def test_the_trace_names_the_tucked_edges():
    found = ds.learn(random_data(6, 300, 3), "grasp", seed=1, first="random", settings="fixed")
    moves = {step.move[0] for step in found.trace}
    assert moves <= {"start", "ges", "order", "tuck", "delete"}
    tucks = [step for step in found.trace if step.move[0] == "tuck"]
    assert all(len(step.move) == 3 for step in tucks)
    assert found.details["moves"] == len(tucks)


@pytest.mark.parametrize("option", ["depth", "uncovered_depth", "nonsingular_depth", "restarts"])
def test_wrong_depths_are_refused(option):
    with pytest.raises(ds.InvalidOption, match=f"{option} is -1; it must be an integer of at least"):
        ds.learn(random_data(3, 50, 1), "grasp", **{option: -1})
