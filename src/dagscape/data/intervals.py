"""Replacing numbers by intervals, given the cuts.

A *cut* c sends the numbers up to c to the left and those above it to the right. The levels are labels such as
``(-inf,2.45]``, ``(2.45,4.75]``, ``(4.75,inf)``, in that order.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dagscape.data.table import MISSING, Column

Floats = npt.NDArray[np.float64]

# As many digits as R's cut() shows, or more if they are needed.
_DIGITS = 3


def cut_column(column: Column, values: Floats, rank: npt.NDArray[np.intp], cuts: Floats) -> Column:
    """Replace the numbers of a column by intervals; empty intervals are dropped.

    Parameters
    ----------
    column : Column
        The column.
    values : ndarray of float64
        Its distinct numbers, in ascending order.
    rank : ndarray of int
        For each of the column's strings, the index of its number in `values`.
    cuts : ndarray of float64
        The cuts, in ascending order.

    Examples
    --------
    >>> column = Column(("1.5", "4", "4.0"), np.array([0, 1, 2, -1], dtype=np.int32))
    >>> cut = cut_column(column, np.array([1.5, 4.0]), np.array([0, 1, 1]), np.array([2.75]))
    >>> cut.values, cut.codes.tolist()
    (('(-inf,2.75]', '(2.75,inf)'), [0, 1, 1, -1])
    """
    used, interval = np.unique(np.searchsorted(cuts, values, side="left"), return_inverse=True)
    labels = _interval_labels(values, cuts)
    lookup = np.append(interval[rank], MISSING).astype(np.int32)
    return Column(tuple(labels[index] for index in used.tolist()), lookup[column.codes], declared=True)


def _interval_labels(values: Floats, cuts: Floats) -> list[str]:
    """Return the labels of the intervals; cuts are rounded as far as all values stay on their side."""
    bounds = ["-inf"]
    for cut, right in zip(cuts.tolist(), np.searchsorted(values, cuts, side="right").tolist(), strict=True):
        low, high = float(values[right - 1]), float(values[right])
        rounded = (float(f"{cut:.{digits}g}") for digits in range(_DIGITS, 18))
        bounds.append(_number_string(next(number for number in rounded if low <= number < high)))
    pairs = zip(bounds, [*bounds[1:], "inf"], strict=True)
    return [f"({low},{high}{')' if high == 'inf' else ']'}" for low, high in pairs]


def _number_string(number: float) -> str:
    # Adding zero turns -0.0 into 0.0.
    return repr(number + 0.0).removesuffix(".0")
