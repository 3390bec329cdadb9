"""Files opened for reading: plain or gzipped, bytes or text."""

from __future__ import annotations

import gzip
import io
import os
import stat
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, TextIO, cast

from dagscape.core.errors import InvalidData, InvalidOption, did_you_mean
from dagscape.core.files.encodings import LineCounter, encoding_of
from dagscape.core.files.paths import path_text
from dagscape.core.resources import check_memory, memory_limit

GZIP_MAGIC = b"\x1f\x8b"

_PIECE_BYTES = 2**18

# The length of the longest byte-order mark.
_MARK_BYTES = 4


def _similar(source: str) -> str:
    """Return the end of a sentence about a file that does not exist: the file with the most similar name, if any.

    A common ending does not make names similar, but decides between files that differ in it only.
    """
    folder, name = os.path.split(source)
    try:
        files = [] if os.path.lexists(source) else os.listdir(folder or ".")
    except OSError:
        return ""
    return did_you_mean(name, [file for file in files if did_you_mean(_stem(name), [_stem(file)])])


def _stem(name: str) -> str:
    return name.split(".")[0] or name


def _is_endless(descriptor: int) -> bool:
    """Whether a descriptor is a device such as ``/dev/zero``: one that is neither a terminal nor the null device."""
    status = os.fstat(descriptor)
    is_null = status.st_rdev == os.stat(os.devnull).st_rdev
    return stat.S_ISCHR(status.st_mode) and not is_null and not os.isatty(descriptor)


@contextmanager
def open_binary(source: str | os.PathLike[str]) -> Iterator[io.BufferedReader[Any]]:
    """Open a file for reading (``"-"``: standard input); gzip is recognised by content, not by name."""
    source = path_text(source)
    # Python sets the stream to None if its descriptor is closed.
    if source == "-" and (sys.stdin is None or sys.stdin.closed):
        raise InvalidOption("cannot read '-': standard input is closed")
    try:
        raw = io.BufferedReader(io.FileIO(sys.stdin.fileno(), closefd=False) if source == "-" else io.FileIO(source))
        start = raw.peek(len(GZIP_MAGIC))
    except OSError as error:
        raise InvalidOption(f"cannot read {source!r}: {error.strerror or error}{_similar(source)}") from error
    except ValueError as error:
        # A path with a NUL character, or with half of a surrogate pair.
        raise InvalidOption(f"cannot read {source!r}: no file can have that name") from error
    with raw:
        if _is_endless(raw.fileno()):
            raise InvalidData(f"{source!r} is a device without an end: give a file or a pipe")
        if not start.startswith(GZIP_MAGIC):
            yield raw
            return
        with gzip.GzipFile(fileobj=raw) as unpacked, io.BufferedReader(unpacked) as stream:
            yield stream


def starts_with(stream: io.BufferedReader[Any], magic: bytes, source: str | os.PathLike[str]) -> bool:
    """Whether a stream begins with the given bytes; its position does not change."""
    with broken_gzip_as_error(source):
        return stream.peek(len(magic)).startswith(magic)


@contextmanager
def broken_gzip_as_error(source: str | os.PathLike[str]) -> Iterator[None]:
    """Turn the exceptions of a damaged gzip file into one :class:`InvalidData`."""
    try:
        yield
    except (EOFError, gzip.BadGzipFile, zlib.error, OSError) as error:
        raise InvalidData(f"{os.fspath(source)!r} cannot be read: {error}") from error


def read_whole(
    stream: io.BufferedReader[Any],
    source: str | os.PathLike[str],
    *,
    max_memory: int | str | None = None,
    bytes_per_byte: float = 1.0,
    memory_of: Callable[[bytes], int] | None = None,
    what: str = "the contents",
) -> bytes:
    """Read a stream to its end, within a limit on the memory that its contents will take.

    The limit matters for gzipped files: a small one can hold a thousand times its size.

    Parameters
    ----------
    stream : binary stream
        What :func:`open_binary` returned.
    source : str or path
        The name of the file, for messages.
    max_memory : int, str or None
        The user's limit; None for most of what is available.
    bytes_per_byte : float
        The memory that one byte of the contents takes at the peak, including the byte itself.
    memory_of : callable, optional
        Takes each piece as it is read, and returns the memory for its contents, instead of ``bytes_per_byte``; it may
        raise an exception for a piece that the format excludes, which ends reading.
    what : str
        The contents in messages, as a plural: "the contents", "the scores".

    Raises
    ------
    TooLarge
        As soon as the bytes read so far need more than the limit.
    InvalidData
        If the stream is a damaged gzip file.

    Examples
    --------
    >>> read_whole(io.BufferedReader(io.BytesIO(b"abc")), "x.json")
    b'abc'
    """
    limit = memory_limit(max_memory)
    contents = io.BytesIO()
    needed = 0
    with broken_gzip_as_error(source):
        while piece := stream.read(_PIECE_BYTES):
            contents.write(piece)
            needed += int(len(piece) * bytes_per_byte) if memory_of is None else memory_of(piece)
            check_memory(
                needed,
                limit,
                f"{what} of {os.fspath(source)!r}, of which {contents.tell():,} bytes were read,",
                "raise it, or reduce the file",
            )
    # Not a copy: the stream and the result share the bytes.
    return contents.getvalue()


@contextmanager
def decode_text(
    binary: io.BufferedReader[Any],
    source: str | os.PathLike[str],
    encoding: str | None = None,
    remedy: str = "save it as UTF-8 first",
) -> Iterator[TextIO]:
    """Decode a stream without its byte-order mark; text of another encoding and damaged gzip raise InvalidData.

    Parameters
    ----------
    binary : binary stream
        What :func:`open_binary` returned.
    source : str or path
        The name of the file, for messages.
    encoding : str, optional
        Its encoding, unless its byte-order mark says otherwise. Default: UTF-8.
    remedy : str
        What to do about text of another encoding.
    """
    with broken_gzip_as_error(source):
        codec = encoding_of(binary.peek(_MARK_BYTES)[:_MARK_BYTES], encoding)
    counter = LineCounter(binary)
    with io.TextIOWrapper(cast("BinaryIO", counter), encoding=codec, newline="") as text, broken_gzip_as_error(source):
        try:
            yield text
        except UnicodeDecodeError as error:
            place = f"byte 0x{error.object[error.start]:02x}"
            # In these, a line break is not a byte.
            if not codec.lower().startswith(("utf-16", "utf-32", "utf_16", "utf_32")):
                place += f" in line {counter.line_of(error)}"
            name = codec.removesuffix("-sig").upper() if codec.startswith("utf") else codec
            raise InvalidData(f"{os.fspath(source)!r} is not {name} text ({place}): {remedy}") from error
        except UnicodeError as error:
            raise InvalidData(f"{os.fspath(source)!r} is not {codec} text ({error}): {remedy}") from error
