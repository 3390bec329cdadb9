"""Slow, obvious versions of BOSS [andrews2023] and GRaSP [lam2022]: every order is scored from scratch.

``score(child, parents)`` is an exact score. ``lots`` decides between equally good candidates.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dagscape.scores.arithmetic.fixed_point import IMPOSSIBLE

Score = Callable[[int, frozenset[int]], int]


def grow_shrink(
    score: Score, child: int, within: frozenset[int], lots: Sequence[int], required: frozenset[int] = frozenset()
) -> frozenset[int]:
    """Add the best candidate of a set while that improves the score; then remove the worst parent while that does."""
    parents = required
    while candidates := within - parents:
        best = min(candidates, key=lambda v: (-score(child, parents | {v}), lots[v]))
        if score(child, parents | {best}) <= score(child, parents):
            break
        parents |= {best}
    while parents:
        worst = min(parents, key=lambda v: (-score(child, parents - {v}), lots[v]))
        if score(child, parents - {worst}) <= score(child, parents):
            break
        parents -= {worst}
    return parents


def network_of(
    score: Score, order: Sequence[int], lots: Sequence[int], required: Sequence[frozenset[int]] | None = None
) -> list[frozenset[int]]:
    """The parents of each variable among those before it."""
    required = required or [frozenset()] * len(order)
    parents: list[frozenset[int]] = [frozenset()] * len(order)
    for place, child in enumerate(order):
        parents[child] = grow_shrink(score, child, frozenset(order[:place]), lots, required[child])
    return parents


def order_score(
    score: Score, order: Sequence[int], lots: Sequence[int], required: Sequence[frozenset[int]] | None = None
) -> int:
    return sum(score(child, parents) for child, parents in enumerate(network_of(score, order, lots, required)))


def respects(order: Sequence[int], required: Sequence[frozenset[int]]) -> bool:
    return all(order.index(u) < order.index(v) for v in order for u in required[v])


def best_place(
    score: Score, order: Sequence[int], v: int, lots: Sequence[int], required: Sequence[frozenset[int]] | None = None
) -> int:
    """The place of a variable with the highest score: its own, or else the first."""
    required = required or [frozenset()] * len(order)
    rest = [w for w in order if w != v]
    places = {}
    for place in range(len(order)):
        moved = [*rest[:place], v, *rest[place:]]
        if respects(moved, required):
            places[place] = order_score(score, moved, lots, required)
    own = list(order).index(v)
    best = max(places.values())
    return own if places[own] == best else min(place for place, exact in places.items() if exact == best)


def possible(exact: int) -> int:
    """An impossible family is worse than all others, but sums with it can be compared."""
    return -(10**30) if exact == IMPOSSIBLE else exact


def ancestors(parents: Sequence[frozenset[int]], v: int) -> frozenset[int]:
    found: frozenset[int] = frozenset()
    ahead = parents[v]
    while ahead:
        found |= ahead
        ahead = frozenset().union(*(parents[u] for u in ahead)) - found
    return found


def is_singular(parents: Sequence[frozenset[int]], x: int, y: int) -> bool:
    """Whether x → y is the only directed path from x to y."""
    return not any(u == x or x in ancestors(parents, u) for u in parents[y] - {x})


def tucked(order: Sequence[int], parents: Sequence[frozenset[int]], x: int, y: int) -> list[int]:
    """Move y before x, with the ancestors of y that are between them."""
    places = {v: place for place, v in enumerate(order)}
    moved = [v for v in order if places[x] < places[v] < places[y] and v in ancestors(parents, y)]
    rest = [v for v in order if v not in moved and v != y]
    return [*rest[: rest.index(x)], *moved, y, *rest[rest.index(x) :]]


def grasp(
    score: Score,
    order: list[int],
    lots: Sequence[int],
    shuffled: Callable[[Sequence[int]], list[int]],
    depths: tuple[int, int, int],
    required: Sequence[frozenset[int]],
) -> list[int]:
    """Tuck until no row of tucks up to the first of the depths leads to a better order."""
    deepest, uncovered, nonsingular = depths

    def worth(candidate: Sequence[int]) -> int:
        return order_score(score, candidate, lots, required)

    def improved(present: list[int], level: int, seen: dict[tuple[frozenset[int], ...], int]) -> list[int] | None:
        parents = network_of(score, present, lots, required)
        for y in shuffled(range(len(order))):
            for x in shuffled(sorted(parents[y])):
                covered = parents[y] - {x} == parents[x]
                singular = is_singular(parents, x, y)
                if not (covered or level <= nonsingular or (level <= uncovered and singular)):
                    continue
                after = tucked(present, parents, x, y)
                if not respects(after, required) or worth(after) < worth(present):
                    continue
                if worth(after) > worth(present):
                    return after
                network = tuple(network_of(score, after, lots, required))
                if level < deepest and seen.get(network, level + 1) > level:
                    seen[network] = level
                    if (better := improved(after, level + 1, seen)) is not None:
                        return better
        return None

    better: list[int] | None = order
    while better is not None:
        order = better
        better = improved(order, 1, {tuple(network_of(score, order, lots, required)): 0})
    return order
