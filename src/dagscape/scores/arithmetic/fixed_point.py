"""Scores as 64-bit integers: exact sums, exact ties.

A score is stored as an integer number of units of 2^-bits nats. The unit is as fine as possible without the risk that
the score of a network, a sum of n families, overflows. Floats appear only in the public interface.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dagscape.core import kernels
from dagscape.core.errors import InvalidData
from dagscape.scores.arithmetic.logarithms import binary_log_ceiling

IMPOSSIBLE: int = kernels.IMPOSSIBLE

# Finer than any difference between scores that matters; .jkl files and saved scores of all versions use it.
FINEST_BITS = 48


@dataclass(frozen=True, slots=True)
class Unit:
    """The unit of a table of scores: 2^-bits nats.

    >>> unit = Unit.for_scores_up_to(1000.0, n=10)
    >>> unit.bits
    47
    >>> unit.to_float(unit.to_int(-3.25))
    -3.25
    """

    bits: int

    @classmethod
    def for_scores_up_to(cls, largest: float, n: int) -> Unit:
        """Return the finest unit in which any sum of ``n`` numbers within ``±largest`` nats fits."""
        # The product of the largest float and n + 1 would overflow.
        scaled = math.ldexp(max(largest, 1.0), -64) * (n + 1)
        return cls(min(FINEST_BITS, 61 - 64 - binary_log_ceiling(scaled)))

    def guard_bits(self, largest: float) -> int:
        """Return how many more bits an intermediate sum may have if all numbers are within ``±largest`` nats."""
        return 62 - binary_log_ceiling(max(largest, 1.0)) - self.bits

    def to_int(self, nats: float) -> int:
        """Return the nearest number of units; minus infinity becomes ``IMPOSSIBLE``."""
        return IMPOSSIBLE if nats == -math.inf else round(math.ldexp(nats, self.bits))

    def to_ints(self, nats: Iterable[float]) -> NDArray[np.int64]:
        """Return the nearest number of units for each number."""
        return np.array([self.to_int(number) for number in nats], dtype=np.int64)

    def to_float(self, units: int) -> float:
        """Return the number of nats; ``IMPOSSIBLE`` becomes minus infinity."""
        return -math.inf if units == IMPOSSIBLE else math.ldexp(units, -self.bits)

    def to_floats(self, units: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the numbers of nats of an array."""
        return np.where(units == IMPOSSIBLE, -np.inf, np.ldexp(units.astype(np.float64), -self.bits))


def largest_score(n: int) -> int:
    """Return the largest absolute value, in units, of the score of a family of ``n`` variables.

    Sums and differences of such scores do not overflow in the kernels; ``native/include/dagscape/scores/families.hpp``
    derives the limit. :meth:`Unit.for_scores_up_to` stays below it.

    >>> largest_score(2) * 2 < 2**61
    True
    """
    return kernels.LARGEST_TOTAL // n


def largest_of(units: NDArray[np.int64]) -> int:
    """Return the largest absolute value of some numbers of units, except ``IMPOSSIBLE``.

    >>> largest_of(np.array([3, -5, IMPOSSIBLE]))
    5
    """
    highest, lowest = int(units.max(initial=0)), int(units.min(initial=0))
    if lowest == IMPOSSIBLE:
        lowest = int(units.min(initial=0, where=units != IMPOSSIBLE))
    return max(highest, -lowest)


def check_range(largest: int, n: int, unit: Unit) -> None:
    """Refuse scores of families of ``n`` variables with an absolute value of up to ``largest`` units, if they overflow.

    All local scores pass this check once, when they are made or read.
    """
    if largest > (limit := largest_score(n)):
        # Python's integers may exceed the largest float.
        nats = unit.to_float(min(largest, 2**900))
        raise InvalidData(
            f"a local score of up to {nats:g} nats overflows in units of 2^-{unit.bits} nats: with {n} "
            f"variables, the limit is {unit.to_float(limit):g} nats"
        )
