"""Reading and writing files so that a failure loses nothing and says what went wrong."""

from __future__ import annotations

import gzip
import io
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TextIO

from dagscape.errors import DagscapeError, InvalidData, InvalidOption

GZIP_MAGIC = b"\x1f\x8b"


def open_binary(source: str | os.PathLike[str]) -> IO[bytes]:
    """Open a file for reading (``"-"`` is standard input), unpacking gzip whatever the file is called."""
    if source == "-":
        stream: IO[bytes] = io.BytesIO(sys.stdin.buffer.read())
    else:
        try:
            stream = open(source, "rb")
        except OSError as error:
            raise InvalidOption(f"cannot read {os.fspath(source)!r}: {error.strerror or error}") from error
    if stream.read(2) == GZIP_MAGIC:
        stream.seek(0)
        return gzip.GzipFile(fileobj=stream)
    stream.seek(0)
    return stream


@contextmanager
def open_text(source: str | os.PathLike[str]) -> Iterator[TextIO]:
    """Open a UTF-8 text file (a byte-order mark is skipped); other encodings and broken gzip are errors."""
    with open_binary(source) as binary, io.TextIOWrapper(binary, encoding="utf-8-sig", newline="") as text:
        try:
            yield text
        except UnicodeDecodeError as error:
            raise InvalidData(
                f"{os.fspath(source)!r} is not UTF-8 text (byte 0x{error.object[error.start]:02x}): "
                "save it as UTF-8 first"
            ) from error
        except (EOFError, gzip.BadGzipFile, OSError) as error:
            raise InvalidData(f"{os.fspath(source)!r} cannot be read: {error}") from error


def check_writable(path: str | os.PathLike[str]) -> None:
    """Refuse an output path that cannot be written, before any work is done for it."""
    target = Path(path)
    folder = target.parent
    if target.is_dir():
        raise InvalidOption(f"cannot write {os.fspath(path)!r}: it is a folder")
    if not folder.is_dir():
        raise InvalidOption(f"cannot write {os.fspath(path)!r}: there is no folder {os.fspath(folder)!r}")
    if not os.access(folder, os.W_OK) or (target.exists() and not os.access(target, os.W_OK)):
        raise InvalidOption(f"cannot write {os.fspath(path)!r}: permission denied")


@contextmanager
def replace_file(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Write a file beside its final place and move it there only when all of it was written.

    Where anything fails, Ctrl-C included, the new file is removed and an old one of that name stays as it was.
    """
    check_writable(path)
    target = Path(path)
    # A link or a device keeps its identity: the file it stands for is what changes.
    target = target.resolve()
    if target.exists() and not target.is_file():
        with open(target, "wb") as stream:
            yield stream
        return
    descriptor, temporary = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(temporary, _default_mode(target))
        os.replace(temporary, target)
    except OSError as error:
        raise DagscapeError(f"cannot write {os.fspath(path)!r}: {error.strerror or error}") from error
    finally:
        Path(temporary).unlink(missing_ok=True)


def _default_mode(target: Path) -> int:
    if target.exists():
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
