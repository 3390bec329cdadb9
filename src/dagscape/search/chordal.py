"""The undirected components of an equivalence class, and ways to direct them.

In a CPDAG, the undirected edges form chordal graphs, and every way to direct one of them without cycles and without
v-structures goes with every way to direct the others. A maximum cardinality search [tarjan1984]_ orders a component so
that directing its edges forwards is such a way: it takes a vertex with the most neighbours among those already taken.
It may begin with any clique.
"""

from __future__ import annotations

from collections.abc import Sequence

from dagscape.core.masks import bits
from dagscape.graphs.orientation import PartlyDirected, consistent_extension


def component_of(neighbours: Sequence[int], vertex: int) -> int:
    """Return the vertices that undirected paths reach, the vertex included.

    >>> component_of([0b10, 0b01, 0], 0)
    3
    """
    found = ahead = 1 << vertex
    while ahead:
        reached = 0
        for v in bits(ahead):
            reached |= neighbours[v]
        ahead = reached & ~found
        found |= ahead
    return found


def directed_from(neighbours: Sequence[int], first: Sequence[int]) -> list[tuple[int, int]]:
    """Direct the component of some vertices, which form a clique, so that these come first, in this order.

    Returns
    -------
    list of (int, int)
        The vertices of the component in their order, each with its parents.

    Examples
    --------
    >>> directed_from([0b010, 0b101, 0b010], [1])
    [(1, 0), (0, 2), (2, 2)]
    """
    # Those with the same number of neighbours taken are in one set.
    by_count: list[int] = [component_of(neighbours, first[-1])]
    taken = 0
    directed = []
    for vertex in first:
        directed.append((vertex, neighbours[vertex] & taken))
        taken |= _take(vertex, neighbours[vertex], by_count)
    while by_count:
        if not by_count[-1]:
            by_count.pop()
            continue
        vertex = (by_count[-1] & -by_count[-1]).bit_length() - 1
        directed.append((vertex, neighbours[vertex] & taken))
        taken |= _take(vertex, neighbours[vertex], by_count)
    return directed


def _take(vertex: int, near: int, by_count: list[int]) -> int:
    """Take a vertex from the sets, and count it for its neighbours; return it as a set."""
    taken = 1 << vertex
    by_count.append(0)
    for count in range(len(by_count) - 1, -1, -1):
        by_count[count] &= ~taken
        moving = by_count[count] & near
        if moving:
            by_count[count] ^= moving
            by_count[count + 1] |= moving
    return taken


def allowed_directions(neighbours: Sequence[int], forbidden: Sequence[int]) -> tuple[int, ...] | None:
    """Direct all undirected edges so that none is forbidden.

    Edges with one allowed direction take it, and the rest is directed in any way that goes with them.

    Parameters
    ----------
    neighbours : sequence of int
        The undirected edges of a CPDAG.
    forbidden : sequence of int
        The parents that each vertex must not have.

    Returns
    -------
    tuple of int, or None
        The parents of each vertex by these edges; None if there is no way without cycles and v-structures.

    Examples
    --------
    >>> allowed_directions([0b010, 0b101, 0b010], [0, 0b001, 0])
    (2, 4, 0)
    >>> allowed_directions([0b010, 0b101, 0b010], [0b010, 0, 0b010]) is None
    True
    """
    graph = PartlyDirected([0] * len(neighbours), list(neighbours))
    for child, near in enumerate(neighbours):
        for parent in bits(near & forbidden[child]):
            if forbidden[parent] >> child & 1:
                return None
            if graph.lines[child] >> parent & 1:
                graph.direct(child, parent)
    arrows, lines = tuple(graph.arrows), tuple(graph.lines)
    for parents in arrows:
        if any(parents & ~neighbours[u] & ~(1 << u) for u in bits(parents)):
            return None
    return consistent_extension(arrows, lines)
