r"""Tests of whether cells are missing completely at random.

*Little's test* [little1988]_ is for columns of numbers. Rows are grouped by which columns they have; if gaps depend on
nothing, the means of all groups are those of one normal distribution. With its moments μ and Σ by maximum likelihood,
and the mean :math:`\bar y_j` of the :math:`m_j` rows of group *j* in their :math:`p_j` columns,

.. math:: d^2 = \sum_j m_j (\bar y_j - μ_j)^T Σ_j^{-1} (\bar y_j - μ_j)

has about a χ² distribution with :math:`\sum_j p_j - p` degrees of freedom.

*For each pair of columns*, whether one is missing is compared with what the other holds: its levels by Pearson's χ²
test, and its numbers by the test of Mann and Whitney [mann1947]_, which compares ranks, and so is not misled by a few
very large numbers. Equal numbers have their mean rank, and the variance of the rank sum allows for them. The squared
deviation of that sum, in units of its variance, has about a χ² distribution with 1 degree of freedom.

Both approximations need rows. Levels are tested only if all expected counts are at least 5; levels that are too rare,
the rarest first, count as one. Numbers are tested only if at least 5 rows without the most frequent number are expected
with a gap, and as many without one. The p-values of all tests that are left are corrected by Holm's method [holm1979]_.

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

# Rows that are expected with and without a gap, of each level, or beside the most frequent number.
_LEAST_EXPECTED = 5

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
    rows : int
        The number of rows in which the first is missing and the second is not.
    test : str
        ``"chi-square"`` or ``"mann-whitney"``.
    statistic : float
        χ².
    freedom : int
        Its degrees of freedom.
    p_value, adjusted : float
        The p-value, and Holm's for all tests together.
    """

    column: str
    other: str
    rows: Count
    test: str
    statistic: NotNegative
    freedom: Count
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
    codes = {name: np.unique(column[~lacking[name]], return_inverse=True)[1] for name, column in columns.items()}
    found = []
    for name, other in pairs:
        shown = ~lacking[other]
        table = _counts(codes[other], lacking[name][shown], weights[shown])
        result = _mann_whitney(table) if other in measured else _chi_square(table)
        if result is not None:
            found.append((name, other, int(table[0].sum()), *result))
    found.sort(key=lambda test: test[-1])
    tests, adjusted = [], 0.0
    for place, (name, other, rows, kind, statistic, freedom, p_value) in enumerate(found):
        adjusted = max(adjusted, min(1.0, (len(found) - place) * p_value))
        tests.append(GapTest(name, other, rows, kind, statistic, freedom, p_value, adjusted))
    return tests


def _counts(codes: npt.NDArray[np.intp], gaps: npt.NDArray[np.bool_], weights: Weights) -> Floats:
    """Return how many rows with a gap, and without one, have each value, in ascending order."""
    values = int(codes.max(initial=-1)) + 1
    return np.stack([np.bincount(codes[part], weights[part], values) for part in (gaps, ~gaps)])


def _chi_square(counts: Floats) -> tuple[str, float, int, float] | None:
    """Return Pearson's test of levels, the rarest of which are pooled."""
    from scipy.special import chdtrc

    totals = counts.sum(axis=0)
    if not counts.sum(axis=1).all():
        return None
    # An expected count in the smaller of both groups is its share of a level's rows.
    least = _LEAST_EXPECTED * totals.sum() / counts.sum(axis=1).min()
    order = np.argsort(totals, kind="stable")
    # Pooled are all levels that are too rare, and more of them if they are too rare together.
    pooled = max(np.searchsorted(totals[order], least), 1 + np.searchsorted(np.cumsum(totals[order]), least))
    counts = np.column_stack([counts[:, order[:pooled]].sum(axis=1), counts[:, order[pooled:]]])
    if counts.shape[1] < 2:
        return None
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    statistic = float(((counts - expected) ** 2 / expected).sum())
    freedom = counts.shape[1] - 1
    return "chi-square", statistic, freedom, float(chdtrc(freedom, statistic))


def _mann_whitney(counts: Floats) -> tuple[str, float, int, float] | None:
    """Return the test of Mann and Whitney of numbers beside gaps against the others."""
    from scipy.special import chdtrc

    sizes, ties = counts.sum(axis=1), counts.sum(axis=0)
    total = float(ties.sum())
    if not sizes.all() or sizes.min() * (1 - ties.max() / total) < _LEAST_EXPECTED:
        return None
    ranks = np.cumsum(ties) - (ties - 1) / 2
    apart = counts[0] @ ranks - sizes[0] * (total + 1) / 2
    variance = sizes[0] * sizes[1] / 12 * (total + 1 - (ties**3 - ties).sum() / (total * (total - 1)))
    statistic = float(apart**2 / variance)
    return "mann-whitney", statistic, 1, float(chdtrc(1, statistic))
