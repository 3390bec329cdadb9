"""The order of rows of numbers, so that nothing depends on the order in which they were given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from dagscape.data.tables.interventions import Marks
from dagscape.data.tables.numbers import Floats


def row_order(values: Floats, marks: Marks | None) -> npt.NDArray[np.intp]:
    """Return the order of the rows: by their numbers, then by their marks; missing cells are last.

    Parameters
    ----------
    values : ndarray of float64
        Rows × variables; NaN for a missing cell.
    marks : ndarray of bool or None
        Rows × variables: whether the variable was set.

    Examples
    --------
    >>> row_order(np.array([[2.0, np.nan], [2.0, 1.0], [0.5, 3.0]]), None).tolist()
    [2, 1, 0]
    """
    keys = [*values.T, *(() if marks is None else marks.T)]
    used = 1
    while True:
        # The first column of measurements often decides alone, and sorting by all columns would be slow.
        order = np.lexsort(keys[:used][::-1])
        if used >= len(keys) or not _has_ties(keys[:used], order):
            return order
        used *= 2


def _has_ties(keys: Sequence[npt.NDArray[Any]], order: npt.NDArray[np.intp]) -> bool:
    tied = np.ones(max(order.size - 1, 0), dtype=np.bool_)
    for key in keys:
        ranked = key[order]
        tied &= (ranked[1:] == ranked[:-1]) | (np.isnan(ranked[1:]) & np.isnan(ranked[:-1]))
    return bool(tied.any())
