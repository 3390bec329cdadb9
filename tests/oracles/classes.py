"""Slow, obvious versions of the search over equivalence classes: classes as sets of DAGs, moves by listing members.

A class is the tuple of its CPDAG (directed, undirected) as sets of parents and of neighbours.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from functools import cache

import dagscape as ds
from oracles.graphs import Parents, all_dags, check_equivalence, is_acyclic, parent_sets

Move = tuple[int, int, frozenset[int]]
Class = tuple[tuple[frozenset[int], ...], tuple[frozenset[int], ...]]


@cache
def all_classes(n: int) -> dict[Class, tuple[ds.Dag, ...]]:
    """Every class on n variables with its members."""
    by_skeleton: dict[tuple[frozenset[frozenset[int]], int], list[list[ds.Dag]]] = {}
    for dag in all_dags(n):
        edges = frozenset(frozenset((u, v)) for v, above in enumerate(parent_sets(dag)) for u in above)
        alike = by_skeleton.setdefault((edges, len(dag.v_structures())), [])
        for members in alike:
            if check_equivalence(members[0], dag):
                members.append(dag)
                break
        else:
            alike.append([dag])
    classes = [tuple(members) for alike in by_skeleton.values() for members in alike]
    return {completed(members): members for members in classes}


def completed(members: tuple[ds.Dag, ...]) -> Class:
    """The CPDAG of a class: an edge is directed if all members agree."""
    sets = [parent_sets(dag) for dag in members]
    directed, undirected = [], []
    for v in range(members[0].n):
        agreed = frozenset.intersection(*(frozenset(parents[v]) for parents in sets))
        near = {u for parents in sets for u in parents[v]} | {u for p in sets for u in range(len(p)) if v in p[u]}
        always_below = {u for u in near if all(v in parents[u] for parents in sets)}
        directed.append(agreed)
        undirected.append(frozenset(near - agreed - always_below))
    return tuple(directed), tuple(undirected)


def class_of(parents: Parents) -> Class:
    """The class of a DAG, by looking for it in the list of all."""
    dag = ds.Dag(tuple(f"v{i}" for i in range(len(parents))), tuple(sum(1 << u for u in above) for above in parents))
    return _class_by_dag(dag.n)[dag.parent_masks]


@cache
def _class_by_dag(n: int) -> dict[tuple[int, ...], Class]:
    return {dag.parent_masks: state for state, members in all_classes(n).items() for dag in members}


def adjacent(state: Class, u: int, v: int) -> bool:
    directed, undirected = state
    return u in directed[v] or v in directed[u] or u in undirected[v]


def inserts(state: Class) -> dict[Move, Class]:
    """Every Insert(X, Y, K) by its definition: add X → Y to a member in which K ∪ Pa(Y) are the parents of Y."""
    found: dict[Move, Class] = {}
    directed, undirected = state
    for dag in all_classes(len(directed))[state]:
        parents = parent_sets(dag)
        for x, y in itertools.permutations(range(dag.n), 2):
            if adjacent(state, x, y):
                continue
            clique = frozenset(parents[y]) & undirected[y]
            common = {z for z in undirected[y] if adjacent(state, z, x)}
            changed = [above | {x} if v == y else above for v, above in enumerate(parents)]
            if common <= clique and is_acyclic(changed):
                after = class_of(changed)
                assert found.setdefault((x, y, clique), after) == after
    return found


def deletes(state: Class) -> dict[Move, Class]:
    """Every Delete(X, Y, K) by its definition: remove X → Y from a member whose other parents of Y are K ∪ Pa(Y)."""
    found: dict[Move, Class] = {}
    directed, undirected = state
    for dag in all_classes(len(directed))[state]:
        parents = parent_sets(dag)
        for y, above in enumerate(parents):
            for x in above:
                clique = frozenset(above - {x}) & undirected[y]
                after = class_of([above - {x} if v == y else others for v, others in enumerate(parents)])
                assert found.setdefault((x, y, clique), after) == after
    return found


def neighbours(state: Class, *, forward: bool) -> set[Class]:
    """All classes one edge away: add an edge to any member, or remove one from it."""
    found = set()
    for dag in all_classes(len(state[0]))[state]:
        parents = parent_sets(dag)
        for x, y in itertools.permutations(range(dag.n), 2):
            if forward and not adjacent(state, x, y):
                changed = [above | {x} if v == y else above for v, above in enumerate(parents)]
            elif not forward and x in parents[y]:
                changed = [above - {x} if v == y else above for v, above in enumerate(parents)]
            else:
                continue
            if is_acyclic(changed):
                found.add(class_of(changed))
    return found


def is_eq1(state: Class, move: Move) -> bool:
    """Whether an Insert is one of EQ1's three operators, as the paper defines them."""
    directed, undirected = state
    x, y, clique = move
    common = {z for z in undirected[y] if adjacent(state, z, x)}
    orientated = clique - common
    if directed[x] == directed[y] and not orientated:
        return True  # Operator 3: X - Y.
    if not common and not orientated:
        return True  # Operator 1: X → Y.
    return not common and len(orientated) == 1  # Operator 2: X → Y ← Z.


Score = Callable[[int, frozenset[int]], int]


def member_score(state: Class, score: Score) -> int:
    """The score of the class: that of any member."""
    members = all_classes(len(state[0]))[state]
    totals = {sum(score(v, frozenset(above)) for v, above in enumerate(parent_sets(dag))) for dag in members}
    assert len(totals) == 1
    return totals.pop()


def best_steps(
    state: Class, score: Score, kind: str, allowed: Callable[[Class], bool] = lambda _: True
) -> tuple[int, dict[Move, Class]]:
    """The largest improvement of the score, and the moves that reach it; none if no move improves the score."""
    before = member_score(state, score)
    steps = deletes(state) if kind == "delete" else inserts(state)
    differences = {
        move: member_score(after, score) - before
        for move, after in steps.items()
        if (kind != "eq1" or is_eq1(state, move)) and allowed(after)
    }
    best = max([0, *differences.values()])
    chosen = {move: steps[move] for move, difference in differences.items() if difference == best > 0}
    return best, chosen


def greedy_paths(
    state: Class, score: Score, kinds: tuple[str, ...], allowed: Callable[[Class], bool] = lambda _: True
) -> Iterator[Class]:
    """All classes in which a greedy search can end, whichever of tied moves it makes."""
    if not kinds:
        yield state
        return
    _, steps = best_steps(state, score, kinds[0], allowed)
    if not steps:
        yield from greedy_paths(state, score, kinds[1:], allowed)
    for after in set(steps.values()):
        yield from greedy_paths(after, score, kinds, allowed)
