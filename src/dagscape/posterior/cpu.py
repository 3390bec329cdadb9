"""Sums on the processors of this machine, by the compiled kernels."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from dagscape import kernels
from dagscape.posterior.accuracy import dag_sum_error, order_sum_error, tiled_order_sum_error
from dagscape.posterior.contract import KernelProgress, Sum, SumBackend, log_of
from dagscape.posterior.weights import (
    FamilyWeights,
    dense_memory,
    dense_weights,
    is_tiled,
    order_weights,
    tiled_memory,
)
from dagscape.scores.lattice import set_count


def _sum_over_dags(
    weights: FamilyWeights, unit_bits: int, threads: int, progress: KernelProgress, *, with_paths: bool
) -> Sum:
    n = weights.n
    edges, ancestors = np.empty((n, n)), np.empty((n, n))
    paths = np.empty((n, n, n) if with_paths else (0, 0, 0))
    mantissa, exponent, disagreement, condition = kernels.dag_sum(
        weights.values, unit_bits, edges, ancestors, paths, threads, progress
    )
    error = dag_sum_error(n, disagreement, condition, log_of(mantissa, exponent))
    return Sum(mantissa, exponent, edges, ancestors, paths if with_paths else None, error, condition)


def _sum_over_orders(weights: FamilyWeights, unit_bits: int, threads: int, progress: KernelProgress) -> Sum:
    n = weights.n
    edges = np.empty((n, n))
    if weights.max_parents is None:
        mantissa, exponent, _ = kernels.order_sum(weights.values, unit_bits, edges, threads, progress)
        error = order_sum_error(n, log_of(mantissa, exponent))
    else:
        mantissa, exponent = _tiled_order_sum(weights.values, weights.max_parents, unit_bits, edges, threads, progress)
        error = tiled_order_sum_error(n, weights.max_parents, log_of(mantissa, exponent))
    return Sum(mantissa, exponent, edges, None, None, error)


def _tiled_order_sum(
    values: NDArray[np.int64],
    max_parents: int,
    unit_bits: int,
    edges: NDArray[np.float64],
    threads: int,
    progress: KernelProgress,
) -> tuple[float, float]:
    """Fill in the edges, and return the mantissa and exponent of the total: one block, which has all sets."""
    n = len(values)
    words = np.empty(1 << n, dtype=np.int64)
    summing = kernels.TiledOrderSum(values, max_parents, unit_bits, words)
    summing.forward(n, 0, [], threads, _half_of(progress, 0))
    total = int(words[-1])
    if total == 0:
        edges[:] = 0.0
        return summing.total(total)
    summing.backward(n, 0, [], total, threads, _half_of(progress, 1))
    mantissa, exponent, _ = summing.finish(edges)
    return mantissa, exponent


def _half_of(progress: KernelProgress, half: int) -> KernelProgress:
    """Return the callback of the first or second of two passes of the same length."""
    return None if progress is None else lambda done, total: progress(half * total + done, 2 * total)


def _order_memory(n: int, max_parents: int, threads: int) -> int:
    return tiled_memory(n, max_parents, threads) if is_tiled(n, max_parents) else dense_memory(n, threads)


def _order_table(n: int, max_parents: int) -> int:
    return n * set_count(n, max_parents) if is_tiled(n, max_parents) else n << (n - 1)


CPU = (
    SumBackend(
        over="dags",
        name="cpu",
        run=partial(_sum_over_dags, with_paths=False),
        run_with_paths=partial(_sum_over_dags, with_paths=True),
        arrange=lambda scores, n, prior_only, threads, limit: dense_weights(scores, n, prior_only),
        table=lambda n, max_parents: n << (n - 1),
        memory_of_sum=lambda n, max_parents, threads: dense_memory(n, threads),
        ancestors=True,
        proved=False,
        precision="double",
        widest=kernels.WIDEST_SCORE,
        # The kernel uses two variables as the lanes of its vectors.
        least_variables=2,
        most_variables=40,
    ),
    SumBackend(
        over="orders",
        name="cpu",
        run=_sum_over_orders,
        run_with_paths=None,
        arrange=order_weights,
        table=_order_table,
        memory_of_sum=_order_memory,
        ancestors=False,
        proved=True,
        precision="double, or 40 bits if there are few parents",
        widest=kernels.WIDEST_SCORE,
        least_variables=1,
        most_variables=40,
    ),
)
