"""Sums over orders on several ranks of this machine: seconds, memory and messages, and a model for more ranks.

python -m benchmarks.mpi_sums [times] [memory] [model] [--write]      (default: all; starts mpiexec itself)
mpiexec -n RANKS python -m benchmarks.mpi_sums rank N MAX_PARENTS REPEATS

Start-up and scoring are excluded: all ranks meet, and rank 0 measures. Each rank has one thread. Runs that have
finished are kept in build/mpi_sums.jsonl, so that a model can be made without running them again. The model also draws
build/figures/mpi_measured.svg and mpi_predicted.svg: speed-up and efficiency, as figures 4.10 and 4.11 of [chen2016].
"""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
import sys
import sysconfig
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.inputs import binary_scores
from benchmarks.pages import FIGURES, Page, show, words
from benchmarks.timing import machine, peak_memory
from dagscape.drawing.curves import draw_curves
from dagscape.posterior.backends import BACKENDS
from dagscape.posterior.contract import Job
from dagscape.posterior.mpi import order_sum
from dagscape.posterior.mpi.memory import rank_memory
from dagscape.posterior.mpi.seconds import NETWORK_RATE, rank_seconds
from dagscape.posterior.mpi.team import Team, team

RUNS = Path("build/mpi_sums.jsonl")
PAGE = Page("ranks")
RANKS = (1, 2, 4, 8)
MAX_PARENTS = 4
CORES = 2
ROUNDS, REPEATS = 7, 6

# Seconds per message between machines: assumed, like the rate, since there is only one machine here.
LATENCY = 20e-6


@dataclass(frozen=True)
class Measured:
    """A sum in which each rank tells its time, its memory and what it has sent."""

    job: order_sum.OrderSumJob

    def follow(self, ranks: Team, values: np.ndarray | None = None) -> Any:
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
        told = {
            "seconds": seconds,
            "busy": busy,
            "peak": peak_memory() - before + values.nbytes,
            "forwards": part.sent_forwards,
            "backwards": part.sent_backwards,
            "shares": part.sent_shares,
        }
        return ranks.data.gather(told)


def run_rank(n: int, max_parents: int, repeats: int) -> None:
    """What each rank does; rank 0 prints one line of JSON."""

    def sums() -> None:
        scores = binary_scores(n, max_parents)
        weights = BACKENDS["orders", "cpu"].weights(scores, 1, 2**40)
        task = Measured(order_sum.OrderSumJob(*weights.values.shape, max_parents, Job(scores.unit.bits, 1)))
        runs = [team().sum_together(task, lambda: task.follow(team(), weights.values)) for _ in range(repeats)]
        best = min(runs, key=lambda told: told[0]["seconds"])
        # The peak of a process never falls: the first run has it.
        for rank, first in zip(best, runs[0], strict=True):
            rank["peak"] = first["peak"]
        # The first run also warms up.
        best[0]["median"] = statistics.median(told[0]["seconds"] for told in runs[1:] or runs)
        print(json.dumps(best))

    team().work(sums)


def measured(n: int, ranks: int, repeats: int) -> list[dict[str, Any]]:
    """What the ranks told in a sum, measured now."""
    launcher = shutil.which("mpiexec", path=sysconfig.get_path("scripts")) or "mpiexec"
    command = [launcher, "-n", str(ranks), sys.executable, "-m", "benchmarks.mpi_sums", "rank"]
    arguments = [str(number) for number in (n, MAX_PARENTS, repeats)]
    done = subprocess.run([*command, *arguments], check=True, capture_output=True, text=True)
    told = json.loads(done.stdout)
    RUNS.parent.mkdir(exist_ok=True)
    with RUNS.open("a") as stream:
        stream.write(json.dumps({"n": n, "ranks": ranks, "told": told, "machine": machine()}) + "\n")
    return told


def kept_runs(n: int, ranks: int) -> list[list[dict[str, Any]]]:
    """What the ranks told in all runs that are kept."""
    runs = [json.loads(line) for line in RUNS.read_text().splitlines()]
    return [run["told"] for run in runs if (run["n"], run["ranks"]) == (n, ranks)]


def times(n: int = 25) -> None:
    """Seconds of rank 0, and of the processor on each rank."""
    # Jobs alternate, because the speed of a shared machine changes from minute to minute.
    rounds = [{ranks: measured(n, ranks, REPEATS) for ranks in RANKS} for _ in range(ROUNDS)]
    rows = []
    for ranks in RANKS:
        medians = [told[ranks][0]["median"] for told in rounds]
        ratios = [told[ranks][0]["median"] / told[1][0]["median"] for told in rounds]
        shortest = min(told[ranks][0]["seconds"] for told in rounds)
        busy = busiest(n, ranks)
        typical = statistics.median(medians), statistics.median(ratios)
        rows.append([ranks, shortest, *typical, busy, busiest(n, 1) / busy])
    PAGE.table(
        "times",
        f"Sums over orders, n = {n}, up to {MAX_PARENTS} parents, 500 rows, one thread per rank, {CORES} cores: "
        f"seconds of {ROUNDS} jobs with {REPEATS} sums each, in turn; and of the processor, because more ranks than "
        "cores cannot be faster.",
        ["ranks", "shortest", "median of the jobs", "of one rank's, by job", "processor, slowest rank", "its speed-up"],
        rows,
    )


def memory(n: int = 28) -> None:
    """The words of each rank, what it needs besides, and what it sends."""
    rows, traffic = [], []
    mebi, bits = 2**20, {ranks: ranks.bit_length() - 1 for ranks in RANKS}
    for ranks in RANKS:
        told, words = measured(n, ranks, 1), (8 << n) // ranks
        planned = rank_memory(n, MAX_PARENTS, 1, ranks) - words
        rest = max(rank["peak"] for rank in told) - words
        buffers = order_sum.buffer_bytes(n, ranks)
        rows.append([ranks, *(f"{part / mebi:.0f}" for part in (words, rest, planned, buffers))])
        for rank, sent in enumerate(told):
            members = rank.bit_count()
            expected = [(bits[ranks] - members) * words, members * words]
            agree = [sent["forwards"], sent["backwards"]] == expected
            traffic.append([ranks, rank, *expected, sent["forwards"], sent["backwards"], sent["shares"], agree])
    PAGE.table(
        "memory",
        f"Memory for n = {n}, up to {MAX_PARENTS} parents, in MiB for each rank: its part of the table, and the peak "
        "besides.",
        ["ranks", "table", "besides, measured", "besides, planned", "of these, blocks that come in"],
        rows,
    )
    sent = ["forwards, formula", "backwards, formula", "forwards", "backwards", "Γ", "equal"]
    show(f"n = {n}: bytes sent", ["ranks", "rank", *sent], traffic)


@dataclass(frozen=True)
class Model:
    """The time of a sum on ranks with a core each, like that of section 4.4 of the dissertation.

    Each pass has as many steps as there are blocks and, to fill the pipeline, as there are bits in a rank. A step takes
    the time of its block, or of its messages if that is longer, because they travel at the same time
    (:func:`dagscape.posterior.mpi.seconds.rank_seconds`).

    Attributes
    ----------
    per_set : float
        Seconds for each set and variable, in both passes.
    per_family : float
        Seconds for each family of all variables, which every rank spends whatever the number of ranks.
    """

    per_set: float
    per_family: float

    def seconds(self, n: int, ranks: int) -> float:
        """The predicted seconds."""
        bits, families = ranks.bit_length() - 1, families_of(n)
        alone = self.per_set * n * 2**n
        shares = bits * (LATENCY + 8 * families / NETWORK_RATE)
        return (rank_seconds(alone, n, ranks) if bits else alone) + self.per_family * families + shares


def families_of(n: int) -> int:
    """The number of families, as the kernel lists them: all sets of parents, for each variable."""
    return BACKENDS["orders", "cpu"].table(n, MAX_PARENTS)


def model(n: int = 25) -> None:
    """Calibrate the model by the processor's time of each rank, print its predictions, and draw the figures."""
    sets = np.array([n * 2**n / ranks for ranks in RANKS])
    per_set, constant = np.polyfit(sets, [busiest(n, ranks) for ranks in RANKS], 1)
    fitted = Model(float(per_set), max(float(constant), 0.0) / families_of(n))
    many = [1 << bits for bits in range(0, 13, 2)]
    sizes = (25, 28, 31, 33)
    rows = []
    for ranks in many:
        fits = [ranks <= 1 << (size - 10) for size in sizes]
        seconds = [fitted.seconds(size, ranks) for size in sizes]
        rows.append([ranks, *(f"{s:.3g}" if fit else None for s, fit in zip(seconds, fits, strict=True))])
    PAGE.table(
        "model",
        "Predicted seconds, up to 4 parents, one core for each rank, 10 Gbit/s and 20 µs for each message. Calibrated "
        f"by the processor's times: {per_set * 1e9:.2f} ns for each set and variable, in both passes, and "
        f"{fitted.per_family * 1e9:.0f} ns for each family, which every rank spends.",
        ["ranks", *(f"n = {size}" for size in sizes)],
        rows,
    )
    FIGURES.mkdir(parents=True, exist_ok=True)
    _draw_measured(n)
    _draw_predicted(fitted, sizes, many)


def busiest(n: int, ranks: int) -> float:
    """The processor's time of the slowest rank, in the run where it is shortest."""
    return min(max(rank["busy"] for rank in told) for told in kept_runs(n, ranks))


def _draw_measured(n: int) -> None:
    """Speed-up and efficiency as in figures 4.10 and 4.11, by the processor's time (there are few cores)."""
    speedup = np.array([busiest(n, 1) / busiest(n, ranks) for ranks in RANKS])
    panels = {
        f"Speed-up by processor time, n = {n}": {"slowest rank": speedup, "ideal": RANKS},
        "Efficiency": {"slowest rank": speedup / RANKS, "ideal": [1.0] * len(RANKS)},
    }
    draw_curves(FIGURES / "mpi_measured.svg", RANKS, panels, "ranks, one thread each")


def _draw_predicted(fitted: Model, sizes: tuple[int, ...], many: list[int]) -> None:
    """Speed-up and efficiency for more ranks than there are cores here, by the model."""
    logs = np.log2(many)
    speedups = {}
    for n in sizes:
        times = [fitted.seconds(n, ranks) for ranks in many]
        speedups[f"n = {n}"] = np.array([times[0] / seconds for seconds in times])
    panels = {
        "log2 of the speed-up (predicted)": {
            **{name: np.log2(np.maximum(values, 1)) for name, values in speedups.items()},
            "ideal": logs,
        },
        "Efficiency (predicted)": {name: values / many for name, values in speedups.items()},
    }
    draw_curves(FIGURES / "mpi_predicted.svg", logs, panels, "log2 of the number of ranks")


def main() -> None:
    if sys.argv[1:2] == ["rank"]:
        run_rank(*map(int, sys.argv[2:]))
        return
    parts = {"times": times, "memory": memory, "model": model}
    for name in words() or list(parts):
        parts[name]()


if __name__ == "__main__":
    main()
