"""Exact posteriors: sums over DAGs, scoring excluded, and the estimates of plans. Sums over orders: order_sums.py.

python -m benchmarks.posterior [--write]
"""

from __future__ import annotations

from collections.abc import Iterator

import dagscape as ds
from benchmarks.inputs import binary_rows, binary_scores
from benchmarks.pages import Page
from benchmarks.timing import best_of

PAGE = Page("posterior")

Row = list[object]


def over_dags() -> Iterator[Row]:
    for name, reference in (("zoo", "Tian & He, edges alone: 602"), ("votes", ""), ("wine", "dissertation: 12856")):
        scores = ds.local_scores(ds.load_dataset(name))
        yield [f"{name}, n = {scores.n}", best_of(3, lambda s=scores: ds.posterior(s))[0], reference]
    for n, reference in ((15, "aps: 3.2 and 3.6"), (17, "aps: 29.6 and 40"), (20, "Tian & He: 23083")):
        scores = binary_scores(n)
        seconds, _ = best_of(3, lambda s=scores: ds.posterior(s))
        yield [f"n = {n}, up to 4 parents", seconds, reference]
    scores = binary_scores(20, None)
    yield ["n = 20, any number of parents", best_of(1, lambda: ds.posterior(scores))[0], ""]
    edge = [scores.variables[:2]]
    seconds, _ = best_of(1, lambda: ds.feature_probability(scores, required=edge))
    yield ["n = 20, one feature", seconds, ""]
    for n in (12, 15):
        scores = binary_scores(n, None)
        yield [
            f"all paths through a third variable, n = {n}",
            best_of(1, lambda s=scores: ds.posterior(s, via="all"))[0],
            "",
        ]


def plans() -> Iterator[Row]:
    jobs = [("dags", 12, 4), ("dags", 16, 4), ("dags", 19, 4), ("orders", 14, 13), ("orders", 22, 4), ("orders", 24, 4)]
    for over, n, max_parents in jobs:
        data = binary_rows(n)
        step = ds.plan(data, "posterior", over=over, max_parents=max_parents).steps[1]
        scores = ds.local_scores(data, max_parents=max_parents)
        seconds, _ = best_of(1, lambda s=scores, o=over: ds.posterior(s, o))
        yield [f"{over}, n = {n}, up to {max_parents} parents", step.seconds, seconds]


def main() -> None:
    PAGE.table(
        "sums",
        "Sums over DAGs: all edges and ancestor relations; two threads, scoring excluded. Data sets of the papers, or "
        "500 rows of a sparse random network of binary variables (1.5 parents on average).",
        ["job", "seconds", "reference, seconds"],
        over_dags(),
    )
    PAGE.table("plans", "Estimates of `plan()` and times.", ["job", "planned, s", "took, s"], plans())


if __name__ == "__main__":
    main()
