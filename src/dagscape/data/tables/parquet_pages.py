"""Where the pages of a Parquet file are, and how large they are, read from its footer and from their headers.

A page says in its header how many bytes it unpacks to, and that many are allocated when it is read. The footer has sums
only, and may be wrong: from a file of 30 KB whose footer belittles its pages, pyarrow allocates gigabytes. Both are
structures in the compact protocol of Thrift. They are read here and not by pyarrow, which does not show the headers,
and ends the process (version 26 still does) if the columns of some damaged footers are looked at from Python.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from dagscape.core.errors import InvalidData

if TYPE_CHECKING:
    import pyarrow as pa

# The fields of a structure that are kept, with those of the structures in them.
_Wanted: TypeAlias = Mapping[int, "_Wanted"]

# Of the footer: the rows and columns of each row group; of each column, the number of its cells, where its pages are,
# and the number of missing cells.
_CELLS, _LENGTH, _DATA_START, _DICTIONARY_START, _STATISTICS, _NULLS = 5, 7, 9, 11, 12, 3
_GROUPS, _COLUMNS, _ROWS, _META_DATA = 4, 1, 3, 3
_CHUNK: _Wanted = {
    _CELLS: {}, _LENGTH: {}, _DATA_START: {}, _DICTIONARY_START: {}, _STATISTICS: {_NULLS: {}},
}  # fmt: skip
_FOOTER: _Wanted = {_GROUPS: {_COLUMNS: {_META_DATA: _CHUNK}, _ROWS: {}}}

# Of a page header: two sizes, and the number of values of the three kinds of pages.
_UNPACKED_SIZE, _PACKED_SIZE, _DATA_PAGE, _DICTIONARY_PAGE, _DATA_PAGE_2, _VALUES = 2, 3, 5, 7, 8, 1
_HEADER: _Wanted = {
    _UNPACKED_SIZE: {}, _PACKED_SIZE: {},
    _DATA_PAGE: {_VALUES: {}}, _DICTIONARY_PAGE: {_VALUES: {}}, _DATA_PAGE_2: {_VALUES: {}},
}  # fmt: skip

# What an entry of a dictionary takes besides its bytes.
_ENTRY_BYTES = 16

# Types of the compact protocol.
_STOP, _TRUE, _FALSE, _BYTE, _INT16, _INT32, _INT64, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = range(13)

# The footer nests fewer structures.
_DEEPEST = 16

# Most page headers are shorter than the first; no reader accepts longer ones than the last.
_HEADER_LENGTHS = (2**8, 2**14, 2**24)


@dataclass(frozen=True, slots=True)
class Chunk:
    """The cells of a column in a row group.

    Attributes
    ----------
    start, length : int
        Where its pages are in the file.
    cells : int
        The number of cells, missing ones included.
    nulls : int or None
        The number of missing cells, if the footer has it.
    """

    start: int
    length: int
    cells: int
    nulls: int | None


@dataclass(frozen=True, slots=True)
class RowGroup:
    """A part of the rows: their number, and the chunks of all columns."""

    rows: int
    chunks: tuple[Chunk, ...]


def read_footer(footer: bytes, path: str) -> list[RowGroup]:
    """Return the row groups that a footer describes."""
    try:
        groups = _Compact(footer).struct(_FOOTER).get(_GROUPS, [])
        return [RowGroup(group[_ROWS], tuple(map(_chunk, group[_COLUMNS]))) for group in groups]
    except (IndexError, KeyError, TypeError, AttributeError, ValueError) as error:
        raise InvalidData(f"{path!r} cannot be read as Parquet: its footer is damaged") from error


def _chunk(column: Any) -> Chunk:
    found = column[_META_DATA]
    start, dictionary = found[_DATA_START], found.get(_DICTIONARY_START, 0)
    nulls = found.get(_STATISTICS, {}).get(_NULLS)
    return Chunk(dictionary if 0 < dictionary < start else start, found[_LENGTH], found[_CELLS], nulls)


def largest_page(source: pa.NativeFile, chunk: Chunk, what: str) -> int:
    """Return the largest number of bytes that a page of a chunk takes when it is read.

    Parameters
    ----------
    source : pyarrow file
        The file.
    chunk : Chunk
        Where the pages are; what follows after as many cells as it has is not read.
    what : str
        The column in messages.
    """
    start, end, cells = chunk.start, chunk.start + chunk.length, chunk.cells
    if start < 0 or chunk.length < 0 or end > source.size():
        raise InvalidData(f"{what} does not lie inside the file: the file is damaged or incomplete")
    largest = 0
    while cells > 0 and start < end:
        page = _read_header(source, start, end, what)
        start += page.header + page.packed
        if page.packed < 0 or page.unpacked < 0 or start > end:
            raise InvalidData(f"{what} has a page with impossible sizes: the file is damaged")
        largest = max(largest, page.packed + page.unpacked + _ENTRY_BYTES * page.entries)
        cells -= page.cells
    return largest


class _Page(NamedTuple):
    """The bytes of a page: of its header, as stored and unpacked; its cells, and its entries if it is a dictionary."""

    header: int
    packed: int
    unpacked: int
    cells: int
    entries: int


def _read_header(source: pa.NativeFile, start: int, end: int, what: str) -> _Page:
    for length in _HEADER_LENGTHS:
        data = source.read_at(min(length, end - start), start)
        reader = _Compact(data)
        try:
            found = reader.struct(_HEADER)
            values = [found.get(kind, {}).get(_VALUES, 0) for kind in (_DATA_PAGE, _DATA_PAGE_2, _DICTIONARY_PAGE)]
            return _Page(reader.position, found[_PACKED_SIZE], found[_UNPACKED_SIZE], values[0] + values[1], values[2])
        except IndexError:
            if len(data) < length:
                break
        except (KeyError, ValueError, AttributeError):
            break
    raise InvalidData(f"{what} has a page header that cannot be read: the file is damaged")


class _Compact:
    """A reader of the compact protocol, which raises IndexError at the end of the data, and ValueError if damaged."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.position = 0

    def struct(self, wanted: _Wanted | None, depth: int = 0) -> dict[int, Any]:
        """Read a structure, and return the fields that are wanted."""
        if depth > _DEEPEST:
            raise ValueError
        found: dict[int, Any] = {}
        field = 0
        while (byte := self._byte()) & 15 != _STOP:
            field = field + (byte >> 4) if byte >> 4 else self._integer()
            inner = None if wanted is None else wanted.get(field)
            value = self._value(byte & 15, inner, depth)
            if inner is not None:
                if not isinstance(value, dict | list if inner else int):
                    raise ValueError
                found[field] = value
        return found

    def _value(self, kind: int, wanted: _Wanted | None, depth: int) -> Any:
        if _INT16 <= kind <= _INT64:
            return self._integer()
        if kind == _STRUCT:
            return self.struct(wanted, depth + 1)
        if kind in (_LIST, _SET):
            return self._list(wanted, depth)
        if kind in (_BYTE, _DOUBLE, _BINARY):
            # Read the length of a string before adding it, because reading it moves on as well.
            skipped = self._varint() if kind == _BINARY else 8 if kind == _DOUBLE else 1
            self.position += skipped
        elif kind == _MAP:
            raise ValueError
        return None

    def _list(self, wanted: _Wanted | None, depth: int) -> list[Any]:
        byte = self._byte()
        count = self._varint() if byte >> 4 == 15 else byte >> 4
        kind = byte & 15
        # Every element takes a byte at least, booleans included.
        if count > len(self._data) - self.position:
            raise IndexError
        if kind in (_TRUE, _FALSE):
            kind = _BYTE
        found = []
        for _ in range(count):
            value = self._value(kind, wanted, depth)
            if wanted is not None:
                found.append(value)
        return found

    def _byte(self) -> int:
        self.position += 1
        return self._data[self.position - 1]

    def _varint(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7
            if shift > 63:
                raise ValueError

    def _integer(self) -> int:
        coded = self._varint()
        return (coded >> 1) ^ -(coded & 1)
