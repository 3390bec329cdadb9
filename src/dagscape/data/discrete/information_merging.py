"""Merging adjacent intervals so that the columns of a table keep as much information about each other as they can.

The problem: columns of numbers have been cut into many intervals each, and few are wanted. Hartemink's method
[hartemink2001]_ merges two adjacent intervals of one column at a time: those whose merging loses least of the total
pairwise mutual information

    T = Σ_{u < v} I(u; v),      N·I(u; v) = Σ_ij f(c_ij) - Σ_i f(r_i) - Σ_j f(s_j) + f(N),      f(x) = x log2 x,

until each column has as many as are wanted. Merging the levels a and b of v loses

    N·Δ = Σ_{j not in v} [f(c_aj) + f(c_bj) - f(c_aj + c_bj)] - (n - 1) [f(r_a) + f(r_b) - f(r_a + r_b)]  ≥  0,

where j runs over the levels of all other columns. Ties are broken in favour of the merged interval with the fewest
rows, then of the first column, then of the lowest interval.

Rows count as often as their weights say: all counts, and N, are those of the repeated rows.

The cost: joint counts of all pairs of columns, from one pass over the rows for each, and S² numbers for S levels in
all; then a step for each merged pair that changes two rows and columns of them, O(S).

Terms are integers, in units of a small fraction of a bit: sums do not depend on the order of rows, and merges count as
equally good if rounding may be all that tells them apart.

Notation
    ``counts[a, j]`` is c_aj, the joint counts of all levels of all columns; those of two levels of one column are 0.
    ``rows[a]`` is r_a, and `_Terms` is f.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dagscape.core.errors import argument
from dagscape.core.resources import check_memory
from dagscape.core.wording import plural
from dagscape.data.discrete.cut_rules import Counts, FixedPointTerms

# The most cells that are counted at once.
_CELLS_AT_ONCE = 1 << 22


@dataclass(frozen=True, slots=True)
class Levels:
    """A column for merging.

    Attributes
    ----------
    codes : ndarray of int
        The level of each row, from 0.
    count : int
        The number of levels.
    intervals : int
        How many of them, the first, are intervals in ascending order, which may be merged.
    wanted : int
        How many intervals should be left.
    """

    codes: npt.NDArray[np.intp]
    count: int
    intervals: int = 0
    wanted: int = 0


def merged_intervals(
    columns: Sequence[Levels], max_memory: int | str | None = None, weights: Counts | None = None
) -> list[list[int]]:
    """Return, for each column, the number of the last of the old intervals in each new one, but the last one.

    Parameters
    ----------
    columns : sequence of Levels
        The columns.
    max_memory : int or str, optional
        Limit on memory for the joint counts.
    weights : ndarray of int64, optional
        How many times each row counts. Default: once.

    Examples
    --------
    >>> first = Levels(np.array([0, 0, 1, 1, 2, 2]), 3, intervals=3, wanted=2)
    >>> second = Levels(np.array([0, 0, 0, 0, 1, 1]), 2)
    >>> merged_intervals([first, second])
    [[1], []]
    """
    ends = np.cumsum([column.count for column in columns])
    levels = int(ends[-1])
    remedy = f"a lower {argument('initial_bins')}, or fewer columns, need less"
    joint = f"joint counts of {plural(levels, 'level')} of all columns"
    check_memory(2 * 8 * levels**2, max_memory, joint, remedy)
    state = _Merging(columns, ends - [column.count for column in columns], weights)
    while state.merge_one():
        pass
    return state.kept()


class _Merging:
    """Joint counts of all levels, and what merging each with the next one loses."""

    def __init__(self, columns: Sequence[Levels], starts: npt.NDArray[np.intp], weights: Counts | None) -> None:
        self._columns, self._starts = columns, starts
        self._owner = np.repeat(np.arange(len(columns)), [column.count for column in columns])
        self._counts = _joint_counts(columns, starts, weights)
        total = columns[0].codes.size if weights is None else int(weights.sum())
        self._rows = np.concatenate([_counted(column.codes, weights, column.count) for column in columns])
        self._terms = FixedPointTerms(total, len(columns))
        # Each term is off by half a unit; two losses are compared, each with three terms for every level.
        self._slack = 3 * (self._owner.size + len(columns))
        # The pairs of adjacent intervals, in the order of columns and intervals.
        self._left = np.concatenate(
            [start + np.arange(max(column.intervals - 1, 0)) for start, column in zip(starts, columns, strict=True)]
        ).astype(np.intp)
        self._right = self._left + 1
        self._losses = np.array([self._loss(*pair) for pair in zip(self._left, self._right, strict=True)], np.int64)
        self._surplus = np.array([column.intervals - column.wanted for column in columns])

    def merge_one(self) -> bool:
        """Merge the pair that loses least of the columns that have too many intervals, if there is one."""
        open_pairs = np.flatnonzero(self._surplus[self._owner[self._left]] > 0)
        if not open_pairs.size:
            return False
        losses = self._losses[open_pairs]
        best = open_pairs[losses <= losses.min() + self._slack]
        merged = self._rows[self._left[best]] + self._rows[self._right[best]]
        self._merge(int(best[np.argmin(merged)]))
        return True

    def kept(self) -> list[list[int]]:
        """Return the last old interval of each new one but the last, by column."""
        found: list[list[int]] = []
        for number, (start, column) in enumerate(zip(self._starts.tolist(), self._columns, strict=True)):
            # Each interval has the number of the lowest of those that were merged.
            rights = self._right[self._owner[self._left] == number] if column.intervals > 1 else np.empty(0, np.intp)
            found.append([int(right) - start - 1 for right in rights])
        return found

    def _merge(self, place: int) -> None:
        a, b = int(self._left[place]), int(self._right[place])
        column = self._owner[a]
        others = np.flatnonzero(self._owner[self._left] != column)
        self._losses[others] -= self._share(others, a) + self._share(others, b)
        self._counts[a] += self._counts[b]
        self._counts[:, a] += self._counts[:, b]
        self._counts[b] = 0
        self._counts[:, b] = 0
        self._rows[a] += self._rows[b]
        self._rows[b] = 0
        self._surplus[column] -= 1
        self._losses[others] += self._share(others, a)
        if place + 1 < self._left.size and self._left[place + 1] == b:
            self._left[place + 1] = a
        self._left, self._right, self._losses = (
            np.delete(values, place) for values in (self._left, self._right, self._losses)
        )
        for pair in (place - 1, place):
            if 0 <= pair < self._left.size and a in (self._left[pair], self._right[pair]):
                self._losses[pair] = self._loss(int(self._left[pair]), int(self._right[pair]))

    def _share(self, pairs: npt.NDArray[np.intp], level: int) -> Counts:
        """Return what one level of another column adds to the losses of some pairs."""
        first, second = self._counts[self._left[pairs], level], self._counts[self._right[pairs], level]
        return self._gain(first, second)

    def _loss(self, a: int, b: int) -> int:
        """Return what merging two levels loses, N·Δ."""
        joint = int(self._gain(self._counts[a], self._counts[b]).sum())
        return joint - (len(self._columns) - 1) * int(self._gain(self._rows[a], self._rows[b]))

    def _gain(self, first: Counts, second: Counts) -> Counts:
        terms = self._terms
        found: Counts = terms.of(first) + terms.of(second) - terms.of(first + second)
        return found


def _joint_counts(columns: Sequence[Levels], starts: npt.NDArray[np.intp], weights: Counts | None) -> Counts:
    """Return the joint counts of the levels of all pairs of different columns."""
    places = np.stack([column.codes + start for column, start in zip(columns, starts.tolist(), strict=True)], axis=1)
    size = int(starts[-1]) + columns[-1].count
    counts = np.zeros((size, size), dtype=np.int64)
    step = max(_CELLS_AT_ONCE // len(columns), 1)
    for number, (start, column) in enumerate(zip(starts.tolist(), columns, strict=True)):
        block = counts[start : start + column.count]
        for first in range(0, len(places), step):
            part = places[first : first + step]
            cells = (column.codes[first : first + step, np.newaxis] * size + part).ravel()
            counted = None if weights is None else np.repeat(weights[first : first + step], len(columns))
            block += _counted(cells, counted, column.count * size).reshape(column.count, size)
        end = start + columns[number].count
        block[:, start:end] = 0
    return counts


def _counted(cells: npt.NDArray[np.intp], weights: Counts | None, count: int) -> Counts:
    """Return how often each cell occurs, each as often as its row counts."""
    # There are less than 2**32 rows, so that sums are exact in floating point.
    return np.bincount(cells, weights, minlength=count).astype(np.int64, copy=False)
