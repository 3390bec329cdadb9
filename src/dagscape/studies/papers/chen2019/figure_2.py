"""Figure 2 of [chen2019]: how different the networks of a list are from each other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dagscape.studies.papers.chen2019.curves import LENGTHS, plot_curves
from dagscape.studies.papers.chen2019.runs import DIFFERS, DOES, LISTS, PAPER, STUDY, averaged, chosen
from dagscape.studies.papers.item import Item, PaperPlot, PaperTable, Part

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


def show(frame: pd.DataFrame) -> Iterator[Part]:
    """Show the average distance between two of the first networks, on Sachs with 100 rows."""
    curves = averaged(chosen(frame, "Sachs", 100)["lists"], "diversity")

    def draw(figure: Figure) -> None:
        plot_curves(figure.subplots(), curves, "Sachs, 100 rows", "average pairwise SHD")

    yield PaperPlot("", "Average pairwise SHD of the first networks of each list, Sachs, 100 rows.", draw)
    yield PaperTable.of(
        "Average pairwise SHD of the first networks.",
        ["networks", *LISTS],
        [(length, *(f"{curves[name][length - 1]:.2f}" for name in LISTS)) for length in LENGTHS[1:]],
    )


ITEM = Item(
    PAPER,
    "Figure 2",
    "Diversity of the k best and of modes",
    "Ten data sets of 100 rows from Sachs; the average pairwise SHD of the top networks, by their number.",
    DOES,
    DIFFERS,
    STUDY,
    show,
    (
        "As in the paper, modes with δ > 0 are far more diverse than the k best and modes with δ = 0, and more with δ "
        "= 3 than with δ = 1. With δ = 5 there are only 5.5 networks on average: among ten and 20 they are less "
        "diverse than with δ = 3 and 1.",
        "The numbers of the figure are not in the text of the paper.",
    ),
)
