"""Sums over orders on the processors of this machine, scoring excluded: the serial rows of Chen's tables 4.1 and 4.2.

python -m benchmarks.order_sums [LARGEST [MOST_PARENTS]] [--write]      (default: 29 and 8)
"""

from __future__ import annotations

from collections.abc import Iterator

import dagscape as ds
from benchmarks.inputs import binary_scores
from benchmarks.pages import words
from benchmarks.posterior import PAGE
from benchmarks.timing import best_of, best_times
from dagscape.posterior.backends import usual_backend
from dagscape.scores.search_planning import SearchSize

# Variables, parents, and the seconds of other programs: the serial one of the dissertation, REBEL, and aps of sumu.
SIZES = [
    (25, 2, "REBEL: 1319"),
    (25, 4, "REBEL: 2295; aps: 184"),
    (25, 6, "REBEL: 4308"),
    (25, 8, "REBEL: 7739"),
    (20, 4, "aps: 3.25"),
    (21, 4, "REBEL: 96.5"),
    (23, 4, "REBEL: 492"),
    (27, 4, ""),
    (28, 4, ""),
    (29, 4, ""),
    (31, 4, ""),
]


def measured(n: int, max_parents: int) -> list[object]:
    """A sum of the scores of 500 rows, with one thread and with two."""
    scores = binary_scores(n, max_parents)
    repeats = 3 if n <= 25 and max_parents <= 4 else 1
    # Processor time hardly depends on what else the machine does.
    one, _ = best_times(repeats, lambda: ds.posterior(scores, "orders", backend="cpu", threads=1))
    two, _ = best_of(repeats, lambda: ds.posterior(scores, "orders", backend="cpu", threads=2))
    memory = usual_backend("orders").plan(SearchSize.complete(n, max_parents), 2).memory
    return [n, max_parents, one.cpu, two, memory / 2**30]


def rows(largest: int, most_parents: int) -> Iterator[list[object]]:
    for n, max_parents, reference in SIZES:
        if n <= largest and max_parents <= most_parents:
            yield [*measured(n, max_parents), reference]


def main() -> None:
    largest, most_parents = [int(word) for word in words()] + [29, 8][len(words()) :]
    PAGE.table(
        "orders",
        "Sums over orders, 500 rows of the same random networks: processor seconds of one thread, seconds of two, and "
        "the planned memory.",
        ["n", "parents", "one thread", "two threads", "GiB", "reference, seconds"],
        rows(largest, most_parents),
    )


if __name__ == "__main__":
    main()
