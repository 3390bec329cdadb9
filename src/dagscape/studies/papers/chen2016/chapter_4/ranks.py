"""Sums over orders on several ranks of this machine: what each rank tells of its time, memory and messages.

``mpiexec -n RANKS python -m dagscape.studies.papers.chen2016.chapter_4.ranks N MAX_PARENTS REPEATS`` prints one line
of JSON: a list with what each rank tells. Start-up and scoring are excluded: all ranks meet before they measure. Each
rank has one thread.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import sysconfig
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagscape.posterior.backends import BACKENDS
from dagscape.posterior.contract import Job
from dagscape.posterior.mpi import order_sum
from dagscape.posterior.mpi.team import Team, team
from dagscape.sampling.exact_posterior import exact_posterior
from dagscape.scores.scoring import local_scores
from dagscape.studies.papers.measuring import best_of, peak_memory
from dagscape.studies.papers.synthetic import binary_rows

# What a rank tells: "seconds", "busy" (of the processor), "peak" (bytes), and the bytes that it sent; rank 0 also tells
# the "median" of the seconds.
Told = dict[str, Any]


@dataclass(frozen=True, slots=True)
class MeasuredSum:
    """A sum in which each rank tells its time, its memory and what it has sent."""

    job: order_sum.OrderSumJob

    def follow(self, ranks: Team, values: NDArray[np.int64] | None = None) -> Any:
        """Take part; return what the ranks tell on rank 0."""
        if values is None:
            values = np.empty((self.job.n, self.job.families), dtype=np.int64)
        ranks.data.Bcast(values, root=0)
        before = peak_memory()
        ranks.data.Barrier()
        start, processor = time.perf_counter(), time.process_time()
        part = order_sum.RankSum(ranks, self.job, values)
        part.run(None)
        seconds, busy = time.perf_counter() - start, time.process_time() - processor
        told: Told = {
            "seconds": seconds,
            "busy": busy,
            "peak": peak_memory() - before + values.nbytes,
            "forwards": part.sent_forwards,
            "backwards": part.sent_backwards,
            "shares": part.sent_shares,
        }
        return ranks.data.gather(told)


def tell(n: int, max_parents: int, repeats: int) -> None:
    """Do what each rank does; rank 0 prints one line of JSON."""

    def sums() -> None:
        scores = local_scores(binary_rows(n), max_parents=max_parents)
        weights = BACKENDS["orders", "cpu"].weights(scores, 1, 2**40)
        variables, families = weights.values.shape
        task = MeasuredSum(order_sum.OrderSumJob(variables, families, max_parents, Job(scores.unit.bits, 1)))
        runs = [team().sum_together(task, lambda: task.follow(team(), weights.values)) for _ in range(repeats)]
        best = min(runs, key=lambda told: told[0]["seconds"])
        # The peak of a process never falls: the first run has it.
        for rank, first in zip(best, runs[0], strict=True):
            rank["peak"] = first["peak"]
        # The first run also warms up.
        best[0]["median"] = statistics.median(told[0]["seconds"] for told in runs[1:] or runs)
        print(json.dumps(best))

    team().work(sums)


def launcher() -> str | None:
    """Return the program that starts ranks; None if there is none, or no MPI."""
    if BACKENDS["orders", "mpi"].missing():
        return None
    places = os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", os.defpath)])
    return shutil.which("mpiexec", path=places)


def told_by_ranks(n: int, max_parents: int, ranks: int, repeats: int) -> list[Told]:
    """Start ranks, and return what they tell of a sum; without MPI, a single one is this process."""
    program = launcher()
    if program is None:
        return [_alone(n, max_parents, repeats)]
    start = [program, "-n", str(ranks)]
    numbers = [str(number) for number in (n, max_parents, repeats)]
    command = [*start, sys.executable, "-W", "ignore", "-m", __name__, *numbers]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    told: list[Told] = json.loads(done.stdout)
    return told


def _alone(n: int, max_parents: int, repeats: int) -> Told:
    """Return the processor's time of a sum in this process; its memory is not known."""
    scores = local_scores(binary_rows(n), max_parents=max_parents, threads=1)
    busy, _ = best_of(repeats, lambda: exact_posterior(scores, "orders", backend="cpu", threads=1))
    return {"busy": busy, "peak": None}


if __name__ == "__main__":
    tell(*map(int, sys.argv[1:]))
