"""Rows of data as numbers: those that a network is fitted to, and those that it says something about.

A cell is the number of a measured variable or the index of a level of a discrete one, in the order of the network's
variables and levels; NaN where it is missing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagscape.core.errors import InvalidData, InvalidOption, argument, type_of
from dagscape.core.masks import mask_of
from dagscape.data.continuous.numeric import NumericData
from dagscape.data.discrete.dataset import Dataset
from dagscape.data.discrete.rows import group_rows, pack_words
from dagscape.data.mixed.composing import measured_numbers
from dagscape.data.mixed.converting import mixed_from_numeric
from dagscape.data.mixed.mixed import MixedData
from dagscape.data.tables.frames import is_empty_frame, is_frame, table_from_frame
from dagscape.data.tables.numbers import number_strings, parse_numbers
from dagscape.data.tables.table import Table, listing
from dagscape.data.values import FITTING_USE, as_mixed, check_complete
from dagscape.networks.discrete.evidence import UNOBSERVED, column_codes, warn_if_nothing_is_common
from dagscape.networks.discrete.families import level_numbers

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Marks = NDArray[np.bool_]
Levels = Mapping[str, tuple[str, ...]]

_MOST_LEVELS = 2**32


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Rows of data, with the variables of a network in its order.

    Attributes
    ----------
    values : array, rows × variables
        The cells.
    chosen : array of bool, rows × variables, or None
        Whether the variable was set by an intervention.
    index : pandas.Index or None
        The labels of the rows, if they come from a pandas frame.
    """

    values: Floats
    chosen: Marks | None = None
    index: Any = None

    @property
    def codes(self) -> Integers:
        """The cells of discrete variables as integers, -1 where one is missing; those of others mean nothing."""
        # Numbers of measured variables may be too large for integers.
        return np.where(np.abs(self.values) < _MOST_LEVELS, self.values, UNOBSERVED).astype(np.int64)

    @property
    def free(self) -> Marks | None:
        """Whether the variable was observed, not set; None if there are no interventions."""
        return None if self.chosen is None else ~self.chosen

    def patterns(self) -> Iterator[tuple[int, int, NDArray[np.intp]]]:
        """Iterate over the sets of observed variables: the set, those of them that were set, and the rows."""
        if not len(self.values):
            return
        n = self.values.shape[1]
        chosen = np.zeros(self.values.shape, dtype=np.bool_) if self.chosen is None else self.chosen
        marks = np.concatenate([~np.isnan(self.values), chosen], axis=1)
        order, starts = group_rows(pack_words((marks[:, i], 2) for i in range(2 * n)))
        for rows in np.split(order, starts[1:]):
            mark = marks[rows[0]]
            yield mask_of(np.flatnonzero(mark[:n]).tolist()), mask_of(np.flatnonzero(mark[n:]).tolist()), rows


def rows_to_fit(variables: Sequence[str], data: MixedData, *, incomplete: bool = False) -> Rows:
    """Return the rows of data with the variables of a structure, which must be all that there are.

    Cells may be missing only if ``incomplete`` says so.

    Examples
    --------
    >>> data = mixed_from_numeric(NumericData.from_array([[0.5, 2.0], [1.5, 3.0]], ["a", "b"]))
    >>> rows_to_fit(["b", "a"], data).values.tolist()
    [[2.0, 0.5], [3.0, 1.5]]
    """
    if not incomplete:
        check_complete(data, "a network's parameters", FITTING_USE)
    columns = _columns(variables, data)
    marks = data.interventions
    return Rows(data.values[:, columns], None if marks is None else marks[:, columns])


def _columns(variables: Sequence[str], data: MixedData) -> list[int]:
    """Return the column of each variable; raise an error if there is none, or another variable."""
    place = {name: column for column, name in enumerate(data.variables)}
    if absent := [name for name in variables if name not in place]:
        aside = "".join(
            f"; {name!r} was set aside, because it {data.set_aside[name]}" for name in absent if name in data.set_aside
        )
        raise InvalidData(f"the data lack variables of the network: {listing(absent)}{aside}")
    if others := [name for name in data.variables if name not in set(variables)]:
        raise InvalidData(
            f"the data have variables that the network lacks: {listing(others)}; remove them with data.select()"
        )
    return [place[name] for name in variables]


def rows_to_judge(variables: Sequence[str], levels: Levels, data: Any) -> Rows:
    """Return complete rows, which have the variables of a network; the likelihood is about these.

    Parameters
    ----------
    variables : sequence of str
        The variables of the network.
    levels : mapping of str to tuple of str
        The levels of the discrete ones.
    data : MixedData, NumericData, Dataset or data frame
        The rows; other columns of a frame are ignored.
    """
    if is_frame(data):
        found = _of_table(variables, levels, _table(data, "the data frame"), "")
        if absent := [name for name in variables if name not in {str(name) for name in data.columns}]:
            raise InvalidData(f"the data lack variables of the network: {listing(absent)}")
        if np.isnan(found.values).any():
            raise InvalidData(
                "the data frame has missing cells, which the likelihood cannot use: leave out their rows, or make data "
                f"of it with {argument('missing', 'drop')}"
            )
        return found
    mixed = as_mixed(data)
    check_complete(mixed, "the likelihood", FITTING_USE)
    _columns(variables, mixed)
    return _of_mixed(variables, levels, mixed, "")


def rows_to_predict(variables: Sequence[str], levels: Levels, rows: Any, target: str) -> Rows:
    """Return rows of evidence for a target, whose own column is ignored, as are columns of other names.

    Parameters
    ----------
    variables, levels
        As in :func:`rows_to_judge`.
    rows : MixedData, NumericData, Dataset, Table or data frame
        Missing cells are not observed. Of a data set, the distinct rows.
    target : str
        The variable to predict.
    """
    if isinstance(rows, Dataset):
        values = np.where(False if rows.holes is None else rows.holes, np.nan, rows.codes)
        rows = MixedData(rows.variables, values, rows.levels, rows.interventions, rows.types, set_aside=rows.set_aside)
    if isinstance(rows, NumericData):
        rows = mixed_from_numeric(rows)
    if isinstance(rows, MixedData):
        warn_if_nothing_is_common(variables, (*rows.variables, *rows.set_aside), target)
        return _of_mixed(variables, levels, rows, target)
    if not isinstance(rows, Table) and not is_frame(rows):
        what = repr(rows) if isinstance(rows, str | os.PathLike) else type_of(rows)
        raise InvalidOption(f"is {what}; it must be a data frame, MixedData or NumericData", option="rows")
    if is_empty_frame(rows):
        return Rows(np.empty((0, len(variables))), None, _index(rows))
    table = rows if isinstance(rows, Table) else _table(rows, "the rows")
    warn_if_nothing_is_common(variables, table.names, target)
    found = _of_table(variables, levels, table, target)
    return Rows(found.values, None, _index(rows))


def _table(frame: Any, source: str) -> Table:
    return table_from_frame(frame, source=source)


def _of_table(variables: Sequence[str], levels: Levels, table: Table, target: str) -> Rows:
    values = np.full((table.m, len(variables)), np.nan)
    for place, name in enumerate(variables):
        if name not in table.names or name == target:
            continue
        if name in levels:
            codes = column_codes(table, name, levels[name], None)
            values[:, place] = np.where(codes == UNOBSERVED, np.nan, codes)
        else:
            values[:, place] = measured_numbers(table, name)
    return Rows(values)


def _of_mixed(variables: Sequence[str], levels: Levels, data: MixedData, target: str) -> Rows:
    values = np.full((data.m, len(variables)), np.nan)
    chosen = np.zeros(values.shape, dtype=np.bool_)
    for place, name in enumerate(variables):
        if name not in data.variables or name == target:
            continue
        column = data.variables.index(name)
        values[:, place] = _cells(name, data.values[:, column], data.levels.get(name), levels.get(name))
        if data.interventions is not None:
            chosen[:, place] = data.interventions[:, column]
    return Rows(values, chosen if chosen.any() else None)


def _cells(
    name: str, cells: Floats, strings: tuple[str, ...] | None, levels: tuple[str, ...] | None
) -> NDArray[np.float64]:
    """Return the cells of a variable in the terms of a network, whatever the data take the variable for."""
    seen = ~np.isnan(cells)
    found = np.full(cells.shape, np.nan)
    if levels is None and strings is None:
        return cells
    if levels is None:
        numbers = parse_numbers(strings or ())
        if numbers is None:
            raise InvalidData(f"{name!r} is measured in the network; the data have levels: {listing(strings or ())}")
        found[seen] = numbers[cells[seen].astype(np.int64)]
        return found
    codes = cells
    if strings is None:
        distinct, own = np.unique(cells[seen], return_inverse=True)
        strings = tuple(number_strings(distinct, integers=bool((distinct == np.round(distinct)).all())))
        codes = found.copy()
        codes[seen] = own
    whole = codes[seen].astype(np.int64)
    found[seen] = level_numbers(name, levels, strings, whole)[whole]
    return found


def _index(rows: Any) -> Any:
    import pandas as pd

    return rows.index if isinstance(rows, pd.DataFrame) else None
