"""Tiled sums over orders agree with dense ones."""

from __future__ import annotations

import numpy as np
import pytest

import dagscape as ds
from dagscape.core import kernels
from dagscape.posterior.backends import BACKENDS
from dagscape.posterior.weights import is_tiled
from dagscape.scores.search_planning import SearchSize

ORDERS = BACKENDS["orders", "cpu"]


def dense_sum(scores):
    n = scores.n
    values = np.stack([scores.score_row(child) for child in range(n)])
    edges = np.empty((n, n))
    mantissa, exponent, _ = kernels.order_sum(values, scores.unit.bits, edges, 1, None)
    return np.log(mantissa) + exponent * np.log(2), edges


def random_data(n, rows, seed):
    return ds.Dataset.from_array(np.random.default_rng(seed).integers(0, 2, (rows, n)))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "max_parents"), [(10, 2), (11, 4), (12, 3), (14, 4), (15, 1), (15, 5), (16, 0), (16, 7), (19, 2)]
)
def test_agrees_with_the_plain_sum(n, max_parents):
    scores = ds.local_scores(random_data(n, 60, n), max_parents=max_parents)
    found = ds.posterior(scores, "orders")
    log_total, edges = dense_sum(scores)
    assert found.log_total == pytest.approx(log_total, rel=1e-12)
    np.testing.assert_allclose(found.edges, edges, atol=1e-10)
    assert found.error < 1e-9
    assert np.abs(found.edges - edges).max() <= found.error


# In the last case, some tiles have too small numbers for doubles, which shows after their shares were added up.
@pytest.mark.parametrize(
    ("n", "noise", "rows"),
    [(12, 0.02, 500), (12, 0.02, 1_000), (12, 0.02, 5_000), (12, 0.02, 100_000), (14, 0.1, 1_000)],
)
def test_scores_of_any_range(n, noise, rows):
    rng = np.random.default_rng(1)
    columns = [rng.integers(0, 2, rows)]
    for _ in range(n - 1):
        source = columns[rng.integers(len(columns))]
        columns.append(np.where(rng.random(rows) < noise, 1 - source, source))
    scores = ds.local_scores(ds.Dataset.from_array(np.column_stack(columns)), max_parents=3)
    found = ds.posterior(scores, "orders")
    log_total, edges = dense_sum(scores)
    assert found.log_total == pytest.approx(log_total, rel=1e-12)
    np.testing.assert_allclose(found.edges, edges, atol=1e-10)


def test_constraints_and_features():
    data = random_data(11, 80, 3)
    scores = ds.local_scores(data, max_parents=3, required=[("X0", "X1"), ("X9", "X2")], forbidden=[("X3", "X4")])
    found = ds.posterior(scores, "orders")
    log_total, edges = dense_sum(scores)
    assert found.log_total == pytest.approx(log_total, rel=1e-12)
    np.testing.assert_allclose(found.edges, edges, atol=1e-10)
    assert found.edge("X0", "X1") == pytest.approx(1.0, abs=1e-10)
    free = ds.local_scores(data, max_parents=3)
    probability = ds.feature_probability(free, required=[("X2", "X5")], over="orders")
    assert probability == pytest.approx(ds.posterior(free, "orders").edge("X2", "X5"), abs=1e-9)


def test_threads_do_not_change_a_bit():
    scores = ds.local_scores(random_data(15, 100, 8), max_parents=3)
    first, *others = (ds.posterior(scores, "orders", threads=threads) for threads in (1, 2, 3))
    for other in others:
        assert np.array_equal(other.edges, first.edges)
        assert other.log_total == first.log_total


def test_nothing_possible():
    families = {f"v{i}": {(f"v{(i + 1) % 10}",): -1.0} for i in range(10)}
    with pytest.raises(ds.InvalidData, match="nothing to sum"):
        ds.posterior(ds.FamilyTable(families, complete=True), "orders")


def test_memory_is_eight_bytes_for_each_set():
    assert ORDERS.plan(SearchSize.complete(28, 4), 2).memory < 1.25 * 8 * 2**28 + 200 * 2**20
    assert ORDERS.plan(SearchSize.complete(31, 4), 2).memory < 18 * 2**30
    # With many parents, the sum that needs less memory.
    assert is_tiled(26, 8)
    assert not is_tiled(16, 15)
    weights = ORDERS.weights(ds.local_scores(random_data(12, 30, 1), max_parents=2), 1, 2**30)
    assert weights.values.shape == (12, 79)
    assert weights.sets(0)[:3].tolist() == [0, 1, 2]


def test_scores_too_wide_for_tiles_have_a_dense_sum():
    names = [f"v{i}" for i in range(10)]
    families = {v: {(): -1e6 * (i + 1), (names[i - 1],): -3.0 - i} for i, v in enumerate(names)}
    scores = ds.FamilyTable(families, complete=True)
    assert ORDERS.weights(scores, 1, 2**30).max_parents is None
    found = ds.posterior(scores, "orders")
    log_total, edges = dense_sum(scores)
    assert found.log_total == pytest.approx(log_total, rel=1e-12)
    np.testing.assert_allclose(found.edges, edges, atol=1e-10)


@pytest.mark.parametrize("far", [0.0, -6e5, -2e6])
def test_tiles_do_not_depend_on_the_distance_of_scores_from_zero(far):
    names = [f"v{i}" for i in range(11)]
    families = {
        v: {(): far + 0.1 * i, **{(u,): far + 0.5 + 0.1 * i for u in names if u != v}} for i, v in enumerate(names)
    }
    scores = ds.FamilyTable(families)
    assert ORDERS.weights(scores, 1, 2**30).max_parents == 1
    found = ds.posterior(scores, "orders")
    log_total, edges = dense_sum(ds.FamilyTable({v: {p: s - far for p, s in f.items()} for v, f in families.items()}))
    assert found.log_total == pytest.approx(log_total + 11 * far, rel=1e-12)
    np.testing.assert_allclose(found.edges, edges, atol=1e-10)


def test_a_dense_sum_of_wide_scores_keeps_to_the_memory_limit():
    n = 16
    names = [f"v{i}" for i in range(n)]
    families = {v: {(): -1e6 * (i + 1), (names[i - 1],): -3.0 - i} for i, v in enumerate(names)}
    scores = ds.FamilyTable(families, complete=True)
    planned = ORDERS.plan(SearchSize.complete(n, 1), 1).memory
    with pytest.raises(
        ds.TooLarge, match=r"sums over orders of 16 variables with scores that span more than 5,000,000"
    ):
        ds.posterior(scores, "orders", threads=1, max_memory=planned)
    ds.posterior(scores, "orders", threads=1, max_memory="100MiB")
