"""The correlations of a positive definite matrix of integers, with 31 digits, and the logs of its diagonal.

A determinant is the product of the diagonal and of the determinant of the correlations, whose entries have a fixed
range. Entries are rounded once, to a multiple of 2^-104, each from its own row and column: they depend neither on the
other columns nor on the order of the columns.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dagscape.scores.arithmetic.decimals import decimal_log, fixed

CORRELATION_BITS = 104

# More bits of the square roots.
_ROOT_BITS = 128


@dataclass(frozen=True, slots=True)
class Correlations:
    """The correlations and the diagonal of a matrix.

    Attributes
    ----------
    high, low : ndarray of float64
        The correlations, as unevaluated sums of two doubles.
    logs : list of int
        The logs of the diagonal, in units of 2^-80.
    error : float
        A bound on the relative error of an entry of the diagonal, and on the error of a correlation.
    least_eigenvalue : float
        A lower bound on the eigenvalues of the correlations, or 0.
    """

    high: NDArray[np.float64]
    low: NDArray[np.float64]
    logs: list[int]
    error: float
    least_eigenvalue: float

    @classmethod
    def of(
        cls, matrix: NDArray[np.object_], unit: Fraction, exponents: Sequence[int], error: float, least: float = 0.0
    ) -> Correlations:
        """Return the correlations of a matrix of integers with a positive diagonal.

        Parameters
        ----------
        matrix : ndarray of int
            A symmetric matrix; in natural units, entry (i, j) is ``matrix[i, j] * unit * 2**(e_i + e_j)``.
        unit : Fraction
            See above.
        exponents : sequence of int
            The exponents e.
        error : float
            A bound on the error of an entry, relative to the square root of the product of its diagonal entries.
        least : float
            A lower bound on the eigenvalues of the correlations that is known already.
        """
        n = len(matrix)
        diagonal = [int(matrix[i, i]) for i in range(n)]
        roots = np.array([math.isqrt(entry << (2 * _ROOT_BITS)) for entry in diagonal], dtype=np.object_)
        high, low = np.eye(n), np.zeros((n, n))
        rows, columns = np.triu_indices(n, 1)
        if n > 1:
            entries = matrix[rows, columns]
            divisors = roots[rows] * roots[columns]
            scaled = np.abs(entries) * (1 << (CORRELATION_BITS + 2 * _ROOT_BITS + 1)) + divisors
            units = np.sign(entries) * np.minimum(scaled // (2 * divisors), 1 << CORRELATION_BITS)
            upper = units.astype(np.float64)
            lower = (units - np.array([int(number) for number in upper.tolist()], dtype=np.object_)).astype(np.float64)
            for part, numbers in ((high, upper), (low, lower)):
                part[rows, columns] = part[columns, rows] = np.ldexp(numbers, -CORRELATION_BITS)
        logs = [
            fixed(decimal_log(Fraction(entry) * unit * Fraction(4) ** exponent))
            for entry, exponent in zip(diagonal, exponents, strict=True)
        ]
        # The eigenvalues of a part are not below those of the whole; the margin covers the errors of the library.
        computed = float(np.linalg.eigvalsh(high)[0]) - 2.0**-48 * n * n
        return cls(high, low, logs, error, max(computed, least, 0.0))

    def exact(self, members: Sequence[int]) -> list[list[int]]:
        """Return the correlations of some columns in units of 2^-104."""
        scale = 2.0**CORRELATION_BITS
        return [[int(self.high[i, j] * scale) + int(self.low[i, j] * scale) for j in members] for i in members]


def exact_determinant(matrix: list[list[int]]) -> int:
    """Return the determinant of a matrix of integers, by elimination without fractions [bareiss1968]_.

    >>> exact_determinant([[2, 1], [1, 3]])
    5
    """
    rows = [list(row) for row in matrix]
    previous = 1
    for step in range(len(rows) - 1):
        pivot = rows[step][step]
        if pivot <= 0:
            return 0
        for row in rows[step + 1 :]:
            factor = row[step]
            for j in range(step + 1, len(rows)):
                row[j] = (row[j] * pivot - factor * rows[step][j]) // previous
        previous = pivot
    return rows[-1][-1] if rows else 1
