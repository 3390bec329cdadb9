"""Tables in Parquet files, read within a memory limit.

A Parquet file of some kilobytes can hold a thousand million rows, and pages that unpack to gigabytes. The numbers of
rows and the sizes of pages are therefore checked before anything is unpacked. Columns are then read a few at a time, in
batches. Numbers stay as they are, and other columns are reduced to their distinct values and one integer per row.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from dagscape.core.errors import BackendUnavailable, DagscapeError, InvalidData, TooLarge, argument
from dagscape.core.files.reading import open_binary, read_whole
from dagscape.core.resources import check_memory, memory_limit
from dagscape.core.wording import plural
from dagscape.data.tables.coding import ENTRY_BYTES
from dagscape.data.tables.columns import MISSING, Codes, Column, TextColumn, empty_column
from dagscape.data.tables.duplicate_names import DuplicateNames, distinct_names
from dagscape.data.tables.frames import series_column, unusable
from dagscape.data.tables.parquet_pages import Chunk, RowGroup, largest_page, read_footer
from dagscape.data.tables.table import Table, listing

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

# pyarrow reads this much of a column at a time, and unpacks one page.
_BUFFER_BYTES = 2**16

_BATCH_ROWS = 2**20
_COLUMNS_AT_ONCE = 64

# As for text: the code of a cell, and as much again when the table is encoded; the position of a row, and its sorting
# key. While a column is read, its cells take up to two words more.
_CELL_BYTES, _ROW_BYTES, _RAW_CELL_BYTES = 8, 40, 16

# What the footer takes in memory, for each of its bytes.
_FOOTER_BYTES_PER_BYTE = 50


def read_parquet(
    path: str,
    missing: frozenset[str],
    unused: Callable[[str], bool] | None,
    max_memory: int | str | None,
    duplicates: DuplicateNames = "error",
) -> Table:
    """Read a table from a Parquet file, as in :func:`dagscape.data.reading.read_table`.

    The cells of unused columns are read as missing.
    """
    try:
        import pyarrow.parquet as pq
    except ImportError as error:
        raise BackendUnavailable(
            f"reading {path!r} needs pyarrow, which is not installed: pip install pyarrow"
        ) from error
    limit = memory_limit(max_memory)
    with _clear_errors(path), _opened(path, limit) as source:
        footer = _footer(source, path, limit)
        file = pq.ParquetFile(source, pre_buffer=False, buffer_size=_BUFFER_BYTES)
        names = tuple(_names(file.schema_arrow.names, path, unused, duplicates))
        used = [name for name in names if unused is None or not unused(name)]
        groups = read_footer(footer, path)
        rows = _checked_rows(file, groups, len(used), path, limit)
        # Without rows, the table itself is refused.
        found = _Reader(path, source, file, groups, missing, limit).read(used) if rows else {}
    empty = empty_column(rows)
    columns = tuple(found.get(name, empty) for name in names)
    return Table(names, columns, np.arange(rows, dtype=np.int64), "row", repr(path))


def _names(
    names: Sequence[str], path: str, unused: Callable[[str], bool] | None, duplicates: DuplicateNames
) -> dict[str, int]:
    """Return the names of the columns. Columns are read by name: several of one name can only be left out."""
    if duplicates == "rename" and (found := distinct_names(names, repr(path), duplicates, unused)).keys() - {*names}:
        raise InvalidData(
            f"{path!r} has several columns of one name, which Parquet files cannot tell apart "
            f"({listing(sorted(found.keys() - {*names}))}): write the file again with other names, or leave all of "
            f"them out with {argument('drop')}"
        )
    return distinct_names(names, repr(path), unused=unused)


@contextmanager
def _clear_errors(path: str) -> Iterator[None]:
    """Turn the exceptions of pyarrow into one sentence."""
    import pyarrow as pa

    try:
        yield
    except DagscapeError:
        raise
    except MemoryError as error:
        raise TooLarge(f"{path!r} needs more memory than there is: {_first_line(error)}") from error
    except UnicodeDecodeError as error:
        raise InvalidData(f"{path!r} has text that is not UTF-8: write the file again, with UTF-8 text") from error
    except (pa.ArrowException, OSError, ValueError) as error:
        raise InvalidData(f"{path!r} cannot be read as Parquet: {_first_line(error)}") from error


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


@contextmanager
def _opened(path: str, limit: int) -> Iterator[pa.NativeFile]:
    """Open a file for pyarrow; one that is gzipped or a pipe is read first, because Parquet needs random access."""
    import pyarrow as pa

    with open_binary(path) as stream:
        if isinstance(stream.raw, io.FileIO) and stream.seekable():
            with pa.OSFile(path) as file:
                yield file
        else:
            yield pa.BufferReader(read_whole(stream, path, max_memory=limit))


def _footer(source: pa.NativeFile, path: str, limit: int) -> bytes:
    """Return the footer, whose length is near the end of the file, once it is known that it fits into memory."""
    size = source.size()
    length = int.from_bytes(source.read_at(4, size - 8), "little") if size >= 8 else 0
    # A wrong length is left to pyarrow, which knows more about what is wrong.
    length = min(length, max(size - 8, 0))
    what = f"the {length:,} bytes of the footer of {path!r}"
    check_memory(length * _FOOTER_BYTES_PER_BYTE, limit, what, "raise it, or write a file of fewer columns")
    return bytes(source.read_at(length, size - 8 - length)) if length else b""


def _checked_rows(file: pq.ParquetFile, groups: list[RowGroup], used: int, path: str, limit: int) -> int:
    """Return the number of rows, once it is known that they fit into memory."""
    rows: int = file.metadata.num_rows
    counts = [group.rows for group in groups]
    if sum(counts) != rows or min(counts, default=0) < 0:
        raise InvalidData(f"{path!r} cannot be read as Parquet: it declares {rows} rows, but its parts have others")
    if any(len(group.chunks) != len(file.schema) for group in groups):
        raise InvalidData(f"{path!r} cannot be read as Parquet: its parts differ in the number of columns")
    needed = rows * (used * _CELL_BYTES + _ROW_BYTES + _RAW_CELL_BYTES)
    what = f"the {plural(rows, 'row')} of {path!r}, with {plural(used, 'column')} in use,"
    check_memory(needed, limit, what, "raise it, or use fewer columns or rows")
    return rows


class _Reader:
    """The columns of a file, a few at a time."""

    def __init__(
        self,
        path: str,
        source: pa.NativeFile,
        file: pq.ParquetFile,
        groups: list[RowGroup],
        missing: frozenset[str],
        limit: int,
    ) -> None:
        import pyarrow.parquet as pq

        self._path, self._source, self._groups = path, source, groups
        self._rows, self._missing, self._limit = sum(group.rows for group in groups), missing, limit
        self._types = {field.name: field.type for field in file.schema_arrow}
        # A dictionary keeps a long string that many rows have once.
        texts = [name for name, kind in self._types.items() if _is_text(kind)]
        options: dict[str, Any] = {"pre_buffer": False, "buffer_size": _BUFFER_BYTES, "read_dictionary": texts}
        self._file = pq.ParquetFile(source, metadata=file.metadata, **options)
        # The parts of a nested column have its name as the start of theirs.
        self._leaves: dict[str, list[int]] = {}
        for index in range(len(file.schema)):
            parts = file.schema.column(index).path.split(".")
            for end in range(1, len(parts) + 1):
                self._leaves.setdefault(".".join(parts[:end]), []).append(index)
        self._held = self._rows * _ROW_BYTES

    def read(self, names: Sequence[str]) -> dict[str, Column]:
        """Return columns by name; those that are empty and have an unusual type are left out."""
        usable = [name for name in names if self._is_usable(name)]
        pages = {name: self._largest_page(name) for name in usable}
        room = max(self._limit - self._held - len(names) * self._rows * _CELL_BYTES, 0) // 2
        at_once = min(_COLUMNS_AT_ONCE, max(1, room // (self._rows * _RAW_CELL_BYTES + 1)))
        found: dict[str, Column] = {}
        for first in range(0, len(usable), at_once):
            group = usable[first : first + at_once]
            # Of the strings that do not come as dictionaries, each may be as long as a page.
            longest = max((pages[name] for name in group if not self._is_short(name)), default=0)
            batch = _BATCH_ROWS // len(group) if not longest else max(1, min(_BATCH_ROWS, room // longest))
            found |= self._read_group(group, batch)
        return found

    def _is_usable(self, name: str) -> bool:
        """Whether the type of a column can become strings; otherwise its cells must be missing."""
        if _is_usable_type(self._types[name]):
            return True
        if not self._is_empty(name):
            raise unusable(name, f"cells of type {self._types[name]}", repr(self._path))
        return False

    def _is_empty(self, name: str) -> bool:
        """Whether the footer says that all cells of a column are missing."""
        import pyarrow as pa

        if pa.types.is_null(self._types[name]):
            return True
        if pa.types.is_nested(self._types[name]):
            return False
        return all(chunk.nulls == chunk.cells for chunk in self._chunks(name))

    def _is_short(self, name: str) -> bool:
        import pyarrow as pa

        return not pa.types.is_string_view(self._types[name])

    def _chunks(self, name: str) -> Iterator[Chunk]:
        return (group.chunks[leaf] for group in self._groups for leaf in self._leaves.get(name, []))

    def _largest_page(self, name: str) -> int:
        """Return the size of the largest page of a column, once it is known that it fits into memory."""
        where = f"column {name!r} of {self._path!r}"
        largest = max((largest_page(self._source, chunk, where) for chunk in self._chunks(name)), default=0)
        check_memory(largest, self._limit, f"the pages of {where}", "raise it, or write the file with smaller pages")
        return largest

    def _read_group(self, names: list[str], batch: int) -> dict[str, Column]:
        columns = {name: self._reader(name) for name in names}
        for cells in self._file.iter_batches(batch, columns=names, use_threads=False):
            for name, column in columns.items():
                column.add(cells.column(name))
                self._check_strings(column.held, name)
        return {name: self._finished(column, name) for name, column in columns.items()}

    def _reader(self, name: str) -> _Numbers | _Values:
        import pyarrow as pa

        if _is_number(self._types[name]):
            return _Numbers()
        return _Values(self._types[name] if _is_fixed(self._types[name]) else pa.large_string())

    def _check_strings(self, held: int, name: str) -> None:
        leave_out = f"leave out the column with {argument('drop', [name])}"
        what = f"the distinct values of column {name!r} of {self._path!r}"
        check_memory(self._held + held, self._limit, what, f"raise it, or {leave_out}")

    def _finished(self, column: _Numbers | _Values, name: str) -> Column:
        """Return a column; of text, only the distinct values become strings."""
        import pyarrow as pa

        if isinstance(column, _Numbers):
            cells = column.finished()
            self._check_length(len(cells), name)
            self._held += cells.nbytes + len(cells) * _CELL_BYTES
            return self._column(cells, name)
        values, codes = column.finished()
        self._check_length(codes.size, name)
        self._check_strings(len(values) * ENTRY_BYTES + values.nbytes, name)
        self._held += len(values) * ENTRY_BYTES + values.nbytes + codes.size * _CELL_BYTES
        if pa.types.is_dictionary(self._types[name]):
            values = pa.DictionaryArray.from_arrays(np.arange(len(values), dtype=np.int32), values)
        elif not (codes != MISSING).any():
            return empty_column(self._rows)
        strings = self._column(values, name)
        lookup = np.append(strings.codes, np.int32(MISSING))
        found = TextColumn(strings.values, lookup[codes], strings.declared, strings.type)
        # The dictionaries of a file may have strings that no row has.
        return found if strings.declared else found.observed()

    def _check_length(self, cells: int, name: str) -> None:
        if cells != self._rows:
            raise InvalidData(f"{self._path!r} has {cells} cells in column {name!r}, but {self._rows} rows")

    def _column(self, cells: pa.Array | pa.ChunkedArray, name: str) -> Column:
        import narwhals as nw
        import pyarrow as pa

        series = nw.from_native(pa.table({name: cells}), eager_only=True)[name]
        return series_column(series, self._missing, repr(self._path))


class _Numbers:
    """A column of numbers while it is read: its cells as they are."""

    held = 0

    def __init__(self) -> None:
        self._pieces: list[pa.Array] = []

    def add(self, cells: pa.Array) -> None:
        """Add the next cells."""
        self._pieces.append(cells)

    def finished(self) -> pa.ChunkedArray:
        """Return all cells."""
        import pyarrow as pa

        cells = pa.chunked_array(self._pieces)
        self._pieces.clear()
        return cells


class _Values:
    """A column of text, categories, booleans or decimals while it is read: its distinct values, and codes as bytes."""

    def __init__(self, kind: pa.DataType) -> None:
        self.held = 0
        self._kind = kind
        self._values: dict[Any, int] = {}
        self._codes = bytearray()
        self._dictionary: pa.Array | None = None
        self._lookup: Codes = np.array([MISSING], dtype=np.int32)

    def add(self, cells: pa.Array) -> None:
        """Add the next cells; the batches of a part of the file have the same dictionary."""
        import pyarrow as pa

        coded = cells if pa.types.is_dictionary(cells.type) else cells.dictionary_encode()
        if self._dictionary is None or not coded.dictionary.equals(self._dictionary):
            self._dictionary = coded.dictionary
            self._lookup = np.array([*map(self._code, coded.dictionary.to_pylist()), MISSING], dtype=np.int32)
            self.held = len(self._values) * ENTRY_BYTES + self._dictionary.nbytes
        self._codes += self._lookup[_index_codes(coded.indices, len(coded.dictionary))].data

    def _code(self, value: Any) -> int:
        return MISSING if value is None else self._values.setdefault(value, len(self._values))

    def finished(self) -> tuple[pa.Array, Codes]:
        """Return the distinct values, and their codes; -1 for a missing cell."""
        import pyarrow as pa

        return pa.array(list(self._values), self._kind), np.frombuffer(self._codes, dtype=np.int32)


def _index_codes(indices: pa.Array, count: int) -> Codes:
    """Return the indices of an Arrow dictionary as codes, with -1 for null."""
    import pyarrow as pa

    codes: Codes = indices.cast(pa.int64()).fill_null(MISSING).to_numpy(zero_copy_only=False).astype(np.int32)
    if codes.size and not MISSING <= codes.min() <= codes.max() < count:
        raise InvalidData("a cell refers to an entry that its dictionary lacks: the file is damaged")
    return codes


def _is_text(kind: pa.DataType) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _is_number(kind: pa.DataType) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def _is_fixed(kind: pa.DataType) -> bool:
    """Whether the cells of a type are numbers or booleans."""
    import pyarrow as pa

    return bool(_is_number(kind) or pa.types.is_boolean(kind) or pa.types.is_decimal(kind))


def _is_usable_type(kind: pa.DataType) -> bool:
    """Whether cells of a type can become strings, as those of frames do."""
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        return _is_text(kind.value_type)
    return _is_fixed(kind) or _is_text(kind) or pa.types.is_string_view(kind)
