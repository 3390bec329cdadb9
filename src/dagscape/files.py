"""Files: read and written so that a failure loses nothing and is reported in one sentence."""

from __future__ import annotations

import gzip
import io
import os
import sys
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, TextIO, cast

from dagscape.errors import DagscapeError, InvalidData, InvalidOption, did_you_mean, type_of

GZIP_MAGIC = b"\x1f\x8b"


def path_text(path: object) -> str:
    """Return the path of a file as a string.

    Examples
    --------
    >>> path_text(Path("results.json"))
    'results.json'
    >>> path_text(0.3)
    Traceback (most recent call last):
    dagscape.errors.InvalidOption: path is a float; it must be the path of a file: a string or a Path
    """
    text = os.fspath(path) if isinstance(path, os.PathLike) else path
    if not isinstance(text, str):
        raise InvalidOption(f"is {type_of(path)}; it must be the path of a file: a string or a Path", option="path")
    return text


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


def check_writable(path: str | os.PathLike[str]) -> None:
    """Check that an output path can be written, before any work is done for it."""
    name = path_text(path)
    target = Path(name)
    folder = target.parent
    if target.is_dir():
        raise InvalidOption(f"cannot write {name!r}: it is a folder")
    if not folder.is_dir():
        raise InvalidOption(f"cannot write {name!r}: there is no folder {os.fspath(folder)!r}")
    if not os.access(folder, os.W_OK) or (target.exists() and not os.access(target, os.W_OK)):
        raise InvalidOption(f"cannot write {name!r}: permission denied")


@contextmanager
def replace_file(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Write a temporary file and rename it to ``path`` once it is complete.

    If anything fails, including Ctrl-C, the temporary file is removed and an existing file remains unchanged.
    """
    check_writable(path)
    # Follow links, and write to devices directly: replacing either would destroy it.
    target = Path(path).resolve()
    if target.exists() and not target.is_file():
        with open(target, "wb") as stream:
            yield stream
        return
    temporary = None
    try:
        descriptor, temporary = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
        with os.fdopen(descriptor, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(temporary, _default_mode(target))
        os.replace(temporary, target)
    except OSError as error:
        raise DagscapeError(f"cannot write {os.fspath(path)!r}: {error.strerror or error}") from error
    finally:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)


@contextmanager
def replace_by_ending(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Like :func:`replace_file`; compress if the name ends in ``.gz``. The same content gives the same file."""
    with replace_file(path) as stream:
        if not os.fspath(path).lower().endswith(".gz"):
            yield stream
            return
        with gzip.GzipFile(filename="", fileobj=stream, mode="wb", mtime=0) as packed:
            yield cast("IO[bytes]", packed)


def format_by_ending(path: str | os.PathLike[str], formats: Sequence[str]) -> str:
    """Return the format that the ending of a file name selects, such as ``json`` for ``x.json`` or ``x.json.gz``.

    >>> format_by_ending("x.CSV.gz", ["json", "csv"])
    'csv'
    """
    name = path_text(path)
    for known in formats:
        if name.lower().removesuffix(".gz").endswith(f".{known}"):
            return known
    endings = ", ".join(f".{known}" for known in formats)
    raise InvalidOption(
        f"cannot tell the format of {name!r}: its name must end in one of {endings}, or these and .gz to compress"
    )


def _default_mode(target: Path) -> int:
    if target.exists():
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
