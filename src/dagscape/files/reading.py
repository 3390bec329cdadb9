"""Files opened for reading: plain or gzipped, bytes or text."""

from __future__ import annotations

import gzip
import io
import os
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO

from dagscape.errors import InvalidData, InvalidOption, did_you_mean
from dagscape.files.paths import path_text

GZIP_MAGIC = b"\x1f\x8b"


def _similar(source: str) -> str:
    """Return the end of a sentence about a file that does not exist: the file with the most similar name, if any.

    A common ending does not make names similar, but decides between files that differ in it only.
    """
    folder, name = os.path.split(source)
    try:
        files = [] if os.path.exists(source) else os.listdir(folder or ".")
    except OSError:
        return ""
    return did_you_mean(name, [file for file in files if did_you_mean(_stem(name), [_stem(file)])])


def _stem(name: str) -> str:
    return name.split(".")[0] or name


@contextmanager
def open_binary(source: str | os.PathLike[str]) -> Iterator[io.BufferedReader[Any]]:
    """Open a file for reading (``"-"``: standard input); gzip is recognised by content, not by name."""
    source = path_text(source)
    try:
        raw = io.BufferedReader(io.FileIO(sys.stdin.fileno(), closefd=False) if source == "-" else io.FileIO(source))
        start = raw.peek(len(GZIP_MAGIC))
    except OSError as error:
        raise InvalidOption(f"cannot read {source!r}: {error.strerror or error}{_similar(source)}") from error
    with raw:
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


@contextmanager
def decode_text(binary: io.BufferedReader[Any], source: str | os.PathLike[str]) -> Iterator[TextIO]:
    """Decode a stream as UTF-8, without a byte-order mark; other encodings and damaged gzip raise InvalidData."""
    with io.TextIOWrapper(binary, encoding="utf-8-sig", newline="") as text, broken_gzip_as_error(source):
        try:
            yield text
        except UnicodeDecodeError as error:
            raise InvalidData(
                f"{os.fspath(source)!r} is not UTF-8 text (byte 0x{error.object[error.start]:02x}): "
                "save it as UTF-8 first"
            ) from error


@contextmanager
def open_text(source: str | os.PathLike[str]) -> Iterator[TextIO]:
    """Open a text file: :func:`open_binary`, then :func:`decode_text`."""
    with open_binary(source) as binary, decode_text(binary, source) as text:
        yield text
