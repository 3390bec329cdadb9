"""Sums over orders on several ranks of this machine: seconds, memory and messages.

python -m benchmarks.mpi_sums [times] [memory] [--write]      (default: both; starts mpiexec itself)

Start-up and scoring are excluded: all ranks meet, and rank 0 measures. Each rank has one thread. Runs that have
finished are kept in build/mpi_sums.jsonl. `dagscape reproduce chen2016-table-4.2` has a model for more ranks.
"""

from __future__ import annotations

import json
import statistics
from pathlib import Path
from typing import Any

from benchmarks.pages import Page, show, words
from benchmarks.timing import machine
from dagscape.posterior.mpi import order_sum
from dagscape.posterior.mpi.memory import rank_memory
from dagscape.studies.papers.chen2016.chapter_4.ranks import told_by_ranks

RUNS = Path("build/mpi_sums.jsonl")
PAGE = Page("ranks")
RANKS = (1, 2, 4, 8)
MAX_PARENTS = 4
CORES = 2
ROUNDS, REPEATS = 7, 6


def measured(n: int, ranks: int, repeats: int) -> list[dict[str, Any]]:
    """What the ranks told in a sum, measured now."""
    told = told_by_ranks(n, MAX_PARENTS, ranks, repeats)
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


def busiest(n: int, ranks: int) -> float:
    """The processor's time of the slowest rank, in the run where it is shortest."""
    return min(max(rank["busy"] for rank in told) for told in kept_runs(n, ranks))


def main() -> None:
    parts = {"times": times, "memory": memory}
    for name in words() or list(parts):
        parts[name]()


if __name__ == "__main__":
    main()
