"""Files written so that a failure loses nothing: to a temporary file first, which then replaces the old one.

Temporary files are in the same folder as the file that they replace, and are called ``.dagscape-HOST-RANDOM.part``. A
process locks its own; the system releases the lock even if the process is killed. The next write to the folder removes
those without a lock.
"""

from __future__ import annotations

import errno
import fcntl
import gzip
import os
import platform
import re
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, cast

from dagscape.core.errors import DagscapeError, InvalidOption
from dagscape.core.files.paths import path_text

# Opening these anew would truncate a file that a shell appends to, and other users' pipes cannot be opened at all.
_STANDARD_STREAMS = {"/dev/stdout": 1, "/dev/stderr": 2}
_DESCRIPTOR = re.compile(r"/(?:dev|proc/self)/fd/(\d{1,9})")


def check_writable(path: str | os.PathLike[str]) -> None:
    """Check that an output path can be written, before any work is done for it.

    A file is replaced by a new one, so its folder must allow new files: one is created and removed at once. Devices,
    pipes and open descriptors such as ``/dev/stdout`` are written in place.
    """
    place = _checked_place(path)
    if not place.in_place:
        with _refused(place.name):
            temporary, descriptor = place.create_temporary()
            os.close(descriptor)
            os.unlink(temporary)


@contextmanager
def replace_file(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Write a temporary file and rename it to ``path`` once it is complete.

    If anything fails, including Ctrl-C, the temporary file is removed and an existing file remains unchanged.
    """
    place = _checked_place(path)
    try:
        with place.written_in_place() if place.in_place else place.replaced() as stream:
            yield stream
    except OSError as error:
        raise DagscapeError(f"cannot write {place.name!r}: {error.strerror or error}") from error


def sync_folder(folder: str | os.PathLike[str]) -> None:
    """Wait until the names of the files in a folder are on the disk, where the file system can do that."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextmanager
def replace_by_ending(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Like :func:`replace_file`; compress if the name ends in ``.gz``. The same content gives the same file."""
    with replace_file(path) as stream:
        if not os.fspath(path).lower().endswith(".gz"):
            yield stream
            return
        with gzip.GzipFile(filename="", fileobj=stream, mode="wb", mtime=0) as packed:
            yield cast("IO[bytes]", packed)


def _checked_place(path: str | os.PathLike[str]) -> _Place:
    """Return where a file will be written, after checking all that can be checked without creating files."""
    name = path_text(path)
    with _refused(name):
        place = _Place(name)
        if place.in_place:
            place.check_access()
        else:
            place.check_replaceable()
        return place


@contextmanager
def _refused(name: str) -> Iterator[None]:
    """Turn the system's refusal of a path into :class:`InvalidOption`."""
    try:
        yield
    except InvalidOption:
        raise
    except OSError as error:
        raise InvalidOption(f"cannot write {name!r}: {error.strerror or error}") from error
    except ValueError as error:
        # The system has no files whose names contain NUL, or characters that its encoding lacks.
        raise InvalidOption(f"cannot write {name!r}: this is not a possible name of a file") from error


class _Place:
    """Where a file will be, with all links followed, and what is there now."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.descriptor = _open_descriptor(name)
        self.now: os.stat_result | None = None
        with suppress(FileNotFoundError, NotADirectoryError):
            self.now = os.stat(name if self.descriptor is None else self.descriptor)
        # Replacing a link, a device or a pipe would destroy it.
        self.target = os.path.realpath(name)
        self.folder = os.path.dirname(self.target)

    @property
    def in_place(self) -> bool:
        """Whether this is an open descriptor, a device or a pipe, which cannot be replaced."""
        special = self.now is not None and not stat.S_ISREG(self.now.st_mode) and not stat.S_ISDIR(self.now.st_mode)
        return special or self.descriptor is not None

    def check_access(self) -> None:
        """Raise an error if the device or the pipe cannot be written."""
        if self.descriptor is not None:
            if fcntl.fcntl(self.descriptor, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
                raise InvalidOption(f"cannot write {self.name!r}: it is open for reading only")
        elif not os.access(self.name, os.W_OK):
            raise InvalidOption(f"cannot write {self.name!r}: permission denied")

    def check_replaceable(self) -> None:
        """Raise an error if there is something that the new file must not, or cannot replace."""
        if not self.name:
            raise InvalidOption("cannot write '': the name of the file is empty")
        if self.now is not None and stat.S_ISDIR(self.now.st_mode):
            raise InvalidOption(f"cannot write {self.name!r}: it is a folder")
        if not os.path.isdir(self.folder):
            folder = os.path.dirname(self.name) if not os.path.islink(self.name) else self.folder
            raise InvalidOption(f"cannot write {self.name!r}: there is no folder {folder!r}")
        if self.name.endswith(os.sep):
            raise InvalidOption(f"cannot write {self.name!r}: this is the name of a folder")
        if self.now is None:
            return
        if not os.access(self.target, os.W_OK):
            raise InvalidOption(f"cannot write {self.name!r}: permission denied")
        around = os.stat(self.folder)
        if around.st_mode & stat.S_ISVTX and os.geteuid() not in (0, self.now.st_uid, around.st_uid):
            raise InvalidOption(
                f"cannot write {self.name!r}: in the folder {self.folder!r}, only its owner can replace it"
            )

    def create_temporary(self) -> tuple[str, int]:
        """Create a file in the folder and lock it; return its path and its descriptor."""
        # The kernel applies the umask; a file that others cannot read must not become readable meanwhile.
        mode = 0o666 if self.now is None else stat.S_IMODE(self.now.st_mode) & 0o777
        while True:
            temporary = os.path.join(self.folder, f"{_prefix()}{os.urandom(4).hex()}.part")
            try:
                descriptor = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, mode)
            except FileExistsError:
                continue
            except PermissionError as error:
                raise InvalidOption(
                    f"cannot write {self.name!r}: permission denied to create files in {self.folder!r}"
                ) from error
            if _try_lock(descriptor) is not False and os.fstat(descriptor).st_nlink:
                return temporary, descriptor
            # Before it was locked, another process took it for one that a killed process has left.
            os.close(descriptor)

    @contextmanager
    def replaced(self) -> Iterator[IO[bytes]]:
        """Yield a stream to a temporary file that becomes the target at the end."""
        self._remove_abandoned()
        temporary, descriptor = self.create_temporary()
        try:
            with os.fdopen(descriptor, "wb") as stream:
                yield stream
                stream.flush()
                if self.now is not None:
                    with suppress(PermissionError):
                        os.fchown(descriptor, self.now.st_uid, self.now.st_gid)
                    os.fchmod(descriptor, stat.S_IMODE(self.now.st_mode) & 0o777)
                os.fsync(descriptor)
                # Closing releases the lock: the file must have its final name by then.
                os.replace(temporary, self.target)
        finally:
            Path(temporary).unlink(missing_ok=True)

    @contextmanager
    def written_in_place(self) -> Iterator[IO[bytes]]:
        """Yield a stream to an open descriptor, a device or a pipe."""
        with open(self.name if self.descriptor is None else os.dup(self.descriptor), "wb") as stream:
            yield stream

    def _remove_abandoned(self) -> None:
        """Remove the temporary files of processes that were killed."""
        with suppress(OSError):
            abandoned = [name for name in os.listdir(self.folder) if name.startswith(_prefix())]
            for path in (os.path.join(self.folder, name) for name in abandoned if name.endswith(".part")):
                with suppress(OSError):
                    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
                    try:
                        if _try_lock(descriptor):
                            os.unlink(path)
                    finally:
                        os.close(descriptor)


def _open_descriptor(name: str) -> int | None:
    """Return the number of the open descriptor that a name such as ``/dev/stdout`` stands for, if any."""
    if name in _STANDARD_STREAMS:
        return _STANDARD_STREAMS[name]
    found = _DESCRIPTOR.fullmatch(name)
    return int(found[1]) if found else None


def _prefix() -> str:
    # On some network file systems, the locks of other machines cannot be seen: leave their files alone.
    return f".dagscape-{zlib.crc32(platform.node().encode()):08x}-"


def _try_lock(descriptor: int) -> bool | None:
    """Lock a file, and return whether that worked: False if another process has the lock, None if files have none."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return False if error.errno in (errno.EWOULDBLOCK, errno.EACCES) else None
    return True
