"""Sums over orders on the processors of this machine, scoring excluded: the serial rows of Chen's tables 4.1 and 4.2.

python -m benchmarks.order_sums [LARGEST [MOST_PARENTS]]      (default: 29 and 8)
"""

from __future__ import annotations

import sys
import time

import dagscape as ds
from benchmarks.posterior import random_network
from benchmarks.timing import best_of, machine
from dagscape.core.resources import format_bytes
from dagscape.posterior.backends import find_backend

# Variables, parents and the seconds of the serial program, REBEL; none where the tables have none.
SERIAL = [
    (25, 2, 1319.0),
    (25, 4, 2295.0),
    (25, 6, 4308.0),
    (25, 8, 7739.0),
    (21, 4, 96.5),
    (23, 4, 492.0),
    (27, 4, None),
    (29, 4, None),
    (31, 4, None),
]


def processor_seconds(scores: ds.LocalScores) -> float:
    """The time of the processor for a sum with one thread: it hardly depends on what else the machine does."""
    start = time.process_time()
    ds.posterior(scores, "orders", backend="cpu", threads=1)
    return time.process_time() - start


def report(n: int, max_parents: int, serial: float | None) -> None:
    """Print one line: a sum of the scores of 500 rows, with one thread and with two."""
    scores = ds.local_scores(random_network(n).sample(500, seed=3), max_parents=max_parents)
    repeats = 3 if n <= 25 and max_parents <= 4 else 1
    one = min(processor_seconds(scores) for _ in range(repeats))
    two, _ = best_of(repeats, lambda: ds.posterior(scores, "orders", backend="cpu", threads=2))
    memory = format_bytes(find_backend("orders", "cpu").memory(n, max_parents, 2))
    reference = "-" if serial is None else f"{serial:g} s"
    print(f"n={n} d={max_parents} {one:9.3f} s {two:9.3f} s {memory:>10}  dissertation: {reference}", flush=True)


def main() -> None:
    largest, most_parents = [int(argument) for argument in sys.argv[1:]] + [29, 8][len(sys.argv) - 1 :]
    print(machine())
    print("processor seconds of one thread, seconds with two threads, planned memory")
    for n, max_parents, serial in SERIAL:
        if n <= largest and max_parents <= most_parents:
            report(n, max_parents, serial)


if __name__ == "__main__":
    main()
