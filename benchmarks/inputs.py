"""Data and networks that several benchmarks use: those of the shared folder, and random ones with fixed seeds."""

from __future__ import annotations

from functools import cache

import numpy as np

import dagscape as ds
from benchmarks import SHARED
from dagscape.studies.papers.synthetic import binary_rows

# "Child*" of [chen2019]: the paper drops five leaves without naming them; these are the first five.
DROPPED_LEAVES = ("LVHreport", "LowerBodyO2", "RUQO2", "CO2Report", "XrayReport")


@cache
def network(name: str) -> ds.Network:
    """A network of the shared folder, or a bundled one as ``builtin:NAME``."""
    if name.startswith("builtin:"):
        return ds.load_network(name.removeprefix("builtin:"))
    return ds.read_network(SHARED / "networks" / f"{name}.bif.gz")


def table(name: str, **options: object) -> ds.Dataset:
    """A data set of the shared folder, by the name of its file without the ending."""
    path = SHARED / "sets" / f"{name}.csv"
    return ds.read_data(path if path.exists() else path.with_suffix(".csv.gz"), **options)


def binary_scores(n: int, max_parents: int | None = 4) -> ds.LocalScores:
    """The scores of these rows."""
    return ds.local_scores(binary_rows(n), max_parents=max_parents)


def mixed_network(n: int, seed: int = 1) -> ds.Network:
    """A random network with 1.5 parents on average and at most 4, 2 to 4 levels, and uneven probabilities."""
    rng = np.random.default_rng(seed)
    dag = ds.random_dag(n, max_parents=4, seed=rng)
    levels = {name: [str(k) for k in range(rng.integers(2, 5))] for name in dag.variables}
    cpts = {}
    for name in dag.variables:
        states = [len(levels[parent]) for parent in dag.parents(name)]
        cpts[name] = rng.dirichlet(np.full(len(levels[name]), 0.5), size=states)
    return ds.Network(dag, levels, cpts)


def independent_columns(n: int, m: int, arity: int, common: float = 0.0) -> ds.Dataset:
    """Independent random columns, in which the first level has a share of at least ``common``."""
    rng = np.random.default_rng(1)
    codes = rng.integers(0, arity, (m, n))
    codes[rng.random((m, n)) < common] = 0
    return ds.Dataset.from_codes(codes, {f"v{i}": [str(k) for k in range(arity)] for i in range(n)})


def kept(name: str) -> tuple[str, ...]:
    """The variables of a network; those of ``child*`` are child's without five leaves."""
    variables = network(name.rstrip("*")).variables
    return tuple(v for v in variables if v not in DROPPED_LEAVES) if name.endswith("*") else variables


def sampled_scores(name: str, rows: int, seed: int, **options: object) -> ds.LocalScores:
    """Scores of a sample of a network."""
    return ds.local_scores(network(name.rstrip("*")).sample(rows, seed=seed).select(kept(name)), **options)
