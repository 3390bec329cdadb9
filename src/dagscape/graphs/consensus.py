"""The consensus of edge probabilities: the DAG that maximises the sum of P(u → v) - ½ over its edges.

It is the DAG with the smallest expected number of wrong edges: an edge that is drawn is wrong with probability
1 - P(u → v), one that is left out with probability P(u → v).

*Decomposition.* An edge with P ≤ ½ adds nothing. The others form a graph that may have cycles, but every cycle lies
within one strongly connected component, so each component is solved on its own and all edges between components stay.

*Within a component* every DAG follows an order of its nodes, and of all DAGs that follow an order the one with all
edges from earlier to later nodes is best. The best order of a set S of nodes ends with some v ∈ S:

    best(S) = max over v ∈ S of  best(S∖v) + Σ over u ∈ S∖v of w(u, v),    w(u, v) = max(0, P(u → v) - ½).

For c nodes this takes c 2^c steps. Larger components start from a greedy order, and single nodes are moved as long as
that improves the sum.

*Exactness.* Between ½ and 1 all floating-point numbers are multiples of 2^-53, so the weights are integers of at most
52 bits and all sums are exact. Ties go to the earlier variable. Two directions that are equally probable have at most ½
each; rounding must not lift one above it, so what exceeds ½ by no more than the error of the probabilities counts as ½.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagscape.core.errors import InvalidOption
from dagscape.core.masks import bits, mask_of
from dagscape.graphs.dag import Dag
from dagscape.graphs.parent_sets import ancestors_of

# 2^20 sets take 8 MiB and about a second.
LARGEST_EXACT = 20

Weights = NDArray[np.int64]


def consensus_dag(variables: Sequence[str], probabilities: NDArray[np.float64], error: float = 0.0) -> tuple[Dag, bool]:
    """Return the consensus of edge probabilities, and whether it is exact.

    Parameters
    ----------
    variables : sequence of str
        The names of the variables.
    probabilities : array of shape (n, n)
        ``[u, v]`` is the probability of the edge u → v. The diagonal is ignored.
    error : float
        The error of the probabilities. Those that exceed ½ by no more count as ½.

    Returns
    -------
    Dag
        A DAG that maximises the sum of P(u → v) - ½ over its edges; edges of exactly ½ are left out.
    bool
        Whether it is proved to be the maximum: false only if edges above ½ join more than 20 variables in cycles.

    Examples
    --------
    A cycle is broken where it costs least:

    >>> cycle = np.array([[0, 0.9, 0], [0, 0, 0.8], [0.6, 0, 0]])
    >>> consensus_dag(["a", "b", "c"], cycle)
    (Dag(3 variables, 2 edges: a -> b, b -> c), True)
    """
    weights = _weights(probabilities, len(variables), error)
    parents = [mask_of(np.flatnonzero(column).tolist()) for column in weights.T]
    exact = True
    for component in _components(parents):
        members = list(bits(component))
        inside = weights[np.ix_(members, members)]
        small = len(members) <= LARGEST_EXACT
        exact &= small
        order = [members[place] for place in (_best_order if small else _good_order)(inside)]
        for v, earlier in zip(order, accumulate(order, lambda mask, u: mask | 1 << u, initial=0), strict=False):
            parents[v] &= ~component | earlier
    return Dag(tuple(variables), tuple(parents)), exact


def _weights(probabilities: NDArray[np.float64], n: int, error: float) -> Weights:
    """Return max(0, P - ½) in units of 2^-53; 0 if that is within the error."""
    matrix = np.array(probabilities, dtype=np.float64)
    if matrix.shape != (n, n):
        raise InvalidOption(f"has shape {matrix.shape}; it must be {(n, n)}", option="probabilities")
    np.fill_diagonal(matrix, 0.0)
    if not ((matrix >= 0) & (matrix <= 1)).all():
        raise InvalidOption("has values that are not between 0 and 1", option="probabilities")
    excess = matrix - 0.5
    return np.ldexp(np.where(excess > error, excess, 0.0), 53).astype(np.int64)


def _components(parents: Sequence[int]) -> Iterator[int]:
    """Iterate over the strongly connected components with at least two nodes, as sets."""
    above = [ancestors_of(parents, 1 << v) for v in range(len(parents))]
    left = mask_of(v for v, mask in enumerate(above) if mask >> v & 1)
    while left:
        first = (left & -left).bit_length() - 1
        component = mask_of(v for v in bits(above[first]) if above[v] >> first & 1)
        yield component
        left &= ~component


def _best_order(weights: Weights) -> list[int]:
    """Return an order of the nodes that maximises the sum of the weights from earlier to later ones."""
    c = len(weights)
    gains = [_Gain(weights[:, v]) for v in range(c)]
    best = np.zeros(1 << c, dtype=np.int64)
    sets = np.arange(1 << c, dtype=np.int64)
    sizes = np.bitwise_count(sets)
    for size in range(2, c + 1):
        layer = sets[sizes == size]
        found = np.zeros(len(layer), dtype=np.int64)
        for v, gain in enumerate(gains):
            rows = np.flatnonzero(layer >> v & 1)
            before = layer[rows] ^ (1 << v)
            found[rows] = np.maximum(found[rows], best[before] + gain(before))
        best[layer] = found
    order: list[int] = []
    left = (1 << c) - 1
    while left:
        # Of equally good nodes the latest is last, so that earlier variables come first.
        last = max(v for v in bits(left) if best[left ^ 1 << v] + gains[v](left ^ 1 << v) == best[left])
        order.append(last)
        left ^= 1 << last
    return order[::-1]


class _Gain:
    """The sum of one node's weights over any set, from tables for the two halves of the set."""

    def __init__(self, weights: Weights) -> None:
        self._half = len(weights) // 2
        self._low, self._high = (_subset_sums(part) for part in (weights[: self._half], weights[self._half :]))

    def __call__(self, sets: Any) -> Any:
        return self._low[sets & ((1 << self._half) - 1)] + self._high[sets >> self._half]


def _subset_sums(weights: Weights) -> Weights:
    """Return the sum of the weights over each set.

    >>> _subset_sums(np.array([1, 10])).tolist()
    [0, 1, 10, 11]
    """
    sums = np.zeros(1, dtype=np.int64)
    for weight in weights:
        sums = np.concatenate([sums, sums + weight])
    return sums


def _good_order(weights: Weights) -> list[int]:
    """Return an order that no move of a single node improves."""
    # surplus[v][u]: what is gained if u comes before v rather than after it. Python integers cannot overflow.
    surplus = [[int(weights[u, v]) - int(weights[v, u]) for u in range(len(weights))] for v in range(len(weights))]
    order = _greedy_order(surplus)
    improved = True
    while improved:
        improved = False
        for v in range(len(order)):
            here = order.index(v)
            others = order[:here] + order[here + 1 :]
            # What each place gains over the first one: the surplus of all nodes that are then before v.
            gains = list(accumulate((surplus[v][u] for u in others), initial=0))
            place = max(range(len(gains)), key=lambda place: (gains[place], place == here, -place))
            if gains[place] > gains[here]:
                order = [*others[:place], v, *others[place:]]
                improved = True
    return order


def _greedy_order(surplus: Sequence[Sequence[int]]) -> list[int]:
    """Return an order that begins with the node that loses least, then the next such node among the others."""
    left = list(range(len(surplus)))
    order = []
    while left:
        first = min(left, key=lambda v: sum(surplus[v][u] for u in left))
        order.append(first)
        left.remove(first)
    return order
