"""How different the networks of a list are: from each other, and from a known one.

The distance of two structures is the structural Hamming distance between their CPDAGs [tsamardinos2006]_, as in
:func:`dagscape.compare`. Every function looks at the first network of a list, the first two, and so on, as curves over
the length of the list are drawn.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dagscape.errors import InvalidOption
from dagscape.graphs.comparison import HasDag
from dagscape.graphs.dag import Cpdag, Dag
from dagscape.graphs.lists import CpdagList

Curve = NDArray[np.float64]


def mean_distances(classes: CpdagList) -> Curve:
    """The average distance between two networks of each beginning of the list; 0 for the first alone.

    Examples
    --------
    >>> import dagscape as ds
    >>> from dagscape.graphs.lists import DagList
    >>> dags = DagList.from_edges("abc", [[("a", "b")], [("b", "a")], [("b", "c")]])
    >>> mean_distances(dags.cpdags()).round(3).tolist()
    [0.0, 0.0, 1.333]
    """
    codes = _edge_codes(classes)
    totals = np.zeros(len(codes))
    for i in range(1, len(codes)):
        totals[i] = totals[i - 1] + float((codes[:i] != codes[i]).sum())
    count = np.arange(1, len(codes) + 1)
    return totals / np.maximum(count * (count - 1) / 2, 1)


def distances(classes: CpdagList, truth: Dag | Cpdag | HasDag) -> NDArray[np.int64]:
    """The distance of each network to a known structure."""
    known = _as_class(classes.variables, truth)
    masks = (np.array([edges], dtype=np.uint64) for edges in (known.directed, known.undirected))
    code = _edge_codes(CpdagList(classes.variables, *masks))
    found: NDArray[np.int64] = (_edge_codes(classes) != code).sum(axis=1, dtype=np.int64)
    return found


def least_distances(classes: CpdagList, truth: Dag | Cpdag | HasDag) -> NDArray[np.int64]:
    """The least distance to a known structure in each beginning of the list ("oracle accuracy")."""
    least: NDArray[np.int64] = np.minimum.accumulate(distances(classes, truth))
    return least


def class_counts(classes: CpdagList) -> NDArray[np.int64]:
    """The number of different equivalence classes in each beginning of the list."""
    seen: set[bytes] = set()
    counts = []
    for row in np.concatenate([classes.directed, classes.undirected], axis=1):
        seen.add(row.tobytes())
        counts.append(len(seen))
    return np.array(counts, dtype=np.int64)


def _as_class(variables: tuple[str, ...], truth: Dag | Cpdag | HasDag) -> Cpdag:
    structure = truth if isinstance(truth, Dag | Cpdag) else getattr(truth, "dag", None)
    if not isinstance(structure, Dag | Cpdag):
        raise InvalidOption(f"a {type(truth).__name__} is no structure: give a Dag, a Cpdag or a Network")
    if sorted(structure.variables) != sorted(variables):
        raise InvalidOption("the known structure does not have the variables of the networks")
    if structure.variables != variables:
        structure = structure.reordered(variables)
    return structure.to_cpdag() if isinstance(structure, Dag) else structure


def _edge_codes(classes: CpdagList) -> NDArray[np.uint8]:
    """For each class and each pair u < v: 0 for no edge, 1 for u → v, 2 for v → u, 3 for an undirected edge."""
    n = len(classes.variables)
    codes = np.zeros((len(classes), n * (n - 1) // 2), dtype=np.uint8)
    pairs = ((u, v) for v in range(n) for u in range(v))
    for at, (u, v) in enumerate(pairs):
        forward = _has(classes.directed, v, u)
        backward = _has(classes.directed, u, v)
        codes[:, at] = forward + 2 * backward + 3 * _has(classes.undirected, v, u)
    return codes


def _has(masks: NDArray[np.uint64], row: int, member: int) -> NDArray[np.uint8]:
    return (masks[:, row] >> np.uint64(member) & np.uint64(1)).astype(np.uint8)
