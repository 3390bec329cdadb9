"""The tables and figures of chapter 2 of [chen2016]."""

from __future__ import annotations

from dagscape.studies.papers.chen2016.chapter_2 import (
    figure_2_1,
    figure_2_2,
    figure_2_3,
    section_2_6,
    table_2_1,
    table_2_2,
    table_2_3,
    table_2_4,
    table_2_5,
)

ITEMS = (
    figure_2_1.ITEM,
    table_2_1.ITEM,
    table_2_2.ITEM,
    figure_2_2.ITEM,
    table_2_3.ITEM,
    figure_2_3.ITEM,
    table_2_4.ITEM,
    table_2_5.ITEM,
    section_2_6.ITEM,
)
