"""The tables and figures of [chen2016], by chapters."""

from __future__ import annotations

from dagscape.studies.papers.chen2016.chapter_1 import items as chapter_1
from dagscape.studies.papers.chen2016.chapter_2 import items as chapter_2
from dagscape.studies.papers.chen2016.chapter_3 import items as chapter_3
from dagscape.studies.papers.chen2016.chapter_4 import items as chapter_4
from dagscape.studies.papers.chen2016.chapter_5 import items as chapter_5
from dagscape.studies.papers.chen2016.chapter_6 import items as chapter_6

ITEMS = (
    *chapter_1.ITEMS,
    *chapter_2.ITEMS,
    *chapter_3.ITEMS,
    *chapter_4.ITEMS,
    *chapter_5.ITEMS,
    *chapter_6.ITEMS,
)
