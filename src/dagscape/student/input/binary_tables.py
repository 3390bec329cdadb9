"""Tables of zeros and ones as input: what answers and Q-matrices have in common.

A table is a file, a data frame or an array. Its rows have names if its first column names them, or the index of a
pandas frame; its columns, unless it is an array or a pandas frame with numbers in place of names.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from dagscape.core.errors import InvalidData, InvalidOption, brief, type_of
from dagscape.data.reading import ReadingOptions, read_table
from dagscape.data.tables.coding import DEFAULT_MISSING_VALUES, check_missing_values
from dagscape.data.tables.columns import MISSING, Column
from dagscape.data.tables.frames import cell_strings, is_frame, is_missing, table_from_array, table_from_frame
from dagscape.data.tables.numbers import kind_of
from dagscape.data.tables.table import Table
from dagscape.data.tables.value_types import value_of_text

# What cells may hold: numbers as in "1" and "1.0", and booleans as pandas and R write them.
_VALUES = {value_of_text(text): value for text, value in (("0", 0), ("1", 1), ("False", 0), ("True", 1))}

# The code of a cell that holds anything else.
WRONG = 2


class TableOptions(ReadingOptions, total=False):
    """How to read a table, as in :func:`~dagscape.data.reading.read_data`."""

    max_memory: int | str | None


@dataclass(frozen=True, slots=True)
class Layout:
    """What the rows, columns and cells of a table stand for.

    Attributes
    ----------
    option : str
        The argument that takes the table.
    source : str
        What to call a frame or an array in messages; files are called by their names.
    row, column : str
        What a row and a column stand for: ``"student"`` and ``"item"``.
    cell : str
        What a cell holds, for messages.
    headings : frozenset of str
        Names, in lower case, of a first column that holds the names of the rows.
    may_miss : bool
        Whether cells may be missing.
    """

    option: str
    source: str
    row: str
    column: str
    cell: str
    headings: frozenset[str]
    may_miss: bool


@dataclass(frozen=True, slots=True)
class NamedTable:
    """A table as read, before its cells are interpreted.

    Attributes
    ----------
    rows, columns : tuple of str or None
        The names of the rows and of the columns; None if they have none.
    strings : Table
        The cells as strings, which know where they come from.
    layout : Layout
        What the table holds.
    missing : frozenset of str
        The strings that meant a missing cell.
    """

    rows: tuple[str, ...] | None
    columns: tuple[str, ...] | None
    strings: Table
    layout: Layout
    missing: frozenset[str]

    def cells(self) -> npt.NDArray[np.int8]:
        """Return the cells, rows × columns: 0, 1, or -1 if missing; anything else is an error."""
        cells = np.empty((self.strings.m, len(self.strings.names)), dtype=np.int8)
        for index, column in enumerate(self.strings.columns):
            cells[:, index] = column_cells(column)
        refused = cells == WRONG if self.layout.may_miss else (cells == WRONG) | (cells == MISSING)
        if refused.any():
            raise _wrong_cell(self, *divmod(int(refused.argmax()), cells.shape[1]))
        return cells


def read_named_table(
    table: Any,
    layout: Layout,
    *,
    known: Collection[str] = (),
    **options: Unpack[TableOptions],
) -> NamedTable:
    """Read a table of zeros and ones, and the names of its rows and columns.

    Parameters
    ----------
    table : data frame, array-like, str or path
        The table; a file is read as by :func:`~dagscape.data.reading.read_table`.
    layout : Layout
        What it holds.
    known : collection of str
        Names of columns; the first column does not name the rows if it is one of them.
    **options
        How to read it.

    Examples
    --------
    >>> layout = Layout("answers", "the answers", "student", "item", "an answer", frozenset({"student"}), True)
    >>> read = read_named_table([[1, None], [0, 1]], layout)
    >>> read.rows, read.columns, read.cells().tolist()
    (None, None, [[1, -1], [0, 1]])
    """
    rows: Sequence[str | None] | None = None
    named = True
    missing = check_missing_values(options.get("missing_values", DEFAULT_MISSING_VALUES))
    if isinstance(table, str | os.PathLike):
        # Missing values may be an iterator, which can be read once.
        strings = read_table(table, **(options | {"missing_values": missing}))
        _check_header(strings, layout)
    elif is_frame(table):
        duplicates = options.get("duplicate_names", "error")
        strings = table_from_frame(table, missing_values=missing, source=layout.source, duplicate_names=duplicates)
        rows, named = _pandas_names(table)
    else:
        strings, named = _from_array(table, layout, missing), False
    if named and _names_rows(strings, layout, known):
        first = strings.columns[0]
        rows = [None if code == MISSING else first.values[code] for code in first.codes.tolist()]
        strings = _without_names(strings, layout)
    names = None if rows is None else _checked_rows(rows, strings, layout)
    return NamedTable(names, strings.names if named else None, strings, layout, missing)


def _from_array(table: Any, layout: Layout, missing: frozenset[str]) -> Table:
    if isinstance(table, bytes) or not (isinstance(table, Sequence) or hasattr(table, "__array__")):
        raise InvalidOption(
            f"is {type_of(table)}; it must be a data frame, an array with a row for each {layout.row} and a column "
            f"for each {layout.column}, or the path of a CSV file",
            option=layout.option,
        )
    if isinstance(table, Sequence) and not len(table):
        raise InvalidData(f"{layout.source} has no rows; it must have at least one row")
    strings = table_from_array(table, missing_values=missing, source=layout.source)
    return strings.with_columns(numbered(layout.column, len(strings.names)), strings.columns)


def numbered(what: str, count: int) -> tuple[str, ...]:
    """Return names for things that have none.

    >>> numbered("item", 2)
    ('item1', 'item2')
    """
    return tuple(f"{what}{number}" for number in range(1, count + 1))


def _pandas_names(frame: Any) -> tuple[list[str | None] | None, bool]:
    """Return the names of a frame's rows, if it has an index of names, and whether its columns have names."""
    import narwhals as nw

    if not nw.dependencies.is_pandas_like_dataframe(frame):
        return None, True
    index, named = frame.index, not _is_default(frame.columns)
    if index.name is None and (_is_default(index) or (_is_integer(index) and not index.is_unique)):
        # Numbers occur more than once in a sample of rows drawn with replacement.
        return None, named
    labels = index.tolist()
    texts = iter(cell_strings([label for label in labels if not is_missing(label)]))
    return [None if is_missing(label) else next(texts) for label in labels], named


def _is_integer(index: Any) -> bool:
    return getattr(index.dtype, "kind", "O") in "iu"


def _is_default(index: Any) -> bool:
    """Whether an index has the labels 0, 1, …, which pandas gives to rows and columns without names."""
    return _is_integer(index) and np.array_equal(index, np.arange(len(index)))


def _check_header(table: Table, layout: Layout) -> None:
    """Refuse a file whose first line has zeros and ones in place of names."""
    if all(value_of_text(name) in _VALUES for name in table.names):
        raise InvalidData(
            f"{table.source} begins with {', '.join(table.names)}; its first line must have the names of the "
            f"{layout.column}s"
        )


def _names_rows(table: Table, layout: Layout, known: Collection[str]) -> bool:
    """Whether the first column names the rows: by its own name, or because it has distinct text in all rows."""
    name, column = table.names[0], table.columns[0]
    if name in known:
        return False
    if name.lower() in layout.headings:
        return True
    counts = column.counts()
    texts = [column.values[code] for code in np.flatnonzero(counts).tolist()]
    distinct = len(texts) == table.m
    return distinct and kind_of(texts) != "decimals" and not any(value_of_text(text) in _VALUES for text in texts)


def _without_names(table: Table, layout: Layout) -> Table:
    if len(table.names) == 1:
        raise InvalidData(
            f"{table.source} has a single column, {table.names[0]!r}, with the names of the {layout.row}s: "
            f"add a column for each {layout.column}"
        )
    return table.with_columns(table.names[1:], table.columns[1:])


def _checked_rows(names: Sequence[str | None], table: Table, layout: Layout) -> tuple[str, ...]:
    """Return the names of the rows, which must be there and distinct."""
    first: dict[str, int] = {}
    for row, name in enumerate(names):
        if not name:
            raise InvalidData(
                f"{table.source} has no name for the {layout.row} at {table.where(row)}: give each {layout.row} a name"
            )
        if first.setdefault(name, row) != row:
            raise InvalidData(
                f"{table.source} has the {layout.row} {brief(name)} twice, at {table.where(first[name])} and at "
                f"{table.where(row)}: each {layout.row} must have one row"
            )
    return tuple(first)


def column_cells(column: Column) -> npt.NDArray[np.int8]:
    """Return the cells of a column: 0, 1, -1 if missing, or :data:`WRONG`."""
    # The last entry, which the code -1 of missing cells selects, is missing.
    lookup = [*(_VALUES.get(value_of_text(text), WRONG) for text in column.values), MISSING]
    return np.array(lookup, dtype=np.int8)[column.codes]


def _wrong_cell(read: NamedTable, row: int, index: int) -> InvalidData:
    """Return the error about a cell that is neither 0 nor 1."""
    table, layout = read.strings, read.layout
    column = table.columns[index]
    code = int(column.codes[row])
    value = "no value" if code == MISSING else brief(column.values[code])
    owner = "" if read.rows is None else f" of {layout.row} {brief(read.rows[row])}"
    seems_name = index == 0 and read.rows is None and read.columns is not None and _seems_name(column, table.m)
    hint = f"; call the first column {layout.row!r} if it names the {layout.row}s" if seems_name else ""
    return InvalidData(
        f"{table.source} has {value} for {layout.column} {brief(table.names[index])}{owner} at {table.where(row)}; "
        f"{layout.cell} must be {_allowed(read)}{hint}"
    )


def _allowed(read: NamedTable) -> str:
    """Return what a cell may hold, for messages."""
    words = ["None", "NaN"]
    if read.strings.unit == "line":
        words = ["an empty cell" if not text else repr(text) for text in sorted(read.missing)]
    return f"0, 1 or missing ({' or '.join(words)})" if read.layout.may_miss and words else "0 or 1"


def _seems_name(column: Column, rows: int) -> bool:
    """Whether a column that is no column of names may be meant as one: no zeros and ones, or as many values as rows."""
    is_distinct = rows > 2 and np.count_nonzero(column.counts()) == rows
    return is_distinct or not any(value_of_text(text) in _VALUES for text in column.values)
