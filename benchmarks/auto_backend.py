"""What backend="auto" chooses: the estimated and the measured time of each back end that is here, and the choice.

python -m benchmarks.auto_backend [MOST_SECONDS] [--write]      (default: sums of up to 20 s)

The choice is made in a new process for each sum, so that its time includes all trials, and the start of a GPU.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import dagscape as ds
from benchmarks.inputs import binary_scores
from benchmarks.pages import Page, words
from benchmarks.timing import best_of
from dagscape.core.resources import Budget
from dagscape.posterior.backends import BACKENDS
from dagscape.scores.search_planning import SearchSize

PAGE = Page("gpu")

SIZES = {
    "orders": [
        *((n, 4) for n in (15, 17, 19, 21, 23, 25, 27, 29, 31)),
        *((n, n - 1) for n in (15, 17, 19, 21, 22)),
        (22, 6),
        (25, 6),
        (22, 8),
        (25, 8),
    ],
    "dags": [*((n, 4) for n in (15, 17, 18, 19, 20, 21, 22)), *((n, n - 1) for n in (17, 19, 20, 21))],
}

CHOICE = """
import sys, time
from dagscape.core.resources import Budget
from dagscape.posterior.backends import choose_backend
from dagscape.scores.search_planning import SearchSize

over, n, max_parents = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
size, budget = SearchSize.complete(n, max_parents), Budget.of(None, None)
start = time.perf_counter()
print(choose_backend(over, "auto", size, budget).name, time.perf_counter() - start)
"""


def automatic(over: str) -> dict[str, object]:
    """The back ends that ``"auto"`` can choose here."""
    found = (record for record in BACKENDS.values() if record.over == over and record.automatic is not None)
    return {record.name: record for record in found if not record.missing()}


def choice(over: str, n: int, max_parents: int) -> tuple[str, float]:
    """The choice of a new process, and how long it took."""
    arguments = [sys.executable, "-c", CHOICE, over, str(n), str(max_parents)]
    name, seconds = subprocess.run(arguments, capture_output=True, text=True, check=True).stdout.split()
    return name, float(seconds)


def measured(over: str, n: int, max_parents: int, most_seconds: float) -> list[object]:
    """A sum of the scores of 500 rows on each back end; only estimates of those that take too long or do not fit."""
    budget, size = Budget.of(None, None), SearchSize.complete(n, max_parents)
    scores = binary_scores(n, max_parents)
    chosen, took = choice(over, n, max_parents)
    estimated, seconds = {}, {}
    for name, record in automatic(over).items():
        plan = record.plan(size, record.threads(budget))
        estimated[name] = plan.seconds() if plan.fits(budget.limit) else float("nan")
        if estimated[name] <= most_seconds:
            # The first sum of a kind on a GPU compiles its kernels.
            seconds[name], _ = best_of(2, lambda name=name: ds.posterior(scores, over, backend=name))
    lost = seconds[chosen] / min(seconds.values()) if chosen in seconds else None
    times = [times.get(name) for name in automatic(over) for times in (estimated, seconds)]
    return [over, n, max_parents, *times, chosen, took, lost]


def rows(most_seconds: float) -> Iterator[list[object]]:
    for over, sizes in SIZES.items():
        for n, max_parents in sizes:
            row = measured(over, n, max_parents, most_seconds)
            print(*row, file=sys.stderr, flush=True)
            yield row


def main() -> None:
    names = list(automatic("orders"))
    here = "; ".join(str(status) for status in ds.backends() if status.name in names)
    times = [f"{name}, {what}" for name in names for what in ("estimated", "measured")]
    PAGE.table(
        "auto",
        f'What `backend="auto"` chooses, among {here}. Seconds: estimated and measured, of the weights and the sum, '
        "scoring excluded; and of the choice itself, in a new process. The last column compares the time of the choice "
        "with that of the fastest.",
        ["over", "n", "parents", *times, "auto", "to choose", "times the fastest"],
        rows(float(words()[0]) if words() else 20.0),
    )


if __name__ == "__main__":
    main()
