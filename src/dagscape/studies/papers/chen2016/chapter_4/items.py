"""The tables and figures of chapter 4 of [chen2016]."""

from __future__ import annotations

from dagscape.studies.papers.chen2016.chapter_4 import table_4_3, times
from dagscape.studies.papers.chen2016.chapter_4.runs import PAPER
from dagscape.studies.papers.item import illustration, without_data

_ILLUSTRATIONS = {
    "Figure 4.1": "The lattice of three variables",
    "Figure 4.2": "The sets of R on a hypercube",
    "Figure 4.3": "The upward zeta transform on a hypercube",
    "Figure 4.4": "The downward zeta transform on a hypercube",
    "Figure 4.5": "Where R comes from for Γ",
    "Figure 4.6": "A lattice of three variables on four processors",
    "Figure 4.7": "The upward zeta transform on fewer processors",
    "Figure 4.8": "The downward zeta transform on fewer processors",
    "Figure 4.9": "The pipeline of F and R",
}

ITEMS = (
    *(illustration(PAPER, number, title) for number, title in _ILLUSTRATIONS.items()),
    times.TABLE_4_1,
    times.FIGURE_4_10,
    times.TABLE_4_2,
    times.FIGURE_4_11,
    table_4_3.ITEM,
    without_data(
        PAPER,
        "Figure 4.12",
        "A network of the pheromone response of yeast",
        "It cannot be made again: the data (33 variables, 320 rows; Hartemink 2001) came with a program, Banjo, and no "
        "public copy was found; a sum over orders of 33 variables also needs 64 GB. With the data at hand, and such a "
        "machine, it is dagscape.posterior(scores, over='orders') and dagscape.draw with a threshold of 0.1.",
    ),
)
