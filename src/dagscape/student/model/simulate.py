"""Simulated students, as in the study of section 6.4.1 of [chen2016]_.

*Problem.* Given a DAG of skills, draw items, tables and answers in which the DAG is a structure of prerequisites:

1. mastering a prerequisite makes it more likely to master the skill;
2. for every prerequisite S_i → S_j, P(S_j = 0 | S_i = 0) is in [0.9, 1.0], where the other skills are summed out;
3. mastering a skill of an item makes a correct answer more likely.

*Skills.* The mastery of a skill without prerequisites is uniform in ``Ranges.mastery``. Otherwise, the table of a skill
has a number for each state of its prerequisites: with all of them, it is uniform in ``Ranges.ready``; with none or some
of them, the numbers are uniform in ``Ranges.unready``, sorted, and given to the states in a random order in which a
state comes after all of its subsets. This gives (1). A table is drawn again until (2) holds. P(S_j = 1 | S_i = 0) is a
mean of numbers of states that lack S_i, so that (2) always holds the first time if none of them exceeds 0.1, as by
default: a student who lacks any prerequisite masters the skill with probability 0.1 at most. A higher limit gives
prerequisites that can replace each other. For skills that are related by a longer path only, (2) need not hold.

*Items.* An item has the probability of a guess, uniform in ``Ranges.guess``, if none of its skills are mastered, and 1
minus that of a slip, uniform in ``Ranges.slip``, if all are; with some of them, it has sorted uniform numbers between
these, in an order as above. This gives (3).

*Ability.* A student's ability is low, medium or high with equal probabilities, and independent of the skills. It shifts
the log odds of a correct answer: by 0 if it is medium; down if it is low, and up if it is high, by two numbers for each
item, uniform in ``Ranges.shift``.

The dissertation states (1) to (3) only; the ranges are ours. The default ones have clear items: guesses and slips of 10
to 30 %. :data:`WIDE` has all items that (3) allows, many of which say little; :data:`ANY` also any share of masters.
The dissertation shows its three structures in a figure that is not in its text: those of :data:`STRUCTURES` are ours.

*Notation.* S_i: ``skills``; the study's n: ``students``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from dagscape.core.checks import is_between
from dagscape.core.constraints import FLAG, Whole
from dagscape.core.errors import InvalidOption, argument, brief, did_you_mean, type_of
from dagscape.core.randomness import Seed, random_generator
from dagscape.core.wording import plural
from dagscape.graphs.dag import Dag
from dagscape.student.input.q_matrix import MAX_SKILLS, QMatrix
from dagscape.student.model.network import ABILITY, Simulated, StudentNetwork, Table, joint_probabilities
from dagscape.student.model.skill_states import parts

STRUCTURES: Mapping[str, Dag] = MappingProxyType(
    {
        "a": Dag.from_edges(["S1", "S2", "S3"], [("S1", "S2"), ("S2", "S3")]),
        "b": Dag.from_edges(["S1", "S2", "S3", "S4", "S5"], [("S1", "S3"), ("S2", "S3"), ("S3", "S4"), ("S3", "S5")]),
        "c": Dag.from_edges(
            [f"S{number}" for number in range(1, 8)],
            [*((f"S{i}", f"S{i + 1}") for i in range(1, 7)), ("S1", "S3"), ("S2", "S4"), ("S4", "S6")],
        ),
    }
)

# P(S_j = 0 | S_i = 0) of a prerequisite is at least this.
LEAST_STRENGTH = 0.9

_MOST_DRAWS = 10_000

SKILLS_PER_ITEM = Whole(1)
ITEMS_PER_SKILL = Whole(1, 1000, said="an integer from 1 to 1,000")


@dataclass(frozen=True, slots=True)
class Ranges:
    """The ranges of the uniform draws of :func:`draw_model`; each is a pair of probabilities, except ``shift``.

    Parameters
    ----------
    mastery : tuple of float
        Mastery of a skill without prerequisites.
    ready : tuple of float
        Mastery of a skill when all its prerequisites are mastered.
    unready : tuple of float
        Mastery of a skill when at least one of its prerequisites is not mastered. Tables in which it exceeds the
        number with all of them are drawn again.
    guess : tuple of float
        A correct answer when no skill of the item is mastered.
    slip : tuple of float
        A wrong answer when all skills of the item are mastered. Both are drawn again until a guess is not more likely
        than 1 minus a slip.
    shift : tuple of float
        How far a low or high ability moves the log odds of a correct answer.

    Examples
    --------
    >>> Ranges(guess=(0.0, 0.1)).guess
    (0.0, 0.1)
    >>> Ranges(guess=(0.1, 1.5))
    Traceback (most recent call last):
      ...
    dagscape.core.errors.InvalidOption: guess is (0.1, 1.5); it must be a pair of ascending numbers between 0 and 1
    """

    mastery: tuple[float, float] = (0.6, 0.9)
    ready: tuple[float, float] = (0.7, 0.95)
    unready: tuple[float, float] = (0.0, 0.1)
    guess: tuple[float, float] = (0.1, 0.3)
    slip: tuple[float, float] = (0.1, 0.3)
    shift: tuple[float, float] = (0.5, 1.5)

    def __post_init__(self) -> None:
        for part in fields(self):
            most = 10 if part.name == "shift" else 1
            given = getattr(self, part.name)
            pair = isinstance(given, Sequence) and len(given) == 2 and all(is_between(end, 0, most) for end in given)
            if not pair or given[0] > given[1]:
                limits = f"it must be a pair of ascending numbers between 0 and {most}"
                raise InvalidOption(f"is {brief(given)}; {limits}", option=part.name)
        if self.unready[0] > self.ready[1]:
            raise InvalidOption(f"is {self.unready}; it is above {argument('ready', self.ready)}", option="unready")
        if self.guess[0] > 1 - self.slip[0]:
            raise InvalidOption(f"is {self.guess}; it is above 1 minus {argument('slip', self.slip)}", option="guess")


# All that constraint (3) allows: the smaller of two uniform numbers is a guess, and the larger 1 minus a slip.
WIDE = Ranges(guess=(0.0, 1.0), slip=(0.0, 1.0))

# All that the three constraints allow, with any share of masters.
ANY = Ranges(mastery=(0.0, 1.0), ready=(0.1, 1.0), guess=(0.0, 1.0), slip=(0.0, 1.0))


def simulate_students(
    structure: Dag | str,
    students: int,
    *,
    items_per_skill: int = 6,
    skills_per_item: int | tuple[int, int] = 1,
    ability: bool = False,
    missing: float = 0.0,
    ranges: Ranges | None = None,
    seed: Seed = None,
) -> Simulated:
    """Simulate students who answer items, with a known structure of prerequisites between the skills.

    To draw several samples from the same model, use :func:`draw_model`.

    Parameters
    ----------
    structure : Dag or {"a", "b", "c"}
        The prerequisites, or one of the three structures of the study: S1 → S2 → S3; S1 → S3 ← S2 with S3 → S4 and
        S3 → S5; S1 → S2 → … → S7 with S1 → S3, S2 → S4 and S4 → S6.
    students : int
        The number of students.
    items_per_skill, skills_per_item, ability, ranges
        The items, as in :func:`draw_model`.
    missing : float
        The probability that an answer is missing.
    seed : int, numpy.random.Generator or None
        The same integer always gives the same model and the same students.

    Returns
    -------
    Simulated
        The answers, the Q-matrix, the network that they were drawn from, and the skills of each student.

    Examples
    --------
    >>> import numpy as np
    >>> simulated = simulate_students("a", 1000, missing=0.25, seed=1)
    >>> simulated
    Simulated(1,000 students, 3 skills, 18 items)
    >>> simulated.network
    Network(21 variables, 20 edges, 41 free parameters)
    >>> simulated.skills[:2].tolist()
    [[1, 1, 0], [0, 0, 0]]
    >>> round(float(np.mean(simulated.answers.table == -1)), 2)
    0.25
    """
    random = random_generator(seed)
    model = draw_model(
        structure,
        items_per_skill=items_per_skill,
        skills_per_item=skills_per_item,
        ability=ability,
        ranges=ranges,
        seed=random,
    )
    return model.sample(students, random, missing=missing)


def draw_model(
    structure: Dag | str,
    *,
    items_per_skill: int = 6,
    skills_per_item: int | tuple[int, int] = 1,
    ability: bool = False,
    ranges: Ranges | None = None,
    seed: Seed = None,
) -> StudentNetwork:
    """Draw the items and the tables of a student model with a known structure of prerequisites.

    With the same seed, the tables of the skills do not depend on the items, and those of the items at medium ability
    are the same with and without ``ability``.

    Parameters
    ----------
    structure : Dag or {"a", "b", "c"}
        As in :func:`simulate_students`; at most 16 skills.
    items_per_skill : int
        The number of items of each skill, at most 1,000.
    skills_per_item : int or tuple of int
        The number of skills of each item, or its range. One item of each skill has this skill only, if the range
        allows it. The others have a number of skills that is uniform in the range; each takes those skills that have
        the fewest items so far, at random among equals. The last items may have fewer skills, so that every skill has
        exactly ``items_per_skill`` items; if the range does not allow this, a few skills have one more.
    ability : bool
        Whether the answers depend on the student's ability, too: a variable ``StudentAbility`` with three levels.
    ranges : Ranges, optional
        The ranges of the uniform draws.
    seed : int, numpy.random.Generator or None
        The same integer always gives the same model.

    Returns
    -------
    StudentNetwork
        The model; :meth:`StudentNetwork.sample` draws students.

    Examples
    --------
    >>> model = draw_model("b", skills_per_item=(1, 3), seed=3)
    >>> model.q_matrix.table.sum(axis=0).tolist()
    [6, 6, 6, 6, 6]
    >>> min(model.strengths().values()) >= 0.9
    True
    """
    dag = _checked_structure(structure)
    sizes = _checked_sizes(skills_per_item, dag.n)
    ITEMS_PER_SKILL.check(items_per_skill, "items_per_skill")
    FLAG.check(ability, "ability")
    limits = Ranges() if ranges is None else ranges
    if not isinstance(limits, Ranges):
        raise InvalidOption(f"is {type_of(ranges)}; it must be a Ranges", option="ranges")
    # One stream for each part, so that it does not depend on how many numbers the others take.
    seeds = random_generator(seed).integers(2**63, size=4)
    for_skills, for_items, for_tables, for_ability = map(np.random.default_rng, seeds)
    skill_tables = _skill_tables(dag, limits, for_skills)
    q_matrix = _q_matrix(dag.variables, int(items_per_skill), sizes, for_items)
    item_tables = [_item_table(mask.bit_count(), limits, for_tables) for mask in q_matrix.masks]
    if not ability:
        return StudentNetwork(dag, q_matrix, skill_tables, tuple(item_tables))
    shifted = tuple(_shifted(table, limits.shift, for_ability) for table in item_tables)
    return StudentNetwork(dag, q_matrix, skill_tables, shifted, (1 / 3, 1 / 3, 1 / 3))


def _skill_tables(dag: Dag, ranges: Ranges, random: np.random.Generator) -> tuple[Table, ...]:
    """Draw the tables of the skills, prerequisites first."""
    tables: list[Table | None] = [None] * dag.n
    for skill in dag.order_numbers():
        mask = dag.parent_masks[skill]
        above = np.zeros(1 << mask.bit_count())
        np.add.at(above, parts(dag.n, mask), joint_probabilities(dag, tuple(tables)))
        tables[skill] = _skill_table(above, ranges, random, dag.variables[skill])
    return tuple(table for table in tables if table is not None)


def _skill_table(above: Table, ranges: Ranges, random: np.random.Generator, skill: str) -> Table:
    """Draw the table of a skill, given the probability of each state of its prerequisites, until all are strong."""
    if above.size == 1:
        return random.uniform(*ranges.mastery, size=1)
    states = np.arange(above.size)
    lacking = [(states >> parent & 1) == 0 for parent in range(above.size.bit_length() - 1)]
    order = _upward_order(len(lacking), random)
    for _ in range(_MOST_DRAWS):
        table = np.empty(above.size)
        table[order[:-1]] = np.sort(random.uniform(*ranges.unready, size=above.size - 1))
        table[order[-1]] = random.uniform(*ranges.ready)
        if table[order[-1]] >= table[order[-2]] and all(
            (above * table)[without].sum() <= (1 - LEAST_STRENGTH) * above[without].sum() for without in lacking
        ):
            return table
    raise InvalidOption(
        f"is {ranges.unready}: in {_MOST_DRAWS:,} draws of the table of {skill!r}, P({skill} = 0) given that a "
        f"prerequisite is 0 was never at least {LEAST_STRENGTH} for all of them; lower the upper end",
        option="unready",
    )


def _item_table(skills: int, ranges: Ranges, random: np.random.Generator) -> Table:
    """Draw the probability of a correct answer in each state of an item's skills."""
    for _ in range(_MOST_DRAWS):
        guess, known = random.uniform(*ranges.guess), 1 - random.uniform(*ranges.slip)
        if guess <= known:
            break
    else:
        raise InvalidOption(
            f"is {ranges.guess}: in {_MOST_DRAWS:,} draws, a guess was never less likely than 1 minus a slip; lower it",
            option="guess",
        )
    table = np.empty(1 << skills)
    between = np.sort(random.uniform(guess, known, size=table.size - 2))
    table[_upward_order(skills, random)] = [guess, *between, known]
    return table


def _upward_order(skills: int, random: np.random.Generator) -> NDArray[np.int64]:
    """Return the states of some skills in a random order in which each comes after all of its subsets.

    States are sorted by the highest of the random numbers of their subsets, then by their number of mastered skills.
    """
    highest = random.random((2,) * skills)
    for axis in range(skills):
        highest = np.maximum.accumulate(highest, axis=axis)
    mastered = np.indices(highest.shape).sum(axis=0)
    return np.lexsort((random.random(highest.size), mastered.ravel(), highest.ravel()))


def _shifted(table: Table, shift: tuple[float, float], random: np.random.Generator) -> Table:
    """Return the table of an item at low, medium and high ability."""
    down, up = random.uniform(*shift, size=2)
    # odds / (1 + odds), in a form that is right for probabilities of 0 and 1.
    factors = np.exp([-down, 0.0, up])
    return table[:, None] * factors / (1 - table[:, None] + table[:, None] * factors)


def _q_matrix(
    skills: tuple[str, ...], items_per_skill: int, sizes: tuple[int, int], random: np.random.Generator
) -> QMatrix:
    """Draw the skills of each item; items are sorted by their number of skills."""
    low, high = sizes
    own = [(skill,) for skill in range(len(skills))] if low == 1 else []
    rows: list[tuple[int, ...]] = list(own)
    wanted = np.full(len(skills), items_per_skill - (low == 1))
    while wanted.max() > 0:
        size = max(low, min(int(random.integers(low, high + 1)), int((wanted > 0).sum())))
        neediest = np.lexsort((random.random(len(skills)), -wanted))[:size]
        wanted[neediest] -= 1
        rows.append(tuple(sorted(neediest.tolist())))
    rows.sort(key=lambda row: (len(row), row))
    table = np.zeros((len(rows), len(skills)), dtype=np.bool_)
    for item, row in enumerate(rows):
        table[item, list(row)] = True
    table.flags.writeable = False
    return QMatrix(_item_names(len(rows), skills), skills, table)


def _item_names(count: int, skills: tuple[str, ...]) -> tuple[str, ...]:
    names = tuple(f"item{number}" for number in range(1, count + 1))
    taken = sorted({*names, ABILITY} & set(skills))
    if taken:
        raise InvalidOption(
            f"has a skill called {taken[0]!r}, the name of another variable of the model; rename the skill",
            option="structure",
        )
    return names


def _checked_structure(structure: object) -> Dag:
    if isinstance(structure, str) and structure in STRUCTURES:
        return STRUCTURES[structure]
    if not isinstance(structure, Dag):
        known = ", ".join(map(repr, STRUCTURES))
        found = brief(structure) if isinstance(structure, str) else type_of(structure)
        raise InvalidOption(
            f"is {found}; it must be a Dag of skills or one of {known}{did_you_mean(structure, STRUCTURES)}",
            option="structure",
        )
    if not 1 <= structure.n <= MAX_SKILLS:
        raise InvalidOption(f"has {plural(structure.n, 'skill')}; it must have 1 to {MAX_SKILLS}", option="structure")
    return structure


def _checked_sizes(skills_per_item: object, skills: int) -> tuple[int, int]:
    """Return the range of the number of skills of an item."""
    given = skills_per_item if isinstance(skills_per_item, Sequence) else (skills_per_item, skills_per_item)
    if len(given) == 2 and all(map(SKILLS_PER_ITEM.allows, given)):
        low, high = map(int, given)
        if low <= high <= skills:
            return low, high
        if low <= high:
            raise InvalidOption(
                f"is {skills_per_item!r}; the structure has {plural(skills, 'skill')} only", option="skills_per_item"
            )
    raise InvalidOption(
        f"is {brief(skills_per_item)}; it must be {SKILLS_PER_ITEM.words} or a pair of them, such as (1, 3)",
        option="skills_per_item",
    )
