"""Tables and data sets from files, in the format that the name or the content of the file selects.

Levels are strings, so that one called ``None`` or ``NA`` remains a level; numbers are numbers. CSV and TSV are read by
:mod:`dagscape.data.tables.text`, Parquet by :mod:`dagscape.data.tables.parquet`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import Any, Literal, TypedDict, Unpack, overload

from dagscape.core.checks import check_choice
from dagscape.core.errors import InvalidData, InvalidOption, argument, function
from dagscape.core.files.reading import GZIP_MAGIC, decode_text, open_binary, starts_with
from dagscape.data.bundled import PREFIX, bundled_table
from dagscape.data.continuous.measuring import MeasuringOptions
from dagscape.data.continuous.numeric import NumericData, numeric_from_table
from dagscape.data.discrete.dataset import Dataset, encode
from dagscape.data.discrete.encoding import EncodingOptions
from dagscape.data.discrete.levels import LevelsOption
from dagscape.data.tables.coding import DEFAULT_MISSING_VALUES, check_missing_values
from dagscape.data.tables.parquet import read_parquet
from dagscape.data.tables.selection import SelectionOptions, unused_columns
from dagscape.data.tables.table import Table
from dagscape.data.tables.text import read_text_table

_PARQUET_SUFFIXES = (".parquet", ".pq")

# The first bytes of zip archives, and so of Excel files.
_ZIP_MAGIC = b"PK\x03\x04"

# How JSON documents with an object begin; no table is likely to.
_JSON_STARTS = (b'{"', b"{\n", b"{\r\n", b"{ ")

# How those of dagscape begin.
_JSON_KIND = re.compile(r'\s*\{\s*"kind"\s*:\s*"([\w-]+)"\s*,\s*"schema"')
_JSON_START_LENGTH = 1000

Source = str | os.PathLike[str]


DataKind = Literal["discrete", "numeric"]

DATA_KINDS: tuple[DataKind, ...] = ("discrete", "numeric")


class _ReadingOptions(TypedDict, total=False):
    missing_values: Iterable[str]
    separator: str | None


class _DiscreteOptions(EncodingOptions, _ReadingOptions, total=False):
    pass


class _NumericOptions(MeasuringOptions, _ReadingOptions, total=False):
    pass


@overload
def read_data(
    source: Source, *, kind: Literal["discrete"] = "discrete", **options: Unpack[_DiscreteOptions]
) -> Dataset: ...


@overload
def read_data(source: Source, *, kind: Literal["numeric"], **options: Unpack[_NumericOptions]) -> NumericData: ...


def read_data(
    source: Source,
    *,
    kind: DataKind = "discrete",
    missing: Any = "error",
    levels: LevelsOption | None = None,
    interventions: Any = None,
    missing_values: Iterable[str] = DEFAULT_MISSING_VALUES,
    separator: str | None = None,
    columns: Collection[str] | None = None,
    drop: Collection[str] = (),
    keep_constant: bool = False,
    drop_suspicious: bool = False,
    max_memory: int | str | None = None,
) -> Dataset | NumericData:
    r"""Read data from a file.

    Parameters
    ----------
    source : str or path
        A CSV or TSV file with a header, plain or gzipped; a Parquet file (with the extra
        ``dagscape[parquet]``); ``"-"`` for standard input; or ``"builtin:NAME"`` for a bundled data set
        as it was published (:func:`~dagscape.data.bundled.load_dataset` has their names).
    kind : {"discrete", "numeric"}
        What the variables are: ``"discrete"`` gives a :class:`Dataset`, whose levels are the strings of the cells;
        ``"numeric"`` gives :class:`NumericData`, and all cells must be numbers.
    missing : {"error", "level", "drop", "keep"}
        How to treat missing cells: raise an error, make them a level of their own, called ``?``, drop their rows, or
        keep them for methods that can use them, such as predictions. Numeric data has no levels.
    levels : mapping of str to sequence or int, optional
        Declared levels by variable, in order, possibly unobserved; an integer k means the levels
        ``0``, ``1``, …, ``k - 1``. Unobserved levels change BDeu. Only for discrete data.
    interventions : str, array-like or None
        The variables set in each row, as in :meth:`Dataset.from_frame`.
    missing_values : collection of str
        Strings that mean a missing cell.
    separator : str, optional
        The separator of cells. Default: a tab in ``.tsv`` and ``.tab`` files, else a comma.
    columns, drop, keep_constant, drop_suspicious
        The columns to use, as in :meth:`Dataset.from_frame`.
    max_memory : int or str, optional
        Limit on memory, such as ``"8GiB"``. Default: 80% of what is free. What counts are the distinct strings of the
        columns in use, or their numbers, 8 bytes for each of their cells, and declared levels; not the size of the
        file.

    Returns
    -------
    Dataset or NumericData

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "weather.csv")
    ...     _ = path.write_text("rain,street\nno,dry\nyes,wet\n?,wet\n")
    ...     data = read_data(path, missing="drop")
    >>> data, data.dropped
    (Dataset(2 variables, 2 rows, 2 of them distinct), 1)
    >>> read_data("builtin:iris", kind="numeric", drop=["class"])
    NumericData(4 variables, 150 rows)
    """
    check_choice(kind, DATA_KINDS, "kind")
    if kind == "numeric" and levels is not None:
        raise InvalidOption(f"declares levels, which {argument('kind', 'numeric')} does not have", option="levels")
    options: SelectionOptions = {
        "interventions": interventions,
        "columns": columns,
        "drop": drop,
        "keep_constant": keep_constant,
        "drop_suspicious": drop_suspicious,
        "max_memory": max_memory,
    }
    table = read_table(
        source,
        separator=separator,
        missing_values=missing_values,
        unused=unused_columns(options),
        numeric=None if kind == "discrete" else lambda name: name != interventions,
        max_memory=max_memory,
    )
    if kind == "numeric":
        return numeric_from_table(table, missing=missing, **options)
    return encode(table, missing=missing, levels=levels, **options)


def read_table(
    source: Source,
    *,
    separator: str | None = None,
    missing_values: Iterable[str] = DEFAULT_MISSING_VALUES,
    unused: Callable[[str], bool] | None = None,
    numeric: Callable[[str], bool] | None = None,
    max_memory: int | str | None = None,
) -> Table:
    """Read a table, without interpreting levels or missing cells.

    White space around names and around the cells of text files is removed. Blank lines are skipped, except in
    a table of one column, where they are missing cells. Parquet files are treated like data frames, including
    categories.

    Parameters
    ----------
    source, separator, missing_values, max_memory
        As in :func:`read_data`.
    unused : callable, optional
        Tells whether a column is not used; it may then contain anything, and its cells are read as missing.
    numeric : callable, optional
        Tells whether only the numbers of a column are needed. In a text file, it may then not contain anything else.

    Examples
    --------
    >>> read_table("builtin:tic-tac-toe").m
    958
    """
    missing = check_missing_values(missing_values)
    _check_separator(separator)
    if not isinstance(source, str | os.PathLike):
        raise InvalidOption(
            f"the source is an object of type {type(source).__qualname__}; it must be the path of a file, "
            "'-' or 'builtin:NAME' (use Dataset.from_frame and Dataset.from_array for other data)"
        )
    path = os.fspath(source)
    if path.startswith(PREFIX):
        return bundled_table(path.removeprefix(PREFIX), missing)
    if Path(path).suffix.lower() in _PARQUET_SUFFIXES:
        return read_parquet(path, missing, unused, max_memory)
    with open_binary(path) as stream:
        if starts_with(stream, _ZIP_MAGIC, path):
            raise InvalidData(f"{path!r} is a zip archive or an Excel file, not text: export the table as CSV")
        if starts_with(stream, GZIP_MAGIC, path):
            raise InvalidData(f"{path!r} is gzipped twice: unpack it once")
        is_json = any(starts_with(stream, start, path) for start in _JSON_STARTS)
        with decode_text(stream, path) as text:
            if is_json:
                raise _json_problem(text.read(_JSON_START_LENGTH), path)
            return read_text_table(
                text,
                path,
                separator=separator,
                missing=missing,
                unused=unused,
                numeric=numeric,
                max_memory=max_memory,
            )


def _check_separator(separator: str | None) -> None:
    if separator is not None and (not isinstance(separator, str) or len(separator) != 1 or separator in '"\r\n'):
        raise InvalidOption(f"is {separator!r}; it must be one character, such as ',' or '\\t'", option="separator")


def _json_problem(start: str, path: str) -> InvalidData:
    """Return what to do with a JSON document, given its start: it may be one that dagscape wrote."""
    found = _JSON_KIND.match(start)
    kind = found and found[1]
    if kind == "discretizer":
        return InvalidData(f"{path!r} is a discretizer, not a table of data: give it as {argument('discretizer')}")
    if kind == "network":
        return InvalidData(f"{path!r} is a network, not a table of data: read it with {function('read_network')}")
    if kind is not None:
        return InvalidData(
            f"{path!r} is a {kind!r} result, not a table of data: open it with {function('load_result')}, "
            f"or compare the networks in it with {function('compare')}"
        )
    return InvalidData(f"{path!r} begins with {{ and looks like JSON, not like a table: export the table as CSV")
