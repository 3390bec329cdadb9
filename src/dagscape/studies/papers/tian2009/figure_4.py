"""Figure 4 of [tian2009]: what a limit on the number of parents does to the probabilities of edges."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dagscape.studies.papers.item import Item, PaperPlot, PaperTable, Part
from dagscape.studies.papers.plotting import off_diagonal, scatter_probabilities
from dagscape.studies.papers.tian2009.runs import DOES, PAPER, SCATTERED, STUDY, edges_of

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


def show(frame: pd.DataFrame) -> Iterator[Part]:
    """Plot the probabilities with limits against those without one."""
    true = edges_of(frame, "TicTacToe", 9)
    limited = {limit: edges_of(frame, "TicTacToe", limit) for limit in SCATTERED}

    def draw(figure: Figure) -> None:
        for axes, (limit, edges) in zip(figure.subplots(2, 2).flat, limited.items(), strict=True):
            scatter_probabilities(axes, true, edges, f"at most {limit}", ("no limit", "limit on parents"))

    caption = "P(edge) on Tic-Tac-Toe with limits of 1 to 4 parents, against P(edge) without a limit."
    yield PaperPlot("", caption, draw, width=6.4, height=6.4)
    rows = [(limit, *_differences(edges, true)) for limit, edges in limited.items()]
    yield PaperTable.of(
        "Distance from the probabilities without a limit.", ("parents", "largest", "mean of 90 edges"), rows
    )


def _differences(edges: NDArray[np.float64], true: NDArray[np.float64]) -> tuple[float, float]:
    differences = np.abs(off_diagonal(edges - true))
    return float(differences.max()), float(differences.mean())


ITEM = Item(
    PAPER,
    "Figure 4",
    "Limits on the number of parents, Tic-Tac-Toe",
    "The probabilities of the 90 edges with several limits on the number of parents, against those without one (9).",
    DOES,
    ("The panels: the paper's text names k = 3, from which on the probabilities agree; here k = 1, 2, 3 and 4.",),
    STUDY,
    show,
    ("As in the paper, the probabilities with at most 3 parents are those without a limit: they agree to 1e-11.",),
)
