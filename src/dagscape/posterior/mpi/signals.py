"""Signals on ranks: at once while MPI starts, and in a sum when all ranks can leave it together."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any

from dagscape.core.signals import ENDING_SIGNALS


@contextmanager
def signals_end_process() -> Iterator[None]:
    """Let signals end the process at once: Python's handlers do not run during a call that waits for other ranks."""
    before = {}
    if threading.current_thread() is threading.main_thread():
        for number in ENDING_SIGNALS:
            # A signal that is ignored, as by nohup, stays ignored.
            if callable(signal.getsignal(number)):
                before[number] = signal.signal(number, signal.SIG_DFL)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class DelayedSignals:
    """Records the signals that end a program, and hands them to their own handlers when asked, or at the end.

    If an error ends the work, the handler is called after the clean-up, so what it raises has the error as its context.
    Signals without a Python handler act at once, as before.
    """

    def __init__(self) -> None:
        self._before: dict[int, Any] = {}
        self.received: int | None = None
        self.since = 0.0

    def __enter__(self) -> DelayedSignals:
        if threading.current_thread() is threading.main_thread():
            for number in ENDING_SIGNALS:
                if callable(signal.getsignal(number)):
                    self._before[number] = signal.signal(number, self._record)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self.deliver()

    def _record(self, number: int, _frame: FrameType | None) -> None:
        if self.received is None:
            self.received, self.since = number, time.monotonic()

    def deliver(self) -> None:
        """Call the handler of a signal that came in the meantime; most raise KeyboardInterrupt."""
        if self.received is not None:
            number, self.received = self.received, None
            self._before[number](number, None)

    @property
    def waiting_seconds(self) -> float:
        """How long ago a signal came that was not delivered; 0 if there is none."""
        return 0.0 if self.received is None else time.monotonic() - self.since
