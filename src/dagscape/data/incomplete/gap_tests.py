r"""Tests of whether cells are missing completely at random.

*Little's test* [little1988]_ is for columns of numbers. Rows are grouped by which columns they have; if gaps depend on
nothing, the means of all groups are those of one normal distribution. With its moments μ and Σ by maximum likelihood,
and the mean :math:`\bar y_j` of the :math:`m_j` rows of group *j* in their :math:`p_j` columns,

.. math:: d^2 = \sum_j m_j (\bar y_j - μ_j)^T Σ_j^{-1} (\bar y_j - μ_j)

has about a χ² distribution with :math:`\sum_j p_j - p` degrees of freedom.

*For each pair of columns*, whether one is missing is compared with what the other holds: its levels by Pearson's χ²
test, if every expected count is at least 1, and its numbers by Welch's t-test [welch1947]_. The p-values of all of
these tests are corrected by Holm's method [holm1979]_.

Both tests can show that gaps depend on what was observed. None can show that they do not depend on what was not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import numpy.typing as npt

from dagscape.data.incomplete.normal_moments import normal_moments
from dagscape.data.tables.numbers import Floats
from dagscape.results.decoding import Between, Count, NotNegative

# Little's test is for so many columns and groups: each iteration of EM takes a decomposition for each group.
MOST_COLUMNS, MOST_GROUPS = 60, 1000

# Pairs of columns that are tested: of more, those whose first column has the most gaps.
MOST_PAIRS = 4000

_LEAST_EXPECTED = 1.0

Weights = npt.NDArray[np.int64]

_Probability = Annotated[float, Between(0.0, 1.0)]


@dataclass(frozen=True, slots=True)
class LittleTest:
    """Little's test.

    Attributes
    ----------
    columns : tuple of str
        The columns of numbers.
    groups : int
        The number of groups of rows that have the same columns.
    statistic : float
        d².
    freedom : int
        Its degrees of freedom.
    p_value : float
        The probability of a d² as large if gaps depend on nothing.
    """

    columns: tuple[str, ...]
    groups: Count
    statistic: NotNegative
    freedom: Count
    p_value: _Probability


@dataclass(frozen=True, slots=True)
class GapTest:
    """A test of whether gaps of a column depend on another column.

    Attributes
    ----------
    column, other : str
        The column with gaps, and the other one.
    test : str
        ``"chi-square"`` or ``"welch"``.
    statistic : float
        χ², or the absolute value of t.
    freedom : float
        Its degrees of freedom.
    p_value, adjusted : float
        The p-value, and Holm's for all tests together.
    """

    column: str
    other: str
    test: str
    statistic: NotNegative
    freedom: Annotated[float, Between(0.0)]
    p_value: _Probability
    adjusted: _Probability


def little_test(names: Sequence[str], values: Floats, weights: Weights) -> LittleTest | None:
    """Return Little's test of columns of numbers; None if there is nothing to test, or too much.

    Parameters
    ----------
    names : sequence of str
        The columns.
    values : array, rows × columns
        The numbers, NaN where a cell is missing.
    weights : array of int
        How often each row counts.
    """
    from scipy.special import chdtrc

    if len(names) < 2 or len(names) > MOST_COLUMNS or not np.isnan(values).any():
        return None
    if len(np.unique(np.isnan(values), axis=0)) > MOST_GROUPS or (found := normal_moments(values, weights)) is None:
        return None
    statistic, freedom = 0.0, -len(names)
    for seen, rows in found.patterns:
        own = weights[rows]
        apart = own @ values[np.ix_(rows, np.flatnonzero(seen))] / own.sum() - found.mean[seen]
        statistic += float(own.sum() * apart @ np.linalg.solve(found.covariance[np.ix_(seen, seen)], apart))
        freedom += int(seen.sum())
    if freedom < 1:
        return None
    return LittleTest(tuple(names), len(found.patterns), statistic, freedom, float(chdtrc(freedom, statistic)))


def gap_tests(columns: Mapping[str, Floats], measured: Sequence[str], weights: Weights) -> list[GapTest]:
    """Return the tests of all pairs of columns, the smallest p-value first.

    Parameters
    ----------
    columns : mapping of str to array
        The numbers of measured columns, and numbers of the levels of others; NaN where a cell is missing.
    measured : sequence of str
        The measured ones.
    weights : array of int
        How often each row counts.
    """
    lacking = {name: np.isnan(column) for name, column in columns.items()}
    gappy = sorted(
        (name for name in columns if lacking[name].any()), key=lambda name: -int(weights[lacking[name]].sum())
    )
    pairs = [(name, other) for name in gappy for other in columns if other != name][:MOST_PAIRS]
    found = []
    for name, other in pairs:
        shown = ~lacking[other]
        cells, gaps, own = columns[other][shown], lacking[name][shown], weights[shown]
        result = _welch(cells, gaps, own) if other in measured else _chi_square(cells, gaps, own)
        if result is not None:
            found.append((name, other, *result))
    found.sort(key=lambda test: test[-1])
    tests, adjusted = [], 0.0
    for place, (name, other, kind, statistic, freedom, p_value) in enumerate(found):
        adjusted = max(adjusted, min(1.0, (len(found) - place) * p_value))
        tests.append(GapTest(name, other, kind, statistic, freedom, p_value, adjusted))
    return tests


def _chi_square(cells: Floats, gaps: npt.NDArray[np.bool_], weights: Weights) -> tuple[str, float, float, float] | None:
    """Return Pearson's test of levels against gaps."""
    from scipy.special import chdtrc

    if not gaps.any() or gaps.all():
        return None
    levels, codes = np.unique(cells, return_inverse=True)
    counts = np.stack([np.bincount(codes[part], weights[part], len(levels)) for part in (gaps, ~gaps)])
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    if len(levels) < 2 or expected.min() < _LEAST_EXPECTED:
        return None
    statistic = float(((counts - expected) ** 2 / expected).sum())
    return "chi-square", statistic, float(len(levels) - 1), float(chdtrc(len(levels) - 1, statistic))


def _welch(cells: Floats, gaps: npt.NDArray[np.bool_], weights: Weights) -> tuple[str, float, float, float] | None:
    """Return Welch's test of numbers beside gaps against the others."""
    from scipy.special import stdtr

    means, errors, counts = [], [], []
    for part in (gaps, ~gaps):
        own, x = weights[part], cells[part]
        count = float(own.sum())
        if count < 2:
            return None
        mean = own @ x / count
        means.append(mean)
        errors.append(own @ (x - mean) ** 2 / (count - 1) / count)
        counts.append(count)
    total = errors[0] + errors[1]
    if not total > 0:
        return None
    statistic = abs(means[0] - means[1]) / total**0.5
    freedom = total**2 / sum(error**2 / (count - 1) for error, count in zip(errors, counts, strict=True))
    return "welch", float(statistic), float(freedom), float(2 * stdtr(freedom, -statistic))
