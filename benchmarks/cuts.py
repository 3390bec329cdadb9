"""Posteriors averaged over ways of cutting columns of numbers: which ways, and with which weights.

Networks are drawn at random, with linear or monotone relations, normal or skewed; tables of numbers are sampled from
them and cut in several ways. Judged are the probabilities of adjacencies: their log loss, per pair of variables, and
the number of false ones above 0.5 and of true ones below.

python -m benchmarks.cuts [--write]
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

import dagscape as ds
from benchmarks.pages import Page
from dagscape.data.discrete.common_cuts import cut_in_ways, ways_of
from dagscape.data.discrete.interval_widths import log_density

WAYS = (
    "quantile:2", "quantile:3", "quantile:4", "quantile:5", "quantile:7",
    "width:2", "width:3", "width:5", "width:7", "hartemink:3",
)  # fmt: skip
SETS = {
    "2 to 5 quantiles, 3 and 5 widths": ("quantile:2", "quantile:3", "quantile:4", "quantile:5", "width:3", "width:5"),
    "2, 3, 5 quantiles, 3 and 5 widths": ("quantile:2", "quantile:3", "quantile:5", "width:3", "width:5"),
    "2 to 5 quantiles": ("quantile:2", "quantile:3", "quantile:4", "quantile:5"),
    "2 to 4 quantiles": ("quantile:2", "quantile:3", "quantile:4"),
    "3 to 5 quantiles": ("quantile:3", "quantile:4", "quantile:5"),
    "2 to 7 quantiles": ("quantile:2", "quantile:3", "quantile:4", "quantile:5", "quantile:7"),
    "2 to 5 quantiles, 3 widths": ("quantile:2", "quantile:3", "quantile:4", "quantile:5", "width:3"),
    "all": WAYS,
}
# How ways are weighed; the last two leave out how well the margins fit, which no edge depends on.
WEIGHTS = ("equal", "evidence of numbers", "evidence of ranks", "evidence of dependence")
PAGE = Page("cuts")

VARIABLES, NETWORKS, ROWS = 6, 20, (100, 400, 1600)
KINDS = ("linear", "skewed", "monotone")


def sample(kind: str, n: int, m: int, rng: np.random.Generator) -> tuple[pd.DataFrame, np.ndarray]:
    """Return a table and the matrix of true adjacencies."""
    edges = np.triu(rng.random((n, n)) < 1.5 / (n - 1), 1)
    weights = np.where(edges, rng.uniform(0.3, 1.2, (n, n)) * rng.choice([-1, 1], (n, n)), 0.0)
    values = np.zeros((m, n))
    for child in range(n):
        parents = values if kind != "monotone" else np.tanh(2 * values)
        values[:, child] = parents @ weights[:, child] + rng.normal(size=m)
    if kind == "skewed":
        values = np.exp(values)
    if kind == "monotone":
        values = np.sign(values) * np.abs(values) ** rng.uniform(0.5, 2.0, n)
    order = rng.permutation(n)
    true = (edges | edges.T)[np.ix_(order, order)]
    return pd.DataFrame(values[:, order], columns=[f"v{i}" for i in range(n)]), true


def rank_density(data: ds.Dataset) -> float:
    """Return - Σ ln h if the width of an interval is its share of the rows: margins then fit all grids alike."""
    total = 0.0
    for place in range(data.n):
        counts = np.bincount(data.codes[:, place], data.weights)
        counts = counts[counts > 0]
        total -= float(counts @ np.log(counts / data.m))
    return total


def posteriors(frame: pd.DataFrame) -> list[tuple[np.ndarray, tuple[float, ...]]]:
    """Return adjacencies averaged over settings, and the logs of all weights, for each way."""
    found = []
    for data in cut_in_ways(frame, ways_of(WAYS), keep_constant=True).datasets:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ds.SparseFamilies)
            post = ds.posterior(data)
        alone = -sum(ds.posterior(data.select([name]), ess=1.0).log_evidence for name in data.variables)
        logs = (0.0, *(post.log_evidence + other for other in (log_density(data), rank_density(data), alone)))
        found.append((post.adjacencies, logs))
    return found


def averaged(found: Sequence[Any], ways: Sequence[str], which: int) -> np.ndarray:
    """Return the average over some ways, with one of the kinds of weights."""
    chosen = [found[WAYS.index(way)] for way in ways]
    logs = np.array([entry[1][which] for entry in chosen])
    shares = np.exp(logs - np.logaddexp.reduce(logs))
    return sum(share * entry[0] for share, entry in zip(shares, chosen, strict=True))


def losses(variables: int, networks: int, rows: Sequence[int]) -> pd.DataFrame:
    """Return the log loss and the errors of each way and average, for every table."""
    upper = np.triu_indices(variables, 1)
    measured = []
    for kind, m, seed in itertools.product(KINDS, rows, range(networks)):
        frame, true = sample(kind, variables, m, np.random.default_rng([seed, m]))
        found = posteriors(frame)
        results = {(way.replace(":", " "), ""): averaged(found, [way], 0) for way in WAYS}
        for name, ways in SETS.items():
            results |= {(name, how): averaged(found, ways, which) for which, how in enumerate(WEIGHTS)}
        for (name, how), adjacent in results.items():
            p, there = np.clip(adjacent[upper], 1e-6, 1 - 1e-6), true[upper]
            loss = -np.where(there, np.log(p), np.log(1 - p)).mean()
            measured.append((name, how, kind, m, loss, (p[~there] > 0.5).sum(), (p[there] < 0.5).sum()))
    return pd.DataFrame(measured, columns=["cuts", "weights", "kind", "rows", "loss", "false", "missing"])


def main() -> None:
    """Print the tables."""
    frame = losses(VARIABLES, NETWORKS, ROWS)
    each = frame.groupby(["cuts", "weights"], sort=False)
    whole = each[["loss", "false", "missing"]].mean().sort_values("loss")
    by_kind = frame.pivot_table(index=["cuts", "weights"], columns=["kind", "rows"], values="loss").loc[whole.index]
    PAGE.table(
        "average",
        f"Log loss of adjacencies, per pair of {VARIABLES} variables, and the number of false adjacencies above 0.5 "
        f"and of true ones below it, per table: {len(KINDS) * len(ROWS) * NETWORKS} tables, the best cuts first.",
        ["cuts", "weights", "log loss", "false", "missing"],
        [(*index, *map(float, row)) for index, row in zip(whole.index, whole.to_numpy(), strict=True)],
    )
    PAGE.table(
        "tables",
        f"The log loss by kind of table and number of rows, means of {NETWORKS} tables.",
        ["cuts", "weights", *(f"{kind}, {m}" for kind, m in by_kind.columns)],
        [(*index, *map(float, row)) for index, row in zip(by_kind.index, by_kind.to_numpy(), strict=True)],
    )


if __name__ == "__main__":
    main()
