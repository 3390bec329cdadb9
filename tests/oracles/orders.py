"""Search over orders by hand: all orders, insertion by trying every place, and moves that would gain.

Families are as in ``oracles.modes``: dictionaries of exact scores by set of parents. Orders are tuples of numbers.
"""

from __future__ import annotations

import itertools

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
