"""Progress of long computations: what kernels report, and how callers listen.

A listener is any callable that takes a :class:`Progress`. Kernels call it a few times a second from the calling thread,
where they also check for Ctrl-C; an exception raised by the listener stops the computation and propagates.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from dagscape.core.errors import InvalidOption
from dagscape.core.wording import format_seconds, visible

# Lines of progress: the first after this many seconds, and the next after this share of the work.
_FIRST_LINE = 10.0
_LINE_SHARE = 0.1


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a computation.

    Attributes
    ----------
    task : str
        What is being computed, in a few words.
    done, total : int
        Units of work: finished, and in total.
    """

    task: str
    done: int
    total: int


ProgressListener = Callable[[Progress], None]
ProgressOption = ProgressListener | bool | None


def kernel_callback(
    task: str, listener: ProgressListener | None, before: int, total: int
) -> Callable[[int, int], None] | None:
    """Return the function that a kernel calls with its progress, as part of a task of which ``before`` units are done.

    A total of 0 means the kernel's own total; the kernel is not heard before it knows that.
    """
    if listener is None:
        return None

    def report(done: int, part: int) -> None:
        if total or part:
            listener(Progress(task, before + done, total or part))

    return report


@contextmanager
def listening(progress: ProgressOption) -> Iterator[ProgressListener | None]:
    """Yield the listener for a ``progress`` argument: a bar for True, the callable itself, or None."""
    if callable(progress):
        yield progress
        return
    if progress not in (True, False, None):
        raise InvalidOption(
            f"is {progress!r}; it must be True, False or a callable that takes a Progress", option="progress"
        )
    with progress_bar(enabled=bool(progress)) as listener:
        yield listener


@contextmanager
def progress_bar(*, enabled: bool = True) -> Iterator[ProgressListener | None]:
    """Show a progress bar on standard error, and clear it at the end.

    Yields None when disabled, so that the value can always be passed on as ``progress=``. To show one bar for
    several steps::

        with ds.progress_bar() as progress:
            scores = ds.local_scores(data, progress=progress)
            ds.write_scores(scores, "scores.jkl", progress=progress)
    """
    if not enabled:
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, TaskID, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as RichProgress

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:3.0f}%"))
    bar = RichProgress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True)
    try:
        bar.start()
    except RuntimeError:
        # The system provides no thread for the bar, which is no reason to stop the work.
        bar.live.stop()
        yield None
        return
    tasks: dict[str, TaskID] = {}

    def show(progress: Progress) -> None:
        if progress.task not in tasks:
            tasks[progress.task] = bar.add_task(visible(progress.task), total=progress.total)
        bar.update(tasks[progress.task], completed=progress.done, total=progress.total)

    try:
        yield show
    finally:
        bar.stop()


class ProgressLines:
    """A listener that writes a line now and then, for output that is not a terminal.

    The first line of a task comes after ten seconds. The next one comes when the time has doubled, or after another
    tenth of the work and at least ten seconds. So short tasks write nothing, and the longest a few dozen lines.

    Parameters
    ----------
    write : callable
        Takes a line, without its end.
    """

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write
        self._task = ""

    def __call__(self, progress: Progress) -> None:
        """Write a line if it is time for one."""
        now, done = time.monotonic(), progress.done / max(progress.total, 1)
        if progress.task != self._task:
            self._task, self._start, self._done_before = progress.task, now, done
            self._last_seconds, self._last_done = 0.0, done
        seconds = now - self._start
        if done <= self._done_before or done >= 1 or seconds - self._last_seconds < _FIRST_LINE:
            return
        if seconds >= 2 * self._last_seconds or done >= self._last_done + _LINE_SHARE:
            self._last_seconds, self._last_done = seconds, done
            # Work that a checkpoint has saved took no time.
            left = seconds * (1 - done) / (done - self._done_before)
            self._write(f"{progress.task}: {done:.0%}, about {format_seconds(left)} left")
