"""Chapter 2 of [chen2016]: curriculum learning."""

from dagscape.studies.papers.item import Item

ITEMS: tuple[Item, ...] = ()
