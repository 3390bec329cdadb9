from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagscape as ds
from dagscape.graphs import consensus
from dagscape.graphs.consensus import consensus_dag
from oracles.graphs import all_dags, consensus_gains, consensus_sum

# Ties, cycles above one half, and numbers next to one half.
probability = st.one_of(
    st.floats(0, 1), st.integers(0, 8).map(lambda k: k / 8), st.sampled_from([np.nextafter(0.5, 1), np.nextafter(1, 0)])
)


def names(n):
    return [f"v{i}" for i in range(n)]


def matrices(n):
    return st.lists(probability, min_size=n * n, max_size=n * n).map(lambda cells: np.array(cells).reshape(n, n))


def is_best(dag, matrix):
    gains = consensus_gains(matrix)
    return consensus_sum(dag, gains) == max(consensus_sum(other, gains) for other in all_dags(len(matrix)))


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 4).flatmap(matrices))
def test_no_dag_has_a_larger_sum(matrix):
    dag, exact = consensus_dag(names(len(matrix)), matrix)
    assert exact
    assert is_best(dag, matrix)
    assert all(matrix[dag.number(u), dag.number(v)] > 0.5 for u, v in dag.edges)


@pytest.mark.slow
def test_no_dag_of_five_variables_has_a_larger_sum():
    matrix = np.random.default_rng(1).random((5, 5))
    assert is_best(consensus_dag(names(5), matrix)[0], matrix)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 7), st.integers(0, 2**32), st.data())
def test_the_order_of_the_columns_does_not_matter_without_ties(n, seed, data):
    matrix = np.random.default_rng(seed).random((n, n))
    order = data.draw(st.permutations(range(n)))
    there = consensus_dag(names(n), matrix)[0]
    back = consensus_dag([names(n)[i] for i in order], matrix[np.ix_(order, order)])[0]
    assert back.reordered(names(n)) == there


def test_a_cycle_of_equal_edges_is_broken_the_same_way_every_time():
    matrix = np.zeros((3, 3))
    matrix[0, 1] = matrix[1, 2] = matrix[2, 0] = 0.6
    found = {consensus_dag(names(3), matrix)[0] for _ in range(3)}
    assert found == {ds.Dag.from_edges(names(3), [("v0", "v1"), ("v1", "v2")])}


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 9), st.integers(0, 2**32))
def test_the_local_search_is_never_better_and_ends_where_no_move_helps(n, seed):
    rng = np.random.default_rng(seed)
    weights = rng.integers(0, 2**52, (n, n))

    def total(order):
        return sum(int(weights[u, v]) for i, v in enumerate(order) for u in order[:i])

    good = consensus._good_order(weights)
    assert sorted(good) == list(range(n))
    for v in good:
        others = [u for u in good if u != v]
        assert total(good) >= max(total([*others[:i], v, *others[i:]]) for i in range(n))
    assert total(good) <= total(consensus._best_order(weights))


def test_large_cycles_are_solved_by_local_search_and_said_so():
    n = consensus.LARGEST_EXACT + 1
    cycle = np.roll(np.eye(n), 1, axis=1) * 0.9
    cycle[4, 5] = 0.6
    dag, exact = consensus_dag(names(n), cycle)
    assert not exact
    assert dag.edge_count == n - 1
    assert not dag.has_edge("v4", "v5")


def test_many_small_cycles_are_exact():
    n = 60
    matrix = np.kron(np.eye(n // 3), np.array([[0, 0.9, 0], [0, 0, 0.8], [0.6, 0, 0]])) + np.triu(np.full((n, n), 0.05))
    dag, exact = consensus_dag(names(n), np.minimum(matrix, 1))
    assert exact
    assert dag.edges == tuple((f"v{i}", f"v{i + 1}") for i in range(n) if i % 3 < 2)


def test_wrong_matrices_are_refused():
    with pytest.raises(ds.InvalidOption, match=r"probabilities has shape \(2, 2\); it must be \(3, 3\)"):
        consensus_dag(names(3), np.zeros((2, 2)))
    with pytest.raises(ds.InvalidOption, match="not between 0 and 1"):
        consensus_dag(names(2), np.full((2, 2), np.nan))


def test_an_excess_within_the_error_counts_as_one_half():
    both = np.array([[0.0, np.nextafter(0.5, 1)], [np.nextafter(0.5, 1), 0.0]])
    assert consensus_dag(["a", "b"], both)[0].edge_count == 1
    assert consensus_dag(["a", "b"], both, error=1e-15)[0].edge_count == 0
    assert consensus_dag(["a", "b"], [[0, 0.6], [0.4, 0]], error=1e-15)[0].edges == (("a", "b"),)
