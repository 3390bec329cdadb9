"""Scatter matrices that do not depend on the order of the rows, on threads or on the platform.

A sum of products in floating point depends on the order of its terms. Here the columns become integers of up to 52
bits, relative to their largest deviation from the mean, and each integer is split into digits. Products of matrices of
digits have entries below 2^53, so that any library multiplies them without rounding: three digits of 18 bits for up to
2^17 rows, four of 13 bits for up to 2^27. Their sums, m Σ q_i q_j − Σ q_i Σ q_j, are exact integers: m times the
scatter of the integers about their means.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dagscape.scores.arithmetic.logarithms import natural_log
from dagscape.scores.arithmetic.rounding import EPSILON

_BITS = 52

# The most rows whose products of digits of so many bits have exact sums.
_FEW_ROWS_BITS, _DIGIT_BITS = 18, 13
MOST_ROWS = 2 ** (53 - 2 * _DIGIT_BITS)


@dataclass(frozen=True, slots=True)
class IntegerColumns:
    """Columns of numbers as integers: a number is about ``centres[i] + integers[row, i] * 2**exponents[i]``.

    Attributes
    ----------
    integers : ndarray of float64
        Rows × columns: integers of up to 2^52.
    exponents : list of int
        The binary exponent of the unit of each column.
    centres : list of float
        The number for which the integer 0 stands, divided by ``2**scales[i]``.
    scales : list of int
        The binary exponents of the centres.
    exact : ndarray of bool
        Whether all numbers of a column are exactly what the integers say, rather than within one unit.
    """

    integers: NDArray[np.float64]
    exponents: list[int]
    centres: list[float]
    scales: list[int]
    exact: NDArray[np.bool_]

    @classmethod
    def of(cls, values: NDArray[np.float64]) -> IntegerColumns:
        """Return the columns of finite numbers, of at least one row."""
        # Neither sums nor deviations of numbers below 1 overflow.
        _, scales = np.frexp(np.abs(values).max(axis=0))
        scaled = np.ldexp(values, -scales)
        # The means need not be exact: what is left of them is subtracted exactly, later.
        centres = np.array([math.fsum(column) / len(values) for column in scaled.T])
        deviations = scaled - centres
        errors = (scaled - (deviations - (deviations - scaled))) - (centres + (deviations - scaled))
        deviations[:, values.min(axis=0) == values.max(axis=0)] = 0.0
        _, exponents = np.frexp(np.abs(deviations).max(axis=0))
        precise = np.ldexp(deviations, _BITS - exponents)
        integers: NDArray[np.float64] = np.rint(precise)
        exact = ((integers == precise) & (errors == 0.0)).all(axis=0)
        units = (scales.astype(np.int64) + exponents - _BITS).tolist()
        return cls(integers, units, centres.tolist(), scales.tolist(), exact)

    @classmethod
    def joined(cls, parts: Sequence[IntegerColumns]) -> IntegerColumns:
        """Return the columns of several tables of the same rows, one table after the other."""
        return cls(
            np.concatenate([part.integers for part in parts], axis=1),
            [exponent for part in parts for exponent in part.exponents],
            [centre for part in parts for centre in part.centres],
            [scale for part in parts for scale in part.scales],
            np.concatenate([part.exact for part in parts]),
        )

    @classmethod
    def of_integers(cls, integers: NDArray[np.float64]) -> IntegerColumns:
        """Return columns of integers as they are.

        >>> IntegerColumns.of_integers(np.array([[0.0], [1.0]])).sums().scatter.tolist()
        [[1]]
        """
        count = integers.shape[1]
        return cls(integers, [0] * count, [0.0] * count, [0] * count, np.ones(count, dtype=np.bool_))

    def only(self, columns: Sequence[int]) -> IntegerColumns:
        """Return some of the columns."""
        return IntegerColumns(
            self.integers[:, list(columns)],
            [self.exponents[i] for i in columns],
            [self.centres[i] for i in columns],
            [self.scales[i] for i in columns],
            self.exact[list(columns)],
        )

    def sums(self, rows: NDArray[np.bool_] | None = None) -> IntegerSums:
        """Return the sums over some rows; None: over all of them."""
        integers = self.integers if rows is None else self.integers[rows]
        bits = _FEW_ROWS_BITS if len(integers) <= 2 ** (53 - 2 * _FEW_ROWS_BITS) else _DIGIT_BITS
        digits = _digits(integers, bits)
        sums = np.array(_sums(digits, bits), dtype=np.object_)
        scatter = len(integers) * _products(digits, bits) - np.multiply.outer(sums, sums)
        return IntegerSums(len(integers), sums, scatter)


@dataclass(frozen=True, slots=True)
class IntegerSums:
    """Sums over rows of columns of integers, as Python integers.

    Attributes
    ----------
    rows : int
        The number of rows.
    sums : ndarray of int
        The sum of each column.
    scatter : ndarray of int
        For each pair of columns, the number of rows times the sum of the products of their deviations from the means.
    """

    rows: int
    sums: NDArray[np.object_]
    scatter: NDArray[np.object_]


@dataclass(frozen=True, slots=True)
class Scatter:
    """The scatter of columns about their means.

    Attributes
    ----------
    rows : int
        The number of rows.
    correlations : ndarray
        The correlation of each pair of columns; NaN for constant columns.
    logs : ndarray
        The log of each column's sum of squared deviations; minus infinity for constant columns.
    error : float
        A bound on the error of a correlation.
    """

    rows: int
    correlations: NDArray[np.float64]
    logs: NDArray[np.float64]
    error: float


def scatter_of(values: NDArray[np.float64]) -> Scatter:
    """Return the scatter of the columns of finite numbers, of at least one and at most 2^27 rows.

    >>> found = scatter_of(np.array([[1.0, 5.0], [2.0, 1.0], [3.0, 3.0]]))
    >>> found.correlations.round(9).tolist(), np.exp(found.logs).round(9).tolist()
    ([[1.0, -0.5], [-0.5, 1.0]], [2.0, 8.0])
    """
    m, n = values.shape
    columns = IntegerColumns.of(values)
    deviations = columns.sums().scatter
    logs = np.full(n, -np.inf)
    correlations = np.full((n, n), np.nan)
    for i in range(n):
        if deviations[i, i] > 0:
            unit = 2 * columns.exponents[i] * natural_log(2)
            logs[i] = natural_log(deviations[i, i]) - natural_log(m) + unit
    roots = [math.sqrt(deviations[i, i]) for i in range(n)]
    for i in range(n):
        for j in range(n):
            if roots[i] > 0 and roots[j] > 0:
                correlations[i, j] = 1.0 if i == j else deviations[i, j] / (roots[i] * roots[j])
    # A row differs by half a unit from rounding, and by half from the subtraction of the mean, relative to a column
    # whose largest number has all bits; this holds for both columns. The rest are a few operations.
    return Scatter(m, correlations, logs, 4 * math.sqrt(m) * 2.0**-_BITS + 4 * EPSILON)


def _digits(integers: NDArray[np.float64], bits: int) -> list[NDArray[np.float64]]:
    """Return the digits of integers, lowest first: each has so many bits and a sign."""
    digits = []
    rest = integers
    for _ in range(-(-_BITS // bits) - 1):
        higher = np.rint(np.ldexp(rest, -bits))
        digits.append(rest - np.ldexp(higher, bits))
        rest = higher
    digits.append(rest)
    return digits


def _sums(digits: list[NDArray[np.float64]], bits: int) -> list[int]:
    """Return the sums of all columns, as Python integers."""
    parts = [digit.astype(np.int64).sum(axis=0).tolist() for digit in digits]
    return [sum(part << (bits * i) for i, part in enumerate(column)) for column in zip(*parts, strict=True)]


def _products(digits: list[NDArray[np.float64]], bits: int) -> NDArray[np.object_]:
    """Return the sums of products of all pairs of columns, as Python integers."""
    total = np.zeros((digits[0].shape[1],) * 2, dtype=np.object_)
    for a, first in enumerate(digits):
        for b, second in enumerate(digits[: a + 1]):
            exact = (first.T @ second).astype(np.int64).astype(np.object_)
            total += (exact if a == b else exact + exact.T) * (1 << (bits * (a + b)))
    return total
