"""Probabilistic association rules mining (PARM): prerequisites as pairs of rules [chen2015]_.

*Problem.* Given the probability that each student has mastered each skill, S_i is a prerequisite of S_j if two rules
hold: who has mastered S_j has mastered S_i (rule 1: S_j = 1 ⇒ S_i = 1), and who has not mastered S_i has not mastered
S_j (rule 2: S_i = 0 ⇒ S_j = 0). The support of a rule is the share of the students for whom both sides are true, and
its confidence is their share among those for whom the left side is true. The states of the skills are uncertain, and so
are support and confidence: a rule holds if, with a probability of at least *minprob*, its support is at least *minsup*
and its confidence at least *minconf*. The states of students, and of the skills of a student given the mastery
probabilities, are independent.

*Method.* :mod:`dagscape.student.learning.paired_counts` computes the probability of each rule from the exact joint
distribution of the two counts, with an error below 1e-12. A rule that no student supports does not hold.

*Notation.* *minsup*, *minconf*, *minprob*: the same; P(S_i = 1) of student s: ``mastery[s, i]``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dagscape.core.checks import check_names
from dagscape.core.constraints import Number
from dagscape.core.errors import InvalidData
from dagscape.core.masks import mask_of
from dagscape.core.wording import plural, visible
from dagscape.graphs.dag import Dag
from dagscape.graphs.parent_sets import ancestors_of, directed_cycle, topological_order
from dagscape.student.learning.paired_counts import ERROR, Limits, Vector, probability_of_rule

THRESHOLD = Number(0, 1)

# Computed probabilities may be this far outside [0, 1].
_ROUNDING = 1e-9

# Probabilities that differ by less than their errors are equal when edges are compared.
_DIGITS = 9


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PrerequisiteRules:
    """The rules between every two skills, and the prerequisites that follow.

    Parameters
    ----------
    skills : tuple of str
        The names of the skills.
    mastered : array
        ``[i, j]`` is the probability that rule 1 of S_i → S_j reaches support and confidence; the diagonal is 0.
    lacking : array
        The same for rule 2.
    confidence : array
        ``[i, j]`` is the smaller of the expected confidences of the two rules of S_i → S_j: the expected number of
        students for whom both sides are true, divided by that for whom the left side is true.
    minsup, minconf, minprob : float
        The thresholds.

    Examples
    --------
    >>> rules = parm_rules([[0.95, 0.9]] * 30 + [[0.95, 0.05]] * 30 + [[0.1, 0.05]] * 40, ["add", "multiply"])
    >>> rules
    PrerequisiteRules(2 skills, 1 prerequisite: add -> multiply)
    >>> rules.mastered.round(3).tolist()
    [[0.0, 0.988], [0.0, 0.0]]
    """

    skills: tuple[str, ...]
    mastered: Vector
    lacking: Vector
    confidence: Vector
    minsup: float
    minconf: float
    minprob: float

    @property
    def probabilities(self) -> Vector:
        """The smaller probability of the two rules of S_i → S_j."""
        return np.minimum(self.mastered, self.lacking)

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The prerequisites (S_i, S_j): both rules have a probability of at least ``minprob``, within 1e-12."""
        return tuple([(self.skills[i], self.skills[j]) for i, j in self._edges()])

    @property
    def cycle(self) -> tuple[str, ...]:
        """A cycle of prerequisites, with its first skill again at the end; empty if there is none."""
        parents = _parents(len(self.skills), self._edges())
        if len(topological_order(parents)) == len(parents):
            return ()
        return tuple([self.skills[number] for number in directed_cycle(parents)])

    def acyclic_edges(self) -> tuple[tuple[str, str], ...]:
        """Return the prerequisites without the weakest of each cycle.

        As long as there are cycles, the weakest edge that is on any of them is dropped: that with the smallest
        probability of its less probable rule; among equals, rounded to 9 digits, that with the smallest
        expected confidence; then the last one.

        Examples
        --------
        >>> rules = parm_rules([[0.98, 0.95]] * 50 + [[0.05, 0.05]] * 50, ["add", "subtract"])
        >>> rules.pairs, rules.cycle
        ((('add', 'subtract'), ('subtract', 'add')), ('add', 'subtract', 'add'))
        >>> rules.acyclic_edges()
        (('add', 'subtract'),)
        """
        edges = self._edges()
        probabilities, confidence = self.probabilities.round(_DIGITS), self.confidence.round(_DIGITS)
        weakest_first = sorted(edges, key=lambda edge: (probabilities[edge], confidence[edge], -edge[0], -edge[1]))
        for edge in weakest_first:
            parents = _parents(len(self.skills), edges)
            if ancestors_of(parents, 1 << edge[0]) >> edge[1] & 1:
                edges.remove(edge)
        return tuple([(self.skills[i], self.skills[j]) for i, j in edges])

    def to_dag(self) -> Dag:
        """Return the prerequisites of :meth:`acyclic_edges` as a DAG."""
        return Dag.from_edges(self.skills, self.acyclic_edges())

    def _edges(self) -> list[tuple[int, int]]:
        found = self.probabilities >= self.minprob - ERROR
        np.fill_diagonal(found, False)
        return [(i, j) for i, j in np.argwhere(found).tolist()]

    def __repr__(self) -> str:
        pairs = self.pairs
        shown = ", ".join(f"{i} -> {j}" for i, j in pairs[:8]) + (", …" if len(pairs) > 8 else "")
        size = f"{plural(len(self.skills), 'skill')}, {plural(len(pairs), 'prerequisite')}"
        return visible(f"PrerequisiteRules({size}{': ' if shown else ''}{shown}{'; cyclic' if self.cycle else ''})")


def parm_rules(
    mastery: ArrayLike,
    skills: Sequence[str],
    minsup: float = 0.125,
    minconf: float = 0.76,
    minprob: float = 0.9,
) -> PrerequisiteRules:
    """Find the prerequisites between skills, given the probability that each student has mastered each skill.

    Parameters
    ----------
    mastery : array-like
        Students × skills: the probability that the student has mastered the skill.
    skills : sequence of str
        The names of the skills.
    minsup, minconf, minprob : float
        The support and the confidence that a rule must reach, and with which probability it must reach both. The
        defaults are those of the authors.

    Returns
    -------
    PrerequisiteRules
        The probability of each rule, exact to 1e-12, and the prerequisites. They may be cyclic.

    Examples
    --------
    >>> rules = parm_rules([[0.95, 0.9]] * 30 + [[0.95, 0.05]] * 30 + [[0.1, 0.05]] * 40, ["add", "multiply"])
    >>> rules.pairs
    (('add', 'multiply'),)
    """
    names = tuple(skills)
    check_names(names, "skill")
    check_thresholds(minsup, minconf, minprob)
    known = _checked_mastery(mastery, len(names))
    limits = Limits.of(len(known), minsup, minconf)
    mastered, lacking, confidence = (np.zeros((len(names), len(names))) for _ in range(3))
    for i, j in np.argwhere(~np.eye(len(names), dtype=np.bool_)).tolist():
        first, second = known[:, i], known[:, j]
        rules = (second * first, second * (1 - first)), ((1 - first) * (1 - second), (1 - first) * second)
        mastered[i, j], lacking[i, j] = (probability_of_rule(*rule, limits) for rule in rules)
        confidence[i, j] = min(_expected_confidence(*rule) for rule in rules)
    for table in (mastered, lacking, confidence):
        table.flags.writeable = False
    return PrerequisiteRules(names, mastered, lacking, confidence, float(minsup), float(minconf), float(minprob))


def check_thresholds(minsup: float, minconf: float, minprob: float) -> None:
    """Refuse thresholds that are no probabilities."""
    for value, option in ((minsup, "minsup"), (minconf, "minconf"), (minprob, "minprob")):
        THRESHOLD.check(value, option)


def _expected_confidence(supports: Vector, contradicts: Vector) -> float:
    concerned = float(supports.sum() + contradicts.sum())
    return float(supports.sum()) / concerned if concerned else 0.0


def _parents(count: int, edges: Sequence[tuple[int, int]]) -> list[int]:
    """Return the prerequisites of each skill, as sets."""
    return [mask_of(i for i, j in edges if j == skill) for skill in range(count)]


def _checked_mastery(mastery: ArrayLike, skills: int) -> NDArray[np.float64]:
    try:
        table = np.asarray(mastery, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidData("the mastery probabilities are not an array of numbers") from error
    if table.ndim != 2 or table.shape[1] != skills or not len(table):
        raise InvalidData(
            f"the mastery probabilities have the shape {table.shape}; they must have a row for each student and "
            f"{plural(skills, 'column')}, one for each skill"
        )
    wrong = np.argwhere(~((table >= -_ROUNDING) & (table <= 1 + _ROUNDING)))
    if len(wrong):
        row, column = wrong[0].tolist()
        raise InvalidData(
            f"the mastery probability of student {row + 1} and skill {column + 1} is {table[row, column]:g}; "
            "it must be between 0 and 1"
        )
    return np.clip(table, 0.0, 1.0)
