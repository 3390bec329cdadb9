"""Ancestor relations over orders: each adds one variable after the other, and says who descends from the source."""

from __future__ import annotations

import itertools
import math
from functools import cache

import numpy as np


def order_ancestors(scores):
    """``[s, t]`` is P(s ~> t): sums over all orders, kept apart by the variables so far and the descendants of s."""
    n = scores.n
    highest = [max(family.score for family in scores.families(name)) for name in scores.variables]
    weights = [
        {
            frozenset(map(scores.variables.index, family.parents)): math.exp(family.score - highest[v])
            for family in scores.families(name)
        }
        for v, name in enumerate(scores.variables)
    ]

    @cache
    def within(v, allowed):
        """The weight of all parent sets of v among some variables."""
        sizes = range(min(len(allowed), scores.max_parents) + 1)
        sets = itertools.chain.from_iterable(itertools.combinations(sorted(allowed), size) for size in sizes)
        return math.fsum(weights[v].get(frozenset(parents), 0.0) for parents in sets)

    found = np.zeros((n, n))
    for s in range(n):
        # By the variables so far, and those of them that descend from s.
        states = {(frozenset(), frozenset()): 1.0}
        for _ in range(n):
            following: dict = {}
            for (before, below), weight in states.items():
                touched = below | ({s} & before)
                for v in set(range(n)) - before:
                    apart = within(v, before - touched)
                    for joins, part in ((False, apart), (True, within(v, before) - apart)):
                        key = before | {v}, below | {v} if joins else below
                        following[key] = following.get(key, 0.0) + weight * part
            states = following
        total = math.fsum(states.values())
        for (_, below), weight in states.items():
            for t in below:
                found[s, t] += weight / total
    return found
