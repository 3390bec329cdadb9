"""Weights of rows: a column of counts, such as the frequencies of a contingency table.

A row with the weight 12 counts as 12 equal rows, and one with the weight 0 not at all. That is all that weights mean
here: data are rows, and their number is what makes an answer certain or uncertain. Survey weights, which say how many
people a row stands for, are no counts.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from dagscape.core.errors import InvalidData, InvalidOption, argument, did_you_mean, type_of
from dagscape.core.wording import plural
from dagscape.data.tables.columns import Column
from dagscape.data.tables.frames import table_from_array
from dagscape.data.tables.numbers import EXACT_INTEGERS, Floats
from dagscape.data.tables.table import Table, listing

# The kernels count rows in 32 bits.
MAX_ROWS = 2**32 - 1


def weighted(table: Table, weights: Any) -> Table:
    """Return a table whose rows count as often as their weights say, without the column of weights.

    Rows with the weight 0 are still there, so that others can count rows; :func:`without_uncounted` removes them.

    Parameters
    ----------
    table : Table
        All rows, as read.
    weights : str, array-like of int or None
        The name of a column, or one weight for each row; None: each row counts once.

    Examples
    --------
    >>> found = weighted(table_from_array([["a", 2], ["b", 0], ["c", 5]]), "X1")
    >>> found.names, found.counts.tolist(), found.total
    (('X0',), [2, 0, 5], 7)
    """
    if weights is None:
        return table
    if isinstance(weights, str):
        if weights not in table:
            known = did_you_mean(weights, table.names) or f": its columns are {listing(table.names)}"
            raise InvalidOption(f"is {weights!r}, which is not a column of {table.source}{known}", option="weights")
        if len(table.names) == 1:
            raise InvalidData(f"{table.source} has no column besides that of the weights, {weights!r}")
        counts = _counts(table, table.column(weights), weights)
        table = table.without(weights)
    else:
        counts = _counts(table, _given(table, weights), None)
    total = float(counts.sum(dtype=np.float64))
    if total > MAX_ROWS:
        raise InvalidData(f"the weights of {table.source} count {total:.0f} rows; the limit is {MAX_ROWS}")
    if not total:
        raise InvalidData(f"all weights of {table.source} are 0: some row must count")
    return table.with_counts(counts, weights if isinstance(weights, str) else None)


def without_uncounted(counts: npt.NDArray[np.int64] | None) -> npt.NDArray[np.bool_] | None:
    """Return which rows count at all; None if all do.

    >>> without_uncounted(np.array([2, 0])).tolist(), without_uncounted(np.array([1, 1]))
    ([True, False], None)
    """
    return None if counts is None or counts.all() else counts > 0


def _given(table: Table, weights: Any) -> Column:
    """Return weights that are not in the table as a column."""
    try:
        cells = np.asarray(weights)
    except ValueError:
        cells = np.empty(0)
    if cells.shape != (table.m,):
        given = f"of length {cells.size}" if cells.ndim == 1 and cells.size else type_of(weights)
        raise InvalidOption(
            f"is {given}; it must be the name of a column, or a count for each of the {plural(table.m, 'row')}",
            option="weights",
        )
    return table_from_array(cells.reshape(-1, 1), source="the list of weights").columns[0]


def _counts(table: Table, column: Column, name: str | None) -> npt.NDArray[np.int64]:
    """Return the weights of all rows; raise an error that locates a cell that is no count."""
    place = "" if name is None else f" in column {name!r}"
    if column.gaps.any():
        row = int(np.argmax(column.gaps))
        raise InvalidData(
            f"{table.source} has no weight{place} at {table.where(row)}: fill it in, with 0 if the row should not count"
        )
    row_or_none = column.first_not_finite()
    numbers = column.numbers()
    if row_or_none is not None or numbers is None:
        row = row_or_none or 0
        raise _no_count(table, column.cell(row), place, row)
    _check_whole(table, column, numbers, place, name)
    wrong = (numbers < 0) | (numbers >= EXACT_INTEGERS)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise _no_count(table, column.cell(row), place, row)
    return numbers.astype(np.int64)


def _no_count(table: Table, value: str, place: str, row: int) -> InvalidData:
    return InvalidData(
        f"{table.source} has the weight {value!r}{place} at {table.where(row)}; a weight must be a count: "
        "0 or a positive integer"
    )


def _check_whole(table: Table, column: Column, numbers: Floats, place: str, name: str | None) -> None:
    """Refuse decimals, which are most likely survey weights."""
    decimal = np.floor(numbers) != numbers
    if not decimal.any():
        return
    row = int(np.argmax(decimal))
    remedy = "leave them out" if name is None else f"leave the column out with {argument('drop', [name])}"
    raise InvalidData(
        f"{table.source} has the weight {column.cell(row)!r}{place} at {table.where(row)}, which is not a count: "
        "survey weights say how many people a row stands for, not how many rows were observed, and a weighted "
        f"likelihood is not that of any number of rows: {remedy}, and the answer is about the sample"
    )
