"""Runs a target on many inputs: in a process of its own, with limits of time and memory.

A case is determined by the name of the target, the seed and the number of the case. It passes if the input is used, or
refused by a :class:`~dagscape.core.errors.DagscapeError`. Any other exception or warning, a crash, more than
``SECONDS`` of processor time and more memory than the target allows are findings.
"""

from __future__ import annotations

import faulthandler
import json
import mmap
import os
import resource
import signal
import struct
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from dagscape.core.errors import DagscapeError, DagscapeWarning

SECONDS = 5

# A process that does not react to the signal sent after SECONDS of processor time is ended after this wall time.
_PATIENCE = 60

_BATCH = 2_000


@dataclass(frozen=True)
class Target:
    """Something that reads input from outside.

    Attributes
    ----------
    name : str
        The name of the target.
    make : callable
        Makes the content of a file from a random generator.
    use : callable
        Reads the file at a path and uses what was read, as a user would.
    ending : str
        The ending of the file's name.
    most_memory : int
        How many bytes one case may add to the process.
    quick_cases : int
        The number of cases in the test suite.
    """

    name: str
    make: Callable[[Random], bytes]
    use: Callable[[Path], object]
    ending: str
    most_memory: int = 256 << 20
    quick_cases: int = 80


@dataclass(frozen=True)
class Finding:
    """A case that was neither used nor refused."""

    number: int
    problem: str

    def __str__(self) -> str:
        return f"case {self.number}: {self.problem}"


@dataclass
class Outcome:
    """What happened in a run of a target."""

    target: str
    used: int = 0
    refused: int = 0
    findings: list[Finding] = field(default_factory=list)
    slowest: float = 0.0
    most_memory: int = 0

    @property
    def cases(self) -> int:
        """The number of cases that were run."""
        return self.used + self.refused + len(self.findings)

    def add(self, other: Outcome) -> None:
        """Add the outcome of other cases of the same target."""
        self.used += other.used
        self.refused += other.refused
        self.findings += other.findings
        self.slowest = max(self.slowest, other.slowest)
        self.most_memory = max(self.most_memory, other.most_memory)


def content_of(target: Target, seed: int, number: int) -> bytes:
    """Return the input of a case."""
    return target.make(Random(f"{target.name}:{seed}:{number}"))


def run(target: Target, cases: int, seed: int = 0, first: int = 0) -> Outcome:
    """Run a number of cases, starting with case ``first``."""
    outcome = Outcome(target.name)
    number = first
    while number < first + cases:
        batch = range(number, min(number + _BATCH, first + cases))
        done = _run_batch(target, seed, batch)
        outcome.add(done)
        number += done.cases
    return outcome


def _run_batch(target: Target, seed: int, numbers: range) -> Outcome:
    """Run cases in a new process, until it ends or a case ends it."""
    # Shared with the process: the number of the case that runs, counts, the slowest case and the most memory.
    with mmap.mmap(-1, mmap.PAGESIZE) as board, tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        _State(numbers.start).post(board)
        findings = Path(folder, "findings")
        findings.touch()
        child = os.fork()
        if child == 0:
            try:
                _work(target, seed, numbers, board, Path(folder))
            except BaseException:
                traceback.print_exc()
                os._exit(1)
            # No code of the parent may run here: it would remove the folder.
            os._exit(0)
        status = _wait(child, board)
        state = _State.read(board)
        lines = findings.read_text(encoding="utf-8").splitlines()
        found = [Finding(*json.loads(line)) for line in lines]
        outcome = Outcome(target.name, state.used, state.refused, found, state.slowest, state.most_memory)
        if status != 0:
            outcome.findings.append(Finding(state.number, _ending(status)))
        return outcome


@dataclass
class _State:
    """What the process tells about its work; it outlives a crash."""

    number: int
    used: int = 0
    refused: int = 0
    most_memory: int = 0
    slowest: float = 0.0

    _FORMAT = "qqqqd"

    def post(self, board: mmap.mmap) -> None:
        struct.pack_into(self._FORMAT, board, 0, self.number, self.used, self.refused, self.most_memory, self.slowest)

    @classmethod
    def read(cls, board: mmap.mmap) -> _State:
        return cls(*struct.unpack_from(cls._FORMAT, board))


class _OutOfTimeError(BaseException):
    """A case took too long. No code that reads files catches it."""


def _out_of_time(number: int, frame: object) -> None:
    raise _OutOfTimeError


def _work(target: Target, seed: int, numbers: range, board: mmap.mmap, folder: Path) -> None:
    """Run cases."""
    faulthandler.disable()
    signal.signal(signal.SIGPROF, _out_of_time)
    warnings.simplefilter("error")
    warnings.simplefilter("ignore", DagscapeWarning)
    path = folder / f"input{target.ending}"
    state = _State(numbers.start)
    with open(folder / "findings", "w", encoding="utf-8") as findings:
        for number in numbers:
            state.number = number
            state.post(board)
            path.write_bytes(content_of(target, seed, number))
            memory, started = _peak_memory(), time.process_time()
            outcome = _outcome_of(target, path)
            state.slowest = max(state.slowest, time.process_time() - started)
            added = _peak_memory() - memory
            state.most_memory = max(state.most_memory, added)
            if isinstance(outcome, bool) and added > target.most_memory:
                outcome = f"took {added >> 20} MiB; the limit is {target.most_memory >> 20} MiB"
            if isinstance(outcome, str):
                print(json.dumps([number, outcome]), file=findings, flush=True)
            else:
                state.used += outcome
                state.refused += not outcome
            state.post(board)


def _outcome_of(target: Target, path: Path) -> bool | str:
    """Run one case; return whether the input was used or refused, or what is wrong."""
    try:
        return _is_used(target, path)
    except _OutOfTimeError:
        return f"took more than {SECONDS} s"
    except BaseException:
        return traceback.format_exc(limit=-6)


def _is_used(target: Target, path: Path) -> bool:
    """Use the input within the time limit; return False if it is refused."""
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        target.use(path)
    except DagscapeError:
        return False
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return True


def _peak_memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _wait(child: int, board: mmap.mmap) -> int:
    """Wait for the process, and end it if one case takes too long; return its status."""
    last, since = _State.read(board).number, time.monotonic()
    pause = 0.001
    while True:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return status
        if (number := _State.read(board).number) != last:
            last, since = number, time.monotonic()
        elif time.monotonic() - since > _PATIENCE:
            os.kill(child, signal.SIGKILL)
        time.sleep(pause)
        pause = min(2 * pause, 0.1)


def _ending(status: int) -> str:
    if os.WIFSIGNALED(status):
        ended = signal.Signals(os.WTERMSIG(status)).name
        return f"took more than {_PATIENCE} s" if ended == "SIGKILL" else f"ended the process by {ended}"
    return f"ended the process with exit code {os.waitstatus_to_exitcode(status)}"
