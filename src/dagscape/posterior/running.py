"""The sums of one call: their back end is chosen and their weights are arranged; then they run, with checkpoints."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from dagscape.core.errors import InvalidOption, argument
from dagscape.core.progress import ProgressListener, kernel_callback
from dagscape.core.resources import memory_limit
from dagscape.posterior.backends import find_backend
from dagscape.posterior.contract import Job, ScoresTooWide, Sum, SumBackend, Wanted
from dagscape.posterior.requirements import requirements_of
from dagscape.posterior.weights import FamilyWeights
from dagscape.running.checkpoints import Checkpoints, check_interval
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
        The number of threads, on each rank if there are several.
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
        seconds = check_interval(seconds)
        if folder is None:
            yield self
            return
        if not self.backend.resumable:
            raise InvalidOption(
                f"cannot be used with {argument('backend', self.backend.name)}, whose sums take minutes at most",
                option="checkpoint",
            )
        with Checkpoints(folder, seconds).in_use() as checkpoints:
            # Two numbers for each set: F and R, or H and RR.
            checkpoints.check_space(_TASK, 16 << self.weights.n)
            yield replace(self, checkpoints=checkpoints)

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


def prepare_sum(
    scores: EnumerableScores,
    over: str,
    backend: str,
    threads: int | None,
    max_memory: int | str | None,
    *,
    with_paths: bool = False,
    weight_tables: int = 1,
    prior_only: bool = False,
) -> Prepared:
    """Choose the back end of a sum, and arrange the weights for it.

    Raise an error if the sum needs too much memory, or if the scores are too wide for the back end; in the latter case,
    a device that ``"auto"`` has chosen gives way to the processor.
    """
    chosen = find_backend(over, backend, paths=with_paths, size=scores)
    count, limit = chosen.thread_count(threads), memory_limit(max_memory)
    requirements_of(chosen, scores, count, limit, with_paths=with_paths, weight_tables=weight_tables).check(limit)
    chosen.check_device(scores.n, scores.max_parents)
    if chosen.ranks is not None:
        chosen.ranks.check_memory(scores.n, scores.max_parents, count, max_memory)
    try:
        weights = chosen.weights(scores, count, limit, prior_only=prior_only)
        return Prepared(chosen, weights, scores.unit, count, limit)
    except ScoresTooWide:
        if backend != "auto" or chosen.device is None:
            raise
    host = find_backend(over, paths=with_paths).name
    return prepare_sum(
        scores, over, host, threads, max_memory,
        with_paths=with_paths, weight_tables=weight_tables, prior_only=prior_only,
    )  # fmt: skip
