"""Tables in text files, CSV and TSV, read strictly: an irregular line is an error that names the line.

The file is read in chunks; each column keeps its distinct strings and one integer per row, or its numbers, so that the
memory of a large file is a small multiple of the number of its cells. What is held is counted, and so is each long line
before it is split: a small gzipped file can hold a line of gigabytes.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import TextIO

import numpy as np

from dagscape.core.errors import InvalidData, argument
from dagscape.core.resources import check_memory, memory_limit
from dagscape.core.wording import plural
from dagscape.data.tables.columns import empty_column
from dagscape.data.tables.decimal_commas import Decimal, is_comma_number, point_problem, with_points
from dagscape.data.tables.duplicate_names import DuplicateNames, distinct_names
from dagscape.data.tables.numeric_cells import UnusableColumn, unusable_cell, unusable_columns
from dagscape.data.tables.table import Table
from dagscape.data.tables.text_columns import NumberReader, TextReader

_CHUNK_ROWS = 10_000

# A chunk also ends after this many characters, so that rows of many or long cells take little memory as well.
_CHUNK_CHARACTERS = 2**23

# A character may take this many bytes in a chunk, where short cells that are all distinct take the most.
_CHUNK_BYTES_PER_CHARACTER = 400

# A longer row is read in pieces of this length, and checked before it is split into cells.
_PIECE = 2**19

# The code of a cell, and as much again when the table is encoded or summarised; the line of a row, and its sorting key.
_CELL_BYTES, _ROW_BYTES = 8, 40

_LINE_BYTES = 8

# A name, a coder and a buffer for codes.
_COLUMN_BYTES = 1500

# A string of a few characters, and its place in a list.
_SPLIT_CELL_BYTES = 80

# Excel writes and understands this first line.
_SEPARATOR_LINE = re.compile(r'sep=([^"])', re.IGNORECASE)

_TAB_SUFFIXES = (".tsv", ".tab")


def read_text_table(
    text: TextIO,
    path: str,
    *,
    separator: str | None,
    missing: frozenset[str],
    unused: Callable[[str], bool] | None,
    numeric: Callable[[str], bool] | None,
    max_memory: int | str | None,
    decimal: Decimal = ".",
    duplicates: DuplicateNames = "error",
) -> Table:
    """Read a table, as in :func:`dagscape.data.reading.read_table`.

    The cells of unused columns are read as missing.
    """
    limit = memory_limit(max_memory)
    reader = _StrictReader(text, path, separator, limit)
    names = distinct_names(reader.names, repr(path), duplicates, unused)
    lines = bytearray()
    columns: dict[str, TextReader | NumberReader] = {}

    def check() -> None:
        _check_held(reader, columns, len(lines) // _LINE_BYTES, limit)

    def line_of(row: int) -> int:
        return int(np.frombuffer(lines, dtype=np.int64)[row])

    def point(name: str, first: int, place: int, cell: str) -> None:
        raise point_problem(path, name, cell, line_of(first + place))

    for name in names:
        if unused is None or not unused(name):
            numbers = numeric is not None and numeric(name)
            columns[name] = NumberReader(missing) if numbers else TextReader(missing, check)
    for rows, places in reader.chunks():
        first = len(lines) // _LINE_BYTES
        lines += np.array(places, dtype=np.int64).data
        cells_of = list(zip(*rows, strict=True))
        unusable: list[UnusableColumn] = []
        for name, column in columns.items():
            cells: Sequence[str] = cells_of[names[name]]
            wrong = column.add(cells if decimal == "." else with_points(cells, partial(point, name, first)), first)
            if wrong is not None:
                unusable.append(unusable_cell(repr(path), name, wrong[1], f"line {line_of(wrong[0])}"))
        if unusable:
            # Text is in the first rows as a rule, so that the error names all columns that hold any.
            raise unusable_columns(repr(path), unusable)
        check()
    if not lines:
        raise InvalidData(f"{path!r} has a header but no rows; it must have at least one row")
    # The buffer becomes an array without a copy.
    positions = np.frombuffer(lines, dtype=np.int64)
    empty = empty_column(positions.size, None)
    finished = tuple(columns[name].finished() if name in columns else empty for name in names)
    # The readers refer to the check, and it to them: without this, their memory would wait for the garbage collector.
    columns.clear()
    return Table(tuple(names), finished, positions, "line", repr(path))


def _check_held(reader: _StrictReader, columns: dict[str, TextReader | NumberReader], rows: int, limit: int) -> None:
    """Check the memory that the rows read so far take."""
    held = {name: column.held for name, column in columns.items()}
    needed = sum(held.values()) + len(reader.names) * _COLUMN_BYTES + rows * (len(columns) * _CELL_BYTES + _ROW_BYTES)
    if needed <= limit:
        return
    remedy = "raise it, or use fewer columns or rows"
    largest = max(held, key=held.__getitem__, default="")
    if largest and 2 * held[largest] > needed and columns[largest].strings:
        leave_out = argument("drop", [largest])
        values = f"{columns[largest].strings:,} distinct values"
        remedy = f"raise it, or leave out column {largest!r}, which has {values}, with {leave_out}"
    check_memory(needed, limit, f"the first {plural(reader.line, 'line')} of {reader.path!r}", remedy)


class _StrictReader:
    """The header and the rows of a text table; anything irregular is an error that names the line."""

    def __init__(self, text: TextIO, path: str, separator: str | None, limit: int) -> None:
        self.path = path
        self.line = 0
        self._limit = limit
        self._characters = self._record_start = self._record_cells = 0
        # The number of cells in the header, once it is known.
        self._width = 0
        self._separators = separator or ",\t"
        lines = self._checked_lines(text)
        first = next((line for line in lines if line.strip()), "")
        if not first:
            raise InvalidData(f"{path!r} is empty; it must have a header with the names of the variables")
        if declared := _SEPARATOR_LINE.fullmatch(first.strip()):
            separator = self._separators = separator or declared[1]
            first = next((line for line in lines if line.strip()), "")
        delimiter = self.delimiter = self._separators = separator or _guess_separator(path, first)
        # Otherwise a space between separator and quote would make the quote part of the cell.
        self._reader = csv.reader(
            chain([first], lines), delimiter=delimiter, strict=True, skipinitialspace=delimiter != " "
        )
        self._records = self._number_records(start=self.line)
        header = [name.strip() for name in next(self._records, (0, [""]))[1]]
        self._width = len(header)
        # Spreadsheets write separators for empty columns at the end.
        while len(header) > 1 and not header[-1]:
            header.pop()
        self.names = tuple(header)
        if separator is None:
            self._check_separator_found()

    def chunks(self) -> Iterator[tuple[list[list[str]], list[int]]]:
        """Iterate over chunks of rows, with the lines at which the rows start."""
        rows: list[list[str]] = []
        lines: list[int] = []
        chunk = min(_CHUNK_CHARACTERS, self._limit // _CHUNK_BYTES_PER_CHARACTER)
        last = self._characters + chunk
        for line, row in self._records:
            if len(row) == self._width > len(self.names):
                row = self._without_unnamed(row, line)
            if len(row) != len(self.names):
                if row and not (len(row) == 1 and not row[0].strip()):
                    cells = plural(len(row), "cell")
                    raise InvalidData(f"{self.path!r} line {line} has {cells}; the header has {len(self.names)}")
                if len(self.names) > 1:
                    continue
                row = [""]
            rows.append(row)
            lines.append(line)
            if len(rows) == _CHUNK_ROWS or self._characters > last:
                yield rows, lines
                rows, lines, last = [], [], self._characters + chunk
        if rows:
            yield rows, lines

    def _without_unnamed(self, row: list[str], line: int) -> list[str]:
        """Return a row without its cells in columns without a name, which must be empty."""
        for position, cell in enumerate(row[len(self.names) :], start=len(self.names) + 1):
            if cell.strip():
                raise InvalidData(
                    f"{self.path!r} has no name for column {position}, which has {cell.strip()!r} in line {line}: "
                    "give every column a name"
                )
        return row[: len(self.names)]

    def _checked_lines(self, text: TextIO) -> Iterator[str]:
        read, piece = text.readline, _PIECE
        while line := read(piece):
            self.line += 1
            characters = self._characters = self._characters + len(line)
            if "\0" in line:
                raise self._not_text()
            if characters - self._record_start >= piece:
                line = self._long_line(text, line)
            yield line

    def _not_text(self) -> InvalidData:
        utf16 = f"or it is UTF-16: then use {argument('encoding', 'utf-16-le')}"
        return InvalidData(f"{self.path!r} has a NUL character in line {self.line}: it is not a text file, {utf16}")

    def _long_line(self, text: TextIO, piece: str) -> str:
        """Return a line of a long record, given its first piece, unless the record cannot be part of a table."""
        # Quotes may be doubled, so that a cell has at least half of the characters between two separators.
        longest = 2 * csv.field_size_limit() + 3
        pieces = [piece]
        while True:
            found = sum(map(piece.count, self._separators))
            goes_on = len(piece) == _PIECE and not piece.endswith("\n")
            if goes_on and not found and len(piece) > longest:
                raise InvalidData(f"{self.path!r} line {self.line} {_csv_problem('field limit')}")
            self._record_cells += found
            self._check_record(self._characters - self._record_start, longest)
            if not goes_on:
                return "".join(pieces)
            # A line break of two characters may end the line in the next piece.
            piece = text.readline(_PIECE)
            if "\0" in piece:
                raise self._not_text()
            self._characters += len(piece)
            pieces.append(piece)

    def _check_record(self, length: int, longest: int) -> None:
        """Check a long record before it is split into cells, given its length so far, and the length of a cell."""
        if self._width and length > self._width * longest:
            raise InvalidData(
                f"{self.path!r} line {self.line} is part of a row of more than {length:,} characters, too many for the "
                f"{plural(self._width, 'cell')} of the header: is a quote never closed?"
            )
        cell = _SPLIT_CELL_BYTES if self._width else _COLUMN_BYTES
        needed = 8 * length + cell * self._record_cells
        if needed > self._limit:
            row = "a row" if self._width else "the header"
            what = f"the {length:,} characters and {self._record_cells:,} cells of {row} in {self.path!r}"
            check_memory(needed, self._limit, f"{what}, up to line {self.line},", "raise it, or shorten the row")

    def _number_records(self, start: int) -> Iterator[tuple[int, list[str]]]:
        """Iterate over records with the lines at which they start; a quoted cell may span several lines."""
        try:
            for row in self._reader:
                yield start, row
                start = self.line + 1
                self._record_start = self._characters
                if self._record_cells:
                    self._record_cells = 0
        except csv.Error as error:
            raise InvalidData(f"{self.path!r} line {start} {_csv_problem(str(error))}") from error

    def _check_separator_found(self) -> None:
        if len(self.names) > 1:
            return
        for candidate in (",", "\t", ";", "|", " "):
            if candidate in self.names[0] and (candidate != " " or self._first_row_has_as_many_spaces()):
                raise InvalidData(
                    f"{self.path!r} has a single column, called {self.names[0]!r}: "
                    f"use {argument('separator', candidate)} if that separates its cells"
                    f"{self._decimal_hint(candidate)}, or "
                    f"{argument('separator', self.delimiter)} if the table has a single column"
                )

    def _decimal_hint(self, separator: str) -> str:
        """Return what else to say about a separator if the first row seems to have decimal commas."""
        cells = self.delimiter.join(self._first_row()).split(separator)
        number = next((cell.strip() for cell in cells if is_comma_number(cell.strip())), None)
        return "" if number is None else f" (with {argument('decimal', ',')} for numbers such as {number!r})"

    def _first_row_has_as_many_spaces(self) -> bool:
        """Whether spaces seem to separate cells: a name may have some, but then the values rarely have as many."""
        first = self._first_row()
        return len(first) == 1 and first[0].strip().count(" ") == self.names[0].count(" ")

    def _first_row(self) -> list[str]:
        """Return the cells of the first row, which is still to be read; none if there is no row."""
        first = next(self._records, None)
        if first is None:
            return []
        self._records = chain([first], self._records)
        return first[1]


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
