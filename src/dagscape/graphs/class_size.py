"""The number of DAGs in an equivalence class, in polynomial time: the clique-picking algorithm [wienobst2021]_.

The undirected part of a CPDAG falls into connected chordal graphs, which can be directed independently: the size of the
class is the product of their numbers of acyclic orientations without v-structures ("AMOs").

For one chordal graph G with a rooted clique tree, every AMO is counted at exactly one maximal clique K that can stand
first in a topological order of it:

    #AMO(G) = Σ over the cliques K of  φ(K) · Π over H ∈ C_G(K) of #AMO(H)

C_G(K) are the undirected components that remain once all edges out of K, and what follows from them, are directed; they
are chordal again. φ(K) is the number of orders of K that begin with none of the *forbidden prefixes*: the separators,
on the path from the root of the clique tree to K, that lie within K. They form a chain X_1 ⊂ X_2 ⊂ …, and

    φ(s; X_1 … X_l) = s! − Σ_i (s − |X_i|)! · φ(|X_i|; X_1 … X_{i−1})

Cost: O(|cliques|²) recursive calls at most, since only so many different H occur; each is linear but for the sets.

Notation: the paper's ι(v) is the clique at a node of the tree, its FP(v, T) our ``forbidden_prefixes``, its C_G(K) our
``components_after``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cache

from dagscape.graphs.cpdag import Cpdag
from dagscape.graphs.masks import bits, connected_components


def class_size(cpdag: Cpdag) -> int:
    """The number of DAGs in an equivalence class.

    Examples
    --------
    >>> import dagscape as ds
    >>> names = [f"v{i}" for i in range(30)]
    >>> complete = ds.Dag.from_edges(names, [(u, v) for i, u in enumerate(names) for v in names[i + 1 :]])
    >>> class_size(complete.to_cpdag()) == math.factorial(30)
    True
    """
    neighbours = cpdag.undirected

    @cache
    def orientations(vertices: int) -> int:
        """#AMO of the connected chordal graph on some vertices."""
        if vertices.bit_count() == 1:
            return 1
        total = 0
        for clique, prefixes in cliques_with_forbidden_prefixes(neighbours, vertices):
            product = _orders(clique.bit_count(), prefixes)
            for component in components_after(neighbours, vertices, clique):
                product *= orientations(component)
            total += product
        return total

    everything = (1 << cpdag.n) - 1
    return math.prod(map(orientations, connected_components(neighbours, everything)))


@cache
def _orders(size: int, prefixes: tuple[int, ...]) -> int:
    """φ: the orders of ``size`` things that begin with none of the nested sets of the given sizes."""
    forbidden = (math.factorial(size - prefix) * _orders(prefix, prefixes[:i]) for i, prefix in enumerate(prefixes))
    return math.factorial(size) - sum(forbidden)


def cliques_with_forbidden_prefixes(neighbours: Sequence[int], vertices: int) -> Iterator[tuple[int, tuple[int, ...]]]:
    """The maximal cliques of a connected chordal graph, each with the sizes of its forbidden prefixes, increasing."""
    cliques, parent = clique_tree(neighbours, vertices)
    for node, clique in enumerate(cliques):
        separators = set()
        at = node
        while parent[at] >= 0:
            separator = cliques[at] & cliques[parent[at]]
            if not separator & ~clique:
                separators.add(separator)
            at = parent[at]
        yield clique, tuple(sorted(separator.bit_count() for separator in separators))


def clique_tree(neighbours: Sequence[int], vertices: int) -> tuple[list[int], list[int]]:
    """The maximal cliques of a connected chordal graph, and for each the one above it in a clique tree (−1: the root).

    Maximum-cardinality search: a vertex that does not add to the clique of the vertex before starts a new clique, below
    the one in which the last of its earlier neighbours was placed [blair1993]_.
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
    """C_G(K): what stays undirected, and connected, once a clique stands first.

    Lexicographic breadth-first search from the clique: the vertices that have the same earlier neighbours when the
    first of them is reached stay together.
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
