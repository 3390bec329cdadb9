"""Data whose variables are numbers: complete or with holes, immutable, with the rows in a fixed order.

A :class:`NumericData` does not depend on the order of the original rows: it keeps them sorted. Sums over rows in
floating point depend on the order, so that otherwise the last bits of a score would.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self, Unpack

import numpy as np
import numpy.typing as npt

from dagscape.core.checks import check_unicode
from dagscape.core.errors import InvalidData, InvalidOption, argument, type_of
from dagscape.data.continuous.measuring import MeasuringOptions, NumericMissing, constant_columns, measure_table
from dagscape.data.discrete.dataset import Dataset
from dagscape.data.discrete.levels import level_of_missing
from dagscape.data.kinds.decisions import IGNORED, Wishes
from dagscape.data.tables.chosen_variables import all_but, chosen_places
from dagscape.data.tables.coding import DEFAULT_MISSING_VALUES
from dagscape.data.tables.duplicate_names import DuplicateNames
from dagscape.data.tables.file_names import file_name
from dagscape.data.tables.frames import table_from_array, table_from_frame
from dagscape.data.tables.interventions import Marks
from dagscape.data.tables.number_rows import NumberRows
from dagscape.data.tables.numbers import Floats, parse_numbers
from dagscape.data.tables.numeric_cells import is_usable
from dagscape.data.tables.row_order import row_order
from dagscape.data.tables.selection import unused_columns
from dagscape.data.tables.table import Table

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class NumericData(NumberRows):
    """A table of numbers.

    Make one with :meth:`from_frame`, :meth:`from_array` or :func:`numeric_from_dataset`; the constructor does not check
    its arguments. Two are equal if their variables, rows and interventions are; the other attributes are not compared.

    Attributes
    ----------
    variables : tuple of str
        The names of the variables.
    values : ndarray of float64
        Rows × variables, read-only; NaN where a cell is missing. Rows are sorted lexicographically, missing cells last.
    interventions : ndarray of bool or None
        Rows × variables: whether the variable was set in this row; None if there are no interventions.
    missing : mapping of str to int
        The number of missing cells of each variable, as read.
    dropped : int
        The number of rows dropped because of missing cells.
    set_aside : mapping of str to str
        The columns of the source that are no variables because they are constant or, if this was asked for, look like
        identifiers; with the reason.
    source : str
        The name of the file they were read from; empty if they were not.
    weighted_by : str or None
        The column of the source that said how many times each row counts.

    Examples
    --------
    >>> data = NumericData.from_array([[2.5, 1.0], [0.5, 3.0], [1.5, 3.0]], ["height", "width"])
    >>> data
    NumericData(2 variables, 3 rows)
    >>> data.values.tolist()
    [[0.5, 3.0], [1.5, 3.0], [2.5, 1.0]]
    """

    variables: tuple[str, ...]
    values: Floats
    interventions: Marks | None = None
    missing: Mapping[str, int] = field(default_factory=dict)
    dropped: int = 0
    set_aside: Mapping[str, str] = field(default_factory=dict)
    source: str = ""
    weighted_by: str | None = None

    def __new__(cls, *parts: Any, **attributes: Any) -> Self:
        """Refuse a table, which :meth:`from_frame` or :meth:`from_array` would take."""
        if len(parts) == 1 and not attributes:
            raise InvalidOption(
                f"NumericData() does not take {type_of(parts[0])}: use NumericData.from_frame() for data frames and "
                "NumericData.from_array() for arrays"
            )
        return object.__new__(cls)

    def __post_init__(self) -> None:
        check_unicode(self.variables, "the name of a variable")
        for array in (self.values, self.interventions):
            if array is not None:
                array.flags.writeable = False
        for name in ("missing", "set_aside"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        missing: NumericMissing = "error",
        interventions: Any = None,
        weights: Any = None,
        randomised: Collection[str] = (),
        missing_values: Iterable[str] = DEFAULT_MISSING_VALUES,
        duplicate_names: DuplicateNames = "error",
        columns: Collection[str] | None = None,
        drop: Collection[str] = (),
        keep_constant: bool = False,
        drop_suspicious: bool = False,
        max_memory: int | str | None = None,
    ) -> NumericData:
        """Make numeric data from a data frame.

        Parameters
        ----------
        frame : data frame
            A frame of pandas, polars, pyarrow, modin or any other library that narwhals supports; not lazy. Its columns
            hold numbers; text is accepted if every cell is a number.
        missing : {"error", "drop", "keep"}
            How to treat missing cells: raise an error, drop their rows, or keep them as NaN for methods that can use
            them.
        interventions : str, array-like or None
            The variables set in each row, as in :meth:`Dataset.from_frame`.
        weights : str, array-like of int or None
            How many times each row counts, as in :meth:`Dataset.from_frame`; it is then there as often.
        randomised : collection of str
            The variables whose value the experimenters assigned in every row, as in :meth:`Dataset.from_frame`.
        missing_values : collection of str
            Strings that mean a missing cell, besides null and NaN.
        duplicate_names : {"error", "rename"}
            What to do about columns of the same name, as in :meth:`Dataset.from_frame`.
        columns : collection of str, optional
            The columns to use, in this order. Default: all of them.
        drop : collection of str
            Columns not to use. What they contain is not checked.
        keep_constant : bool
            Keep columns with a single value. By default they are set aside, see :attr:`set_aside`.
        drop_suspicious : bool
            Set aside columns of integers that number the rows: one for each row, with few gaps or in order.
        max_memory : int or str, optional
            Limit on memory, such as ``"8GiB"``. Default: 80% of what is free.

        Examples
        --------
        >>> import pandas as pd
        >>> frame = pd.DataFrame({"height": [1.5, None, 2.5], "weight": [60, 70, 80]})
        >>> NumericData.from_frame(frame, missing="drop").dropped
        1
        """
        options: MeasuringOptions = {
            "missing": missing,
            "interventions": interventions,
            "weights": weights,
            "randomised": randomised,
            "columns": columns,
            "drop": drop,
            "keep_constant": keep_constant,
            "drop_suspicious": drop_suspicious,
            "max_memory": max_memory,
        }
        table = table_from_frame(
            frame, missing_values=missing_values, unused=unused_columns(options), duplicate_names=duplicate_names
        )
        return numeric_from_table(table, **options)

    @classmethod
    def from_array(
        cls,
        array: npt.ArrayLike,
        variables: Sequence[str] | None = None,
        *,
        missing_values: Iterable[str] = DEFAULT_MISSING_VALUES,
        **options: Unpack[MeasuringOptions],
    ) -> NumericData:
        """Make numeric data from a two-dimensional array.

        Parameters
        ----------
        array : array-like
            Rows × variables.
        variables : sequence of str, optional
            Names. Default: ``X0``, ``X1``, ….
        missing_values, **options
            As in :meth:`from_frame`.

        Examples
        --------
        >>> NumericData.from_array([[0.5, 1.0], [1.5, 1.0]]).set_aside["X1"]
        "has the same value, '1', in every row"
        """
        return numeric_from_table(table_from_array(array, variables, missing_values=missing_values), **options)

    @property
    def fingerprint(self) -> str:
        """A SHA-256 digest of the content, in hexadecimal; it does not depend on the order of the rows."""
        digest = hashlib.sha256(json.dumps(["numeric", self.variables, self.values.shape]).encode())
        digest.update(np.ascontiguousarray(self.values, dtype="<f8").data)
        if self.interventions is not None:
            digest.update(np.packbits(self.interventions).data)
        return digest.hexdigest()

    def __reduce__(self) -> tuple[type[Self], tuple[Any, ...]]:
        # Mapping proxies cannot be pickled.
        about = (dict(self.missing), self.dropped, dict(self.set_aside), self.source, self.weighted_by)
        return type(self), (self.variables, self.values, self.interventions, *about)

    def select(self, variables: Iterable[str]) -> NumericData:
        """Return the data of some variables, in the given order.

        Examples
        --------
        >>> data = NumericData.from_array([[0.5, 1.0], [1.5, 0.0]], ["a", "b"])
        >>> data.select(["b"]).values.tolist()
        [[0.0], [1.0]]
        """
        names, columns = chosen_places(variables, self.variables, self.set_aside)
        marks = None if self.interventions is None else self.interventions[:, columns]
        missing = {name: self.missing.get(name, 0) for name in names}
        found = sorted_data(names, self.values[:, columns], marks, missing, self.dropped, self.set_aside)
        return replace(found, source=self.source, weighted_by=self.weighted_by)

    def drop(self, variables: Iterable[str]) -> NumericData:
        """Return the data without some variables.

        Examples
        --------
        >>> NumericData.from_array([[0.5, 1.0], [1.5, 0.0]], ["a", "b"]).drop(["b"]).variables
        ('a',)
        """
        return self.select(all_but(variables, self.variables, self.set_aside))

    def to_frame(self) -> pd.DataFrame:
        """Return the rows as a pandas data frame of floats, sorted, without interventions; missing cells are NaN.

        Examples
        --------
        >>> print(NumericData.from_array([[1.5, 2.0], [0.5, 3.0]], ["a", "b"]).to_frame())
             a    b
        0  0.5  3.0
        1  1.5  2.0
        """
        import pandas as pd

        return pd.DataFrame(self.values.copy(), columns=list(self.variables))


def numeric_from_table(
    table: Table, *, ignore: Collection[str] = (), **options: Unpack[MeasuringOptions]
) -> NumericData:
    """Make numeric data from a table.

    Parameters
    ----------
    table : Table
        The table as read.
    ignore : collection of str
        Columns to set aside, whatever they hold.
    **options
        As in :meth:`NumericData.from_frame`.

    Examples
    --------
    >>> numeric_from_table(table_from_array([["0.5"], ["?"], ["1.5"]]), missing="keep")
    NumericData(1 variable, 3 rows, 1 missing cell)
    """
    if ignore:
        Wishes.of(ignore=ignore).check(table)
        drop = options.get("drop", ())
        options = {**options, "drop": [*drop, *(name for name in ignore if name not in drop)]}
    found = measure_table(table, **options)
    about = found.missing, found.dropped, {**dict.fromkeys(ignore, IGNORED), **found.set_aside}
    data = sorted_data(found.variables, found.values, found.marks, *about)
    return replace(data, source=file_name(table.source), weighted_by=found.weighted_by)


def numeric_from_dataset(data: Dataset) -> NumericData:
    """Return the numbers of a data set all of whose levels are numbers, with each row as often as it occurs.

    Columns with a single number are set aside.

    Examples
    --------
    >>> data = Dataset.from_array([[0, 1], [1, 2], [0, 1]], ["a", "b"])
    >>> numeric_from_dataset(data).values.tolist()
    [[0.0, 1.0], [0.0, 1.0], [1.0, 2.0]]
    """
    cells = np.stack([_level_numbers(data, name)[data.codes[:, i]] for i, name in enumerate(data.variables)], axis=1)
    if data.holes is not None:
        cells[data.holes] = np.nan
    constant = constant_columns(dict(zip(data.variables, cells.T, strict=True)))
    kept = [i for i, name in enumerate(data.variables) if name not in constant]
    if not kept:
        raise InvalidData("the data set has constant columns only: numeric data needs a variable that varies")
    names = tuple(data.variables[i] for i in kept)
    values = np.repeat(cells[:, kept], data.weights, axis=0)
    marks = None if data.interventions is None else np.repeat(data.interventions[:, kept], data.weights, axis=0)
    missing = {name: data.missing.get(name, 0) for name in names}
    found = sorted_data(names, values, marks, missing, data.dropped, {**data.set_aside, **constant})
    return replace(found, source=data.source, weighted_by=data.weighted_by)


def _level_numbers(data: Dataset, name: str) -> Floats:
    """Return the number of each level of a variable."""
    if wrong := [level for level in data.levels[name] if not is_usable(level)]:
        raise _not_numeric(data, name, wrong[0])
    numbers = parse_numbers(data.levels[name])
    assert numbers is not None
    return numbers + 0.0


def _not_numeric(data: Dataset, name: str, level: str) -> InvalidData:
    if data.discretizer is not None and name in data.discretizer.cuts:
        remedy = "give the original table, before its numbers were cut"
    elif data.missing.get(name) and level == level_of_missing(data.levels[name]):
        remedy = f"read the table with {argument('missing', 'drop')} to leave out rows with missing cells"
    else:
        remedy = f"leave the variable out with drop([{name!r}]), or use a score for discrete data"
    return InvalidData(
        f"the data set has the level {level!r} of {name!r}, which is not a number that can be used: {remedy}"
    )


def sorted_data(
    variables: tuple[str, ...],
    values: Floats,
    marks: Marks | None,
    missing: Mapping[str, int],
    dropped: int,
    set_aside: Mapping[str, str],
) -> NumericData:
    """Return numeric data of rows in any order; the arguments are those of the constructor."""
    if marks is not None and not marks.any():
        marks = None
    order = row_order(values, marks)
    marks = None if marks is None else marks[order]
    return NumericData(variables, values[order], marks, missing, dropped, set_aside)
