"""The sizes of the pages of a Parquet file, read from the headers of the pages.

A page says in its header how many bytes it unpacks to, and that many are allocated when it is read. The footer of the
file has sums only, and may be wrong. Headers are structures in the compact protocol of Thrift.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dagscape.errors import InvalidData

if TYPE_CHECKING:
    import pyarrow as pa

# Fields of a page header.
_UNPACKED_SIZE, _PACKED_SIZE = 2, 3
_DATA_PAGE, _DICTIONARY_PAGE, _DATA_PAGE_2 = 5, 7, 8

# What an entry of a dictionary takes besides its bytes.
_ENTRY_BYTES = 16

# Types of the compact protocol.
_STOP, _TRUE, _FALSE, _BYTE, _INT16, _INT32, _INT64, _DOUBLE, _BINARY, _STRUCT = 0, 1, 2, 3, 4, 5, 6, 7, 8, 12

# Headers nest three structures.
_DEEPEST = 8

# Most headers are shorter; no reader accepts longer ones than the second.
_HEADER_LENGTHS = (2**8, 2**14, 2**24)


def largest_page(source: pa.NativeFile, start: int, length: int, cells: int, what: str) -> int:
    """Return the largest number of bytes that a page of a column chunk takes when it is read.

    Parameters
    ----------
    source : pyarrow file
        The file.
    start, length : int
        Where the pages are.
    cells : int
        The number of cells in them, missing ones included; what follows is not read.
    what : str
        The column in messages.
    """
    largest, end = 0, start + length
    while cells > 0 and start < end:
        header = _read_header(source, start, end, what)
        packed = header.sizes.get(_PACKED_SIZE, -1)
        unpacked = header.sizes.get(_UNPACKED_SIZE, -1)
        start += header.length + packed
        if packed < 0 or unpacked < 0 or start > end:
            raise InvalidData(f"{what} has a page with impossible sizes: the file is damaged")
        largest = max(largest, packed + unpacked + _ENTRY_BYTES * header.counts.get(_DICTIONARY_PAGE, 0))
        cells -= header.counts.get(_DATA_PAGE, 0) + header.counts.get(_DATA_PAGE_2, 0)
    return largest


def _read_header(source: pa.NativeFile, start: int, end: int, what: str) -> _Header:
    for length in _HEADER_LENGTHS:
        data = source.read_at(min(length, end - start), start)
        try:
            return _Header(data)
        except IndexError:
            if len(data) < length:
                break
        except ValueError:
            break
    raise InvalidData(f"{what} has a page header that cannot be read: the file is damaged")


class _Header:
    """A page header: its length, the integers in it, and the number of values by kind of page."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.length = 0
        self.sizes: dict[int, int] = {}
        self.counts: dict[int, int] = {}
        self._struct((), 0)

    def _struct(self, outer: tuple[int, ...], depth: int) -> None:
        if depth > _DEEPEST:
            raise ValueError
        field = 0
        while True:
            byte = self._byte()
            kind = byte & 15
            if kind == _STOP:
                return
            field = field + (byte >> 4) if byte >> 4 else self._integer()
            self._value(kind, (*outer, field), depth)

    def _value(self, kind: int, place: tuple[int, ...], depth: int) -> None:
        if kind in (_INT16, _INT32, _INT64):
            value = self._integer()
            if len(place) == 1:
                self.sizes[place[0]] = value
            elif place[1:] == (1,):
                self.counts[place[0]] = value
        elif kind == _STRUCT:
            self._struct(place, depth + 1)
        elif kind in (_BYTE, _DOUBLE, _BINARY):
            # Read the length of a string before adding it, because reading moves on as well.
            skipped = self._varint() if kind == _BINARY else 8 if kind == _DOUBLE else 1
            self.length += skipped
        elif kind not in (_TRUE, _FALSE):
            # Page headers have neither lists nor maps.
            raise ValueError

    def _byte(self) -> int:
        self.length += 1
        return self._data[self.length - 1]

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
