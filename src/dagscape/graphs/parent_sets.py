"""Functions of one DAG, given as the parents of each variable: orders, ancestors, v-structures, d-separation.

Sets are Python integers: bit *u* of ``parents[v]`` is the edge *u* → *v*.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dagscape.core.masks import bits, mask_of, transposed

Masks = tuple[int, ...]


def topological_order(parents: Sequence[int]) -> tuple[int, ...]:
    """Return the topological order that places the smallest possible variable first; incomplete if there is a cycle."""
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
    """Return a directed cycle of a graph that has one: walk backwards among the variables that no order can place."""
    stuck = mask_of(range(len(parents))) & ~mask_of(topological_order(parents))
    path = [next(bits(stuck))]
    while True:
        parent = next(bits(parents[path[-1]] & stuck))
        if parent in path:
            return [parent, *reversed(path[path.index(parent) :])]
        path.append(parent)


def ancestor_masks(parents: Sequence[int]) -> Masks:
    """Return the ancestors of every variable, as sets."""
    ancestors = [0] * len(parents)
    for variable in topological_order(parents):
        for parent in bits(parents[variable]):
            ancestors[variable] |= ancestors[parent] | 1 << parent
    return tuple(ancestors)


def ancestors_of(parents: Sequence[int], variables: int) -> int:
    """Return all variables with a directed path to at least one of these, as a set.

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
    """Return the neighbours of every variable, whatever the direction of the edge, as sets."""
    return tuple(above | below for above, below in zip(parents, transposed(parents), strict=True))


def v_structures(parents: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Iterate over the triples (a, child, b), a < b, of parents of a child that are not adjacent, by child."""
    adjacent = skeleton(parents)
    for child, above in enumerate(parents):
        for a in bits(above):
            for b in bits(above & ~adjacent[a] & ~((2 << a) - 1)):
                yield a, child, b


def d_connected(parents: Sequence[int], sources: int, known: int) -> int:
    """Return all variables with an active path from a source, given the known variables, as a set."""
    children = transposed(parents)
    # A collider is open if it, or a descendant of it, is known.
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
