"""What ranks do in tests: python mpi_program.py TASK."""

from __future__ import annotations

import hashlib
import json
import os
import resource
import signal
import sys
import time
import warnings
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from mpi4py import MPI

import dagscape as ds
from dagscape.cli.program import startup
from dagscape.posterior.backends import BACKENDS
from dagscape.posterior.contract import Job
from dagscape.posterior.mpi import memory, order_sum
from dagscape.posterior.mpi.team import team
from posterior.test_contract import random_data, random_scores

RANK = MPI.COMM_WORLD.rank

# Warnings would only repeat themselves on standard error.
warnings.simplefilter("ignore", ds.DagscapeWarning)

PROBLEMS = {
    "real data": lambda: ds.local_scores(ds.load_dataset("tic-tac-toe")),
    "one variable": lambda: ds.FamilyTable({"a": {(): -1.5}}, complete=True),
    "as few variables as possible": lambda: ds.local_scores(random_data(13, 100, 3), max_parents=3),
    "no parents": lambda: ds.local_scores(random_data(14, 50, 4), max_parents=0),
    "wide range": lambda: ds.local_scores(random_data(14, 50_000, 5), max_parents=2),
    "too wide for tiles": lambda: random_scores(13, 2e6, 8),
    "constraints": lambda: ds.local_scores(
        random_data(15, 500, 6), max_parents=3, required=[("v0", "v3"), ("v13", "v14")], forbidden=[("v1", "v2")]
    ),
    "impossible families": lambda: random_scores(14, 300.0, 9, impossible=0.5),
    "many blocks": lambda: ds.local_scores(random_data(17, 40, 10, 2), max_parents=2),
}  # fmt: skip


def bits(result):
    return hashlib.sha256(result.edges.tobytes() + np.float64(result.log_total).tobytes()).hexdigest()


def on_rank_0(value):
    """What only rank 0 knows."""
    return value() if RANK == 0 else None


def sums():
    """The names of problems for which some rank has not the bits of the CPU, and the answers to bad calls."""
    # Several blocks even for few variables.
    order_sum._BLOCK_BITS = range(10, 12)
    wrong = [name for name, problem in PROBLEMS.items() if not _same_bits(on_rank_0(problem))]
    return {"wrong": wrong, **features(), **mistakes(), "traffic": traffic(), "resumed": resumed()}


def _same_bits(scores):
    found = ds.posterior(scores, "orders", backend="mpi")
    expected = on_rank_0(lambda: bits(ds.posterior(scores, "orders", backend="cpu")))
    return set(MPI.COMM_WORLD.allgather(bits(found))) == {MPI.COMM_WORLD.bcast(expected)}


def features():
    scores = on_rank_0(lambda: ds.local_scores(random_data(14, 60, 13), max_parents=3))
    feature = {"required": [("v0", "v1")], "forbidden": [("v2", "v3")], "parents": {"v4": []}, "over": "orders"}
    last = {}
    listening = {"progress": lambda report: last.update({report.task: report})}
    found = ds.feature_probability(scores, **feature | listening if RANK == 0 else {}, backend="mpi")
    expected = on_rank_0(lambda: ds.feature_probability(scores, **feature, backend="cpu"))
    same = MPI.COMM_WORLD.allgather((float(found), found.error))
    complete = len(last) == 2 and all(report.done == report.total for report in last.values())
    return {"features": len(set(same)) == 1 and (RANK > 0 or (complete and same[0] == (expected, expected.error)))}


def mistakes():
    """What each rank raises if rank 0 makes a mistake, before and in a sum; each must be usable afterwards."""
    scores = on_rank_0(lambda: ds.local_scores(random_data(16, 50, 14, 2), max_parents=2))
    seen = []

    def stop(report):
        seen.append(report.done / report.total)
        if seen[-1] > 0.4:
            raise KeyError("stop")

    def interrupt(report):
        raise KeyboardInterrupt

    raised = {}
    for name, over, options in (
        ("threads", "orders", {"threads": 0}),
        ("over", "dags", {}),
        ("memory", "orders", {"max_memory": "300k"}),
        ("listener", "orders", {"progress": stop}),
        ("interrupt", "orders", {"progress": interrupt}),
    ):
        try:
            ds.posterior(scores, over, backend="mpi", **options if RANK == 0 else {})
        except BaseException as error:
            raised[name] = f"{type(error).__name__}: {error}"
    nothing = {f"v{i}": {(f"v{(i + 1) % 14}",): -1.0} for i in range(14)}
    try:
        ds.posterior(on_rank_0(lambda: ds.FamilyTable(nothing, complete=True)), "orders", backend="mpi")
    except ds.InvalidData as error:
        raised["nothing"] = f"{type(error).__name__}: {error}"
    try:
        with without_memory():
            ds.posterior(scores, "orders", backend="mpi")
    except MemoryError as error:
        raised["allocation"] = f"{type(error).__name__}: {error}"
    try:
        with another_machine(limit=1000):
            ds.posterior(scores, "orders", backend="mpi")
    except ds.TooLarge as error:
        raised["elsewhere"] = f"{type(error).__name__}: {error}"
    everywhere = MPI.COMM_WORLD.allgather(raised)
    usable = ds.posterior(scores, "orders", backend="mpi").log_total < 0
    return {"raised": everywhere[0], "everywhere": everywhere.count(raised) == len(everywhere), "usable": usable}


@contextmanager
def without_memory():
    """Let rank 0 have no memory for its part of a sum."""
    before = order_sum.kernels.TiledOrderSum

    def fail(*arguments):
        raise MemoryError("nothing is left")

    if RANK == 0:
        order_sum.kernels.TiledOrderSum = fail
    try:
        yield
    finally:
        order_sum.kernels.TiledOrderSum = before


@contextmanager
def another_machine(limit):
    """Let the last rank believe that it is on another machine, which has a limit on memory."""
    here, last = team(), MPI.COMM_WORLD.size - 1
    before = here.first_of_node, here.node_ranks, memory.memory_limit
    if last == RANK:
        here.first_of_node, here.node_ranks, memory.memory_limit = True, 1, lambda max_memory: limit
    try:
        yield
    finally:
        here.first_of_node, here.node_ranks, memory.memory_limit = before


@dataclass
class Traffic:
    """A sum that tells how many bytes each rank has sent."""

    job: order_sum.OrderSumJob

    def follow(self, team, values=None):
        if values is None:
            values = np.empty((self.job.n, self.job.families), dtype=np.int64)
        team.data.Bcast(values, root=0)
        part = order_sum.RankSum(team, self.job, values)
        part.run(None)
        return team.data.gather((part.sent_forwards, part.sent_backwards, part.sent_shares))


def traffic():
    """The bytes that each rank has sent in a sum of 15 variables: words of F, words of R, and Γ."""

    def count():
        scores = ds.local_scores(random_data(15, 50, 1, 2), max_parents=2)
        weights = BACKENDS["orders", "cpu"].weights(scores, 1, 2**30)
        task = Traffic(order_sum.OrderSumJob(*weights.values.shape, 2, Job(scores.unit.bits, 1)))
        return team().sum_together(task, lambda: task.follow(team(), weights.values))

    return team().work(count)


def resumed():
    """Whether a sum that rank 0 stops again and again has the right bits, and how often it was stopped."""
    scores = on_rank_0(lambda: ds.local_scores(random_data(15, 50, 1, 2), max_parents=2))
    folder = MPI.COMM_WORLD.bcast(on_rank_0(mkdtemp))
    left = 0

    def stop(report):
        nonlocal left
        left -= 1
        if left == 0:
            raise KeyError("stop")

    for stops in range(100):
        left = 2 + stops % 5
        try:
            found = ds.posterior(
                scores, "orders", backend="mpi", threads=1, progress=stop, checkpoint=folder, checkpoint_seconds=0
            )
            break
        except KeyError:
            pass
    lost = _without_the_files_of_a_rank(scores, folder)
    expected = on_rank_0(lambda: bits(ds.posterior(scores, "orders", backend="cpu")))
    same = set(MPI.COMM_WORLD.allgather((bits(found), bits(lost)))) == {2 * (MPI.COMM_WORLD.bcast(expected),)}
    return {"same": same, "stops": stops, "left": on_rank_0(lambda: os.listdir(folder))}


def _without_the_files_of_a_rank(scores, folder):
    """The sum after it was stopped in the backward pass, and one rank has lost its files."""

    def stop_late(report):
        if report.done > 0.8 * report.total:
            raise KeyError("stop")

    options = {"over": "orders", "backend": "mpi", "threads": 1, "checkpoint": folder, "checkpoint_seconds": 0}
    with suppress(KeyError):
        ds.posterior(scores, **options, progress=stop_late)
    MPI.COMM_WORLD.Barrier()
    if RANK == 0:
        lost = sorted(Path(folder).glob("*.state.npz"))[-1]
        lost.unlink()
    MPI.COMM_WORLD.Barrier()
    return ds.posterior(scores, **options)


def waits():
    """Sums without end, of which the first takes a second or more; rank 0 says the processes when it is under way.

    A rank that gets SIGUSR1 leaves without a word, as some libraries do.
    """
    signal.signal(signal.SIGUSR1, lambda *_: os._exit(3))
    scores = on_rank_0(lambda: ds.local_scores(random_data(23, 50, 1, 2), max_parents=3))
    processes = MPI.COMM_WORLD.gather(os.getpid())
    said = []

    def say(report):
        if not said and report.done > 0:
            said.append(report)
            print(json.dumps(processes), flush=True)

    while True:
        ds.posterior(scores, "orders", backend="mpi", threads=1, progress=say if RANK == 0 else None)


def fails():
    """A sum in which the last rank has an error."""
    if MPI.COMM_WORLD.size == RANK + 1:
        order_sum.RankSum = lambda *arguments: {}["a defect"]
    waits()


def endless_command():
    """The command line, with a sum that does not end; rank 0 says the processes when all have begun."""

    def run(self, progress):
        processes = MPI.COMM_WORLD.gather(os.getpid())
        if RANK == 0:
            print(json.dumps(processes), flush=True)
        while True:
            self._messages.advance()
            time.sleep(0.01)

    order_sum.RankSum.run = run
    _command(sys.argv[2:])


def short_command():
    """The command line on ranks of which one may use no more than another 100 MiB of memory, or all if it is "all"."""
    which, *arguments = sys.argv[2:]
    # What the command imports would need memory, too, and libraries may crash without it.
    import pandas  # noqa: F401

    import dagscape.cli.commands.posterior  # noqa: F401

    if which in ("all", str(RANK)):
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + 100 * 2**20,) * 2)
    _command(arguments)


def _command(arguments):
    sys.argv[1:] = arguments
    sys.exit(startup.run())


def bootstrap():
    """Whether the workers of mpi4py find the same as this process; run by python -m mpi4py.futures."""
    from mpi4py.futures import MPIPoolExecutor

    data = ds.load_dataset("tic-tac-toe")
    options = {"method": "greedy", "samples": 6, "seed": 1}
    with MPIPoolExecutor() as executor:
        found = ds.bootstrap(data, **options, executor=executor)
    same = np.array_equal(found.edges, ds.bootstrap(data, **options, workers=1).edges)
    return {"bootstrap": bool(same)}


if __name__ == "__main__":
    found = globals()[sys.argv[1]]()
    if RANK == 0:
        print(json.dumps(found))
