"""Chapter 4 of [chen2016]: sums over orders on many processors."""

from dagscape.studies.papers.item import Item

ITEMS: tuple[Item, ...] = ()
