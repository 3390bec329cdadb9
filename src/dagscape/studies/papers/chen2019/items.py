"""The tables and figures of [chen2019]."""

from __future__ import annotations

from dagscape.studies.papers.item import Item

ITEMS: tuple[Item, ...] = ()
