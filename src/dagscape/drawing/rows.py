"""Layers that are not wider than a page: wide ones are broken into several rows.

No edge joins two nodes of one layer, so that a layer can be broken anywhere. An edge that passes a row takes room in
it, so the nodes from which fewer edges lead on than reach them are in the first rows, and the others in the last ones.
Among equal nodes, the rows take turns from left to right, like the bricks of a wall: children stay below their parents.

Since rows have to leave room for the edges that pass them, it takes a few attempts to find how many are needed. Each
breaks the layers of the one before that are still too wide.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from dagscape.drawing.layering import Edge, LayeredGraph, layered_graph

_ATTEMPTS = 10


def narrow_graph(
    n: int, edges: Sequence[Edge], widths: Sequence[float], most: float, gaps: tuple[float, float]
) -> LayeredGraph:
    """Return the layers of a connected acyclic graph, if possible none wider than a limit.

    Parameters
    ----------
    n, edges
        The graph.
    widths : sequence of float
        The width of each node.
    most : float
        The limit.
    gaps : (float, float)
        The distance between two nodes, and that between a node and an edge that passes it.

    Examples
    --------
    >>> narrow_graph(5, [(0, v) for v in range(1, 5)], [10.0] * 5, 40.0, (5.0, 3.0)).layers[1:]
    [[1, 3, 5, 6], [2, 4]]
    """
    graph = layered_graph(n, edges)
    for _ in range(_ATTEMPTS):
        counts = [_rows(graph, layer, widths, most, gaps) for layer in graph.layers]
        if max(counts) == 1:
            break
        starts = [0, *accumulate(counts)]
        layer_of = [0] * n
        for layer, (nodes, count) in enumerate(zip(graph.layers, counts, strict=True)):
            real = [node for node in nodes if not graph.dummy(node)]
            for node, row in zip(real, _dealt(graph, real, widths, count), strict=True):
                layer_of[node] = starts[layer] + row
        graph = layered_graph(n, edges, _without_gaps(layer_of))
    return graph


def _rows(
    graph: LayeredGraph, layer: Sequence[int], widths: Sequence[float], most: float, gaps: tuple[float, float]
) -> int:
    """Return in how many rows to break a layer: one if it is narrow enough, or cannot be broken."""
    real = [node for node in layer if not graph.dummy(node)]
    boxes = sum(widths[node] + gaps[0] for node in real)
    passing = gaps[1] * (len(layer) - len(real))
    if boxes + passing <= most or len(real) < 2:
        return 1
    # Edges that pass the layer pass each of its rows.
    room = max(most - passing, most / 3)
    return min(len(real), max(2, -int(-boxes // room)))


def _dealt(graph: LayeredGraph, nodes: Sequence[int], widths: Sequence[float], count: int) -> list[int]:
    """Return the row of each node of a layer, about equally wide ones."""
    leading = {node: len(graph.below[node]) - len(graph.above[node]) for node in nodes}
    sides = {node: (leading[node] > 0) - (leading[node] < 0) for node in nodes}
    total = sum(widths[node] for node in nodes)
    filled = 0.0
    rows: dict[int, list[int]] = {}
    for node in sorted(nodes, key=lambda node: sides[node]):
        row = min(count - 1, int(count * (filled + widths[node] / 2) / total))
        filled += widths[node]
        rows.setdefault(sides[node], []).append(row)
    turns = {side: iter(_in_turns(found)) for side, found in rows.items()}
    return [next(turns[sides[node]]) for node in nodes]


def _in_turns(rows: Sequence[int]) -> list[int]:
    """Mix the numbers of rows evenly.

    >>> _in_turns([0, 0, 0, 0, 1, 1])
    [0, 1, 0, 0, 1, 0]
    """
    places = [((index + 0.5) / rows.count(row), row) for row in sorted(set(rows)) for index in range(rows.count(row))]
    return [row for _, row in sorted(places)]


def _without_gaps(layers: Sequence[int]) -> list[int]:
    place = {layer: number for number, layer in enumerate(sorted(set(layers)))}
    return [place[layer] for layer in layers]
