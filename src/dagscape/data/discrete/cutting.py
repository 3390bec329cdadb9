"""The columns of a table that are discretised, their intervals, and the table with intervals in place of numbers."""

from __future__ import annotations

import operator
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import SupportsIndex

import numpy as np

from dagscape.core.errors import InvalidData, InvalidOption, argument, did_you_mean
from dagscape.data.discrete.cut_rules import Counts, CutRule
from dagscape.data.discrete.interval_widths import interval_widths
from dagscape.data.discrete.intervals import Intervals, cut_column, fit_intervals
from dagscape.data.kinds.written_numbers import written_numbers
from dagscape.data.tables.columns import MISSING, Column, Rows
from dagscape.data.tables.numbers import Floats
from dagscape.data.tables.table import Table, listing
from dagscape.results.decoding import LARGEST

# Columns of integers with more distinct values than this count as measurements.
MAX_LEVELS = 20

# More bins are surely a typing error, which should not take hours.
MAX_BINS = 100_000


def choose_columns(
    table: Table, columns: Collection[str] | None, class_column: str | None, declared: frozenset[str]
) -> list[str]:
    """Return the names of the columns to discretise, in the order of the table."""
    for name in [*(columns or ()), *([] if class_column is None else [class_column])]:
        if name not in table:
            known = did_you_mean(name, table.names) or f": its variables are {listing(table.names)}"
            raise InvalidOption(f"{table.source} has no variable {name!r} to use in discretising{known}")
    if class_column is not None and columns is not None and class_column in columns:
        raise InvalidOption(f"is {class_column!r}, which is also a column to discretise", option="class_column")
    if class_column is not None and class_column not in declared:
        column = table.column(class_column)
        if not column.declared and column.kind == "decimals":
            raise InvalidData(f"{table.source} has decimals in the class column {class_column!r}: it must be discrete")
        if _is_measured(column):
            raise InvalidData(
                f"{table.source} has {column.distinct} distinct integers in the class column "
                f"{class_column!r}; the limit is {MAX_LEVELS}: choose a discrete column, or list its levels in "
                f"{argument('levels')}"
            )
    for name in columns or ():
        if name in declared:
            raise InvalidOption(f"{name!r} is to be discretised, but {argument('levels')} declares levels for it")
    asked = frozenset(columns or ())
    return [
        name
        for name, column in zip(table.names, table.columns, strict=True)
        if name in asked or (name != class_column and name not in declared and _is_measured(column))
    ]


def _is_measured(column: Column) -> bool:
    """Whether a column holds measurements, not levels: decimals, or many distinct integers."""
    if column.declared:
        return False
    return column.kind == "decimals" or (column.kind == "integers" and column.has_more_than(MAX_LEVELS))


def checked_bins(bins: SupportsIndex | Mapping[str, SupportsIndex]) -> int | dict[str, int]:
    """Return the number of bins, or that of each column, as Python integers."""
    if not isinstance(bins, Mapping):
        return _check_bin_count(bins, "")
    return {name: _check_bin_count(count, f" for {name!r}") for name, count in bins.items()}


def bins_by_column(bins: int | Mapping[str, int], chosen: Sequence[str], table: Table) -> dict[str, int]:
    """Return the number of bins of each column to discretise."""
    if not isinstance(bins, Mapping):
        return dict.fromkeys(chosen, bins)
    for name in bins:
        if name not in chosen:
            reason = "is not discretised" if name in table.names else "does not exist"
            raise InvalidOption(f"gives a number for column {name!r}, which {reason}", option="bins")
    for name in chosen:
        if name not in bins:
            raise InvalidOption(f"gives no number for column {name!r}, which is to be discretised", option="bins")
    return {name: bins[name] for name in chosen}


def _check_bin_count(count: SupportsIndex, where: str) -> int:
    try:
        number = 0 if isinstance(count, bool | np.bool_) else operator.index(count)
    except TypeError:
        number = 0
    if not 2 <= number <= MAX_BINS:
        raise InvalidOption(f"is {count!r}{where}; it must be an integer from 2 to {MAX_BINS}", option="bins")
    return number


def fit_column(table: Table, name: str, rule: CutRule, bins: int, classes: Column | None) -> Intervals | None:
    """Return the intervals of a column of numbers; None if it has none, but missing cells only."""
    numbers = finite_numbers(table, name)
    present = ~np.isnan(numbers)
    if not present.any():
        return None
    values, counts = _class_counts(numbers[present], classes, present, table.counts)
    seen = counts.any(axis=1)
    cuts = rule.cut(values[seen], counts[seen], bins) if seen.any() else np.empty(0)
    intervals = fit_intervals(values, cuts)
    beyond = [cut for cut in intervals.cuts if abs(cut) > LARGEST]
    if beyond:
        raise InvalidData(
            f"{table.source} has numbers in column {name!r} that would be cut at {beyond[0]:g}; cuts must be between "
            f"{-LARGEST:g} and {LARGEST:g}: divide the column by a power of 10, or leave it out with "
            f"{argument('drop', [name])}"
        )
    return replace(intervals, widths=interval_widths(values, intervals.cuts))


def cut_table(table: Table, fitted: Mapping[str, tuple[Sequence[float], Sequence[str]]]) -> Table:
    """Return a table with numbers replaced by intervals, given the cuts and levels of each column of numbers."""
    replaced = [
        cut_column(finite_numbers(table, name), *fitted[name]) if name in fitted else column
        for name, column in zip(table.names, table.columns, strict=True)
    ]
    return table.with_columns(table.names, replaced)


def finite_numbers(table: Table, name: str) -> Floats:
    """Return the numbers of a column, NaN for missing cells; raise an error that locates any other cell."""
    column = table.column(name)
    numbers = written_numbers(column)
    if numbers is not None and (np.isfinite(numbers) | column.gaps).all():
        return numbers
    row = column.first_not_finite()
    assert row is not None
    raise InvalidData(
        f"{table.source} has {column.cell(row)!r} in column {name!r} at {table.where(row)}, which is not a finite "
        f"number and cannot be discretised: add it to {argument('missing_values')} if it means a missing cell"
    )


def _class_counts(
    numbers: Floats, classes: Column | None, present: Rows, weights: Counts | None
) -> tuple[Floats, Counts]:
    """Return the different numbers, and count the rows of each by class; rows without a class do not count."""
    if classes is None and weights is None:
        values, counts = np.unique(numbers, return_counts=True)
        return values, counts[:, np.newaxis]
    values, rank = np.unique(numbers, return_inverse=True)
    codes = np.zeros(numbers.size, dtype=np.int32) if classes is None else classes.codes[present]
    groups = 1 if classes is None else len(classes.values)
    known = codes != MISSING
    cells = (rank.astype(np.int64) * groups + codes)[known]
    # There are less than 2**32 rows, so that sums are exact in floating point.
    given = None if weights is None else weights[present][known].astype(np.float64)
    found = np.bincount(cells, weights=given, minlength=values.size * groups)
    return values, found.astype(np.int64, copy=False).reshape(values.size, groups)
