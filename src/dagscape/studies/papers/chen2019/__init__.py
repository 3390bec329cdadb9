"""Chen and Yuan (2019): learning diverse Bayesian networks (modes)."""

from dagscape.studies.papers.item import Item

ITEMS: tuple[Item, ...] = ()
