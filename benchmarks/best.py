"""The best networks: the optimal one, and the time of lists of classes, compared with a peer's exact search.

`dagscape reproduce chen2014-table-1` has lists of classes and DAGs beside those of the paper.

python -m benchmarks.best [LARGEST] [--write]     (LARGEST: most variables of an optimal network; default: 28)
"""

from __future__ import annotations

from collections.abc import Iterator

import dagscape as ds
from benchmarks.inputs import binary_rows, binary_scores
from benchmarks.pages import Page, words
from benchmarks.timing import best_of, is_installed
from dagscape.studies.papers.measuring import peak_memory

PAGE = Page("best")


def optimal(largest: int) -> Iterator[list[object]]:
    references = {20: "URLearning's A*: 8.7", 25: "pygobnilp: 42", 28: "", 30: ""}
    for n, reference in references.items():
        if n <= largest:
            scores = binary_scores(n)
            seconds, _ = best_of(3 if n <= 25 else 1, lambda s=scores: ds.optimal_network(s))
            yield [n, seconds, peak_memory() / 2**30, reference]


def against_a_peer() -> Iterator[list[object]]:
    """causal-learn's dynamic programming on the same data; each computes its own BIC scores."""
    from causallearn.search.ScoreBased.ExactSearch import bic_exact_search

    for n in (12, 13, 14, 15):
        data = binary_rows(n)
        cells = data.codes.repeat(data.weights, axis=0).astype(float)
        ours, _ = best_of(3, lambda d=data: ds.optimal_network(ds.local_scores(d, score="bic")))
        theirs, _ = best_of(1, lambda t=cells: bic_exact_search(t, search_method="dp"))
        yield [n, ours, theirs, round(theirs / ours)]


def plans() -> Iterator[list[object]]:
    for n, max_parents in ((14, None), (17, None), (20, 4), (23, 4)):
        data = binary_rows(n)
        step = ds.plan(data, "best", max_parents=max_parents).steps[1]
        scores = ds.local_scores(data, max_parents=max_parents)
        seconds, _ = best_of(2, lambda s=scores: ds.k_best(s, 10))
        yield [f"n = {n}, {'no limit' if max_parents is None else f'{max_parents} parents'}", step.seconds, seconds]


def main() -> None:
    largest = int(words()[0]) if words() else 28
    PAGE.table(
        "optimal",
        "The optimal network, 500 rows of a sparse random binary network, up to 4 parents, scoring excluded.",
        ["n", "seconds", "peak of the process, GiB", "reference, seconds"],
        optimal(largest),
    )
    PAGE.table(
        "plans",
        "Estimates of `plan()`, which assumes independent variables, and the time of the 10 best classes.",
        ["job", "planned, s", "took, s"],
        plans(),
    )
    if is_installed("causallearn"):
        PAGE.table(
            "peer",
            "The exact search of causal-learn (dynamic programming), 500 rows, no limit on parents, each with its own "
            "BIC, scoring included.",
            ["n", "dagscape, s", "causal-learn, s", "ratio"],
            against_a_peer(),
        )


if __name__ == "__main__":
    main()
