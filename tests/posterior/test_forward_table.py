"""The tables of H, the sums over the DAGs on each set of variables, and of A, the sums over sets of parents."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dag_sums import assert_same, finish, whole
from dagscape.core import kernels
from oracles.graphs import all_dags

BITS = 30
IMPOSSIBLE = kernels.IMPOSSIBLE


def random_weights(n, span, impossible, seed):
    rng = np.random.default_rng(seed)
    values = (-span * rng.random((n, 1 << (n - 1))) * 2.0**BITS).astype(np.int64)
    values[rng.random(values.shape) < impossible] = IMPOSSIBLE
    # If families without parents are impossible, few sets have any DAG.
    values[::2, 0] = 0
    return values


def forward_table(dags, n):
    table = np.empty((2, 1 << n))
    dags.copy_forward(table)
    return table


def kept_tables(values, threads=1):
    """Return the tables of H and A, copied after the forward steps, and the result of the steps after them."""
    n = len(values)
    dags = kernels.DagSum(values, BITS, threads)
    dags.run_until(dags.forward_steps)
    forward, sums = forward_table(dags, n), np.empty((2, n, 1 << (n - 1)))
    dags.copy_parent_sums(sums)
    result = finish(dags, n)
    np.testing.assert_array_equal(forward_table(dags, n), forward)
    return forward, sums, result


def place(child, mask):
    """Return the column of a set of other variables in the row of a child."""
    return mask & ((1 << child) - 1) | mask >> (child + 1) << child


def log_weight(values, child, mask):
    exact = int(values[child, place(child, mask)])
    return -math.inf if exact == IMPOSSIBLE else math.ldexp(exact, -BITS)


def log_sum(terms):
    terms = list(terms)
    highest = max(terms, default=-math.inf)
    return highest if highest == -math.inf else highest + math.log(math.fsum(math.exp(t - highest) for t in terms))


def log_of(table, *place):
    mantissa, exponent = table[(0, *place)], table[(1, *place)]
    return -math.inf if mantissa == 0 else math.log(mantissa) + exponent * math.log(2)


def weights_of_dags(values, members):
    """Yield the log weight of each DAG on a set of variables."""
    for dag in all_dags(len(members)):
        wide = [sum(1 << members[u] for u in range(dag.n) if mask >> u & 1) for mask in dag.parent_masks]
        yield math.fsum(log_weight(values, child, mask) for child, mask in zip(members, wide, strict=True))


@settings(max_examples=25, deadline=None)
@given(
    n=st.integers(2, 4),
    span=st.sampled_from([0.0, 5.0, 900.0]),
    impossible=st.sampled_from([0.0, 0.4]),
    seed=st.integers(0, 10**6),
)
def test_every_set_has_the_sum_over_its_dags(n, span, impossible, seed):
    check_forward(random_weights(n, span, impossible, seed), range(1 << n))


@pytest.mark.slow
def test_five_variables():
    check_forward(random_weights(5, 40.0, 0.2, seed=7), [0, 5, 0b10111, 0b01110, 0b11111])


def check_forward(values, sets):
    forward, _, _ = kept_tables(values)
    mantissas = forward[0]
    assert ((mantissas == 0) | ((mantissas >= 0.5) & (mantissas < 1))).all()
    for mask in sets:
        members = [v for v in range(len(values)) if mask >> v & 1]
        expected = log_sum(weights_of_dags(values, members)) if members else 0.0
        assert log_of(forward, mask) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_sums_of_parents(seed):
    n = 4
    values = random_weights(n, 2000.0, 0.3, seed)
    _, sums, _ = kept_tables(values)
    for child, mask in itertools.product(range(n), range(1 << n)):
        if mask >> child & 1:
            continue
        inside = (log_weight(values, child, part) for part in range(1 << n) if part & ~mask == 0)
        assert log_of(sums, child, place(child, mask)) == pytest.approx(log_sum(inside), abs=1e-9)


def test_the_last_set_has_the_total_and_nothing_else_changes():
    values = random_weights(11, 60.0, 0.1, seed=3)
    forward, sums, result = kept_tables(values, threads=2)
    total_mantissa, total_exponent, _ = result.total
    mantissa, exponent = math.frexp(total_mantissa)
    assert (forward[0, -1], forward[1, -1]) == (mantissa, total_exponent + exponent)
    assert_same(whole(values, BITS), result)
    alone = kept_tables(values, threads=1)
    np.testing.assert_array_equal(alone[0], forward)
    np.testing.assert_array_equal(alone[1], sums)


def test_tables_of_another_shape_are_refused():
    dags = kernels.DagSum(random_weights(3, 1.0, 0.0, seed=1), BITS, 1)
    dags.run_until(dags.steps)
    for forward in (np.empty((2, 4)), np.empty((1, 16)), np.empty((4, 4))):
        with pytest.raises(ValueError, match="one mantissa and one exponent"):
            dags.copy_forward(forward)
    with pytest.raises(ValueError, match="one mantissa and one exponent"):
        dags.copy_parent_sums(np.empty((3, 2, 4)))
