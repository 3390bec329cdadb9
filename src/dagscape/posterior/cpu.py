"""Sums on the processors of this machine, by the compiled kernels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dagscape.core import kernels
from dagscape.posterior.accuracy import order_sum_error, tiled_order_sum_error
from dagscape.posterior.contract import Job, KernelProgress, Sum, SumBackend, check_agreement, log_of
from dagscape.posterior.dag_steps import sum_over_dags
from dagscape.posterior.order_blocks import BlockCheckpoints, Position
from dagscape.posterior.weights import (
    FamilyWeights,
    dense_memory,
    dense_weights,
    is_tiled,
    order_weights,
    tiled_memory,
)
from dagscape.scores.tables.lattice import set_count

# With checkpoints, a sum has up to 2^this many blocks.
_CHECKPOINT_BITS = 8


def _sum_over_orders(weights: FamilyWeights, job: Job) -> Sum:
    n = weights.n
    edges, disagreement = np.zeros((n, n)), 0.0
    if weights.max_parents is None and job.total_alone:
        mantissa, exponent = kernels.order_total(weights.values, job.unit_bits, job.threads, job.progress)
        error = order_sum_error(n, log_of(mantissa, exponent))
    elif weights.max_parents is None:
        mantissa, exponent, disagreement = kernels.order_sum(
            weights.values, job.unit_bits, edges, job.threads, job.progress
        )
        error = order_sum_error(n, log_of(mantissa, exponent))
    else:
        mantissa, exponent, disagreement = _tiled_order_sum(weights, weights.max_parents, edges, job)
        error = tiled_order_sum_error(n, weights.max_parents, log_of(mantissa, exponent))
    check_agreement(disagreement, error)
    return Sum(mantissa, exponent, edges, None, None, error)


def _tiled_order_sum(
    weights: FamilyWeights, max_parents: int, edges: NDArray[np.float64], job: Job
) -> tuple[float, float, float]:
    """Fill in the edges if they are wanted; return the mantissa and exponent of the total, and the disagreement.

    One block has all sets; with checkpoints, there are several.
    """
    n = weights.n
    bits = n if job.checkpoint is None else max(n - _CHECKPOINT_BITS, kernels.LEAST_TILED)
    blocks = np.empty((1 << (n - bits), 1 << bits), dtype=np.int64)
    summing = kernels.TiledOrderSum(weights.values, max_parents, job.unit_bits, blocks.reshape(-1))
    saved = BlockCheckpoints(job.checkpoint, summing, blocks, job.threads)
    done, count = saved.position(), len(blocks)
    saved.restore(done)
    parts = count if job.total_alone else 2 * count
    for block in range(done.forwards, count):
        summing.forward(bits, block, [], job.threads, _part_of(job.progress, block, parts))
        saved.after(Position(block + 1))
    total = saved.total if done.backwards else int(blocks[-1, -1])
    if total == 0 or job.total_alone:
        return *summing.total(total), 0.0
    saved.total = total
    for step in range(done.backwards, count):
        summing.backward(bits, count - 1 - step, [], total, job.threads, _part_of(job.progress, count + step, parts))
        saved.after(Position(count, step + 1))
    return summing.finish(edges)


def _part_of(progress: KernelProgress, part: int, parts: int) -> KernelProgress:
    """Return the callback of one of several parts of the same length."""
    return None if progress is None else lambda done, total: progress(part * total + done, parts * total)


def _order_memory(n: int, max_parents: int, threads: int) -> int:
    return tiled_memory(n, max_parents, threads) if is_tiled(n, max_parents) else dense_memory(n, threads)


def _order_table(n: int, max_parents: int) -> int:
    return n * set_count(n, max_parents) if is_tiled(n, max_parents) else n << (n - 1)


CPU = (
    SumBackend(
        over="dags",
        name="cpu",
        run=sum_over_dags,
        paths=True,
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
        resumable=True,
    ),
    SumBackend(
        over="orders",
        name="cpu",
        run=_sum_over_orders,
        paths=False,
        arrange=order_weights,
        table=_order_table,
        memory_of_sum=_order_memory,
        ancestors=False,
        proved=True,
        precision="double, or 40 bits if there are few parents",
        widest=kernels.WIDEST_SCORE,
        least_variables=1,
        most_variables=40,
        resumable=True,
    ),
)
