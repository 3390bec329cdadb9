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
from dagscape.core.errors import InvalidData, argument
from dagscape.data.continuous.cells import column_numbers
from dagscape.data.discrete.identifiers import numbers_the_rows
from dagscape.data.tables.interventions import Marks, split_interventions
from dagscape.data.tables.numbers import Floats
from dagscape.data.tables.selection import (
    MarkedTable,
    SelectionOptions,
    check_no_missing,
    check_set_cells,
    chosen_columns,
    without_missing,
)
from dagscape.data.tables.table import Table

NumericMissing = Literal["error", "drop", "keep"]

NUMERIC_MISSING_CHOICES: tuple[NumericMissing, ...] = ("error", "drop", "keep")

_KEEP_MISSING = ("keep", "keep it for methods that can use it", "keep them for methods that can use them")


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
    """

    variables: tuple[str, ...]
    values: Floats
    marks: Marks | None
    missing: dict[str, int]
    dropped: int
    set_aside: dict[str, str]


def measure_table(
    table: Table,
    *,
    missing: NumericMissing = "error",
    interventions: Any = None,
    columns: Collection[str] | None = None,
    drop: Collection[str] = (),
    keep_constant: bool = False,
    drop_suspicious: bool = False,
    max_memory: int | str | None = None,  # noqa: ARG001 (as in all options of a selection; only readers need it)
) -> Measured:
    """Read the cells of a table as numbers.

    Parameters
    ----------
    table : Table
        The table as read.
    missing, interventions, columns, drop, keep_constant, drop_suspicious, max_memory
        As in :meth:`dagscape.NumericData.from_frame`.
    """
    check_choice(missing, NUMERIC_MISSING_CHOICES, "missing")
    # Numbers in a column of interventions count all columns, so that it is read first.
    marked = MarkedTable(*split_interventions(table, interventions))
    marked = marked.only(chosen_columns(marked.table, columns, drop))
    numbers = {name: column_numbers(marked.table, name) for name in marked.table.names}
    absent = marked.table.missing
    aside: dict[str, str] = {}
    if not keep_constant and missing != "error":
        # Before rows are dropped: a column that is set aside should not cost any.
        aside |= {name: reason for name, reason in constant_columns(numbers).items() if absent[name]}
    if drop_suspicious:
        aside |= _numbering(marked.table)
    marked = _without(marked, aside)
    if missing == "error":
        check_no_missing(marked.table, sum(absent.values()), _KEEP_MISSING)
    all_rows = marked.table
    if missing == "drop" and any(absent[name] for name in all_rows.names):
        kept = without_missing(all_rows)
        marked = marked.take(kept)
        numbers = {name: numbers[name][kept] for name in marked.table.names}
    if not keep_constant:
        aside |= constant_columns(
            {name: numbers[name] for name in marked.table.names}, dropped=all_rows.m > marked.table.m
        )
        marked = _without(marked, aside)
    names = marked.table.names
    values = np.empty((marked.table.m, len(names)))
    for place, name in enumerate(names):
        values[:, place] = numbers.pop(name)
    if missing == "keep":
        check_set_cells(marked.table, marked.marks, np.isnan(values))
    return Measured(
        variables=names,
        values=values,
        marks=marked.marks,
        missing={name: absent[name] for name in names},
        dropped=all_rows.m - marked.table.m,
        set_aside=aside,
    )


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
        if numbers_the_rows(column)
    }


def _without(marked: MarkedTable, names: Collection[str]) -> MarkedTable:
    left = [name for name in marked.table.names if name not in names]
    if left:
        return marked.only(left)
    problem = "a single row, so that every column is constant" if marked.table.m == 1 else "constant columns only"
    raise InvalidData(f"{marked.table.source} has {problem}: use {argument('keep_constant', True)} to keep them")
