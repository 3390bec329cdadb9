"""Local scores on demand: all pairs, all additions to a family, and single families compared with pgmpy and pyAgrum.

python -m benchmarks.family_scores           (the extra `bench` installs the peers; without them only dagscape runs)
"""

from __future__ import annotations

import importlib.util
import random
import statistics
import time
import warnings

import numpy as np

import dagscape as ds
from benchmarks.local_scores import time_pgmpy, time_pyagrum
from benchmarks.timing import machine

PAIRS_GOAL = 10.0
ADDITION_GOAL = 10.0


def random_data(n: int, m: int, arity: int, common: float = 0.0) -> ds.Dataset:
    """Independent columns, in which the first level has a share of at least ``common``."""
    rng = np.random.default_rng(1)
    codes = rng.integers(0, arity, (m, n))
    codes[rng.random((m, n)) < common] = 0
    return ds.Dataset.from_codes(codes, {f"v{i}": [str(k) for k in range(arity)] for i in range(n)})


def all_pairs() -> None:
    n, m = 1000, 5000
    print(f"Every child with every single parent, {n} variables x {m} rows, {n * (n - 1):,} families")
    print(f"{'levels':>8} {'threads':>8} {'seconds':>8} {'of CPU':>8} {'goal':>6} {'unit':>7} {'memory, MiB':>12}")
    for arity in (2, 3, 5):
        data = random_data(n, m, arity)
        for threads in (1, 2):
            scores = ds.family_scores(data, threads=threads)
            start, cpu_start = time.perf_counter(), time.process_time()
            for child in range(n):
                scores.additions_exact(child)
            seconds, cpu = time.perf_counter() - start, time.process_time() - cpu_start
            unit, memory = f"2^-{scores.unit.bits}", scores.nbytes / 2**20
            print(f"{arity:>8} {threads:>8} {seconds:>8.2f} {cpu:>8.2f} {PAIRS_GOAL:>6} {unit:>7} {memory:>12.1f}")


def additions() -> None:
    n, m = 300, 5000
    print(f"\nAll one-variable additions to 3 parents, {n} variables x {m} rows, one thread, microseconds of CPU each")
    print("(the first call makes the tables of terms; the others are of other children)")
    print(f"{'levels':>8} {'first level':>12} {'first call':>11} {'median':>8} {'least':>8} {'goal':>6}")
    for arity in (2, 3, 4, 5, 10):
        for common in (0.0, 0.9):
            scores = ds.family_scores(random_data(n, m, arity, common), threads=1)
            times = []
            for child in range(3, 24):
                start = time.process_time()
                scores.additions_exact(child, [0, 1, 2])
                times.append((time.process_time() - start) / (n - 4) * 1e6)
            share = common + (1 - common) / arity
            print(
                f"{arity:>8} {share:>12.2f} {times[0]:>11.1f} {statistics.median(times[1:]):>8.1f} {min(times):>8.1f} "
                f"{ADDITION_GOAL:>6}"
            )


def peers() -> None:
    n, m = 50, 5000
    data = random_data(n, m, 2)
    frame = data.to_frame().astype(str)
    drawn = random.Random(0)
    asked = [(child, tuple(drawn.sample([v for v in range(n) if v != child], 3))) for child in range(n)]
    print(f"\nBDeu (ess 1) of {len(asked)} families of 3 parents one by one, n={n}, m={m} binary, nothing cached")
    scores = ds.family_scores(data, threads=1)
    start = time.perf_counter()
    ours = [scores.family(child, parents) for child, parents in asked]
    seconds = time.perf_counter() - start
    print(f"{'dagscape':>10} {seconds / len(asked) * 1e6:>10,.0f} microseconds a family")
    for peer, measure in (("pgmpy", time_pgmpy), ("pyagrum", time_pyagrum)):
        if importlib.util.find_spec(peer) is None:
            print(f"{peer:>10} not installed")
            continue
        taken, found = measure(frame, asked)
        difference = max(abs(a - b) for a, b in zip(found, ours, strict=True))
        print(
            f"{peer:>10} {taken / len(asked) * 1e6:>10,.0f} microseconds a family, {taken / seconds:,.0f} times ours; "
            f"largest difference {difference:.2g}"
        )


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(machine())
    all_pairs()
    additions()
    peers()
