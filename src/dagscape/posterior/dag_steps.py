"""The sum over DAGs on the processors of this machine, in steps, with checkpoints between them.

A step is a layer: the sets of one size, first for H, then for RR and the features. Paths follow in chunks of sets W.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagscape.core import kernels
from dagscape.posterior.accuracy import dag_sum_error, dag_total_error, needs_no_backward_pass
from dagscape.posterior.contract import Job, KernelProgress, Sum, log_of
from dagscape.posterior.weights import FamilyWeights

# With checkpoints, this many chunks of paths are added at a time: enough for many threads.
_CHUNKS_TOGETHER = 32


def sum_over_dags(weights: FamilyWeights, job: Job) -> Sum:
    """Return the sum over all DAGs."""
    alone = needs_no_backward_pass(weights.n, job.wanted)
    steps = _Steps(weights, job)
    steps.restore()
    steps.run_until(steps.dags.forward_steps if alone else steps.dags.steps)
    if job.wanted == "paths":
        steps.add_paths()
    return steps.total() if alone else steps.result()


class _Steps:
    """A sum, and how far it is."""

    def __init__(self, weights: FamilyWeights, job: Job) -> None:
        self._n, self._job = weights.n, job
        with_paths = job.wanted == "paths"
        self.dags = kernels.DagSum(weights.values, job.unit_bits, job.threads, with_paths)
        self._paths = np.zeros((self._n, self._n, self._n)) if with_paths else None
        self._chunks = 0

    def run_until(self, end: int) -> None:
        """Run the steps before ``end``: all together, or one by one if there are checkpoints."""
        # Even if all steps are restored, the kernel has something to prepare for the result.
        ends = [end] if self._job.checkpoint is None else range(min(self.dags.step + 1, end), end + 1)
        for each in ends:
            self.dags.run_until(each, self._progress_of(each, end) if self.dags.step < end else None)
            self._save_if_due()

    def add_paths(self) -> None:
        """Add the paths, chunk by chunk."""
        assert self._paths is not None
        count = self.dags.path_chunks
        together = count if self._job.checkpoint is None else _CHUNKS_TOGETHER
        while self._chunks < count:
            end = min(self._chunks + together, count)
            self.dags.add_paths(self._chunks, end, self._paths, self._job.threads, self._progress_of_paths(end))
            self._chunks = end
            self._save_if_due()

    def total(self) -> Sum:
        """Return the total alone."""
        mantissa, exponent, condition = self.dags.total()
        error = dag_total_error(self._n, condition, log_of(mantissa, exponent))
        return Sum(mantissa, exponent, np.empty((0, 0)), None, None, error, condition)

    def result(self) -> Sum:
        """Return the total and the probabilities."""
        edges, ancestors = np.empty((self._n, self._n)), np.empty((self._n, self._n))
        disagreement = self.dags.features(edges, ancestors)
        mantissa, exponent, condition = self.dags.total()
        error = dag_sum_error(self._n, disagreement, condition, log_of(mantissa, exponent))
        return Sum(mantissa, exponent, edges, ancestors, self._paths, error, condition)

    def restore(self) -> None:
        """Continue after the last checkpoint, if there is one."""
        checkpoint = self._job.checkpoint
        if checkpoint is None or (state := checkpoint.load()) is None:
            return
        with checkpoint.reading():
            self.dags.restore(state["step"], [state[f"array{i}"] for i in range(state["arrays"])])
            if self._paths is not None:
                self._paths, self._chunks = state["paths"], state["chunks"]

    def _save_if_due(self) -> None:
        checkpoint = self._job.checkpoint
        if checkpoint is None or not checkpoint.is_due:
            return
        arrays: list[NDArray[np.float64]] = [np.empty(size) for size in self.dags.state_sizes]
        self.dags.save(arrays)
        state: dict[str, Any] = {"step": self.dags.step, "arrays": len(arrays)}
        state |= {f"array{i}": array for i, array in enumerate(arrays)}
        if self._paths is not None:
            state |= {"paths": self._paths, "chunks": self._chunks}
        checkpoint.save(state)

    def _progress_of(self, step: int, end: int) -> KernelProgress:
        """Return the callback of the steps before ``step``, which count the forward steps only up to their end."""
        progress, more = self._job.progress, 0 if self._paths is None else 4**self._n
        parts = 2 if step <= self.dags.forward_steps < end else 1
        return None if progress is None else lambda done, total: progress(done, parts * total + more)

    def _progress_of_paths(self, end: int) -> KernelProgress:
        """Return the callback of the chunks before ``end``, each of which takes as long as another."""
        progress, first, count = self._job.progress, self._chunks, self.dags.path_chunks
        if progress is None:
            return None
        before, units = 2 * 3 ** (self._n - 2), 4**self._n
        return lambda done, total: progress(
            before + units * (first * total + done * (end - first)) // (count * total), before + units
        )
