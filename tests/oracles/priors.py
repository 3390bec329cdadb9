"""General structure priors and weights of orders, by their definitions: one DAG, one order at a time."""

from __future__ import annotations

import itertools
import math
from functools import cache

import numpy as np

import dagscape as ds
from oracles.posterior import possible_dags


def family_prior(names, child, parents, odds=None, weight=None, size=None):
    """The log prior of a family: log-odds of edges, the weight of the family, and a term of its size."""
    terms = [] if odds is None else [odds[parent, child] for parent in parents]
    if weight is not None:
        terms.append(weight(names[child], tuple(names[parent] for parent in sorted(parents))))
    if size is not None:
        terms.append(size(len(names), len(parents)))
    return -math.inf if -math.inf in terms else math.fsum(terms)


def weighted_dags(plain: ds.LocalScores, data=True, **prior):
    """Every possible DAG of scores without a prior, with its log weight under a prior, with or without the data."""
    found = []
    for dag, score, parents in _listed(plain):
        logs = [family_prior(plain.variables, child, above, **prior) for child, above in enumerate(parents)]
        if -math.inf not in logs:
            found.append((dag, (score if data else 0.0) + math.fsum(logs), parents))
    return found


@cache
def _listed(plain):
    return list(possible_dags(plain))


def agrees(order, parents):
    place = {variable: i for i, variable in enumerate(order)}
    return all(place[parent] < place[child] for child, above in enumerate(parents) for parent in above)


def order_weight(names, order, q):
    """The log weight of an order: the sum over its variables, each with those before it, in the order of the names."""
    logs = [q(names[v], tuple(names[u] for u in sorted(order[:i]))) for i, v in enumerate(order)]
    return -math.inf if -math.inf in logs else math.fsum(logs)


def posterior_of(weighted, over="dags", names=(), q=None):
    """The log total, and the probabilities of edges and ancestor relations, of DAGs with log weights."""
    dags, logs = [], []
    n = len(weighted[0][2])
    orders = {order: order_weight(names, order, q) if q else 0.0 for order in itertools.permutations(range(n))}
    for dag, log, parents in weighted:
        of_orders = (
            [weight for order, weight in orders.items() if agrees(order, parents)] if over == "orders" else [0.0]
        )
        if (more := np.logaddexp.reduce(of_orders)) != -math.inf:
            dags.append(dag)
            logs.append(log + more)
    highest = max(logs)
    shares = np.exp(np.array(logs) - highest)
    total = math.fsum(shares)
    edges, ancestors = np.zeros((n, n)), np.zeros((n, n))
    for share, dag in zip(shares / total, dags, strict=True):
        edges += share * dag.to_adjacency()
        ancestors += share * np.array([[mask >> source & 1 for mask in dag.ancestor_masks()] for source in range(n)])
    return highest + math.log(total), edges, ancestors
