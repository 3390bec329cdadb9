"""Slow, obvious versions of graph algorithms: sets of edges, all paths, all graphs."""

from __future__ import annotations

import itertools
from fractions import Fraction
from functools import cache

import numpy as np

import dagscape as ds

Parents = list[set[int]]


def is_acyclic(parents: Parents) -> bool:
    left = set(range(len(parents)))
    while left:
        sources = {v for v in left if not parents[v] & left}
        if not sources:
            return False
        left -= sources
    return True


@cache
def all_dags(n: int) -> tuple[ds.Dag, ...]:
    """Every DAG on n variables: each pair of variables has one of three states."""
    names = [f"v{i}" for i in range(n)]
    pairs = list(itertools.combinations(range(n), 2))
    found = []
    for states in itertools.product((None, "forward", "backward"), repeat=len(pairs)):
        parents: Parents = [set() for _ in range(n)]
        for (u, v), state in zip(pairs, states, strict=True):
            if state == "forward":
                parents[v].add(u)
            elif state == "backward":
                parents[u].add(v)
        if is_acyclic(parents):
            found.append(ds.Dag(tuple(names), tuple(sum(1 << p for p in above) for above in parents)))
    return tuple(found)


def consensus_sum(dag: ds.Dag, gains: dict[tuple[int, int], Fraction]) -> Fraction:
    """The sum of the gains of the edges of a DAG."""
    return sum((gains[u, v] for v, above in enumerate(parent_sets(dag)) for u in above), Fraction(0))


def consensus_gains(probabilities: np.ndarray) -> dict[tuple[int, int], Fraction]:
    """P(u → v) - ½ for every pair, exactly."""
    return {pair: Fraction(float(p)) - Fraction(1, 2) for pair, p in np.ndenumerate(probabilities)}


def disjoint_union(dags: list[ds.Dag], places: list[int]) -> ds.Dag:
    """The disjoint union of DAGs, their variables in turn at the given places."""
    parents = [0] * len(places)
    start = 0
    for dag in dags:
        at = places[start : start + dag.n]
        for v in range(dag.n):
            parents[at[v]] = sum(1 << at[u] for u in parent_sets(dag)[v])
        start += dag.n
    return ds.Dag(tuple(f"X{i}" for i in range(len(places))), tuple(parents))


def parent_sets(dag: ds.Dag) -> Parents:
    return [{u for u in range(dag.n) if mask >> u & 1} for mask in dag.parent_masks]


def check_equivalence(first: ds.Dag, second: ds.Dag) -> bool:
    """Algorithm A.1 of Chen's dissertation, line by line."""
    a, b = parent_sets(first), parent_sets(second)
    for one, other in ((a, b), (b, a)):
        for v in range(len(one)):
            for u in one[v]:
                if u not in other[v] and v not in other[u]:
                    return False
    for one, other in ((a, b), (b, a)):
        for v in range(len(one)):
            for u, w in itertools.combinations(one[v], 2):
                unmarried = u not in one[w] and w not in one[u]
                if unmarried and (u not in other[v] or w not in other[v]):
                    return False
    return True


def after_move(parents: Parents, kind: str, parent: int, child: int) -> Parents | None:
    """The graph after a move; None if that is not another DAG."""
    if (kind == "add") == (parent in parents[child]) or parent == child:
        return None
    changed = [set(above) for above in parents]
    if kind == "add":
        changed[child].add(parent)
    else:
        changed[child].remove(parent)
    if kind == "reverse":
        changed[parent].add(child)
    return changed if is_acyclic(changed) else None


def descendants(parents: Parents, v: int) -> set[int]:
    found = {v}
    while True:
        more = {c for c in range(len(parents)) if parents[c] & found} | found
        if more == found:
            return found
        found = more


def d_separated(dag: ds.Dag, x: int, y: int, given: set[int]) -> bool:
    """Whether every path between x and y is blocked, by walking along every path."""
    parents = parent_sets(dag)
    neighbours = [parents[v] | {c for c in range(dag.n) if v in parents[c]} for v in range(dag.n)]

    def paths(path: list[int]):
        if path[-1] == y:
            yield path
            return
        for step in neighbours[path[-1]] - set(path):
            yield from paths([*path, step])

    for path in paths([x]):
        blocked = False
        for before, middle, after in zip(path, path[1:], path[2:], strict=False):
            collider = before in parents[middle] and after in parents[middle]
            if collider:
                blocked |= not descendants(parents, middle) & given
            else:
                blocked |= middle in given
        if not blocked:
            return False
    return True


def compare_dags(found: ds.Dag, truth: ds.Dag) -> dict[str, float]:
    """Return all measures between two DAGs as DAGs, by looking at every pair of variables."""
    added = removed = turned = same = 0
    for u, v in itertools.combinations(truth.variables, 2):
        first = found.has_edge(u, v) - found.has_edge(v, u)
        second = truth.has_edge(u, v) - truth.has_edge(v, u)
        added += first != 0 and second == 0
        removed += first == 0 and second != 0
        turned += first * second == -1
        same += first * second == 1
    return {
        "shd": added + removed + turned,
        "a_plus": added,
        "a_minus": removed,
        "vs_plus": len(_colliders(found) - _colliders(truth)),
        "vs_minus": len(_colliders(truth) - _colliders(found)),
        **_agreement("adjacency", same + turned, added, removed),
        **_agreement("orientation", same, added + turned, removed + turned),
        "reversed": turned,
        "same_direction": same / (same + turned) if same + turned else 1.0,
    }


def _colliders(dag: ds.Dag) -> set[tuple[frozenset[str], str]]:
    return {(frozenset((a, b)), child) for a, child, b in dag.v_structures()}


def _agreement(what: str, both: int, only_found: int, only_true: int) -> dict[str, float]:
    precision = both / (both + only_found) if both + only_found else float(only_true == 0)
    recall = both / (both + only_true) if both + only_true else float(only_found == 0)
    all_counted = 2 * both + only_found + only_true
    return {
        f"precision_{what}": precision,
        f"recall_{what}": recall,
        f"f1_{what}": 2 * both / all_counted if all_counted else 1.0,
    }
