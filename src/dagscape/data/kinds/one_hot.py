"""One-hot codes: columns of two levels, of which exactly one is set in every row.

They are exact covers of the rows by columns, and found as such: the first row that is not covered yet must be covered
by one of the columns that are set in it and share no row with those chosen so far. Columns of real tables are seldom
exclusive, so that the search ends at once; it is given up after some thousands of steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

# Two columns of which exactly one is set copy each other.
_FEWEST = 3

_MOST_STEPS = 2000
_MOST_GROUPS = 10


def one_hot_groups(
    dense: npt.NDArray[Any], columns: Sequence[int], levels: npt.NDArray[np.intp]
) -> tuple[tuple[int, ...], ...]:
    """Return groups of columns of two levels, of which exactly one has its second level in every row.

    Parameters
    ----------
    dense : ndarray of int
        Rows × columns: the number of the level of each cell.
    columns : sequence of int
        The columns to look at.
    levels : ndarray of int
        The number of levels of each column.

    Examples
    --------
    >>> rows = np.array([[1, 0, 0, 1], [0, 1, 0, 0], [0, 0, 1, 1]])
    >>> one_hot_groups(rows, [0, 1, 2, 3], np.array([2, 2, 2, 2]))
    ((0, 1, 2),)
    """
    binary = [i for i in columns if levels[i] == 2]
    if len(binary) < _FEWEST:
        return ()
    search = _Search(dense[:, binary] == 1)
    search.cover(np.zeros(len(dense), dtype=np.bool_), ())
    return tuple(tuple(sorted(binary[place] for place in group)) for group in search.found if len(group) >= _FEWEST)


class _Search:
    def __init__(self, cells: npt.NDArray[np.bool_]) -> None:
        self._cells = cells
        self._steps = 0
        self.found: list[tuple[int, ...]] = []

    def cover(self, covered: npt.NDArray[np.bool_], chosen: tuple[int, ...]) -> None:
        """Add the columns that cover the first row that is not covered, in turn, and go on."""
        self._steps += 1
        if self._steps > _MOST_STEPS or len(self.found) >= _MOST_GROUPS:
            return
        if covered.all():
            self.found.append(chosen)
            return
        row = int(np.argmin(covered))
        for place in np.flatnonzero(self._cells[row]).tolist():
            if not (self._cells[:, place] & covered).any():
                self.cover(covered | self._cells[:, place], (*chosen, place))
