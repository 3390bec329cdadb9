"""The tables and figures of chapter 1 of [chen2016]."""

from __future__ import annotations

from dagscape.studies.papers.item import Item

ITEMS: tuple[Item, ...] = ()
