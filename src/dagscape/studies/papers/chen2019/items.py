"""The tables and figures of [chen2019]."""

from __future__ import annotations

from dagscape.studies.papers.chen2019 import figure_2, figure_3, figure_4, table_1
from dagscape.studies.papers.chen2019.runs import PAPER
from dagscape.studies.papers.item import Item, illustration

ITEMS: tuple[Item, ...] = (
    illustration(PAPER, "Figure 1", "Modes under different δ"),
    figure_2.ITEM,
    figure_3.ITEM,
    table_1.ITEM,
    figure_4.ITEM,
)
