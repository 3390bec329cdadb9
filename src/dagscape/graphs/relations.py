"""Relations in many graphs at once: ancestors and Markov blankets, as arrays of sets (:mod:`dagscape.graphs.words`).

The cost follows the number of edges: a set has as many words as all variables need, and each edge is looked at once for
blankets, and once for each step of the longest path for ancestors.
"""

from __future__ import annotations

import numpy as np

from dagscape.graphs.words import Words, all_members, joined, pieces, singletons


def ancestor_sets(parents: Words) -> Words:
    """Return the ancestors of each variable in each graph; the graphs must be acyclic.

    >>> ancestor_sets(np.array([[[0], [1], [2]]], dtype=np.uint64)).tolist()
    [[[0], [1], [3]]]
    """
    found = np.empty_like(parents)
    for piece in pieces(parents):
        found[piece] = _piece_ancestors(parents[piece])
    return found


def _piece_ancestors(parents: Words) -> Words:
    """Return the ancestors in a few graphs: variables join theirs to those of their parents, after these."""
    count, n, words = parents.shape
    below, above = all_members(parents.reshape(count * n, words))
    above += below // n * n
    ancestors = parents.reshape(count * n, words).copy()
    waiting = np.bincount(below, minlength=count * n)
    done = waiting == 0
    while below.size:
        # Edges from variables that are done; those into one variable are neighbours.
        waiting -= np.bincount(below[done[above]], minlength=count * n)
        ready = (waiting == 0)[below]
        into, first = np.unique(below[ready], return_index=True)
        if not into.size:
            raise ValueError("a graph has a directed cycle")
        ancestors[into] |= np.bitwise_or.reduceat(ancestors[above[ready]], first, axis=0)
        done = np.zeros(count * n, dtype=np.bool_)
        done[into] = True
        below, above = below[~ready], above[~ready]
    return ancestors.reshape(parents.shape)


def blanket_sets(parents: Words) -> Words:
    """Return the Markov blanket of each variable in each graph: its parents, its children, and their other parents.

    >>> blanket_sets(np.array([[[0], [0], [3]]], dtype=np.uint64)).tolist()
    [[[6], [5], [3]]]
    """
    n, words = parents.shape[1:]
    single = singletons(n)
    found = np.empty_like(parents)
    for piece in pieces(parents):
        sets = parents[piece].reshape(-1, words)
        row, parent = all_members(sets)
        families = sets[row] | single[row % n]
        joint = joined(row // n * n + parent, families, parents[piece].shape)
        found[piece] = (joint | parents[piece]) & ~single
    return found
