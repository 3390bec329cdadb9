"""The probabilities of a student model: skills given their prerequisites, answers given the skills of the item.

All of them are in one vector, so that the acceleration of EM can move along it: first the *cells* of the items, one for
each item and part of a state in its skills, with the probability of a correct answer; then the tables of the skills,
one number for each part of a state in the prerequisites, with the probability that the skill is mastered.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Self

import numpy as np
from numpy.typing import NDArray

from dagscape.core.masks import bits
from dagscape.student.model.isotonic import isotonic
from dagscape.student.model.skill_states import flipped_states, mastered_counts, parts

Vector = NDArray[np.float64]

# Probabilities of answers keep this distance from 0 and 1, so that no answer is impossible. The expected log-likelihood
# is concave in each of them: its maximum within these limits is the nearest point to the maximum without.
LEAST = 1e-10

# Before EM starts: the probability of a correct answer without and with all skills of an item, and the noise on it.
_START_WITHOUT, _START_WITH, _START_NOISE = 0.2, 0.8, 0.1
# The noise on the share of students who have mastered a skill, around one half.
_START_MASTERY_NOISE = 0.1


class ItemCells:
    """Where the cells of each item are in the vector of parameters.

    Parameters
    ----------
    masks : sequence of int
        The skills of each item, as a set.
    monotone : bool
        Whether the probability of a correct answer must not fall as skills are added.

    Attributes
    ----------
    offsets : tuple of int
        The first cell of each item; the last entry is the number of cells.
    """

    def __init__(self, masks: Sequence[int], monotone: bool = False) -> None:
        self.masks = tuple(masks)
        self.monotone = monotone
        sizes = [1 << mask.bit_count() for mask in self.masks]
        self.offsets = tuple(accumulate(sizes, initial=0))

    @property
    def count(self) -> int:
        """The number of cells of all items."""
        return self.offsets[-1]

    def of(self, item: int) -> slice:
        """Return the cells of an item."""
        return slice(self.offsets[item], self.offsets[item + 1])

    @cached_property
    def steps(self) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
        """The item of each step from a cell to that with one more skill, and the two cells."""
        sizes = np.diff(self.offsets)
        items = np.repeat(np.arange(len(sizes)), sizes)
        states = np.arange(self.count) - np.array(self.offsets)[items]
        width = sizes[items].max(initial=1)
        found = []
        for place in range(int(width).bit_length() - 1):
            below = np.flatnonzero((states >> place & 1 == 0) & (sizes[items] > 1 << place))
            found.append(np.stack([items[below], below, below + (1 << place)]))
        together = np.concatenate(found, axis=1) if found else np.empty((3, 0), dtype=np.intp)
        return together[0], together[1], together[2]

    def start(self, rng: np.random.Generator) -> Vector:
        """Return probabilities that increase with the number of mastered skills, with noise."""
        rising = _START_WITH - _START_WITHOUT
        means = [_START_WITHOUT + rising * mastered_counts(mask.bit_count()) / mask.bit_count() for mask in self.masks]
        noisy = np.concatenate(means) + rng.uniform(-_START_NOISE, _START_NOISE, self.count)
        return self.allowed(noisy, np.ones(self.count)) if self.monotone else noisy

    def allowed(self, correct: Vector, weights: Vector) -> Vector:
        """Return the best probabilities that do not fall as skills are added, given those that maximise a likelihood.

        Parameters
        ----------
        correct : array
            For each cell, the probability of a correct answer that would be the best.
        weights : array
            The number of answers in each cell.
        """
        items, below, above = self.steps
        falling = np.unique(items[correct[above] < correct[below]])
        if not len(falling):
            return correct
        raised = correct.copy()
        sizes = np.array([self.offsets[item + 1] - self.offsets[item] for item in falling])
        for size in np.unique(sizes):
            first = np.array(self.offsets)[falling[sizes == size]]
            places = first[:, None] + np.arange(size)
            raised[places] = isotonic(correct[places], weights[places])
        return raised

    def equal_neighbours(self, correct: Vector) -> NDArray[np.intp]:
        """Return, for each cell, the first of those with the same probability that steps lead to."""
        first = np.arange(self.count)
        _, below, above = self.steps
        equal = correct[above] == correct[below]
        below, above = below[equal], above[equal]
        while True:
            least = np.minimum(first[below], first[above])
            if (first[below] == least).all() and (first[above] == least).all():
                return first
            np.minimum.at(first, below, least)
            np.minimum.at(first, above, least)

    def flipped(self, skills: int) -> NDArray[np.intp]:
        """Return, for each cell, the cell of the same item with some skills exchanged."""
        places = []
        for item, mask in enumerate(self.masks):
            inside = [place for place, skill in enumerate(bits(mask)) if skills >> skill & 1]
            exchanged = flipped_states(mask.bit_count(), sum(1 << place for place in inside))
            places.append(self.offsets[item] + exchanged)
        return np.concatenate(places)

    def lowering(self, skills: int, correct: Vector) -> int:
        """Return the skills whose mastery makes correct answers less likely: on average over items and other skills."""
        gains = np.zeros(skills)
        for item, mask in enumerate(self.masks):
            cells = correct[self.of(item)]
            for place, skill in enumerate(bits(mask)):
                without, given = cells.reshape(-1, 2, 1 << place).mean(axis=(0, 2))
                gains[skill] += given - without
        return sum(1 << skill for skill in range(skills) if gains[skill] < 0)


class SkillTables:
    """The tables of the skills under one structure.

    Parameters
    ----------
    parents : sequence of int
        The prerequisites of each skill, as a set.
    """

    def __init__(self, parents: Sequence[int]) -> None:
        self.parents = tuple(parents)
        self.skills = len(self.parents)
        sizes = [1 << mask.bit_count() for mask in self.parents]
        self.count = sum(sizes)
        self._parts = [slice(end - size, end) for size, end in zip(sizes, accumulate(sizes), strict=True)]
        # The place of each state in the table of each skill; those where the skill is mastered follow all others.
        self._places = np.stack(
            [
                own.start + parts(self.skills, mask) + self.count * parts(self.skills, 1 << skill)
                for skill, (mask, own) in enumerate(zip(self.parents, self._parts, strict=True))
            ]
        )
        self._states = np.tile(np.arange(1 << self.skills), self.skills)

    def split(self, flat: Vector) -> list[Vector]:
        """Return the table of each skill from all of them in a row."""
        return [flat[own] for own in self._parts]

    def log_prior(self, flat: Vector) -> Vector:
        """Return the log probability of each state."""
        with np.errstate(divide="ignore"):
            logs = np.concatenate([np.log1p(-flat), np.log(flat)])
        total: Vector = logs[self._places].sum(axis=0)
        return total

    def counts(self, state_counts: Vector) -> list[Vector]:
        """Return the counts of each family: two rows, without the skill and with it."""
        both = self._counts(state_counts)
        return [both[:, own] for own in self._parts]

    def fitted(self, state_counts: Vector, before: Vector) -> Vector:
        """Return the shares in expected counts; a part that never occurs keeps its probability from before."""
        without, given = self._counts(state_counts)
        total = without + given
        shares = before.copy()
        np.divide(given, total, out=shares, where=total > 0)
        return shares

    def _counts(self, state_counts: Vector) -> Vector:
        counted = np.bincount(self._places.ravel(), state_counts[self._states], 2 * self.count)
        return counted.astype(np.float64, copy=False).reshape(2, self.count)

    def start(self, rng: np.random.Generator) -> Vector:
        """Return probabilities of about one half."""
        return 0.5 + rng.uniform(-_START_MASTERY_NOISE, _START_MASTERY_NOISE, self.count)


@dataclass(frozen=True, slots=True)
class Parameters:
    """All probabilities of a student model with one structure.

    Attributes
    ----------
    cells : ItemCells
        The layout of the items.
    tables : SkillTables
        The layout of the skills.
    vector : array
        The probabilities.
    """

    cells: ItemCells
    tables: SkillTables
    vector: Vector

    @classmethod
    def start(cls, cells: ItemCells, tables: SkillTables, rng: np.random.Generator) -> Self:
        """Return a random start for EM."""
        return cls(cells, tables, np.concatenate([cells.start(rng), tables.start(rng)]))

    @property
    def correct(self) -> Vector:
        """The probability of a correct answer in each cell."""
        return self.vector[: self.cells.count]

    @property
    def mastery(self) -> Vector:
        """The tables of all skills in a row."""
        return self.vector[self.cells.count :]

    def moved(self, vector: Vector) -> Parameters:
        """Return the parameters at another point, brought within their limits."""
        if self.cells.monotone:
            count = self.cells.count
            vector = np.concatenate([self.cells.allowed(vector[:count], np.ones(count)), vector[count:]])
        return self._limited(vector)

    def _limited(self, vector: Vector) -> Parameters:
        # These two are several times faster than np.clip on short vectors.
        limited = np.minimum(np.maximum(vector, 0.0), 1.0)
        cells = limited[: self.cells.count]
        np.minimum(np.maximum(cells, LEAST, out=cells), 1 - LEAST, out=cells)
        return Parameters(self.cells, self.tables, limited)

    def log_prior(self) -> Vector:
        """Return the log probability of each state."""
        return self.tables.log_prior(self.mastery)

    def prior(self) -> Vector:
        """Return the probability of each state."""
        return np.exp(self.log_prior())

    def maximized(self, state_counts: Vector, cell_counts: NDArray[np.float64]) -> Parameters:
        """Return the parameters that maximise the expected log-likelihood: the M-step of EM."""
        answered = cell_counts[:, 0] + cell_counts[:, 1]
        correct = np.divide(cell_counts[:, 1], answered, out=self.correct.copy(), where=answered > 0)
        if self.cells.monotone:
            correct = self.cells.allowed(correct, answered)
        return self._limited(np.concatenate([correct, self.tables.fitted(state_counts, self.mastery)]))

    def with_structure(self, tables: SkillTables, state_weights: Vector) -> Parameters:
        """Return the parameters with other prerequisites, fitted to weights of all states."""
        fitted = tables.fitted(state_weights, np.full(tables.count, 0.5))
        return Parameters(self.cells, tables, np.concatenate([self.correct, fitted]))
