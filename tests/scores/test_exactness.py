"""Scores that must be equal are equal to the last bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagscape as ds
from builds import assert_same_bits
from scores.strategies import DISCRETE_SCORES, dataset, tables

EQUIVALENT = [name for name, definition in DISCRETE_SCORES.items() if definition.score_equivalent]


def random_dag(n, random):
    order = list(range(n))
    random.shuffle(order)
    return {v: {u for u in order[:i] if random.random() < 0.5} for i, v in enumerate(order)}


def covered_edges(parents):
    return [(x, y) for y, above in parents.items() for x in above if above - {x} == parents[x]]


def reverse(parents, edge):
    x, y = edge
    return parents | {x: parents[x] | {y}, y: parents[y] - {x}}


def exact(scores, parents):
    return sum(scores.family_exact(child, sorted(above)) for child, above in parents.items())


@pytest.mark.slow
@pytest.mark.parametrize("prior", ["uniform", "per-size", "edge-penalty:1.7"])
@pytest.mark.parametrize("score", EQUIVALENT)
@given(table=tables(max_variables=5, max_rows=30, max_arity=5), random=st.randoms(use_true_random=False))
@settings(max_examples=30, deadline=None)
def test_equivalent_networks_have_identical_scores(score, prior, table, random):
    arities, rows = table
    scores = ds.local_scores(dataset(arities, rows), score=score, ess=2.5, structure_prior=prior, threads=1)
    assert scores.score_equivalent
    parents = random_dag(len(arities), random)
    start = exact(scores, parents)
    for _ in range(10):
        edges = covered_edges(parents)
        if not edges:
            break
        parents = reverse(parents, random.choice(edges))
        assert exact(scores, parents) == start


def test_k2_is_not_score_equivalent():
    scores = ds.local_scores(dataset([2, 3], [(0, 0), (0, 1), (1, 2), (1, 2)]), score="k2")
    assert not scores.score_equivalent
    assert scores.network_exact({"v1": ["v0"]}) != scores.network_exact({"v0": ["v1"]})


def board_symmetries():
    """Return the eight rotations and reflections of a board, as permutations of its nine squares."""
    board = np.arange(9).reshape(3, 3)
    for flipped in (board, board.T):
        for turns in range(4):
            yield np.rot90(flipped, turns).ravel().tolist()


@pytest.mark.slow
@pytest.mark.parametrize("score", DISCRETE_SCORES)
@pytest.mark.parametrize("max_parents", [None, 3])
def test_symmetries_of_the_board(score, max_parents):
    data = ds.load_dataset("tic-tac-toe")
    scores = ds.local_scores(data, score=score, max_parents=max_parents)
    tables = [table.tolist() for table in scores.tables]
    names = data.variables
    for image in board_symmetries():
        moved = [*image, 9]
        # The data set is symmetric: permuting its squares must not change the value of any set.
        turned = data.to_frame()[[names[v] for v in moved]].set_axis(list(names), axis=1)
        turned_scores = ds.local_scores(
            ds.Dataset.from_frame(turned, keep_constant=True), score=score, max_parents=max_parents
        )
        assert [table.tolist() for table in turned_scores.tables] == tables
        for child, parents in [(0, []), (4, [0, 9]), (9, [1, 4, 7]), (2, [3, 5])]:
            image_of_family = scores.family_exact(moved[child], [moved[p] for p in parents])
            assert scores.family_exact(child, parents) == image_of_family


@pytest.mark.slow
@given(table=tables(), random=st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_order_of_rows_and_of_variables_does_not_matter(table, random):
    arities, rows = table
    scores = ds.local_scores(dataset(arities, rows), threads=1)
    shuffled = list(rows)
    random.shuffle(shuffled)
    again = ds.local_scores(dataset(arities, shuffled), threads=1)
    assert [t.tolist() for t in again.tables] == [t.tolist() for t in scores.tables]

    order = list(range(len(arities)))
    random.shuffle(order)
    moved = ds.local_scores(dataset([arities[v] for v in order], [[row[v] for v in order] for row in rows]), threads=1)
    everything = list(range(len(arities)))
    for place, v in enumerate(order):
        parents = [u for u in everything if u != v]
        assert moved.family_exact(place, [order.index(u) for u in parents]) == scores.family_exact(v, parents)


@pytest.mark.slow
@pytest.mark.parametrize("score", DISCRETE_SCORES)
def test_threads_do_not_matter(score):
    rng = np.random.default_rng(8)
    data = ds.Dataset.from_array(rng.integers(0, 3, (400, 14)))
    tables = [ds.local_scores(data, score=score, threads=threads).tables for threads in (1, 2, 5)]
    for other in tables[1:]:
        assert all(np.array_equal(a, b) for a, b in zip(tables[0], other, strict=True))


@pytest.mark.slow
def test_both_builds_give_the_same_bits():
    assert_same_bits(
        "data = ds.Dataset.from_array(np.random.default_rng(3).integers(0, 4, (300, 12)))\n"
        "parts = [t.tobytes() for s in ('bdeu', 'bic', 'k2') for t in ds.local_scores(data, score=s).tables]\n"
        "post = ds.posterior(ds.local_scores(data, max_parents=3))\n"
        "parts += [post.edges.tobytes(), post.ancestors.tobytes(), str(post.log_total).encode()]\n"
    )
