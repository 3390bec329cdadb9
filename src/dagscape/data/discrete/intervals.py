"""Replacing numbers by intervals, given the cuts.

A *cut* c sends the numbers up to c to the left and those above it to the right. The levels are labels such as
``(-inf,2.45]``, ``(2.45,4.75]``, ``(4.75,inf)``, in that order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from dagscape.data.tables.columns import MISSING, TextColumn
from dagscape.data.tables.numbers import Floats

# As many digits as R's cut() shows, or more if they are needed.
_DIGITS = 3

# The level of a column without cuts.
WHOLE_LINE = "(-inf,inf)"


@dataclass(frozen=True, slots=True)
class Intervals:
    """The intervals of a column.

    Attributes
    ----------
    labels : tuple of str
        Their labels, in ascending order.
    cuts : tuple of float
        The cuts between them, one less than there are intervals.
    widths : tuple of float
        Their widths (:mod:`dagscape.data.discrete.interval_widths`); empty if they were not asked for.
    """

    labels: tuple[str, ...]
    cuts: tuple[float, ...]
    widths: tuple[float, ...] = field(default=(), repr=False)


def fit_intervals(values: Floats, cuts: Floats) -> Intervals:
    """Return the intervals of some numbers: cuts are rounded as far as all numbers stay on their side.

    An interval without numbers is divided between its two neighbours, in the middle.

    Parameters
    ----------
    values : ndarray of float64
        The distinct numbers, in ascending order.
    cuts : ndarray of float64
        The cuts, in ascending order, all below the largest number.

    Examples
    --------
    >>> fit_intervals(np.array([1.5, 4.0]), np.array([2.7512]))
    Intervals(labels=('(-inf,2.75]', '(2.75,inf)'), cuts=(2.75,))
    >>> fit_intervals(np.array([0.0, 9.0]), np.array([3.0, 6.0]))
    Intervals(labels=('(-inf,4.5]', '(4.5,inf)'), cuts=(4.5,))
    """
    used = np.unique(np.searchsorted(cuts, values, side="left")).tolist()
    between = _rounded_cuts(values, np.array([_middle(cuts[low], cuts[high - 1]) for low, high in pairwise(used)]))
    return intervals_between(between)


def intervals_between(cuts: Sequence[float]) -> Intervals:
    """Return the intervals between cuts, just as they are.

    >>> intervals_between([30.0, 50.0]).labels
    ('(-inf,30]', '(30,50]', '(50,inf)')
    """
    bounds = ["-inf", *map(_number_string, cuts), "inf"]
    labels = [f"({low},{high}{')' if high == 'inf' else ']'}" for low, high in pairwise(bounds)]
    return Intervals(tuple(labels), tuple(cuts))


def cut_column(numbers: Floats, cuts: Sequence[float], levels: Sequence[str]) -> TextColumn:
    """Replace the numbers of a column by intervals.

    Parameters
    ----------
    numbers : ndarray of float64
        The number of each cell; NaN for a missing one.
    cuts : sequence of float
        The cuts, in ascending order. Numbers below the first and above the last belong to the first and last interval.
    levels : sequence of str
        The labels of the intervals; others may follow, such as the level of missing cells.

    Examples
    --------
    >>> cut = cut_column(np.array([1.5, 4.0, 4.0, np.nan]), [2.75], ["(-inf,2.75]", "(2.75,inf)"])
    >>> cut.values, cut.codes.tolist()
    (('(-inf,2.75]', '(2.75,inf)'), [0, 1, 1, -1])
    """
    codes = np.searchsorted(np.asarray(cuts, dtype=np.float64), numbers, side="left").astype(np.int32)
    codes[np.isnan(numbers)] = MISSING
    return TextColumn(tuple(levels), codes, declared=True)


def _rounded_cuts(values: Floats, cuts: Floats) -> list[float]:
    found = []
    for cut, right in zip(cuts.tolist(), np.searchsorted(values, cuts, side="right").tolist(), strict=True):
        low, high = float(values[right - 1]), float(values[right])
        rounded = (float(f"{cut:.{digits}g}") for digits in range(_DIGITS, 18))
        # Adding zero turns -0.0 into 0.0.
        found.append(next(number for number in rounded if low <= number < high) + 0.0)
    return found


def _middle(low: float, high: float) -> float:
    return low if low == high else low / 2 + high / 2


def _number_string(number: float) -> str:
    return repr(number).removesuffix(".0")
