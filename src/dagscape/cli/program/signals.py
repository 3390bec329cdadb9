"""Signals that end a command: raised as exceptions while it runs, so that temporary files are removed."""

from __future__ import annotations

import signal
import sys
import threading
from types import FrameType, TracebackType
from typing import Any

from dagscape.cli.program.startup import is_program, leave
from dagscape.core.signals import ENDING_SIGNALS

# After this many seconds, an exception that was lost in a callback is raised again.
_AGAIN = 0.05


class RaisedSignals:
    """Raises :class:`KeyboardInterrupt` for each signal that asks the program to end.

    Libraries may turn the exception into another one, or lose it in a callback. ``received`` is the first signal, if
    there was one.
    """

    def __init__(self) -> None:
        self.received: int | None = None
        self._raising = False
        self._before: dict[int, Any] = {}
        self._unraisable = sys.unraisablehook

    def __enter__(self) -> RaisedSignals:
        if threading.current_thread() is not threading.main_thread():
            return self
        for number in ENDING_SIGNALS:
            # Handlers of other programs, and signals that are ignored, remain as they are.
            if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler, leave):
                self._before[number] = signal.signal(number, self._handle)
        if is_program():
            self._before[signal.SIGALRM] = signal.signal(signal.SIGALRM, self._handle)
            sys.unraisablehook = self._raise_again
        self._raising = True
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop_raising()
        sys.unraisablehook = self._unraisable
        for number, before in self._before.items():
            signal.signal(number, before)

    def stop_raising(self) -> None:
        """From now on, treat signals as before."""
        self._raising = False
        if is_program():
            signal.setitimer(signal.ITIMER_REAL, 0)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if number == signal.SIGALRM:
            number = self.received or signal.SIGINT
        if self._raising:
            self.received = self.received or number
            raise KeyboardInterrupt
        before = self._before.get(number)
        if callable(before):
            before(number, frame)

    def _raise_again(self, lost: Any) -> None:
        if isinstance(lost.exc_value, KeyboardInterrupt) and self._raising:
            signal.setitimer(signal.ITIMER_REAL, _AGAIN)
        else:
            self._unraisable(lost)
