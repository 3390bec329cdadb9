"""The E-step of EM: expected counts of skill states given the answers of all students."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dagscape.core import kernels
from dagscape.core.resources import check_memory
from dagscape.core.wording import plural
from dagscape.student.input.answers import Answers
from dagscape.student.model.parameters import ItemCells, Parameters, Vector


@dataclass(frozen=True, slots=True)
class Expected:
    """What the E-step computes.

    Attributes
    ----------
    log_likelihood : float
        The log-likelihood of the answers.
    states : array
        The expected number of students in each state.
    cells : array of shape (cells, 2)
        The expected number of wrong and of correct answers in each cell.
    """

    log_likelihood: float
    states: Vector
    cells: NDArray[np.float64]


class Expectation:
    """The answers of all students, ready for E-steps: students with equal answers are one pattern.

    Parameters
    ----------
    answers : Answers
        The answers.
    cells : ItemCells
        The skills of the items.
    skills : int
        The number of skills.
    threads : int
        The number of threads; results do not depend on it.
    max_memory : int, str or None
        The limit on memory.
    """

    def __init__(
        self, answers: Answers, cells: ItemCells, skills: int, threads: int, max_memory: int | str | None = None
    ) -> None:
        patterns, weights, self.place = answers.patterns()
        self.cells = cells
        self.skills = skills
        self.students = len(answers.students)
        self.pattern_count = len(patterns)
        self._threads = threads
        masks = np.array(cells.masks, dtype=np.uint32)
        self._kernel = kernels.StudentStates(masks, skills, patterns, weights.astype(np.float64))
        self._max_memory = max_memory
        self._check_memory(self._kernel.bytes(threads), "expected counts", "merge or drop skills")

    def expect(self, parameters: Parameters) -> Expected:
        """Return the log-likelihood and the expected counts."""
        states = np.empty(1 << self.skills)
        cells = np.empty((self.cells.count, 2))
        right, wrong = _logs(parameters)
        found = self._kernel.expect(parameters.log_prior(), right, wrong, self._threads, states, cells, None)
        return Expected(found, states, cells)

    def marginals(self, parameters: Parameters, sets: list[int]) -> tuple[list[NDArray[np.float64]], Vector]:
        """Return, for each pattern, the probabilities of the parts of sets of skills, and its log-likelihood."""
        sizes = [1 << members.bit_count() for members in sets]
        self._check_memory(8 * self.pattern_count * sum(sizes), "probabilities of skills", "take fewer students")
        out = np.empty((self.pattern_count, sum(sizes)))
        log_likelihoods = np.empty(self.pattern_count)
        right, wrong = _logs(parameters)
        wanted = np.array(sets, dtype=np.uint32)
        self._kernel.marginals(parameters.log_prior(), right, wrong, wanted, self._threads, out, log_likelihoods, None)
        return np.split(out, np.cumsum(sizes)[:-1], axis=1), log_likelihoods

    def states(self, parameters: Parameters, first: int, count: int) -> NDArray[np.float64]:
        """Return the probabilities of all states for some patterns."""
        self._check_memory(8 * count << self.skills, "probabilities of all states", "take fewer students at a time")
        out = np.empty((count, 1 << self.skills))
        right, wrong = _logs(parameters)
        self._kernel.states(parameters.log_prior(), right, wrong, self._threads, first, out)
        return out

    def _check_memory(self, needed: int, what: str, remedy: str) -> None:
        of = f"{plural(self.pattern_count, 'pattern')} of answers and {plural(self.skills, 'skill')}"
        check_memory(needed, self._max_memory, f"{what} of {of}", remedy)


def _logs(parameters: Parameters) -> tuple[Vector, Vector]:
    """Return the log probabilities of correct and of wrong answers in each cell."""
    return np.log(parameters.correct), np.log1p(-parameters.correct)
