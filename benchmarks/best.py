"""The best networks: the optimal one, lists of classes and DAGs, compared with a peer's exact search.

python -m benchmarks.best [LARGEST]      (LARGEST: most variables of an optimal network; default: 25)
"""

from __future__ import annotations

import resource
import subprocess
import sys

import numpy as np

import dagscape as ds
from benchmarks.posterior import random_network
from benchmarks.timing import best_of, machine

# Table 3.1 of [chen2016] (kBestEC): time in seconds, networks stored, memory in MB, Δ, λ, DAGs covered.
PAPER = {
    ("tic", 1): (7.79, 1024, 0.16, 0.059, 1, 7),
    ("tic", 10): (8.16, 9777, 1.50, 0.563, 1, 67),
    ("tic", 100): (13.1, 86213, 13.2, 0.759, 1005, 673),
    ("tic", 1000): (111, 677869, 104, 0.759, 5.1e7, 7604),
    ("votes", 1): (172, 131072, 20.0, 0.0125, 1, 3),
    ("votes", 10): (289, 1309470, 200, 0.0871, 2.4, 30),
    ("votes", 100): (2865, 13031570, 1988, 0.302, 10.8, 318),
}


def table_of_the_dissertation() -> None:
    """Scoring, search, class sizes and edge averages; the exact total for Δ is computed separately."""
    print("\nlists of classes, scoring and averages included; [paper]")
    sets = {"tic": ds.load_dataset("tic-tac-toe"), "votes": ds.load_dataset("votes")}
    for name, data in sets.items():
        total = ds.posterior(ds.local_scores(data)).log_total
        for k in (1, 10, 100, 1000, 10_000):

            def whole(data: ds.Dataset = data, k: int = k) -> tuple[ds.BestNetworks, np.ndarray]:
                found = ds.k_best(ds.local_scores(data), k)
                return found, found.edges

            seconds, (best, _) = best_of(3 if k < 10_000 else 1, whole)
            bare, _ = best_of(1, lambda data=data, k=k: ds.k_best(ds.local_scores(data), k))
            ours = (seconds, best.stored, best.coverage(total), best.ratio, best.dag_count)
            print(f"{name:6} k={k:<6} {ours[0]:8.3f} s ({bare:.3f} without averages) stored {ours[1]:>9,} ", end="")
            print(f"Δ {ours[2]:.4f} λ {ours[3]:.5g} DAGs {ours[4]:,}   {PAPER.get((name, k), '')}")


def peak_memory() -> None:
    """Peak memory of a separate process, above its memory with the scores."""
    program = (
        "import sys, dagscape as ds\n"
        "def peak():\n"
        "    lines = open('/proc/self/status').read().splitlines()\n"
        "    return int(next(line for line in lines if line.startswith('VmHWM')).split()[1]) / 1024\n"
        "scores = ds.local_scores(ds.load_dataset('votes'))\n"
        "before = peak()\n"
        "best = ds.k_best(scores, int(sys.argv[1]))\n"
        "print(peak() - before, peak())\n"
    )
    for k in (100, 1000, 10_000):
        run = subprocess.run([sys.executable, "-c", program, str(k)], capture_output=True, text=True, check=True)
        extra, peak = map(float, run.stdout.split())
        print(f"votes k={k}: {extra:.0f} MiB for the search, {peak:.0f} MiB in all")


def optimal(largest: int) -> None:
    print("\noptimal network, m=500, up to 4 parents, scoring excluded")
    references = {20: "URLearning's A*: 8.7 s", 25: "pygobnilp: 42 s", 28: "", 30: ""}
    for n, reference in references.items():
        if n <= largest:
            scores = ds.local_scores(random_network(n).sample(500, seed=3), max_parents=4)
            seconds, found = best_of(3 if n <= 25 else 1, lambda s=scores: ds.optimal_network(s))
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
            print(f"n={n}: {seconds:.3f} s, score {found.score:.6f}, peak so far {peak:.2f} GiB  {reference}")


def against_a_peer() -> None:
    """causal-learn's dynamic programming on the same data; each computes its own BIC scores."""
    try:
        from causallearn.search.ScoreBased.ExactSearch import bic_exact_search
    except ImportError:
        print("\ncausal-learn is not installed: no comparison")
        return
    print("\nexact search, BIC-like scores, scoring included: dagscape and causal-learn")
    for n in (12, 13, 14, 15):
        data = random_network(n).sample(500, seed=3)
        table = data.codes.repeat(data.weights, axis=0).astype(float)
        ours, _ = best_of(3, lambda d=data: ds.optimal_network(ds.local_scores(d, score="bic")))
        theirs, _ = best_of(1, lambda t=table: bic_exact_search(t, search_method="dp"))
        print(f"n={n}: {ours:.4f} s, {theirs:.2f} s, ratio {theirs / ours:.0f}")


def plans() -> None:
    print("\nplan() against the run")
    for n, max_parents in ((14, None), (17, None), (20, 4), (23, 4)):
        data = random_network(n).sample(500, seed=3)
        step = ds.plan(data, "best", max_parents=max_parents).steps[1]
        scores = ds.local_scores(data, max_parents=max_parents)
        seconds, _ = best_of(2, lambda s=scores: ds.optimal_network(s))
        print(f"n={n}, max_parents={max_parents}: planned {step.seconds:.3f} s, took {seconds:.3f} s")


if __name__ == "__main__":
    print(machine())
    table_of_the_dissertation()
    peak_memory()
    optimal(int(sys.argv[1]) if len(sys.argv) > 1 else 25)
    plans()
    against_a_peer()
