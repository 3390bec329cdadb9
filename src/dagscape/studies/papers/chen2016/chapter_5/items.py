"""The tables and figures of chapter 5 of [chen2016]."""

from __future__ import annotations

from dagscape.studies.papers.chen2016.chapter_5 import figure_5_5, figure_5_6, table_5_1, table_5_2
from dagscape.studies.papers.chen2016.chapter_5.runs import PAPER
from dagscape.studies.papers.item import illustration

ITEMS = (
    illustration(PAPER, "Figure 5.1", "Two equivalent DAGs with different numbers of orders"),
    illustration(PAPER, "Figure 5.2", "DAGs by the descendants of a variable"),
    illustration(PAPER, "Figure 5.3", "The first case of the recursion"),
    illustration(PAPER, "Figure 5.4", "The two parts of the second case"),
    table_5_1.ITEM,
    figure_5_5.ITEM,
    figure_5_6.ITEM,
    table_5_2.ITEM,
)
