"""Random networks in place of synthetic data that papers do not publish."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dagscape.graphs.random_dags import random_dag
from dagscape.networks.discrete.network import Network

if TYPE_CHECKING:
    from dagscape.data.discrete.dataset import Dataset


def binary_network(n: int, seed: int = 1) -> Network:
    """Return a sparse random network of binary variables: 1.5 parents on average, at most 3."""
    random = np.random.default_rng(seed + 6)
    dag = random_dag(n, 1.5, max_parents=3, seed=seed)
    first = {v: random.uniform(0.05, 0.95, (2,) * len(dag.parents(v))) for v in dag.variables}
    cpts = {v: np.stack([p, 1 - p], axis=-1) for v, p in first.items()}
    return Network(dag, dict.fromkeys(dag.variables, ("a", "b")), cpts)


def binary_rows(n: int, rows: int = 500) -> Dataset:
    """Return rows of such a network."""
    return binary_network(n).sample(rows, seed=3)
