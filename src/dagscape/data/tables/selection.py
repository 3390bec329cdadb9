"""Which columns and rows of a table are used: columns by name, rows by their missing cells.

Data of every kind is made from the same choices; what a cell means is decided later.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

import numpy as np
import numpy.typing as npt

from dagscape.core.errors import InvalidData, InvalidOption, argument, did_you_mean
from dagscape.data.tables.interventions import Marks
from dagscape.data.tables.table import Table, listing
from dagscape.data.tables.weights import without_uncounted


class SelectionOptions(TypedDict, total=False):
    """The arguments that data of every kind is made with, as in :meth:`dagscape.Dataset.from_frame`."""

    interventions: Any
    weights: Any
    randomised: Collection[str]
    columns: Collection[str] | None
    drop: Collection[str]
    keep_constant: bool
    drop_suspicious: bool
    max_memory: int | str | None


def unused_columns(options: SelectionOptions) -> Callable[[str], bool]:
    """Return a function that tells whether a column is not used, so that its cells need not be read.

    Examples
    --------
    >>> unused = unused_columns({"columns": ["a"], "interventions": "set"})
    >>> unused("a"), unused("b"), unused("set")
    (False, True, False)
    """
    columns = options.get("columns")
    needed = [name for name in (options.get("interventions"), options.get("weights")) if isinstance(name, str)]
    wanted = None if columns is None else frozenset(_listed_names(columns, "columns"))
    unwanted = frozenset(_listed_names(options.get("drop", ()), "drop"))

    def unused(name: str) -> bool:
        if name in needed:
            return False
        return name in unwanted or (wanted is not None and name not in wanted)

    return unused


def chosen_columns(table: Table, columns: Collection[str] | None, drop: Collection[str]) -> list[str]:
    """Return the names of the columns to use: those in ``columns``, in that order, or all without those in ``drop``.

    Examples
    --------
    >>> from dagscape.data.tables.frames import table_from_array
    >>> chosen_columns(table_from_array([[1, 2, 3]]), None, ["X1"])
    ['X0', 'X2']
    """
    wanted = None if columns is None else _known_names(table, columns, "columns")
    unwanted = frozenset(_known_names(table, drop, "drop"))
    for name in wanted or ():
        if name in unwanted:
            raise InvalidOption(f"holds {name!r}, which is also among the columns to use", option="drop")
    names = [name for name in (table.names if wanted is None else wanted) if name not in unwanted]
    if not names:
        raise InvalidOption(f"leaves no column of {table.source}: keep at least one", option="drop")
    return names


def _listed_names(names: Collection[str], option: str) -> list[str]:
    if isinstance(names, str) or not isinstance(names, Collection):
        raise InvalidOption(f"is {names!r}; it must be a collection of names", option=option)
    listed = list(names)
    if len(set(listed)) < len(listed):
        raise InvalidOption(f"holds a name more than once: {listing(listed)}", option=option)
    return listed


def _known_names(table: Table, names: Collection[str], option: str) -> list[str]:
    listed = _listed_names(names, option)
    for name in listed:
        if name not in table:
            if name == table.counted_by:
                raise InvalidOption(f"holds {name!r}, the column of weights, which is no variable", option=option)
            known = did_you_mean(name, table.names) or f": its columns are {listing(table.names)}"
            raise InvalidOption(f"{table.source} has no column {name!r}{known}")
    return listed


@dataclass(frozen=True, slots=True, eq=False)
class MarkedTable:
    """A table, and which of its variables were set in each row."""

    table: Table
    marks: Marks | None

    def only(self, names: Sequence[str]) -> MarkedTable:
        """Return the table of some columns."""
        if list(names) == list(self.table.names):
            return self
        places = [self.table.place(name) for name in names]
        return MarkedTable(self.table.only(names), None if self.marks is None else self.marks[:, places])

    def take(self, rows: npt.NDArray[np.bool_]) -> MarkedTable:
        """Return the table of some rows."""
        return MarkedTable(self.table.take(rows), None if self.marks is None else self.marks[rows])

    def counted(self) -> MarkedTable:
        """Return the table of the rows that count."""
        rows = without_uncounted(self.table.counts)
        return self if rows is None else self.take(rows)


def check_set_cells(table: Table, marks: Marks | None, holes: Marks | None) -> None:
    """Raise an error if a cell is missing in which an experiment set the variable: nobody knows to what.

    Parameters
    ----------
    table : Table
        The table.
    marks, holes : ndarray of bool or None
        Rows × columns: whether the variable was set, and whether the cell is missing; None: nowhere.
    """
    if marks is None or holes is None:
        return
    unknown = np.argwhere(marks & holes)
    if len(unknown):
        row, column = unknown[0].tolist()
        raise InvalidData(
            f"{table.source} has no value of {table.names[column]!r} in row {row + 1}, where an experiment set it: "
            f"fill in the value, or leave out the rows with {argument('missing', 'drop')}"
        )
