"""Evidence: what is observed, as codes of a network's levels.

A single observation is a mapping of variables to values, or one row of a data frame. Rows come as a data frame or a
data set; cells that are missing, and columns that are absent, are not observed. Values are matched as text, as
everywhere, so that ``1`` and ``"1"`` are the same level; a value whose text is no level matches the only level that
stands for the same number or boolean, so that ``0.0`` and ``0`` match the level ``0.0``. Numbers in columns that the
network's discretizer cuts are first replaced by intervals.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dagscape.core.caveats import issue
from dagscape.core.errors import InvalidData, InvalidOption, NothingObserved, did_you_mean, type_of
from dagscape.core.masks import mask_of
from dagscape.data.discrete.dataset import Dataset
from dagscape.data.discrete.discretizing import cut_numbers
from dagscape.data.discrete.levels import level_of_missing
from dagscape.data.discrete.rows import distinct_rows, group_rows, pack_words
from dagscape.data.reading import read_table
from dagscape.data.tables.coding import DEFAULT_MISSING_VALUES
from dagscape.data.tables.columns import Column
from dagscape.data.tables.frames import cell_string, is_empty_frame, is_frame, is_missing, table_from_frame
from dagscape.data.tables.numbers import parse_numbers
from dagscape.data.tables.table import Table, listing
from dagscape.data.tables.value_types import LevelFinder
from dagscape.networks.discrete.families import matching_codes

if TYPE_CHECKING:
    import pandas as pd

    from dagscape.data.discrete.discretizing import Discretizer

    Evidence = Mapping[str, Any] | pd.Series[Any]

Levels = Mapping[str, tuple[str, ...]]

UNOBSERVED = -1


def observed_codes(
    levels: Levels, discretizer: Discretizer | None, evidence: Evidence | None, targets: Sequence[str] = ()
) -> dict[str, int]:
    """Return the code of each observed variable.

    Parameters
    ----------
    levels : mapping of str to tuple of str
        The levels of the network's variables.
    discretizer : Discretizer or None
        What cuts numbers.
    evidence : mapping of str to value, pandas.Series or None
        The observed values, as text or in their own type. Missing values (None, NaN) are not observed. A Series is a
        row of a data frame; it is treated like rows to predict.
    targets : sequence of str
        The variables in question, whose entries in a Series are ignored.

    Examples
    --------
    >>> observed_codes({"rain": ("no", "yes"), "dose": ("0", "1")}, None, {"rain": "yes", "dose": 1})
    {'rain': 1, 'dose': 1}
    """
    codes = {}
    for name, value in observations(levels, evidence, targets).items():
        codes[name] = level_code(name, value, levels[name], discretizer)
    return codes


def level_code(
    name: str,
    value: object,
    levels: tuple[str, ...],
    discretizer: Discretizer | None = None,
    option: str = "evidence",
) -> int:
    """Return the code of an observed value of a variable.

    Examples
    --------
    >>> level_code("dose", 1, ("0", "1"))
    1
    """
    text = LevelFinder(levels)[_interval(cell_string(value), name, levels, discretizer)]
    if text not in levels:
        raise InvalidOption(
            f"has {value!r} for {name!r}, which is not one of its levels {listing(levels)}{did_you_mean(text, levels)}",
            option=option,
        )
    return levels.index(text)


def observations(levels: Levels, evidence: Evidence | None, targets: Sequence[str]) -> dict[str, Any]:
    """Return the observed values of a network's variables. Of a row, only entries of these count, without the targets.

    Examples
    --------
    >>> observations({"rain": ("no", "yes"), "wet": ("0", "1")}, {"rain": "yes", "wet": None}, [])
    {'rain': 'yes'}
    """
    found: dict[str, Any] = {}
    for name, value in _entries(levels, evidence, targets).items():
        if name not in levels:
            raise InvalidOption(f"has {name!r}, which is not a variable{did_you_mean(name, levels)}", option="evidence")
        if not is_missing(value):
            found[name] = value
    return found


def _entries(levels: Levels, evidence: Evidence | None, targets: Sequence[str]) -> Mapping[str, Any]:
    """Return evidence as a mapping; of a row, the entries of a network's variables."""
    if evidence is None or isinstance(evidence, Mapping):
        return evidence or {}
    import pandas as pd

    if not isinstance(evidence, pd.Series):
        raise InvalidOption(f"is {type_of(evidence)}; it must map variables to values", option="evidence")
    found: dict[str, Any] = {}
    for name, value in evidence.items():
        if not isinstance(name, str) or name not in levels or name in targets:
            continue
        missing = is_missing(value) or cell_string(value).strip() in DEFAULT_MISSING_VALUES
        level = level_of_missing(levels[name]) if missing else value
        if level is not None:
            found[name] = level
    return found


def _interval(text: str, name: str, levels: tuple[str, ...], discretizer: Discretizer | None) -> str:
    """Return the interval of a number, if the network's discretizer cuts its column."""
    number = parse_numbers([text])
    if text in levels or discretizer is None or name not in discretizer.cuts:
        return text
    if number is None or not np.isfinite(number[0]):
        return text
    return discretizer.levels[name][int(np.searchsorted(discretizer.cuts[name], number[0]))]


@dataclass(frozen=True, slots=True, eq=False)
class ObservedRows:
    """Rows of evidence, equal ones once.

    Attributes
    ----------
    codes : array of int, distinct rows × variables
        The codes; -1 where a variable is not observed.
    chosen : array of bool, distinct rows × variables
        Whether the value was set by an intervention.
    places : array of int
        The distinct row of each row.
    index : pandas.Index or None
        The labels of the rows, if they come from a pandas frame.
    """

    codes: NDArray[np.int64]
    chosen: NDArray[np.bool_]
    places: NDArray[np.intp]
    index: Any = None

    def take(self, rows: NDArray[np.bool_]) -> ObservedRows:
        """Return some of the distinct rows."""
        return ObservedRows(self.codes[rows], self.chosen[rows], np.arange(np.count_nonzero(rows)))

    def patterns(self) -> Iterator[tuple[list[int], int, NDArray[np.intp]]]:
        """Iterate over the sets of observed variables: their list, those of them that were set, and the rows."""
        if not len(self.codes):
            return
        n = self.codes.shape[1]
        marks = np.concatenate([self.codes != UNOBSERVED, self.chosen], axis=1)
        order, starts = group_rows(pack_words((marks[:, i], 2) for i in range(2 * n)))
        for rows in np.split(order, starts[1:]):
            mark = marks[rows[0]]
            yield np.flatnonzero(mark[:n]).tolist(), mask_of(np.flatnonzero(mark[n:]).tolist()), rows


def observed_rows(
    variables: Sequence[str], levels: Levels, discretizer: Discretizer | None, rows: Any, target: str
) -> ObservedRows:
    """Return rows of evidence for a target, whose own column is ignored, as are columns of other names.

    Parameters
    ----------
    variables, levels, discretizer
        Those of the network.
    rows : Dataset, Table, data frame or path
        For a data set, its distinct rows, in the order of ``rows.to_frame(expand=False)``.
    target : str
        The variable to predict.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"rain": ["no", None, "no"], "wet": [1, 0, 1], "day": ["Mon", "Tue", "Wed"]})
    >>> found = observed_rows(["rain", "wet"], {"rain": ("no", "yes"), "wet": ("0", "1")}, None, frame, "wet")
    >>> found.codes.tolist(), found.places.tolist()
    ([[-1, -1], [0, -1]], [1, 0, 1])
    """
    rows = as_rows(rows)
    _warn_if_nothing_is_common(variables, rows, target)
    if isinstance(rows, Dataset):
        codes, chosen = _dataset_codes(variables, levels, rows, target)
        return ObservedRows(codes, chosen, np.arange(len(codes)))
    if is_empty_frame(rows):
        nothing = np.empty((0, len(variables)), dtype=np.int64)
        return ObservedRows(nothing, nothing.astype(np.bool_), np.empty(0, dtype=np.intp), _index(rows))
    table = rows if isinstance(rows, Table) else table_from_frame(rows, source="the rows")
    codes = np.full((table.m, len(variables)), UNOBSERVED, dtype=np.int64)
    for number, name in enumerate(variables):
        if name in table.names and name != target:
            codes[:, number] = column_codes(table, name, levels[name], discretizer)
    first, places = distinct_rows(codes + 1, [len(levels[name]) + 1 for name in variables])
    distinct = codes[first]
    return ObservedRows(distinct, np.zeros(distinct.shape, dtype=np.bool_), places, _index(rows))


def _warn_if_nothing_is_common(variables: Sequence[str], rows: Any, target: str) -> None:
    """Warn if rows have none of the variables that a target could be predicted from."""
    if isinstance(rows, Dataset):
        names: Sequence[str] = (*rows.variables, *rows.set_aside)
    elif isinstance(rows, Table):
        names = rows.names
    elif is_empty_frame(rows):
        return
    else:
        names = [str(name) for name in getattr(rows, "columns", variables)]
    warn_if_nothing_is_common(variables, names, target)


def warn_if_nothing_is_common(variables: Sequence[str], names: Sequence[str], target: str) -> None:
    """Warn if columns of some names have none of the variables that a target could be predicted from.

    Examples
    --------
    >>> warn_if_nothing_is_common(["rain", "wet"], ["rain", "day"], "wet")
    """
    own = [name for name in variables if name != target]
    if own and not {*own} & {*names}:
        others = [name for name in names if name != target]
        near = next((hint for name in others if (hint := did_you_mean(name, own))), "")
        found = f"their columns are {listing(others)}" if others else "they have no other columns"
        issue(
            NothingObserved(
                f"the rows have none of the variables that {target!r} could be predicted from ({listing(own)}): {found}"
                f"{near}; every prediction is the probability of {target!r} when nothing is known"
            )
        )


def as_rows(rows: Any) -> Any:
    """Return the table of a file, and a data frame or a data set as it is; refuse all else.

    >>> as_rows("builtin:zoo").m
    101
    """
    if isinstance(rows, str | os.PathLike):
        return read_table(rows)
    if isinstance(rows, Dataset | Table) or is_frame(rows):
        return rows
    raise InvalidOption(f"is {type_of(rows)}; it must be a data frame, a Dataset or the path of a file", option="rows")


def _dataset_codes(
    variables: Sequence[str], levels: Levels, data: Dataset, target: str
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    codes = np.full((len(data.codes), len(variables)), UNOBSERVED, dtype=np.int64)
    chosen = np.zeros(codes.shape, dtype=np.bool_)
    known = [(number, name) for number, name in enumerate(variables) if name in data.levels and name != target]
    columns = [data.variables.index(name) for _, name in known]
    numbers = [number for number, _ in known]
    codes[:, numbers] = matching_codes([name for _, name in known], levels, data, columns)
    if data.holes is not None:
        for number, column in zip(numbers, columns, strict=True):
            codes[data.holes[:, column], number] = _unobserved(levels[variables[number]])
    if data.interventions is not None:
        chosen[:, numbers] = data.interventions[:, columns]
    return codes, chosen


def column_codes(
    table: Table, name: str, levels: tuple[str, ...], discretizer: Discretizer | None
) -> NDArray[np.int64]:
    """Return the codes of a column; a missing cell is not observed, unless missing cells were a level in training."""
    column = table.column(name)
    # The cells may be intervals already.
    if discretizer is not None and name in discretizer.cuts and not _are_levels(column, levels):
        column = cut_numbers(discretizer, table.only([name])).column(name)
    column = column.observed()
    position = {level: code for code, level in enumerate(levels)}
    find = LevelFinder(levels)
    strings = [find[text] for text in column.values]
    for code, text in enumerate(strings):
        if text not in position:
            place = table.where(column.first_row(code))
            raise InvalidData(
                f"{_has(table)} {column.values[code]!r} in column {name!r} at {place}, which is not one of its "
                f"levels {listing(levels)}{did_you_mean(text, levels)}"
            )
    lookup = np.array([*(position[text] for text in strings), _unobserved(levels)], dtype=np.int64)
    return lookup[column.codes]


def _unobserved(levels: tuple[str, ...]) -> int:
    """Return the code of a missing cell: that of missing cells in training, if they were a level."""
    level = level_of_missing(levels)
    return UNOBSERVED if level is None else levels.index(level)


def _are_levels(column: Column, levels: tuple[str, ...]) -> bool:
    return column.kind == "labels" and set(column.observed().values) <= set(levels)


def _has(table: Table) -> str:
    return f"{table.source} {'have' if table.unit == 'row' else 'has'}"


def _index(rows: Any) -> Any:
    import pandas as pd

    return rows.index if isinstance(rows, pd.DataFrame) else None
