"""Figures 5 and 6 of [tian2009]: what the prior of sums over orders does to the probabilities of edges."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from dagscape.studies.papers.item import Item, PaperNote, PaperPlot, Part
from dagscape.studies.papers.plotting import off_diagonal, scatter_probabilities
from dagscape.studies.papers.tian2009.runs import DIFFERS, DOES, PAPER, STUDY, edges_of

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


def shown(data: str, max_parents: int) -> Callable[[pd.DataFrame], Iterator[Part]]:
    """Return what plots the probabilities over orders against those over DAGs, of one data set."""

    def show(frame: pd.DataFrame) -> Iterator[Part]:
        dags = edges_of(frame, data, max_parents)
        orders = edges_of(frame, data, max_parents, "orders")

        def draw(figure: Figure) -> None:
            scatter_probabilities(figure.subplots(), dags, orders, data, ("over DAGs, uniform", "over orders"))

        yield PaperPlot("", f"P(edge) on {data}: summed over orders against summed over DAGs.", draw, 4.0, 4.0)
        differences = off_diagonal(orders - dags)
        yield PaperNote(
            f"Of {len(differences)} edges, {int((np.abs(differences) > 0.05).sum())} differ by more than 0.05; "
            f"largest difference {np.abs(differences).max():.2f}, "
            f"mean over orders minus over DAGs {differences.mean():+.3f}."
        )

    return show


FIGURE_5 = Item(
    PAPER,
    "Figure 5",
    "REBEL against the true probabilities, Tic-Tac-Toe",
    "The probabilities of edges by REBEL, with its own prior, against those under a uniform prior, without a limit on "
    "parents.",
    DOES,
    (),
    STUDY,
    shown("TicTacToe", 9),
    ("As in the paper, the prior of sums over orders changes some probabilities, without a limit on parents too.",),
)

FIGURE_6 = Item(
    PAPER,
    "Figure 6",
    "REBEL against the sum over DAGs, synthetic data",
    "The same on synthetic data of 20 variables, with at most 4 parents.",
    DOES,
    DIFFERS[:1],
    STUDY,
    shown("Synthetic", 4),
    ("As in the paper, the probabilities often differ: 49 of 380 by more than 0.05, and most of these are lower.",),
)
