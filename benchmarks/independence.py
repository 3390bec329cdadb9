"""Tests of independence: the parents and children that mmpc finds.

python -m benchmarks.independence [--write]      (ALARM, Andes, and a random network of 1000 variables)
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import partial

import numpy as np

import dagscape as ds
from benchmarks.climbing import PAGE, ROWS
from benchmarks.inputs import mixed_network, network
from benchmarks.timing import best_times


def rows() -> Iterator[list[object]]:
    for name, truth in (("alarm", network("alarm")), ("andes", network("andes")), ("random", mixed_network(1000))):
        data = truth.sample(ROWS, seed=1)
        times, found = best_times(3, partial(ds.mmpc, data, threads=2))
        adjacency = truth.dag.to_adjacency().astype(np.bool_)
        right = int((found.adjacent & (adjacency | adjacency.T)).sum()) // 2
        yield [name, truth.n, times.cpu, found.tests, found.pair_count, f"{right} of {truth.dag.edge_count}"]


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    PAGE.table(
        "mmpc",
        f"Parents and children by `mmpc`, {ROWS} rows, two threads.",
        ["network", "variables", "processor, s", "tests", "pairs", "edges among them"],
        rows(),
    )
