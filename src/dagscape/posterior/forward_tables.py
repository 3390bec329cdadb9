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
from typing import Protocol

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


class ForwardTable(Protocol):
    """A table from which structures are drawn."""

    def total(self) -> Sum:
        """Return the total alone."""

    def sample(
        self,
        seeds: NDArray[np.uint64],
        parents: NDArray[np.uint64],
        exact: NDArray[np.int64],
        kept: int,
        progress: KernelProgress,
    ) -> Losses:
        """Draw a structure for each seed; return the losses of all."""

    def error(self, loss: SampleLoss, log_total: float) -> float:
        """Return the error of the probabilities with which structures are drawn."""


class _DagTable:
    """H of all sets."""

    def __init__(self, weights: FamilyWeights, job: Job) -> None:
        self._weights, self._job = weights, job
        self._dags = kernels.DagSum(weights.values, job.unit_bits, job.threads)
        self._dags.run_until(self._dags.forward_steps, job.progress)

    def total(self) -> Sum:
        mantissa, exponent, condition = self._dags.total()
        return _total(mantissa, exponent, condition)

    def sample(
        self,
        seeds: NDArray[np.uint64],
        parents: NDArray[np.uint64],
        exact: NDArray[np.int64],
        kept: int,
        progress: KernelProgress,
    ) -> Losses:
        bits, threads = self._job.unit_bits, self._job.threads
        return kernels.sample_dags(
            self._dags, self._weights.values, bits, seeds, parents, exact, kept, threads, progress
        )

    def error(self, loss: SampleLoss, log_total: float) -> float:
        return dag_sample_error(self._weights.n, loss, log_total)


class _OrderTable:
    """F of all sets: dense, or packed with lists of families."""

    def __init__(self, weights: FamilyWeights, job: Job) -> None:
        self._weights, self._job = weights, job
        values, bits, threads, most = weights.values, job.unit_bits, job.threads, weights.max_parents
        self._table: kernels.OrderTable | kernels.OrderLists
        if most is None:
            self._table = kernels.OrderTable(values, bits, threads, job.progress)
            self._total = self._table.total()
            return
        packed = np.empty(1 << weights.n, dtype=np.int64)
        summing = kernels.TiledOrderSum(values, most, bits, packed)
        summing.forward(weights.n, 0, [], threads, job.progress)
        self._total = summing.total(int(packed[-1]))
        self._table = kernels.OrderLists(values, most, bits, packed, threads, None)

    def total(self) -> Sum:
        return _total(*self._total, math.nan)

    def sample(
        self,
        seeds: NDArray[np.uint64],
        parents: NDArray[np.uint64],
        exact: NDArray[np.int64],
        kept: int,
        progress: KernelProgress,
    ) -> Losses:
        return self._table.sample(seeds, parents, exact, kept, self._job.threads, progress)

    def error(self, loss: SampleLoss, log_total: float) -> float:
        return order_sample_error(self._weights.n, self._weights.max_parents, loss, log_total)


def _total(mantissa: float, exponent: float, condition: float) -> Sum:
    return Sum(mantissa, exponent, np.empty((0, 0)), None, None, 0.0, condition)


_TABLES: dict[str, Callable[[FamilyWeights, Job], ForwardTable]] = {"dags": _DagTable, "orders": _OrderTable}


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
    total = table.total()
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
