"""Figure 3.5 of [chen2016]: the ten best classes of Tic-Tac-Toe, and averages over them and over all DAGs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from dagscape.best.k_best import k_best
from dagscape.sampling.exact_posterior import exact_posterior
from dagscape.scores.scoring import local_scores
from dagscape.studies.papers.item import Item, PaperNote, PaperPlot, PaperTable, Part, RunTask, Scale, Study
from dagscape.studies.papers.measuring import records
from dagscape.studies.papers.plotting import Edge, draw_graph

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from dagscape.studies.papers.sources import Sources

CLASSES = 10
# Edges above this are drawn, as in the paper.
THRESHOLD = 0.4

_ROWS, _COLUMNS = ("top", "middle", "bottom"), ("left", "middle", "right")
# The squares at their places on the board, by short names, and the outcome beside them.
_PLACES = {
    f"{row[0]}{column[0]}": (float(x), float(-y)) for y, row in enumerate(_ROWS) for x, column in enumerate(_COLUMNS)
}
# Off the lines through two squares.
_PLACES["class"] = (3.3, -0.55)


def find_classes(_: RunTask, sources: Sources) -> dict[str, Any]:
    """Find the ten best classes, and the averages."""
    scores = local_scores(sources.table("builtin:tic-tac-toe"), threads=1)
    best = k_best(scores, CLASSES, threads=1)
    patterns = [network.to_cpdag() for network in best.networks]
    short = {
        name: "class" if name == "Class" else "".join(part[0] for part in name.split("-")[:2])
        for name in scores.variables
    }
    return {
        "ratio": best.ratio,
        "variables": [short[name] for name in scores.variables],
        "directed": [[[short[u], short[v]] for u, v in pattern.directed_edges] for pattern in patterns],
        "undirected": [[[short[u], short[v]] for u, v in pattern.undirected_edges] for pattern in patterns],
        "averages": {
            "all DAGs": exact_posterior(scores, threads=1).edges.tolist(),
            "the ten best classes": best.edges.tolist(),
        },
    }


def tasks(_: Scale) -> Iterator[RunTask]:
    """Yield the only task."""
    yield {"data": "Tic"}


STUDY = Study("tic-classes", tasks, find_classes, minutes=0.1)


def show(frame: pd.DataFrame) -> Iterator[Part]:
    """Draw the classes and the averages, and count what they share."""
    (run,) = records(frame)
    directed = [[(u, v) for u, v in edges] for edges in run["directed"]]
    undirected = [[(u, v) for u, v in edges] for edges in run["undirected"]]

    def draw_classes(figure: Figure) -> None:
        for number, axes in enumerate(figure.subplots(2, CLASSES // 2).flat):
            draw_graph(axes, _PLACES, dict.fromkeys(directed[number], ""), undirected[number], size=6)
            axes.set_title(str(number + 1), fontsize=8)

    yield PaperPlot("classes", "(a) The ten best classes: arrows are compelled edges.", draw_classes, 11.0, 4.4)
    averages = {name: _probable(matrix, run["variables"]) for name, matrix in run["averages"].items()}

    def draw_averages(figure: Figure) -> None:
        for axes, (name, edges) in zip(figure.subplots(1, 2), averages.items(), strict=True):
            draw_graph(axes, _PLACES, {edge: f"{p:.2f}" for edge, p in edges.items()}, size=8)
            axes.set_title(f"average over {name}", fontsize=9)

    caption = f"(b), (c) Edges with a probability above {THRESHOLD}, over all DAGs and over the ten best classes."
    yield PaperPlot("averages", caption, draw_averages, 9.0, 3.6)
    edges = list(dict.fromkeys(edge for found in averages.values() for edge in found))
    rows = [(f"{u} → {v}", *(found.get((u, v)) for found in averages.values())) for u, v in edges]
    yield PaperTable.of(f"The edges above {THRESHOLD}.", ("edge", *averages), rows)
    yield PaperNote(_agreement(directed, undirected, run["ratio"]))


def _probable(matrix: list[list[float]], names: list[str]) -> dict[Edge, float]:
    values = np.array(matrix)
    return {(names[u], names[v]): float(values[u, v]) for u, v in np.argwhere(values > THRESHOLD).tolist()}


def _agreement(directed: list[list[Edge]], undirected: list[list[Edge]], ratio: float) -> str:
    arrows = [set(edges) for edges in directed]
    pairs = [
        {frozenset(edge) for edge in (*first, *second)} for first, second in zip(directed, undirected, strict=True)
    ]
    shared, joined = set.intersection(*arrows), set.intersection(*pairs)
    return (
        f"The ten classes score alike (λ = {ratio:g}). They share {len(joined)} of {len(set.union(*pairs))} "
        f"adjacencies, and {len(shared)} arrows."
    )


ITEM = Item(
    "chen2016",
    "Figure 3.5",
    "The ten best classes of Tic-Tac-Toe",
    "The ten best classes, which are equally probable, and the networks of edges with a probability above 0.4: "
    "averages over all DAGs, and over the ten classes.",
    "The same. Squares are at their places on the board: tl is the top left square, mm the middle one.",
    ("The ten classes: 16 classes tie for the best; which ten are listed is arbitrary, here and in the paper.",),
    STUDY,
    show,
    (
        "As in the paper, the ten classes agree on one edge, and most edges have probabilities below or about 0.5; the "
        "certain one joins the outcome and the square in the middle.",
    ),
)
