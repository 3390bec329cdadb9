"""The job that a plan is about: a task, what it takes, and its options."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from dagscape.core.checks import check_choice
from dagscape.core.errors import InvalidOption
from dagscape.core.requirements import Requirements
from dagscape.planning.registry import TASKS
from dagscape.planning.task import Taken, Task
from dagscape.scores.scoring_job import ScoringJob, prepare, scoring_options
from dagscape.scores.search_planning import SearchSize


@dataclass(frozen=True, slots=True)
class Step:
    """One task of a job, with what it is given and the options that change what it needs."""

    task: Task
    given: Any
    settings: Mapping[str, Any] = field(default_factory=dict)

    def requirements(self, threads: int, limit: int) -> Requirements:
        """Return what it needs, with ``limit`` bytes of memory."""
        return self.task.requirements(self.given, threads, limit, **self.settings)

    def seconds(self, threads: int, limit: int) -> float:
        """Return its estimated time, from a short trial."""
        return self.task.seconds(self.given, threads, limit, **self.settings)

    def largest(self, threads: int, limit: int) -> dict[str, int]:
        """Return the largest numbers of variables that fit, by back end; empty if the task does not say."""
        largest = self.task.largest
        return {} if largest is None else largest(self.given, threads, limit, **self.settings)


@dataclass(frozen=True, slots=True)
class Job:
    """A task with all that comes before it.

    Attributes
    ----------
    variables : tuple of str
        The variables.
    steps : tuple of Step
        What is computed, in order; the task itself is last.
    parameters : mapping
        What the plan records about the data and the scores.
    scoring : ScoringJob or None
        The scores, if there are any.
    score_options : mapping
        The options of the scores, as given.
    """

    variables: tuple[str, ...]
    steps: tuple[Step, ...]
    parameters: Mapping[str, Any]
    scoring: ScoringJob | None = None
    score_options: Mapping[str, Any] = field(default_factory=dict)


def job_of(task: Task, data: Any, options: Mapping[str, Any]) -> Job:
    """Return the job of a task, with all options of a plan: its own, and those of what comes before it."""
    settings, others = _split(task, options)
    return _JOBS[task.takes[0]](task, data, settings, others)


def _scored(task: Task, data: Any, settings: Mapping[str, Any], others: Mapping[str, Any]) -> Job:
    """Return the job of a task that scores data itself."""
    scoring = prepare(data, **others)
    return Job(scoring.data.variables, (Step(task, scoring, settings),), scoring.info.to_dict(), scoring, others)


def _with_scores(task: Task, data: Any, settings: Mapping[str, Any], others: Mapping[str, Any]) -> Job:
    """Return the job of a task that takes the scores of all families: they are computed first."""
    first = _scored(TASKS["scores"], data, {}, others)
    scoring = first.steps[0].given
    size = SearchSize.complete(scoring.data.n, scoring.max_parents)
    return replace(first, steps=(*first.steps, Step(task, size, settings)))


# By what a task takes.
_JOBS: dict[Taken, Callable[[Task, Any, Mapping[str, Any], Mapping[str, Any]], Job]] = {
    "data to score": _scored,
    "all scores": _with_scores,
}


def _split(task: Task, options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Part the options that change what a task needs from all others, and check them."""
    known = task.plan_options
    settings: dict[str, Any] = {}
    for name, option in known.items():
        if option.varied:
            settings[name] = options.get(name, option.values[0])
            check_choice(settings[name], option.values, name)
        elif options.get(name) is not None:
            settings[name] = options[name]
    others = {name: value for name, value in options.items() if name not in known}
    if _takes_more(task):
        more = {name: others.pop(name) for name in [*others] if name not in scoring_options()}
        settings |= {name: value for name, value in more.items() if value is not None}
    return settings, _of_scores(task, others)


def _takes_more(task: Task) -> bool:
    """Whether the task has more options than those that are listed, such as those of its methods."""
    parameters = inspect.signature(task.requirements).parameters.values()
    return any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters)


def _of_scores(task: Task, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of scores, and refuse those of other tasks."""
    kept = {}
    for name, value in options.items():
        owner = next((other.name for other in TASKS.values() if other.planned and name in other.plan_options), None)
        if name in scoring_options() or owner is None:
            kept[name] = value
        elif value is not None:
            raise InvalidOption(f"is an option of the task {owner!r}, not of {task.name!r}", option=name)
    return kept
