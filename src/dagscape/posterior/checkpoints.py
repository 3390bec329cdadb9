"""Checkpoints of long sums: work is saved to a folder from time to time, and the same sum later goes on from there.

A folder may hold the checkpoints of several sums. The names of their files begin with a fingerprint of the weights and
of the kind of sum, so no sum ever continues another. Files are replaced as a whole, or written before the state that
refers to them, so a process that is killed at any moment leaves the last complete checkpoint.
"""

from __future__ import annotations

import fcntl
import hashlib
import logging
import math
import os
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagscape.core.checks import is_between
from dagscape.core.errors import DagscapeError, InvalidData, InvalidOption, TooLarge, argument
from dagscape.core.files.paths import path_text
from dagscape.core.files.writing import check_writable, replace_file
from dagscape.core.resources import format_bytes
from dagscape.core.version import __version__
from dagscape.posterior.weights import FamilyWeights

# The time between checkpoints, in seconds.
DEFAULT_SECONDS = 600.0

# Tells when work is saved, and when it is continued.
CHECKPOINT_LOG = logging.getLogger("dagscape.checkpoints")

State = Mapping[str, NDArray[Any]]


class Checkpoint:
    """The saved work of one sum, or of one rank's part of it.

    Attributes
    ----------
    seconds : float
        The least time between two checkpoints.
    """

    def __init__(self, stem: Path, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.seconds = seconds
        self._stem = stem
        self._clock = clock
        self._saved_at = clock()

    def of_rank(self, rank: int, ranks: int) -> Checkpoint:
        """Return the checkpoint of one rank of many, which may be on another machine."""
        self._stem.parent.mkdir(parents=True, exist_ok=True)
        stem = self._stem.with_name(f"{self._stem.name}-rank-{rank}-of-{ranks}")
        return Checkpoint(stem, self.seconds, self._clock)

    @property
    def is_due(self) -> bool:
        """Whether the last checkpoint is so long ago that it is time for another."""
        return self._clock() - self._saved_at >= self.seconds

    def load(self, name: str = "state") -> dict[str, NDArray[Any]] | None:
        """Return the last state with a name, or None if there is none."""
        path = self._path(f"{name}.npz")
        if not path.exists():
            return None
        with self.reading(), np.load(path, allow_pickle=False) as saved:
            state = dict(saved)
        written = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(path.stat().st_mtime))
        CHECKPOINT_LOG.info("continuing after the checkpoint of %s in %r", written, str(path.parent))
        return state

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Turn what goes wrong with a state that is not what was saved into an error that says so."""
        try:
            yield
        except (OSError, EOFError, ValueError, KeyError, zipfile.BadZipFile) as error:
            raise InvalidData(
                f"cannot use the checkpoint {str(self._path('*'))!r}: {error}; remove these files to start anew"
            ) from error

    def save(self, state: State, name: str = "state") -> None:
        """Replace the last state with a name."""
        with replace_file(self._path(f"{name}.npz")) as stream:
            np.savez(stream, **state)  # type: ignore[arg-type]  # numpy's stub takes the arrays for another argument
        self._saved_at = self._clock()
        CHECKPOINT_LOG.info("saved a checkpoint in %r", str(self._stem.parent))

    def words(self, name: str, count: int) -> WordFile:
        """Return the file of a table of words, which is written in parts."""
        return WordFile(self._path(f"{name}.words"), count)

    def finish(self, result: State) -> None:
        """Save the result, which takes the place of all other files."""
        self.save(result, "result")
        self._remove_all_but(self._path("result.npz"))

    def remove(self) -> None:
        """Remove all files of this sum."""
        self._remove_all_but(None)

    def _remove_all_but(self, kept: Path | None) -> None:
        for path in self._stem.parent.glob(f"{self._stem.name}*"):
            if path != kept:
                path.unlink(missing_ok=True)

    def _path(self, ending: str) -> Path:
        return self._stem.with_name(f"{self._stem.name}.{ending}")


class WordFile:
    """A table of 64-bit words in a file, read and written in parts."""

    def __init__(self, path: Path, count: int) -> None:
        self._path = path
        self._count = count

    def write(self, words: NDArray[np.int64], at: int) -> None:
        """Write words from a place on, and wait until they are on the disk."""
        if not words.size:
            return
        with _failing_as_error(self._path), open(self._path, "r+b" if self._path.exists() else "x+b") as stream:
            stream.truncate(8 * self._count)
            stream.seek(8 * at)
            stream.write(np.ascontiguousarray(words).data.cast("B"))
            stream.flush()
            os.fsync(stream.fileno())

    def read(self, words: NDArray[np.int64], at: int) -> None:
        """Fill an array with the words from a place on."""
        if not words.size:
            return
        with _failing_as_error(self._path), open(self._path, "rb") as stream:
            stream.seek(8 * at)
            if stream.readinto(words.data.cast("B")) != words.nbytes:
                raise InvalidData(f"the checkpoint {str(self._path)!r} is too short; remove it to start anew")


class Checkpoints:
    """The checkpoints of the sums of one call.

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

    def of_sum(self, weights: FamilyWeights, unit_bits: int, kind: str) -> Checkpoint:
        """Return the checkpoint of a sum."""
        described = f"{__version__} {kind} {unit_bits} {weights.max_parents} {weights.values.shape}"
        digest = hashlib.sha256(described.encode())
        digest.update(weights.values.data.cast("B"))
        found = Checkpoint(self._folder / f"sum-{digest.hexdigest()[:32]}", self._seconds)
        self._used.append(found)
        return found

    def check_space(self, needed: int) -> None:
        """Raise an error if the files would not fit on the disk, together with those that are there."""
        there = sum(path.stat().st_size for path in self._folder.glob("sum-*"))
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
            check_writable(self._folder / "sum")
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


def check_interval(seconds: float) -> float:
    """Check the time between two checkpoints, and return it."""
    if not is_between(seconds, 0, math.inf):
        raise InvalidOption(f"is {seconds!r}; it must be a number of seconds, 0 or more", option="checkpoint_seconds")
    return float(seconds)


@contextmanager
def _failing_as_error(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise DagscapeError(f"cannot use the checkpoint {str(path)!r}: {error.strerror or error}") from error
