"""Networks from which Markov chains start: a good one, and others far from it and from each other."""

from __future__ import annotations

import numpy as np

from dagscape.core.errors import InvalidData
from dagscape.core.masks import bits
from dagscape.graphs.dag import Dag
from dagscape.sampling.chain_lists import ChainLists, Parents

Start = list[list[int]]


def listed_start(lists: ChainLists, network: Dag) -> Start:
    """Return a network with listed families: each variable keeps its best listed family within its parents."""
    start: Start = []
    for child, mask in enumerate(network.parent_masks):
        start.append(_best_within(lists, child, frozenset(bits(mask)), network.variables))
    return start


def random_start(lists: ChainLists, variables: tuple[str, ...], rng: np.random.Generator) -> Start:
    """Return the best listed families for a random order of the variables.

    If edges are required, an order may allow a variable none of its families; others are tried then.
    """
    for _ in range(_MOST_ORDERS):
        try:
            return _best_for_order(lists, variables, rng.permutation(len(variables)).tolist())
        except InvalidData:
            continue
    raise InvalidData("no order of the variables was found that allows a listed family for each")


_MOST_ORDERS = 1000


def _best_for_order(lists: ChainLists, variables: tuple[str, ...], order: list[int]) -> Start:
    start: Start = [[] for _ in order]
    before: set[int] = set()
    for child in order:
        start[child] = _best_within(lists, child, frozenset(before), variables)
        before.add(child)
    return start


def _best_within(lists: ChainLists, child: int, allowed: frozenset[int], variables: tuple[str, ...]) -> list[int]:
    best: tuple[int, Parents] | None = None
    for parents, score in lists.families(child):
        if allowed.issuperset(parents) and (best is None or score > best[0]):
            best = score, parents
    if best is None:
        raise InvalidData(f"no listed family of {variables[child]!r} fits the first network")
    return list(best[1])
