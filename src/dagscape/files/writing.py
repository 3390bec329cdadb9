"""Files written so that a failure loses nothing: to a temporary file first, which then replaces the old one."""

from __future__ import annotations

import gzip
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from dagscape.errors import DagscapeError, InvalidOption
from dagscape.files.paths import path_text


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


def _default_mode(target: Path) -> int:
    if target.exists():
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
