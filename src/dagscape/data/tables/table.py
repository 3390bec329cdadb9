"""Tables as read: columns of text and of numbers, before levels and missing cells are interpreted.

Every source (file, frame, array) is first converted to this form, so that levels, missing cells, interventions
and discretising are handled in one place.
"""

from __future__ import annotations

from collections.abc import Sized
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

from dagscape.core.checks import check_unicode
from dagscape.core.errors import InvalidData
from dagscape.data.tables.columns import Column
from dagscape.data.tables.numbers import parse_numbers

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """The columns of a table, and its source.

    Attributes
    ----------
    names : tuple of str
        The names of the columns.
    columns : tuple of Column
        The columns, all of the same length.
    rows : ndarray of int64
        The position of each row in its source, for messages.
    unit : str
        What `rows` counts: ``"line"`` (of a file, from 1), ``"row"`` (of a frame or array, from 0) or ``"sheet row"``
        (of a spreadsheet, from 1).
    source : str
        What to call the source in messages.
    counts : ndarray of int64 or None
        How many times each row counts; None: once.
    counted_by : str or None
        The column that the counts come from, which is no longer among the columns.

    Examples
    --------
    >>> from dagscape.data.tables.coding import column_from_strings
    >>> columns = (column_from_strings(["no", "yes"]),)
    >>> table = Table(("answer",), columns, np.array([2, 3]), "line", "'poll.csv'")
    >>> table.m, table.column("answer").values, table.where(1)
    (2, ('no', 'yes'), 'line 3')
    """

    names: tuple[str, ...]
    columns: tuple[Column, ...]
    rows: npt.NDArray[np.int64]
    unit: Literal["line", "row", "sheet row"]
    source: str
    counts: npt.NDArray[np.int64] | None = None
    counted_by: str | None = None
    _places: dict[str, int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        check_names(self.names, self.source)
        if self.m == 0:
            raise InvalidData(f"{self.source} has a header but no rows; it must have at least one row")
        object.__setattr__(self, "_places", {name: place for place, name in enumerate(self.names)})

    @property
    def m(self) -> int:
        """The number of rows, each counted once."""
        return int(self.rows.size)

    @property
    def total(self) -> int:
        """The number of rows, each as often as it counts."""
        return self.m if self.counts is None else int(self.counts.sum())

    @property
    def missing(self) -> dict[str, int]:
        """The number of missing cells of each column, in each row as often as it counts."""
        return {name: self.count(column.gaps) for name, column in zip(self.names, self.columns, strict=True)}

    def count(self, rows: npt.NDArray[np.bool_]) -> int:
        """Return how many rows some rows count as."""
        return int(np.count_nonzero(rows) if self.counts is None else self.counts[rows].sum())

    def place(self, name: str) -> int:
        """Return the index of the column of that name."""
        return self._places[name]

    def column(self, name: str) -> Column:
        """Return the column of that name."""
        return self.columns[self._places[name]]

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def where(self, row: int) -> str:
        """Return the position of a row in the source, in words."""
        place = int(self.rows[row])
        if self.unit == "sheet row":
            return f"row {place} of the sheet"
        return f"line {place}" if self.unit == "line" else f"row {place} (counted from 0)"

    def only(self, names: Sequence[str]) -> Table:
        """Return the table of some columns."""
        return self.with_columns(names, [self.column(name) for name in names])

    def matched(self, levels: Mapping[str, Sequence[str]]) -> Table:
        """Return the table with the cells of some columns matched with levels, as in :meth:`Column.matched`."""
        pairs = zip(self.names, self.columns, strict=True)
        columns = [column.matched(levels[name]) if name in levels else column for name, column in pairs]
        return self.with_columns(self.names, columns)

    def take(self, rows: npt.NDArray[np.bool_]) -> Table:
        """Return the table of some rows; they keep their positions in the source."""
        columns = tuple(column.take(rows) for column in self.columns)
        counts = None if self.counts is None else self.counts[rows]
        return replace(self, columns=columns, rows=self.rows[rows], counts=counts)

    def repeated(self) -> Table:
        """Return the table with each row as often as it counts."""
        if self.counts is None:
            return self
        rows = np.repeat(np.arange(self.m), self.counts)
        columns = tuple(column.repeat(self.counts) for column in self.columns)
        return replace(self, columns=columns, rows=self.rows[rows], counts=None, counted_by=None)

    def without(self, name: str) -> Table:
        """Return the table without one of its columns."""
        kept = [index for index, other in enumerate(self.names) if other != name]
        return self.with_columns([self.names[i] for i in kept], [self.columns[i] for i in kept])

    def with_counts(self, counts: npt.NDArray[np.int64], counted_by: str | None) -> Table:
        """Return the same rows, each counted as often as given, and the column that says so, if there is one."""
        return replace(self, counts=counts, counted_by=counted_by)

    def with_columns(self, names: Sequence[str], columns: Sequence[Column]) -> Table:
        """Return the same rows with other columns."""
        return replace(self, names=tuple(names), columns=tuple(columns))


def check_names(names: Sequence[str], source: str) -> None:
    """Check that a table has columns, and that their names are distinct and not empty."""
    if not names:
        raise InvalidData(f"{source} has no columns; it must have at least one")
    seen: set[str] = set()
    for position, name in enumerate(names, start=1):
        if not name:
            raise unnamed_column(source, position)
        if name in seen:
            header = "" if parse_numbers(names) is None else ", and the first line must have the names, not numbers"
            raise InvalidData(f"{source} has more than one column called {name!r}: names must differ{header}")
        seen.add(name)
    check_unicode(names, f"the name of a column of {source}")


def unnamed_column(source: str, position: int) -> InvalidData:
    """Return the error about a column without a name, given its position from 1."""
    numbers = ", or leave out the row numbers (index=False in pandas)" if position == 1 else ""
    return InvalidData(f"{source} has no name for column {position}: give every column a name{numbers}")


def listing(items: Iterable[object], limit: int = 8) -> str:
    """List items for a message; the rest of a long list is a count.

    Examples
    --------
    >>> listing("abc", limit=2)
    "'a', 'b' and 1 more"
    """
    listed = items if isinstance(items, Sized) else list(items)
    shown = ", ".join(repr(item) for item in islice(listed, limit))
    return shown if len(listed) <= limit else f"{shown} and {len(listed) - limit} more"
