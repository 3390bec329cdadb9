"""The probability that two counts of students lie in a region, exactly.

*Problem.* Student s supports a rule with probability a_s, contradicts it with probability b_s, and otherwise does not
concern it, independently of the other students. A students support the rule, and B contradict it. What is the
probability that A is at least a limit and that A >= c (A + B)?

*Bounds.* For any t > 0, P(X >= k) <= E exp(t (X - k)), and the expectation is a product over the students. For
X = A and for X = (1 - c) A - c B, this shows in nearly all cases that a condition is almost certain or almost
impossible. If both are certain, the probability is 1; if one is impossible, 0; if one is certain, the other decides.

*Otherwise*, the joint distribution of A and B is computed by halves: that of a set of students is the convolution of
those of its halves, by fast Fourier transforms. If one of the conditions decides, so does the distribution of one sum:
of A; or, for c = p/q, of q for each supporting student and p for each whom the rule does not concern. Each distribution
is kept in a window, about 16 standard deviations wide: with two counts, n students take about n (log n)^2 operations.
All windows together leave out a probability of less than 1e-13; windows, bounds and rounding change the result by less
than :data:`ERROR`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

import numpy as np
from numpy.typing import NDArray

from dagscape.core.resources import check_memory
from dagscape.core.wording import plural

# The largest absolute error of a probability.
ERROR = 1e-12

Vector = NDArray[np.float64]
Counts = NDArray[np.int64]

# A condition that fails with less than this probability is certain.
_NEGLIGIBLE = np.log(1e-13)

# The probability that all windows leave out together.
_OUTSIDE = 1e-13

# A confidence of p / q alone is a condition on one sum of steps of p and q; beyond this q, two counts are cheaper.
_LARGEST_STEP = 50

# Students whose distribution is computed one by one.
_LEAF = 16

# Exponents t of the bounds: multiples of distance / variance, the best t of a normal distribution.
_MULTIPLES = np.array([0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 4.0])
# The rounding error of 1 - a - b must be negligible beside exp(-t).
_LARGEST_EXPONENT = 20.0


@dataclass(frozen=True, slots=True)
class Limits:
    """The region of the two counts of n students: A is at least ``least``, and A >= confidence × (A + B)."""

    least: int
    confidence: Fraction

    @classmethod
    def of(cls, students: int, support: float, confidence: float) -> Limits:
        """Return the limits for a minimal share of supporting students, and a minimal confidence.

        The shares mean the decimal numbers that they print as: 3 of 30 students reach a support of 0.1. At least one
        student must support a rule.

        >>> Limits.of(2000, 0.125, 0.76)
        Limits(least=250, confidence=Fraction(19, 25))
        """
        least = max(1, ceil(Fraction(repr(float(support))) * students))
        return cls(least, Fraction(repr(float(confidence))))

    def most_contradicting(self, first: int, count: int) -> Counts:
        """Return the largest B for each A from ``first`` on; -1 if A is less than ``least``."""
        low, high = self.confidence.as_integer_ratio()
        no_limit = np.iinfo(np.int64).max
        most = [min(no_limit, a * (high - low) // low) if low else no_limit for a in range(first, first + count)]
        reached = np.arange(first, first + count) >= self.least
        return np.where(reached, np.array(most, dtype=np.int64), -1)


def probability_of_rule(supports: Vector, contradicts: Vector, limits: Limits) -> float:
    """Return the probability that both conditions hold; the error is less than 1e-12.

    Parameters
    ----------
    supports, contradicts : array
        The probability that each student supports or contradicts the rule.
    limits : Limits
        The conditions.

    Examples
    --------
    >>> from math import comb
    >>> fair = np.full(10, 0.5)
    >>> chance = probability_of_rule(fair, fair, Limits(3, Fraction(7, 10)))
    >>> abs(chance - sum(comb(10, a) for a in range(7, 11)) / 2**10) < 1e-15
    True
    """
    share = float(limits.confidence)
    enough = _bounds(supports, contradicts, (1.0, 0.0), limits.least, limits.least - 1)
    clear = _bounds(supports, contradicts, (1 - share, -share), 0.0, -1 / limits.confidence.denominator)
    if min(enough[0], clear[0]) < _NEGLIGIBLE:
        return 0.0
    if enough[1] < _NEGLIGIBLE and clear[1] < _NEGLIGIBLE:
        return 1.0
    neither = np.maximum(0.0, 1 - supports - contradicts)
    if clear[1] < _NEGLIGIBLE:
        counts = distribution([Outcome(neither + contradicts), Outcome(supports, (1, 0))])
        return counts.at_least(limits.least)
    if enough[1] < _NEGLIGIBLE and limits.confidence.denominator <= _LARGEST_STEP:
        # A q >= p (A + B), for a confidence of p / q, is A q + (n - A - B) p >= n p.
        low, high = limits.confidence.as_integer_ratio()
        sums = distribution([Outcome(contradicts), Outcome(neither, (low, 0)), Outcome(supports, (high, 0))])
        return sums.at_least(len(supports) * low)
    both = distribution([Outcome(neither), Outcome(supports, (1, 0)), Outcome(contradicts, (0, 1))])
    most = limits.most_contradicting(both.first[0], both.table.shape[0])
    inside = np.arange(both.first[1], both.first[1] + both.table.shape[1]) <= most[:, None]
    return _probability(both.table[inside])


def _bounds(
    supports: Vector, contradicts: Vector, values: tuple[float, float], reached: float, missed: float
) -> tuple[float, float]:
    """Return upper bounds of log P(X >= reached) and log P(X <= missed).

    X is the sum of the first value for each supporting student, and of the second for each contradicting one.
    """
    up, down = values
    mean = supports * up + contradicts * down
    variance = float((supports * up**2 + contradicts * down**2 - mean**2).sum())
    neither = np.maximum(0.0, 1 - supports - contradicts)

    def bound(limit: float, sign: float) -> float:
        distance = sign * (limit - float(mean.sum()))
        if distance <= 0:
            return 0.0
        best = min(distance / max(variance, 1e-300), 10 * _LARGEST_EXPONENT)
        t = sign * np.minimum(best * _MULTIPLES, _LARGEST_EXPONENT)[:, None]
        moments = np.log(neither + supports * np.exp(t * up) + contradicts * np.exp(t * down)).sum(axis=1)
        return min(0.0, float((moments - t[:, 0] * limit).min()))

    return bound(reached, 1.0), bound(missed, -1.0)


@dataclass(frozen=True, slots=True)
class Outcome:
    """Something that may happen to a student: its probability for each of them, and what it adds to the two counts."""

    chance: Vector
    step: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class Window:
    """The joint distribution of two counts: ``table[i, j]`` = P(A = first[0] + i, B = first[1] + j)."""

    first: tuple[int, int]
    table: Vector

    def at_least(self, limit: int) -> float:
        """Return P(A >= limit)."""
        return _probability(self.table[max(0, limit - self.first[0]) :])


def _probability(parts: Vector) -> float:
    """Return a sum of probabilities without the rounding errors that lead out of [0, 1]."""
    return min(1.0, max(0.0, float(parts.sum())))


def distribution(outcomes: Sequence[Outcome]) -> Window:
    """Return the joint distribution of two sums over the students.

    Parameters
    ----------
    outcomes : sequence of Outcome
        What may happen to each student; the first adds nothing.

    Examples
    --------
    >>> one, both = Outcome(np.array([0.5, 0.25]), (1, 0)), Outcome(np.array([0.0, 0.75]), (1, 1))
    >>> counts = distribution([Outcome(np.array([0.5, 0.0])), one, both])
    >>> counts.first, counts.table.tolist()
    ((1, 0), [[0.125, 0.375], [0.125, 0.375]])
    """
    _check_size(outcomes)
    tables = _leaves(outcomes)
    # There are fewer than twice as many windows as leaves, and each has four sides.
    outside = _OUTSIDE / (8 * len(tables))
    tables, first = _trimmed(tables, np.zeros((2, len(tables)), dtype=np.int64), outside)
    while len(tables) > 1:
        if len(tables) % 2:
            # A group of no students.
            tables, first = np.pad(tables, ((0, 1), (0, 0), (0, 0))), np.pad(first, ((0, 0), (0, 1)))
            tables[-1, 0, 0] = 1.0
        tables, first = _trimmed(_convolved(tables[::2], tables[1::2]), first[:, ::2] + first[:, 1::2], outside)
    return Window((int(first[0, 0]), int(first[1, 0])), tables[0])


def _leaves(outcomes: Sequence[Outcome]) -> Vector:
    """Return the distributions in groups of a few students, adding one student at a time."""
    students = len(outcomes[0].chance)
    size = min(_LEAF, students)
    groups = -(-students // size)
    chances = np.zeros((len(outcomes), groups * size))
    # The last group is filled with students who add nothing.
    chances[0, students:] = 1.0
    chances[:, :students] = [outcome.chance for outcome in outcomes]
    steps = np.array([outcome.step for outcome in outcomes])
    tables = np.zeros((groups, *(size * steps.max(axis=0) + 1)))
    tables[:, 0, 0] = 1.0
    rows, columns = tables.shape[1:]
    for student in chances.reshape(len(outcomes), groups, size).transpose(2, 0, 1)[..., None, None]:
        grown = np.zeros_like(tables)
        for chance, (down, right) in zip(student, steps.tolist(), strict=True):
            grown[:, down:, right:] += tables[:, : rows - down, : columns - right] * chance
        tables = grown
    return tables


def _trimmed(tables: Vector, first: Counts, outside: float) -> tuple[Vector, Counts]:
    """Cut all distributions to windows of the same size, with at most a given probability outside on each side."""
    places = [np.arange(len(tables)).reshape(-1, 1, 1)]
    starts = []
    for axis in (0, 1):
        marginal = tables.sum(axis=2 - axis)
        low = (np.cumsum(marginal, axis=1) < outside).sum(axis=1)
        high = marginal.shape[1] - (np.cumsum(marginal[:, ::-1], axis=1) < outside).sum(axis=1)
        width = int((high - low).max())
        start = np.minimum(low, marginal.shape[1] - width)
        starts.append(start)
        places.append(np.expand_dims(start[:, None] + np.arange(width), 2 - axis))
    return tables[tuple(places)], first + np.array(starts)


def _convolved(left: Vector, right: Vector) -> Vector:
    """Return the distributions of sums of independent pairs of counts."""
    shape = [2 * size - 1 for size in left.shape[1:]]
    padded = [_fast_size(size) for size in shape]
    product = np.fft.rfft2(left, padded) * np.fft.rfft2(right, padded)
    return np.fft.irfft2(product, padded)[:, : shape[0], : shape[1]]


def _fast_size(size: int) -> int:
    """Return the smallest size of a fast Fourier transform that has no prime factors above 5.

    >>> _fast_size(1), _fast_size(97)
    (1, 100)
    """
    while _without_factors(size, (2, 3, 5)) > 1:
        size += 1
    return size


def _without_factors(number: int, factors: Sequence[int]) -> int:
    for factor in factors:
        while number % factor == 0:
            number //= factor
    return number


def _check_size(outcomes: Sequence[Outcome]) -> None:
    """Refuse windows that do not fit in memory: 17 standard deviations wide, transformed at twice the size."""
    cells, students = 1.0, len(outcomes[0].chance)
    for axis in (0, 1):
        steps = [outcome.step[axis] for outcome in outcomes]
        mean = sum((outcome.chance * step for outcome, step in zip(outcomes, steps, strict=True)), np.zeros(students))
        squares = sum(float((outcome.chance * step**2).sum()) for outcome, step in zip(outcomes, steps, strict=True))
        deviation = max(0.0, squares - float((mean**2).sum())) ** 0.5
        cells *= min(students, 17 * deviation + _LEAF) * max(steps) + 1
    check_memory(int(100 * cells), None, f"the counts of {plural(students, 'student')}", "use a sample of the students")
