"""Archives of arrays: ``.npz`` files with a JSON header, written by dagscape and read strictly.

An archive from elsewhere may be damaged or made to harm. Names, sizes, types and shapes are compared with what is
expected before anything of that size is read: an array has exactly the type that dagscape writes, and exactly the
number of bytes that its own header, and the directory of the archive, declare. Nothing is unpickled or evaluated.
"""

from __future__ import annotations

import io
import json
import math
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import IO, Any, cast

import numpy as np
from numpy.typing import DTypeLike, NDArray

from dagscape.core.errors import InvalidData
from dagscape.core.files.reading import read_whole
from dagscape.core.resources import check_memory

# The member that says what the arrays are, as JSON.
HEADER = "header"

# How archives begin.
ARCHIVE_MAGIC = b"PK\x03\x04"

# What :mod:`zipfile` and :mod:`zlib` raise for damaged archives, truncated members and features that they lack.
_ARCHIVE_ERRORS = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    ValueError,
    OverflowError,
    RuntimeError,
)

_ENCRYPTED = 0x1

_MAGIC = b"\x93NUMPY"

# The header of an array is a Python literal; NumPy always writes the same form.
_ARRAY_HEADER = re.compile(
    rb"\{'descr': '([<>|][a-z][0-9]+)', 'fortran_order': (False|True), "
    rb"'shape': \(((?:[0-9]{1,15}, ?)*[0-9]{0,15})\), \} *\n"
)
_LONGEST_HEADER = 1024

# The bytes of a local header before the data, at least.
_LOCAL_HEADER = 30

# Bytes read at a time.
_PIECE = 1 << 20

Shape = tuple[int, ...]


class _Unseekable:
    """A stream that is written from its beginning to its end, as those of gzip and pipes must be."""

    def __init__(self, stream: IO[bytes]) -> None:
        self.write, self.flush = stream.write, stream.flush


def write_archive(stream: IO[bytes], header: Mapping[str, Any] | bytes, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write a header, as JSON, and arrays; the same contents give the same bytes."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    with zipfile.ZipFile(cast("IO[bytes]", _Unseekable(stream)), "w") as archive:
        for name, array in {HEADER: np.frombuffer(text, dtype=np.uint8), **arrays}.items():
            with archive.open(zipfile.ZipInfo(f"{name}.npy"), "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asanyarray(array), allow_pickle=False)


class Members:
    """The members of an archive, by name without ``.npy``."""

    def __init__(self, stream: IO[bytes]) -> None:
        """Read the directory of the archive in a seekable stream."""
        with _damage_as_error():
            self._archive = zipfile.ZipFile(stream)
        listed = self._archive.infolist()
        self._infos = {info.filename.removesuffix(".npy"): info for info in listed}
        if len(self._infos) < len(listed):
            raise InvalidData("two members have the same name")
        end = self._archive.start_dir
        for info in sorted(listed, key=lambda info: info.header_offset, reverse=True):
            if info.flag_bits & _ENCRYPTED or info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise InvalidData("it is encrypted or compressed in a way that dagscape does not read")
            if info.header_offset + _LOCAL_HEADER + info.compress_size > end:
                raise InvalidData("its members overlap")
            end = info.header_offset

    @property
    def names(self) -> set[str]:
        """The names of the members."""
        return set(self._infos)

    @property
    def nbytes(self) -> int:
        """The size of all members, uncompressed, as the directory declares it; no more is ever read."""
        return sum(info.file_size for info in self._infos.values())

    def size(self, name: str) -> int:
        """Return the declared size of a member, in bytes, uncompressed."""
        return self._infos[name].file_size

    def text(self, name: str) -> bytes:
        """Return a member that is a list of bytes."""
        return self.array(name, np.uint8, lambda shape: len(shape) == 1).tobytes()

    def array(self, name: str, dtype: DTypeLike, fits: Callable[[Shape], bool]) -> NDArray[Any]:
        """Return a member that is an array of a type, in either byte order, if its shape fits."""
        wanted = np.dtype(dtype)
        orders = {order.str.encode(): order for order in (wanted, wanted.newbyteorder())}
        with _damage_as_error(), self._archive.open(self._infos[name]) as member:
            start = member.read(10)
            length = int.from_bytes(start[8:10], "little")
            header = member.read(min(length, _LONGEST_HEADER))
            declared = _ARRAY_HEADER.fullmatch(header)
            if start[:8] != _MAGIC + b"\x01\x00" or declared is None:
                raise InvalidData(f"{name} is not an array")
            stored = orders.get(declared[1])
            shape = tuple(int(part) for part in declared[3].replace(b",", b" ").split())
            if stored is None:
                raise InvalidData(f"{name} has the type {declared[1].decode()!r}, which it should not have")
            if not fits(shape):
                raise InvalidData(f"{name} has the shape {shape}, which does not match the header")
            size = math.prod(shape) * stored.itemsize
            if len(start) + length + size != self.size(name):
                raise InvalidData(f"{name} does not have the length that it declares")
            numbers = _body(member, size).view(stored).astype(wanted, copy=False)
        return numbers.reshape(shape[::-1]).T if declared[2] == b"True" else numbers.reshape(shape)

    def integers(self, name: str, fits: Callable[[Shape], bool]) -> NDArray[np.int64]:
        """Return a member that is an array of 64-bit integers, if its shape fits; it cannot be written to."""
        array = self.array(name, np.int64, fits)
        array.flags.writeable = False
        return array


def bounded_members(
    stream: io.BufferedReader[Any], source: str, max_memory: int | str | None, what: str, remedy: str
) -> tuple[Members, Callable[[int], None]]:
    """Return the members of an archive in a stream, and a function that refuses to use more bytes than the limit.

    Parameters
    ----------
    stream : binary stream
        What :func:`~dagscape.core.files.reading.open_binary` returned; if it is no plain file, it is read whole.
    source : str
        The name of the file, for messages.
    max_memory : int, str or None
        The user's limit; None for most of what is available.
    what, remedy : str
        The contents in messages, as a plural, and what helps if they are too large.
    """
    packed = None if _seekable(stream) else read_whole(stream, source, max_memory=max_memory, what=what)

    def check(needed: int) -> None:
        check_memory(needed + len(packed or b""), max_memory, f"{what} in {source!r}", remedy)

    return Members(stream if packed is None else io.BytesIO(packed)), check


def _body(member: IO[bytes], size: int) -> NDArray[np.uint8]:
    """Return the bytes of an array, in the memory of one copy."""
    body = np.empty(size, dtype=np.uint8)
    filled = 0
    while filled < size:
        piece = member.read(min(_PIECE, size - filled))
        if not piece:
            raise EOFError("it ends too early")
        body[filled : filled + len(piece)] = np.frombuffer(piece, dtype=np.uint8)
        filled += len(piece)
    # At the end, the checksum is compared.
    member.read(1)
    return body


@contextmanager
def _damage_as_error() -> Iterator[None]:
    """Turn the errors of the modules for archives into one sentence."""
    try:
        yield
    except InvalidData:
        raise
    except _ARCHIVE_ERRORS as error:
        raise InvalidData(f"the archive is damaged ({str(error) or type(error).__name__})") from error


def _seekable(stream: io.BufferedReader[Any]) -> bool:
    """Whether a stream is a plain file, in which an archive can be read in any order at no cost."""
    return isinstance(stream.raw, io.FileIO) and stream.seekable()
