"""Starts the process that says which rank has died (:mod:`dagscape.posterior.mpi.guard`)."""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from dagscape.posterior.mpi import guard

# A process, and the space of process numbers in which it has its number.
Process = tuple[int, int]


def this_process() -> Process:
    """Return what others need to watch this process."""
    try:
        space = os.stat("/proc/self/ns/pid").st_ino
    except OSError:
        space = 0
    return os.getpid(), space


def _can_watch() -> bool:
    """Whether the system tells when a process ends: Linux 5.3 and later, unless a sandbox forbids it."""
    try:
        os.close(os.pidfd_open(os.getpid()))
    except (AttributeError, OSError):
        return False
    return True


class Guard:
    """Watches ranks of this machine, if the system can (Linux) and they are in the same container.

    Parameters
    ----------
    host : str
        The name of the machine.
    processes : mapping
        The process of each rank; this process is the first.
    """

    def __init__(self, host: str, processes: Mapping[int, Process]) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        here = this_process()[1]
        if not _can_watch() or any(space != here for _, space in processes.values()):
            return
        watched = [str(number) for rank, (process, _) in processes.items() for number in (rank, process)]
        with suppress(OSError):
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", str(Path(guard.__file__)), host, *watched],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                # The launcher and the terminal must not stop it with the ranks.
                start_new_session=True,
            )
            atexit.register(self._end)

    def tell(self, *, working: bool) -> None:
        """Say whether the ranks work together from now on."""
        if self._process is not None and self._process.stdin is not None:
            with suppress(OSError):
                self._process.stdin.write(b"1" if working else b"0")
                self._process.stdin.flush()

    @property
    def has_reported(self) -> bool:
        """Whether a rank has died."""
        return self._process is not None and self._process.poll() == guard.REPORTED

    def _end(self) -> None:
        if self._process is not None:
            self._process.communicate()
