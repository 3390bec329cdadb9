"""Searches over equivalence classes: time, score and distance to the true network.

python -m benchmarks.class_search
"""

from __future__ import annotations

import time
import warnings

import dagscape as ds
from benchmarks.timing import SHARED, machine

# Network, rows, and the time that eq1 was to take, in seconds.
JOBS = (("alarm", 5000, 0.15), ("hailfinder", 5000, None), ("win95pts", 5000, None), ("andes", 5000, 3.0))
REPEATS = 3


def main() -> None:
    print(
        f"{'network':>12} {'rows':>6} {'method':>6} {'seconds':>8} {'of CPU':>7} {'goal':>5} {'score':>13} "
        f"{'true network':>13} {'edges':>6} {'SHD':>4} {'evaluated':>10}"
    )
    for name, rows, goal in JOBS:
        truth = ds.read_network(SHARED / "networks" / f"{name}.bif.gz")
        data = truth.sample(rows, seed=1)
        true_score = ds.family_scores(data).network(truth)
        for method in ("eq1", "ges"):
            times, cpu_times = [], []
            for _ in range(REPEATS):
                start, cpu_start = time.perf_counter(), time.process_time()
                found = ds.learn(data, method)
                times.append(time.perf_counter() - start)
                cpu_times.append(time.process_time() - cpu_start)
            distance = ds.compare(found, truth, level="classes")["shd"]
            aim = "" if goal is None or method != "eq1" else goal
            print(
                f"{name:>12} {rows:>6} {method:>6} {min(times):>8.2f} {min(cpu_times):>7.2f} {aim:>5} "
                f"{found.score:>13.2f} {true_score:>13.2f} {found.network.edge_count:>6} {distance:>4} "
                f"{found.details['evaluated']:>10,}"
            )


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(machine())
    main()
