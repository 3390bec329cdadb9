"""Exact posteriors: sums over DAGs and over orders, scoring excluded.

python -m benchmarks.posterior [LARGEST]      (LARGEST: most variables of a sum over orders; default: 25)
"""

from __future__ import annotations

import sys

import numpy as np

import dagscape as ds
from benchmarks.timing import best_of, machine


def random_network(n: int) -> ds.Network:
    """A sparse random network of binary variables."""
    random = np.random.default_rng(7)
    dag = ds.random_dag(n, 1.5, max_parents=3, seed=1)
    first = {v: random.uniform(0.05, 0.95, (2,) * len(dag.parents(v))) for v in dag.variables}
    cpts = {v: np.stack([p, 1 - p], axis=-1) for v, p in first.items()}
    return ds.Network(dag, dict.fromkeys(dag.variables, ("a", "b")), cpts)


def report(job: str, seconds: float, reference: str = "") -> None:
    print(f"{job:52} {seconds:>9.3f} s  {reference}")


def over_dags() -> None:
    for name, reference in (
        ("zoo", "Tian & He: 602 s for edges alone"),
        ("votes", ""),
        ("wine", "dissertation, ancestors: 12856 s"),
    ):
        scores = ds.local_scores(ds.load_dataset(name))
        report(f"DAGs, {name}, n={scores.n}", best_of(3, lambda s=scores: ds.posterior(s))[0], reference)
    for n, reference in (
        (15, "aps: edges 3.2 s, ancestors 3.6 s"),
        (17, "aps: 29.6 s, 40 s"),
        (20, "Tian & He: 23083 s"),
    ):
        scores = ds.local_scores(random_network(n).sample(500, seed=3), max_parents=4)
        repeats = 3 if n < 20 else 1
        report(f"DAGs, n={n}, m=500, up to 4 parents", best_of(repeats, lambda s=scores: ds.posterior(s))[0], reference)
    scores = ds.local_scores(random_network(20).sample(500, seed=3))
    report("DAGs, n=20, m=500, any number of parents", best_of(1, lambda s=scores: ds.posterior(s))[0])
    edge = [scores.variables[:2]]
    seconds, _ = best_of(1, lambda s=scores: ds.feature_probability(s, required=edge))
    report("DAGs, n=20, m=500, two totals (feature_probability)", seconds)
    for n in (12, 15):
        scores = ds.local_scores(random_network(n).sample(500, seed=3))
        report(f"all paths by way of a third, n={n}", best_of(1, lambda s=scores: ds.posterior(s, via="all"))[0])


def over_orders(largest: int) -> None:
    for n, reference in ((20, "aps: 3.25 s"), (25, "aps: 184 s, REBEL: 2295 s"), (28, ""), (31, "")):
        if n <= largest:
            scores = ds.local_scores(random_network(n).sample(500, seed=3), max_parents=4)
            report(
                f"orders, n={n}, m=500, up to 4 parents",
                best_of(1, lambda s=scores: ds.posterior(s, "orders"))[0],
                reference,
            )


def plans() -> None:
    print("\nplan() against the run")
    jobs = [("dags", 12, 4), ("dags", 16, 4), ("dags", 19, 4), ("orders", 14, 13), ("orders", 22, 4), ("orders", 24, 4)]
    for over, n, max_parents in jobs:
        data = random_network(n).sample(500, seed=3)
        step = ds.plan(data, "posterior", over=over, max_parents=max_parents).steps[1]
        scores = ds.local_scores(data, max_parents=max_parents)
        seconds, _ = best_of(1, lambda s=scores, o=over: ds.posterior(s, o))
        print(f"{over}, n={n}: planned {step.seconds:.3f} s, took {seconds:.3f} s")


if __name__ == "__main__":
    print(machine())
    over_dags()
    over_orders(int(sys.argv[1]) if len(sys.argv) > 1 else 25)
    plans()
