"""Checkpoints of long jobs: work is saved to a folder from time to time, and the same job later goes on from there.

A job is known by a digest that its owner computes from everything that its result depends on. A folder may hold the
checkpoints of several jobs: the names of their files begin with a key that is made from the digest, and so are the
seals of their contents (:mod:`dagscape.running.sealed_states`, :mod:`dagscape.running.block_files`), so no job ever
continues another, even if files are renamed. Damaged files are refused.

Files are replaced as a whole, or written before the state that refers to them, and a block never changes while a state
refers to it: what a process leaves that is killed at any moment, and what is copied while it is writing, is a complete
checkpoint, or is refused.
"""

from __future__ import annotations

import fcntl
import hashlib
import logging
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from dagscape.core.constraints import Number
from dagscape.core.errors import InvalidData, InvalidOption, TooLarge, argument
from dagscape.core.files.paths import path_text
from dagscape.core.files.writing import check_writable, replace_file, sync_folder
from dagscape.core.resources import format_bytes
from dagscape.core.version import __version__
from dagscape.running.block_files import BlockFile
from dagscape.running.sealed_states import State, digest_of, read_state, write_state

# The time between checkpoints, in seconds.
DEFAULT_SECONDS = 600.0
SECONDS_BETWEEN = Number(0, said="a number of seconds, 0 or more")

# Tells when work is saved, and when it is continued.
CHECKPOINT_LOG = logging.getLogger("dagscape.checkpoints")

# Increases with every change of the files, so that those of earlier states of this version are left alone.
_FORMAT = 2


class Checkpoint:
    """The saved work of one job, or of one rank's part of it.

    Parameters
    ----------
    stem : Path
        What the paths of its files begin with.
    key : bytes
        The key of the job, of up to 64 bytes.
    seconds : float
        The least time between two checkpoints.
    clock : callable
        Returns the time, in seconds.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     checkpoint = Checkpoint(Path(folder, "walk"), b"a digest of data and options", 10.0)
    ...     checkpoint.save({"step": 3, "place": np.array([1.5, -2.0]), "generator": np.random.default_rng(0)})
    ...     sorted(checkpoint.load().items())[-2:]
    [('place', array([ 1.5, -2. ])), ('step', 3)]
    """

    def __init__(self, stem: Path, key: bytes, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.seconds = seconds
        self._stem = stem
        self._key = key
        self._clock = clock
        self._saved_at = clock()

    def of_rank(self, rank: int, ranks: int) -> Checkpoint:
        """Return the checkpoint of one rank of many, which may be on another machine."""
        self._stem.parent.mkdir(parents=True, exist_ok=True)
        part = f"rank-{rank}-of-{ranks}"
        key = digest_of(part.encode(), self._key, b"rank")
        return Checkpoint(self._stem.with_name(f"{self._stem.name}-{part}"), key, self.seconds, self._clock)

    @property
    def is_due(self) -> bool:
        """Whether the last checkpoint is so long ago that it is time for another."""
        return self._clock() - self._saved_at >= self.seconds

    def load(self, name: str = "state") -> dict[str, Any] | None:
        """Return the last state with a name, or None if there is none; raise :class:`InvalidData` if it is damaged."""
        path = self._path(f"{name}.npz")
        with self.reading():
            try:
                with open(path, "rb") as stream:
                    state = read_state(stream, self._key, name)
                    saved_at = time.localtime(os.fstat(stream.fileno()).st_mtime)
            except FileNotFoundError:
                return None
            except InvalidData as error:
                raise InvalidData(f"{path.name!r} is damaged ({error})") from error
        written = time.strftime("%Y-%m-%d %H:%M:%S", saved_at)
        CHECKPOINT_LOG.info("continuing after the checkpoint of %s in %r", written, str(path.parent))
        return state

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Turn whatever goes wrong with saved work that is not what was saved into an error that says so."""
        try:
            yield
        except InvalidData as error:
            raise self._refusal(str(error)) from error
        except OSError as error:
            reason = error.strerror or str(error)
            raise self._refusal(f"{error.filename!r}: {reason}" if error.filename else reason) from error
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise self._refusal("its contents are not those of such a job") from error

    def _refusal(self, reason: str) -> InvalidData:
        files = str(self._path("*"))
        return InvalidData(f"cannot continue from the checkpoint {files!r}: {reason}; delete these files to start over")

    def save(self, state: State, name: str = "state") -> None:
        """Replace the last state with a name; a state has arrays, random generators, and values that JSON has."""
        with replace_file(self._path(f"{name}.npz")) as stream:
            write_state(stream, state, self._key, name)
        sync_folder(self._stem.parent)
        self._saved_at = self._clock()
        CHECKPOINT_LOG.info("saved a checkpoint in %r", str(self._stem.parent))

    def blocks(self, name: str, shape: tuple[int, int], threads: int = 1) -> BlockFile:
        """Return the file of a table that is written block by block: so many blocks of so many 64-bit integers."""
        return BlockFile(self._path(f"{name}.words"), name, self._key, shape, threads)

    def finish(self, result: State) -> None:
        """Save the result, which takes the place of all other files."""
        self.save(result, "result")
        self._remove_all_but(self._path("result.npz"))

    def remove(self) -> None:
        """Remove all files of this job."""
        self._remove_all_but(None)

    def _remove_all_but(self, kept: Path | None) -> None:
        for path in self._stem.parent.glob(f"{self._stem.name}*"):
            if path != kept:
                # What cannot be removed does no harm: it is complete, or will be refused.
                with suppress(OSError):
                    path.unlink()

    def _path(self, ending: str) -> Path:
        return self._stem.with_name(f"{self._stem.name}.{ending}")


class Checkpoints:
    """The checkpoints of the jobs of one call.

    Parameters
    ----------
    folder : str or path-like
        Where they are; it is created if needed.
    seconds : float
        The least time between two of them.
    """

    def __init__(self, folder: str | os.PathLike[str], seconds: float) -> None:
        if not (name := path_text(folder)):
            raise InvalidOption("is empty; it must be the name of a folder", option="checkpoint")
        self._folder = Path(name)
        self._seconds = seconds
        self._used: list[Checkpoint] = []

    def of_job(self, task: str, digest: str | bytes) -> Checkpoint:
        """Return the checkpoint of a job.

        Parameters
        ----------
        task : str
            What is done, in a word: the names of the files begin with it.
        digest : str or bytes
            A digest of everything that the result depends on: data, options, back end. The version of dagscape is added
            to it.
        """
        content = digest.encode() if isinstance(digest, str) else digest
        key = hashlib.blake2b(f"{_FORMAT} {__version__} {task}\0".encode() + content, digest_size=32).digest()
        found = Checkpoint(self._folder / f"{task}-{key.hex()[:32]}", key, self._seconds)
        self._used.append(found)
        return found

    def check_space(self, task: str, needed: int) -> None:
        """Raise an error if the files of a task would not fit on the disk, together with those that are there."""
        there = sum(path.stat().st_size for path in self._folder.glob(f"{task}-*"))
        status = os.statvfs(self._folder)
        free = status.f_bavail * status.f_frsize
        if needed > free + there:
            raise TooLarge(
                f"checkpoints in {str(self._folder)!r} need {format_bytes(needed)}; {format_bytes(free + there)} are "
                f"free: choose another folder, or leave out {argument('checkpoint')}"
            )

    @contextmanager
    def in_use(self) -> Iterator[Checkpoints]:
        """Create and lock the folder; at a successful end, remove the checkpoints."""
        if self._folder.exists() and not self._folder.is_dir():
            raise InvalidOption(f"is {str(self._folder)!r}, which is a file; it must be a folder", option="checkpoint")
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            check_writable(self._folder / "state")
        except (OSError, InvalidOption) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise InvalidOption(
                f"is {str(self._folder)!r}, where nothing can be saved: {reason}", option="checkpoint"
            ) from error
        with self._locked():
            yield self
            for checkpoint in self._used:
                checkpoint.remove()

    @contextmanager
    def _locked(self) -> Iterator[None]:
        descriptor = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(descriptor)
            raise InvalidOption(
                f"is {str(self._folder)!r}, which another process is using", option="checkpoint"
            ) from error
        except OSError:
            # Some network file systems cannot lock folders.
            pass
        try:
            yield
        finally:
            os.close(descriptor)
