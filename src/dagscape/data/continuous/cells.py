"""The cells of a table as numbers, and what to do about columns that hold anything else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from dagscape.core.errors import InvalidData, argument
from dagscape.data.tables.table import parse_numbers

if TYPE_CHECKING:
    from dagscape.data.tables.table import Column, Table

Floats = npt.NDArray[np.float64]

# Beyond this, floats cannot tell neighbouring integers apart.
_LARGEST_INTEGER = 2**53


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
    parsed = parse_numbers(column.values)
    if parsed is None or not np.isfinite(parsed).all():
        raise _not_a_number(table, name, column)
    if parsed.size and np.abs(parsed).max() >= _LARGEST_INTEGER:
        _check_integers(table, name, column)
    # Adding zero turns -0.0, which equals 0.0, into 0.0.
    return np.append(parsed + 0.0, np.nan)[column.codes]


def _check_measured(table: Table, name: str, column: Column) -> None:
    """Refuse columns that their own type makes discrete, whatever their cells look like."""
    if column.declared:
        what, remedy = "categories", "convert them to numbers first"
    elif column.type == "boolean":
        what, remedy = "booleans", "convert them to 0 and 1 if they should count as numbers"
    else:
        return
    raise InvalidData(f"{table.source} has {what} in column {name!r}, not numbers: {remedy}, or {_leave_out(name)}")


def _leave_out(name: str) -> str:
    return f"leave out the column with {argument('drop', [name])}"


def _first_cell(table: Table, name: str, column: Column, code: int) -> str:
    return f"{table.source} has {column.values[code]!r} in column {name!r} at {table.where(column.first_row(code))}"


def _not_a_number(table: Table, name: str, column: Column) -> InvalidData:
    numbers = [parse_numbers([text]) for text in column.values]
    code = next(code for code, number in enumerate(numbers) if number is None or not np.isfinite(number).all())
    problem = "which is not a number" if numbers[code] is None else "which is not a finite number"
    missing = f"add it to {argument('missing_values')} if it means a missing cell"
    return InvalidData(f"{_first_cell(table, name, column, code)}, {problem}: {_leave_out(name)}, or {missing}")


def _check_integers(table: Table, name: str, column: Column) -> None:
    for code, text in enumerate(column.values):
        if text.removeprefix("-").isdecimal() and abs(int(text)) > _LARGEST_INTEGER:
            raise InvalidData(
                f"{_first_cell(table, name, column, code)}, an integer beyond 2^53, where floating-point numbers "
                f"have gaps: is it an identifier? Then {_leave_out(name)}; otherwise divide or shift it"
            )
