"""The estimated time of a search for one good network, from short searches with fewer variables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dagscape.core.checks import check_choice
from dagscape.core.clock import Clock
from dagscape.core.progress import ProgressListener
from dagscape.core.trials import Work, grown_seconds
from dagscape.data.any_data import AnyData
from dagscape.scores.scoring_job import ScoringJob, prepare
from dagscape.scores.tables.on_demand import on_demand_scores
from dagscape.search.learner import Learner
from dagscape.search.mmpc import mmpc
from dagscape.search.options import split_options
from dagscape.search.registry import LEARNERS
from dagscape.search.running import run_learner

# The power of the number of variables with which the time of tests grows.
_TESTS_POWER = 2.0


def learning_seconds(
    job: ScoringJob,
    threads: int,
    limit: int,
    *,
    method: str = "order",
    max_seconds: float | None = None,
    **options: Any,
) -> float:
    """Return the estimated time of :func:`dagscape.learn`: at most the time limit, if there is one."""
    check_choice(method, LEARNERS, "method")
    learner = LEARNERS[method]
    _, chosen = split_options(learner, options)
    if learner.seconds is not None:
        # A method that says itself how long it takes observes no time limit.
        return learner.seconds(job, threads, limit)
    seconds = grown_seconds(
        job.data.n,
        lambda n: _search(_part(job, n), learner, chosen, threads, max_seconds),
        learner.power,
        learner.fewest,
    )
    return min(seconds, Clock(max_seconds).limit)


def _part(job: ScoringJob, n: int) -> ScoringJob:
    """Return the job of the first variables. Constraints, which may name others, matter little for the time."""
    if n == job.data.n:
        return job
    options: dict[str, Any] = {"score": job.definition.name, "structure_prior": job.prior.first(n), **job.parameters}
    options["interventions"] = job.interventions
    return prepare(job.data.select(job.data.variables[:n]), max_parents=job.max_parents, **options)


def _search(
    job: ScoringJob, learner: Learner, options: Mapping[str, Any], threads: int, max_seconds: float | None
) -> Work:
    def work(listener: ProgressListener) -> object:
        return run_learner(
            learner,
            options,
            on_demand_scores(job, threads=threads),
            job,
            None,
            rng=np.random.default_rng(0),
            clock=Clock(max_seconds),
            threads=threads,
            max_memory=None,
            listener=listener,
        )

    return work


def neighbour_seconds(data: AnyData, threads: int, limit: int, **options: Any) -> float:  # noqa: ARG001 (as all tasks)
    """Return the estimated time of :func:`dagscape.mmpc`."""
    return grown_seconds(data.n, lambda n: _tests(data.select(data.variables[:n]), threads, options), _TESTS_POWER)


def _tests(data: AnyData, threads: int, options: Mapping[str, Any]) -> Work:
    return lambda listener: mmpc(data, threads=threads, progress=listener, **options)
