"""The sums of one call: they are planned, their weights are arranged, and then they run, with checkpoints."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from dagscape.core.errors import InvalidOption, argument
from dagscape.core.progress import ProgressListener, kernel_callback
from dagscape.core.requirements import ProblemSize
from dagscape.core.resources import Budget
from dagscape.posterior.backends import choose_backend
from dagscape.posterior.contract import Job, ScoresTooWide, Sum, SumBackend, Wanted
from dagscape.posterior.order_weights import OrderLogs
from dagscape.posterior.requirements import running_requirements
from dagscape.posterior.sum_plan import SumPlan, SumSize
from dagscape.posterior.weights import FamilyWeights
from dagscape.running.checkpoints import SECONDS_BETWEEN, Checkpoints
from dagscape.scores.arithmetic.fixed_point import Unit
from dagscape.scores.tables.enumerable_scores import EnumerableScores

# What to say if families are missing.
INCOMPLETE_SUM = ": probabilities are relative to the remaining structures"


# What the names of checkpoints begin with.
_TASK = "sum"


@dataclass(frozen=True, slots=True)
class Prepared:
    """A sum that can run, and others like it.

    Attributes
    ----------
    backend : SumBackend
        The implementation.
    weights : FamilyWeights
        The weights of the first sum.
    unit : Unit
        Their unit.
    threads : int
        The number of threads, of each process if there are several.
    limit : int
        The memory limit, in bytes.
    checkpoints : Checkpoints or None
        Where the work is saved from time to time.
    """

    backend: SumBackend
    weights: FamilyWeights
    unit: Unit
    threads: int
    limit: int
    checkpoints: Checkpoints | None = field(default=None, kw_only=True)

    @contextmanager
    def saving_to(self, folder: str | os.PathLike[str] | None, seconds: float) -> Iterator[Prepared]:
        """Yield the same with checkpoints in a folder, if there is one."""
        SECONDS_BETWEEN.check(seconds, "checkpoint_seconds")
        if folder is None:
            yield self
            return
        if not self.backend.resumable:
            raise InvalidOption(
                f"cannot be used with {argument('backend', self.backend.name)}, whose sums take minutes at most",
                option="checkpoint",
            )
        with Checkpoints(folder, float(seconds)).in_use() as checkpoints:
            # Two numbers for each set: F and R, or H and RR.
            checkpoints.check_space(_TASK, 16 << self.weights.n)
            yield replace(self, checkpoints=checkpoints)

    def with_orders(self, orders: OrderLogs | None) -> Prepared:
        """Return the same sum with weights of orders, if there are any."""
        return self if orders is None else replace(self, weights=self.weights.with_orders(orders))

    def sum(
        self, task: str, wanted: Wanted, listener: ProgressListener | None, weights: FamilyWeights | None = None
    ) -> Sum:
        """Run one sum, of these weights or others; its log is minus infinity if no structure is possible."""
        weights = self.weights if weights is None else weights
        job = Job(self.unit.bits, self.threads, kernel_callback(task, listener, 0, 0), wanted=wanted)
        if self.checkpoints is None:
            return self.backend.run(weights, job)
        kind = f"{self.backend.name} {self.backend.over} {wanted}"
        checkpoint = self.checkpoints.of_job(_TASK, weights.digest(f"{kind} {job.unit_bits}"))
        if (result := checkpoint.load("result")) is not None:
            with checkpoint.reading():
                return Sum.from_state(result)
        found = self.backend.run(weights, replace(job, checkpoint=checkpoint))
        checkpoint.finish(found.to_state())
        return found


@dataclass(frozen=True, slots=True)
class PlannedSum:
    """A sum that fits, and the back end that does it: nothing of this is found out again when there are scores.

    Attributes
    ----------
    backend : SumBackend
        The implementation.
    plan : SumPlan
        What the sum needs.
    threads : int
        The number of threads, of each process if there are several.
    limit : int
        The memory limit, in bytes.
    replan : callable or None
        Plans the sum for another back end, by its name; None if the user has chosen this one.
    """

    backend: SumBackend
    plan: SumPlan
    threads: int
    limit: int
    replan: Callable[[str], PlannedSum] | None

    def arrange(self, scores: EnumerableScores, *, prior_only: bool = False) -> Prepared:
        """Arrange the weights of the scores, or those of the structure prior alone.

        Raise an error if the scores are too wide for the back end, unless it may be replaced by one for which they are
        not.
        """
        try:
            weights = self.backend.weights(scores, self.threads, self.limit, prior_only=prior_only)
        except ScoresTooWide:
            if self.replan is None or not self.backend.fallback:
                raise
            return self.replan(self.backend.fallback).arrange(scores, prior_only=prior_only)
        return Prepared(self.backend, weights, scores.unit, self.threads, self.limit)


def plan_sum(
    size: ProblemSize,
    over: str,
    backend: str,
    budget: Budget,
    *,
    with_paths: bool = False,
    with_ancestors: bool = False,
    order_weights: bool = False,
    weight_tables: int = 1,
    resumable: bool = False,
) -> PlannedSum:
    """Choose the back end of a sum; raise an error if the sum does not fit, here or on another machine."""
    asked = {"with_paths": with_paths, "with_ancestors": with_ancestors}
    chosen = choose_backend(
        over,
        backend,
        size,
        budget,
        paths=with_paths,
        ancestors=with_ancestors,
        order_weights=order_weights,
        resumable=resumable,
    )
    threads, limit = chosen.threads(budget), budget.limit
    plan = chosen.plan(size, threads, **asked, weight_tables=weight_tables)
    running_requirements(chosen, plan, size, threads, limit, **asked).check(limit)
    if chosen.processes is not None:
        chosen.processes.check_memory(SumSize(size.n, size.max_parents, threads), budget.given_memory)

    def replan(name: str) -> PlannedSum:
        return plan_sum(size, over, name, budget, **asked, weight_tables=weight_tables)

    return PlannedSum(chosen, plan, threads, limit, replan if backend == "auto" else None)
