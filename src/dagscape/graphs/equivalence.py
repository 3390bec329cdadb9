"""Markov equivalence: when two DAGs say the same about independence, and what their whole class looks like.

Two DAGs are equivalent when they have the same skeleton and the same v-structures. A class is drawn as a CPDAG, with
the edges on which its members agree directed. From a DAG it comes by labelling its edges [chickering1995]_; from a
CPDAG, DAGs come by directing one edge after the other and following Meek's rules [meek1995]_ after each, or, for one of
them, by removing sinks [dor1992]_.

Graphs are sets here: ``parents[v]`` (or ``directed[v]``) holds the parents of *v*, ``undirected[v]`` its neighbours by
undirected edges.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from dagscape import kernels
from dagscape.errors import InvalidData, InvalidOption
from dagscape.graphs.cpdag import Cpdag
from dagscape.graphs.dag import Dag
from dagscape.masks import bits, transposed

Masks = tuple[int, ...]

_WORD = (1 << 64) - 1
_SECOND_WORD = 0x9FB21C651E98DF25


def dag_to_cpdag(dag: Dag) -> Cpdag:
    """The equivalence class of a DAG."""
    directed = compelled_parents(dag.parent_masks, dag.order_numbers())
    free = [above & ~agreed for above, agreed in zip(dag.parent_masks, directed, strict=True)]
    undirected = [above | below for above, below in zip(free, transposed(free), strict=True)]
    return Cpdag.trusted(dag.variables, directed, tuple(undirected))


def compelled_parents(parents: Sequence[int], order: Sequence[int]) -> Masks:
    """The parents on which all members of the class agree, for each variable.

    The procedure Label-Edges of [chickering1995]_: variables in topological order, and for each the edge from its last
    parent decides about all that are still unlabelled.
    """
    place = {variable: i for i, variable in enumerate(order)}
    compelled = [0] * len(parents)
    for child in order:
        above = parents[child]
        if not above:
            continue
        last = max(bits(above), key=place.__getitem__)
        inherited = compelled[last]
        if inherited & ~above or above & ~parents[last] & ~(1 << last):
            compelled[child] = above
        else:
            compelled[child] = inherited
    return tuple(compelled)


def equivalent(first: Dag, second: Dag) -> bool:
    """Whether two DAGs (or networks) on the same variables are Markov equivalent.

    Examples
    --------
    >>> import dagscape as ds
    >>> a = ds.Dag.from_edges(["x", "y"], [("x", "y")])
    >>> b = ds.Dag.from_edges(["x", "y"], [("y", "x")])
    >>> ds.equivalent(a, b)
    True
    """
    first, second = (getattr(graph, "dag", graph) for graph in (first, second))
    for graph in (first, second):
        if not isinstance(graph, Dag):
            raise InvalidOption(f"a {type(graph).__name__} is no DAG: compare classes with ==, or take a member")
    if sorted(second.variables) != sorted(first.variables):
        raise InvalidOption("the two graphs do not have the same variables")
    if second.variables != first.variables:
        second = second.reordered(first.variables)
    return first.skeleton_masks() == second.skeleton_masks() and set(first.v_structure_numbers()) == set(
        second.v_structure_numbers()
    )


def class_key(dag: Dag) -> int:
    """A number of 128 bits that is the same for equivalent DAGs, and in practice only for them.

    It is a sum of random words, one for each edge of the skeleton and one for each v-structure, so that it can be kept
    up to date while a DAG grows. :func:`class_keys` computes the same for many DAGs at once.
    """
    low = high = 0
    for child, above in enumerate(dag.parent_masks):
        for parent in bits(above):
            a, b = sorted((parent, child))
            low, high = _add_words(low, high, a << 32 | b)
    for a, child, b in dag.v_structure_numbers():
        low, high = _add_words(low, high, 1 << 63 | a << 42 | b << 21 | child)
    return high << 64 | low


def _add_words(low: int, high: int, feature: int) -> tuple[int, int]:
    return (low + _mixed(feature)) & _WORD, (high + _mixed(feature ^ _SECOND_WORD)) & _WORD


def _mixed(word: int) -> int:
    """The finaliser of the generator SplitMix64, a bijection of 64-bit words that looks random."""
    word = (word + 0x9E3779B97F4A7C15) & _WORD
    word = ((word ^ word >> 30) * 0xBF58476D1CE4E5B9) & _WORD
    word = ((word ^ word >> 27) * 0x94D049BB133111EB) & _WORD
    return word ^ word >> 31


def class_keys(parents: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The class keys of many DAGs on up to 64 variables.

    Parameters
    ----------
    parents : array of uint64, graphs × variables
        The parents of each variable in each graph, as sets.

    Returns
    -------
    array of uint64, graphs × 2
        The low and the high half of each key.
    """
    graphs = _checked_graphs(parents)
    keys = np.empty((len(graphs), 2), dtype=np.uint64)
    kernels.class_keys(graphs, keys)
    return keys


def cpdags(parents: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """The CPDAGs of many DAGs on up to 64 variables: directed and undirected edges as sets, as in :class:`Cpdag`."""
    graphs = _checked_graphs(parents)
    directed, undirected = np.empty_like(graphs), np.empty_like(graphs)
    cyclic = kernels.cpdags(graphs, directed, undirected)
    if cyclic >= 0:
        raise InvalidData(f"graph {cyclic} has a directed cycle")
    return directed, undirected


def _checked_graphs(parents: NDArray[np.uint64]) -> NDArray[np.uint64]:
    given = np.asarray(parents)
    if given.dtype.kind not in "iu" or (given.dtype.kind == "i" and given.size and int(given.min()) < 0):
        raise InvalidData("sets of parents are bit masks: whole numbers, 0 or more")
    graphs = np.ascontiguousarray(given, dtype=np.uint64)
    if graphs.ndim != 2 or not 1 <= graphs.shape[1] <= 64:
        raise InvalidData("the graphs must be an array of graphs × variables, for 1 to 64 variables")
    outside = 0 if graphs.shape[1] == 64 else _WORD << graphs.shape[1] & _WORD
    itself = np.uint64(1) << np.arange(graphs.shape[1], dtype=np.uint64)
    if (graphs & np.uint64(outside)).any() or (graphs & itself).any():
        raise InvalidData("a set of parents holds the variable itself, or one that does not exist")
    return graphs


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
        """Direct all edges that must be, by Meek's four rules, when only edges at some vertices have changed."""
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
        """Whether a - b has to become a → b."""
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


def meek_closure(directed: Sequence[int], undirected: Sequence[int]) -> tuple[Masks, Masks]:
    """Direct all undirected edges that must be, by Meek's four rules [meek1995]_."""
    graph = PartlyDirected(directed, undirected)
    graph.close((1 << len(directed)) - 1)
    return tuple(graph.arrows), tuple(graph.lines)


def consistent_extension(directed: Sequence[int], undirected: Sequence[int]) -> Masks | None:
    """A DAG that directs the undirected edges without new v-structures or cycles; ``None`` if there is none [dor1992]_.

    A sink whose undirected neighbours are adjacent to all its other neighbours can take all its edges, and is removed.
    """
    arrows, lines = list(directed), list(undirected)
    parents = list(directed)
    left = (1 << len(arrows)) - 1
    while left:
        children = transposed(arrows)
        adjacent = [a | b | c for a, b, c in zip(arrows, lines, children, strict=True)]
        for sink in bits(left):
            if children[sink]:
                continue
            neighbours = adjacent[sink]
            if all(not neighbours & ~adjacent[u] & ~(1 << u) for u in bits(lines[sink])):
                break
        else:
            return None
        parents[sink] |= lines[sink]
        left &= ~(1 << sink)
        gone = ~(1 << sink)
        arrows = [0 if v == sink else mask & gone for v, mask in enumerate(arrows)]
        lines = [0 if v == sink else mask & gone for v, mask in enumerate(lines)]
    return tuple(parents)


def is_cpdag(directed: Sequence[int], undirected: Sequence[int]) -> bool:
    """Whether a partially directed graph is the CPDAG of some DAG."""
    both = any(a & (b | c) for a, b, c in zip(undirected, directed, transposed(directed), strict=True))
    if both or tuple(transposed(undirected)) != tuple(undirected):
        return False
    parents = consistent_extension(directed, undirected)
    if parents is None:
        return False
    dag = Dag(tuple(map(str, range(len(parents)))), parents)
    completed = dag_to_cpdag(dag)
    return completed.directed == tuple(directed) and completed.undirected == tuple(undirected)


def class_members(cpdag: Cpdag) -> Iterator[Dag]:
    """The DAGs of a class, one after the other.

    Directing an undirected edge of a graph that is closed under Meek's rules either way, and closing again, never leads
    into a dead end: each step of the search gives a member.
    """
    waiting = [(cpdag.directed, cpdag.undirected)]
    while waiting:
        arrows, lines = waiting.pop()
        a = next((v for v, mask in enumerate(lines) if mask), None)
        if a is None:
            yield Dag(cpdag.variables, arrows)
            continue
        b = next(bits(lines[a]))
        # The last one put down is taken up first.
        for parent, child in ((b, a), (a, b)):
            graph = PartlyDirected(arrows, lines)
            graph.direct(parent, child)
            graph.close(1 << parent | 1 << child | lines[parent] | lines[child])
            waiting.append((tuple(graph.arrows), tuple(graph.lines)))
