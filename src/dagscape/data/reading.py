"""Tables and data sets from files.

CSV and TSV are read strictly: an irregular line is an error that names the line; nothing is guessed.
Cells are strings, so a level called ``None`` or ``NA`` remains a level. The file is read in chunks; each
column keeps its distinct strings and one integer per row, so memory is a small multiple of the number of
cells.
"""

from __future__ import annotations

import csv
import json
import os
import re
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import numpy as np

from dagscape.data.bundled import PREFIX, bundled_table
from dagscape.data.dataset import Dataset, encode
from dagscape.data.encoding import EncodingOptions, Missing, unused_columns
from dagscape.data.frames import table_from_frame
from dagscape.data.table import (
    DEFAULT_MISSING_VALUES,
    Column,
    Table,
    TextCoder,
    check_missing_values,
    check_names,
)
from dagscape.errors import BackendUnavailable, InvalidData, InvalidOption, argument, function
from dagscape.files.reading import decode_text, open_binary, starts_with
from dagscape.wording import plural

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    import numpy.typing as npt

    from dagscape.data.levels import LevelsOption

_CHUNK_ROWS = 10_000

# Excel writes and understands this first line.
_SEPARATOR_LINE = re.compile(r'sep=([^"])', re.IGNORECASE)

_TAB_SUFFIXES = (".tsv", ".tab")

_PARQUET_SUFFIXES = (".parquet", ".pq")

# The first bytes of zip archives, and so of Excel files.
_ZIP_MAGIC = b"PK\x03\x04"

# How JSON documents with an object begin; no table is likely to.
_JSON_STARTS = (b'{"', b"{\n", b"{\r\n", b"{ ")

Source = str | os.PathLike[str]


def read_data(
    source: Source,
    *,
    missing: Missing = "error",
    levels: LevelsOption | None = None,
    interventions: Any = None,
    missing_values: Iterable[str] = DEFAULT_MISSING_VALUES,
    separator: str | None = None,
    columns: Collection[str] | None = None,
    drop: Collection[str] = (),
    keep_constant: bool = False,
    drop_suspicious: bool = False,
) -> Dataset:
    r"""Read a data set from a file.

    Parameters
    ----------
    source : str or path
        A CSV or TSV file with a header, plain or gzipped; a Parquet file (with the extra
        ``dagscape[parquet]``); ``"-"`` for standard input; or ``"builtin:NAME"`` for a bundled data set
        as it was published (:func:`~dagscape.data.bundled.load_dataset` has their names).
    missing : {"error", "level", "drop"}
        How to treat missing cells: raise an error, make them a level of their own, called ``?``, or drop
        their rows.
    levels : mapping of str to sequence or int, optional
        Declared levels by variable, in order, possibly unobserved; an integer k means the levels
        ``0``, ``1``, …, ``k - 1``. Unobserved levels change BDeu.
    interventions : str, array-like or None
        The variables set in each row, as in :meth:`Dataset.from_frame`.
    missing_values : collection of str
        Strings that mean a missing cell.
    separator : str, optional
        The separator of cells. Default: a tab in ``.tsv`` and ``.tab`` files, else a comma.
    columns, drop, keep_constant, drop_suspicious
        The columns to use, as in :meth:`Dataset.from_frame`.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "weather.csv")
    ...     _ = path.write_text("rain,street\nno,dry\nyes,wet\n?,wet\n")
    ...     data = read_data(path, missing="drop")
    >>> data, data.dropped
    (Dataset(2 variables, 2 rows, 2 of them distinct), 1)
    """
    options: EncodingOptions = {
        "missing": missing,
        "levels": levels,
        "interventions": interventions,
        "columns": columns,
        "drop": drop,
        "keep_constant": keep_constant,
        "drop_suspicious": drop_suspicious,
    }
    unused = unused_columns(options)
    table = read_table(source, separator=separator, missing_values=missing_values, unused=unused)
    return encode(table, **options)


def read_table(
    source: Source,
    *,
    separator: str | None = None,
    missing_values: Iterable[str] = DEFAULT_MISSING_VALUES,
    unused: Callable[[str], bool] | None = None,
) -> Table:
    """Read a table of strings, without interpreting levels or missing cells.

    White space around names and around the cells of text files is removed. Blank lines are skipped, except in
    a table of one column, where they are missing cells. Parquet files are treated like data frames, including
    categories.

    Parameters
    ----------
    source, separator, missing_values
        As in :func:`read_data`.
    unused : callable, optional
        Tells whether a column of a Parquet file is not used; it may then contain anything.

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
        return _read_parquet(path, missing, unused)
    with open_binary(path) as stream:
        if starts_with(stream, _ZIP_MAGIC, path):
            raise InvalidData(f"{path!r} is a zip archive or an Excel file, not text: export the table as CSV")
        is_json = any(starts_with(stream, start, path) for start in _JSON_STARTS)
        with decode_text(stream, path) as text:
            if is_json:
                raise _json_problem(text, path)
            return _read_text(text, path, separator, missing)


def _check_separator(separator: str | None) -> None:
    if separator is not None and (not isinstance(separator, str) or len(separator) != 1 or separator in '"\r\n'):
        raise InvalidOption(f"is {separator!r}; it must be one character, such as ',' or '\\t'", option="separator")


def _read_parquet(path: str, missing: frozenset[str], unused: Callable[[str], bool] | None) -> Table:
    with open_binary(path) as stream:
        try:
            import pyarrow as pa
            import pyarrow.parquet as pq
        except ImportError as error:
            raise BackendUnavailable(
                f"reading {path!r} needs pyarrow, which is not installed: pip install pyarrow"
            ) from error
        try:
            frame = pq.read_table(stream)
        except (pa.ArrowException, OSError) as error:
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise InvalidData(f"{path!r} cannot be read as Parquet: {reason}") from error
    return table_from_frame(frame, missing_values=missing, source=repr(path), unused=unused)


def _json_problem(text: TextIO, path: str) -> InvalidData:
    """Return what to do with a JSON document, which may be one that dagscape wrote."""
    try:
        document = json.load(text)
    except (json.JSONDecodeError, RecursionError):
        document = {}
    kind = document.get("kind")
    if kind == "discretizer":
        return InvalidData(f"{path!r} is a discretizer, not a table of data: give it as {argument('discretizer')}")
    if kind == "network":
        return InvalidData(f"{path!r} is a network, not a table of data: read it with {function('read_network')}")
    if kind is not None and "schema" in document:
        return InvalidData(
            f"{path!r} is a {kind!r} result, not a table of data: open it with {function('load_result')}, "
            f"or compare the networks in it with {function('compare')}"
        )
    return InvalidData(f"{path!r} begins with {{ and looks like JSON, not like a table: export the table as CSV")


def _read_text(text: TextIO, path: str, separator: str | None, missing: frozenset[str]) -> Table:
    reader = _StrictReader(text, path, separator)
    coders = [TextCoder(missing, strip=True) for _ in reader.names]
    codes: list[list[npt.NDArray[np.int32]]] = [[] for _ in reader.names]
    lines: list[int] = []
    for rows, places in reader.chunks():
        lines += places
        for coder, pieces, cells in zip(coders, codes, zip(*rows, strict=True), strict=True):
            pieces.append(coder.encode(cells))
    if not lines:
        raise InvalidData(f"{path!r} has a header but no rows; it must have at least one row")
    columns = tuple(
        Column(tuple(coder.distinct), np.concatenate(pieces), type=None)
        for coder, pieces in zip(coders, codes, strict=True)
    )
    return Table(reader.names, columns, np.array(lines, dtype=np.int64), "line", repr(path))


class _StrictReader:
    """The header and the rows of a text table; anything irregular is an error that names the line."""

    def __init__(self, text: TextIO, path: str, separator: str | None) -> None:
        self._path = path
        self._line = 0
        lines = self._checked_lines(text)
        first = next((line for line in lines if line.strip()), "")
        if not first:
            raise InvalidData(f"{path!r} is empty; it must have a header with the names of the variables")
        if declared := _SEPARATOR_LINE.fullmatch(first.strip()):
            separator = separator or declared[1]
            first = next((line for line in lines if line.strip()), "")
        delimiter = self.delimiter = separator or _guess_separator(path, first)
        # Otherwise a space between separator and quote would make the quote part of the cell.
        self._reader = csv.reader(
            chain([first], lines), delimiter=delimiter, strict=True, skipinitialspace=delimiter != " "
        )
        self._records = self._number_records(start=self._line)
        header = [name.strip() for name in next(self._records, (0, [""]))[1]]
        self._width = len(header)
        # Spreadsheets write separators for empty columns at the end.
        while len(header) > 1 and not header[-1]:
            header.pop()
        self.names = tuple(header)
        check_names(self.names, repr(path))
        if separator is None:
            self._check_separator_found()

    def chunks(self) -> Iterator[tuple[list[list[str]], list[int]]]:
        """Iterate over chunks of rows, with the lines at which the rows start."""
        rows: list[list[str]] = []
        lines: list[int] = []
        for line, row in self._records:
            if len(row) == self._width > len(self.names):
                row = self._without_unnamed(row, line)
            if len(row) != len(self.names):
                if row and not (len(row) == 1 and not row[0].strip()):
                    cells = plural(len(row), "cell")
                    raise InvalidData(f"{self._path!r} line {line} has {cells}; the header has {len(self.names)}")
                if len(self.names) > 1:
                    continue
                row = [""]
            rows.append(row)
            lines.append(line)
            if len(rows) == _CHUNK_ROWS:
                yield rows, lines
                rows, lines = [], []
        if rows:
            yield rows, lines

    def _without_unnamed(self, row: list[str], line: int) -> list[str]:
        """Return a row without its cells in columns without a name, which must be empty."""
        for position, cell in enumerate(row[len(self.names) :], start=len(self.names) + 1):
            if cell.strip():
                raise InvalidData(
                    f"{self._path!r} has no name for column {position}, which has {cell.strip()!r} in line {line}: "
                    "give every column a name"
                )
        return row[: len(self.names)]

    def _checked_lines(self, text: TextIO) -> Iterator[str]:
        for line in text:
            self._line += 1
            if "\0" in line:
                raise InvalidData(f"{self._path!r} has a NUL character in line {self._line}: it is not a text file")
            yield line

    def _number_records(self, start: int) -> Iterator[tuple[int, list[str]]]:
        """Iterate over records with the lines at which they start; a quoted cell may span several lines."""
        try:
            for row in self._reader:
                yield start, row
                start = self._line + 1
        except csv.Error as error:
            raise InvalidData(f"{self._path!r} line {start} {_csv_problem(str(error))}") from error

    def _check_separator_found(self) -> None:
        if len(self.names) > 1:
            return
        for candidate in (",", "\t", ";", "|", " "):
            if candidate in self.names[0] and (candidate != " " or self._first_row_has_as_many_spaces()):
                raise InvalidData(
                    f"{self._path!r} has a single column, called {self.names[0]!r}: "
                    f"use {argument('separator', candidate)} if that separates its cells, or "
                    f"{argument('separator', self.delimiter)} if the table has a single column"
                )

    def _first_row_has_as_many_spaces(self) -> bool:
        """Whether spaces seem to separate cells: a name may have some, but then the values rarely have as many."""
        first = next(self._records, None)
        if first is None:
            return False
        self._records = chain([first], self._records)
        return len(first[1]) == 1 and first[1][0].strip().count(" ") == self.names[0].count(" ")


def _csv_problem(message: str) -> str:
    """Describe an error of the csv module in clearer words."""
    if "unexpected end of data" in message:
        return "has a quote that is never closed"
    if "field limit" in message:
        return f"has a cell of more than {csv.field_size_limit()} characters: is a quote never closed?"
    if "expected after" in message:
        return "has text after a closing quote: double the quotes inside a quoted cell"
    return f"is not valid: {message}"


def _guess_separator(path: str, header: str) -> str:
    if path == "-":
        return "\t" if "\t" in header and "," not in header else ","
    return "\t" if path.lower().removesuffix(".gz").endswith(_TAB_SUFFIXES) else ","
