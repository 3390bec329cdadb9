"""Chapter 1 of [chen2016]: introduction."""

from dagscape.studies.papers.item import Item

ITEMS: tuple[Item, ...] = ()
