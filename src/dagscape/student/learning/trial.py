"""The estimated time of learning a student model, from one short start of EM on these answers.

EM takes few steps if the answers determine the skills, and thousands if skills overlap, so the trial runs it to its
end where that is quick. Otherwise it times one step; on published data, a start takes about 100 steps for each skill.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np

from dagscape.student.input.q_matrix import MatchedAnswers
from dagscape.student.learning.e_step import Expectation
from dagscape.student.learning.requirements import DEFAULT_RESTARTS, MasteryStructure, chosen_search
from dagscape.student.learning.structural_em import (
    Found,
    Limits,
    SkillMethod,
    StructureSearch,
    first_round,
    structural_em,
    with_structure,
)
from dagscape.student.model.parameters import ItemCells, Parameters, SkillTables

# The students of a trial, and how long a round of it may take, in seconds.
_MOST_STUDENTS = 1000
_ROUND_SECONDS = 0.3

_STEPS_PER_SKILL = 100

# A step is the median of these: the first one also fills caches.
_TIMED_STEPS = 5

# Of a refinement, on simulated and published data.
_PASSES = 3
_STEPS_PER_CANDIDATE = 5


def model_seconds(
    given: MatchedAnswers,
    threads: int,
    limit: int,  # noqa: ARG001 (as all tasks take it)
    *,
    restarts: int = DEFAULT_RESTARTS,
    method: SkillMethod | None = None,
    max_parents: int | None = None,
    monotone: bool = False,
) -> float:
    """Return the estimated time of :func:`dagscape.command`, with the refinement of the best start."""
    skills = given.q_matrix.skills
    chosen = chosen_search(method, len(skills))
    search = StructureSearch(skills, method=chosen, max_parents=max_parents, threads=threads)
    trial = _Trial.of(given, search, monotone)
    return int(restarts) * _start_seconds(trial, search, _all_rounds) + _refinement_seconds(trial, search)


def parm_seconds(
    given: MatchedAnswers,
    threads: int,
    limit: int,  # noqa: ARG001 (as all tasks take it)
    *,
    restarts: int = DEFAULT_RESTARTS,
    structure: MasteryStructure = "complete",
) -> float:
    """Return the estimated time of :func:`dagscape.parm`."""
    search = StructureSearch(given.q_matrix.skills, threads=threads)
    then = _joined if structure == "complete" else _nothing
    return int(restarts) * _start_seconds(_Trial.of(given, search), search, then)


# What follows the first round of a start.
Then = Callable[[Expectation, StructureSearch, Found, np.random.Generator, Limits], object]


def _all_rounds(
    expectation: Expectation, search: StructureSearch, found: Found, rng: np.random.Generator, limits: Limits
) -> None:
    structural_em(expectation, search, found, rng, limits)


def _joined(
    expectation: Expectation, search: StructureSearch, found: Found, _: np.random.Generator, limits: Limits
) -> None:
    with_structure(expectation, found, search.complete(), search, limits)


def _nothing(*_: object) -> None:
    pass


@dataclass(frozen=True, slots=True)
class _Trial:
    """Some of the students.

    Attributes
    ----------
    expectation : Expectation
        Their answers, ready for E-steps.
    more : float
        How many times more patterns of answers all students have.
    step : float
        The seconds of one step of EM on them.
    """

    expectation: Expectation
    more: float
    step: float

    @classmethod
    def of(cls, given: MatchedAnswers, search: StructureSearch, monotone: bool = False) -> Self:
        """Take students at equal distances, and time a step."""
        answers = given.answers
        students = np.linspace(0, len(answers.students) - 1, min(_MOST_STUDENTS, len(answers.students))).astype(np.intp)
        cells = ItemCells(given.q_matrix.masks, bool(monotone))
        expectation = Expectation(answers.take(students), cells, len(search.skills), search.threads)
        more = len(answers.patterns()[0]) / expectation.pattern_count
        return cls(expectation, more, _step_seconds(expectation, search))


def _start_seconds(trial: _Trial, search: StructureSearch, then: Then) -> float:
    """Return the time of one start: its first round, and what follows."""
    limits = Limits(max_steps=max(int(_ROUND_SECONDS / trial.step), 1))
    start, rng = time.perf_counter(), np.random.default_rng(0)
    found = first_round(trial.expectation, search.start(), search, rng, limits)
    if not found.fitted.converged:
        # Tables that must not fall may take longer on the way than at the start.
        step = max(trial.step, (time.perf_counter() - start) / found.steps)
        return trial.more * step * max(_STEPS_PER_SKILL * len(search.skills), found.steps)
    then(trial.expectation, search, found, rng, limits)
    return trial.more * (time.perf_counter() - start)


def _refinement_seconds(trial: _Trial, search: StructureSearch) -> float:
    """Return the time of a refinement: some passes over about two structures for each pair of skills."""
    skills, students = len(search.skills), trial.expectation.students
    start = time.perf_counter()
    search.best(np.full(1 << skills, students / (1 << skills)), np.random.default_rng(0))
    finding = time.perf_counter() - start
    return _PASSES * skills * (skills - 1) * (finding + _STEPS_PER_CANDIDATE * trial.step * trial.more)


def _step_seconds(expectation: Expectation, search: StructureSearch) -> float:
    """Return the seconds of an E-step and an M-step; the second is quick unless tables must not fall."""
    at = Parameters.start(expectation.cells, SkillTables(search.start().parent_masks), np.random.default_rng(0))
    times = []
    for _ in range(_TIMED_STEPS):
        start = time.perf_counter()
        expected = expectation.expect(at)
        at = at.maximized(expected.states, expected.cells)
        times.append(time.perf_counter() - start)
    return float(np.median(times))
