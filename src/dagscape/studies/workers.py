"""Worker processes that share one object, and that end at once: when told to, and when this process ends.

A pool of :mod:`concurrent.futures` by itself leaves three things to wish for:

- *Ctrl-C* reaches every process of a terminal, and each would show a traceback. Workers are started with signals
  blocked; only this process answers them.
- *Ending*: a pool waits for the tasks that run. Each worker watches a pipe that nobody writes to. When this process
  closes its end, or dies, the worker leaves.
- *The main module*: a worker would import it again, and run a script that does not protect its code by
  ``if __name__ == "__main__"``. Workers need none of it, so they are started as if there were none.
"""

from __future__ import annotations

import math
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType, TracebackType
from typing import TYPE_CHECKING, Any, Self

from dagscape.startup import ENDING_SIGNALS

if TYPE_CHECKING:
    from concurrent.futures import Future
    from multiprocessing.connection import Connection


class Workers:
    """A pool of worker processes, as a context manager; it leaves no process behind.

    Parameters
    ----------
    count : int
        The number of processes.
    shared : object
        What every task takes as its first argument. It is sent once to each process.
    """

    def __init__(self, count: int, shared: object) -> None:
        # Importing them takes a tenth of the time of importing dagscape.
        import multiprocessing
        from concurrent.futures import ProcessPoolExecutor

        context = multiprocessing.get_context("spawn")
        self._watched, self._alive = context.Pipe(duplex=False)
        self._pool = ProcessPoolExecutor(count, context, _start, (self._watched, shared))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        # Whatever still runs is not wanted any more.
        self._alive.close()
        self._pool.shutdown(cancel_futures=True)
        self._watched.close()

    def submit(self, function: Callable[..., Any], arguments: list[tuple[Any, ...]]) -> list[Future[Any]]:
        """Call a function of a module for each tuple of arguments."""
        with _without_signals(), _without_main_module():
            return [self._pool.submit(_call, function, *given) for given in arguments]


# What the tasks of this worker process share.
_SHARED: list[object] = []


def _start(watched: Connection, shared: object) -> None:
    """Prepare a worker process."""
    threading.Thread(target=_leave_after, args=(watched,), daemon=True).start()
    # The process that collects the results warns once for all.
    warnings.simplefilter("ignore")
    _SHARED.append(shared)


def _leave_after(watched: Connection) -> None:
    """End the process when the other end of a pipe is closed."""
    watched.poll(None)
    os._exit(0)


def _call(function: Callable[..., Any], *arguments: Any) -> Any:
    return function(*_SHARED, *arguments)


@contextmanager
def _without_signals() -> Iterator[None]:
    """Block the signals that end a process in those that are started now; they come later in this one."""
    from multiprocessing import resource_tracker

    # It would unblock the signals if it started in between.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING_SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _without_main_module() -> Iterator[None]:
    """Keep the processes that are started now from importing the main module."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


def first_finished(pending: set[Future[Any]], seconds: float) -> tuple[set[Future[Any]], set[Future[Any]]]:
    """Wait for the first of some tasks, but not longer than a number of seconds; return those done, and the others."""
    from concurrent.futures import FIRST_COMPLETED, wait

    done, others = wait(pending, None if seconds == math.inf else seconds, return_when=FIRST_COMPLETED)
    return done, others


def ended_unexpectedly(error: BaseException | None) -> bool:
    """Whether an error of a task means that its process ended."""
    from concurrent.futures import BrokenExecutor

    return isinstance(error, BrokenExecutor)
