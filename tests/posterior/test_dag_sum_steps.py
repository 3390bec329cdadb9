"""Sums over DAGs in steps: interrupted sums, saved and resumed elsewhere, have the same bits."""

from __future__ import annotations

import numpy as np
import pytest

from dag_sums import assert_same, finish, whole
from dagscape.core import kernels

BITS = 20


def random_scores(n, spread, seed):
    return -(np.random.default_rng(seed).random((n, 1 << (n - 1))) * spread * 2**BITS).astype(np.int64)


def saved(dags):
    arrays = [np.empty(size) for size in dags.state_sizes]
    dags.save(arrays)
    return dags.step, arrays


@pytest.mark.parametrize(("n", "spread"), [(2, 1.0), (5, 3000.0), (10, 50.0), (11, 400.0)])
def test_resumed_sums_have_the_same_bits(n, spread):
    values = random_scores(n, spread, seed=n)
    expected = whole(values, BITS)
    first = kernels.DagSum(values, BITS, 1)
    assert first.steps == 2 * first.forward_steps
    for step in range(first.steps + 1):
        first.run_until(step)
        second = kernels.DagSum(values, BITS, 2)
        second.restore(*saved(first))
        assert second.step == step
        assert_same(finish(second, n), expected)
    assert first.step == first.steps
    assert_same(finish(first, n), expected)


def test_the_forward_steps_give_the_total():
    values = random_scores(9, 100.0, seed=0)
    dags = kernels.DagSum(values, BITS, 1)
    dags.run_until(dags.forward_steps)
    assert dags.total() == whole(values, BITS).total
    assert dags.state_sizes == [1 << 9]


def test_progress_continues_where_it_was():
    values = random_scores(12, 10.0, seed=3)
    first = kernels.DagSum(values, BITS, 1)
    first.run_until(15)
    second = kernels.DagSum(values, BITS, 1)
    second.restore(*saved(first))
    told = []
    second.run_until(second.steps, lambda done, total: told.append((done, total)))
    assert told[-1] == (2 * 3**10, 2 * 3**10)


def test_wrong_states_are_refused():
    dags = kernels.DagSum(random_scores(4, 1.0, seed=1), BITS, 1)
    with pytest.raises(ValueError, match="forward steps are not complete"):
        dags.total()
    with pytest.raises(ValueError, match="forward steps are not complete"):
        dags.copy_forward(np.empty((2, 16)))
    with pytest.raises(ValueError, match="steps are not complete"):
        dags.features(np.empty((4, 4)), np.empty((4, 4)))
    with pytest.raises(ValueError, match="fewer steps"):
        dags.run_until(7)
    with pytest.raises(ValueError, match="sizes"):
        dags.restore(1, [np.empty(15)])
    with pytest.raises(ValueError, match="sizes"):
        dags.restore(5, [np.empty(16)])
