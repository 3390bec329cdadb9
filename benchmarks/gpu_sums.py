"""Sums on a GPU: seconds and memory of the card, scoring excluded.

python -m benchmarks.gpu_sums [LARGEST_ORDERS [LARGEST_DAGS]]      (default: 31 and 25)
"""

from __future__ import annotations

import sys

import dagscape as ds
from benchmarks.posterior import random_network
from benchmarks.timing import best_of, machine
from dagscape.core.resources import format_bytes
from dagscape.posterior.backends import find_backend

ORDERS = [(21, 4), (23, 4), (25, 2), (25, 4), (25, 6), (27, 4), (29, 4), (30, 4), (31, 4), (33, 4), (34, 4), (25, 8)]
DAGS = [(20, 4), (20, 19), (23, 4), (25, 4), (28, 4)]


def report(over: str, n: int, max_parents: int) -> None:
    """Print one line: a sum of the scores of 500 rows."""
    scores = ds.local_scores(random_network(n).sample(500, seed=3), max_parents=max_parents)
    repeats = 1 if n in (28, 34) else 2
    seconds, found = best_of(repeats, lambda: ds.posterior(scores, over, backend="cuda"))
    memory = format_bytes(find_backend(over, "cuda").device_memory(n, max_parents))
    print(f"{over:6} n={n} d={max_parents} {seconds:9.3f} s {memory:>10}  error {found.error:.1e}", flush=True)


def main() -> None:
    largest = [int(argument) for argument in sys.argv[1:]] + [31, 25][len(sys.argv) - 1 :]
    print(f"{machine()}; {ds.backends()[1]}")
    ds.posterior(ds.local_scores(random_network(10).sample(50, seed=3)), "orders", backend="cuda")
    ds.posterior(ds.local_scores(random_network(10).sample(50, seed=3)), "dags", backend="cuda")
    for over, sizes, most in (("orders", ORDERS, largest[0]), ("dags", DAGS, largest[1])):
        for n, max_parents in sizes:
            if n <= most:
                report(over, n, max_parents)


if __name__ == "__main__":
    main()
