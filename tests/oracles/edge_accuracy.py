"""ROC curves and calibration, directly from the definitions: every threshold, every two pairs."""

from __future__ import annotations

import itertools
import math


def labelled_pairs(probabilities, dag, feature):
    """(probability, whether it is true) of every pair of variables."""
    names = dag.variables
    holds = {
        "edges": lambda u, v: dag.has_edge(u, v),
        "adjacencies": lambda u, v: dag.has_edge(u, v) or dag.has_edge(v, u),
        "ancestors": lambda u, v: u in dag.ancestors(v),
    }[feature]
    choose = itertools.combinations if feature == "adjacencies" else itertools.permutations
    return [(probabilities[i][j], holds(names[i], names[j])) for i, j in choose(range(len(names)), 2)]


def roc_points(pairs):
    """(true positives, false positives) at each threshold, from the highest."""
    return [
        (sum(p >= t and y for p, y in pairs), sum(p >= t and not y for p, y in pairs))
        for t in sorted({p for p, _ in pairs}, reverse=True)
    ]


def area(pairs):
    """The probability that a true pair comes before another; ties count one half."""
    true, false = ([p for p, y in pairs if y is wanted] for wanted in (True, False))
    if not true or not false:
        return None
    return sum((a > b) + (a == b) / 2 for a in true for b in false) / (len(true) * len(false))


def brier(pairs):
    return sum((p - y) ** 2 for p, y in pairs) / len(pairs)


def log_loss(pairs):
    given = [p if y else 1 - p for p, y in pairs]
    return math.inf if 0 in given else -sum(map(math.log, given)) / len(given)


def bins(pairs, count):
    """For each bin: its pairs, its true pairs, and its average probability (None if it is empty)."""
    found = []
    for i in range(count):
        within = [(p, y) for p, y in pairs if i <= p * count < i + 1 or (p == 1 and i == count - 1)]
        mean = sum(p for p, _ in within) / len(within) if within else None
        found.append((len(within), sum(y for _, y in within), mean))
    return found
