"""Segments of the rows: those that agree on all variables that a curriculum has not selected yet.

The variables are selected in a fixed sequence. If the rows are sorted by the *last* variable of the sequence first,
then by the last but one and so on, the rows of a segment are consecutive, whatever the stage. It ends between two
neighbouring rows if the last variable in which they differ has not been selected.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

# Rows that are compared at a time, to bound the memory.
_BLOCK = 4096


class Segments:
    """The segments of a table of codes, for each number of selected variables.

    Parameters
    ----------
    codes : array of int
        Rows × variables.
    sequence : sequence of int
        The variables in the order in which they are selected.

    Examples
    --------
    >>> segments = Segments(np.array([[0, 0], [0, 1], [1, 1]]), [0, 1])
    >>> [segments.count(selected) for selected in range(3)]
    [3, 2, 1]
    >>> segments.numbers(1).tolist()
    [0, 1, 1]
    """

    def __init__(self, codes: NDArray[np.unsignedinteger], sequence: Sequence[int]) -> None:
        columns = list(sequence)
        self._order = np.lexsort(codes[:, columns].T)
        # For each row but the first: how many variables must be selected before it joins the row above.
        self._joins = np.empty(len(codes) - 1, dtype=np.int64)
        for start in range(0, len(self._joins), _BLOCK):
            rows = codes[self._order[start : start + _BLOCK + 1]][:, columns]
            differ = rows[1:] != rows[:-1]
            last = len(columns) - np.argmax(differ[:, ::-1], axis=1)
            self._joins[start : start + len(differ)] = np.where(differ.any(axis=1), last, 0)

    def count(self, selected: int) -> int:
        """Return the number of segments after a number of variables have been selected."""
        return 1 + int(np.count_nonzero(self._joins > selected))

    def numbers(self, selected: int) -> NDArray[np.uint32]:
        """Return the number of the segment of each row."""
        numbers = np.zeros(len(self._order), dtype=np.uint32)
        numbers[self._order[1:]] = np.cumsum(self._joins > selected)
        return numbers
