"""The forward table of a sum, from which structures are drawn: exact and independent samples.

Over DAGs, the table is H (``native/include/dagscape/sampling/dag_sampler.hpp``). Over orders, it is F
(``native/include/dagscape/sampling/order_sampler.hpp``), dense or, if there are few parents, packed. All are built by
the kernels of the sums, without their backward pass.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from dagscape.core import kernels
from dagscape.core.progress import ProgressListener, kernel_callback
from dagscape.core.requirements import ProblemSize
from dagscape.core.resources import Budget
from dagscape.posterior.accuracy import SampleLoss, dag_sample_error, order_sample_error, score_error
from dagscape.posterior.backends import usual_backend
from dagscape.posterior.contract import Job, KernelProgress, Sum, check_total, log_of
from dagscape.posterior.weights import FamilyWeights, is_tiled, tiled_memory
from dagscape.scores.tables.enumerable_scores import EnumerableScores

# The most bytes of decisions that a thread keeps, because samples share those at the top.
_MOST_KEPT = 64 << 20

Losses = tuple[float, float, float]
Seeds = NDArray[np.uint64]
Sets = NDArray[np.uint64]
Exact = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ForwardTable:
    """A table from which structures are drawn.

    Attributes
    ----------
    total : Sum
        The total alone.
    sample : callable
        Draws a structure for each seed into arrays of parent sets and scores, with so many bytes of decisions that a
        thread keeps, and reports progress; returns the losses of all.
    error : callable
        Returns the error of the probabilities with which structures are drawn, from the mean losses and the log of the
        total.
    """

    total: Sum
    sample: Callable[[Seeds, Sets, Exact, int, KernelProgress], Losses]
    error: Callable[[SampleLoss, float], float]


def _over_dags(weights: FamilyWeights, job: Job) -> ForwardTable:
    """Return H of all sets."""
    dags = kernels.DagSum(weights.values, job.unit_bits, job.threads)
    dags.run_until(dags.forward_steps, job.progress)

    def sample(seeds: Seeds, parents: Sets, exact: Exact, kept: int, progress: KernelProgress) -> Losses:
        values, bits = weights.values, job.unit_bits
        return kernels.sample_dags(dags, values, bits, seeds, parents, exact, kept, job.threads, progress)

    return ForwardTable(_total(*dags.total()), sample, partial(dag_sample_error, weights.n))


def _over_orders(weights: FamilyWeights, job: Job) -> ForwardTable:
    """Return F of all sets: dense, or packed with lists of families."""
    values, bits, threads, most = weights.values, job.unit_bits, job.threads, weights.max_parents
    table: kernels.OrderTable | kernels.OrderLists
    if most is None:
        table = kernels.OrderTable(values, bits, threads, job.progress)
        total = table.total()
    else:
        packed = np.empty(1 << weights.n, dtype=np.int64)
        summing = kernels.TiledOrderSum(values, most, bits, packed)
        summing.forward(weights.n, 0, [], threads, job.progress)
        total = summing.total(int(packed[-1]))
        table = kernels.OrderLists(values, most, bits, packed, threads, None)

    def sample(seeds: Seeds, parents: Sets, exact: Exact, kept: int, progress: KernelProgress) -> Losses:
        return table.sample(seeds, parents, exact, kept, threads, progress)

    return ForwardTable(_total(*total, math.nan), sample, partial(order_sample_error, weights.n, most))


def _total(mantissa: float, exponent: float, condition: float) -> Sum:
    return Sum(mantissa, exponent, np.empty((0, 0)), None, None, 0.0, condition)


_TABLES: dict[str, Callable[[FamilyWeights, Job], ForwardTable]] = {"dags": _over_dags, "orders": _over_orders}


def forward_table(over: str, weights: FamilyWeights, job: Job) -> ForwardTable:
    """Return the table of a sum over DAGs or orders."""
    return _TABLES[over](weights, job)


@dataclass(frozen=True, slots=True)
class DrawnNetworks:
    """Structures drawn from a table.

    Attributes
    ----------
    parents : array of uint64, samples × variables
        The sets of parents.
    exact : array of int64
        The scores, in units.
    log_total : float
        The natural log of the sum over all structures.
    error : float
        The error of the probabilities with which structures are drawn, including that of the rounding of scores.
    seconds : mapping
        The time of the table, ``"sums"``, and that of the ``"samples"``.
    """

    parents: NDArray[np.uint64]
    exact: NDArray[np.int64]
    log_total: float
    error: float
    seconds: Mapping[str, float]


def draw_networks(
    scores: EnumerableScores,
    over: str,
    samples: int,
    rng: np.random.Generator,
    budget: Budget,
    listener: ProgressListener | None,
    *,
    prior_only: bool = False,
) -> DrawnNetworks:
    """Draw networks from the posterior, or from the structure prior alone; memory was checked before.

    A network depends on the scores and its own seed, so that fewer samples are the first ones of more.

    Parameters
    ----------
    scores : EnumerableScores
        The local scores.
    over : {"dags", "orders"}
        What to draw from.
    samples : int
        How many.
    rng : Generator
        Gives a seed to each sample.
    budget : Budget
        Threads and memory.
    listener : callable or None
        Listens to the progress.
    prior_only : bool
        Whether to ignore the data.
    """
    start = time.perf_counter()
    backend, threads = usual_backend(over), budget.threads
    weights = backend.weights(scores, threads, budget.limit, prior_only=prior_only)
    callback = kernel_callback(f"Summing over {over}", listener, 0, 0)
    table = forward_table(over, weights, Job(scores.unit.bits, threads, callback))
    total = table.total
    check_total(total)
    summed = time.perf_counter()
    seeds = rng.integers(0, 1 << 64, samples, dtype=np.uint64)
    parents, exact = np.zeros((samples, weights.n), dtype=np.uint64), np.zeros(samples, dtype=np.int64)
    spare = budget.limit - sampling_memory(scores, threads, over=over, samples=samples)
    kept = min(max(spare // threads, 0), _MOST_KEPT)
    losses = table.sample(seeds, parents, exact, kept, kernel_callback("Drawing networks", listener, 0, 0))
    loss = SampleLoss(*(sum_of_all / samples for sum_of_all in losses))
    if math.isinf(loss.repeated):
        # Nothing but noise is left of the total, too.
        check_total(_total(0.0, 0.0, 1.0))
    done = time.perf_counter()
    rounding = scores.prior_rounding if prior_only else scores.rounding
    return DrawnNetworks(
        np.ascontiguousarray(parents[:, : scores.n]),
        exact + weights.offset,
        total.log_total + scores.unit.to_float(weights.offset),
        table.error(loss, log_of(total.mantissa, total.exponent)) + score_error(rounding),
        {"sums": summed - start, "samples": done - summed},
    )


def sampling_memory(size: ProblemSize, threads: int, *, over: str, samples: int) -> int:
    """Return how many bytes a table and samples from it need."""
    n = max(size.n, usual_backend(over).least_variables)
    # Two copies of the sets and scores of each sample.
    drawn = 16 * (n + 2) * samples
    if over == "dags":
        return int(kernels.dag_sampling_bytes(n, threads)) + drawn
    if not is_tiled(n, size.max_parents):
        return int(kernels.order_sampling_bytes(n, threads)) + drawn
    lists = int(kernels.listed_order_sampling_bytes(n, size.max_parents, threads))
    return tiled_memory(n, size.max_parents, threads) + lists + drawn
