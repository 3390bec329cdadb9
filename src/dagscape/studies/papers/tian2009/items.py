"""The tables and figures of [tian2009]."""

from __future__ import annotations

from dagscape.studies.papers.item import illustration
from dagscape.studies.papers.tian2009 import figure_4, figures_5_6, table_1
from dagscape.studies.papers.tian2009.runs import PAPER

ITEMS = (
    illustration(PAPER, "Figure 1", "How the recursion over roots splits a DAG"),
    illustration(PAPER, "Figure 2", "How the recursion over sinks splits a DAG"),
    illustration(
        PAPER,
        "Figure 3",
        "The algorithm",
        "It is the algorithm: dagscape.posterior has its recurrences, and its tests compare them with all DAGs.",
    ),
    table_1.ITEM,
    figure_4.ITEM,
    figures_5_6.FIGURE_5,
    figures_5_6.FIGURE_6,
)
