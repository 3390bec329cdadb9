"""Mode orderings by listing all orderings: by the definition, by windows, and by the definition with arrays.

Families are dictionaries of exact integer scores by set of parents, one for each child, and hold the possible ones only
(``oracles.best.possible_families``). Orderings are tuples of the numbers of variables.
"""

from __future__ import annotations

import itertools
from functools import cache

import numpy as np

from oracles.best import pattern


def kendall(first, second):
    """The number of pairs of variables that two orderings have in different order."""
    place = {v: i for i, v in enumerate(second)}
    return sum(place[u] > place[v] for u, v in itertools.combinations(first, 2))


def best_within(families):
    """Score and parents of the best family of a child within a set: ties by fewest parents, then by smaller mask."""

    @cache
    def best(child, before):
        fitting = [(-score, mask.bit_count(), mask) for mask, score in families[child].items() if mask & ~before == 0]
        if not fitting:
            return None
        cost, _, mask = min(fitting)
        return -cost, mask

    return best


def worth(best, order, before=0):
    """The score of variables that follow a set in this order; None if one of them has no family."""
    total = 0
    for v in order:
        family = best(v, before)
        if family is None:
            return None
        total += family[0]
        before |= 1 << v
    return total


def network_of(best, order):
    """The network of an ordering, as sets of parents."""
    parents, before = [0] * len(order), 0
    for v in order:
        parents[v] = best(v, before)[1]
        before |= 1 << v
    return tuple(parents)


def precedes(score, order, other_score, other):
    """Whether an ordering has a better score than another, or the same and is lexicographically smaller."""
    if score is None or other_score is None:
        return other_score is None and score is not None
    return score > other_score or (score == other_score and order < other)


def obvious_modes(families, delta):
    """The mode orderings by definition, in lexicographic order: every two orderings are compared."""
    best = best_within(families)
    scored = {order: worth(best, order) for order in itertools.permutations(range(len(families)))}
    return [
        order
        for order, score in scored.items()
        if score is not None
        and all(
            order == other or kendall(order, other) > delta or precedes(score, order, other_score, other)
            for other, other_score in scored.items()
        )
    ]


@cache
def rearrangements(size, most):
    """All permutations of a given length with at most a given number of inversions, except the identity."""
    unchanged = tuple(range(size))
    return [places for places in itertools.permutations(unchanged) if 0 < kendall(unchanged, places) <= most]


def is_mode_by_windows(best, order, delta):
    """Whether each window of δ+1 variables precedes its own permutations of at most δ inversions (theorem 1)."""
    if worth(best, order) is None:
        return False
    size = min(delta + 1, len(order))
    for start in range(len(order) - size + 1):
        before = sum(1 << v for v in order[:start])
        window = order[start : start + size]
        own = worth(best, window, before)
        for places in rearrangements(size, delta):
            other = tuple(window[place] for place in places)
            if not precedes(own, window, worth(best, other, before), other):
                return False
    return True


def modes_by_windows(families, delta):
    """The mode orderings by theorem 1, in lexicographic order."""
    best = best_within(families)
    orders = itertools.permutations(range(len(families)))
    return [order for order in orders if is_mode_by_windows(best, order, delta)]


@cache
def _neighbours(n):
    """All orderings as rows, and for each rearrangement its inversions and the row that each row turns into."""
    orders = np.array(list(itertools.permutations(range(n))), dtype=np.int64)
    weights = n ** np.arange(n, dtype=np.int64)
    row_of = np.zeros(n**n, dtype=np.int32)
    row_of[orders @ weights] = np.arange(len(orders))
    unchanged = tuple(range(n))
    ways = [
        (kendall(unchanged, places), row_of[orders[:, places] @ weights]) for places in rearrangements(n, farthest(n))
    ]
    return orders, ways


def farthest(n):
    """The largest δ of :func:`fast_modes`: all ways to rearrange seven variables would fill too much memory."""
    return n * (n - 1) // 2 if n <= 6 else 6


def fast_modes(families, delta):
    """The mode orderings by definition, best first: all orderings are rearranged in the same way at once."""
    n = len(families)
    assert delta <= farthest(n) or n <= 6
    orders, ways = _neighbours(n)
    best = best_within(families)
    scores = [worth(best, order) for order in itertools.permutations(range(n))]
    possible = np.array([score is not None for score in scores])
    costs = np.array([0 if score is None else -score for score in scores], dtype=np.int64)
    ranked = np.lexsort((costs, ~possible))  # stable: equals stay in lexicographic order
    rank = np.empty(len(orders), dtype=np.int64)
    rank[ranked] = np.arange(len(orders))
    is_mode = possible.copy()
    for inversions, other in ways:
        if inversions <= delta:
            is_mode &= rank < rank[other]
    return [tuple(orders[row].tolist()) for row in ranked if is_mode[row]]


def mode_networks(families, delta, distinct="network"):
    """The networks of the mode orderings, best first, as (score, parents, ordering); or the first of each class."""
    best = best_within(families)
    found = {}
    for order in fast_modes(families, delta):
        network = network_of(best, order)
        key = network if distinct == "network" else pattern(network)
        found.setdefault(key, (worth(best, order), network, order))
    return list(found.values())


def bound_of_groups(families, groups):
    """The highest score of a graph without a cycle within a group; None if there is none.

    It is the best ordering of each group after all other variables.
    """
    best = best_within(families)
    total = 0
    for group in groups:
        outside = ((1 << len(families)) - 1) & ~group
        members = [v for v in range(len(families)) if group >> v & 1]
        worths = [worth(best, order, outside) for order in itertools.permutations(members)]
        possible = [value for value in worths if value is not None]
        if not possible:
            return None
        total += max(possible)
    return total
