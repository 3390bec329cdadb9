"""Placing the labels of edges: on the edge, near its middle, away from boxes, other labels and other edges."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

from dagscape.drawing.layout import Box, Point

_CELL = 40.0
_STEPS = 16
# The cost of covering something with a label. If an edge has no free place, covering another edge is least bad; an
# arrowhead is worse.
_COSTS = {"box": 50.0, "label": 50.0, "tip": 10.0, "edge": 1.0, "own tip": 4.0, "beside": 0.8}
# Labels may also lie beside their edge; this much of them stays on it.
_OVERLAP = 5.0
# Room for an arrowhead at either end.
_HEAD = 9.0


class _Plane:
    """A spatial index of boxes, by square cells."""

    def __init__(self) -> None:
        self._cells: dict[tuple[int, int], list[tuple[Box, str, int]]] = {}

    def add(self, box: Box, kind: str, owner: int) -> None:
        for cell in self._cells_of(box):
            self._cells.setdefault(cell, []).append((box, kind, owner))

    def cost(self, box: Box, owner: int) -> float:
        """Return the cost of what a label in this box would cover, except its own edge with its ends."""
        covered = {
            (kind, other)
            for cell in self._cells_of(box)
            for thing, kind, other in self._cells.get(cell, ())
            if (kind not in ("edge", "tip") or other != owner) and thing.overlaps(box)
        }
        return math.fsum(_COSTS[kind] for kind, _ in covered)

    @staticmethod
    def _cells_of(box: Box) -> Iterator[tuple[int, int]]:
        for column in range(int((box.x - box.width / 2) // _CELL), int((box.x + box.width / 2) // _CELL) + 1):
            for row in range(int((box.y - box.height / 2) // _CELL), int((box.y + box.height / 2) // _CELL) + 1):
                yield column, row


def label_places(
    boxes: Sequence[Box], routes: Sequence[Sequence[Point]], sizes: Sequence[tuple[float, float]]
) -> list[Box]:
    """Return the box of a label on each route, of the given sizes.

    Short routes come first, since they have the least choice. Places that cover nothing come before those near the
    middle.

    >>> label_places([], [[(0, 0), (0, 10), (0, 20), (0, 30)]], [(20, 10)])
    [Box(x=0.0, y=15.0, width=20, height=10)]
    """
    plane = _Plane()
    for number, box in enumerate(boxes):
        plane.add(box, "box", number)
    traced = [list(_trace(route)) for route in routes]
    for number, route in enumerate(routes):
        for x, y in (route[0], route[-1]):
            plane.add(Box(x, y, 2 * _HEAD, 2 * _HEAD), "tip", number)
    for number, points in enumerate(traced):
        for x, y in points:
            plane.add(Box(x, y, 1.0, 1.0), "edge", number)
    places: dict[int, Box] = {}
    for number in sorted(range(len(routes)), key=lambda number: (len(traced[number]), number)):
        points = traced[number]
        width, height = sizes[number]
        candidates: list[tuple[float, int, Box]] = []
        for (x, y), offset in zip(points, _offsets(points, sizes[number]), strict=True):
            for side in (0, -1, 1):
                place = Box(x + side * (width / 2 - _OVERLAP), y, width, height)
                cost = plane.cost(place, number) + offset + (_COSTS["beside"] if side else 0.0)
                candidates.append((cost, len(candidates), place))
        places[number] = min(candidates)[2]
        plane.add(places[number], "label", number)
    return [places[number] for number in range(len(routes))]


def _offsets(points: Sequence[Point], size: tuple[float, float]) -> list[float]:
    """Return how far each point is from the middle of its route; near the ends, where arrowheads are, even more."""
    lengths = list(accumulate((math.dist(*pair) for pair in pairwise(points)), initial=0.0))
    room = size[1] / 2 + _HEAD
    return [
        abs(at / lengths[-1] - 0.5) + (_COSTS["own tip"] if min(at, lengths[-1] - at) < room else 0.0) for at in lengths
    ]


def _trace(route: Sequence[Point]) -> Iterator[Point]:
    """Iterate over points along a chain of Bézier curves, without its ends."""
    for start in range(0, len(route) - 1, 3):
        (ax, ay), (bx, by), (cx, cy), (dx, dy) = route[start : start + 4]
        for step in range(1, _STEPS):
            t = step / _STEPS
            s = 1 - t
            a, b, c, d = s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t
            yield a * ax + b * bx + c * cx + d * dx, a * ay + b * by + c * cy + d * dy
