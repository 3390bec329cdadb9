"""A layered layout of acyclic graphs: the positions of the boxes and the routes of the edges.

Each connected component gets layers and an order from :mod:`dagscape.drawing.layering`; the components are then
packed side by side.

*Positions within a layer.* Given the order, the horizontal positions minimise the weighted sum of squared horizontal
distances along the edges, subject to minimal distances within a layer. Long edges weigh more, so that they are
straight. With all other layers fixed, each layer is an isotonic regression, which pooling adjacent violators solves
exactly in linear time; since the constraints couple only nodes of one layer, repeated passes over the layers converge
to the optimum.

*Edges.* An edge crosses the band of every layer in a straight line, within the space of its dummy node there, and runs
from band to band as a cubic curve that bends one way only. So it meets no box except those at its ends.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from dagscape.core.masks import bits, connected_components
from dagscape.drawing.layering import Edge, LayeredGraph, layered_graph
from dagscape.drawing.rows import narrow_graph

Point = tuple[float, float]

BOX_GAP = 22.0
EDGE_GAP = 14.0
_COMPONENT_GAP = 40.0
_SETTLING = 24
# The distance between an edge and the boxes that it passes.
_AIR = 5.0
_PORT_GAP = 9.0
# Smaller differences of heights are due to rounding.
_SAME = 1e-6


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle: its centre and its size."""

    x: float
    y: float
    width: float
    height: float

    def moved(self, dx: float, dy: float) -> Box:
        """Return the box, shifted."""
        return Box(self.x + dx, self.y + dy, self.width, self.height)

    def overlaps(self, other: Box) -> bool:
        """Whether two boxes share more than a border."""
        return (
            abs(self.x - other.x) * 2 < self.width + other.width
            and abs(self.y - other.y) * 2 < self.height + other.height
        )


@dataclass(frozen=True, slots=True)
class Layout:
    """The positions of boxes and edges; y grows downwards.

    Parameters
    ----------
    width, height : float
        The size of the drawing; all coordinates are between 0 and these.
    boxes : tuple of Box
        The box of each node.
    routes : tuple
        For each edge the 3k + 1 points of a chain of cubic Bézier curves, from the bottom of the tail's box
        to the top of the head's.
    """

    width: float
    height: float
    boxes: tuple[Box, ...]
    routes: tuple[tuple[Point, ...], ...]


@dataclass(frozen=True, slots=True)
class Spacing:
    """Distances in a drawing.

    Parameters
    ----------
    layer : float
        The smallest vertical distance between layers; layers are further apart where edges run far to the side.
    box, edge : float
        The smallest distance between two boxes of a layer, and between edges that pass it.
    component : float
        The distance between parts of the graph that no edge joins.
    most_width : float
        Layers are not wider, if that is possible; wide ones are broken into rows.
    """

    layer: float = 46.0
    box: float = BOX_GAP
    edge: float = EDGE_GAP
    component: float = _COMPONENT_GAP
    most_width: float = math.inf


USUAL = Spacing()


def layered_layout(sizes: Sequence[tuple[float, float]], edges: Sequence[Edge], spacing: Spacing = USUAL) -> Layout:
    """Lay out an acyclic graph.

    Parameters
    ----------
    sizes : sequence of (width, height)
        The sizes of the nodes' boxes.
    edges : sequence of (tail, head)
        The edges, as indices of nodes; each pair once.
    spacing : Spacing
        The distances.

    Returns
    -------
    Layout
        The layout; it is deterministic.

    Examples
    --------
    >>> layout = layered_layout([(40, 20), (60, 20), (40, 20)], [(0, 1), (2, 1)])
    >>> [(box.x, box.y) for box in layout.boxes]
    [(20.0, 10.0), (51.0, 76.0), (82.0, 10.0)]
    >>> layout.routes[0][0], layout.routes[0][-1]
    ((27.75, 20.0), (43.25, 66.0))
    """
    neighbours = [0] * len(sizes)
    for tail, head in edges:
        neighbours[tail] |= 1 << head
        neighbours[head] |= 1 << tail
    parts = []
    for mask in connected_components(neighbours, (1 << len(sizes)) - 1):
        nodes = list(bits(mask))
        inside = [number for number, (tail, _) in enumerate(edges) if mask >> tail & 1]
        parts.append((nodes, inside, _connected_layout(nodes, [edges[number] for number in inside], sizes, spacing)))
    boxes: dict[int, Box] = {}
    routes: dict[int, tuple[Point, ...]] = {}
    corners, width, height = _packed([part.width for *_, part in parts], [part.height for *_, part in parts], spacing)
    for (nodes, inside, part), (dx, dy) in zip(parts, corners, strict=True):
        boxes |= {node: box.moved(dx, dy) for node, box in zip(nodes, part.boxes, strict=True)}
        routes |= {
            number: tuple((x + dx, y + dy) for x, y in route) for number, route in zip(inside, part.routes, strict=True)
        }
    return Layout(
        width, height, tuple(boxes[v] for v in range(len(sizes))), tuple(routes[e] for e in range(len(edges)))
    )


def sideways_layout(sizes: Sequence[tuple[float, float]], edges: Sequence[Edge], spacing: Spacing = USUAL) -> Layout:
    """Lay out an acyclic graph as :func:`layered_layout` does, from left to right.

    >>> layout = sideways_layout([(40, 20), (60, 20)], [(0, 1)])
    >>> [(box.x, box.y, box.width) for box in layout.boxes]
    [(20.0, 10.0, 40.0), (116.0, 10.0, 60.0)]
    """
    found = layered_layout([(height, width) for width, height in sizes], edges, spacing)
    boxes = tuple(Box(box.y, box.x, box.height, box.width) for box in found.boxes)
    routes = tuple(tuple((y, x) for x, y in route) for route in found.routes)
    return Layout(found.height, found.width, boxes, routes)


def _packed(widths: Sequence[float], heights: Sequence[float], spacing: Spacing) -> tuple[list[Point], float, float]:
    """Pack rectangles in rows, tall ones first; return their upper left corners and the total size."""
    gap = spacing.component
    area = math.fsum((w + gap) * (h + gap) for w, h in zip(widths, heights, strict=True))
    # Wider than tall, like pages and screens, but at least as wide as the widest rectangle.
    limit = max([*widths, min(math.sqrt(2.5 * area), spacing.most_width)])
    corners: list[Point] = [(0.0, 0.0)] * len(widths)
    x = y = row_height = total = 0.0
    for part in sorted(range(len(widths)), key=lambda part: (-heights[part], part)):
        if x and x + widths[part] > limit:
            x, y, row_height = 0.0, y + row_height + gap, 0.0
        # The first of a row is the tallest; all of the row are aligned at the top.
        corners[part] = (x, y)
        row_height = max(row_height, heights[part])
        total = max(total, x + widths[part])
        x += widths[part] + gap
    return corners, total, y + row_height


def _connected_layout(
    nodes: Sequence[int], edges: Sequence[Edge], sizes: Sequence[tuple[float, float]], spacing: Spacing
) -> Layout:
    local = {node: number for number, node in enumerate(nodes)}
    inside = [(local[tail], local[head]) for tail, head in edges]
    widths = [sizes[node][0] for node in nodes]
    if spacing.most_width < math.inf:
        graph = narrow_graph(len(nodes), inside, widths, spacing.most_width, (spacing.box, spacing.edge))
    else:
        graph = layered_graph(len(nodes), inside)
    widths += [0.0] * (len(graph.above) - len(nodes))
    xs = _places(graph, widths, spacing)
    left = min(x - width / 2 for x, width in zip(xs, widths, strict=True))
    right = max(x + width / 2 for x, width in zip(xs, widths, strict=True))
    xs = [x - left for x in xs]
    bands = _bands(graph, xs, [sizes[node][1] for node in nodes], spacing.layer)
    layer_of = {node: layer for layer, members in enumerate(graph.layers) for node in members}
    boxes = [Box(xs[v], sum(bands[layer_of[v]]) / 2, *map(float, sizes[node])) for v, node in enumerate(nodes)]
    room = _room(graph, xs, widths)
    starts = _ports(graph.chains, xs, boxes)
    ends = _ports([chain[::-1] for chain in graph.chains], xs, boxes)
    routes = []
    for chain, start, end in zip(graph.chains, starts, ends, strict=True):
        places = [start, *(xs[node] for node in chain[1:-1]), end]
        limits = [room[node] for node in chain[1:-1]]
        routes.append(
            _route(places, [bands[layer_of[node]] for node in chain], limits, boxes[chain[0]], boxes[chain[-1]])
        )
    return Layout(right - left, bands[-1][1], tuple(boxes), tuple(routes))


def _places(graph: LayeredGraph, widths: Sequence[float], spacing: Spacing) -> list[float]:
    """Return the horizontal position of each node."""
    xs = [0.0] * len(widths)
    offsets = [list(_offsets(graph, layer, widths, spacing)) for layer in graph.layers]
    room = [
        _limits(widths[layer[0]], widths[layer[-1]], starts[-1], spacing.most_width)
        for layer, starts in zip(graph.layers, offsets, strict=True)
    ]
    for layer, starts in zip(graph.layers, offsets, strict=True):
        for node, offset in zip(layer, starts, strict=True):
            xs[node] = offset - starts[-1] / 2
    up, down = _pulls(graph, graph.above), _pulls(graph, graph.below)
    both = [above + below for above, below in zip(up, down, strict=True)]
    rows = list(zip(graph.layers, offsets, room, strict=True))
    # One-sided sweeps carry a shift through all layers at once; two-sided sweeps then converge.
    for pulls, sequence in ((up, rows), (down, rows[::-1]), (up, rows), (down, rows[::-1])):
        for layer, starts, limits in sequence:
            _settle(layer, starts, limits, pulls, xs)
    for sweep in range(_SETTLING):
        before = xs[:]
        for layer, starts, limits in rows if sweep % 2 else rows[::-1]:
            _settle(layer, starts, limits, both, xs)
        if max([abs(x - old) for x, old in zip(xs, before, strict=True)], default=0.0) < 0.25:
            break
    return xs


def _limits(first: float, last: float, length: float, most: float) -> tuple[float, float]:
    """Return where the first node of a layer may be: within the width of the drawing, in the middle if it is too long.

    >>> _limits(40.0, 20.0, 100.0, 200.0), _limits(40.0, 20.0, 300.0, 200.0)
    ((-80.0, -10.0), (-145.0, -145.0))
    """
    low, high = first / 2 - most / 2, most / 2 - last / 2 - length
    if low <= high:
        return low, high
    middle = (low + high) / 2
    return middle, middle


def _offsets(graph: LayeredGraph, layer: Sequence[int], widths: Sequence[float], spacing: Spacing) -> Iterator[float]:
    """Return the smallest distance of each node of a layer from the first one."""
    offset = 0.0
    for index, node in enumerate(layer):
        if index:
            last = layer[index - 1]
            gap = spacing.edge if graph.dummy(node) or graph.dummy(last) else spacing.box
            offset += (widths[last] + widths[node]) / 2 + gap
        yield offset


def _pulls(graph: LayeredGraph, near: Sequence[Sequence[int]]) -> list[list[tuple[int, float]]]:
    """Return the neighbours of each node with the weights of their edges; the pieces of long edges weigh more."""
    weight = (1.0, 2.0, 8.0)
    return [
        [(other, weight[graph.dummy(node) + graph.dummy(other)]) for other in others]
        for node, others in enumerate(near)
    ]


def _settle(
    layer: Sequence[int],
    offsets: Sequence[float],
    limits: tuple[float, float],
    pulls: Sequence[Sequence[tuple[int, float]]],
    xs: list[float],
) -> None:
    """Move the nodes of a layer as near to their neighbours in other layers as order, distances and limits allow.

    The best order-preserving places within limits are the best ones without, moved to the nearer limit.
    """
    wishes, weights = [], []
    for node, offset in zip(layer, offsets, strict=True):
        # Nodes without neighbours keep their positions.
        weight, wish = 1e-3, 1e-3 * xs[node]
        for other, pull in pulls[node]:
            weight += pull
            wish += pull * xs[other]
        wishes.append(wish - weight * offset)
        weights.append(weight)
    for node, offset, value in zip(layer, offsets, _isotonic(wishes, weights), strict=True):
        xs[node] = max(limits[0], min(limits[1], value)) + offset


def _isotonic(wishes: Sequence[float], weights: Sequence[float]) -> Iterator[float]:
    """Return the non-decreasing numbers nearest to the wishes, which are given multiplied by their weights."""
    # Blocks of equal numbers: (sum of weighted wishes, sum of weights, count).
    blocks: list[tuple[float, float, int]] = []
    for wish, weight in zip(wishes, weights, strict=True):
        count = 1
        while blocks and blocks[-1][0] * weight >= wish * blocks[-1][1]:
            last = blocks.pop()
            wish, weight, count = wish + last[0], weight + last[1], count + last[2]
        blocks.append((wish, weight, count))
    for wish, weight, count in blocks:
        yield from [wish / weight] * count


def _bands(
    graph: LayeredGraph, xs: Sequence[float], heights: Sequence[float], layer_gap: float
) -> list[tuple[float, float]]:
    """Return the top and the bottom of each layer."""
    bands = []
    top = 0.0
    for layer in graph.layers:
        bottom = top + max((heights[node] for node in layer if not graph.dummy(node)), default=0.0)
        bands.append((top, bottom))
        reach = max((abs(xs[node] - xs[other]) for node in layer for other in graph.below[node]), default=0.0)
        top = bottom + layer_gap + min(max(0.0, 0.2 * (reach - 2 * layer_gap)), layer_gap)
    return bands


def _room(graph: LayeredGraph, xs: Sequence[float], widths: Sequence[float]) -> list[float]:
    """Return how far an edge may lean to either side where it passes a layer."""
    room = [math.inf] * len(xs)
    for layer in graph.layers:
        for left, right in pairwise(layer):
            free = xs[right] - widths[right] / 2 - xs[left] - widths[left] / 2 - _AIR
            # Two adjacent edges share the space between them.
            share = free / 2 if graph.dummy(left) and graph.dummy(right) else free
            room[left], room[right] = min(room[left], share), min(room[right], share)
    return room


def _ports(chains: Sequence[Sequence[int]], xs: Sequence[float], boxes: Sequence[Box]) -> list[float]:
    """Return where each edge leaves the box of its first node: towards its next node, apart from other edges."""
    leaving: dict[int, list[int]] = {}
    for number in sorted(range(len(chains)), key=lambda number: xs[chains[number][1]]):
        leaving.setdefault(chains[number][0], []).append(number)
    ports = [0.0] * len(chains)
    for node, numbers in leaving.items():
        box = boxes[node]
        reach = 0.36 * box.width
        gap = min(_PORT_GAP, 2 * reach / max(len(numbers) - 1, 1))
        offsets = [gap * index for index in range(len(numbers))]
        wishes = [
            _limited(0.25 * (xs[chains[number][1]] - box.x), reach) - offset
            for number, offset in zip(numbers, offsets, strict=True)
        ]
        for number, offset, port in zip(numbers, offsets, _isotonic(wishes, [1.0] * len(wishes)), strict=True):
            ports[number] = box.x + max(-reach, min(reach - offsets[-1], port)) + offset
    return ports


def _route(
    places: Sequence[float], bands: Sequence[tuple[float, float]], room: Sequence[float], tail: Box, head: Box
) -> tuple[Point, ...]:
    """Return the curve of an edge that passes the layers at the given positions."""
    ys = [bands[0][1], *(sum(band) / 2 for band in bands[1:-1]), bands[-1][0]]
    slopes = [(b - a) / (d - c) for a, b, c, d in zip(places, places[1:], ys, ys[1:], strict=False)]
    knots = [(places[0], ys[0], _limited(slopes[0], 1.0))]
    for i, (top, bottom) in enumerate(bands[1:-1], start=1):
        half = (bottom - top) / 2
        # Within its space, and never so far that the edge would turn back on its way to the next layer.
        most = min(room[i - 1], abs(places[i] - places[i - 1]) / 4, abs(places[i + 1] - places[i]) / 4)
        lean = _limited(_harmonic(slopes[i - 1], slopes[i]), most / max(half, 1.0))
        knots += [(places[i] - lean * half, top, lean), (places[i] + lean * half, bottom, lean)]
    knots.append((places[-1], ys[-1], _limited(slopes[-1], 1.0)))
    # A box that is less tall than its layer is reached vertically, since its neighbours may be taller.
    start, end = tail.y + tail.height / 2, head.y - head.height / 2
    if start < ys[0] - _SAME:
        knots[:1] = [(places[0], start, 0.0), (places[0], ys[0], 0.0)]
    if end > ys[-1] + _SAME:
        knots[-1:] = [(places[-1], ys[-1], 0.0), (places[-1], end, 0.0)]
    points: list[Point] = [knots[0][:2]]
    for (x0, y0, lean0), (x1, y1, lean1) in pairwise(knots):
        third = (y1 - y0) / 3
        points += [(x0 + lean0 * third, y0 + third), (x1 - lean1 * third, y1 - third), (x1, y1)]
    return tuple(points)


def _limited(value: float, most: float) -> float:
    return max(-most, min(most, value))


def _harmonic(a: float, b: float) -> float:
    """Return the slope of a monotone curve between two pieces of given slopes (the rule of Fritsch and Carlson)."""
    return 2 * a * b / (a + b) if a * b > 0 else 0.0
