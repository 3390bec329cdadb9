"""The ratio rule by listing the class and removing members that contradict an edge: algorithm 6.1 of Chen's
dissertation, lines 11 to 31."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import dagscape as ds
from oracles.graphs import Parents, parent_sets

Edge = tuple[int, int]


def ratio(lacking: Sequence[float], i: int, j: int) -> float:
    """P(S_j = 0 | S_i = 0) / P(S_i = 0 | S_j = 0) = P(S_j = 0) / P(S_i = 0), with decisions about zeros."""
    if lacking[i] == lacking[j]:
        return 1.0
    return math.inf if lacking[i] == 0 else lacking[j] / lacking[i]


def reversible_edges(members: Sequence[Parents]) -> list[Edge]:
    """The edges on which the members disagree, each once, in the order of the variables."""
    n = len(members[0])
    return [
        (i, j)
        for i in range(n)
        for j in range(i + 1, n)
        if any(i in member[j] for member in members) and any(j in member[i] for member in members)
    ]


def discriminate(
    dags: Iterable[ds.Dag], lacking: Sequence[float], required: Iterable[Edge] = (), forbidden: Iterable[Edge] = ()
) -> tuple[Parents, list[tuple[int, int, float, float, str]]] | None:
    """The member that remains, and for each reversible edge its source, target, ratio, ratio* and what decided it.

    None if no member meets the constraints.
    """
    candidates = [parent_sets(dag) for dag in dags]
    edges = reversible_edges(candidates)
    candidates = [
        member
        for member in candidates
        if all(u in member[v] for u, v in required) and not any(u in member[v] for u, v in forbidden)
    ]
    if not candidates:
        return None
    undecided = reversible_edges(candidates)
    queue = []
    for i, j in edges:
        found = ratio(lacking, i, j)
        queue.append((found, (i, j)) if found >= 1 else (ratio(lacking, j, i), (j, i)))
    queue.sort(key=lambda entry: (-entry[0], min(entry[1]), max(entry[1])))
    reasons = {}
    for star, (u, v) in queue:
        pair = min(u, v), max(u, v)
        contradicting = [member for member in candidates if u not in member[v]]
        agreeing = [member for member in candidates if u in member[v]]
        reasons[pair] = "constraints" if pair not in undecided else "other edges"
        if agreeing and contradicting:
            reasons[pair] = "ratio"
        if agreeing:
            candidates = agreeing
        reasons[pair] = (reasons[pair], star)
    (remaining,) = candidates
    listed = []
    for _, (u, v) in queue:
        source, target = (u, v) if u in remaining[v] else (v, u)
        reason, star = reasons[min(u, v), max(u, v)]
        listed.append((source, target, ratio(lacking, source, target), star, reason))
    return remaining, listed
