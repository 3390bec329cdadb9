"""The number of DAGs in an equivalence class, in polynomial time: the clique-picking algorithm [wienobst2021]_.

The undirected part of a CPDAG is a disjoint union of connected chordal graphs, which are oriented independently. The
size of the class is the product of their numbers of acyclic orientations without v-structures ("AMOs").

For one chordal graph G with a rooted clique tree, every AMO is counted at exactly one of the maximal cliques K that can
come first in a topological order of the AMO:

    #AMO(G) = Σ over the cliques K of  φ(K) · Π over H ∈ C_G(K) of #AMO(H)

C_G(K) are the undirected components that remain after all edges out of K, and all edges that these compel, are
directed. They are chordal, too. φ(K) is the number of orders of K that begin with none of the *forbidden prefixes*: the
separators on the path from the root of the clique tree to K that lie within K. They form a chain X_1 ⊂ X_2 ⊂ …, and

    φ(s; X_1 … X_l) = s! − Σ_i (s − |X_i|)! · φ(|X_i|; X_1 … X_{i−1})

Cost: at most O(|cliques|²) recursive calls, because no more different H occur; each call takes linear time, apart from
set operations. Classes in a list share most of their components, up to the names of the vertices. Results are therefore
cached by the *shape* of a component: its neighbourhoods, with its vertices numbered from 0.

Notation: the paper's ι(v) is the clique at a node of the tree, its FP(v, T) is ``prefixes``, and its C_G(K) is
``components_after``; one term of the sum is a ``Pick``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache, reduce
from operator import or_
from typing import NamedTuple

from dagscape.core.masks import bits, connected_components
from dagscape.graphs.words import Words, unpack, with_words

Shape = tuple[int, ...]


def class_size(undirected: Sequence[int]) -> int:
    """Return the number of DAGs in an equivalence class.

    Parameters
    ----------
    undirected : sequence of int
        The neighbours of each variable by undirected edges in the CPDAG, as sets.

    Examples
    --------
    >>> complete = [(1 << 30) - 1 - (1 << vertex) for vertex in range(30)]
    >>> class_size(complete) == math.factorial(30)
    True
    """
    size = 1
    for component in undirected_components(undirected):
        count = component.bit_count()
        ends = sum(undirected[vertex].bit_count() for vertex in bits(component))
        if ends == 2 * (count - 1):
            # The source determines the AMO of a tree.
            size *= count
        elif ends == count * (count - 1):
            size *= math.factorial(count)
        else:
            size *= _shape_size(shape_of(undirected, component))
    return size


def class_sizes(undirected: Words) -> list[int]:
    """Return the numbers of DAGs in many equivalence classes.

    Parameters
    ----------
    undirected : array of uint64, classes × variables × words
        The neighbours of each variable by undirected edges in each class, as sets. Up to 64 variables may have the
        shape classes × variables.

    Examples
    --------
    >>> import numpy as np
    >>> class_sizes(np.array([[0b110, 0b001, 0b001], [0b110, 0b101, 0b011], [0, 0, 0]], dtype=np.uint64))
    [3, 6, 1]
    """
    return [class_size(unpack(neighbours)) for neighbours in with_words(undirected)]


@lru_cache(maxsize=1 << 14)
def _shape_size(shape: Shape) -> int:
    return clique_picking(shape).size((1 << len(shape)) - 1)


def undirected_components(neighbours: Sequence[int]) -> Iterator[int]:
    """Return the undirected components of a CPDAG that have an edge."""
    return connected_components(neighbours, reduce(or_, neighbours, 0))


def shape_of(neighbours: Sequence[int], component: int) -> Shape:
    """Return the neighbourhoods in a component of a graph, its vertices numbered from 0 in increasing order.

    >>> shape_of([0b1000, 0, 0, 0b0001], 0b1001)
    (2, 1)
    """
    vertices = list(bits(component))
    renamed = {vertex: 1 << number for number, vertex in enumerate(vertices)}
    return tuple([sum([renamed[other] for other in bits(neighbours[vertex])]) for vertex in vertices])


class Pick(NamedTuple):
    """One term of the sum: a clique that comes first, and the components that it leaves undirected.

    Attributes
    ----------
    clique : int
        The maximal clique K.
    prefixes : tuple of int
        Its forbidden prefixes, increasing.
    components : tuple of int
        C_G(K); an edge between two of them points to the later one. All vertices of a component have the same parents
        in K and in the earlier components.
    orders : int
        φ(K).
    orientations : int
        The AMOs counted at K: φ(K) times those of the components.
    """

    clique: int
    prefixes: tuple[int, ...]
    components: tuple[int, ...]
    orders: int
    orientations: int


class CliquePicking:
    """The recursion on one chordal graph, with a cache of the terms for it and for its components at all depths."""

    def __init__(self, neighbours: Sequence[int]) -> None:
        self.neighbours = neighbours
        self._picks: dict[int, list[Pick]] = {}
        self._sizes: dict[int, int] = {}

    def size(self, vertices: int) -> int:
        """Return #AMO of the connected chordal graph on some vertices."""
        if not vertices & (vertices - 1):
            return 1
        if vertices not in self._sizes:
            self._sizes[vertices] = sum(pick.orientations for pick in self.picks(vertices))
        return self._sizes[vertices]

    def picks(self, vertices: int) -> list[Pick]:
        """Return the terms of the sum, one for each maximal clique of the connected chordal graph on some vertices."""
        if vertices not in self._picks:
            self._picks[vertices] = [
                self._pick(vertices, clique, prefixes)
                for clique, prefixes in cliques_with_forbidden_prefixes(self.neighbours, vertices)
            ]
        return self._picks[vertices]

    def _pick(self, vertices: int, clique: int, prefixes: tuple[int, ...]) -> Pick:
        components = tuple(components_after(self.neighbours, vertices, clique))
        orders = _orders(clique.bit_count(), tuple(prefix.bit_count() for prefix in prefixes))
        return Pick(clique, prefixes, components, orders, orders * math.prod(map(self.size, components)))


@lru_cache(maxsize=1 << 8)
def clique_picking(shape: Shape) -> CliquePicking:
    """Return the recursion on a connected chordal graph, cached for the next call with the same shape."""
    return CliquePicking(shape)


@cache
def _orders(size: int, prefixes: tuple[int, ...]) -> int:
    """Return φ: the number of orders of ``size`` elements that begin with none of the nested sets of these sizes."""
    forbidden = (math.factorial(size - prefix) * _orders(prefix, prefixes[:i]) for i, prefix in enumerate(prefixes))
    return math.factorial(size) - sum(forbidden)


def cliques_with_forbidden_prefixes(neighbours: Sequence[int], vertices: int) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Return the maximal cliques of a connected chordal graph, each with its forbidden prefixes, increasing."""
    cliques, parent = clique_tree(neighbours, vertices)
    for node, clique in enumerate(cliques):
        separators = set()
        at = node
        while parent[at] >= 0:
            separator = cliques[at] & cliques[parent[at]]
            if not separator & ~clique:
                separators.add(separator)
            at = parent[at]
        yield clique, tuple(sorted(separators, key=int.bit_count))


def clique_tree(neighbours: Sequence[int], vertices: int) -> tuple[list[int], list[int]]:
    """Return the maximal cliques of a connected chordal graph, and the parent of each in a clique tree (−1: the root).

    Maximum-cardinality search: a vertex that does not extend the clique of the previous vertex starts a new clique, a
    child of the clique in which the last of its earlier neighbours was placed [blair1993]_.
    """
    cliques: list[int] = []
    parent: list[int] = []
    clique_of: dict[int, int] = {}
    placed = 0
    position: dict[int, int] = {}
    earlier_count = dict.fromkeys(bits(vertices), 0)
    last_count = -1
    while placed != vertices:
        vertex = max(bits(vertices & ~placed), key=lambda v: (earlier_count[v], -v))
        earlier = neighbours[vertex] & placed
        if earlier.bit_count() <= last_count or not cliques:
            cliques.append(earlier | 1 << vertex)
            nearest = max(bits(earlier), key=position.__getitem__, default=None)
            parent.append(-1 if nearest is None else clique_of[nearest])
        else:
            cliques[-1] |= 1 << vertex
        clique_of[vertex] = len(cliques) - 1
        position[vertex] = len(position)
        last_count = earlier.bit_count()
        placed |= 1 << vertex
        for other in bits(neighbours[vertex] & vertices & ~placed):
            earlier_count[other] += 1
    return cliques, parent


def components_after(neighbours: Sequence[int], vertices: int, clique: int) -> Iterator[int]:
    """Return C_G(K): the connected components that stay undirected if a clique comes first.

    Lexicographic breadth-first search from the clique: vertices stay together if they have the same earlier neighbours
    when the search reaches the first of them.
    """
    parts = [clique, vertices & ~clique]
    settled = clique
    while parts:
        first = parts[0]
        vertex = first & -first
        if not settled & vertex:
            settled |= first
            yield from connected_components(neighbours, first)
        near = neighbours[vertex.bit_length() - 1]
        parts[0] ^= vertex
        parts = [piece for part in parts for piece in (part & near, part & ~near) if piece]
