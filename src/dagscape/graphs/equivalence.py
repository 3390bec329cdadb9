"""Markov equivalence: the class of a DAG as a CPDAG, and as a key.

Two DAGs are equivalent if they have the same skeleton and the same v-structures. A CPDAG represents a class: it directs
the edges on which all members agree. Labelling the edges of a DAG [chickering1995]_ gives the CPDAG of its class.

Here one graph is a sequence of Python integers: ``parents[v]`` holds the parents of *v* as a set. Many graphs are an
array (:mod:`dagscape.graphs.words`), which kernels process.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from dagscape.core import kernels
from dagscape.core.errors import InvalidData
from dagscape.core.masks import bits, transposed
from dagscape.graphs.orientation import consistent_extension
from dagscape.graphs.parent_sets import Masks, topological_order, v_structures
from dagscape.graphs.words import Words, checked_graphs

if TYPE_CHECKING:
    from dagscape.graphs.dag import Dag

_WORD = (1 << 64) - 1
_SECOND_WORD = 0x9FB21C651E98DF25


def cpdag_masks(parents: Sequence[int]) -> tuple[Masks, Masks]:
    """Return the CPDAG of a DAG: the parents on which all members agree, and the neighbours by other edges."""
    directed = compelled_parents(parents, topological_order(parents))
    free = [above & ~agreed for above, agreed in zip(parents, directed, strict=True)]
    return directed, tuple(above | below for above, below in zip(free, transposed(free), strict=True))


def compelled_parents(parents: Sequence[int], order: Sequence[int]) -> Masks:
    """Return the parents on which all members of the class agree, for each variable.

    The procedure Label-Edges of [chickering1995]_: visit the variables in topological order; the edge from the last
    parent of each determines the labels of all its edges that are still unlabelled.
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


def is_cpdag(directed: Sequence[int], undirected: Sequence[int]) -> bool:
    """Whether a partially directed graph is the CPDAG of some DAG."""
    both = any(a & (b | c) for a, b, c in zip(undirected, directed, transposed(directed), strict=True))
    if both or tuple(transposed(undirected)) != tuple(undirected):
        return False
    parents = consistent_extension(directed, undirected)
    return parents is not None and cpdag_masks(parents) == (tuple(directed), tuple(undirected))


def class_key(dag: Dag) -> int:
    """Return a 128-bit integer that is equal for equivalent DAGs, and in practice for no others.

    It is a sum of random words, one for each edge of the skeleton and one for each v-structure, so that it can be
    updated while a DAG grows. :func:`class_keys` computes the same keys for many DAGs at once.
    """
    low = high = 0
    for child, above in enumerate(dag.parent_masks):
        for parent in bits(above):
            a, b = sorted((parent, child))
            low, high = _add_words(low, high, a << 32 | b)
    for a, child, b in v_structures(dag.parent_masks):
        low, high = _add_words(low, high, 1 << 63 | a << 42 | b << 21 | child)
    return high << 64 | low


def _add_words(low: int, high: int, feature: int) -> tuple[int, int]:
    return (low + _mixed(feature)) & _WORD, (high + _mixed(feature ^ _SECOND_WORD)) & _WORD


def _mixed(word: int) -> int:
    """Apply the finaliser of the generator SplitMix64, a bijection of 64-bit words that looks random."""
    word = (word + 0x9E3779B97F4A7C15) & _WORD
    word = ((word ^ word >> 30) * 0xBF58476D1CE4E5B9) & _WORD
    word = ((word ^ word >> 27) * 0x94D049BB133111EB) & _WORD
    return word ^ word >> 31


def class_keys(parents: Words) -> Words:
    """Return the class keys of many DAGs.

    Parameters
    ----------
    parents : array of uint64, graphs × variables × words
        The parents of each variable in each graph, as sets: variable *u* is bit *u* mod 64 of word *u* div 64, as in
        ``DagList.parents``. Up to 64 variables may have the shape graphs × variables.

    Returns
    -------
    array of uint64, graphs × 2
        The low and the high half of each key.

    Examples
    --------
    >>> forward, backward, empty = [0, 0b01], [0b10, 0], [0, 0]
    >>> keys = class_keys(np.array([forward, backward, empty]))
    >>> bool((keys[0] == keys[1]).all()), bool((keys[0] == keys[2]).all())
    (True, False)
    """
    graphs = checked_graphs(parents)
    keys = np.empty((len(graphs), 2), dtype=np.uint64)
    kernels.class_keys(graphs, keys)
    return keys


def cpdags(parents: Words) -> tuple[Words, Words]:
    """Return the CPDAGs of many DAGs.

    Parameters
    ----------
    parents : array of uint64, graphs × variables × words
        The parents of each variable in each graph, as for :func:`class_keys`.

    Returns
    -------
    directed, undirected : array of uint64
        The parents on which all members of a class agree, and the neighbours by undirected edges, as sets, in the shape
        of the parents.

    Examples
    --------
    >>> directed, undirected = cpdags(np.array([[0, 0b001, 0b001], [0, 0b101, 0]]))
    >>> directed.tolist(), undirected.tolist()
    ([[0, 0, 0], [0, 5, 0]], [[6, 1, 1], [0, 0, 0]])
    """
    graphs = checked_graphs(parents)
    directed, undirected = np.empty_like(graphs), np.empty_like(graphs)
    cyclic = kernels.cpdags(graphs, directed, undirected)
    if cyclic >= 0:
        raise InvalidData(f"graph {cyclic} has a directed cycle")
    shape = np.shape(parents)
    return directed.reshape(shape), undirected.reshape(shape)
