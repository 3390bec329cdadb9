"""Search over orders by hand: all orders, insertion by trying every place, and moves that would gain.

Families are as in ``oracles.modes``: dictionaries of exact scores by set of parents. Orders are tuples of numbers.
"""

from __future__ import annotations

import itertools

from dagscape.scores.arithmetic.fixed_point import IMPOSSIBLE
from oracles.modes import best_within, worth


def best_score(families):
    """The highest score of any order; None if no order has a possible family for each variable."""
    best = best_within(families)
    scores = [worth(best, order) for order in itertools.permutations(range(len(families)))]
    return max((score for score in scores if score is not None), default=None)


def inserted(order, variable, place):
    """The order with one variable moved to a place."""
    rest = [v for v in order if v != variable]
    return (*rest[:place], variable, *rest[place:])


def gains(families, order):
    """The moves of one variable to another place that improve an order that is possible: variable, place and gain."""
    best = best_within(families)
    present = worth(best, order)
    found = []
    for variable, place in itertools.product(order, range(len(order))):
        score = worth(best, inserted(order, variable, place))
        if score is not None and score > present:
            found.append((variable, place, score - present))
    return found


def insertion_search(families, order):
    """Move variables to their best places until none gains; return the order and its score."""
    while found := gains(families, order):
        variable, place, _ = max(found, key=lambda move: move[2])
        order = inserted(order, variable, place)
    return order, worth(best_within(families), order)


def useful_families(scores, max_parents):
    """The families of each child, by parents, that score better than all with a subset of their parents."""
    useful = []
    for child in range(scores.n):
        others = [v for v in range(scores.n) if v != child]
        exact = {
            parents: scores.family_exact(child, parents)
            for size in range(max_parents + 1)
            for parents in itertools.combinations(others, size)
        }
        useful.append(
            {
                parents: score
                for parents, score in exact.items()
                if score != IMPOSSIBLE
                and all(
                    exact[subset] < score
                    for size in range(len(parents))
                    for subset in itertools.combinations(parents, size)
                )
            }
        )
    return useful
