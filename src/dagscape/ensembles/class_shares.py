"""The share of the DAGs of an equivalence class that have an edge, or a directed path, without listing them.

Undirected components of a CPDAG are directed independently of each other, so each is treated separately: a connected
chordal graph G with #AMO(G) equally likely acyclic orientations without v-structures ("AMOs"). Clique
picking [wienobst2021]_ counts every AMO at exactly one maximal clique K, as an order of K that begins with none of the
forbidden prefixes X_1 ⊂ … ⊂ X_l and an AMO of each H ∈ C_G(K) (:mod:`dagscape.graphs.class_size`). Here, too:

*Edges.* The AMOs with u → v that are counted at K are

- all, if u is in K and v is not, or if u is in an earlier component of C_G(K) than v, in the order in which
  the search from K finds them;
- φ_{u<v}(K) · Π #AMO(H), if both are in K;
- φ(K) times the AMOs of H that have u → v times #AMO of the other components, if both are in the component H.

*Paths.* All vertices of an undirected component have the same parents outside it, in a CPDAG as well as in G if K
comes first. A path that enters a component can therefore enter it at any vertex. A path from s in U to t outside U
exists if and only if s, within U, is or reaches an *end*: a vertex with a directed path to t. Let E be the ends in G,
and let E' be the vertices of K, or of u's component H, that are in E or have a child in a later component with a vertex
in its E'. The AMOs that are counted at K and in which u reaches E are

- φ(K) times the AMOs of H in which u reaches E' times #AMO of the other components, if u is in H;
- (φ(K) − φ_{E'<u}(K)) · Π #AMO(H), or all if u ∈ E', if u is in K: u reaches all that come after it.

φ_{B<u}(K) is the number of orders of K without forbidden prefixes in which u comes after all of B. Let free(D) be the
orders of a set D in which u, if it is in D, comes after all of B ∩ D: |D|! / (|B ∩ D| + 1), or |D|! without u. By the
first forbidden prefix with which an order begins, with X_{l+1} = K and a_i = φ_{B<u}(X_i; X_1 … X_{i−1}),

    a_i = free(X_i) − Σ over j < i of a_j · free(X_i ∖ X_j),   but a_i = 0 where X_i holds u and not all of B

Trees need no recursion: the source determines the AMO, and an edge or a path is absent for sources on the wrong side.

Cost: as for the size of the class, times the edges of G for edges; for paths, one recursion for each set E, over pairs
(H, E') that are few in practice. Results are cached by the shape of a component, so that classes share them. Counts
are exact integers, and a share is the quotient of two of them, rounded once.

Notation: K is ``clique``, X_1 … X_l ``prefixes``, E and E' ``ends``, B ``before``.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from dagscape.core.masks import bits, connected_components
from dagscape.graphs.class_size import CliquePicking, Shape, clique_picking, shape_of, undirected_components

_SHAPES_KEPT = 1 << 12

PairShares = list[tuple[int, int, float]]


def edge_shares(directed: Sequence[int], undirected: Sequence[int]) -> NDArray[np.float64]:
    """Return the share of the DAGs in an equivalence class that have each edge.

    Parameters
    ----------
    directed, undirected : sequence of int
        The CPDAG of the class: for each variable the parents on which all members agree, and the neighbours by
        undirected edges, as sets. They must be those of a CPDAG; this is not checked.

    Returns
    -------
    array of float64, variables × variables
        ``[u, v]`` is the share of the members with *u* → *v*.

    Examples
    --------
    >>> import dagscape as ds
    >>> star = ds.Dag.from_edges("abc", [("a", "b"), ("a", "c")]).to_cpdag()
    >>> edge_shares(star.directed, star.undirected).round(3).tolist()
    [[0.0, 0.667, 0.667], [0.333, 0.0, 0.0], [0.333, 0.0, 0.0]]
    """
    return _matrix(directed, undirected_edge_shares(undirected))


def undirected_edge_shares(undirected: Sequence[int]) -> PairShares:
    """Return the share of the DAGs in an equivalence class that direct each undirected edge in each direction.

    Parameters
    ----------
    undirected : sequence of int
        For each variable the neighbours by undirected edges in the CPDAG, as sets.

    Returns
    -------
    list of (int, int, float)
        Each undirected edge twice, as (u, v, share of the members with *u* → *v*).

    Examples
    --------
    >>> undirected_edge_shares([0b0010, 0b0001, 0, 0])
    [(0, 1, 0.5), (1, 0, 0.5)]
    """
    found: PairShares = []
    for component in undirected_components(undirected):
        vertices = list(bits(component))
        if len(vertices) == 2:
            u, v = vertices
            found += [(u, v, 0.5), (v, u, 0.5)]
        else:
            shares = _edges_within(shape_of(undirected, component))
            found += [(vertices[u], vertices[v], share) for u, v, share in shares]
    return found


def ancestor_shares(directed: Sequence[int], undirected: Sequence[int]) -> NDArray[np.float64]:
    """Return the share of the DAGs in an equivalence class with a directed path from one variable to another.

    Parameters
    ----------
    directed, undirected : sequence of int
        The CPDAG of the class, as for :func:`edge_shares`.

    Returns
    -------
    array of float64, variables × variables
        ``[s, t]`` is the share of the members with a path from *s* to *t*; the diagonal is 0.

    Examples
    --------
    >>> import dagscape as ds
    >>> chain = ds.Dag.from_edges("abc", [("a", "b"), ("b", "c")]).to_cpdag()
    >>> ancestor_shares(chain.directed, chain.undirected).round(3).tolist()
    [[0.0, 0.333, 0.333], [0.667, 0.0, 0.667], [0.333, 0.333, 0.0]]
    """
    surely = _directed_ancestors(directed)
    found: PairShares = []
    for component in undirected_components(undirected):
        vertices = list(bits(component))
        shape = shape_of(undirected, component)
        targets: dict[int, list[int]] = {}
        for target, ancestors in enumerate(surely):
            ends = component & (ancestors | 1 << target)
            # If all of the component leads to the target, or none of it, all members agree.
            if ends and ends != component:
                targets.setdefault(ends, []).append(target)
        for ends, reached in targets.items():
            renamed = sum([1 << number for number, vertex in enumerate(vertices) if ends >> vertex & 1])
            for vertex, share in zip(vertices, _shares_reaching(shape, renamed), strict=True):
                found += [(vertex, target, share) for target in reached]
    matrix = _matrix(surely, found)
    np.fill_diagonal(matrix, 0)
    return matrix


def _directed_ancestors(directed: Sequence[int]) -> list[int]:
    """Return, for each vertex, those with a path of directed edges to it."""
    ancestors = list(directed)
    for middle in range(len(ancestors)):
        above = ancestors[middle]
        if above:
            ancestors = [mask | above if mask >> middle & 1 else mask for mask in ancestors]
    return ancestors


def _matrix(sure: Sequence[int], shares: PairShares) -> NDArray[np.float64]:
    """Return the matrix with 1 at [u, v] if u is in the set of v, the given shares, and 0 elsewhere."""
    n = len(sure)
    width = (n + 7) // 8
    octets = np.frombuffer(b"".join([mask.to_bytes(width, "little") for mask in sure]), dtype=np.uint8)
    above = np.unpackbits(octets.reshape(n, width), axis=1, count=n, bitorder="little")
    matrix = above.T.astype(np.float64, order="C")
    if shares:
        rows, columns, values = zip(*shares, strict=True)
        matrix[rows, columns] = values
    return matrix


@lru_cache(maxsize=_SHAPES_KEPT)
def _edges_within(shape: Shape) -> PairShares:
    """Return the share of the AMOs of a connected chordal graph with u → v, for each edge in both directions."""
    n = len(shape)
    if _is_tree(shape):
        return [(u, v, (n - side.bit_count()) / n) for u in range(n) for v, side in _branches(shape)[u]]
    if all(near.bit_count() == n - 1 for near in shape):
        return [(u, v, 0.5) for u in range(n) for v in bits(shape[u])]
    picking = clique_picking(shape)
    everything = (1 << n) - 1
    total = picking.size(everything)
    found: PairShares = []
    for (u, v), count in _edge_counts(picking, everything).items():
        found += [(u, v, count / total), (v, u, (total - count) / total)]
    return found


def _edge_counts(picking: CliquePicking, everything: int) -> dict[tuple[int, int], int]:
    """Return the AMOs with u → v, for each edge with u < v."""

    @cache
    def counts(vertices: int) -> dict[tuple[int, int], int]:
        found: dict[tuple[int, int], int] = defaultdict(int)
        for clique, prefixes, components, orders, orientations in picking.picks(vertices):
            beyond = orientations // orders
            for u, v in combinations(bits(clique), 2):
                found[u, v] += beyond * orders_after(clique, prefixes, 1 << u, v)
            earlier = clique
            for component in components:
                for v in bits(component):
                    # An edge from u > v belongs to the pair (v, u), and none of these AMOs has v → u.
                    for u in bits(picking.neighbours[v] & earlier & ((1 << v) - 1)):
                        found[u, v] += orientations
                earlier |= component
                elsewhere = orientations // picking.size(component)
                for edge, count in counts(component).items():
                    found[edge] += elsewhere * count
        return found

    return counts(everything)


@lru_cache(maxsize=8 * _SHAPES_KEPT)
def _shares_reaching(shape: Shape, ends: int) -> list[float]:
    """Return, for each vertex, the share of a connected chordal graph's AMOs in which it is in or reaches ``ends``."""
    n = len(shape)
    if _is_tree(shape):
        return [1.0 if ends >> u & 1 else _tree_share(n, ends, sides) for u, sides in enumerate(_branches(shape))]
    picking = clique_picking(shape)
    everything = (1 << n) - 1
    counts = _reaching_counts(picking, everything, ends)
    return [counts[u] / picking.size(everything) for u in range(n)]


def _reaching_counts(picking: CliquePicking, everything: int, ends: int) -> dict[int, int]:
    """Return, for each vertex, the number of AMOs in which it is in or reaches ``ends``."""

    @cache
    def counts(vertices: int, ends: int) -> dict[int, int]:
        found = dict.fromkeys(bits(vertices), 0)
        for clique, prefixes, components, orders, orientations in picking.picks(vertices):
            leading = ends
            for component in reversed(components):
                inside = component & leading
                if not inside:
                    continue
                elsewhere = orientations // picking.size(component)
                for u, count in counts(component, inside).items():
                    found[u] += elsewhere * count
                # All vertices have the same parents, so any will do; what it adds to later components is not used.
                leading |= picking.neighbours[next(bits(component))]
            inside = clique & leading
            beyond = orientations // orders
            for u in bits(clique):
                missing = 0 if inside >> u & 1 else orders_after(clique, prefixes, inside, u)
                found[u] += beyond * (orders - missing)
        return found

    return counts(everything, ends)


def orders_after(clique: int, prefixes: Sequence[int], before: int, last: int) -> int:
    """Return φ_{B<u}: the number of orders of a clique without forbidden prefix, with ``last`` after all ``before``.

    Parameters
    ----------
    clique : int
        The clique, as a set.
    prefixes : sequence of int
        The sets with which an order must not begin, each within the next and smaller than the clique.
    before, last : int
        Some members of the clique, as a set, and one that is not among them.

    Examples
    --------
    Of the six orders of {0, 1, 2}, those that do not begin with 0 and have 2 after 1:

    >>> orders_after(0b111, [0b001], before=0b010, last=2)
    2
    """
    begun: list[tuple[int, int]] = []
    for members in (*prefixes, clique):
        count = 0
        if not members >> last & 1 or not before & ~members:
            count = _free_orders(members, before, last)
            count -= sum([orders * _free_orders(members & ~prefix, before, last) for prefix, orders in begun])
        begun.append((members, count))
    return begun[-1][1]


def _free_orders(members: int, before: int, last: int) -> int:
    """Return the number of orders of a set in which ``last``, if a member, comes after the members of ``before``."""
    orders = math.factorial(members.bit_count())
    return orders // ((before & members).bit_count() + 1) if members >> last & 1 else orders


def _is_tree(shape: Shape) -> bool:
    return sum(map(int.bit_count, shape)) == 2 * (len(shape) - 1)


@lru_cache(maxsize=1 << 8)
def _branches(shape: Shape) -> list[list[tuple[int, int]]]:
    """Return, for each vertex of a tree, its neighbours, each with the vertices on its side of the edge."""
    everything = (1 << len(shape)) - 1
    return [
        [((side & near).bit_length() - 1, side) for side in connected_components(shape, everything ^ 1 << u)]
        for u, near in enumerate(shape)
    ]


def _tree_share(n: int, ends: int, sides: list[tuple[int, int]]) -> float:
    """Return the share of the sources of a tree for which a vertex reaches ``ends``.

    It does, unless all of ``ends`` is on the same side of the vertex as the source.
    """
    holding = [side for _, side in sides if side & ends]
    return 1.0 if len(holding) > 1 else (n - holding[0].bit_count()) / n
