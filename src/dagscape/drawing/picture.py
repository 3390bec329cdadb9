"""The content of a drawing, independent of the format: boxes with names, curves, arrowheads, labels, a legend.

The writers (:mod:`dagscape.drawing.svg`, :mod:`dagscape.drawing.figure`) only translate a
:class:`Picture`, so all formats agree. One unit is a pixel of SVG and a point of PDF.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from dagscape.drawing.edge_labels import edge_label
from dagscape.drawing.edges import AnnotatedGraph, DrawnEdge, ProbableEdges, Structure
from dagscape.drawing.label_places import label_places
from dagscape.drawing.layout import Box, Layout, Point, Spacing, layered_layout, sideways_layout
from dagscape.drawing.legend import LegendKey, legend_of
from dagscape.drawing.style import (
    DOWN,
    FONT_SIZE,
    HEAD_LENGTH,
    HEAD_WIDTH,
    LABEL_SIZE,
    LEGEND_SIZE,
    PLAIN_LINE,
    PLAIN_WIDTH,
    RIGHT,
    SHADES,
    SMALL_FONT_SIZE,
    TITLE_SIZE,
    WARNING_LINES,
    WARNING_WIDTH,
    Flow,
    line_width,
    shade_of,
    size_shade,
    size_width,
)
from dagscape.drawing.text import LINE_LENGTH, filled_lines, label_lines, lines_size, shown_text, text_width

MARGIN = 16.0
_LAYER_GAP, _LABELLED_GAP, _TALL_LABEL_GAP = 44.0, 60.0, 80.0
# What a label needs beside it on an edge that leads to the right.
_LABEL_ROOM = 26.0
# The room in a box beside and above the text together, and the smallest width; first usually, then if it is tight.
_BOX_ROOM, _TIGHT_BOX_ROOM = (20.0, 15.0, 36.0), (10.0, 9.0, 28.0)
_TIGHT_LINE_LENGTH = 12
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
class Arrangement:
    """How the parts of a drawing are arranged.

    Parameters
    ----------
    sideways : bool
        Whether edges lead to the right, not down.
    tight : bool
        Whether names are as small as the other text, with short lines and little room around them.
    most_width : float
        The width of layers, if they can be made so narrow.
    """

    sideways: bool = False
    tight: bool = False
    most_width: float = math.inf

    @property
    def flow(self) -> Flow:
        """The way in which edges lead."""
        return RIGHT if self.sideways else DOWN

    @property
    def font(self) -> float:
        """The size of names."""
        return SMALL_FONT_SIZE if self.tight else FONT_SIZE


USUAL = Arrangement()


@dataclass(frozen=True, slots=True)
class Picture:
    """All that is drawn, in this order: curves, nodes, labels of curves, the legend.

    ``font`` is the size of names. On a page, ``scale`` is the number of points of a unit.
    """

    width: float
    height: float
    title: str | None
    nodes: tuple[Node, ...]
    curves: tuple[Curve, ...]
    legend: tuple[LegendEntry, ...] = ()
    font: float = field(default=FONT_SIZE, repr=False)
    scale: float | None = field(default=None, repr=False)

    @property
    def labelled(self) -> bool:
        """Whether there is text on an edge."""
        return any(curve.label for curve in self.curves)

    @property
    def least_text(self) -> float:
        """The size of the smallest text."""
        sizes = [self.font] if self.nodes else []
        sizes += [LEGEND_SIZE] if self.legend else []
        sizes += [LABEL_SIZE] if self.labelled else []
        return min(sizes, default=FONT_SIZE)


def picture(
    graph: Structure | ProbableEdges,
    edges: Sequence[DrawnEdge],
    *,
    labels: bool = False,
    title: str | None = None,
    label_width: int | None = None,
    threshold: float | None = None,
    remarks: Sequence[str] = (),
    arrangement: Arrangement = USUAL,
    measure: str | None = None,
) -> Picture:
    """Lay out a graph and style its parts; remarks end the legend, which has the threshold of directions."""
    texts = box_texts(graph, label_width, _TIGHT_LINE_LENGTH if arrangement.tight else LINE_LENGTH)
    marks = [edge_label(edge, arrangement.flow) if labels else () for edge in edges]
    layout = _layout(texts, marks, edges, arrangement)
    places = label_places(layout.boxes, layout.routes, [_label_size(mark) for mark in marks]) if labels else []
    # Labels of the outermost edges may reach beyond them.
    left = min([0.0, *(place.x - place.width / 2 for place in places)])
    right = max([layout.width, *(place.x + place.width / 2 for place in places)])
    heading = None if title is None else shown_text(title)
    keys = legend_of(edges, labels=labels, graph=graph, threshold=threshold, flow=arrangement.flow, measure=measure)
    heading_width = text_width(heading, TITLE_SIZE) * 1.1 if heading else 0.0
    said = max((min(text_width(remark, LEGEND_SIZE), WARNING_WIDTH) for remark in remarks), default=0.0)
    # Long keys are broken into lines rather than made wider than a page.
    explained = (min(_key_width(key), arrangement.most_width) for key in keys)
    width = max([right - left, heading_width, min(said, arrangement.most_width), *explained])
    dx, dy = MARGIN + (width - right + left) / 2 - left, MARGIN + (2 * TITLE_SIZE if heading else 0.0)
    routes = [[(x + dx, y + dy) for x, y in route] for route in layout.routes]
    moved: list[Box | None] = [place.moved(dx, dy) for place in places] if labels else [None] * len(edges)
    curves = [
        _curve(edge, route[::-1] if edge.upward else route, graph.variables, mark, place)
        for edge, route, mark, place in zip(edges, routes, marks, moved, strict=True)
    ]
    legend, legend_height = _legend(keys, remarks, width, layout.height + dy)
    return Picture(
        width=width + 2 * MARGIN,
        height=layout.height + dy + legend_height + MARGIN,
        title=heading,
        nodes=tuple(map(Node, [box.moved(dx, dy) for box in layout.boxes], texts, map(shown_text, graph.variables))),
        # Draw probable edges above the others where they cross.
        curves=tuple(sorted(curves, key=lambda curve: curve.width)),
        legend=legend,
        font=arrangement.font,
    )


def _layout(
    texts: Sequence[tuple[str, ...]],
    marks: Sequence[tuple[str, ...]],
    edges: Sequence[DrawnEdge],
    arrangement: Arrangement,
) -> Layout:
    """Place boxes and edges so that there is room for the labels of edges."""
    # Routes lead downwards; those of edges that point upwards are turned around later.
    downward = [(edge.head, edge.tail) if edge.upward else (edge.tail, edge.head) for edge in edges]
    sizes = [_box_size(lines, arrangement) for lines in texts]
    most = max(map(len, marks), default=0)
    if arrangement.sideways:
        gap = max([_LAYER_GAP, *(_label_size(mark)[0] + _LABEL_ROOM for mark in marks if mark)])
    else:
        gap = (_LAYER_GAP, _LABELLED_GAP)[most] if most < 2 else _TALL_LABEL_GAP + LABEL_SIZE * 1.25 * (most - 2)
    near = {"box": 10.0, "edge": 6.0, "component": 20.0} if arrangement.tight else {}
    spacing = Spacing(gap, most_width=arrangement.most_width, **near)
    return (sideways_layout if arrangement.sideways else layered_layout)(sizes, downward, spacing)


def box_texts(
    graph: Structure | ProbableEdges, label_width: int | None = None, line_length: int = LINE_LENGTH
) -> list[tuple[str, ...]]:
    """Return the lines in the box of each variable: its name, and the note on it, if there is one."""
    names = [label_lines(name, label_width, line_length) for name in graph.variables]
    if not isinstance(graph, AnnotatedGraph):
        return names
    return [(*lines, shown_text(note)) for lines, note in zip(names, graph.notes, strict=True)]


def _box_size(lines: Sequence[str], arrangement: Arrangement) -> tuple[float, float]:
    width, height = lines_size(lines, arrangement.font)
    beside, above, least = _TIGHT_BOX_ROOM if arrangement.tight else _BOX_ROOM
    return max(width + beside, least), height + above


def _label_size(mark: Sequence[str]) -> tuple[float, float]:
    width, height = lines_size(mark, LABEL_SIZE)
    return width + 5, height + 2


def _curve(
    edge: DrawnEdge, route: Sequence[Point], variables: Sequence[str], label: tuple[str, ...], place: Box | None
) -> Curve:
    points, head = _with_head(route) if edge.directed else (tuple(route), None)
    name = edge_name(edge, variables)
    if edge.strength is None:
        width = PLAIN_WIDTH if edge.size is None else size_width(edge.size)
        shade = None if edge.size is None else size_shade(edge.size)
        return Curve(points, head, width, shade, name, label=label, label_box=place)
    return Curve(points, head, line_width(edge.strength), shade_of(edge.strength), name, edge.dashed, label, place)


def edge_name(edge: DrawnEdge, variables: Sequence[str]) -> str:
    """Return the names of an edge's ends with its probabilities, on one line."""
    tail, head = shown_text(variables[edge.tail]), shown_text(variables[edge.head])
    name = f"{tail} {'→' if edge.directed else '–'} {head}"
    effect = f"; {edge.effect}".replace("\n", " ") if edge.effect else ""
    if edge.weight is None:
        return name + effect
    parts = []
    if edge.directions is not None:
        there, back = edge.directions
        parts = [] if edge.directed else [f"{tail} → {head}: {there:.4g}"]
        parts.append(f"{head} → {tail}: {back:.4g}")
        if edge.compelled:
            parts = [f"compelled {tail} → {head}: {there:.4g}", f"{head} → {tail}: {back:.4g}"]
    return f"{name}: {edge.weight:.4g}" + (f" ({', '.join(parts)})" if parts else "") + effect


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
    keys: Sequence[LegendKey], remarks: Sequence[str], width: float, top: float
) -> tuple[tuple[LegendEntry, ...], float]:
    """Place the keys of a legend in rows below the graph, and remarks below them; return them and their height."""
    if not keys and not remarks:
        return (), 0.0
    x, y = MARGIN, top + _LEGEND_SPACE
    entries: list[LegendEntry] = []
    for key in keys:
        if x > MARGIN and x + _key_width(key) > MARGIN + width:
            x, y = MARGIN, y + _LEGEND_LINE
        found = _legend_entries(key, x, y, width)
        entries += found
        x, y = x + min(_key_width(key), width) + _LEGEND_SPACE, found[-1].y
    for remark in remarks:
        y += _LEGEND_LINE if entries else 0.0
        lines = filled_lines(remark, width, LEGEND_SIZE, WARNING_LINES)
        entries += [LegendEntry(None, line, MARGIN, y + _WARNING_LINE * row) for row, line in enumerate(lines)]
        y += _WARNING_LINE * (len(lines) - 1)
    return tuple(entries), y - top + _LEGEND_LINE / 2 - MARGIN / 2


def _legend_entries(key: LegendKey, x: float, y: float, width: float) -> list[LegendEntry]:
    """Return the lines of a key: one, unless it is wider than the legend."""
    text, sample, before = f"{key.name}  {key.meaning}", None, 0.0
    if key.sample is not None:
        route = [(x + _LEGEND_SAMPLE * third / 3, y) for third in range(4)]
        text, sample, before = key.meaning, _curve(key.sample, route, ("", ""), (), None), _LEGEND_SAMPLE + 6
    most = width - before if _key_width(key) > width else math.inf
    rows = enumerate(filled_lines(text, most, LEGEND_SIZE, WARNING_LINES) if most < math.inf else [text])
    return [LegendEntry(None if row else sample, line, x + before, y + _WARNING_LINE * row) for row, line in rows]


def _key_width(key: LegendKey) -> float:
    symbol = text_width(f"{key.name}  ", LEGEND_SIZE) if key.sample is None else _LEGEND_SAMPLE + 6
    return symbol + text_width(key.meaning, LEGEND_SIZE)
