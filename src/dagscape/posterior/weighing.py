"""Settings of a grid, each scored, summed, and weighed by its evidence.

The evidence P(D | setting) is the sum over all structures that the constraints allow, of their scores and priors,
divided by the same sum of their priors alone.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from dagscape.core.progress import Progress, ProgressListener
from dagscape.core.resources import Budget
from dagscape.posterior.contract import check_total
from dagscape.posterior.grids import Grid
from dagscape.posterior.result import Posterior
from dagscape.posterior.running import plan_sum
from dagscape.posterior.setting import Setting
from dagscape.posterior.summing import log_prior_of
from dagscape.scores.parent_states import parent_states
from dagscape.scores.posteriors import check_posterior
from dagscape.scores.scoring import restricted_scores, score_job
from dagscape.scores.scoring_job import ScoringJob
from dagscape.scores.tables.lattice_scores import LatticeScores

# The progress of one sum, in parts of its whole.
_PARTS = 1000

# What the sums of all settings are called in reports of progress.
WEIGHING = "Weighing settings"


@dataclass(frozen=True, slots=True)
class WeighedSetting:
    """A setting, and what the data say of it."""

    job: ScoringJob
    log_total: float
    log_prior_total: float
    seconds: float
    way: str = ""
    log_density: float = 0.0

    @property
    def log_evidence(self) -> float:
        """The natural log of P(D | setting): of the numbers, if ways of cutting are compared."""
        return self.log_total - self.log_prior_total + self.log_density

    def described(self, post: Posterior | None) -> Setting:
        """Return the setting for a result, with what its posterior adds, if there is one."""
        job, counts = self.job, self.job.info.level_counts
        unlimited = job.max_parents >= job.data.n - 1
        states = None if post is None or counts is None else float(parent_states(post.edges, counts).max())
        return Setting(
            parameters=job.info.parameters,
            structure_prior=job.prior.name,
            max_parents=job.max_parents,
            log_evidence=self.log_evidence,
            log_total=self.log_total,
            error=None if post is None else post.error,
            parent_states=states,
            seconds=self.seconds,
            unlimited=unlimited,
            discretize=self.way,
        )


def weighed_settings(
    grids: Sequence[Grid], over: str, budget: Budget, listener: ProgressListener | None, backend: str = "auto"
) -> list[WeighedSetting]:
    """Return all settings with their evidence, from one total each."""
    for grid in grids:
        check_posterior(grid.largest.definition.name)
    found: list[WeighedSetting] = []
    count = sum(len(grid.jobs) for grid in grids)
    for grid, job, scores in scored_settings(grids, budget, listener):
        start = time.perf_counter()
        part = part_of(listener, WEIGHING, len(found), count)
        prepared = plan_sum(scores, over, backend, budget).arrange(scores)
        total = prepared.sum(f"Summing over {over}", "log_total", part)
        check_total(total)
        log_total = total.log_total + prepared.weights.log_offset(scores.unit)
        log_prior = log_prior_of(scores, prepared, part)
        seconds = time.perf_counter() - start
        found.append(WeighedSetting(job, log_total, log_prior, seconds, grid.way, grid.log_density))
    return found


def scored_settings(
    grids: Sequence[Grid],
    budget: Budget,
    listener: ProgressListener | None,
    kept: Collection[int] | None = None,
    task: str = "Scoring sets of variables",
) -> Iterator[tuple[Grid, ScoringJob, LatticeScores]]:
    """Iterate over the settings, or those with some numbers, with their scores; each grid is scored once."""
    first, wanted = 0, []
    for grid in grids:
        jobs = [job for number, job in enumerate(grid.jobs, first) if kept is None or number in kept]
        first += len(grid.jobs)
        if jobs:
            wanted.append((grid, jobs))
    for done, (grid, jobs) in enumerate(wanted):
        part = part_of(listener, task, done, len(wanted))
        scores = score_job(grid.largest, budget, progress=part)
        for job in jobs:
            yield grid, job, restricted_scores(scores, job)


def part_of(
    listener: ProgressListener | None, task: str, done: int, count: int, of: str = ""
) -> ProgressListener | None:
    """Return a listener to the work on one setting, which reports it as a part of all.

    It may have several steps: the progress never falls. If a step is named, the others do not count.
    """
    if listener is None:
        return None
    finished = 0.0

    def listen(progress: Progress) -> None:
        nonlocal finished
        if progress.task == of or not of:
            finished = max(finished, progress.done / progress.total if progress.total else 0.0)
        listener(Progress(task, round(_PARTS * (done + finished)), _PARTS * count))

    return listen
