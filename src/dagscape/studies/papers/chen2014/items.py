"""The tables and figures of [chen2014]."""

from __future__ import annotations

from dagscape.studies.papers.chen2014 import figure_1, table_1

ITEMS = (table_1.ITEM, figure_1.ITEM)
