"""From a table of strings to level codes: rows with missing cells, levels, and columns that are set aside.

A column with a single level is *set aside*. As a parent it does not change the likelihood of any variable, so that the
data say nothing about its edges: as a variable it would only multiply the number of equally good networks, and take
part in parent limits and structure priors.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from dagscape.core.checks import is_one_of
from dagscape.core.errors import InvalidData, InvalidOption, argument, did_you_mean
from dagscape.data.discrete.identifiers import is_nearly_unique, numbers_the_rows
from dagscape.data.discrete.intervals import WHOLE_LINE
from dagscape.data.discrete.levels import (
    Declaration,
    EncodedColumn,
    LevelsOption,
    check_declarations,
    check_strings,
    encode_column,
)
from dagscape.data.discrete.rows import code_type
from dagscape.data.tables.columns import MISSING, Column
from dagscape.data.tables.interventions import Marks, split_interventions
from dagscape.data.tables.missing_cells import check_no_missing, without_missing
from dagscape.data.tables.selection import (
    MarkedTable,
    SelectionOptions,
    check_set_cells,
    chosen_columns,
)
from dagscape.data.tables.table import Table
from dagscape.data.tables.value_types import ValueType, type_of_text
from dagscape.data.tables.weights import weighted

Missing = Literal["error", "level", "drop", "keep"]

MISSING_CHOICES: tuple[Missing, ...] = ("error", "level", "drop", "keep")

KEEP_AS_LEVEL = ("level", "make it a level of its own", "make them a level of their own")


@dataclass(frozen=True, slots=True, eq=False)
class Encoded:
    """The rows of a table as level codes: what a data set is made of.

    Attributes
    ----------
    codes : ndarray of int
        Rows × variables; 0 for a missing cell that is kept.
    levels : dict of str to tuple of str
        The levels of each variable.
    marks : ndarray of bool or None
        Rows × variables: whether the variable was set.
    holes : ndarray of bool or None
        Rows × variables: whether the cell is missing and kept.
    missing : dict of str to int
        The number of missing cells of each variable, before rows were dropped.
    dropped : int
        The number of dropped rows.
    types : dict of str to str
        The own type of each variable.
    set_aside : dict of str to str
        The columns that are no variables, and why.
    weights : ndarray of int64 or None
        How many times each row counts; None: once.
    weighted_by : str or None
        The column of the weights.
    """

    codes: npt.NDArray[Any]
    levels: dict[str, tuple[str, ...]]
    marks: Marks | None
    holes: Marks | None
    missing: dict[str, int]
    dropped: int
    types: dict[str, ValueType]
    set_aside: dict[str, str]
    weights: npt.NDArray[np.int64] | None = None
    weighted_by: str | None = None


class EncodingOptions(SelectionOptions, total=False):
    """The arguments of :func:`encode_table`, which are those of :meth:`dagscape.Dataset.from_frame`."""

    missing: Missing
    levels: LevelsOption | None


def encode_table(
    table: Table,
    *,
    missing: Missing = "error",
    levels: LevelsOption | None = None,
    interventions: Any = None,
    weights: Any = None,
    randomised: Collection[str] = (),
    columns: Collection[str] | None = None,
    drop: Collection[str] = (),
    keep_constant: bool = False,
    drop_suspicious: bool = False,
    max_memory: int | str | None = None,
    transform: Callable[[Table], Table] | None = None,
    measured: Collection[str] = (),
) -> Encoded:
    """Encode the rows of a table.

    Parameters
    ----------
    table : Table
        The table as read.
    missing, levels, interventions, weights, randomised, columns, drop, keep_constant, drop_suspicious, max_memory
        As in :meth:`dagscape.Dataset.from_frame`.
    transform : callable, optional
        Applied to the rows that are kept, before levels are determined; for example discretising.
    measured : collection of str
        Columns that are not identifiers, because the user asked to transform them.
    """
    if not is_one_of(missing, MISSING_CHOICES):
        known = did_you_mean(missing, MISSING_CHOICES)
        raise InvalidOption(f"is {missing!r}; it must be 'error', 'level', 'drop' or 'keep'{known}", option="missing")
    # Numbers in a column of interventions count all columns, so that it is read first.
    marked = MarkedTable(*split_interventions(weighted(table, weights), interventions, randomised)).counted()
    declarations = check_declarations(levels, marked.table, max_memory)
    marked = marked.only(chosen_columns(marked.table, columns, drop))
    absent = marked.table.missing
    hopeless = missing in ("drop", "keep") and not keep_constant
    aside = hopeless_columns(marked.table, declarations) if hopeless else {}
    if drop_suspicious:
        # Before rows are dropped because of missing cells: an identifier should not cost any.
        aside |= _identifiers(marked.table, declarations, measured, cut=transform is not None)
    marked = _without(marked, aside, drop_suspicious)
    if missing == "error":
        check_no_missing(marked.table, KEEP_AS_LEVEL)
    all_rows = marked.table
    if missing == "drop" and any(absent[name] for name in all_rows.names):
        marked = marked.take(without_missing(all_rows))
    dropped = all_rows.total - marked.table.total
    if transform is not None:
        marked = MarkedTable(transform(marked.table), marked.marks)
    for name in marked.table.names:
        check_strings(marked.table, name, max_memory)
    encoded = {
        name: encode_column(marked.table, name, declarations.get(name), level_of_gaps=missing != "keep")
        for name in marked.table.names
    }
    if not keep_constant:
        aside |= columns_of_one_level(marked.table, encoded, all_rows)
    if drop_suspicious:
        aside |= _suspicious_columns(marked.table, declarations)
    marked = _without(marked, aside, drop_suspicious)
    if missing == "keep":
        check_observed(marked.table, encoded)
    return _assembled(marked, encoded, absent, dropped, aside)


def _assembled(
    marked: MarkedTable,
    encoded: Mapping[str, EncodedColumn],
    absent: Mapping[str, int],
    dropped: int,
    aside: dict[str, str],
) -> Encoded:
    table = marked.table
    shape = (table.m, len(table.names))
    codes = np.empty(shape, dtype=code_type(len(encoded[name][0]) for name in table.names))
    holes = None
    for index, (name, column) in enumerate(zip(table.names, table.columns, strict=True)):
        cells = encoded[name][1][column.codes]
        gaps = cells == MISSING
        if gaps.any():
            holes = np.zeros(shape, dtype=np.bool_) if holes is None else holes
            holes[:, index] = gaps
            cells[gaps] = 0
        codes[:, index] = cells
    check_set_cells(table, marked.marks, holes)
    return Encoded(
        codes=codes,
        levels={name: encoded[name][0] for name in table.names},
        marks=marked.marks,
        holes=holes,
        missing={name: absent[name] for name in table.names},
        dropped=dropped,
        types={name: own_type(table.column(name), *encoded[name]) for name in table.names},
        set_aside=aside,
        weights=table.counts,
        weighted_by=table.counted_by,
    )


def _without(marked: MarkedTable, names: Collection[str], drop_suspicious: bool) -> MarkedTable:
    left = [name for name in marked.table.names if name not in names]
    if not left:
        raise _nothing_left(marked.table, drop_suspicious)
    return marked.only(left)


def _nothing_left(table: Table, drop_suspicious: bool) -> InvalidData:
    remedy = f"declare more levels in {argument('levels')}, or use {argument('keep_constant', True)}"
    if drop_suspicious:
        problem = "only columns that are constant or look like identifiers"
    else:
        problem = "a single row, so that every column is constant" if table.m == 1 else "constant columns only"
    return InvalidData(f"{table.source} has {problem}: {remedy}")


def hopeless_columns(table: Table, declarations: Mapping[str, Declaration]) -> dict[str, str]:
    """Return the columns that are constant without their missing cells, so that no row need be dropped for them."""
    return {
        name: _why_constant(column, None, column)
        for name, column in zip(table.names, table.columns, strict=True)
        if column.missing
        and not (column.declared and len(column.values) > 1)
        and not (name in declarations and len(declarations[name].levels) > 1)
        and column.distinct < 2
    }


def columns_of_one_level(table: Table, encoded: Mapping[str, EncodedColumn], all_rows: Table) -> dict[str, str]:
    """Return the columns that have a single level, and why, given the table before rows were dropped."""
    return {
        name: _why_constant(table.column(name), levels[0], all_rows.column(name))
        for name, (levels, _) in encoded.items()
        if len(levels) == 1
    }


def _why_constant(column: Column, level: str | None, before: Column) -> str:
    """Return why a column with a single level is set aside, given the column before rows were dropped."""
    observed = column.observed().values
    if not observed:
        return "has missing cells only"
    if level == WHOLE_LINE:
        return "is not cut: all its numbers are in one interval"
    constant = before.distinct == 1
    where = "row" if constant else "row that is left after dropping those with missing cells"
    return f"has the same value, {observed[0]!r}, in every {where}"


def _identifiers(
    table: Table, declarations: Mapping[str, Declaration], measured: Collection[str], *, cut: bool
) -> dict[str, str]:
    """Return the columns that look like identifiers as they were read; numbers that are to be cut must number rows."""
    numbers = ("decimals", "integers") if cut else ("decimals",)
    others = [name for name in table.names if table.column(name).kind not in numbers]
    found = _suspicious_columns(table.only(others), declarations) if others else {}
    return found | _numbering_columns(table, {*declarations, *measured}) if cut else found


def identifier_columns(table: Table) -> dict[str, str]:
    """Return the columns of a table whose numbers will be cut that look like identifiers, with the reason."""
    return _identifiers(table, {}, (), cut=True)


def _suspicious_columns(table: Table, declarations: Mapping[str, Declaration]) -> dict[str, str]:
    """Return the columns that look like identifiers, unless their levels are declared."""
    distinct = {name: table.column(name).distinct for name in table.names}
    return {
        name: _why_suspicious(count, table.total)
        for name, count in distinct.items()
        if name not in declarations and is_nearly_unique(count, table.total)
    }


def _numbering_columns(table: Table, kept: Collection[str]) -> dict[str, str]:
    """Return the columns of integers that number the rows."""
    return {
        name: _why_suspicious(column.distinct, table.m)
        for name, column in zip(table.names, table.columns, strict=True)
        if name not in kept and not column.declared and table.total == table.m and numbers_the_rows(column)
    }


def _why_suspicious(distinct: int, rows: int) -> str:
    return f"has {distinct} distinct values in {rows} rows, as identifiers do"


def check_observed(table: Table, encoded: Mapping[str, EncodedColumn]) -> None:
    """Raise an error if a column that is kept has no level at all."""
    for name, (levels, _) in encoded.items():
        if not levels:
            raise InvalidData(
                f"{table.source} has missing cells only in column {name!r}: leave it out with "
                f"{argument('drop', [name])}, or declare its levels in {argument('levels')}"
            )


def own_type(column: Column, levels: tuple[str, ...], codes: npt.NDArray[np.int64]) -> ValueType:
    """Return the type of a column's own values, given its levels and their codes."""
    if column.type is not None:
        return column.type
    present = frozenset(column.values)
    # Without the level of missing cells, which is not a value of the column; unobserved levels count.
    last = 1 if column.missing and codes[-1] != MISSING and levels[-1] not in present else 0
    return type_of_text(levels[: len(levels) - last])
