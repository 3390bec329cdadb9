"""What the kind of a column is guessed from: its different values, how often each occurs, and their order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from dagscape.data.kinds.written_numbers import plain_numbers
from dagscape.data.tables.columns import Column, TextColumn
from dagscape.data.tables.numbers import EXACT_INTEGERS, Floats, Kind, kind_of, kind_of_numbers, parse_numbers

# Of a column of very many numbers, so many cells are looked at as they are written.
_EXAMPLES = 1000

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ColumnProfile:
    """What there is to know of a column without its rows.

    Attributes
    ----------
    values : tuple of str
        Its different values as they are written; of very many numbers, only some.
    numbers : ndarray of float64 or None
        Its different numbers in ascending order; None if a value is not a number.
    counts : ndarray of int64
        How often each number occurs or, without numbers, each value.
    rows : int
        The number of its cells that are not missing.
    kind : str
        What its cells are, as in :func:`~dagscape.data.tables.numbers.kind_of`.
    declared : bool
        Whether the source declares its levels.
    unevenness : float
        The standard deviation of the steps from row to row, divided by their mean, if all rise; otherwise, or if the
        order of the rows is not known, infinite.
    written : str
        How numbers are written that are more than digits, such as ``"%"``; empty if they are not.
    """

    values: tuple[str, ...]
    numbers: Floats | None
    counts: Counts
    rows: int
    kind: Kind
    declared: bool = False
    unevenness: float = np.inf
    written: str = ""

    @property
    def distinct(self) -> int:
        """The number of different values."""
        return int(self.counts.size)

    @cached_property
    def example(self) -> str:
        """A value, for messages."""
        return self.values[0] if self.values else ""

    @property
    def largest_share(self) -> float:
        """The share of the rows that hold the most frequent value."""
        return float(self.counts.max() / self.counts.sum())


def profile_of(column: Column) -> ColumnProfile:
    """Return the profile of a column of a table.

    Examples
    --------
    >>> from dagscape.data.tables.coding import column_from_strings
    >>> found = profile_of(column_from_strings(["2", "1", "2"]))
    >>> found.numbers.tolist(), found.counts.tolist(), found.kind
    ([1.0, 2.0], [1, 2], 'integers')
    """
    present = ~column.gaps
    if isinstance(column, TextColumn):
        counts = column.counts()
        used = np.flatnonzero(counts)
        values = tuple([column.values[code] for code in used.tolist()])
        return _text_profile(values, counts[used], column.declared, None if column.declared else column.numbers())
    cells = column.numbers()
    assert cells is not None
    numbers, counts = np.unique(cells[present], return_counts=True)
    rows = np.flatnonzero(present)[:: 1 + int(present.sum()) // _EXAMPLES]
    values = tuple(dict.fromkeys(column.cell(row) for row in rows.tolist()))
    return ColumnProfile(
        values, numbers, counts, int(present.sum()), column.kind, unevenness=_unevenness(cells[present])
    )


def profile_of_levels(levels: Sequence[str], counts: Counts) -> ColumnProfile:
    """Return the profile of levels that occur so often; the order of the rows is not known.

    Examples
    --------
    >>> profile_of_levels(["no", "yes", "maybe"], np.array([2, 1, 0])).values
    ('no', 'yes')
    """
    used = np.flatnonzero(counts)
    return _text_profile(tuple([levels[code] for code in used.tolist()]), counts[used], declared=False, cells=None)


def _text_profile(values: tuple[str, ...], counts: Counts, declared: bool, cells: Floats | None) -> ColumnProfile:
    kind, rows, written = kind_of(values), int(counts.sum()), ""
    numbers = plain_numbers(values)
    if kind == "labels" and numbers is not None and parse_numbers(values) is None:
        kind, written = "decimals", next(sign for sign in (*"%$€£", "") if sign in values[0])
    if kind == "labels" or numbers is None:
        return ColumnProfile(values, None, counts, rows, kind, declared)
    order = np.argsort(numbers, kind="stable")
    found = np.unique(numbers)
    totals = np.zeros(found.size, dtype=np.int64)
    np.add.at(totals, np.searchsorted(found, numbers), counts)
    values = tuple([values[place] for place in order.tolist()])
    uneven = np.inf if cells is None else _unevenness(cells[~np.isnan(cells)])
    return ColumnProfile(values, found, totals, rows, kind, declared, uneven, written)


def _unevenness(cells: Floats) -> float:
    """Return how much the steps between numbers differ, if all numbers rise."""
    if cells.size < 3 or not np.all(np.abs(cells) < EXACT_INTEGERS):
        return np.inf
    steps = np.diff(cells)
    return float(steps.std() / steps.mean()) if (steps > 0).all() else np.inf


def is_finite_kind(numbers: Floats) -> bool:
    """Whether all numbers are finite.

    >>> is_finite_kind(np.array([1.0, np.inf]))
    False
    """
    return kind_of_numbers(numbers) != "labels" and bool(np.isfinite(numbers).all())
