"""Scores of measured columns: all families, and families on demand.

python -m benchmarks.gaussian [lattice] [demand] [--write]

Searches beside those of other packages are in ``benchmarks/gaussian_searches.py``.
"""

from __future__ import annotations

import statistics

import numpy as np
import pandas as pd

import dagscape as ds
from benchmarks.pages import Page, words
from benchmarks.timing import timed
from dagscape.scores.scoring_job import prepare

PAGE = Page("gaussian")


def random_columns(n: int, m: int, degree: float, seed: int = 0) -> tuple[pd.DataFrame, ds.Dag]:
    """Standardised columns of a linear network of normal variables, and its graph."""
    rng = np.random.default_rng(seed)
    order, values, edges = rng.permutation(n), np.zeros((m, n)), []
    names = [f"x{i}" for i in range(n)]
    for place, v in enumerate(order):
        parents = order[:place][rng.random(place) < degree / (n - 1)]
        weights = rng.uniform(0.5, 1.5, len(parents)) * rng.choice([-1, 1], len(parents))
        values[:, v] = values[:, parents] @ weights + rng.normal(size=m)
        values[:, v] /= values[:, v].std()
        edges += [(names[u], names[v]) for u in parents]
    frame = pd.DataFrame(values, columns=names)
    return (frame - frame.mean()) / frame.std(), ds.Dag.from_edges(names, edges)


def lattice() -> None:
    rows = []
    for m in (1000, 10_000, 100_000):
        data = ds.NumericData.from_frame(random_columns(20, m, 4)[0])
        for score in ("bge", "bic-g"):
            for threads in (1, 2):
                whole, scores = timed(lambda s=score, t=threads, d=data: ds.local_scores(d, score=s, threads=t))
                first, _ = timed(lambda s=score, d=data: prepare(d, score=s))
                rows.append([score, m, threads, first.wall, whole.wall - first.wall, scores.nbytes / 2**20])
    PAGE.table(
        "lattice",
        "All 2^20 sets of 20 columns, that is, the scores of 10,485,760 families: seconds for the first pass over the "
        "rows, and for all sets.",
        ["score", "rows", "threads", "first pass, s", "all sets, s", "MiB"],
        rows,
    )


def demand() -> None:
    rows = []
    for n in (50, 200, 500):
        scores = ds.family_scores(random_columns(n, 1000, 4)[0], score="bge", threads=1)
        for size in (0, 2, 5, 10):
            rng = np.random.default_rng(size)
            calls = []
            for _ in range(200):
                child, *parents = (int(v) for v in rng.choice(n, size + 1, replace=False))
                parents.sort()
                calls.append(timed(lambda s=scores, c=child, p=parents: s.additions_exact(c, p))[0].cpu)
            rows.append([n, size, statistics.median(calls) / (n - size - 1) * 1e6])
    PAGE.table(
        "demand",
        "BGe on demand, 1000 rows: microseconds of one processor for each family, where all variables are added to a "
        "set of parents, one at a time.",
        ["variables", "parents", "µs a family"],
        rows,
    )


if __name__ == "__main__":
    parts = {"lattice": lattice, "demand": demand}
    for name in words() or parts:
        parts[name]()
