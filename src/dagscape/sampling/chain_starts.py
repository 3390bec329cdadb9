"""Networks from which Markov chains start: a good one, and others far from it and from each other."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from dagscape.core.errors import InvalidData
from dagscape.core.masks import bits
from dagscape.graphs.dag import Dag
from dagscape.sampling.chain_lists import ChainLists

Start = list[list[int]]

_MOST_ORDERS = 1000


def listed_start(lists: ChainLists, network: Dag) -> Start:
    """Return a network with listed families: each variable keeps its best listed family within its parents."""
    start: Start = []
    for child, mask in enumerate(network.parent_masks):
        start.append(_best_within(lists, child, list(bits(mask)), network.variables))
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


def _best_for_order(lists: ChainLists, variables: tuple[str, ...], order: list[int]) -> Start:
    start: Start = [[] for _ in order]
    before: set[int] = set()
    for child in order:
        start[child] = _best_within(lists, child, before, variables)
        before.add(child)
    return start


def _best_within(lists: ChainLists, child: int, allowed: Collection[int], variables: tuple[str, ...]) -> list[int]:
    """Return the parents of the heaviest listed family that needs allowed variables only; of equals, the first."""
    listed = lists.children[child]
    barred = np.ones(len(variables), dtype=np.int64)
    barred[list(allowed)] = 0
    ends = np.cumsum(listed.sizes)
    counts = np.concatenate([[0], np.cumsum(barred[listed.parents])])
    fitting = np.flatnonzero(counts[ends] == counts[ends - listed.sizes])
    if not len(fitting):
        raise InvalidData(f"no listed family of {variables[child]!r} fits the first network")
    best = int(fitting[np.argmax(listed.scores[fitting])])
    parents: list[int] = listed.parents[ends[best] - listed.sizes[best] : ends[best]].tolist()
    return parents
