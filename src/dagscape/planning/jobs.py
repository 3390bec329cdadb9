"""The job that a plan is about: a task, what it takes, and its options."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from dagscape.core.errors import InvalidOption, did_you_mean
from dagscape.core.requirements import Requirements
from dagscape.planning.registry import TASKS
from dagscape.planning.task import Taken, Task
from dagscape.scores.scoring_job import ScoringJob, prepare, scoring_options
from dagscape.scores.search_planning import SearchSize
from dagscape.search.independence_kinds import AUTO, data_for_tests
from dagscape.student.input.q_matrix import matched


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


def job_of(task: Task, data: Any, q_matrix: Any, options: Mapping[str, Any]) -> Job:
    """Return the job of a task, with all options of a plan: its own, and those of what comes before it.

    Answers have a Q-matrix, and nothing else has one.
    """
    settings, others = _split(task, options)
    if task.takes[0] == "answers":
        return _answered(task, data, q_matrix, settings, others)
    if q_matrix is not None:
        raise InvalidOption(f"is for the answers of students, which the task {task.name!r} does not take", "q_matrix")
    return _JOBS[task.takes[0]](task, data, settings, others)


def _answered(task: Task, responses: Any, q_matrix: Any, settings: Mapping[str, Any], others: Mapping[str, Any]) -> Job:
    """Return the job of a task that takes the answers of students."""
    _refuse(task, others)
    if q_matrix is None:
        raise InvalidOption(f"is missing: the task {task.name!r} needs the skills of each item", "q_matrix")
    given = matched(responses, q_matrix)
    return Job(given.q_matrix.skills, (Step(task, given, settings),), {"students": len(given.answers.students)})


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


def _rows(task: Task, data: Any, settings: Mapping[str, Any], others: Mapping[str, Any]) -> Job:
    """Return the job of a task that takes rows as they are, of the kind that its test takes."""
    _refuse(task, others)
    table, _ = data_for_tests(data, settings.get("test", AUTO))
    return Job(table.variables, (Step(task, table, settings),), {"data": table.fingerprint})


def _refuse(task: Task, options: Mapping[str, Any]) -> None:
    """Refuse options that a task does not have."""
    for name in options:
        raise InvalidOption(f"the task {task.name!r} has no option {name!r}{did_you_mean(name, task.plan_options)}")


# By what a task takes, other than answers.
_JOBS: dict[Taken, Callable[[Task, Any, Mapping[str, Any], Mapping[str, Any]], Job]] = {
    "data": _rows,
    "data to score": _scored,
    "all scores": _with_scores,
}


def _split(task: Task, options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Part the options that change what a task needs from all others, and check them."""
    known = task.plan_options
    settings: dict[str, Any] = {}
    for name, option in known.items():
        value = options.get(name, option.values[0] if option.varied else None)
        if option.constraint is not None and (option.varied or value is not None):
            option.constraint.check(value, name)
            settings[name] = value
        elif option.constraint is None and name in options:
            settings[name] = value
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
