"""Questions about one DAG, given as the parents of each variable: orders, ancestors, v-structures, d-separation.

Sets are Python integers: bit *u* of ``parents[v]`` stands for the edge *u* → *v*.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dagscape.masks import bits, mask_of, transposed

Masks = tuple[int, ...]


def topological_order(parents: Sequence[int]) -> tuple[int, ...]:
    """The topological order that always takes the smallest variable possible; shorter where there is a cycle."""
    children = transposed(parents)
    waiting = list(parents)
    ready = mask_of(v for v, above in enumerate(waiting) if not above)
    order = []
    while ready:
        lowest = ready & -ready
        variable = lowest.bit_length() - 1
        ready ^= lowest
        order.append(variable)
        for child in bits(children[variable]):
            waiting[child] ^= lowest
            if not waiting[child]:
                ready |= 1 << child
    return tuple(order)


def directed_cycle(parents: Sequence[int]) -> list[int]:
    """A directed cycle of a graph that has one: walk backwards among the variables that no order can place."""
    stuck = mask_of(range(len(parents))) & ~mask_of(topological_order(parents))
    path = [next(bits(stuck))]
    while True:
        parent = next(bits(parents[path[-1]] & stuck))
        if parent in path:
            return [parent, *reversed(path[path.index(parent) :])]
        path.append(parent)


def ancestor_masks(parents: Sequence[int]) -> Masks:
    """The ancestors of every variable, as sets."""
    ancestors = [0] * len(parents)
    for variable in topological_order(parents):
        for parent in bits(parents[variable]):
            ancestors[variable] |= ancestors[parent] | 1 << parent
    return tuple(ancestors)


def ancestors_of(parents: Sequence[int], variables: int) -> int:
    """All variables from which a directed path leads to some of these, as a set.

    >>> ancestors_of([0b000, 0b001, 0b010], 0b100)
    3
    """
    found, frontier = 0, variables
    while frontier:
        above = 0
        for variable in bits(frontier):
            above |= parents[variable]
        frontier = above & ~found
        found |= above
    return found


def skeleton(parents: Sequence[int]) -> Masks:
    """The neighbours of every variable, whatever the direction of the edge, as sets."""
    return tuple(above | below for above, below in zip(parents, transposed(parents), strict=True))


def v_structures(parents: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """The triples (a, child, b), a < b, of parents of one child that are not adjacent, by child."""
    adjacent = skeleton(parents)
    for child, above in enumerate(parents):
        for a in bits(above):
            for b in bits(above & ~adjacent[a] & ~((2 << a) - 1)):
                yield a, child, b


def d_connected(parents: Sequence[int], sources: int, known: int) -> int:
    """All variables to which an active path leads from some source, given what is known, as a set."""
    children = transposed(parents)
    # A collider lets pass where it, or a descendant of it, is known.
    opened = known | ancestors_of(parents, known)
    upwards = seen_up = sources
    downwards = seen_down = 0
    while upwards or downwards:
        next_up = next_down = 0
        for variable in bits(upwards & ~known):
            next_up |= parents[variable]
            next_down |= children[variable]
        for variable in bits(downwards & ~known):
            next_down |= children[variable]
        for variable in bits(downwards & opened):
            next_up |= parents[variable]
        upwards, downwards = next_up & ~seen_up, next_down & ~seen_down
        seen_up |= upwards
        seen_down |= downwards
    return (seen_up | seen_down) & ~known
