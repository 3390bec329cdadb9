"""Memory of a search for one good network, by any of the learners."""

from __future__ import annotations

from typing import Any

from dagscape.core.checks import check_choice
from dagscape.core.clock import Clock
from dagscape.core.constraints import Number, OneOf
from dagscape.core.errors import argument
from dagscape.core.requirements import Requirements, TaskOption
from dagscape.core.wording import format_seconds, plural
from dagscape.scores.scoring_job import ScoringJob
from dagscape.search.options import split_options
from dagscape.search.registry import LEARNERS

LEARNING_OPTIONS = {
    "method": TaskOption("The method that learns a network.", OneOf(tuple(LEARNERS)), varied=True),
    "max_seconds": TaskOption("The time limit, in seconds.", Number(0, low_open=True), "no limit"),
}


def learning_requirements(
    job: ScoringJob,
    threads: int,
    limit: int,
    *,
    method: str = "order",
    max_seconds: float | None = None,
    **options: Any,
) -> Requirements:
    """Return what :func:`dagscape.learn` needs: the data, the work on them, and what the method stores.

    The cache of scores fills what the limit leaves, but seldom needs it: the memory has room for a usual search.
    """
    check_choice(method, LEARNERS, "method")
    learner = LEARNERS[method]
    _, chosen = split_options(learner, options)
    memory = learner.memory(job, threads, limit, **chosen)
    least = job.functions.family_memory(threads) + memory.least
    work = f"{plural(job.data.n, 'variable')}, {plural(job.data.m, 'row')}"
    if max_seconds is not None:
        work += f"; at most {format_seconds(Clock(max_seconds).limit)}"
    fewer = f"raise the limit, or use fewer {argument('threads')}" if threads > 1 else "raise the limit"
    return Requirements(
        step=f"search by method {method!r}",
        work=work,
        memory=least + min(memory.likely, max(limit - least, 0)),
        subject=f"searches for a network of {plural(job.data.n, 'variable')}",
        remedy=memory.remedy or fewer,
    )
