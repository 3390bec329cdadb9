"""The tables and figures of [munteanu2000]."""

from __future__ import annotations

from dagscape.studies.papers.item import illustration
from dagscape.studies.papers.munteanu2000 import table_1, table_2, table_3, table_4

ITEMS = (
    illustration("munteanu2000", "Figure 1", "How greedy search goes astray"),
    illustration("munteanu2000", "Figure 2", "The configurations of directed edges in an essential graph"),
    table_1.ITEM,
    table_2.ITEM,
    table_3.ITEM,
    table_4.ITEM,
)
