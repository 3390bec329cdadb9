"""Missing cells: the rows without any, and which columns are to blame if there are few or no such rows.

The columns to leave out are found greedily: each step leaves out the column whose absence completes the most rows (of
several, the one with the most missing cells), and of all steps the one is proposed that leaves the most cells in
complete rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dagscape.core.errors import InvalidData, argument
from dagscape.core.wording import plural
from dagscape.data.tables.table import Table

# More columns than this are not a remedy, but another table.
_MOST_COLUMNS = 30

# Columns that a message counts; the rest of a long list is a number.
_COLUMNS_SHOWN = 4


@dataclass(frozen=True, slots=True)
class Blame:
    """The columns without which the most cells are in complete rows.

    Attributes
    ----------
    columns : tuple of str
        Their names, in the order in which they are left out.
    complete : int
        The number of rows that are complete without them.
    """

    columns: tuple[str, ...]
    complete: int


def responsible_columns(table: Table) -> Blame:
    """Return the columns that are responsible for missing cells; none if it is best to keep all of them.

    Examples
    --------
    >>> from dagscape.data.tables.frames import table_from_array
    >>> responsible_columns(table_from_array([[1, 2, None], [3, None, None], [4, 5, None]]))
    Blame(columns=('X2',), complete=2)
    """
    gaps = np.stack([column.gaps for column in table.columns])
    counts = np.ones(table.m, dtype=np.int64) if table.counts is None else table.counts
    left = gaps.sum(axis=0)
    kept = np.ones(len(gaps), dtype=np.bool_)
    sizes = gaps @ counts
    best = Blame((), int(counts[left == 0].sum()))
    best_cells = best.complete * len(gaps)
    removed: list[str] = []
    for _ in range(min(len(gaps) - 1, _MOST_COLUMNS)):
        gains = np.where(kept, gaps[:, left == 1] @ counts[left == 1], -1)
        chosen = max(np.flatnonzero(kept).tolist(), key=lambda place: (gains[place], sizes[place]))
        left = left - gaps[chosen]
        kept[chosen] = False
        removed.append(table.names[chosen])
        complete = int(counts[left == 0].sum())
        if complete * int(kept.sum()) > best_cells:
            best, best_cells = Blame(tuple(removed), complete), complete * int(kept.sum())
    return best


def without_missing(table: Table, *, level: bool = True) -> npt.NDArray[np.bool_]:
    """Return which rows have no missing cell; at least one must have none.

    Parameters
    ----------
    table : Table
        The columns in use.
    level : bool
        Whether missing cells could be made a level instead.
    """
    gaps = _incomplete(table)
    if gaps.all():
        proposal = _proposal(table) or f"fill in cells, or leave out columns with {argument('drop')}"
        raise InvalidData(
            f"{table.source} has a missing cell in every row, so that {argument('missing', 'drop')} would drop all of "
            f"them: {proposal}" + (f", or {argument('missing', 'level')}" if level else "")
        )
    return ~gaps


def check_no_missing(table: Table, keep: tuple[str, str, str]) -> None:
    """Raise an error if a table has a missing cell.

    Parameters
    ----------
    table : Table
        The columns in use.
    keep : tuple of str
        The value of ``missing`` that keeps the rows, and what it does with one such cell, and with several.
    """
    gaps = _incomplete(table)
    if not gaps.any():
        return
    row = int(np.argmax(gaps))
    name = next(name for name in table.names if table.column(name).gaps[row])
    place = f"in column {name!r} at {table.where(row)}"
    choice, one, many = keep
    cells = sum(column.missing for column in table.columns)
    if cells == 1:
        raise InvalidData(
            f"{table.source} has 1 missing cell, {place}: use {argument('missing', choice)} to {one}, "
            f"or {argument('missing', 'drop')} to leave out its row"
        )
    rows = table.count(gaps)
    found = f"{cells} missing cells, the first {place}, in {rows:,} of {plural(table.total, 'row')} ({_listed(table)})"
    proposal = _proposal(table) if gaps.all() else ""
    if proposal:
        complete = f"; no row is complete: {proposal} and {argument('missing', 'drop')}"
    else:
        complete = f", or {argument('missing', 'drop')} to leave out their rows"
    raise InvalidData(f"{table.source} has {found}: use {argument('missing', choice)} to {many}{complete}")


def _incomplete(table: Table) -> npt.NDArray[np.bool_]:
    """Return which rows have a missing cell."""
    gaps = np.zeros(table.m, dtype=np.bool_)
    for column in table.columns:
        gaps |= column.gaps
    return gaps


def _listed(table: Table) -> str:
    """Return how many rows lack each column, those that most rows lack first."""
    counts = sorted(((count, name) for name, count in table.missing.items() if count), key=lambda pair: -pair[0])
    shown = [f"{name!r} in {count:,}" for count, name in counts[:_COLUMNS_SHOWN]]
    more = len(counts) - len(shown)
    return ", ".join([*shown, f"and {plural(more, 'more column')}"] if more else shown)


def _proposal(table: Table) -> str:
    """Return the end of a sentence about a table without a complete row: the columns to leave out, if that helps."""
    blame = responsible_columns(table)
    if not blame.complete:
        return ""
    missing, rows = table.missing, plural(table.total, "row")
    first, *others = blame.columns[:_COLUMNS_SHOWN]
    counted = [f"{first!r} is missing in {missing[first]:,} of {rows}"]
    counted += [f"{name!r} in {missing[name]:,}" for name in others]
    more = len(blame.columns) - len(counted)
    if more:
        counted.append(plural(more, "more column"))
    listed = counted[0] if len(counted) == 1 else f"{', '.join(counted[:-1])} and {counted[-1]}"
    them, are = ("it" if len(blame.columns) == 1 else "them"), ("is" if blame.complete == 1 else "are")
    return (
        f"{listed}; without {them}, {plural(blame.complete, 'row')} {are} complete: "
        f"use {argument('drop', list(blame.columns))}"
    )
