"""The members of an ``.npz`` file: a zip archive of arrays, read strictly.

An archive from elsewhere may be damaged or made to harm. Names, sizes, types and shapes are compared with what is
expected before anything of that size is read: an array has exactly the type that dagscape writes, and exactly the
number of bytes that its own header, and the directory of the archive, declare. Nothing is unpickled or evaluated.
"""

from __future__ import annotations

import io
import math
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from dagscape.core.errors import InvalidData

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

_INTEGERS = {b"<i8": np.dtype("<i8"), b">i8": np.dtype(">i8")}
_BYTES = {b"|u1": np.dtype(np.uint8)}


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
        return self._array(name, _BYTES, lambda shape: len(shape) == 1).tobytes()

    def integers(self, name: str, fits: Callable[[tuple[int, ...]], bool]) -> NDArray[np.int64]:
        """Return a member that is an array of 64-bit integers, if its shape fits; it cannot be written to."""
        array = self._array(name, _INTEGERS, fits)
        if array.dtype != np.int64 or not array.flags.aligned:
            array = array.astype(np.int64)
        array.flags.writeable = False
        return array

    def _array(
        self, name: str, types: dict[bytes, np.dtype[Any]], fits: Callable[[tuple[int, ...]], bool]
    ) -> NDArray[Any]:
        with _damage_as_error(), self._archive.open(self._infos[name]) as member:
            start = member.read(10)
            length = int.from_bytes(start[8:10], "little")
            header = member.read(min(length, _LONGEST_HEADER))
            declared = _ARRAY_HEADER.fullmatch(header)
            if start[:8] != _MAGIC + b"\x01\x00" or declared is None:
                raise InvalidData(f"{name} is not an array")
            dtype = types.get(declared[1])
            shape = tuple(int(part) for part in declared[3].replace(b",", b" ").split())
            if dtype is None:
                raise InvalidData(f"{name} has the type {declared[1].decode()!r}, which it should not have")
            if not fits(shape):
                raise InvalidData(f"{name} has the shape {shape}, which does not match the header")
            count = math.prod(shape)
            if len(start) + length + count * dtype.itemsize != self.size(name):
                raise InvalidData(f"{name} does not have the length that it declares")
            # One byte more reaches the end, where the checksum is compared.
            body = member.read(count * dtype.itemsize + 1)
        array = np.frombuffer(body, dtype=dtype, count=count)
        return array.reshape(shape[::-1]).T if declared[2] == b"True" else array.reshape(shape)


@contextmanager
def _damage_as_error() -> Iterator[None]:
    """Turn the errors of the modules for archives into one sentence."""
    try:
        yield
    except InvalidData:
        raise
    except _ARCHIVE_ERRORS as error:
        raise InvalidData(f"the archive is damaged ({str(error) or type(error).__name__})") from error


def seekable(stream: io.BufferedReader[Any]) -> bool:
    """Whether a stream is a plain file, in which an archive can be read in any order at no cost."""
    return isinstance(stream.raw, io.FileIO) and stream.seekable()
