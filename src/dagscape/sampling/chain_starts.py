"""Networks from which Markov chains start: a good one, and others far from it and from each other."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from dagscape.core.errors import InvalidData
from dagscape.core.masks import bits
from dagscape.graphs.dag import Dag
from dagscape.sampling.chain_lists import ChainLists
from dagscape.scores.tables.local_scores import LocalScores

Start = list[list[int]]

# Orders that are tried.
_MOST_ORDERS = 100


def listed_start(lists: ChainLists, network: Dag) -> Start:
    """Return a network with listed families: each variable keeps its best listed family within its parents."""
    start: Start = []
    for child, mask in enumerate(network.parent_masks):
        parents = _best_within(lists, child, list(bits(mask)))
        if parents is None:
            raise InvalidData(f"no family of {network.variables[child]!r} fits the first network")
        start.append(parents)
    return start


def random_start(lists: ChainLists, scores: LocalScores, rng: np.random.Generator) -> Start | None:
    """Return the best listed families for a random order of the variables, in which required parents come first.

    Scores from elsewhere may lack so many families that few orders allow one for each variable. Then some orders are
    tried, and None is returned if none does.
    """
    for _ in range(_MOST_ORDERS):
        start = _for_order(lists, _random_order(scores.constraints.required, rng))
        if start is not None:
            return start
    return None


def _for_order(lists: ChainLists, order: Sequence[int]) -> Start | None:
    start: Start = [[] for _ in order]
    before: list[int] = []
    for child in order:
        parents = _best_within(lists, child, before)
        if parents is None:
            return None
        start[child] = parents
        before.append(child)
    return start


def _random_order(required: Sequence[Collection[int]], rng: np.random.Generator) -> list[int]:
    left, order = list(range(len(required))), []
    while left:
        ready = [v for v in left if not {*left} & {*required[v]}]
        order.append(ready[int(rng.integers(len(ready)))])
        left.remove(order[-1])
    return order


def _best_within(lists: ChainLists, child: int, allowed: Collection[int]) -> list[int] | None:
    """Return the parents of the heaviest listed family that needs allowed variables only; of equals, the first."""
    listed = lists.children[child]
    barred = np.ones(len(lists.children), dtype=np.int64)
    barred[list(allowed)] = 0
    ends = np.cumsum(listed.sizes)
    counts = np.concatenate([[0], np.cumsum(barred[listed.parents])])
    fitting = np.flatnonzero(counts[ends] == counts[ends - listed.sizes])
    if not len(fitting):
        return None
    best = int(fitting[np.argmax(listed.scores[fitting])])
    parents: list[int] = listed.parents[ends[best] - listed.sizes[best] : ends[best]].tolist()
    return parents
