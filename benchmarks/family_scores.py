"""Local scores on demand: all pairs, all additions to a family, and single families compared with pgmpy and pyAgrum.

python -m benchmarks.family_scores [--write]      (peers are the extra `bench`; those not installed are left out)
"""

from __future__ import annotations

import random
import statistics
import warnings

import dagscape as ds
from benchmarks.inputs import independent_columns
from benchmarks.local_scores import PAGE, PEERS
from benchmarks.pages import show
from benchmarks.timing import is_installed, timed


def all_pairs() -> None:
    n, m = 1000, 5000
    rows = []
    for arity in (2, 3, 5):
        data = independent_columns(n, m, arity)
        seconds = []
        for threads in (1, 2):
            scores = ds.family_scores(data, threads=threads)
            times, _ = timed(lambda scores=scores: [scores.additions_exact(child) for child in range(n)])
            seconds.append(times.wall)
        rows.append([arity, *seconds, scores.nbytes / 2**20])
    PAGE.table(
        "pairs",
        f"Scores on demand, all pairs of {n} variables ({n * (n - 1):,} families), {m} rows.",
        ["levels", "one thread, s", "two threads, s", "MiB"],
        rows,
    )


def additions() -> None:
    n, m = 300, 5000
    rows = []
    for arity in (2, 3, 5, 10):
        for common in (0.0, 0.9):
            scores = ds.family_scores(independent_columns(n, m, arity, common), threads=1)
            runs = [timed(lambda scores=scores, c=c: scores.additions_exact(c, [0, 1, 2]))[0] for c in range(3, 24)]
            first, *others = (times.cpu / (n - 4) * 1e6 for times in runs)
            shares = f"{common + (1 - common) / arity:.2f}"
            rows.append([arity, shares, first, statistics.median(others), min(others)])
    PAGE.table(
        "additions",
        f"All additions of one variable to 3 parents, {n} variables, {m} rows, one thread: microseconds of processor "
        "time for each. The first call makes tables of terms.",
        ["levels", "share of the first level", "first call", "median of the others", "least"],
        rows,
    )


def peers() -> None:
    n, m = 50, 5000
    data = independent_columns(n, m, 2)
    frame = data.to_frame().astype(str)
    drawn = random.Random(0)
    asked = [(child, tuple(drawn.sample([v for v in range(n) if v != child], 3))) for child in range(n)]
    scores = ds.family_scores(data, threads=1)
    times, ours = timed(lambda: [scores.family(child, parents) for child, parents in asked])
    rows: list[list[object]] = [["dagscape", times.wall / len(asked) * 1e6, None]]
    for peer, measure in PEERS.items():
        if is_installed(peer):
            taken, found = measure(frame, asked)
            difference = max(abs(a - b) for a, b in zip(found, ours, strict=True))
            rows.append([peer, taken / len(asked) * 1e6, difference])
    show(
        f"Single families of 3 parents, nothing cached: n = {n}, m = {m}, binary.",
        ["program", "microseconds for each", "largest difference"],
        rows,
    )


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    all_pairs()
    additions()
    peers()
