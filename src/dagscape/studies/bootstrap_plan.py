"""Memory and time of studies of resampled data: those of one sample, with one thread, as often as there are samples."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dagscape.core.clock import Clock
from dagscape.core.requirements import Requirements, TaskOption
from dagscape.core.wording import plural
from dagscape.running.repetitions import WORKERS, worker_count
from dagscape.scores.scoring_job import ScoringJob
from dagscape.search.requirements import LEARNING_OPTIONS, learning_requirements
from dagscape.search.trial import learning_seconds
from dagscape.student.input.q_matrix import MatchedAnswers
from dagscape.student.learning.requirements import MODEL_OPTIONS, model_requirements
from dagscape.student.learning.structural_em import SkillMethod
from dagscape.student.learning.trial import model_seconds
from dagscape.studies.samples import DEFAULT_SAMPLES, SAMPLES

# Random starts of each sample of students.
DEFAULT_RESTARTS = 3

_SAMPLE_OPTIONS = {
    "samples": TaskOption("The number of samples.", SAMPLES, str(DEFAULT_SAMPLES)),
    "workers": TaskOption("The number of worker processes.", WORKERS, "one for each processor"),
}
BOOTSTRAP_OPTIONS = {**LEARNING_OPTIONS, **_SAMPLE_OPTIONS}
SKILL_OPTIONS = {
    **MODEL_OPTIONS,
    "restarts": replace(MODEL_OPTIONS["restarts"], default=str(DEFAULT_RESTARTS)),
    "max_seconds": LEARNING_OPTIONS["max_seconds"],
    **_SAMPLE_OPTIONS,
}


def bootstrap_requirements(
    job: ScoringJob,
    threads: int,  # noqa: ARG001 (a sample has one thread)
    limit: int,
    *,
    samples: int = DEFAULT_SAMPLES,
    workers: int | None = None,
    **options: Any,
) -> Requirements:
    """Return what :func:`dagscape.bootstrap` needs for each sample."""
    return _repeated(learning_requirements(job, 1, limit, **options), samples, workers)


def bootstrap_seconds(
    job: ScoringJob,
    threads: int,  # noqa: ARG001 (a sample has one thread)
    limit: int,
    *,
    samples: int = DEFAULT_SAMPLES,
    workers: int | None = None,
    max_seconds: float | None = None,
    **options: Any,
) -> float:
    """Return the estimated time of :func:`dagscape.bootstrap`."""
    return _repeated_seconds(learning_seconds(job, 1, limit, **options), samples, workers, max_seconds)


def skill_bootstrap_requirements(
    given: MatchedAnswers,
    threads: int,  # noqa: ARG001 (a sample has one thread)
    limit: int,
    *,
    samples: int = DEFAULT_SAMPLES,
    workers: int | None = None,
    restarts: int = DEFAULT_RESTARTS,
    method: SkillMethod | None = None,
    max_parents: int | None = None,
    monotone: bool = False,
    max_seconds: float | None = None,  # noqa: ARG001 (it changes the time only)
) -> Requirements:
    """Return what :func:`dagscape.bootstrap_skills` needs for each sample."""
    needs = model_requirements(
        given, 1, limit, restarts=restarts, method=method, max_parents=max_parents, monotone=monotone
    )
    return _repeated(needs, samples, workers)


def skill_bootstrap_seconds(
    given: MatchedAnswers,
    threads: int,  # noqa: ARG001 (a sample has one thread)
    limit: int,
    *,
    samples: int = DEFAULT_SAMPLES,
    workers: int | None = None,
    restarts: int = DEFAULT_RESTARTS,
    method: SkillMethod | None = None,
    max_parents: int | None = None,
    monotone: bool = False,
    max_seconds: float | None = None,
) -> float:
    """Return the estimated time of :func:`dagscape.bootstrap_skills`."""
    seconds = model_seconds(
        given, 1, limit, restarts=restarts, method=method, max_parents=max_parents, monotone=monotone
    )
    return _repeated_seconds(seconds, samples, workers, max_seconds)


def _repeated(needs: Requirements, samples: int, workers: int | None) -> Requirements:
    at_once = min(worker_count(None, workers), int(samples))
    each = "" if at_once == 1 else f", {at_once} at a time, each with this memory"
    return replace(needs, step=f"samples: {needs.step}", work=f"{plural(int(samples), 'sample')}{each}; {needs.work}")


def _repeated_seconds(seconds: float, samples: int, workers: int | None, max_seconds: float | None) -> float:
    at_once = min(worker_count(None, workers), int(samples))
    return min(seconds * -(-int(samples) // at_once), Clock(max_seconds).limit)
