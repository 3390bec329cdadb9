"""All ranks of an MPI program as a team: rank 0 leads, and the others follow.

Rank 0 runs the same code as a program without MPI. Where it comes to a sum, it sends a command, and every rank does
its part of the work. At the end it sends the result, or the error, which every rank then returns or raises.

A rank that waits asks for commands all the time, so that rank 0 can stop a sum: when it is interrupted, or when its
caller's progress function raises an error. What goes wrong on another rank ends the job.
"""

from __future__ import annotations

import os
import pickle
import socket
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, NoReturn, Protocol, TypeVar

import numpy as np

from dagscape.core import exit_codes
from dagscape.core.errors import DagscapeError, InvalidOption, argument
from dagscape.core.signals import ending
from dagscape.posterior.mpi import library
from dagscape.posterior.mpi.ending import end_job
from dagscape.posterior.mpi.guarding import Guard, this_process
from dagscape.posterior.mpi.signals import DelayedSignals

if TYPE_CHECKING:
    from mpi4py import MPI

Value = TypeVar("Value")

# A rank that follows leaves signals to rank 0, and ends the job itself if nothing has happened after this time.
_PATIENCE = 3.0

# A rank that waits sleeps between two looks, for longer and longer, because another rank may need its core.
_FIRST_NAP, _LONGEST_NAP = 10e-6, 2e-3
_LONGEST_NAP_WITHOUT_WORK = 10e-3


class Command(Protocol):
    """What rank 0 tells the others to do."""

    def follow(self, team: Team) -> None:
        """Do the part of a rank other than 0."""


@dataclass(frozen=True, slots=True)
class Stop:
    """The sum that was running has failed on rank 0."""

    def follow(self, team: Team) -> None:
        """Take the messages of the other ranks that are still under way."""
        team.discard_messages()


@dataclass(frozen=True, slots=True)
class _Finished:
    """The work is done: its result, or its error."""

    value: Any = None
    error: BaseException | None = None

    @property
    def interrupted(self) -> bool:
        """Whether a signal has ended the work; a command tells that by its exit code."""
        return isinstance(self.error, KeyboardInterrupt) or (isinstance(self.value, int) and self.value > 128)

    def follow(self, team: Team) -> None:
        """Nothing is left to do."""


class Stopped(Exception):
    """Rank 0 has stopped the sum."""


class Team:
    """All ranks of the program.

    Attributes
    ----------
    rank, size : int
        The number of this rank, and of all ranks.
    node_ranks : int
        How many ranks are on this machine.
    first_of_node : bool
        Whether this is the first of them.
    threads : int
        How many threads each rank of this machine has by default.
    data : MPI.Comm
        For what the commands need.
    """

    def __init__(self) -> None:
        self.mpi = library.load()
        world = self.mpi.COMM_WORLD
        self.rank: int = world.rank
        self.size: int = world.size
        self.data = world.Dup()
        self._control = world.Dup()
        self.host = socket.gethostname()
        self._look_at_node(world)
        self.discard_messages: Callable[[], None] = lambda: None
        self._working = False
        self._signals = DelayedSignals()
        self._arrived: Command | None = None

    def _look_at_node(self, world: MPI.Comm) -> None:
        node = world.Split_type(self.mpi.COMM_TYPE_SHARED)
        self.node_ranks: int = node.size
        self.first_of_node = node.rank == 0
        cores = node.allgather(os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set(range(_cores())))
        # Launchers may give each rank its own cores, or all of them to all.
        self.threads = max(1, len(set().union(*cores)) // node.size)
        processes = node.allgather((self.rank, this_process()))
        self._guard = Guard(self.host, dict(processes)) if self.first_of_node and self.size > 1 else None
        node.Free()

    def work(self, task: Callable[[], Value]) -> Value:
        """Run a task on rank 0, and return its result, or raise its error, on all ranks."""
        if self.size == 1 or self._working:
            return task()
        self._working = True
        if self._guard is not None:
            self._guard.tell(working=True)
        try:
            return self._lead(task) if self.rank == 0 else self._follow()
        finally:
            self._working = False

    def _lead(self, task: Callable[[], Value]) -> Value:
        try:
            value = task()
        except BaseException as error:
            self._finish(_Finished(error=_portable(error)))
            raise
        self._finish(_Finished(value))
        return value

    def _follow(self) -> Any:
        try:
            with DelayedSignals() as self._signals:
                finished = self._take_part()
        except BaseException as error:
            # A signal that has come to this rank alone.
            self._fail(error)
        if finished.error is not None:
            finished.error.add_note("(raised on rank 0)")
            raise finished.error
        return finished.value

    def _take_part(self) -> _Finished:
        """Do the part of a rank other than 0; errors end the job while signals wait, which would hide the reason."""
        try:
            self._expect()
            finished = self._obey()
            self._leave()
        except BaseException as error:
            self._fail(error)
        if finished.interrupted:
            # The signal has come to all ranks, and rank 0 has done what it asks for.
            self._signals.received = None
        return finished

    def _obey(self) -> _Finished:
        while True:
            nap = Nap(_LONGEST_NAP_WITHOUT_WORK)
            while self._arrived is None:
                nap.take()
                self._look_for_commands()
            command, self._arrived = self._arrived, None
            if isinstance(command, _Finished):
                return command
            self._expect()
            try:
                command.follow(self)
            except Stopped:
                continue

    def _finish(self, outcome: _Finished) -> None:
        with DelayedSignals():
            self.send(outcome)
            self._leave()

    def _leave(self) -> None:
        """Leave together: guards must watch all ranks until the last has done its part, and know before one may end."""
        self._control.Barrier()
        if self._guard is not None:
            self._guard.tell(working=False)
        self._control.Barrier()

    def send(self, command: Command) -> None:
        """Send a command from rank 0 to all ranks."""
        content = pickle.dumps(command, protocol=pickle.HIGHEST_PROTOCOL)
        length = np.array([len(content)], dtype=np.int64)
        with DelayedSignals():
            self._wait(self._control.Ibcast(length, root=0))
            self._wait(self._control.Ibcast(bytearray(content), root=0))

    def _wait(self, request: MPI.Request) -> None:
        nap = Nap()
        while not request.Test():
            nap.take()

    def _expect(self) -> None:
        """From now on, take the next command when it comes."""
        self._length = np.zeros(1, dtype=np.int64)
        self._announced = self._control.Ibcast(self._length, root=0)

    def _look_for_commands(self) -> None:
        if self._signals.received is not None and self._signals.waiting_seconds > _PATIENCE:
            number = self._signals.received
            self.abort(ending(number), exit_codes.of_signal(number))
        if self._arrived is None and self._announced.Test():
            content = bytearray(int(self._length[0]))
            self._wait(self._control.Ibcast(content, root=0))
            self._arrived = pickle.loads(content)

    def sum_together(self, command: Command, part: Callable[[], Value]) -> Value:
        """Send a command from rank 0, and do the part of rank 0; if that fails, stop the others."""
        if self.size == 1:
            return part()
        with DelayedSignals() as self._signals:
            self.send(command)
            try:
                return part()
            except self.mpi.Exception as error:
                self._fail(error)
            except BaseException:
                self.send(Stop())
                self.discard_messages()
                raise

    def look_up(self) -> None:
        """Leave a sum that is to be stopped; called often during a sum."""
        if self._guard is not None and self._guard.has_reported:
            end_job(exit_codes.FAILED)
        if self.rank == 0:
            self._signals.deliver()
            return
        self._look_for_commands()
        if isinstance(self._arrived, Stop):
            raise Stopped

    def abort(self, message: str, code: int) -> NoReturn:
        """End all ranks, with a message and an exit code."""
        os.write(2, f"dagscape: rank {self.rank}: {message}\n".encode())
        end_job(code)

    def _fail(self, error: BaseException) -> NoReturn:
        """End all ranks because of an error."""
        if isinstance(error, self.mpi.Exception):
            # The guard or the launcher says more exactly what has happened, and may end this process meanwhile.
            time.sleep(_PATIENCE)
            lost = f"the connection to another rank is lost ({str(error).splitlines()[-1]})"
            self.abort(lost, exit_codes.FAILED)
        self.abort(_told(error), exit_codes.of_error(error))


class Nap:
    """Sleeps between two looks, for longer and longer."""

    def __init__(self, longest: float = _LONGEST_NAP) -> None:
        self._seconds, self._longest = _FIRST_NAP, longest

    def take(self) -> None:
        """Sleep."""
        time.sleep(self._seconds)
        self._seconds = min(1.3 * self._seconds, self._longest)


@cache
def team() -> Team:
    """Return the team; the first call must be made by all ranks."""
    return Team()


def threads_of_rank() -> int:
    """Return the number of threads of each rank: its share of the processors of its machine."""
    return team().threads


def work_together(task: Callable[[], Value]) -> Value:
    """Run a task on rank 0 with the help of all ranks, and return its result, or raise its error, on all of them."""
    check_ranks(library.load().COMM_WORLD.size)
    return team().work(task)


def usable_ranks(ranks: int) -> int:
    """Return how many of some ranks can share a sum: the largest power of two among them.

    >>> usable_ranks(6), usable_ranks(8)
    (4, 8)
    """
    return 1 << (ranks.bit_length() - 1)


def check_ranks(ranks: int) -> None:
    """Raise an error if the number of ranks is not a power of two."""
    if (lower := usable_ranks(ranks)) != ranks:
        raise InvalidOption(
            f"{argument('backend', 'mpi')} needs a power of two as the number of ranks; there are {ranks}: "
            f"start {lower} (mpirun -n {lower})"
        )


def _cores() -> int:
    return os.cpu_count() or 1


def _portable(error: BaseException) -> BaseException:
    """Return an error that can be sent to other ranks."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return DagscapeError(f"{type(error).__name__}: {error}")
    return error


def _told(error: BaseException) -> str:
    """Return what to say about an error that ends the job; defects have a traceback."""
    if isinstance(error, DagscapeError):
        return str(error)
    if isinstance(error, KeyboardInterrupt):
        return "interrupted"
    if isinstance(error, MemoryError):
        return f"out of memory: {error}".rstrip(": ")
    return "".join(traceback.format_exception(error)).rstrip()
