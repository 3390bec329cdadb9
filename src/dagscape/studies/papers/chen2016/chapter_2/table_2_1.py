"""Table 2.1 of [chen2016]: the networks of the experiments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from dagscape.studies.papers.chen2016.chapter_2.runs import NETWORKS, PAPER
from dagscape.studies.papers.item import Item, PaperNote, PaperTable, Part, RunTask, Scale, Study
from dagscape.studies.papers.sources import network_source

if TYPE_CHECKING:
    import pandas as pd

    from dagscape.studies.papers.sources import Sources

# Variables, edges, largest in- and out-degree, smallest and largest cardinality, average cardinality.
PRINTED = {
    "alarm": (37, 46, "4/5", "2-4", "2.84"),
    "andes": (223, 338, "6/12", "2-2", "2.00"),
    "asia": (8, 8, "2/2", "2-2", "2.00"),
    "child": (20, 25, "2/7", "2-6", "3.00"),
    "hailfinder": (56, 66, "4/16", "2-11", "3.98"),
    "hepar2": (70, 123, "6/17", "2-4", "2.31"),
    "insurance": (27, 52, "3/7", "2-5", "3.30"),
    "sachs": (11, 17, "3/6", "3-3", "3.00"),
    "water": (32, 66, "5/3", "3-4", "3.63"),
    "win95pts": (76, 112, "7/10", "2-2", "2.00"),
}
_COLUMNS = ("variables", "edges", "largest in/out-degree", "cardinalities", "average cardinality")


def tasks(scale: Scale) -> Iterator[RunTask]:
    """Iterate over the networks."""
    for network in NETWORKS[:1] if scale == "quick" else NETWORKS:
        yield {"network": network}


def describe(task: RunTask, sources: Sources) -> dict[str, Any]:
    """Return the row of a network."""
    network = sources.network(task["network"])
    edges = network.dag.to_adjacency()
    sizes = [len(levels) for levels in network.levels.values()]
    cells = (
        network.dag.n,
        network.dag.edge_count,
        f"{int(edges.sum(axis=0).max())}/{int(edges.sum(axis=1).max())}",
        f"{min(sizes)}-{max(sizes)}",
        # Rounded up at the half, as printed.
        f"{np.mean(sizes) + 1e-9:.2f}",
    )
    return dict(zip(_COLUMNS, cells, strict=True))


def show(frame: pd.DataFrame) -> Iterator[Part]:
    """Return the table, and where it differs from the paper's."""
    rows, different = [], []
    for run in frame.to_dict("records"):
        ours = tuple(run[name] for name in _COLUMNS)
        rows.append((run["network"], *ours))
        if ours != PRINTED[run["network"]]:
            different.append(f"{run['network']} {ours} against {PRINTED[run['network']]}")
    yield PaperTable.of("The networks here.", ("network", *_COLUMNS), rows)
    same = f"all {len(rows)} rows are those of the paper" if not different else "; ".join(different)
    yield PaperNote(f"Compared with the paper: {same}.")


STUDY = Study("chen2016-networks", tasks, describe, lambda task: (network_source(task["network"]),), minutes=0.1)

ITEM = Item(
    PAPER,
    "Table 2.1",
    "Networks used in the experiments",
    "Statistics of ten networks of the bnlearn repository.",
    "The same statistics of the networks used here, which show whether they are the same networks.",
    ("The files are those of the package pgmpy, which took them from the bnlearn repository.",),
    STUDY,
    show,
    ("All ten rows are those of the dissertation.",),
)
