"""Sums on a GPU, scoring excluded, and 33 variables of ALARM.

python -m benchmarks.gpu_sums [LARGEST_ORDERS [LARGEST_DAGS]] [--write]      (default: 31 and 25)
python -m benchmarks.gpu_sums alarm [--write]          (draws build/figures/alarm33.svg)
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import dagscape as ds
from benchmarks.inputs import binary_scores, network
from benchmarks.pages import FIGURES, Page, words
from benchmarks.timing import best_of
from dagscape.posterior.cuda.dag_sum import dag_sum_bytes
from dagscape.posterior.cuda.order_sum import order_sum_bytes

PAGE = Page("gpu")

ORDERS = [(21, 4), (23, 4), (25, 2), (25, 4), (25, 6), (25, 8), (27, 4), (29, 4), (30, 4), (31, 4), (33, 4), (34, 4)]
DAGS = [(20, 4), (20, 19), (23, 4), (25, 4), (28, 4)]

# Four variables of ALARM are left out, so that 33 remain, with 34 edges.
LEFT_OUT = ("CATECHOL", "HR", "CO", "BP")


def measured(over: str, n: int, max_parents: int) -> list[object]:
    """A sum of the scores of 500 rows."""
    scores = binary_scores(n, max_parents)
    seconds, found = best_of(1 if n in (28, 34) else 2, lambda: ds.posterior(scores, over, backend="cuda"))
    memory = dag_sum_bytes(n) if over == "dags" else order_sum_bytes(n, max_parents)
    return [over, n, max_parents, seconds, memory / 2**30, f"{found.error:.1e}"]


def sums(largest_orders: int, largest_dags: int) -> Iterator[list[object]]:
    for over in ("orders", "dags"):  # The first sum of each kind compiles its kernels.
        ds.posterior(binary_scores(10), over, backend="cuda")
    for over, sizes, most in (("orders", ORDERS, largest_orders), ("dags", DAGS, largest_dags)):
        yield from (measured(over, n, max_parents) for n, max_parents in sizes if n <= most)


def alarm(backend: str = "cuda", left_out: tuple[str, ...] = LEFT_OUT) -> Iterator[list[object]]:
    """The probable edges of ALARM from 320 rows, by how many of them are true; and their picture."""
    truth = network("alarm")
    data = truth.sample(320, seed=5).drop(left_out)
    found = ds.posterior(ds.local_scores(data, max_parents=4), "orders", backend=backend)
    FIGURES.mkdir(parents=True, exist_ok=True)
    ds.draw(found, FIGURES / "alarm33.svg", threshold=0.1, lines="edges")
    edges = truth.dag.subgraph(data.variables).to_adjacency().astype(np.bool_)
    for low, high in ((0.9, 1.0), (0.5, 0.9), (0.1, 0.5)):
        shown = (found.edges >= low) & ((found.edges < high) | (high == 1.0))
        right, turned = int((shown & edges).sum()), int((shown & edges.T).sum())
        yield [f"{low:g} to {high:g}", int(shown.sum()), right, turned, int(shown.sum()) - right - turned]


def main() -> None:
    if words()[:1] == ["alarm"]:
        PAGE.table(
            "alarm",
            "33 variables of ALARM, 320 rows, up to 4 parents, over orders: edges by probability.",
            ["probability", "edges", "true", "true but for the direction", "others"],
            alarm(),
        )
        return
    PAGE.table(
        "sums",
        "All edges, and over DAGs all ancestor relations; scoring and the compilation of kernels excluded. 500 rows of "
        f"the random networks of [posterior.md](posterior.md). Memory of the GPU is as planned. {ds.backends()[1]}.",
        ["over", "n", "parents", "seconds", "GiB", "stated error"],
        sums(*([int(word) for word in words()] + [31, 25][len(words()) :])),
    )


if __name__ == "__main__":
    main()
