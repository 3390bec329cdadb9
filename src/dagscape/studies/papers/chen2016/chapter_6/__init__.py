"""Chapter 6 of [chen2016]: prerequisites of skills (COMMAND)."""

from dagscape.studies.papers.item import Item

ITEMS: tuple[Item, ...] = ()
