"""Tests of independence and the methods on them: mmpc, mmhc and curriculum.

python -m benchmarks.independence            (ALARM, Andes, and a random network of 1000 variables)
python -m benchmarks.independence alarm
"""

from __future__ import annotations

import sys
import time
import warnings
from functools import partial

import numpy as np

import dagscape as ds
from benchmarks.climbing import load
from benchmarks.timing import best_of, machine

ROWS = 5000
ESS = 10.0
GOALS = {("alarm", "mmhc"): 0.15, ("andes", "mmhc"): 3.0, ("andes", "curriculum"): 60.0}


def tests(data: ds.Dataset, truth: ds.Network) -> None:
    """Time mmpc, and count the edges that it finds."""
    cpu = time.process_time()
    seconds, found = best_of(3, partial(ds.mmpc, data, threads=2))
    cpu = (time.process_time() - cpu) / 3
    adjacency = truth.dag.to_adjacency().astype(np.bool_)
    right = int((found.adjacent & (adjacency | adjacency.T)).sum()) // 2
    print(f"{'mmpc':>12} {seconds:>8.3f} {cpu:>8.3f} {'':>6} {found.tests:>9,} tests, ", end="")
    print(f"{found.pair_count} pairs, {right} of {truth.dag.edge_count} edges")


def methods(name: str, data: ds.Dataset, truth: ds.Network) -> None:
    """Time the methods of learn()."""
    for method in ("mmhc", "curriculum") if data.n < 500 else ("mmhc",):
        cpu = time.process_time()
        seconds, found = best_of(1 if data.n > 100 else 3, partial(ds.learn, data, method, ess=ESS, threads=2))
        cpu = (time.process_time() - cpu) / (1 if data.n > 100 else 3)
        shd = ds.compare(found.network, truth, level="classes")["shd"]
        goal = GOALS.get((name, method), "")
        print(f"{method:>12} {seconds:>8.3f} {cpu:>8.3f} {goal:>6} {found.score:>14.2f} SHD {shd}")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(machine())
    for name in sys.argv[1:] or ["alarm", "andes", "1000"]:
        truth = load(name)
        data = truth.sample(ROWS, seed=1)
        print(f"\n{name}: {data.n} variables, {data.m} rows, BDeu ess {ESS:g}")
        print(f"{'':>12} {'seconds':>8} {'cpu':>8} {'goal':>6}")
        tests(data, truth)
        methods(name, data, truth)
