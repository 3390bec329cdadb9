"""The tables and figures of [chen2014]."""

from __future__ import annotations

from dagscape.studies.papers.item import Item

ITEMS: tuple[Item, ...] = ()
