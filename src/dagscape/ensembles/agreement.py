"""What the networks of a list agree on, and where they differ."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dagscape.ensembles.diversity import graphs_at
from dagscape.graphs.lists import DagList
from dagscape.graphs.words import Words, holds

if TYPE_CHECKING:
    import pandas as pd


def agreement_frame(networks: DagList, level: str) -> pd.DataFrame:
    """Return how many networks have an edge between each pair of variables, and in which direction.

    Parameters
    ----------
    networks : DagList
        The networks.
    level : {"classes", "dags"}
        Whose edges to count: those of the CPDAGs or of the DAGs.

    Returns
    -------
    DataFrame
        One row per pair of variables; pairs that most networks join come first. The columns count networks: with the
        edge source → target (``forward``), target → source (``backward``), an undirected edge of a class
        (``undirected``), or none (``absent``). ``adjacent`` is ``"all"``, ``"some"`` or ``"none"``.
    """
    import pandas as pd

    graphs = graphs_at(networks, level)
    directed, undirected = (set_counts(sets).tolist() for sets in (graphs.directed, graphs.undirected))
    names, rows = networks.variables, []
    for u, v in itertools.combinations(range(len(names)), 2):
        forward, backward, either = directed[u][v], directed[v][u], undirected[u][v]
        there = forward + backward + either
        adjacent = "all" if there == len(networks) else "some" if there else "none"
        pair = (names[u], names[v], adjacent, forward, backward)
        if backward > forward:
            pair = (names[v], names[u], adjacent, backward, forward)
        rows.append((*pair, either, len(networks) - there))
    columns = ["source", "target", "adjacent", "forward", "backward", "undirected", "absent"]
    return pd.DataFrame(rows, columns=columns).sort_values("absent", kind="stable", ignore_index=True)


def set_counts(sets: Words) -> NDArray[np.int64]:
    """Return at ``[u, v]`` the number of graphs in which the set of v contains u."""
    n = sets.shape[1]
    counts = np.zeros((n, n), dtype=np.int64)
    for u in range(n):
        counts[u] = holds(sets, u).sum(axis=0)
    return counts
