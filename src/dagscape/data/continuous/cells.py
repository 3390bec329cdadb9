"""The cells of a table as numbers, and what to do about columns that hold anything else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dagscape.core.errors import InvalidData, argument
from dagscape.data.tables.numbers import EXACT_INTEGERS, Floats
from dagscape.data.tables.numeric_cells import is_usable, unusable_cell

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
    column = table.column(name)
    _check_measured(table, name, column)
    row = _first_unusable(column)
    if row is not None:
        raise unusable_cell(table.source, name, column.cell(row), table.where(row))
    numbers = column.numbers()
    assert numbers is not None
    return numbers


def _first_unusable(column: Column) -> int | None:
    row = column.first_not_finite()
    numbers = column.numbers()
    if row is not None or numbers is None or not (np.abs(numbers) >= EXACT_INTEGERS).any():
        return row
    # Only here, where integers may be too large, does it matter how numbers are written.
    wrong = np.array([*(not is_usable(text) for text in column.values), False])[column.codes]
    return int(np.argmax(wrong)) if wrong.any() else None


def _check_measured(table: Table, name: str, column: Column) -> None:
    """Refuse columns that their own type makes discrete, whatever their cells look like."""
    if column.declared:
        what, remedy = "categories", "convert them to numbers first"
    elif column.type == "boolean":
        what, remedy = "booleans", "convert them to 0 and 1 if they should count as numbers"
    else:
        return
    leave_out = f"leave out the column with {argument('drop', [name])}"
    raise InvalidData(f"{table.source} has {what} in column {name!r}, not numbers: {remedy}, or {leave_out}")
