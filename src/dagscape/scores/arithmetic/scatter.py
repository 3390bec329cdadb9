"""Scatter matrices that do not depend on the order of the rows, on threads or on the platform.

A sum of products in floating point depends on the order of its terms. Here the columns become integers of up to 52
bits, relative to their largest deviation from the mean, and each integer is split into four digits of 13 bits. Products
of matrices of digits have entries below 2^53 for up to 2^27 rows, so that any library multiplies them without rounding.
Their sums, m Σ q_i q_j − Σ q_i Σ q_j, are exact integers: m times the scatter of the integers about their means.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dagscape.scores.arithmetic.logarithms import natural_log
from dagscape.scores.arithmetic.rounding import EPSILON

_DIGIT_BITS = 13
_DIGITS = 4
_BITS = _DIGIT_BITS * _DIGITS

MOST_ROWS = 2 ** (53 - 2 * _DIGIT_BITS)


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
    integers, exponents = _integers(values)
    digits = _digits(integers)
    sums, products = _sums(digits), _products(digits)
    deviations = [[m * int(products[i, j]) - sums[i] * sums[j] for j in range(n)] for i in range(n)]
    logs = np.full(n, -np.inf)
    correlations = np.full((n, n), np.nan)
    for i in range(n):
        if deviations[i][i] > 0:
            unit = 2 * (int(exponents[i]) - _BITS) * natural_log(2)
            logs[i] = natural_log(deviations[i][i]) - natural_log(m) + unit
    roots = [math.sqrt(deviations[i][i]) for i in range(n)]
    for i in range(n):
        for j in range(n):
            if roots[i] > 0 and roots[j] > 0:
                correlations[i, j] = 1.0 if i == j else deviations[i][j] / (roots[i] * roots[j])
    # A row differs by half a unit from rounding, and by half from the subtraction of the mean, relative to a column
    # whose largest number has all bits; this holds for both columns. The rest are a few operations.
    return Scatter(m, correlations, logs, 4 * math.sqrt(m) * 2.0**-_BITS + 4 * EPSILON)


def _integers(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return deviations from the means as integers of up to 2^52, and the exponents of their columns."""
    # Neither sums nor deviations of numbers below 1 overflow.
    _, scales = np.frexp(np.abs(values).max(axis=0))
    scaled = np.ldexp(values, -scales)
    # The means need not be exact: what is left of them is subtracted exactly, later.
    deviations = scaled - np.array([math.fsum(column) / len(values) for column in scaled.T])
    deviations[:, values.min(axis=0) == values.max(axis=0)] = 0.0
    _, exponents = np.frexp(np.abs(deviations).max(axis=0))
    exact: NDArray[np.float64] = np.rint(np.ldexp(deviations, _BITS - exponents))
    return exact, scales.astype(np.int64) + exponents


def _digits(integers: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """Return the digits of integers, lowest first: each has 13 bits and a sign."""
    digits = []
    rest = integers
    for _ in range(_DIGITS - 1):
        higher = np.rint(np.ldexp(rest, -_DIGIT_BITS))
        digits.append(rest - np.ldexp(higher, _DIGIT_BITS))
        rest = higher
    digits.append(rest)
    return digits


def _sums(digits: list[NDArray[np.float64]]) -> list[int]:
    """Return the sums of all columns, as Python integers."""
    parts = [digit.astype(np.int64).sum(axis=0).tolist() for digit in digits]
    return [sum(part << (_DIGIT_BITS * i) for i, part in enumerate(column)) for column in zip(*parts, strict=True)]


def _products(digits: list[NDArray[np.float64]]) -> NDArray[np.object_]:
    """Return the sums of products of all pairs of columns, as Python integers."""
    total = np.zeros((digits[0].shape[1],) * 2, dtype=np.object_)
    for a, first in enumerate(digits):
        for b, second in enumerate(digits):
            exact = (first.T @ second).astype(np.int64).astype(np.object_)
            total += exact * (1 << (_DIGIT_BITS * (a + b)))
    return total
