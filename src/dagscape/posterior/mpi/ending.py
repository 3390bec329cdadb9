"""The end of a job at once: all its ranks, with an exit code, and with what this rank has said before.

A rank must not simply leave while others are in a sum: some launchers overlook that (Hydra, if it collects the exit
code before it sees the closed connection), and the others wait for ever. And a launcher that is asked to abort ends at
once, and drops what it has not read until then.
"""

from __future__ import annotations

import fcntl
import os
import signal
import stat
import sys
import termios
import time
from contextlib import suppress
from typing import NoReturn

# How long a launcher may take to read a message, and to end the job.
_READING_SECONDS = 5.0
_ENDING_SECONDS = 20

_STANDARD_ERROR = 2


def end_job(code: int) -> NoReturn:
    """End all ranks; only this process if MPI is not running."""
    wait_for_reader(_STANDARD_ERROR)
    mpi = sys.modules.get("mpi4py.MPI")
    if mpi is not None and mpi.Is_initialized() and not mpi.Is_finalized():
        # If the call does not return, a signal ends this process. No launcher overlooks that.
        with suppress(ValueError):
            # Only the main thread may undo a handler; nobody else has one.
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, _ENDING_SECONDS)
        mpi.COMM_WORLD.Abort(code)
    os._exit(code)


def wait_for_reader(file: int, seconds: float = _READING_SECONDS) -> None:
    """Wait until all that was written to a pipe has been read, but no longer than some seconds."""
    deadline = time.monotonic() + seconds
    with suppress(OSError):
        while stat.S_ISFIFO(os.fstat(file).st_mode) and _unread(file) and time.monotonic() < deadline:
            time.sleep(1e-3)


def _unread(file: int) -> int:
    """Return how many bytes are in a pipe."""
    return int.from_bytes(fcntl.ioctl(file, termios.FIONREAD, bytes(4)), sys.byteorder)
