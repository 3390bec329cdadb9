"""Columns of numbers that scores of normal variables take badly: very skewed ones, copies, and very few rows.

Each finding is a sentence with its remedy; nothing is changed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from dagscape.core.errors import FewRows, argument
from dagscape.core.wording import plural
from dagscape.data.tables.numbers import Floats
from dagscape.data.tables.table import listing

# The skewness of normal rows has a standard deviation of sqrt(6/m), that of exponentials is 2, of lognormals 6.2.
_SKEWED = 4.0
_FEWEST_ROWS = 30

# With fewer rows, 1 of 20 pairs of unrelated columns has a correlation beyond 0.63, or more.
ENOUGH_ROWS = 10

# Columns whose correlation differs from 1 or -1 by less are copies, perhaps in another unit.
_COPIES = 1e-9


def measured_warnings(variables: Sequence[str], values: Floats) -> tuple[list[str], list[str]]:
    """Return what to say of very skewed columns, and of columns that copy each other.

    Parameters
    ----------
    variables : sequence of str
        The names of the columns.
    values : ndarray of float64
        Rows × columns.

    Examples
    --------
    >>> rows = np.linspace(-2.0, 2.0, 50)
    >>> skewed, copies = measured_warnings(["a", "b", "c"], np.stack([rows, 3 * rows + 1, np.exp(9 * rows)], axis=1))
    >>> skewed[0].partition(":")[0], copies[0].partition(":")[0]
    ("'c' is very skewed", "'a', 'b' are copies of each other, in the same unit or another")
    """
    complete = values[~np.isnan(values).any(axis=1)]
    if len(complete) < 3:
        return [], []
    # Neither squares nor cubes of numbers up to 1 overflow.
    scaled = complete / np.maximum(np.abs(complete).max(axis=0), np.finfo(float).tiny)
    deviations = scaled - scaled.mean(axis=0)
    largest = np.abs(deviations).max(axis=0)
    vary = largest > 1e-12
    deviations = deviations[:, vary] / largest[vary]
    names = [name for name, varies in zip(variables, vary, strict=True) if varies]
    sds = np.sqrt((deviations**2).mean(axis=0))
    return _skewed(names, (deviations**3).mean(axis=0) / sds**3, len(complete)), _copies(names, deviations / sds)


def _skewed(names: Sequence[str], skewness: Floats, rows: int) -> list[str]:
    found = np.abs(skewness) > _SKEWED
    if rows < _FEWEST_ROWS or not found.any():
        return []
    many = [name for name, skewed in zip(names, found, strict=True) if skewed]
    what = f"{listing(many)} {'are' if len(many) > 1 else 'is'} very skewed"
    return [
        f"{what}: the score takes numbers for normal, and a few large ones can make or hide edges; take logarithms, or "
        "cut the numbers, and compare"
    ]


def _copies(names: Sequence[str], standardized: Floats) -> list[str]:
    correlations = np.abs(standardized.T @ standardized) / len(standardized)
    left, sentences = set(range(len(names))), []
    for i in range(len(names)):
        alike = [j for j in sorted(left) if j >= i and correlations[i, j] > 1 - _COPIES] if i in left else []
        left -= set(alike)
        if len(alike) > 1:
            sentences.append(
                f"{listing([names[j] for j in alike])} are copies of each other, in the same unit or another: leave "
                f"out all but one ({argument('drop')})"
            )
    return sentences


def few_rows(rows: int) -> FewRows | None:
    """Return a warning if there are so few rows that measured variables show next to nothing: fewer than 10.

    It says which correlation 1 of 20 pairs of unrelated normal columns exceeds, by Student's distribution.

    Examples
    --------
    >>> str(few_rows(5))[:65]
    'there are only 5 rows, in which 1 of 20 pairs of unrelated column'
    >>> few_rows(10) is None
    True
    """
    if rows >= ENOUGH_ROWS:
        return None
    if rows <= 2:
        show = "any two measured columns have a correlation of 1 or -1"
    else:
        from scipy.special import stdtrit

        quantile = float(stdtrit(rows - 2, 0.975))
        correlation = quantile / math.hypot(quantile, math.sqrt(rows - 2))
        show = f"1 of 20 pairs of unrelated columns has a correlation beyond {correlation:.3f}"
    return FewRows(
        f"there {'is' if rows == 1 else 'are'} only {plural(rows, 'row')}, in which {show}: the data say next to "
        f"nothing about edges (at least {ENOUGH_ROWS} rows are needed)"
    )
