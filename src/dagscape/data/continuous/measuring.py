"""From a table to an array of numbers: columns and rows that are used, and columns that are set aside.

A column whose numbers are all the same is *set aside*, as in discrete data: the data say nothing about its edges, and
its variance, by which scores of numbers divide, is 0.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from dagscape.core.checks import check_choice
from dagscape.core.errors import InvalidData, argument, function
from dagscape.core.resources import check_memory
from dagscape.data.continuous.cells import numbers_of
from dagscape.data.discrete.identifiers import numbers_the_rows
from dagscape.data.tables.interventions import Marks, split_interventions
from dagscape.data.tables.missing_cells import check_no_missing, without_missing
from dagscape.data.tables.numbers import Floats
from dagscape.data.tables.selection import (
    MarkedTable,
    SelectionOptions,
    check_set_cells,
    chosen_columns,
)
from dagscape.data.tables.table import Table
from dagscape.data.tables.weights import weighted

NumericMissing = Literal["error", "drop", "keep"]

NUMERIC_MISSING_CHOICES: tuple[NumericMissing, ...] = ("error", "drop", "keep")

# A number, its sorted copy, and the sorting keys.
_CELL_BYTES = 24

KEEP_CELLS = ("keep", "keep it for methods that use incomplete rows", "keep them for methods that use incomplete rows")


class MeasuringOptions(SelectionOptions, total=False):
    """The arguments of :func:`measure_table`, which are those of :meth:`dagscape.NumericData.from_frame`."""

    missing: NumericMissing


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """The rows of a table as numbers: what numeric data is made of.

    Attributes
    ----------
    variables : tuple of str
        The names of the variables.
    values : ndarray of float64
        Rows × variables; NaN for a missing cell.
    marks : ndarray of bool or None
        Rows × variables: whether the variable was set.
    missing : dict of str to int
        The number of missing cells of each variable, before rows were dropped.
    dropped : int
        The number of dropped rows.
    set_aside : dict of str to str
        The columns that are no variables, and why.
    weighted_by : str or None
        The column that said how often each row is repeated.
    """

    variables: tuple[str, ...]
    values: Floats
    marks: Marks | None
    missing: dict[str, int]
    dropped: int
    set_aside: dict[str, str]
    weighted_by: str | None = None


def measure_table(
    table: Table,
    *,
    missing: NumericMissing = "error",
    interventions: Any = None,
    weights: Any = None,
    randomised: Collection[str] = (),
    columns: Collection[str] | None = None,
    drop: Collection[str] = (),
    keep_constant: bool = False,
    drop_suspicious: bool = False,
    max_memory: int | str | None = None,
) -> Measured:
    """Read the cells of a table as numbers.

    Parameters
    ----------
    table : Table
        The table as read.
    missing, interventions, weights, randomised, columns, drop, keep_constant, drop_suspicious, max_memory
        As in :meth:`dagscape.NumericData.from_frame`.
    """
    check_choice(missing, NUMERIC_MISSING_CHOICES, "missing")
    # Numbers in a column of interventions count all columns, so that it is read first.
    marked = MarkedTable(*split_interventions(weighted(table, weights), interventions, randomised)).counted()
    marked = marked.only(chosen_columns(marked.table, columns, drop))
    numbers = numbers_of(marked.table)
    absent = marked.table.missing
    aside: dict[str, str] = {}
    if not keep_constant and missing != "error":
        # Before rows are dropped: a column that is set aside should not cost any.
        aside |= {name: reason for name, reason in constant_columns(numbers).items() if absent[name]}
    if drop_suspicious:
        aside |= _numbering(marked.table)
    marked = without_columns(marked, aside)
    if missing == "error":
        check_no_missing(marked.table, KEEP_CELLS)
    all_rows = marked.table
    if missing == "drop" and any(absent[name] for name in all_rows.names):
        kept = without_missing(all_rows, level=False)
        marked = marked.take(kept)
        numbers = {name: numbers[name][kept] for name in marked.table.names}
    if not keep_constant:
        aside |= constant_columns(
            {name: numbers[name] for name in marked.table.names}, dropped=all_rows.m > marked.table.m
        )
        marked = without_columns(marked, aside)
    names = marked.table.names
    values = np.empty((marked.table.m, len(names)))
    for place, name in enumerate(names):
        values[:, place] = numbers.pop(name)
    if missing == "keep":
        check_set_cells(marked.table, marked.marks, np.isnan(values))
    values, marks = repeated_rows(values, marked, max_memory)
    return Measured(
        variables=names,
        values=values,
        marks=marks,
        missing={name: absent[name] for name in names},
        dropped=all_rows.total - marked.table.total,
        set_aside=aside,
        weighted_by=marked.table.counted_by,
    )


def repeated_rows(values: Floats, marked: MarkedTable, max_memory: int | str | None) -> tuple[Floats, Marks | None]:
    """Return the rows, each as often as it counts: sums over numbers are sums over rows."""
    counts = marked.table.counts
    if counts is None:
        return values, marked.marks
    what = f"the {marked.table.total:,} rows that the weights of {marked.table.source} count, as numbers,"
    remedy = f"raise it, or cut the numbers with {function('discretize')}, where equal rows are kept once"
    check_memory(marked.table.total * values.shape[1] * _CELL_BYTES, max_memory, what, remedy)
    marks = None if marked.marks is None else np.repeat(marked.marks, counts, axis=0)
    return np.repeat(values, counts, axis=0), marks


def constant_columns(numbers: Mapping[str, Floats], *, dropped: bool = False) -> dict[str, str]:
    """Return the columns that have fewer than two numbers, and why they are set aside.

    Examples
    --------
    >>> constant_columns({"a": np.array([1.0, np.nan, 1.0]), "b": np.array([1.0, 2.0, 2.0])})
    {'a': "has the same value, '1', in every row"}
    """
    found = {}
    where = "row that is left after dropping those with missing cells" if dropped else "row"
    for name, column in numbers.items():
        observed = column[~np.isnan(column)]
        if not observed.size:
            found[name] = "has missing cells only"
        elif (observed == observed[0]).all():
            value = repr(observed[0].item()).removesuffix(".0")
            found[name] = f"has the same value, {value!r}, in every {where}"
    return found


def _numbering(table: Table) -> dict[str, str]:
    """Return the columns of integers that number the rows."""
    return {
        name: f"has {table.m} distinct values in {table.m} rows, as identifiers do"
        for name, column in zip(table.names, table.columns, strict=True)
        if table.total == table.m and numbers_the_rows(column)
    }


def without_columns(marked: MarkedTable, names: Collection[str]) -> MarkedTable:
    """Return the table without columns that are set aside; one must be left."""
    left = [name for name in marked.table.names if name not in names]
    if left:
        return marked.only(left)
    problem = "a single row, so that every column is constant" if marked.table.m == 1 else "constant columns only"
    raise InvalidData(f"{marked.table.source} has {problem}: use {argument('keep_constant', True)} to keep them")
