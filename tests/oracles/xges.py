"""Slow, obvious versions of XGES [nazaret2024]: every move is found by listing the members of the class."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from oracles.classes import Class, Move, Score, all_classes, class_of, deletes, greedy_paths, inserts, member_score
from oracles.graphs import is_acyclic, parent_sets

KINDS = ("delete", "turn", "insert")


def turns(state: Class) -> dict[Move, Class]:
    """Every Turn(X, Y, K) by its definition: reverse Y → X, an edge of all members, in a member in which X has no other
    parents than in all members, and Y has those and K."""
    found: dict[Move, Class] = {}
    directed, undirected = state
    for dag in all_classes(len(directed))[state]:
        parents = parent_sets(dag)
        for x, above in enumerate(directed):
            for y in above:
                changed = [set(p) for p in parents]
                changed[x].remove(y)
                changed[y].add(x)
                if parents[x] == above and is_acyclic(changed):
                    clique = frozenset(parents[y]) & undirected[y]
                    after = class_of(changed)
                    assert found.setdefault((x, y, clique), after) == after
    return found


def moves(state: Class, kind: str) -> dict[Move, Class]:
    return {"delete": deletes, "turn": turns, "insert": inserts}[kind](state)


def is_barred(state: Class, pair: tuple[int, int] | None) -> bool:
    directed, undirected = state
    return pair is not None and any(u in directed[v] or u in undirected[v] for u, v in (pair, pair[::-1]))


def xges0_paths(
    state: Class,
    score: Score,
    allowed: Callable[[Class], bool] = lambda _: True,
    barred: tuple[int, int] | None = None,
) -> Iterator[Class]:
    """All classes in which XGES-0 can end, whichever of tied moves it makes."""
    before = member_score(state, score)
    for kind in KINDS:
        reached = [after for after in moves(state, kind).values() if allowed(after) and not is_barred(after, barred)]
        best = max((member_score(after, score) for after in reached), default=before)
        if best > before:
            for after in {after for after in reached if member_score(after, score) == best}:
                yield from xges0_paths(after, score, allowed, barred)
            return
    yield state


def xges(state: Class, score: Score, allowed: Callable[[Class], bool] = lambda _: True) -> Class:
    """The class in which XGES ends, if no two moves are equally good."""

    def value(found: Class) -> int:
        return member_score(found, score)

    def climb(found: Class, barred: tuple[int, int] | None = None) -> Class:
        (end,) = set(xges0_paths(found, score, allowed, barred))
        return end

    (ges,) = set(greedy_paths(state, score, ("insert", "delete"), allowed))
    state = climb(state)
    if value(ges) > value(state):
        state = climb(ges)
    improved = True
    while improved:
        improved = False
        waiting = sorted(((value(after) - value(state), move) for move, after in deletes(state).items()), reverse=True)
        for change, move in waiting:
            after = deletes(state).get(move)
            # The list may stem from a class that was left.
            if after is None or value(after) - value(state) != change or not allowed(after):
                continue
            end = climb(after, move[:2])
            if value(end) > value(state):
                state, improved = climb(end), True
    return state
