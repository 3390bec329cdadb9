r"""What measured variables are worth in the cells of the discrete ones: the normal part of conditional Gaussian scores.

.. math:: J(Γ) = c(m, d) + a(d) \sum_{v ∈ Γ} \ln T_v - b(m, d) \ln |R_{ΓΓ}|

in a cell of *m* rows, for *d* measured variables Γ. The kernel (``native/include/dagscape/scores/cell_gaussian.hpp``)
computes it in double-double arithmetic from exact sums, and tells where its rounding is not certain; those values are
computed here, with integers.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal, localcontext
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dagscape.core import kernels
from dagscape.scores.arithmetic.decimals import FIXED_BITS, context, decimal_log, fixed, log_of_pi
from dagscape.scores.arithmetic.scatter import IntegerColumns, IntegerSums
from dagscape.scores.definitions.determinants import words

# The sums of products of a cell have room for 128 bits.
MOST_ROWS = 2**22

# No scaled integer needs to be larger than this.
_LEAST_SCALE = -400

Rows = NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class FineUnit:
    """The unit of values, 2^-bits nats, and how many more bits those of a cell have."""

    bits: int
    guard: int

    @property
    def of_cells(self) -> int:
        """The bits of the values of cells."""
        return self.bits + self.guard

    def rounded(self, fine: int) -> int:
        """Return a sum of values of cells in units; halves are rounded up."""
        return fine if self.guard == 0 else (fine + (1 << (self.guard - 1))) >> self.guard


class MeasuredCells(ABC):
    """The measured columns, and J of sets of them in cells.

    A subclass computes J exactly, and says how the kernel does.

    Attributes
    ----------
    columns : IntegerColumns
        The columns as integers, of all rows.
    scale : list of int
        A power of four that no entry of the matrix *R* of a column exceeds, in units of its integers.
    """

    columns: IntegerColumns
    scale: list[int]

    @property
    def count(self) -> int:
        """The number of measured columns."""
        return len(self.columns.exponents)

    def sums_of(self, rows: Rows) -> IntegerSums:
        """Return the sums of the columns over some rows."""
        chosen = np.zeros(len(self.columns.integers), dtype=np.bool_)
        chosen[rows] = True
        return self.columns.sums(chosen)

    def price(self, rows: int) -> float:  # noqa: ARG002 (others depend on it)
        """Return what a parameter costs with a number of rows, in nats."""
        return 0.0

    @abstractmethod
    def kernel(self, rows: Rows, price: float, most_states: int, fine: FineUnit) -> kernels.CellFunction:
        """Return the function of some rows as the kernels take it.

        Parameters
        ----------
        rows : array of int
            The rows.
        price : float
            What a parameter costs, in nats.
        most_states : int
            The most parameters of a possible set.
        fine : FineUnit
            The unit of values, and of cells.
        """

    @abstractmethod
    def exact(self, rows: Rows, members: Sequence[int], constant: int, bits: int) -> int | None:
        """Return J of some columns in the cell of some rows, as the nearest multiple of 2^-bits; None if impossible.

        Parameters
        ----------
        rows : array of int
            The rows of the cell.
        members : sequence of int
            The columns.
        constant : int
            c(m, d) in units of 2^-80.
        bits : int
            The multiple.
        """

    @abstractmethod
    def bound(self, rows: int, cells: int, size: int) -> float:
        """Return a bound on the sum of the absolute values of all cells, in nats.

        Parameters
        ----------
        rows, cells : int
            The number of rows, and the most cells that they are divided into.
        size : int
            The most columns of a set.
        """

    @abstractmethod
    def rounding(self, rows: int, cells: int, size: int, bits: int) -> float:
        """Return a bound on the error of a sum over cells whose values are multiples of 2^-bits, in nats."""

    def _natural(self) -> NDArray[np.int32]:
        """Return the exponents of two that make natural units of scaled numbers."""
        return np.array([e + s for e, s in zip(self.columns.exponents, self.scale, strict=True)], dtype=np.int32)


def scale_of(entry: Fraction) -> int:
    """Return the least power of four that a positive number does not exceed, or the next one.

    >>> [scale_of(Fraction(number)) for number in (1, 4, 17)]
    [1, 2, 3]
    """
    return max(_LEAST_SCALE, (entry.numerator.bit_length() - entry.denominator.bit_length() + 2) // 2)


def log_pi_words(others: Sequence[int] = ()) -> NDArray[np.int64]:
    """Return ln π and other numbers in units of 2^-80, as the kernels take them."""
    with localcontext(context()):
        return words([fixed(log_of_pi()), *others])


def nearest_multiple(
    constant: int, prior: Fraction, factor: float, determinant: Fraction, exponent: int, bits: int
) -> int:
    """Return the multiple of 2^-bits that is nearest to c + prior − b ln(determinant 2^exponent), as a number of them.

    Parameters
    ----------
    constant : int
        c in units of 2^-80.
    prior : Fraction
        a Σ ln T, in units of 2^-80.
    factor : float
        b.
    determinant : Fraction
        A positive number.
    exponent, bits : int
        See above.

    Examples
    --------
    >>> nearest_multiple(5 << 80, Fraction(-1 << 79), 2.0, Fraction(1), 0, 4)
    72
    """
    digits = 60
    while True:
        with localcontext(context(digits)):
            log = decimal_log(determinant, digits) + exponent * Decimal(2).ln()
            nats = (Decimal(constant) + Decimal(prior.numerator) / Decimal(prior.denominator)) / (1 << FIXED_BITS)
            multiples = (nats - Decimal(factor) * log) * (1 << bits) + Decimal("0.5")
            nearest = multiples.to_integral_value(ROUND_FLOOR)
            # An edge of rounding is met exactly by a determinant that is a power of two at most.
            if min(multiples - nearest, nearest + 1 - multiples) > Decimal(10) ** (40 - digits) or digits > 1000:
                return int(nearest)
        digits *= 2


def largest_sum(numbers: Sequence[float], count: int) -> float:
    """Return the sum of the largest numbers.

    >>> largest_sum([1.0, 5.0, 2.0], 2)
    7.0
    """
    return math.fsum(sorted(numbers, reverse=True)[:count])
