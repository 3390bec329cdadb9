"""Diversity of a list of networks: their distances to each other, and to a known structure.

The distance between two structures is the structural Hamming distance between their CPDAGs [tsamardinos2006]_, or
between the DAGs themselves, as in :func:`dagscape.compare` at the levels ``"classes"`` and ``"dags"``. Functions take
graphs from :func:`graphs_at`, where DAGs are graphs without undirected edges. They return curves over the length of the
list: values for the first network, the first two, and so on.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dagscape.core.errors import InvalidOption, type_of
from dagscape.graphs.comparison import HasDag, at_level, check_level
from dagscape.graphs.dag import Cpdag, Dag
from dagscape.graphs.lists import CpdagList, DagList
from dagscape.graphs.validation import check_variables
from dagscape.graphs.words import Words, pack, transposed

Curve = NDArray[np.float64]


def graphs_at(networks: DagList, level: str) -> CpdagList:
    """Return what networks are compared by: their CPDAGs, or the DAGs themselves, with directed edges only."""
    check_level(level)
    if level == "classes":
        return networks.cpdags()
    return CpdagList(networks.variables, networks.parents, np.zeros_like(networks.parents))


def mean_distances(classes: CpdagList) -> Curve:
    """Return the average distance between two networks in each prefix of the list; 0 for the first network alone.

    Examples
    --------
    >>> import dagscape as ds
    >>> from dagscape.graphs.lists import DagList
    >>> dags = DagList.from_edges("abc", [[("a", "b")], [("b", "a")], [("b", "c")]])
    >>> mean_distances(dags.cpdags()).round(3).tolist()
    [0.0, 0.0, 1.333]
    """
    kinds = _edge_kinds(classes)
    totals = np.zeros(len(classes))
    for i in range(1, len(classes)):
        totals[i] = totals[i - 1] + float(_differences(kinds[:, :i], kinds[:, i, np.newaxis]).sum())
    count = np.arange(1, len(classes) + 1)
    return totals / np.maximum(count * (count - 1) / 2, 1)


def distances(classes: CpdagList, truth: Dag | Cpdag | HasDag, level: str = "classes") -> NDArray[np.int64]:
    """Return the distance of each network from a known structure; ``level`` says what the list holds."""
    known = _known(classes.variables, truth, level)
    sets = (pack([edges], known.n) for edges in (known.directed, known.undirected))
    return _differences(_edge_kinds(classes), _edge_kinds(CpdagList(classes.variables, *sets)))


def least_distances(classes: CpdagList, truth: Dag | Cpdag | HasDag, level: str = "classes") -> NDArray[np.int64]:
    """Return the least distance to a known structure in each prefix of the list ("oracle accuracy")."""
    least: NDArray[np.int64] = np.minimum.accumulate(distances(classes, truth, level))
    return least


def class_counts(classes: CpdagList) -> NDArray[np.int64]:
    """Return the number of different equivalence classes in each prefix of the list."""
    seen: set[bytes] = set()
    counts = []
    for row in np.concatenate([classes.directed, classes.undirected], axis=1):
        seen.add(row.tobytes())
        counts.append(len(seen))
    return np.array(counts, dtype=np.int64)


def _known(variables: tuple[str, ...], truth: Dag | Cpdag | HasDag, level: str) -> Dag | Cpdag:
    structure = truth if isinstance(truth, Dag | Cpdag) else getattr(truth, "dag", None)
    if not isinstance(structure, Dag | Cpdag):
        raise InvalidOption(f"{type_of(truth)} is not a structure: give a Dag, a Cpdag or a Network")
    check_variables(structure.variables, variables, "the networks")
    if structure.variables != variables:
        structure = structure.reordered(variables)
    return at_level(structure, level)


def _edge_kinds(classes: CpdagList) -> Words:
    """Return the edges to earlier variables, as sets: the incoming, then the outgoing, then the undirected ones."""
    n = len(classes.variables)
    earlier = pack([[(1 << variable) - 1 for variable in range(n)]], n)
    return np.stack([classes.directed, transposed(classes.directed), classes.undirected]) & earlier


def _differences(first: Words, second: Words) -> NDArray[np.int64]:
    """Return the number of pairs of variables whose edge differs or is in one class only, for each two classes."""
    differing = np.bitwise_or.reduce(first ^ second, axis=0)
    found: NDArray[np.int64] = np.bitwise_count(differing).sum(axis=(1, 2), dtype=np.int64)
    return found
