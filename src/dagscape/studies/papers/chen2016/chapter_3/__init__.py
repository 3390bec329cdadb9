"""Chapter 3 of [chen2016]: the k best equivalence classes."""

from dagscape.studies.papers.item import Item

ITEMS: tuple[Item, ...] = ()
