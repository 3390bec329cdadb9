"""The estimated time of learning a student model, from one short start of EM on these answers.

EM takes few steps if the answers determine the skills, and thousands if skills overlap, so the trial runs it to its
end where that is quick. Otherwise it times one step; on published data, a start takes about 100 steps for each skill.
"""

from __future__ import annotations

import time

import numpy as np

from dagscape.student.input.q_matrix import MatchedAnswers
from dagscape.student.learning.e_step import Expectation
from dagscape.student.learning.requirements import DEFAULT_RESTARTS, chosen_search
from dagscape.student.learning.structural_em import Limits, SkillMethod, StructureSearch, first_round, structural_em
from dagscape.student.model.parameters import ItemCells, Parameters, SkillTables

# The students of a trial, and how long a round of it may take, in seconds.
_MOST_STUDENTS = 1000
_ROUND_SECONDS = 0.3

_STEPS_PER_SKILL = 100


def model_seconds(
    given: MatchedAnswers,
    threads: int,
    limit: int,  # noqa: ARG001 (as all tasks take it)
    *,
    restarts: int = DEFAULT_RESTARTS,
    method: SkillMethod | None = None,
    max_parents: int | None = None,
) -> float:
    """Return the estimated time of :func:`dagscape.command`."""
    skills = given.q_matrix.skills
    chosen = chosen_search(method, len(skills))
    search = StructureSearch(skills, method=chosen, max_parents=max_parents, threads=threads)
    return int(restarts) * _start_seconds(given, search, rounds=True)


def parm_seconds(
    given: MatchedAnswers,
    threads: int,
    limit: int,  # noqa: ARG001 (as all tasks take it)
    *,
    restarts: int = DEFAULT_RESTARTS,
) -> float:
    """Return the estimated time of :func:`dagscape.parm`."""
    search = StructureSearch(given.q_matrix.skills, threads=threads)
    return int(restarts) * _start_seconds(given, search, rounds=False)


def _start_seconds(given: MatchedAnswers, search: StructureSearch, *, rounds: bool) -> float:
    """Return the time of one start, with all its rounds or with the first one only."""
    answers = given.answers
    students = np.linspace(0, len(answers.students) - 1, min(_MOST_STUDENTS, len(answers.students))).astype(np.intp)
    expectation = Expectation(
        answers.take(students), ItemCells(given.q_matrix.masks), len(search.skills), search.threads
    )
    more = len(answers.patterns()[0]) / expectation.pattern_count
    step = _step_seconds(expectation, search)
    limits = Limits(max_steps=max(int(_ROUND_SECONDS / step), 1))
    start, rng = time.perf_counter(), np.random.default_rng(0)
    found = first_round(expectation, search.start(), search, rng, limits)
    if not found.fitted.converged:
        return more * step * max(_STEPS_PER_SKILL * len(search.skills), found.steps)
    if rounds:
        structural_em(expectation, search, found, rng, limits)
    return more * (time.perf_counter() - start)


def _step_seconds(expectation: Expectation, search: StructureSearch) -> float:
    parameters = Parameters.start(expectation.cells, SkillTables(search.start().parent_masks), np.random.default_rng(0))
    times = []
    for _ in range(2):
        start = time.perf_counter()
        expectation.expect(parameters)
        times.append(time.perf_counter() - start)
    return min(times)
