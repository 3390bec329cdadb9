"""Markov equivalence: the class of a DAG as a CPDAG, and as a key.

Two DAGs are equivalent when they have the same skeleton and the same v-structures. A class is drawn as a CPDAG, with
the edges on which its members agree directed. From a DAG it comes by labelling its edges [chickering1995]_.

One graph is a sequence of Python integers here: ``parents[v]`` holds the parents of *v* as a set. Many graphs are an
array (:mod:`dagscape.graphs.words`), and kernels do the work.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dagscape import kernels
from dagscape.errors import InvalidData
from dagscape.graphs.orientation import consistent_extension
from dagscape.graphs.parent_sets import Masks, topological_order, v_structures
from dagscape.masks import bits, transposed

if TYPE_CHECKING:
    from dagscape.graphs.dag import Dag

_WORD = (1 << 64) - 1
_SECOND_WORD = 0x9FB21C651E98DF25


def cpdag_masks(parents: Sequence[int]) -> tuple[Masks, Masks]:
    """The CPDAG of a DAG: the parents on which all members agree, and the neighbours by other edges."""
    directed = compelled_parents(parents, topological_order(parents))
    free = [above & ~agreed for above, agreed in zip(parents, directed, strict=True)]
    return directed, tuple(above | below for above, below in zip(free, transposed(free), strict=True))


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


def is_cpdag(directed: Sequence[int], undirected: Sequence[int]) -> bool:
    """Whether a partially directed graph is the CPDAG of some DAG."""
    both = any(a & (b | c) for a, b, c in zip(undirected, directed, transposed(directed), strict=True))
    if both or tuple(transposed(undirected)) != tuple(undirected):
        return False
    parents = consistent_extension(directed, undirected)
    return parents is not None and cpdag_masks(parents) == (tuple(directed), tuple(undirected))


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
    for a, child, b in v_structures(dag.parent_masks):
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
