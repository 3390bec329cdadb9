"""Tian and He (2009): posterior probabilities of structural features, by sums over DAGs."""

from dagscape.studies.papers.item import Item

ITEMS: tuple[Item, ...] = ()
