"""The records of sums on the processors of this machine, and the sum over orders."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dagscape.core import kernels
from dagscape.posterior.accuracy import order_ancestors_error, order_sum_error, tiled_order_sum_error
from dagscape.posterior.contract import Job, KernelProgress, Sum, SumBackend, check_agreement, log_of
from dagscape.posterior.cpu.seconds import ancestor_seconds, dag_seconds, order_seconds
from dagscape.posterior.dag_steps import sum_over_dags
from dagscape.posterior.order_blocks import BlockCheckpoints, Position
from dagscape.posterior.sum_plan import Automatic, SumPlan, SumSize
from dagscape.posterior.timing import arranging_seconds
from dagscape.posterior.weights import (
    FamilyWeights,
    dense_memory,
    dense_weights,
    is_tiled,
    order_ancestors_memory,
    order_weights,
    path_memory,
    tiled_memory,
)
from dagscape.scores.tables.enumerable_scores import EnumerableScores
from dagscape.scores.tables.lattice import set_count

# With checkpoints, a sum has up to 2^this many blocks.
_CHECKPOINT_BITS = 8

# The kernel of sums over DAGs uses two variables as the lanes of its vectors.
_LEAST_DAG_VARIABLES = 2

_SUMMARY = "the processors of this machine"
_ALWAYS = Automatic(installed=lambda: True, least_variables=0, least_seconds=0.0)


def _sum_over_orders(weights: FamilyWeights, job: Job) -> Sum:
    n = weights.n
    edges, disagreement = np.zeros((n, n)), 0.0
    if weights.max_parents is None and job.total_alone:
        mantissa, exponent = kernels.order_total(
            weights.values, job.unit_bits, job.threads, job.progress, *_of_orders(weights)
        )
        error = order_sum_error(n, log_of(mantissa, exponent), weighted=weights.orders is not None)
    elif weights.max_parents is None:
        mantissa, exponent, disagreement = kernels.order_sum(
            weights.values, job.unit_bits, edges, job.threads, job.progress, *_of_orders(weights)
        )
        error = order_sum_error(n, log_of(mantissa, exponent), weighted=weights.orders is not None)
    else:
        mantissa, exponent, disagreement = _tiled_order_sum(weights, weights.max_parents, edges, job)
        error = tiled_order_sum_error(n, weights.max_parents, log_of(mantissa, exponent))
    check_agreement(disagreement, error)
    return Sum(mantissa, exponent, edges, None, None, error)


def _of_orders(weights: FamilyWeights) -> tuple[NDArray[np.int64] | None, int]:
    """Return the weights of orders as the kernels take them: their logs, and the bits of the unit."""
    return (None, 0) if weights.orders is None else (weights.orders.values, weights.orders.unit.bits)


def _orders_with_ancestors(weights: FamilyWeights, job: Job) -> Sum:
    """Return the sum over orders with ancestor relations, if they are wanted: a second sum, of all sets of parents."""
    if job.wanted != "ancestors":
        return _sum_over_orders(weights, job)
    n = weights.n
    of_edges, more = 2**n, 3**n
    found = _sum_over_orders(weights, replace(job, progress=_share_of(job.progress, 0, of_edges, of_edges + more)))
    if found.log_total == -math.inf:
        return found
    ancestors, progress = np.zeros((n, n)), _share_of(job.progress, of_edges, more, of_edges + more)
    values = weights.dense().values
    disagreement = kernels.order_ancestors(
        values, job.unit_bits, ancestors, job.threads, progress, *_of_orders(weights)
    )
    error = order_ancestors_error(n, found.log_total, weighted=weights.orders is not None)
    check_agreement(disagreement, error)
    return replace(found, ancestors=ancestors, error=max(error, found.error))


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


def _share_of(progress: KernelProgress, before: int, units: int, total: int) -> KernelProgress:
    """Return the callback of a part that has some of all units of work, after others."""
    if progress is None:
        return None
    return lambda done, every: progress(before + units * done // max(every, 1), total)


def _dag_weights(scores: EnumerableScores, n: int, prior_only: bool, _threads: int, _limit: int) -> FamilyWeights:
    return dense_weights(scores, n, prior_only)


def _dag_table(n: int, _max_parents: int) -> int:
    return n << (n - 1)


def _order_table(n: int, max_parents: int) -> int:
    return n * set_count(n, max_parents) if is_tiled(n, max_parents) else _dag_table(n, max_parents)


def _plan_over_dags(size: SumSize, _assumed: None) -> SumPlan:
    size = size.padded(_LEAST_DAG_VARIABLES)
    memory = dense_memory(size.n, size.threads)
    return SumPlan(
        memory + path_memory(size.n, size.threads) if size.with_paths else memory,
        lambda: (
            dag_seconds(size, sum_over_dags) + arranging_seconds(_dag_weights, _dag_table(size.n, size.max_parents))
        ),
    )


def _plan_over_orders(size: SumSize, _assumed: None) -> SumPlan:
    n, max_parents = size.n, size.max_parents
    tiled = is_tiled(n, max_parents)
    memory = tiled_memory(n, max_parents, size.threads) if tiled else dense_memory(n, size.threads)

    def seconds() -> float:
        more = ancestor_seconds(size, _orders_with_ancestors) if size.with_ancestors else 0.0
        arranging = arranging_seconds(order_weights, _order_table(n, max_parents))
        return order_seconds(size, _orders_with_ancestors) + arranging + more

    # Ancestor relations need all sets of parents, beside the weights of a tiled sum.
    return SumPlan(memory + order_ancestors_memory(n, size.threads) if size.with_ancestors else memory, seconds)


CPU = (
    SumBackend(
        over="dags",
        name="cpu",
        summary=_SUMMARY,
        run=sum_over_dags,
        paths=True,
        arrange=_dag_weights,
        table=_dag_table,
        planned=_plan_over_dags,
        engine=lambda: kernels.name,
        ancestors=True,
        proved=False,
        precision="double",
        widest=kernels.WIDEST_SCORE,
        least_variables=_LEAST_DAG_VARIABLES,
        most_variables=40,
        resumable=True,
        automatic=_ALWAYS,
    ),
    SumBackend(
        over="orders",
        name="cpu",
        summary=_SUMMARY,
        run=_orders_with_ancestors,
        paths=False,
        arrange=order_weights,
        table=_order_table,
        planned=_plan_over_orders,
        engine=lambda: kernels.name,
        ancestors=False,
        ancestors_asked=True,
        order_weights=True,
        proved=True,
        precision="double, or 40 bits if there are few parents",
        widest=kernels.WIDEST_SCORE,
        least_variables=1,
        most_variables=40,
        resumable=True,
        automatic=_ALWAYS,
    ),
)
