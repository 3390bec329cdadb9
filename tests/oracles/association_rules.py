"""Slow, obvious versions of probabilistic association rules: all states of a few students, all counts of many."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import fsum, prod

import numpy as np


def reaches(both: int, left: int, students: int, support: Fraction, confidence: Fraction) -> bool:
    """Whether a rule with these counts reaches support and confidence."""
    return both > 0 and both >= support * students and both >= confidence * left


def rule_probability(left: list[float], right: list[float], support: str, confidence: str) -> float:
    """The probability that the rule left ⇒ right reaches both thresholds, by adding up all states of all students.

    `left` and `right` have the probability of each side for each student; the thresholds are decimal numbers.
    """
    chances, thresholds = [], (Fraction(support), Fraction(confidence))
    for states in product(product((0, 1), repeat=2), repeat=len(left)):
        both = sum(one and other for one, other in states)
        if reaches(both, sum(one for one, _ in states), len(left), *thresholds):
            students = zip(states, left, right, strict=True)
            chances.append(prod((p if a else 1 - p) * (q if b else 1 - q) for (a, b), p, q in students))
    return fsum(chances)


def counted_probability(left: np.ndarray, right: np.ndarray, support: str, confidence: str) -> float:
    """The same for many students, by the joint distribution of all counts, one student at a time."""
    n, thresholds = len(left), (Fraction(support), Fraction(confidence))
    table = np.zeros((n + 1, n + 1))
    table[0, 0] = 1.0
    for p, q in zip(left.tolist(), right.tolist(), strict=True):
        grown = table * (1 - p)
        grown[1:] += table[:-1] * (p * q)
        grown[:, 1:] += table[:, :-1] * (p * (1 - q))
        table = grown
    counts = ((both, only) for both in range(n + 1) for only in range(n + 1 - both))
    return fsum(table[both, only] for both, only in counts if reaches(both, both + only, n, *thresholds))


def acyclic(edges: dict[tuple[int, int], float]) -> set[tuple[int, int]]:
    """Edges with distinct weights, without the lightest that is on a cycle, as long as there is one."""
    left = set(edges)
    while True:
        on_a_cycle = [edge for edge in left if edge[0] in reached_from(edge[1], left)]
        if not on_a_cycle:
            return left
        left.remove(min(on_a_cycle, key=lambda edge: edges[edge]))


def reached_from(start: int, edges: set[tuple[int, int]]) -> set[int]:
    """All skills on paths from a skill, including itself."""
    found = {start}
    while more := {j for i, j in edges if i in found} - found:
        found |= more
    return found
