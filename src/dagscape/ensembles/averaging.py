"""Averages over the best networks, weighted by their posterior probability.

With score(G) = ln P(G, D), a feature f has the probability

    P(f | D) ≈ Σ_G f(G) exp score(G) / Σ_G exp score(G)                                  (eq. 1 of [chen2014]_)

over the networks G of a list. In a list of equivalence classes, one member represents each class. Either every class
counts once (eq. 3), for a prior over classes, or it counts once for each member (eq. 4), as if all DAGs were listed.
Members of one class are equally probable, so only the share of members with the feature is needed. For edges and
directed paths, that share is computed without listing the members (:mod:`dagscape.ensembles.class_shares`);
v-structures and Markov blankets are the same in all members.

Notation: the paper's ω_i, the number of DAGs in a class, is ``class_sizes[i]``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagscape.core.checks import check_choice
from dagscape.core.errors import InvalidOption, type_of
from dagscape.ensembles.class_shares import ancestor_shares, undirected_edge_shares
from dagscape.graphs.dag import Dag
from dagscape.graphs.directions import MemberLimits, compelled_words
from dagscape.graphs.lists import DagList
from dagscape.graphs.parent_sets import v_structures
from dagscape.graphs.relations import ancestor_sets, blanket_sets
from dagscape.graphs.words import Words, holds, unpack

WEIGHTS = ("dags", "classes")

Probabilities = NDArray[np.float64]


def log_weights(scores: NDArray[np.float64], class_sizes: Sequence[int], weights: str) -> NDArray[np.float64]:
    """Return the unnormalised log weights of the entries of a list."""
    check_choice(weights, WEIGHTS, "weights")
    if weights == "classes":
        return scores
    sizes = np.array([math.log(size) for size in class_sizes], dtype=np.float64)
    return scores + sizes


def log_sum(values: NDArray[np.float64]) -> float:
    """Return the logarithm of the sum of exponentials."""
    highest = float(values.max())
    return highest + math.log(math.fsum(np.exp(values - highest)))


def edge_average(dags: DagList, shares: NDArray[np.float64], *, classes: bool) -> Probabilities:
    """Return the probability of every edge; ``shares`` are the probabilities of the entries."""
    if not classes:
        return _bit_average(dags.parents, shares)
    found = dags.cpdags()
    average = _bit_average(found.directed, shares)
    for row in np.flatnonzero(found.undirected.any(axis=(1, 2))):
        for u, v, share in undirected_edge_shares(unpack(found.undirected[row])):
            average[u, v] += shares[row] * share
    return average


def ancestor_average(dags: DagList, shares: NDArray[np.float64], *, classes: bool) -> Probabilities:
    """Return the probability of a directed path from each variable to each other."""
    n = len(dags.variables)
    if not classes:
        return _bit_average(ancestor_sets(dags.parents), shares)
    average = np.zeros((n, n))
    for share, cpdag in zip(shares, dags.cpdags(), strict=True):
        average += share * ancestor_shares(cpdag.directed, cpdag.undirected)
    return average


def compelled_average(dags: DagList, shares: NDArray[np.float64], limits: MemberLimits | None) -> Probabilities:
    """Return the probability that an edge holds in every member of the class that satisfies the limits."""
    return _bit_average(compelled_words(dags.parents, limits), shares)


def blanket_average(dags: DagList, shares: NDArray[np.float64]) -> Probabilities:
    """Return the probability that one variable is in the Markov blanket of another; symmetric, equal within a class."""
    return _bit_average(blanket_sets(dags.parents), shares)


def v_structure_average(dags: DagList, shares: NDArray[np.float64]) -> dict[tuple[str, str, str], float]:
    """Return the probability of every v-structure (a, child, b) that some network has, most probable first."""
    found: dict[tuple[int, int, int], float] = {}
    for share, dag in zip(shares.tolist(), dags, strict=True):
        for triple in v_structures(dag.parent_masks):
            found[triple] = found.get(triple, 0.0) + share
    ordered = sorted(found.items(), key=lambda entry: (-entry[1], entry[0]))
    name = dags.variables
    return {(name[a], name[child], name[b]): probability for (a, child, b), probability in ordered}


def function_average(
    dags: DagList, shares: NDArray[np.float64], function: Callable[[Dag], Any], *, members: bool
) -> Any:
    """Return the average of a function of a DAG: a number, a Boolean or an array."""
    total: Any = 0.0
    for share, dag in zip(shares.tolist(), dags, strict=True):
        each = dag.to_cpdag().members() if members else (dag,)
        values = [as_number(function(member)) for member in each]
        total = total + share * (sum(values) / len(values))
    return total


def as_number(value: Any) -> Any:
    """Return a value as a float or an array of floats, to be averaged."""
    if isinstance(value, bool | int | float):
        return float(value)
    array = np.asarray(value) if isinstance(value, np.ndarray | np.generic) else None
    if array is None or array.dtype.kind not in "biuf":
        raise InvalidOption(
            f"the function returned {type_of(value)}; only numbers, Booleans and arrays can be averaged"
        )
    return array.astype(np.float64) if array.ndim else float(array)


def _bit_average(sets: Words, shares: NDArray[np.float64]) -> Probabilities:
    """Return at ``[u, v]`` the sum of the shares of the graphs in which the set of v contains u."""
    n = sets.shape[1]
    average = np.empty((n, n))
    for u in range(n):
        held = holds(sets, u).astype(np.float64)
        # Not a dot product, because its rounding may depend on the number of threads.
        average[u] = (held * shares[:, None]).sum(axis=0)
    return average
