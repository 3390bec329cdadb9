"""Partially directed graphs: the edges that must be directed, and the DAGs that extend them.

Meek's four rules [meek1995]_ direct all edges that have the same direction in every extension of a graph. To list the
members of a class, direct one edge at a time and apply the rules after each. A single extension, of a class or of any
pattern, is found faster by removing sinks [dor1992]_.

Here graphs are sets: ``directed[v]`` holds the parents of *v*, ``undirected[v]`` its neighbours by undirected edges.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dagscape.core.masks import bits, transposed
from dagscape.graphs.parent_sets import Masks


class PartlyDirected:
    """A partially directed graph that can be directed further, edge by edge.

    Attributes
    ----------
    arrows, lines : list of int
        For each vertex its parents, and its neighbours by undirected edges, as sets.
    """

    def __init__(self, directed: Sequence[int], undirected: Sequence[int]) -> None:
        self.arrows = list(directed)
        self.lines = list(undirected)
        self._children = transposed(directed)

    def direct(self, a: int, b: int) -> None:
        """Turn the undirected edge a - b into a → b."""
        self.lines[a] &= ~(1 << b)
        self.lines[b] &= ~(1 << a)
        self.arrows[b] |= 1 << a
        self._children[a] |= 1 << b

    def close(self, vertices: int) -> None:
        """Direct all compelled edges by Meek's four rules; only edges at the given vertices have changed."""
        waiting = vertices
        while waiting:
            at = waiting & -waiting
            waiting ^= at
            a = at.bit_length() - 1
            for b in bits(self.lines[a]):
                for parent, child in ((a, b), (b, a)):
                    if self._must_point(parent, child):
                        self.direct(parent, child)
                        waiting |= self._adjacent(parent) | self._adjacent(child)
                        break

    def _adjacent(self, vertex: int) -> int:
        return self.arrows[vertex] | self._children[vertex] | self.lines[vertex]

    def _must_point(self, a: int, b: int) -> bool:
        """Whether a - b must become a → b."""
        near_b = self._adjacent(b)
        # Rule 1: c → a - b with c and b not adjacent would make a v-structure.
        if self.arrows[a] & ~near_b:
            return True
        # Rule 2: a → c → b would close a cycle.
        if self._children[a] & self.arrows[b]:
            return True
        # Rule 3: a - c → b and a - d → b, with c and d not adjacent.
        middles = self.lines[a] & self.arrows[b]
        if any(middles & ~self._adjacent(c) & ~(1 << c) for c in bits(middles)):
            return True
        # Rule 4: a - c → d → b with c and b not adjacent, and a and d adjacent.
        near_a = self._adjacent(a)
        return any(self.arrows[d] & self.lines[a] & ~near_b & ~(1 << b) for d in bits(self.arrows[b] & near_a))


def consistent_extension(directed: Sequence[int], undirected: Sequence[int]) -> Masks | None:
    """Return a DAG that directs the undirected edges without new v-structures or cycles [dor1992]_; None if none does.

    If the undirected neighbours of a sink are adjacent to all its other neighbours, all its edges can point to it, and
    it is removed. Of several such sinks, the smallest is removed first. A removable vertex stays removable, so a vertex
    is checked again only after it has lost a neighbour.
    """
    lines, children = list(undirected), transposed(directed)
    adjacent = [a | b | c for a, b, c in zip(directed, lines, children, strict=True)]
    parents = list(directed)
    ready = 0
    changed = left = (1 << len(parents)) - 1
    while left:
        for vertex in bits(changed & ~ready):
            near = adjacent[vertex]
            if not children[vertex] and all(not near & ~adjacent[u] & ~(1 << u) for u in bits(lines[vertex])):
                ready |= 1 << vertex
        if not ready:
            return None
        sink = ready & -ready
        number = sink.bit_length() - 1
        parents[number] |= lines[number]
        changed = adjacent[number]
        for other in bits(changed):
            adjacent[other] &= ~sink
            lines[other] &= ~sink
            children[other] &= ~sink
        ready ^= sink
        left ^= sink
    return tuple(parents)


def class_members(directed: Sequence[int], undirected: Sequence[int]) -> Iterator[Masks]:
    """Iterate over the DAGs of a class, each as sets of parents.

    In a graph that is closed under Meek's rules, an undirected edge can be directed either way. Closing the graph again
    never leads to a dead end: every branch of the search ends in a member.
    """
    waiting = [(tuple(directed), tuple(undirected))]
    while waiting:
        arrows, lines = waiting.pop()
        a = next((v for v, mask in enumerate(lines) if mask), None)
        if a is None:
            yield arrows
            continue
        b = next(bits(lines[a]))
        # The last one pushed is popped first.
        for parent, child in ((b, a), (a, b)):
            graph = PartlyDirected(arrows, lines)
            graph.direct(parent, child)
            graph.close(1 << parent | 1 << child | lines[parent] | lines[child])
            waiting.append((tuple(graph.arrows), tuple(graph.lines)))
