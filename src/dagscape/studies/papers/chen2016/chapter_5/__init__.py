"""Chapter 5 of [chen2016]: ancestor relations."""

from dagscape.studies.papers.item import Item

ITEMS: tuple[Item, ...] = ()
