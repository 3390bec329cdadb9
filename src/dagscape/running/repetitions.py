"""Many independent runs of one function: in this process, on worker processes, or on an executor of the caller.

Each run has its own task, such as random numbers of its own. The outcomes depend on neither what runs them, nor on how
many run at once, nor on the order in which they finish.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from dagscape.core.clock import Clock
from dagscape.core.constraints import OrNone, Whole
from dagscape.core.errors import DagscapeError, DagscapeWarning, InvalidData, InvalidOption, argument, type_of
from dagscape.core.progress import Progress, ProgressListener
from dagscape.core.resources import thread_count
from dagscape.running.workers import Workers, may_start_processes

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

WORKERS = Whole(1)

# Worker processes are started if the rest of the runs would take longer than this; starting them takes a part of it.
_WORTH_WORKERS = 2.0
# With a time limit, they are started only if this much is left: on a busy machine they take seconds to start.
_ENOUGH_TIME = 10.0

Outcome = TypeVar("Outcome")


def worker_count(executor: Executor | None, workers: int | None) -> int:
    """Return the number of worker processes, after checking the arguments ``executor`` and ``workers`` of a study."""
    if executor is None:
        OrNone(WORKERS).check(workers, "workers")
        return 1 if not may_start_processes() else thread_count(None) if workers is None else int(workers)
    if workers is not None:
        raise InvalidOption(f"cannot be chosen if an {argument('executor')} is given", option="workers")
    if not callable(getattr(executor, "submit", None)):
        raise InvalidOption(f"is {type_of(executor)}; it must be a concurrent.futures.Executor", option="executor")
    return 0


class Repetitions(Generic[Outcome]):
    """The runs of a study: those that are done, and those that are not.

    Parameters
    ----------
    function : callable
        A function of a module: ``function(job, *task, seconds)``. The last argument is the time that it has.
    job : object
        What all runs have in common. It is sent once to each worker process.
    tasks : sequence of tuple
        The arguments of each run.
    clock : Clock
        The time of the whole study.
    listener : callable or None
        Receives the progress.
    name, doing : str
        What a run is called in messages, and the name of the work in a progress bar.
    keeps : callable, optional
        Whether an outcome counts. Default: all do.

    Attributes
    ----------
    done : dict
        The outcomes by the number of the run.
    """

    def __init__(
        self,
        function: Callable[..., Outcome],
        job: object,
        tasks: Sequence[tuple[Any, ...]],
        clock: Clock,
        listener: ProgressListener | None,
        *,
        name: str,
        doing: str,
        keeps: Callable[[Outcome], bool] = lambda _: True,
    ) -> None:
        self.done: dict[int, Outcome] = {}
        self._function = function
        self._job = job
        self._tasks = tasks
        self._clock = clock
        self._listener = listener
        self._name = name
        self._doing = doing
        self._keeps = keeps
        self._next = 0

    @property
    def outcomes(self) -> list[Outcome]:
        """The outcomes in the order of the runs."""
        return [self.done[number] for number in sorted(self.done)]

    def run(self, executor: Executor | None, workers: int) -> None:
        """Run all, on an executor or, if that is None, with a number of worker processes."""
        if executor is not None:
            self._run_on(executor)
            return
        self._run_here(until_worth_workers=workers > 1)
        if workers > 1:
            self._run_on_workers(workers)

    def _run_here(self, *, until_worth_workers: bool) -> None:
        """Run in this process: all, or until the rest is worth the start of worker processes."""
        start = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DagscapeWarning)
            for number, task in enumerate(self._tasks):
                left = self._clock.left
                if not left:
                    return
                with self._naming(number):
                    self._keep(number, self._function(self._job, *task, left))
                self._next = number + 1
                rest = (time.perf_counter() - start) / self._next * (len(self._tasks) - self._next)
                if until_worth_workers and rest > _WORTH_WORKERS and self._clock.left > _ENOUGH_TIME:
                    return

    def _run_on_workers(self, count: int) -> None:
        """Run the rest on worker processes."""
        left = range(self._next, len(self._tasks))
        if left and not self._clock.expired:
            tasks = ((*self._tasks[number], self._clock.limit) for number in left)
            with Workers(min(count, len(left)), self._job) as workers:
                for place, outcome in workers.run(self._function, tasks, lambda: self._clock.left):
                    with self._naming(left[place]):
                        self._keep(left[place], outcome.result())

    def _run_on(self, executor: Executor) -> None:
        """Run all on an executor of the caller, which remains open."""
        futures: list[Future[Outcome]] = []
        try:
            limit = self._clock.limit
            futures += (executor.submit(self._function, self._job, *task, limit) for task in self._tasks)
            self._collect(futures)
        finally:
            for future in futures:
                future.cancel()

    def _collect(self, futures: list[Future[Outcome]]) -> None:
        """Keep the outcomes as they come, until all are done or time is up."""
        from concurrent.futures import FIRST_COMPLETED, wait

        number = {future: place for place, future in enumerate(futures)}
        pending = set(futures)
        while pending and not self._clock.expired:
            left = self._clock.left
            finished, pending = wait(pending, None if left == np.inf else left, return_when=FIRST_COMPLETED)
            # Of several failures, that of the first run is reported.
            for future in sorted(finished, key=number.__getitem__):
                with self._naming(number[future]):
                    self._keep(number[future], future.result())

    def _keep(self, number: int, outcome: Outcome) -> None:
        if self._keeps(outcome):
            self.done[number] = outcome
        if self._listener is not None:
            self._listener(Progress(self._doing, len(self.done), len(self._tasks)))

    def _naming(self, number: int) -> _Naming:
        return _Naming(f"{self._name} {number + 1:,} of {len(self._tasks):,}")


class _Naming:
    """Says in which run an error occurred."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: object) -> None:
        # Of other types there are those about arguments, which are the same in all runs.
        if error is not None and type(error) in (InvalidData, DagscapeError):
            raise type(error)(f"{self._name}: {error}") from error
        if isinstance(error, Exception) and not isinstance(error, DagscapeError):
            error.add_note(f"in {self._name}")
