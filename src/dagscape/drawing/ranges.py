"""Ranges of probabilities: a row for each quantity, a line from its lowest to its highest value, a mark for each value.

Marks differ by colour, by shape and by their height in the row, so that three properties of a value can be told apart.
The layout makes plain shapes, which are written as SVG, or drawn with matplotlib (the extra ``plot``).

Why not matplotlib for SVG, too? Its axes, markers and legend were tried: the picture is as good, in far fewer
lines. But its SVG has no tooltips, which say the value and the setting of each mark, and changes with its version; it
takes a second rather than 10 ms; and notebooks, which show this picture of every study, would need the extra.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dagscape.core.errors import InvalidOption
from dagscape.core.files.paths import path_text
from dagscape.core.files.writing import check_writable, replace_file
from dagscape.drawing.draw import Drawing
from dagscape.drawing.figure import require_matplotlib, write_axes
from dagscape.drawing.style import FONT_SIZE, INK, LEGEND_SIZE, PAPER, PLAIN_LINE, TITLE_SIZE, WARNING_LINES
from dagscape.drawing.text import filled_lines, shown_text, text_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes

RANGE_ENDINGS = (".svg", ".png", ".pdf")

_MARGIN, _ROW, _AXIS, _DOT, _GAP = 16.0, 22.0, 340.0, 4.0, 14.0
_LONGEST_LABEL = 60
_GRID, _WHISKER = "#e3e7ec", "#b4bcc8"
# Distinct for colour-blind readers, and in print: from light to dark.
_COLOURS = ("#e8a33d", "#3f90c4", "#16324f", "#b5485d", "#6a9a5b", "#8a6fb0")
# Corners, a turn clockwise, and the radius that makes areas about equal: circle, square, triangle, diamond, and so on.
_SHAPES = ((0, 0.0, 1.0), (4, 0.125, 1.25), (3, 0.0, 1.45), (4, 0.0, 1.3), (3, 0.5, 1.45))
# How far marks are from the middle of a row, and how much higher rows are then.
_SPREAD = 5.5
_WARNING_LINE, _WARNING_GAP = 14.0, 4.0
_FAINT = 0.22


@dataclass(frozen=True, slots=True)
class RangeRow:
    """A quantity: its name and its values, each a probability."""

    label: str
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class RangePoint:
    """How one value of each row is drawn.

    Attributes
    ----------
    name : str
        The name of the value.
    colour : int or None
        The number of its colour; None has the colour of text.
    shape : int
        The number of its shape.
    height : float
        Its height in the row, from -1, the lower end, to 1.
    faint : bool
        Whether it is faint, and the line of the row does not extend to it.
    """

    name: str
    colour: int | None = 0
    shape: int = 0
    height: float = 0.0
    faint: bool = False


@dataclass(frozen=True, slots=True)
class RangeKey:
    """A part of the legend: a text, after a mark if there is one."""

    text: str
    point: RangePoint | None = None


@dataclass(frozen=True, slots=True)
class RangePlot:
    """What is drawn.

    Attributes
    ----------
    title : str
        The title.
    rows : tuple of RangeRow
        The rows, from top to bottom. All have the same number of values.
    points : tuple of RangePoint
        How each value of a row is drawn. At least one is not faint.
    legend : tuple of tuple of RangeKey
        The lines of the legend.
    marked : int
        The value whose marks have a ring.
    mark : str
        What the ring means.
    caption : str
        What the lines mean.
    warnings : tuple of str
        Warnings, which end the legend.
    """

    title: str
    rows: tuple[RangeRow, ...]
    points: tuple[RangePoint, ...]
    legend: tuple[tuple[RangeKey, ...], ...]
    marked: int
    mark: str
    caption: str
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Line:
    """A straight line."""

    x1: float
    y1: float
    x2: float
    y2: float
    colour: str
    width: float


@dataclass(frozen=True, slots=True)
class Dot:
    """A filled shape, or a ring if it is not filled, with a tooltip."""

    x: float
    y: float
    radius: float
    colour: str
    filled: bool
    name: str = ""
    shape: int = 0
    opacity: float = 1.0

    @property
    def corners(self) -> list[tuple[float, float]]:
        """The corners of the shape; empty for a circle."""
        sides, turn, size = _SHAPES[self.shape % len(_SHAPES)]
        angles = [math.tau * (turn + corner / sides) for corner in range(sides)]
        radius = self.radius * size
        return [(self.x + radius * math.sin(angle), self.y - radius * math.cos(angle)) for angle in angles]


@dataclass(frozen=True, slots=True)
class Words:
    """A text; y is its baseline, and anchor is ``start``, ``middle`` or ``end``."""

    x: float
    y: float
    text: str
    size: float
    anchor: str
    bold: bool = False


Shape = Line | Dot | Words


def draw_ranges(plot: RangePlot, path: str | os.PathLike[str] | None = None) -> Drawing | None:
    """Draw ranges.

    Parameters
    ----------
    plot : RangePlot
        What to draw.
    path : path, optional
        The file to write: ``.svg``, or ``.png`` or ``.pdf`` with matplotlib. Default: return the SVG.

    Examples
    --------
    >>> rows = (RangeRow("a → b", (0.1, 0.9)),)
    >>> points = (RangePoint("ess 1"), RangePoint("ess 10", colour=1))
    >>> plot = RangePlot("Edges", rows, points, ((RangeKey("ess 1", points[0]),),), 0, "highest evidence", "range")
    >>> draw_ranges(plot).count("<circle")
    5
    """
    if path is not None:
        ending = range_format(path)
        check_writable(path)
    width, height, shapes = _layout(plot)
    if path is None:
        return Drawing(_svg(width, height, shapes, plot.title))
    with replace_file(path) as stream:
        if ending == ".svg":
            stream.write(_svg(width, height, shapes, plot.title).encode("utf-8"))
        else:
            write_axes(width, height, lambda axes: _draw(axes, shapes), stream, ending[1:])
    return None


def range_format(path: str | os.PathLike[str]) -> str:
    """Return the extension of a file name, after checking that it is a known format."""
    name = path_text(path)
    ending = Path(name).suffix.lower()
    if ending not in RANGE_ENDINGS:
        known = ", ".join(RANGE_ENDINGS)
        raise InvalidOption(f"cannot tell the format of {name!r}: its name must end in one of {known}")
    if ending != ".svg":
        require_matplotlib(name)
    return ending


def _layout(plot: RangePlot) -> tuple[float, float, list[Shape]]:
    """Return the width, the height and the shapes, those behind others first."""
    labels = [shown_text(row.label, _LONGEST_LABEL) for row in plot.rows]
    left = _MARGIN + max([text_width(label, FONT_SIZE) for label in labels], default=0.0) + _GAP
    top = _MARGIN + 2.2 * TITLE_SIZE
    row_height = _ROW + (_SPREAD if any(point.height for point in plot.points) else 0.0)
    bottom = top + row_height * len(plot.rows)
    title = shown_text(plot.title)
    keys = list(_legend(plot, bottom + 2.4 * FONT_SIZE))
    texts = [shape.x + text_width(shape.text, shape.size) for shape in keys if isinstance(shape, Words)]
    width = max(left + _AXIS + 2 * _MARGIN, _MARGIN + max(texts), text_width(title, TITLE_SIZE) * 1.1 + 2 * _MARGIN)
    end = bottom + 2.4 * FONT_SIZE + _ROW * (len(plot.legend) + 2)
    warned = list(_warnings(plot, width - 2 * _MARGIN - _GAP, end))
    height = max([end, *(line.y for line in warned)]) + _MARGIN
    shapes: list[Shape] = [Words(width / 2, 1.8 * TITLE_SIZE, title, TITLE_SIZE, "middle", bold=True)]
    for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
        x = left + tick * _AXIS
        shapes.append(Line(x, top, x, bottom, PLAIN_LINE if tick == 0.5 else _GRID, 1.0))
        shapes.append(Words(x, bottom + 1.4 * FONT_SIZE, f"{tick:g}", LEGEND_SIZE, "middle"))
    for number, (row, label) in enumerate(zip(plot.rows, labels, strict=True)):
        shapes += _row(plot, row, label, left, top + row_height * (number + 0.5))
    return width, height, [*shapes, *keys, *warned]


def _row(plot: RangePlot, row: RangeRow, label: str, left: float, y: float) -> Iterator[Shape]:
    places = [left + value * _AXIS for value in row.values]
    yield Words(left - _GAP, y + 0.35 * FONT_SIZE, label, FONT_SIZE, "end")
    counted = [place for place, point in zip(places, plot.points, strict=True) if not point.faint]
    yield Line(min(counted), y, max(counted), y, _WHISKER, 3.0)
    marks = list(zip(places, row.values, plot.points, strict=True))
    for place, value, point in sorted(marks, key=lambda mark: not mark[2].faint):
        name = f"{shown_text(row.label)}: {value:.4f} ({shown_text(point.name)})"
        yield _dot(place, y - _SPREAD * point.height, point, name)
    yield Dot(places[plot.marked], y - _SPREAD * plot.points[plot.marked].height, _DOT + 2.0, INK, False)


def _dot(x: float, y: float, point: RangePoint, name: str = "") -> Dot:
    colour = INK if point.colour is None else _COLOURS[point.colour % len(_COLOURS)]
    return Dot(x, y, _DOT, colour, True, name, point.shape, _FAINT if point.faint else 1.0)


def _legend(plot: RangePlot, top: float) -> Iterator[Shape]:
    ring = Dot(0.0, 0.0, _DOT + 2.0, INK, False)
    whisker = Line(-_DOT, 0.0, _DOT, 0.0, _WHISKER, 3.0)
    lines: list[list[tuple[str, Shape | None]]] = [
        [(key.text, None if key.point is None else _dot(0.0, 0.0, key.point)) for key in line] for line in plot.legend
    ]
    lines += [[(plot.mark, ring)], [(plot.caption, whisker)]]
    for number, line in enumerate(lines):
        x, y = _MARGIN + _GAP, top + _ROW * (number + 0.5)
        for text, sample in line:
            if isinstance(sample, Dot):
                yield replace(sample, x=x, y=y)
            elif isinstance(sample, Line):
                yield replace(sample, x1=x + sample.x1, x2=x + sample.x2, y1=y, y2=y)
            start = x + _GAP if sample is not None else x - _DOT
            words = Words(start, y + 0.35 * LEGEND_SIZE, shown_text(text), LEGEND_SIZE, "start")
            yield words
            x = start + text_width(words.text, LEGEND_SIZE) + 2 * _GAP


def _warnings(plot: RangePlot, width: float, top: float) -> Iterator[Words]:
    """Iterate over the lines of warnings below the legend."""
    y = top
    for warning in plot.warnings:
        y += _WARNING_GAP
        for line in filled_lines(warning, width, LEGEND_SIZE, WARNING_LINES):
            y += _WARNING_LINE
            yield Words(_MARGIN + _GAP - _DOT, y, line, LEGEND_SIZE, "start")


def _svg(width: float, height: float, shapes: list[Shape], title: str) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
        f'height="{height:.0f}" role="img" font-family="sans-serif">'
    )
    paper = f'<rect width="{width:.0f}" height="{height:.0f}" fill="{PAPER}"/>'
    named = f"<title>{escape(shown_text(title), quote=False)}</title>"
    return "\n".join([head, named, paper, *map(_element, shapes), "</svg>\n"])


def _element(shape: Shape) -> str:
    if isinstance(shape, Line):
        return (
            f'<line x1="{shape.x1:.1f}" y1="{shape.y1:.1f}" x2="{shape.x2:.1f}" y2="{shape.y2:.1f}" '
            f'stroke="{shape.colour}" stroke-width="{shape.width:g}"/>'
        )
    if isinstance(shape, Dot):
        paint = (
            f'fill="{shape.colour}" stroke="{PAPER}" stroke-width="0.6"'
            if shape.filled
            else f'fill="none" stroke="{shape.colour}" stroke-width="1.4" pointer-events="none"'
        )
        paint += f' opacity="{shape.opacity:g}"' if shape.opacity < 1 else ""
        corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in shape.corners)
        tag, place = ("polygon", f'points="{corners}"') if corners else ("circle", _circle(shape))
        drawn = f"<{tag} {place} {paint}"
        return f"{drawn}><title>{escape(shape.name, quote=False)}</title></{tag}>" if shape.name else f"{drawn}/>"
    weight = ' font-weight="bold"' if shape.bold else ""
    return (
        f'<text x="{shape.x:.1f}" y="{shape.y:.1f}" fill="{INK}" text-anchor="{shape.anchor}" '
        f'font-size="{shape.size:g}"{weight}>{escape(shape.text, quote=False)}</text>'
    )


def _circle(dot: Dot) -> str:
    return f'cx="{dot.x:.1f}" cy="{dot.y:.1f}" r="{dot.radius:g}"'


def _draw(axes: Axes, shapes: list[Shape]) -> None:
    from matplotlib.patches import Circle, Polygon

    sides = {"start": "left", "middle": "center", "end": "right"}
    for order, shape in enumerate(shapes):
        if isinstance(shape, Line):
            axes.plot([shape.x1, shape.x2], [shape.y1, shape.y2], color=shape.colour, lw=shape.width, zorder=order)
        elif isinstance(shape, Dot):
            face, edge, line = (shape.colour, PAPER, 0.6) if shape.filled else ("none", shape.colour, 1.4)
            style: dict[str, Any] = {
                "facecolor": face,
                "edgecolor": edge,
                "lw": line,
                "alpha": shape.opacity,
                "zorder": order,
            }
            place = (shape.x, shape.y)
            dot = Polygon(shape.corners, **style) if shape.corners else Circle(place, shape.radius, **style)
            axes.add_patch(dot)
        else:
            axes.text(
                shape.x,
                shape.y,
                shape.text,
                size=shape.size,
                weight="bold" if shape.bold else "normal",
                color=INK,
                ha=sides[shape.anchor],
                va="baseline",
                parse_math=False,
                zorder=order,
            )
