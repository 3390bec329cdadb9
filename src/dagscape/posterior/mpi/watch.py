"""Notices within a moment that another process of the same machine has ended.

A launcher kills the other ranks when one has died, and may not say which one, nor on standard error. So each rank
watches the next one of its machine while they work together: the last to watch has time for one line.
"""

from __future__ import annotations

import os
import select
import threading
from collections.abc import Callable
from contextlib import suppress

# A process that can be watched: its number, and the space of process numbers that it is valid in.
Process = tuple[int, int]


def this_process() -> Process:
    """Return what another process needs to watch this one."""
    try:
        space = os.stat("/proc/self/ns/pid").st_ino
    except OSError:
        space = 0
    return os.getpid(), space


class Watch:
    """Calls ``alarm`` from a thread if a process ends before :meth:`end` is called.

    On systems other than Linux, and between containers with process numbers of their own, it does nothing.
    """

    def __init__(self, process: Process, alarm: Callable[[], None]) -> None:
        self._alarm = alarm
        self._ended = threading.Event()
        self._files: list[int] = []
        if not hasattr(os, "pidfd_open") or process[1] != this_process()[1]:
            return
        # The process may have ended already, which its launcher notices.
        with suppress(OSError):
            self._files = [os.pidfd_open(process[0]), *os.pipe()]
            self._thread = threading.Thread(target=self._wait, daemon=True)
            self._thread.start()

    def _wait(self) -> None:
        watched = select.poll()
        for file in self._files[:2]:
            watched.register(file, select.POLLIN)
        watched.poll()
        if not self._ended.is_set():
            self._alarm()

    def end(self) -> None:
        """Stop watching."""
        if not self._files:
            return
        self._ended.set()
        os.write(self._files[2], b"x")
        self._thread.join()
        for file in self._files:
            os.close(file)
        self._files = []
