"""Posteriors by summing over every DAG, or over every order and every DAG that agrees with it."""

from __future__ import annotations

import itertools
import math

import numpy as np

import dagscape as ds
from oracles.graphs import all_dags


def possible_dags(scores):
    """Every DAG whose families are all possible, with its log weight and its parents as sets."""
    for dag in all_dags(scores.n):
        parents = [{u for u in range(dag.n) if mask >> u & 1} for mask in dag.parent_masks]
        if any(len(above) > scores.max_parents for above in parents):
            continue
        families = [scores.family(child, sorted(above)) for child, above in enumerate(parents)]
        if -math.inf not in families:
            yield ds.Dag(scores.variables, dag.parent_masks), math.fsum(families), parents


def orders_of(parents):
    return sum(
        all(order.index(p) < order.index(c) for c, above in enumerate(parents) for p in above)
        for order in itertools.permutations(range(len(parents)))
    )


def posterior(scores: ds.LocalScores, over: str):
    """ln of the total, edge probabilities and ancestor probabilities."""
    n = scores.n
    found = []
    for dag, log_weight, parents in possible_dags(scores):
        times = orders_of(parents) if over == "orders" else 1
        found.append((log_weight + math.log(times), dag))
    highest = max(log_weight for log_weight, _ in found)
    weights = [math.exp(log_weight - highest) for log_weight, _ in found]
    total = math.fsum(weights)
    edges, ancestors = np.zeros((n, n)), np.zeros((n, n))
    for weight, (_, dag) in zip(weights, found, strict=True):
        edges += weight / total * dag.to_adjacency()
        for target, mask in enumerate(dag.ancestor_masks()):
            for source in range(n):
                if mask >> source & 1:
                    ancestors[source, target] += weight / total
    return highest + math.log(total), edges, ancestors
