"""The tables and figures of [tian2009]."""

from __future__ import annotations

from dagscape.studies.papers.item import Item

ITEMS: tuple[Item, ...] = ()
