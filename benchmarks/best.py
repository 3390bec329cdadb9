"""The best networks: the optimal one, lists of classes and DAGs, compared with a peer's exact search.

python -m benchmarks.best [LARGEST] [--write]     (LARGEST: most variables of an optimal network; default: 28)
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import numpy as np

import dagscape as ds
from benchmarks.inputs import binary_rows, binary_scores
from benchmarks.pages import Page, words
from benchmarks.timing import best_of, is_installed, peak_memory

PAGE = Page("best")

# Table 3.1 of [chen2016] (kBestEC): time in seconds, networks stored, memory in MB, Δ, λ, DAGs covered.
PAPER = {
    ("tic-tac-toe", 1): ("7.79", "1,024", "0.16", "0.059", "1", "7"),
    ("tic-tac-toe", 10): ("8.16", "9,777", "1.50", "0.563", "1", "67"),
    ("tic-tac-toe", 100): ("13.1", "86,213", "13.2", "0.759", "1005", "673"),
    ("tic-tac-toe", 1000): ("111", "677,869", "104", "0.759", "5.1e7", "7,604"),
    ("votes", 1): ("172", "131,072", "20.0", "0.0125", "1", "3"),
    ("votes", 10): ("289", "1,309,470", "200", "0.0871", "2.4", "30"),
    ("votes", 100): ("2865", "13,031,570", "1988", "0.302", "10.8", "318"),
}
MEASURES = ("seconds", "stored", "MiB", "Δ", "λ", "DAGs")


def lists() -> Iterator[list[object]]:
    """Scoring, search, class sizes and edge averages; the exact total for Δ is computed separately."""
    for name in ("tic-tac-toe", "votes"):
        data = ds.load_dataset(name)
        total = ds.posterior(ds.local_scores(data)).log_total
        for k in (1, 10, 100, 1000, 10_000):

            def whole(data: ds.Dataset = data, k: int = k) -> tuple[ds.BestNetworks, np.ndarray]:
                found = ds.k_best(ds.local_scores(data), k)
                return found, found.edges

            seconds, (best, _) = best_of(3 if k < 10_000 else 1, whole)
            memory = search_memory(name, k) if k >= 100 else None
            ratio, coverage = f"{best.ratio:.4g}", f"{best.coverage(total):.4f}"
            yield [
                name,
                k,
                seconds,
                best.stored,
                memory,
                coverage,
                ratio,
                best.dag_count,
                *PAPER.get((name, k), [""] * 6),
            ]


def search_memory(name: str, k: int) -> int:
    """Peak memory of a separate process above its memory with the scores, in MiB."""
    program = (
        "import sys, dagscape as ds\n"
        "from benchmarks.timing import peak_memory\n"
        "scores = ds.local_scores(ds.load_dataset(sys.argv[1]))\n"
        "before = peak_memory()\n"
        "best = ds.k_best(scores, int(sys.argv[2]))\n"
        "print((peak_memory() - before) // 2**20)\n"
    )
    run = subprocess.run([sys.executable, "-c", program, name, str(k)], capture_output=True, text=True, check=True)
    return int(run.stdout)


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
        "lists",
        "Table 3.1 of [chen2016] (kBestEC), BDeu with ess 1: the k best classes. Seconds include scoring, the search, "
        "class sizes and the averages of all edges. Memory is the peak of the search above that with the scores.",
        ["data", "k", *MEASURES, *(f"paper: {name}" for name in (*MEASURES[:2], "MB", *MEASURES[3:]))],
        lists(),
    )
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
