"""The intervals of all columns that are cut: where the user says, or by a rule, for each column or for all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from dagscape.core.errors import InvalidOption, type_of
from dagscape.data.discrete.cut_rules import CutRule
from dagscape.data.discrete.cutting import MAX_BINS, finite_numbers, fit_column
from dagscape.data.discrete.identifiers import is_nearly_unique
from dagscape.data.discrete.information_merging import Levels, merged_intervals
from dagscape.data.discrete.interval_widths import interval_widths
from dagscape.data.discrete.intervals import Intervals, intervals_between
from dagscape.data.tables.columns import MISSING, Column
from dagscape.data.tables.table import Table
from dagscape.results.decoding import LARGEST

# As in Hartemink's dissertation and later programs.
INITIAL_BINS = 20


def checked_cuts(cuts: Any) -> dict[str, tuple[float, ...]]:
    """Return the cuts that a user gives for some columns, as floats.

    >>> checked_cuts({"age": [30, 50]})
    {'age': (30.0, 50.0)}
    """
    if cuts is None:
        return {}
    if not isinstance(cuts, Mapping):
        raise InvalidOption(
            f"is {type_of(cuts)}; it must be a mapping of columns to cuts, such as {{'age': [30, 50]}}", option="cuts"
        )
    return {name: _checked(name, given) for name, given in cuts.items()}


def _checked(name: str, given: Any) -> tuple[float, ...]:
    try:
        numbers = np.array([] if isinstance(given, str) else list(np.atleast_1d(given)), dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.empty(0)
    ascending = numbers.ndim == 1 and numbers.size > 0 and bool((np.diff(numbers) > 0).all())
    if not (ascending and (np.abs(numbers) <= LARGEST).all() and numbers.size < MAX_BINS):
        raise InvalidOption(
            f"has {given!r} for column {name!r}; it must be numbers in ascending order, such as [30, 50]",
            option="cuts",
        )
    # Adding zero turns -0.0 into 0.0.
    return tuple((numbers + 0.0).tolist())


def checked_initial_bins(count: Any, rule: CutRule, method: str, bins: int | Mapping[str, int]) -> int | None:
    """Return the number of initial intervals of a rule that merges them; None if it was not given."""
    if count is None:
        return None
    if not rule.merges:
        raise InvalidOption(f"is {count!r}, but the method {method!r} has no initial intervals", option="initial_bins")
    least = max([2, *(bins.values() if isinstance(bins, Mapping) else [bins])])
    if isinstance(count, bool | np.bool_) or not isinstance(count, int | np.integer) or not least <= count <= MAX_BINS:
        raise InvalidOption(
            f"is {count!r}; it must be an integer from {least} to {MAX_BINS}, at least as large as bins",
            option="initial_bins",
        )
    return int(count)


@dataclass(frozen=True, slots=True)
class ColumnCuts:
    """How the columns of a table are cut.

    Attributes
    ----------
    rule : CutRule
        The method.
    bins : mapping of str to int
        The columns that it cuts, and the number of intervals of each.
    given : mapping of str to tuple of float
        The columns that are cut where the user says, and the cuts.
    initial_bins : int
        The number of intervals that a method begins with that merges them.
    """

    rule: CutRule
    bins: Mapping[str, int]
    given: Mapping[str, tuple[float, ...]]
    initial_bins: int = INITIAL_BINS

    def fit(self, table: Table, classes: Column | None, max_memory: int | str | None) -> dict[str, Intervals]:
        """Return the intervals of all columns that have numbers, in the order of the table."""
        found: dict[str, Intervals] = {}
        for name in table.names:
            if name in self.given:
                found[name] = _at(table, name, self.given[name])
            elif name in self.bins:
                bins = self.initial_bins if self.rule.merges else self.bins[name]
                intervals = fit_column(table, name, self.rule, bins, classes)
                if intervals is not None:
                    found[name] = intervals
        return self._merged(table, found, max_memory) if self.rule.merges else found

    def _merged(
        self, table: Table, found: Mapping[str, Intervals], max_memory: int | str | None
    ) -> dict[str, Intervals]:
        """Return the intervals after merging, with a view to all columns but those that look like identifiers."""
        columns = dict(self._levels(table, found))
        merged = merged_intervals(list(columns.values()), max_memory, table.counts) if columns else []
        kept = dict(zip(columns, merged, strict=True))
        return {
            name: intervals if name in self.given else _at(table, name, [intervals.cuts[place] for place in kept[name]])
            for name, intervals in found.items()
        }

    def _levels(self, table: Table, found: Mapping[str, Intervals]) -> Iterator[tuple[str, Levels]]:
        for name, column in zip(table.names, table.columns, strict=True):
            if name in found:
                intervals = found[name]
                codes = np.searchsorted(intervals.cuts, finite_numbers(table, name), side="left")
                codes[column.gaps] = MISSING
                count = len(intervals.labels)
                yield name, _with_gaps(codes, count, count, count if name in self.given else self.bins[name])
            elif not is_nearly_unique(column.distinct, table.total):
                yield name, _with_gaps(column.codes, len(column.values))


def _with_gaps(codes: npt.NDArray[Any], count: int, intervals: int = 0, wanted: int = 0) -> Levels:
    """Return a column whose missing cells, if there are any, are a level of their own, which is never merged."""
    gaps = codes == MISSING
    return Levels(np.where(gaps, count, codes).astype(np.intp), count + int(gaps.any()), intervals, wanted)


def _at(table: Table, name: str, cuts: Sequence[float]) -> Intervals:
    """Return the intervals of a column between some cuts."""
    intervals, numbers = intervals_between(cuts), finite_numbers(table, name)
    values = np.unique(numbers[~np.isnan(numbers)])
    return replace(intervals, widths=interval_widths(values, cuts) if values.size else ())
