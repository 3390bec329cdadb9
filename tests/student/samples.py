"""Small student models and answers for tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import dagscape as ds
from dagscape.core.masks import bits
from dagscape.student.learning.e_step import Expectation
from dagscape.student.model.parameters import ItemCells, Parameters, SkillTables
from oracles.student import StudentOracle, joint_log_prior, substate

Answer = NDArray[np.int8]


def answers_of(table: Sequence[Sequence[int]] | Answer) -> ds.Answers:
    """Answers of the students s0, s1, … to the items i0, i1, …."""
    rows = np.asarray(table, np.int8)
    students, items = ([f"{letter}{i}" for i in range(size)] for letter, size in zip("si", rows.shape, strict=True))
    return ds.Answers(tuple(students), tuple(items), rows)


@dataclass(frozen=True)
class Tiny:
    """A student model with answers, in the forms of the library and of the oracle."""

    parameters: Parameters
    answers: ds.Answers

    @property
    def skills(self) -> int:
        return self.parameters.tables.skills

    @property
    def rows(self) -> list[list[int]]:
        return self.answers.table.tolist()

    @property
    def ones(self) -> list[int]:
        """A weight for each student."""
        return [1] * len(self.rows)

    def expectation(self, threads: int = 1) -> Expectation:
        return Expectation(self.answers, self.parameters.cells, self.skills, threads)

    def oracle(self) -> StudentOracle:
        return oracle_of(self.parameters)


def oracle_of(parameters: Parameters) -> StudentOracle:
    cells, tables = parameters.cells, parameters.tables
    correct = [parameters.correct[cells.of(item)] for item in range(len(cells.masks))]
    prior = joint_log_prior(
        [list(bits(mask)) for mask in tables.parents], [part.tolist() for part in tables.split(parameters.mastery)]
    )
    return StudentOracle(
        tables.skills,
        [list(bits(mask)) for mask in cells.masks],
        prior,
        [np.log(p).tolist() for p in correct],
        [np.log1p(-p).tolist() for p in correct],
    )


def random_parents(rng: np.random.Generator, skills: int) -> list[int]:
    """The parents of each skill in a random DAG."""
    order = rng.permutation(skills).tolist()
    parents = [0] * skills
    for place, skill in enumerate(order):
        parents[skill] = sum(1 << above for above in order[:place] if rng.random() < 0.6)
    return parents


def random_parameters(rng: np.random.Generator, masks: Sequence[int], parents: Sequence[int]) -> Parameters:
    """Arbitrary probabilities."""
    cells, tables = ItemCells(masks), SkillTables(parents)
    return Parameters(cells, tables, rng.uniform(0.03, 0.97, cells.count + tables.count))


def tiny(seed: int, skills: int = 3, items: int = 5, students: int = 12, missing: float = 0.25) -> Tiny:
    """A random model, and answers that have nothing to do with it; each student answers something."""
    rng = np.random.default_rng(seed)
    masks = rng.integers(1, 1 << skills, items).tolist()
    parameters = random_parameters(rng, masks, random_parents(rng, skills))
    table = np.where(rng.random((students, items)) < missing, -1, rng.integers(0, 2, (students, items)))
    table[np.arange(students), rng.integers(0, items, students)] = rng.integers(0, 2, students)
    return Tiny(parameters, answers_of(table))


def drawn(parameters: Parameters, students: int, rng: np.random.Generator, missing: float = 0.0) -> ds.Answers:
    """Answers of students that a model describes."""
    prior = parameters.prior()
    states = rng.choice(len(prior), students, p=prior / prior.sum())
    cells = parameters.cells
    table = np.empty((students, len(cells.masks)), np.int8)
    skills = range(parameters.tables.skills)
    bits_of = [tuple(int(state) >> skill & 1 for skill in skills) for state in range(len(prior))]
    for item, mask in enumerate(cells.masks):
        part = np.array([substate(state, list(bits(mask))) for state in bits_of])
        table[:, item] = rng.random(students) < parameters.correct[cells.of(item)][part[states]]
    table[rng.random(table.shape) < missing] = -1
    return answers_of(table)


def identified(seed: int, students: int = 400, missing: float = 0.0) -> Tiny:
    """Three skills in a chain with three items each and one of two skills: answers determine all parameters."""
    rng = np.random.default_rng(seed)
    cells, tables = ItemCells([1, 1, 1, 2, 2, 2, 4, 4, 4, 3]), SkillTables([0, 1, 2])
    mastery = np.array([0.6, 0.15, 0.75, 0.2, 0.7])
    correct = cells.start(rng)
    parameters = Parameters(cells, tables, np.concatenate([correct, mastery]))
    return Tiny(parameters, drawn(parameters, students, rng, missing))


def relabelled(model: Tiny, new_number: Sequence[int], item_order: Sequence[int], student_order: Sequence[int]) -> Tiny:
    """The same model and answers with other numbers: of skills, and with items and students in another order."""
    cells, tables = model.parameters.cells, model.parameters.tables
    correct = [_moved(cells.masks[item], new_number, model.parameters.correct[cells.of(item)]) for item in item_order]
    parents, mastery = [0] * tables.skills, [np.empty(0)] * tables.skills
    for skill, table in enumerate(tables.split(model.parameters.mastery)):
        parents[new_number[skill]], mastery[new_number[skill]] = _moved(tables.parents[skill], new_number, table)
    parameters = Parameters(
        ItemCells([mask for mask, _ in correct]),
        SkillTables(parents),
        np.concatenate([*(table for _, table in correct), *mastery]),
    )
    return Tiny(parameters, answers_of(model.answers.table[np.ix_(student_order, item_order)]))


def _moved(mask: int, new_number: Sequence[int], table: NDArray[np.float64]) -> tuple[int, NDArray[np.float64]]:
    """A set of skills and a table over their substates, with new numbers of the skills."""
    old = list(bits(mask))
    new = sorted(new_number[skill] for skill in old)
    moved = np.empty_like(table)
    for value in range(len(table)):
        mastered = {new_number[skill] for place, skill in enumerate(old) if value >> place & 1}
        moved[sum(1 << place for place, skill in enumerate(new) if skill in mastered)] = table[value]
    return sum(1 << skill for skill in new), moved
