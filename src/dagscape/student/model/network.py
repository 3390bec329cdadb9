"""Student models with known tables: skills, items and, if asked for, the student's ability; and samples from them.

A table has one number for each part of a state in the parents of a variable
(:mod:`dagscape.student.model.skill_states`).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from dagscape.core.constraints import Number, Whole
from dagscape.core.randomness import Seed, random_generator
from dagscape.core.resources import check_memory
from dagscape.core.wording import plural
from dagscape.graphs.dag import Dag
from dagscape.networks.discrete.network import Network
from dagscape.student.input.answers import MISSING, Answers
from dagscape.student.input.q_matrix import QMatrix
from dagscape.student.model.skill_states import parts, parts_of, prerequisite_strengths

ABILITY = "StudentAbility"
ABILITY_LEVELS = ("low", "medium", "high")

STUDENTS = Whole(1)
MISSING_SHARE = Number(0, 1, high_open=True, said="at least 0 and less than 1")

# Uniform numbers drawn at a time, so that memory does not grow with the number of students.
_BLOCK = 1 << 22

Table = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class StudentNetwork:
    """A student model with known tables, as :func:`draw_model` draws them.

    Parameters
    ----------
    skill_dag : Dag
        The prerequisites.
    q_matrix : QMatrix
        The skills of each item, in the order of the variables of ``skill_dag``.
    skill_tables : tuple of array
        For each skill the probability of mastering it, in each state of its prerequisites.
    item_tables : tuple of array
        For each item the probability of a correct answer, in each state of its skills; with an ability, an array with
        one column for each of its three levels.
    ability : tuple of float, optional
        The probabilities of low, medium and high ability. Default: the answers depend on the skills only.

    Examples
    --------
    >>> from dagscape.student.model.simulate import draw_model
    >>> model = draw_model("a", seed=1)
    >>> model
    StudentNetwork(3 skills, 2 prerequisites, 18 items)
    >>> model.sample(100, seed=2).answers.table.shape
    (100, 18)
    """

    skill_dag: Dag
    q_matrix: QMatrix
    skill_tables: tuple[Table, ...]
    item_tables: tuple[Table, ...]
    ability: tuple[float, ...] | None = None

    @property
    def network(self) -> Network:
        """The skills, the ability if there is one, and the items, as a Bayesian network; 1 is mastered, or correct."""
        skills, items = self.skill_dag.variables, self.q_matrix.items
        between = () if self.ability is None else (ABILITY,)
        shared = 0 if self.ability is None else 1 << len(skills)
        parents = (*self.skill_dag.parent_masks, *(0 for _ in between), *(m | shared for m in self.q_matrix.masks))
        names = (*skills, *between, *items)
        levels = {name: ABILITY_LEVELS if name in between else ("0", "1") for name in names}
        cpts = {name: _cpt(table) for name, table in zip(skills, self.skill_tables, strict=True)}
        cpts |= {name: np.array(self.ability) for name in between}
        cpts |= {name: _cpt(table) for name, table in zip(items, self.item_tables, strict=True)}
        return Network(Dag(names, parents), levels, cpts)

    def state_probabilities(self) -> Table:
        """Return the probability of each of the 2^K states of the skills."""
        return joint_probabilities(self.skill_dag, self.skill_tables)

    def strengths(self) -> dict[tuple[str, str], float]:
        """Return P(child not mastered | parent not mastered) for every prerequisite (parent, child), exactly.

        Examples
        --------
        >>> from dagscape.student.model.simulate import draw_model
        >>> {edge: round(p, 3) for edge, p in draw_model("a", seed=1).strengths().items()}
        {('S1', 'S2'): 0.97, ('S2', 'S3'): 0.93}
        """
        every = prerequisite_strengths(self.skill_dag.n, self.state_probabilities())
        number = self.skill_dag.number
        return {edge: float(every[number(edge[0]), number(edge[1])]) for edge in self.skill_dag.edges}

    def sample(self, students: int, seed: Seed = None, *, missing: float = 0.0) -> Simulated:
        """Draw students: their skills, their ability, and their answers.

        Every student takes the same number of random numbers, whatever the model has. With the same seed, therefore,
        the first students of a larger sample are those of a smaller one, the skills are the same with and without an
        ability, and an answer that is missing remains so if more are.

        Parameters
        ----------
        students : int
            The number of students.
        seed : int, numpy.random.Generator or None
            The same integer always gives the same students.
        missing : float
            The probability that an answer is missing, independently of everything else; less than 1. A student who
            would have no answer at all keeps one.

        Examples
        --------
        >>> from dagscape.student.model.simulate import draw_model
        >>> simulated = draw_model("a", seed=1).sample(500, seed=2, missing=0.2)
        >>> simulated.skills.shape, simulated.answers.items[:2]
        ((500, 3), ('item1', 'item2'))
        """
        STUDENTS.check(students, "students")
        MISSING_SHARE.check(missing, "missing")
        random, count = random_generator(seed), int(students)
        # Skills, ability and answers, a copy of them, and the name of the student.
        needed = count * (2 * (self.skill_dag.n + 1 + len(self.item_tables)) + 80) + 16 * _BLOCK
        check_memory(needed, None, plural(count, "student"), "draw fewer students")
        width = self.skill_dag.n + 1 + 2 * len(self.item_tables)
        size = max(1, _BLOCK // width)
        blocks = [
            self._draw(random.random((min(size, count - start), width)), float(missing))
            for start in range(0, count, size)
        ]
        skills, ability, table = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
        for array in (skills, ability, table):
            array.flags.writeable = False
        names = tuple(str(number) for number in range(1, count + 1))
        answers = Answers(names, self.q_matrix.items, table)
        return Simulated(self, answers, skills, None if self.ability is None else ability)

    def _draw(self, uniforms: Table, missing: float) -> tuple[NDArray[np.int8], ...]:
        """Turn one row of uniform numbers per student into skills, abilities and answers."""
        skill_count, items = self.skill_dag.n, len(self.item_tables)
        states = np.zeros(len(uniforms), dtype=np.int64)
        for skill in self.skill_dag.order_numbers():
            chance = self.skill_tables[skill][parts_of(states, self.skill_dag.parent_masks[skill])]
            states |= (uniforms[:, skill] < chance).astype(np.int64) << skill
        cumulative = np.cumsum(self.ability or (1.0,))[:-1]
        ability = (uniforms[:, skill_count, None] >= cumulative).sum(axis=1)
        answers = np.empty((len(uniforms), items), dtype=np.int8)
        for item, (mask, table) in enumerate(zip(self.q_matrix.masks, self.item_tables, strict=True)):
            chance = table.reshape(-1, cumulative.size + 1)[parts_of(states, mask), ability]
            answers[:, item] = uniforms[:, skill_count + 1 + item] < chance
        hidden = uniforms[:, skill_count + 1 + items :]
        kept = (hidden >= missing) | (hidden == hidden.max(axis=1, keepdims=True))
        answers[~kept] = MISSING
        skills = (states[:, None] >> np.arange(skill_count) & 1).astype(np.int8)
        return skills, ability.astype(np.int8), answers

    def __repr__(self) -> str:
        dag, items = self.skill_dag, plural(len(self.item_tables), "item")
        ability = "" if self.ability is None else ", ability"
        return f"StudentNetwork({plural(dag.n, 'skill')}, {plural(dag.edge_count, 'prerequisite')}, {items}{ability})"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Simulated:
    """Simulated students: what is observed of them, and the truth behind it.

    Parameters
    ----------
    model : StudentNetwork
        The model that they were drawn from.
    answers : Answers
        Their answers.
    skills : array
        Their skills, students × skills: 1 if mastered, otherwise 0.
    ability : array, optional
        The ability of each student: 0, 1 or 2; None if the model has none.

    Examples
    --------
    >>> from dagscape.student.model.simulate import simulate_students
    >>> simulated = simulate_students("b", 200, seed=0)
    >>> simulated
    Simulated(200 students, 5 skills, 30 items)
    >>> simulated.dag.edges
    (('S1', 'S3'), ('S2', 'S3'), ('S3', 'S4'), ('S3', 'S5'))
    """

    model: StudentNetwork
    answers: Answers
    skills: NDArray[np.int8]
    ability: NDArray[np.int8] | None = field(default=None)

    @property
    def q_matrix(self) -> QMatrix:
        """The skills of each item."""
        return self.model.q_matrix

    @property
    def network(self) -> Network:
        """The true network of skills, ability and items."""
        return self.model.network

    @property
    def dag(self) -> Dag:
        """The true prerequisites."""
        return self.model.skill_dag

    def __repr__(self) -> str:
        students, skills = self.skills.shape
        items = len(self.answers.items)
        return f"Simulated({plural(students, 'student')}, {plural(skills, 'skill')}, {plural(items, 'item')})"


def joint_probabilities(dag: Dag, tables: tuple[Table | None, ...]) -> Table:
    """Return the probability of each state of the skills; those without a table yet are equally likely to be 0 or 1."""
    states = np.arange(1 << dag.n)
    joint = np.ones(states.size)
    for skill, table in enumerate(tables):
        chance = np.full(states.size, 0.5) if table is None else table[parts(dag.n, dag.parent_masks[skill])]
        joint *= np.where(states >> skill & 1, chance, 1 - chance)
    return joint


def _cpt(table: Table) -> Table:
    """Return a table with an axis for each parent, and a last one for 0 and 1."""
    shape = (2,) * (len(table).bit_length() - 1) + table.shape[1:]
    chance = table.reshape(shape, order="F")
    return np.stack([1 - chance, chance], axis=-1)
