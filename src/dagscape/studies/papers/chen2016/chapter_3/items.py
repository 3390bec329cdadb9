"""The tables and figures of chapter 3 of [chen2016]."""

from __future__ import annotations

from dagscape.studies.papers.chen2014.table_1 import item as table
from dagscape.studies.papers.chen2016.chapter_3 import figure_3_3, figure_3_4, figure_3_5
from dagscape.studies.papers.item import illustration

ITEMS = (
    illustration("chen2016", "Figure 3.1", "The dynamic program over four variables"),
    illustration("chen2016", "Figure 3.2", "How the two best classes of four variables are found"),
    table("chen2016", "Table 3.1"),
    figure_3_3.ITEM,
    figure_3_4.ITEM,
    figure_3_5.ITEM,
)
