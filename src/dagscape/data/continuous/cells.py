"""The cells of a table as numbers, and what to do about columns that hold anything else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dagscape.core.errors import InvalidData, argument
from dagscape.data.tables.numbers import EXACT_INTEGERS, Floats
from dagscape.data.tables.numeric_cells import UnusableColumn, is_usable, unusable_cell, unusable_columns

if TYPE_CHECKING:
    from dagscape.data.tables.columns import Column
    from dagscape.data.tables.table import Table


def column_numbers(table: Table, name: str) -> Floats:
    """Return the cells of a column as numbers, NaN where one is missing; raise an error that locates any other cell.

    Examples
    --------
    >>> from dagscape.data.tables.frames import table_from_array
    >>> column_numbers(table_from_array([[1.5], [None], [-0.0]]), "X0").tolist()
    [1.5, nan, 0.0]
    """
    return numbers_of(table.only([name]))[name]


def numbers_of(table: Table) -> dict[str, Floats]:
    """Return the cells of all columns as numbers; raise an error that names all columns that hold anything else.

    Examples
    --------
    >>> from dagscape.data.tables.frames import table_from_array
    >>> numbers_of(table_from_array([[1.5, 2], [None, 3]]))["X1"].tolist()
    [2.0, 3.0]
    """
    if unusable := [wrong for name in table.names if (wrong := _unusable(table, name)) is not None]:
        raise unusable_columns(table.source, unusable)
    numbers = {}
    for name in table.names:
        found = table.column(name).numbers()
        assert found is not None
        numbers[name] = found
    return numbers


def _unusable(table: Table, name: str) -> UnusableColumn | None:
    """Return what a column holds that is not a number; None if it holds numbers only."""
    column = table.column(name)
    # The own type of a column can make it discrete, whatever its cells look like.
    if column.declared:
        return _of_other_type(table, name, "categories", "convert them to numbers first")
    if column.type == "boolean":
        return _of_other_type(table, name, "booleans", "convert them to 0 and 1 if they should count as numbers")
    row = _first_unusable(column)
    return None if row is None else unusable_cell(table.source, name, column.cell(row), table.where(row))


def _of_other_type(table: Table, name: str, what: str, remedy: str) -> UnusableColumn:
    leave_out = f"leave out the column with {argument('drop', [name])}"
    message = f"{table.source} has {what} in column {name!r}, not numbers: {remedy}, or {leave_out}"
    return UnusableColumn(name, what, InvalidData(message))


def _first_unusable(column: Column) -> int | None:
    row = column.first_not_finite()
    numbers = column.numbers()
    if row is not None or numbers is None or not (np.abs(numbers) >= EXACT_INTEGERS).any():
        return row
    # Only here, where integers may be too large, does it matter how numbers are written.
    wrong = np.array([*(not is_usable(text) for text in column.values), False])[column.codes]
    return int(np.argmax(wrong)) if wrong.any() else None
