"""The content of a drawing, independent of the format: boxes with names, curves, arrowheads, labels, a legend.

The writers (:mod:`dagscape.drawing.svg`, :mod:`dagscape.drawing.figure`) only translate a
:class:`Picture`, so all formats agree. One unit is a pixel of SVG and a point of PDF.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dagscape.drawing.edges import HEAVY, LEAST_SHOWN, SOLID, AnnotatedGraph, DrawnEdge, ProbableEdges, Structure
from dagscape.drawing.label_places import label_places
from dagscape.drawing.layout import Box, Point, layered_layout
from dagscape.drawing.legend import LegendKey, legend_of
from dagscape.drawing.style import (
    FONT_SIZE,
    HEAD_LENGTH,
    HEAD_WIDTH,
    LABEL_SIZE,
    LEGEND_SIZE,
    PLAIN_LINE,
    PLAIN_WIDTH,
    SHADES,
    TITLE_SIZE,
    WARNING_LINES,
    WARNING_WIDTH,
    line_width,
    shade_of,
)
from dagscape.drawing.text import filled_lines, label_lines, lines_size, shown_text, text_width

# No number may seem to reach one of these probabilities by rounding: two of them decide the kind of line.
_LIMITS = (0.1, SOLID, HEAVY)

_MARGIN = 16.0
_LAYER_GAP, _LABELLED_GAP, _TALL_LABEL_GAP = 44.0, 60.0, 80.0
_LEGEND_LINE, _LEGEND_SAMPLE, _LEGEND_SPACE = 18.0, 30.0, 22.0
_WARNING_LINE = 14.0


@dataclass(frozen=True, slots=True)
class Node:
    """A box with its text: the lines of the name, shortened if it is long."""

    box: Box
    lines: tuple[str, ...]
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
    dashed: bool = False
    label: tuple[str, ...] = ()
    label_box: Box | None = None

    @property
    def colour(self) -> str:
        """The colour of the line and its arrowhead."""
        return PLAIN_LINE if self.shade is None else SHADES[self.shade]


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """A line of the legend: a sample, if there is one, and a text that begins at x and is centred at y."""

    sample: Curve | None
    text: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Picture:
    """All that is drawn, in this order: curves, nodes, labels of curves, the legend."""

    width: float
    height: float
    title: str | None
    nodes: tuple[Node, ...]
    curves: tuple[Curve, ...]
    legend: tuple[LegendEntry, ...] = ()


def picture(
    graph: Structure | ProbableEdges,
    edges: Sequence[DrawnEdge],
    *,
    labels: bool = False,
    title: str | None = None,
    label_width: int | None = None,
    threshold: float | None = None,
    warnings: Sequence[str] = (),
) -> Picture:
    """Lay out a graph and style its parts; warnings end the legend, which has the threshold of directions."""
    texts = box_texts(graph, label_width)
    marks = [edge_label(edge) if labels else () for edge in edges]
    gap = _LAYER_GAP if not labels else _TALL_LABEL_GAP if any(len(mark) > 1 for mark in marks) else _LABELLED_GAP
    # Routes lead downwards; those of edges that point upwards are turned around below.
    downward = [(edge.head, edge.tail) if edge.upward else (edge.tail, edge.head) for edge in edges]
    layout = layered_layout([_box_size(lines) for lines in texts], downward, layer_gap=gap)
    places = label_places(layout.boxes, layout.routes, [_label_size(mark) for mark in marks]) if labels else []
    # Labels of the outermost edges may reach beyond them.
    left = min([0.0, *(place.x - place.width / 2 for place in places)])
    right = max([layout.width, *(place.x + place.width / 2 for place in places)])
    heading = None if title is None else shown_text(title)
    keys = legend_of(edges, labels=labels, graph=graph, threshold=threshold)
    heading_width = text_width(heading, TITLE_SIZE) * 1.1 if heading else 0.0
    warned = max((min(text_width(warning, LEGEND_SIZE), WARNING_WIDTH) for warning in warnings), default=0.0)
    width = max([right - left, heading_width, warned, *(_key_width(key) for key in keys)])
    dx, dy = _MARGIN + (width - right + left) / 2 - left, _MARGIN + (2 * TITLE_SIZE if heading else 0.0)
    routes = [[(x + dx, y + dy) for x, y in route] for route in layout.routes]
    moved: list[Box | None] = [place.moved(dx, dy) for place in places] if labels else [None] * len(edges)
    curves = [
        _curve(edge, route[::-1] if edge.upward else route, graph.variables, mark, place)
        for edge, route, mark, place in zip(edges, routes, marks, moved, strict=True)
    ]
    legend, legend_height = _legend(keys, warnings, width, layout.height + dy)
    return Picture(
        width=width + 2 * _MARGIN,
        height=layout.height + dy + legend_height + _MARGIN,
        title=heading,
        nodes=tuple(map(Node, [box.moved(dx, dy) for box in layout.boxes], texts, map(shown_text, graph.variables))),
        # Draw probable edges above the others where they cross.
        curves=tuple(sorted(curves, key=lambda curve: curve.width)),
        legend=legend,
    )


def box_texts(graph: Structure | ProbableEdges, label_width: int | None = None) -> list[tuple[str, ...]]:
    """Return the lines in the box of each variable: its name, and the note on it, if there is one."""
    names = [label_lines(name, label_width) for name in graph.variables]
    if not isinstance(graph, AnnotatedGraph):
        return names
    return [(*lines, shown_text(note)) for lines, note in zip(names, graph.notes, strict=True)]


def _box_size(lines: Sequence[str]) -> tuple[float, float]:
    width, height = lines_size(lines, FONT_SIZE)
    return max(width + 20, 36.0), height + 15


def edge_label(edge: DrawnEdge) -> tuple[str, ...]:
    """Return what an edge shows: its probability, then those of directions, with arrows as seen on the page."""
    if edge.weight is None:
        return ()
    if edge.directions is None:
        return (_number(edge.weight),)
    if edge.compelled:
        return _number(edge.weight), " ".join(_compelled_numbers(edge))
    there, back = (_number(direction) for direction in edge.directions)
    if edge.directed:
        return _number(edge.weight), f"{'↓' if edge.upward else '↑'}{back}"
    return _number(edge.weight), f"↓{there} ↑{back}"


def _compelled_numbers(edge: DrawnEdge) -> Iterator[str]:
    """Iterate over the probabilities that a direction is compelled, those worth showing."""
    arrows = "↑↓" if edge.upward else "↓↑"
    for symbol, probability in zip(arrows, edge.directions or (), strict=True):
        if probability >= LEAST_SHOWN:
            yield f"{symbol}{_number(probability)}"


def _number(probability: float) -> str:
    """Round a probability to two digits, or to three if it would seem to reach a limit that it does not reach.

    >>> _number(0.894), _number(0.896), _number(0.89999), _number(0.9)
    ('0.89', '0.896', '0.899', '0.90')
    """
    text = f"{probability:.2f}"
    limit = next((limit for limit in _LIMITS if probability < limit <= float(text)), None)
    return text if limit is None else f"{min(probability, limit - 0.001):.3f}"


def _label_size(mark: Sequence[str]) -> tuple[float, float]:
    width, height = lines_size(mark, LABEL_SIZE)
    return width + 5, height + 2


def _curve(
    edge: DrawnEdge, route: Sequence[Point], variables: Sequence[str], label: tuple[str, ...], place: Box | None
) -> Curve:
    points, head = _with_head(route) if edge.directed else (tuple(route), None)
    name = edge_name(edge, variables)
    if edge.strength is None:
        return Curve(points, head, PLAIN_WIDTH, None, name)
    return Curve(points, head, line_width(edge.strength), shade_of(edge.strength), name, edge.dashed, label, place)


def edge_name(edge: DrawnEdge, variables: Sequence[str]) -> str:
    """Return the names of an edge's ends with its probabilities, on one line."""
    tail, head = shown_text(variables[edge.tail]), shown_text(variables[edge.head])
    name = f"{tail} {'→' if edge.directed else '–'} {head}"
    if edge.weight is None:
        return name
    parts = []
    if edge.directions is not None:
        there, back = edge.directions
        parts = [] if edge.directed else [f"{tail} → {head}: {there:.4g}"]
        parts.append(f"{head} → {tail}: {back:.4g}")
        if edge.compelled:
            parts = [f"compelled {tail} → {head}: {there:.4g}", f"{head} → {tail}: {back:.4g}"]
    return f"{name}: {edge.weight:.4g}" + (f" ({', '.join(parts)})" if parts else "")


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


def _legend(
    keys: Sequence[LegendKey], warnings: Sequence[str], width: float, top: float
) -> tuple[tuple[LegendEntry, ...], float]:
    """Place the keys of a legend in rows below the graph, and warnings below them; return them and their height."""
    if not keys and not warnings:
        return (), 0.0
    x, y = _MARGIN, top + _LEGEND_SPACE
    entries: list[LegendEntry] = []
    for key in keys:
        if x > _MARGIN and x + _key_width(key) > _MARGIN + width:
            x, y = _MARGIN, y + _LEGEND_LINE
        entries.append(_legend_entry(key, x, y))
        x += _key_width(key) + _LEGEND_SPACE
    for warning in warnings:
        y += _LEGEND_LINE if entries else 0.0
        lines = filled_lines(warning, width, LEGEND_SIZE, WARNING_LINES)
        entries += [LegendEntry(None, line, _MARGIN, y + _WARNING_LINE * row) for row, line in enumerate(lines)]
        y += _WARNING_LINE * (len(lines) - 1)
    return tuple(entries), y - top + _LEGEND_LINE / 2 - _MARGIN / 2


def _legend_entry(key: LegendKey, x: float, y: float) -> LegendEntry:
    if key.sample is None:
        return LegendEntry(None, f"{key.name}  {key.meaning}", x, y)
    route = [(x + _LEGEND_SAMPLE * third / 3, y) for third in range(4)]
    return LegendEntry(_curve(key.sample, route, ("", ""), (), None), key.meaning, x + _LEGEND_SAMPLE + 6, y)


def _key_width(key: LegendKey) -> float:
    symbol = text_width(f"{key.name}  ", LEGEND_SIZE) if key.sample is None else _LEGEND_SAMPLE + 6
    return symbol + text_width(key.meaning, LEGEND_SIZE)
