"""The content of a drawing, independent of the format: boxes with names, curves, arrowheads, labels.

The writers (:mod:`dagscape.drawing.svg`, :mod:`dagscape.drawing.figure`) only translate a
:class:`Picture`, so all formats agree. One unit is a pixel of SVG and a point of PDF.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dagscape.checks import is_between
from dagscape.drawing.label_places import label_places
from dagscape.drawing.layout import Box, Point, layered_layout
from dagscape.errors import InvalidOption, argument, type_of
from dagscape.masks import bits, connected_components

FONT_SIZE = 13.0
LABEL_SIZE = 9.5
TITLE_SIZE = 15.0
CORNER = 6.0
HEAD_LENGTH, HEAD_WIDTH = 8.0, 6.5
PAPER, BOX_FILL, BOX_LINE, INK = "#ffffff", "#eef3fa", "#7d93b2", "#1c2733"
PLAIN_LINE = "#5b6878"
# From improbable to certain. The palest is still visible on white.
SHADES = ("#c9ced6", "#a9b1bd", "#8a94a3", "#6c7889", "#4f5c6e", "#303c4d")

_MARGIN = 16.0
_BOX_HEIGHT = 28.0
_LONGEST_TEXT = 32
_MAX_LABELS = 100
_LAYER_GAP, _LABELLED_GAP = 44.0, 60.0
_TOLERANCE = 1e-9
# Widths in a wide sans-serif font (DejaVu Sans), in hundredths of the font size, so that text fits in other fonts too.
_NARROW = {29: "'ijlIJ", 34: " ,./:;\\|f-", 41: "()[]t!r", 52: '"*_`sz?', 56: "cL", 70: "KAVBRXZC", 79: "UHNDG&OQ"}
_WIDE = {84: "#+<=>^~wM→", 100: "%mW@…"}
_WIDTH = {char: width / 100 for width, chars in (_NARROW | _WIDE).items() for char in chars}
# Characters that XML forbids, and control characters.
_UNSHOWN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True, slots=True)
class DrawnEdge:
    """An edge by the indices of its ends, with its probability, if known."""

    tail: int
    head: int
    directed: bool
    weight: float | None = None


@dataclass(frozen=True, slots=True)
class Node:
    """A box with its text: the name, shortened if it is long."""

    box: Box
    text: str
    name: str


@dataclass(frozen=True, slots=True)
class Curve:
    """An edge: Bézier points, the corners of its arrowhead (None if undirected), and its style.

    ``shade`` is an index in :data:`SHADES`, or None without probabilities.
    """

    points: tuple[Point, ...]
    head: tuple[Point, Point, Point] | None
    width: float
    shade: int | None
    name: str
    label: str | None = None
    label_box: Box | None = None

    @property
    def colour(self) -> str:
        """The colour of the line and its arrowhead."""
        return PLAIN_LINE if self.shade is None else SHADES[self.shade]


@dataclass(frozen=True, slots=True)
class Picture:
    """All that is drawn, in this order: curves, nodes, labels of curves."""

    width: float
    height: float
    title: str | None
    nodes: tuple[Node, ...]
    curves: tuple[Curve, ...]


class Structure(Protocol):
    """A graph that can be drawn: a Dag, whose edges are all directed, or a Cpdag.

    Sets of parents and of neighbours are integers: bit i stands for variable i.
    """

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of the variables."""

    @property
    def directed(self) -> tuple[int, ...]:
        """The parents of each variable by directed edges."""

    @property
    def undirected(self) -> tuple[int, ...]:
        """The neighbours of each variable by undirected edges."""


class HasStructure(Protocol):
    """An object with a DAG, such as a network."""

    @property
    def dag(self) -> Structure:
        """The structure."""


Drawable = Structure | HasStructure


def structure_of(graph: object) -> Structure:
    """Return the graph itself, or that of a network."""
    found: Any = graph if hasattr(graph, "directed") else getattr(graph, "dag", None)
    if isinstance(getattr(found, "directed", None), tuple):
        structure: Structure = found
        return structure
    raise InvalidOption(f"is {type_of(graph)}; it must be a Dag, a Cpdag or a Network", option="graph")


def drawn_edges(graph: Structure, weights: ArrayLike | None = None, threshold: float | None = None) -> list[DrawnEdge]:
    """Return the edges of a graph with their probabilities, without those below the threshold.

    The ends of an undirected edge are ordered so that the drawing is acyclic; its probability is the sum of both
    directions.
    """
    if weights is None and threshold is not None:
        raise InvalidOption(f"hides edges by their probabilities: it needs {argument('weights')}", option="threshold")
    if threshold is not None and not is_between(threshold, 0, 1):
        raise InvalidOption(f"is {threshold!r}; it must be a probability, from 0 to 1", option="threshold")
    matrix = None if weights is None else _checked(_aligned(weights, graph.variables), len(graph.variables))
    edges = [DrawnEdge(tail, head, True) for head, mask in enumerate(graph.directed) for tail in bits(mask)]
    edges += [DrawnEdge(tail, head, False) for tail, head in _oriented(graph.undirected)]
    if matrix is None:
        return edges
    weighted = [DrawnEdge(edge.tail, edge.head, edge.directed, _probability(graph, matrix, edge)) for edge in edges]
    return [edge for edge in weighted if edge.weight is not None and edge.weight >= (threshold or 0.0)]


def _aligned(weights: ArrayLike, variables: Sequence[str]) -> ArrayLike:
    """Return the cells of a data frame in the order of the variables; other arrays as they are."""
    index, header = getattr(weights, "index", None), getattr(weights, "columns", None)
    if index is None or header is None:
        return weights
    rows, columns = [str(label) for label in index], [str(label) for label in header]
    if sorted(rows) != sorted(variables) or sorted(columns) != sorted(variables):
        raise InvalidOption("has labels of rows and columns that are not the variables of the graph", option="weights")
    order = np.ix_([rows.index(v) for v in variables], [columns.index(v) for v in variables])
    aligned: ArrayLike = np.asarray(weights)[order]
    return aligned


def wants_labels(labels: bool | None, weights: ArrayLike | None, edge_count: int) -> bool:
    """Whether edges show their probabilities. Default: if they are known and not too many."""
    if labels and weights is None:
        raise InvalidOption(f"shows the probabilities of edges: it needs {argument('weights')}", option="labels")
    return weights is not None and edge_count <= _MAX_LABELS if labels is None else labels


def line_width(weight: float) -> float:
    """Return the line width of an edge with a given probability."""
    return 0.7 + 2.3 * weight


def shade_of(weight: float) -> int:
    """Return the index in :data:`SHADES` of an edge with a given probability."""
    return round(weight * (len(SHADES) - 1))


def _checked(weights: ArrayLike, n: int) -> NDArray[np.float64]:
    try:
        matrix = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidOption(
            "is not an array of numbers; [u, v] must be the probability of the edge u -> v", option="weights"
        ) from error
    if matrix.shape != (n, n):
        raise InvalidOption(
            f"has shape {matrix.shape}; the graph has {n} variables, so it must be {(n, n)}", option="weights"
        )
    wrong = ~((matrix >= -_TOLERANCE) & (matrix <= 1 + _TOLERANCE))
    if wrong.any():
        u, v = np.argwhere(wrong)[0].tolist()
        raise InvalidOption(f"is {float(matrix[u, v])!r} at [{u}, {v}]; it must be between 0 and 1", option="weights")
    return np.clip(matrix, 0.0, 1.0)


def _probability(graph: Structure, matrix: NDArray[np.float64], edge: DrawnEdge) -> float:
    there, back = float(matrix[edge.tail, edge.head]), float(matrix[edge.head, edge.tail])
    if edge.directed:
        return there
    if there + back > 1 + _TOLERANCE:
        u, v = graph.variables[edge.tail], graph.variables[edge.head]
        raise InvalidOption(
            f"gives the two directions of {u!r} - {v!r} the probabilities {there!r} and {back!r}, which sum to "
            "more than 1",
            option="weights",
        )
    return min(there + back, 1.0)


def _oriented(undirected: Sequence[int]) -> list[tuple[int, int]]:
    """Orient undirected edges from the centre of each component outwards.

    No directed edge joins two nodes of such a component of a CPDAG, and no directed path leads back to it, so any
    acyclic orientation of the component keeps the whole graph acyclic. This one makes few layers.
    """
    rank: dict[int, tuple[int, int]] = {}
    for component in connected_components(undirected, (1 << len(undirected)) - 1):
        hub = max(bits(component), key=lambda node: (undirected[node].bit_count(), -node))
        reached, frontier, distance = 0, 1 << hub, 0
        while frontier:
            rank |= {node: (distance, node) for node in bits(frontier)}
            reached |= frontier
            around = 0
            for node in bits(frontier):
                around |= undirected[node]
            frontier, distance = around & ~reached, distance + 1
    return [(u, v) for v in range(len(undirected)) for u in bits(undirected[v]) if rank[u] < rank[v]]


def shown_text(name: str, longest: int | None = None) -> str:
    r"""Return a name on one line, with a replacement for characters without a glyph, shortened if it is long.

    >>> shown_text("two\nlines"), shown_text("\x00"), shown_text("abcdef", 4)
    ('two lines', '�', 'ab…f')
    """
    text = _UNSHOWN.sub("\ufffd", " ".join(re.split("[\t\n\r\x85\u2028\u2029]", name)))
    if longest is None or len(text) <= longest:
        return text
    # Keep the end, since names often differ there.
    tail = (longest - 1) // 3
    return text[: longest - 1 - tail] + "…" + text[len(text) - tail :]


def text_width(text: str, size: float) -> float:
    """Estimate the width of a text, generously for common sans-serif fonts.

    >>> text_width("mm", 10) > text_width("ii", 10)
    True
    """
    return size * sum(map(_char_width, text))


def _char_width(char: str) -> float:
    if char in _WIDTH:
        return _WIDTH[char]
    if unicodedata.combining(char):
        return 0.0
    if unicodedata.east_asian_width(char) in "WF":
        return 1.0
    return 0.64 if char.isascii() or char.islower() else 0.8


def picture(graph: Structure, edges: Sequence[DrawnEdge], *, labels: bool = False, title: str | None = None) -> Picture:
    """Lay out a graph and style its parts."""
    texts = [shown_text(name, _LONGEST_TEXT) for name in graph.variables]
    sizes = [(max(text_width(text, FONT_SIZE) + 20, 36.0), _BOX_HEIGHT) for text in texts]
    gap = _LABELLED_GAP if labels else _LAYER_GAP
    layout = layered_layout(sizes, [(edge.tail, edge.head) for edge in edges], layer_gap=gap)
    heading = None if title is None else shown_text(title)
    width = max(layout.width, text_width(heading, TITLE_SIZE) * 1.1 if heading else 0.0)
    dx, dy = _MARGIN + (width - layout.width) / 2, _MARGIN + (2 * TITLE_SIZE if heading else 0.0)
    boxes = [box.moved(dx, dy) for box in layout.boxes]
    routes = [[(x + dx, y + dy) for x, y in route] for route in layout.routes]
    marks = [f"{edge.weight:.2f}" if labels and edge.weight is not None else None for edge in edges]
    size = (text_width("0.00", LABEL_SIZE) + 5, LABEL_SIZE + 2)
    places = label_places(boxes, routes, size) if labels else [None] * len(edges)
    curves = [
        _curve(edge, route, graph.variables, mark, place)
        for edge, route, mark, place in zip(edges, routes, marks, places, strict=True)
    ]
    return Picture(
        width=width + 2 * _MARGIN,
        height=layout.height + dy + _MARGIN,
        title=heading,
        nodes=tuple(map(Node, boxes, texts, map(shown_text, graph.variables))),
        # Draw probable edges above the others where they cross.
        curves=tuple(sorted(curves, key=lambda curve: curve.width)),
    )


def _curve(
    edge: DrawnEdge, route: Sequence[Point], variables: Sequence[str], label: str | None, place: Box | None
) -> Curve:
    points, head = _with_head(route) if edge.directed else (tuple(route), None)
    ends = shown_text(variables[edge.tail]), shown_text(variables[edge.head])
    name = (" → " if edge.directed else " – ").join(ends)
    if edge.weight is None:
        return Curve(points, head, 1.3, None, name)
    name = f"{name}: {edge.weight:.4g}"
    return Curve(points, head, line_width(edge.weight), shade_of(edge.weight), name, label, place)


def _with_head(route: Sequence[Point]) -> tuple[tuple[Point, ...], tuple[Point, Point, Point]]:
    """Shorten a curve by its arrowhead; the corners of the head are its tip and the two ends of its base."""
    *before, (cx, cy), (x, y) = route
    length = math.hypot(x - cx, y - cy)
    ux, uy = (x - cx) / length, (y - cy) / length
    bx, by = x - ux * HEAD_LENGTH, y - uy * HEAD_LENGTH
    sx, sy = -uy * HEAD_WIDTH / 2, ux * HEAD_WIDTH / 2
    # Move the control point too, so that the curve meets the head in the direction of the tip.
    points = (*before, (cx - ux * HEAD_LENGTH, cy - uy * HEAD_LENGTH), (bx, by))
    return points, ((x, y), (bx + sx, by + sy), (bx - sx, by - sy))
