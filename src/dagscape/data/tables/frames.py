"""Tables from data frames and NumPy arrays.

Columns of integers and floats stay numbers. As levels, all cells are strings: integers in decimal; booleans as ``True``
and ``False``; floats as ``1``, ``2`` if a column holds only integers, otherwise as the shortest string that reads back
as the same number. Null, None and NaN are missing, and so are the strings in ``missing_values``. Strings are kept as
they are, including white space.

Categorical columns (pandas and modin categoricals, polars enums, Arrow dictionaries) declare their levels,
including unobserved ones, in category order, as factors in R do. ``Categorical`` of polars is an exception:
its categories are shared between frames and declare nothing.
"""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from dagscape.core.errors import InvalidData, InvalidOption
from dagscape.core.wording import plural
from dagscape.data.tables.coding import DEFAULT_MISSING_VALUES, check_missing_values, column_from_strings
from dagscape.data.tables.columns import MISSING, Column, NumberColumn, TextColumn, empty_column
from dagscape.data.tables.duplicate_names import DuplicateNames, distinct_names
from dagscape.data.tables.numbers import are_integers, number_strings, parse_numbers
from dagscape.data.tables.table import Table
from dagscape.data.tables.value_types import ValueType, type_of_cells

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import narwhals as nw


def table_from_frame(
    frame: Any,
    *,
    missing_values: Iterable[str] = DEFAULT_MISSING_VALUES,
    source: str = "the data frame",
    unused: Callable[[str], bool] | None = None,
    duplicate_names: DuplicateNames = "error",
    dates: bool = False,
) -> Table:
    """Make a table from any eager data frame that narwhals supports.

    Parameters
    ----------
    frame : data frame
        A frame of pandas, polars, pyarrow, modin, …; a lazy one must be collected first.
    missing_values : collection of str
        Strings that mean a missing cell.
    source : str
        What to call the frame in messages.
    unused : callable, optional
        Tells whether a column of that name is not used; it may then contain anything, and its cells are read as
        missing.
    duplicate_names : {"error", "rename"}
        What to do about columns of the same name, as in :func:`~dagscape.data.tables.duplicate_names.distinct_names`.
    dates : bool
        Whether dates and times become text, to be recognised as such; otherwise, they are refused.

    Examples
    --------
    >>> import pandas as pd
    >>> table = table_from_frame(pd.DataFrame({"dose": [1.0, None, 2.0], "sick": [True, False, True]}))
    >>> [column.values for column in table.columns]
    [('1', '2'), ('True', 'False')]
    """
    missing = check_missing_values(missing_values)
    wrapped = _wrap(frame, source, duplicate_names, unused)
    empty = empty_column(len(wrapped))
    columns = tuple(
        empty
        if unused is not None and unused(series.name)
        else series_column(_as_text(series) if dates else series, missing, source)
        for series in wrapped.iter_columns()
    )
    return Table(tuple(wrapped.columns), columns, np.arange(len(wrapped), dtype=np.int64), "row", source)


def table_from_array(
    array: npt.ArrayLike,
    names: Sequence[str] | None = None,
    *,
    missing_values: Iterable[str] = DEFAULT_MISSING_VALUES,
    source: str = "the array",
) -> Table:
    """Make a table from a two-dimensional array of integers, booleans, floats, strings or mixed objects.

    Parameters
    ----------
    array : array-like
        Rows × columns; masked cells are missing.
    names : sequence of str, optional
        The names of the columns. Default: ``X0``, ``X1``, ….
    missing_values : collection of str
        Strings that mean a missing cell.
    source : str
        What to call the array in messages.

    Examples
    --------
    >>> table = table_from_array([[0, 1], [2, 1]])
    >>> table.names, [column.values for column in table.columns]
    (('X0', 'X1'), [('0', '2'), ('1',)])
    """
    missing = check_missing_values(missing_values)
    cells = _two_dimensional(array, source)
    if isinstance(names, str):
        raise InvalidOption(f"is {names!r}; it must be a collection of names", option="variables")
    titles = tuple(f"X{index}" for index in range(cells.shape[1])) if names is None else tuple(map(str, names))
    if len(titles) != cells.shape[1]:
        raise InvalidOption(
            f"has {plural(len(titles), 'name')}; {source} has {plural(cells.shape[1], 'column')}", option="variables"
        )
    columns = tuple(_array_column(cells[:, i], name, missing, source) for i, name in enumerate(titles))
    return Table(titles, columns, np.arange(cells.shape[0], dtype=np.int64), "row", source)


def is_missing(cell: object) -> bool:
    """Whether a cell of a frame or array is missing: None, NaN, or the NA and NaT of pandas.

    Examples
    --------
    >>> is_missing(None), is_missing(float("nan")), is_missing("nan")
    (True, True, False)
    """
    if cell is None or type(cell).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(cell, float | np.floating | Decimal) and cell != cell


def cell_string(cell: object) -> str:
    """Return a single cell as a string; a float that is an integer is written as one.

    Examples
    --------
    >>> cell_string(True), cell_string(2.0), cell_string(0.1), cell_string("2.0")
    ('True', '2', '0.1', '2.0')
    """
    if isinstance(cell, float | np.floating):
        return _float_strings([cell])[0]
    return str(cell)


def cell_strings(cells: Sequence[Any]) -> list[str]:
    """Return cells or categories of any types as strings; floats are written as integers if all of them are.

    Examples
    --------
    >>> cell_strings([1.0, 2.0, "x"]), cell_strings([1.0, 2.5, True])
    (['1', '2', 'x'], ['1.0', '2.5', 'True'])
    """
    floats = [cell for cell in cells if isinstance(cell, float | np.floating)]
    written = iter(_float_strings(floats))
    return [next(written) if isinstance(cell, float | np.floating) else str(cell) for cell in cells]


def is_frame(thing: object) -> bool:
    """Whether a thing is a data frame, eager or lazy, of a library that narwhals supports.

    Examples
    --------
    >>> import pandas as pd
    >>> is_frame(pd.DataFrame({"a": [1]})), is_frame([1])
    (True, False)
    """
    import narwhals as nw

    return nw.dependencies.is_into_dataframe(thing) or isinstance(
        nw.from_native(thing, pass_through=True), nw.LazyFrame
    )


def is_empty_frame(thing: Any) -> bool:
    """Whether a thing is an eager data frame without rows.

    Examples
    --------
    >>> import pandas as pd
    >>> is_empty_frame(pd.DataFrame({"a": []})), is_empty_frame(pd.DataFrame({"a": [1]}))
    (True, False)
    """
    import narwhals as nw

    return nw.dependencies.is_into_dataframe(thing) and len(thing) == 0


def _two_dimensional(array: npt.ArrayLike, source: str) -> npt.NDArray[Any]:
    """Return the cells as a plain array, with None for masked cells."""
    try:
        cells = np.asanyarray(array)
    except ValueError as error:
        raise InvalidOption(f"{source} is ragged: its rows differ in length") from error
    if cells.ndim != 2:
        raise InvalidOption(f"{source} has {plural(cells.ndim, 'dimension')}; it must have 2, rows and columns")
    if not len(cells):
        raise InvalidData(f"{source} has no rows; it must have at least one row")
    if not isinstance(cells, np.ma.MaskedArray):
        return cells
    plain = np.array(cells.data, dtype=object)
    plain[np.ma.getmaskarray(cells)] = None
    return plain


def unusable(name: str, what: str, source: str) -> InvalidData:
    """Return the error about a column that cannot become strings."""
    return InvalidData(f"{source} has {what} in column {name!r}: convert them to strings, integers or categories first")


def _type_name(thing: object) -> str:
    return f"an object of type {type(thing).__module__}.{type(thing).__qualname__}"


def _wrap(
    frame: Any, source: str, duplicates: DuplicateNames, unused: Callable[[str], bool] | None
) -> nw.DataFrame[Any]:
    """Wrap the frame in the interface of narwhals, with strings as column names."""
    import narwhals as nw

    # Check names first, because narwhals would report duplicates in its own words.
    if nw.dependencies.is_pandas_like_dataframe(frame):
        names = distinct_names([str(name) for name in frame.columns], source, duplicates, unused)
        frame = frame if len(names) == frame.shape[1] else frame.iloc[:, list(names.values())]
        frame = frame.set_axis(list(names), axis=1)
    elif nw.dependencies.is_pyarrow_table(frame):
        names = distinct_names(frame.column_names, source, duplicates, unused)
        frame = _without_views(frame.select(list(names.values())).rename_columns(list(names)))
    try:
        wrapped: nw.DataFrame[Any] | nw.LazyFrame[Any] = nw.from_native(frame)
    except TypeError as error:
        remedy = "use from_array for NumPy arrays, or" if isinstance(frame, np.ndarray) else "it must be"
        raise InvalidOption(
            f"the frame is {_type_name(frame)}; {remedy} a pandas, polars, pyarrow or modin data frame"
        ) from error
    if isinstance(wrapped, nw.LazyFrame):
        raise InvalidOption(f"the frame is {_type_name(frame)}, which is lazy: collect it first")
    return wrapped


def _without_views(frame: Any) -> Any:
    """Return an Arrow table with plain strings in place of string views, which Arrow cannot filter."""
    import pyarrow as pa

    for index, field in enumerate(frame.schema):
        if pa.types.is_string_view(field.type):
            frame = frame.set_column(index, field.name, frame.column(index).cast(pa.large_string()))
    return frame


def series_column(series: nw.Series[Any], missing: frozenset[str], source: str) -> Column:
    """Make a column from a series, according to its type.

    Parameters
    ----------
    series : narwhals Series
        The cells.
    missing : frozenset of str
        Strings that mean a missing cell.
    source : str
        What to call the frame in messages.
    """
    import narwhals as nw

    categories = _categories(series)
    null = series.is_null().to_numpy().astype(np.bool_)
    if categories is not None:
        return _category_column(categories, series, null, missing, source)
    if null.all():
        return empty_column(null.size)
    if series.dtype.is_float() or series.dtype.is_integer():
        return number_column(_number_cells(series, null), null, missing)
    present = series.filter(~series.is_null())
    if series.dtype == nw.Object:
        column = _object_column(present.to_list(), series.name, missing, source)
    elif series.dtype in (nw.String, nw.Categorical, nw.Boolean, nw.Decimal):
        column = _plain_column(present.to_list(), missing)
    else:
        raise unusable(series.name, f"cells of type {series.dtype}", source)
    return _with_gaps(column, null)


def _as_text(series: nw.Series[Any]) -> nw.Series[Any]:
    """Return dates and times as text, and anything else as it is."""
    import narwhals as nw

    if series.dtype in (nw.Date, nw.Datetime, nw.Time):
        return series.cast(nw.String)
    if series.dtype == nw.Object:
        cells = series.to_list()
        if all(isinstance(cell, datetime.date | datetime.time) or is_missing(cell) for cell in cells):
            strings = [None if is_missing(cell) else str(cell) for cell in cells]
            return nw.new_series(series.name, strings, nw.String, backend=series.implementation)
    return series


def _number_cells(series: nw.Series[Any], null: npt.NDArray[np.bool_]) -> npt.NDArray[Any]:
    """Return the cells of a series of integers or floats, anything for null."""
    if not null.any():
        return series.to_numpy()
    cells = series.to_numpy() if series.dtype.is_float() else series.fill_null(0).to_numpy()
    if cells.dtype.kind in "iuf":
        return cells
    # A type of pandas that holds null, as objects.
    found = np.full(null.size, np.nan)
    found[~null] = series.filter(~series.is_null()).to_numpy()
    return found


def _categories(series: nw.Series[Any]) -> list[Any] | None:
    """Return the categories that a series declares; narwhals knows only the observed ones."""
    import narwhals as nw

    native = series.to_native()
    if isinstance(series.dtype, nw.Categorical | nw.Enum):
        if nw.dependencies.is_pandas_like_series(native):
            return list(native.cat.categories.tolist())
        if nw.dependencies.is_pyarrow_chunked_array(native):
            chunks = native.unify_dictionaries().chunks
            return list(chunks[0].dictionary.to_pylist()) if chunks else []
        if isinstance(series.dtype, nw.Enum):
            return list(series.dtype.categories)
    return None


def _category_column(
    categories: list[Any],
    series: nw.Series[Any],
    null: npt.NDArray[np.bool_],
    missing: frozenset[str],
    source: str,
) -> Column:
    strings = cell_strings(categories)
    if len(set(strings)) < len(strings):
        raise InvalidData(f"{source} has categories in column {series.name!r} that are equal as strings: rename them")
    kept = tuple(text for text in strings if text not in missing)
    position = {text: code for code, text in enumerate(kept)}
    lookup = {cell: position.get(text, MISSING) for cell, text in zip(categories, strings, strict=True)}
    codes = np.full(null.size, MISSING, dtype=np.int32)
    codes[~null] = [lookup[cell] for cell in series.filter(~series.is_null()).to_list()]
    own = [cell for cell, text in zip(categories, strings, strict=True) if text not in missing]
    return TextColumn(kept, codes, declared=True, own=type_of_cells(own))


def _array_column(cells: npt.NDArray[Any], name: str, missing: frozenset[str], source: str) -> Column:
    """Make a column from a one-dimensional array, according to its type."""
    if cells.dtype.kind in "iuf":
        return number_column(cells, np.zeros(cells.size, dtype=np.bool_), missing)
    if cells.dtype.kind == "O":
        return _object_column(cells.tolist(), name, missing, source)
    if cells.dtype.kind in "bU":
        return _plain_column(cells.tolist(), missing)
    raise unusable(name, f"cells of type {cells.dtype}", source)


def _plain_column(cells: list[Any], missing: frozenset[str]) -> TextColumn:
    """Make a column from cells of one type, converted with ``str``."""
    return column_from_strings(list(map(str, cells)), missing_values=missing, own=type_of_cells(cells[:1]))


def _object_column(cells: list[Any], name: str, missing: frozenset[str], source: str) -> TextColumn:
    """Make a column from cells of mixed types; floats are written as integers if all of them are."""
    present = [cell for cell in cells if not is_missing(cell)]
    for cell in present:
        if not isinstance(cell, str | int | float | np.number | np.bool_ | Decimal):
            raise unusable(name, f"{type(cell).__name__} objects", source)
    strings = cell_strings(present)
    own = (cell for cell, text in zip(present, strings, strict=True) if text not in missing)
    return _with_gaps(
        column_from_strings(strings, missing_values=missing, own=type_of_cells(own)),
        np.fromiter(map(is_missing, cells), dtype=np.bool_, count=len(cells)),
    )


def number_column(cells: npt.NDArray[Any], gaps: npt.NDArray[np.bool_], missing: frozenset[str]) -> Column:
    """Make a column from integers or floats.

    Parameters
    ----------
    cells : ndarray
        The numbers; those that are NaN are missing.
    gaps : ndarray of bool
        Which cells are missing in addition.
    missing : frozenset of str
        Strings that mean a missing cell, if the numbers are written like that.
    """
    own: ValueType = "integer" if cells.dtype.kind in "iu" else "number"
    gaps = gaps | np.isnan(cells)
    if gaps.all():
        return empty_column(gaps.size, own)
    integers = are_integers(cells[~gaps])
    for text in missing:
        number = _number_written(text, cells.dtype, integers)
        if number is not None:
            gaps |= cells == number
    return empty_column(gaps.size, own) if gaps.all() else NumberColumn(cells, gaps, own, integers=integers)


def _number_written(text: str, dtype: np.dtype[Any], integers: bool) -> np.generic | None:
    """Return the number of a type that is written as a string, if there is one."""
    parsed = parse_numbers([text])
    if parsed is None or np.isnan(parsed[0]):
        return None
    try:
        number = dtype.type(int(text) if dtype.kind in "iu" else parsed[0])
    except (ValueError, OverflowError):
        return None
    same = number_strings(np.array([number + 0]), integers=integers and np.isfinite(parsed[0])) == [text]
    return number if same else None


def _with_gaps(column: TextColumn, gaps: npt.NDArray[np.bool_]) -> TextColumn:
    """Insert missing cells into a column where there are gaps."""
    codes = np.full(gaps.size, MISSING, dtype=np.int32)
    codes[~gaps] = column.codes
    return TextColumn(column.values, codes, own=column.type)


def _float_strings(floats: Sequence[Any]) -> list[str]:
    numbers = np.asarray(floats)
    return number_strings(numbers, integers=are_integers(numbers))
