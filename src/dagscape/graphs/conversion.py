"""Conversion of graphs: edges as pairs of names, adjacency matrices with or without labels, and networkx graphs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from numbers import Integral
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dagscape.core.checks import check_names
from dagscape.core.errors import BackendUnavailable, InvalidData, brief, did_you_mean
from dagscape.core.masks import bits, mask_of
from dagscape.core.wording import plural
from dagscape.graphs.validation import check_masks, numbered

if TYPE_CHECKING:
    import networkx as nx

Edges = Iterable[tuple[str, str]]


def edge_masks(variables: Sequence[str], edges: Edges, arrow: str = "->") -> tuple[int, ...]:
    """Return, for each variable, the set of those from which an edge leads to it; ``arrow`` is for messages."""
    number = numbered(variables)
    parents = [0] * len(number)
    for edge in edges:
        if isinstance(edge, str) or not isinstance(edge, Sequence) or len(edge) != 2:
            raise InvalidData(f"{brief(edge)} is not an edge: an edge is a pair (parent, child)")
        parent, child = edge
        for name in (parent, child):
            if not isinstance(name, str) or name not in number:
                raise InvalidData(
                    f"the edge {brief(parent)} {arrow} {brief(child)} names {brief(name)}, which is not a variable"
                    f"{did_you_mean(name, number)}"
                )
        parents[number[child]] |= 1 << number[parent]
    return tuple(parents)


def named_edges(variables: Sequence[str], parents: Sequence[int]) -> tuple[tuple[str, str], ...]:
    """Return the edges (parent, child) of sets of parents, by child, then by parent."""
    return tuple(
        (variables[parent], child) for child, mask in zip(variables, parents, strict=True) for parent in bits(mask)
    )


def sets_or_edges(variables: Sequence[str], given: Edges | Iterable[int]) -> tuple[int, ...]:
    """Return the sets of parents of the variables, given as such or as edges.

    >>> sets_or_edges(["a", "b"], [("a", "b")]), sets_or_edges(["a", "b"], [0, 1]), sets_or_edges(["a", "b"], [])
    ((0, 1), (0, 1), (0, 0))
    """
    if not isinstance(given, Iterable):
        raise InvalidData(f"{brief(given)} are not edges: give a list of pairs (parent, child)")
    items = tuple(given)
    masks = tuple(int(item) for item in items if isinstance(item, Integral))
    if not items or len(masks) < len(items):
        masks = edge_masks(variables, cast(Edges, items))
    check_names(variables)
    check_masks(variables, masks)
    return masks


def parents_of_adjacency(matrix: ArrayLike, variables: Sequence[str] | None) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Return the names and the sets of parents of an adjacency matrix or a data frame."""
    if hasattr(matrix, "columns") and hasattr(matrix, "index"):
        matrix, variables = _labelled_matrix(matrix, variables)
    array = np.asarray(matrix)
    if array.dtype.kind not in "biuf" or (array.dtype.kind == "f" and np.isnan(array).any()):
        raise InvalidData("an adjacency matrix must hold numbers or Booleans, without missing values")
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise InvalidData(f"an adjacency matrix must be square; this one has the shape {array.shape}")
    names = [f"X{i}" for i in range(len(array))] if variables is None else list(variables)
    if len(names) != len(array):
        raise InvalidData(f"the adjacency matrix has {plural(len(array), 'row')}, but the names are {len(names)}")
    parents = (mask_of(np.flatnonzero(array[:, child]).tolist()) for child in range(len(array)))
    return tuple(names), tuple(parents)


def _labelled_matrix(frame: Any, variables: Sequence[str] | None) -> tuple[Any, list[str]]:
    """Return a data frame's cells and names, with its columns in the order of its rows."""
    rows, columns = list(map(str, frame.index)), list(map(str, frame.columns))
    if sorted(rows) != sorted(columns):
        raise InvalidData("the rows and columns of the adjacency matrix do not have the same labels")
    cells = np.asarray(frame)[:, [columns.index(name) for name in rows]]
    return cells, rows if variables is None else list(variables)


def adjacency_of(parents: Sequence[int]) -> NDArray[np.bool_]:
    """Return the adjacency matrix: ``[u, v]`` is true where *u* is in the set of *v*."""
    matrix = np.zeros((len(parents), len(parents)), dtype=np.bool_)
    for child, mask in enumerate(parents):
        matrix[list(bits(mask)), child] = True
    return matrix


def names_and_edges(graph: nx.DiGraph[Any]) -> tuple[list[str], list[tuple[str, str]]]:
    """Return the nodes and edges of a directed networkx graph; ``str`` turns nodes into names."""
    if not graph.is_directed():
        raise InvalidData("the networkx graph is not directed")
    return [str(node) for node in graph.nodes], [(str(parent), str(child)) for parent, child in graph.edges()]


def networkx_graph(variables: Sequence[str], edges: Edges) -> nx.DiGraph[str]:
    """Return a networkx ``DiGraph`` of directed edges."""
    graph: nx.DiGraph[str] = _empty_networkx_graph()
    graph.add_nodes_from(variables)
    graph.add_edges_from(edges)
    return graph


def mixed_networkx_graph(variables: Sequence[str], directed: Edges, undirected: Edges) -> nx.DiGraph[Any]:
    """Return a networkx ``DiGraph`` with the edge attribute ``directed``; an undirected edge is in both directions."""
    graph = _empty_networkx_graph()
    graph.add_nodes_from(variables)
    graph.add_edges_from(directed, directed=True)
    both = [edge for u, v in undirected for edge in ((u, v), (v, u))]
    graph.add_edges_from(both, directed=False)
    return graph


def _empty_networkx_graph() -> nx.DiGraph[Any]:
    try:
        import networkx as nx
    except ImportError as error:
        raise BackendUnavailable(
            "a networkx graph needs networkx, which is not installed: pip install networkx; "
            "to_adjacency() and the edges do not need it"
        ) from error
    return nx.DiGraph()
