"""Ranges of probabilities: a row for each quantity, a line from its lowest to its highest value, a dot for each value.

The layout makes plain shapes, which are written as SVG, or drawn with matplotlib (the extra ``plot``).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from dagscape.drawing.draw import Drawing
from dagscape.drawing.figure import require_matplotlib, write_axes
from dagscape.drawing.style import FONT_SIZE, INK, LEGEND_SIZE, PAPER, PLAIN_LINE, TITLE_SIZE
from dagscape.drawing.text import shown_text, text_width
from dagscape.errors import InvalidOption
from dagscape.files import check_writable, path_text, replace_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes

RANGE_ENDINGS = (".svg", ".png", ".pdf")

_MARGIN, _ROW, _AXIS, _DOT, _GAP = 16.0, 22.0, 340.0, 4.0, 14.0
_LONGEST_LABEL = 60
_GRID, _WHISKER = "#e3e7ec", "#b4bcc8"
# Distinct for colour-blind readers, and in print: from light to dark.
_COLOURS = ("#e8a33d", "#3f90c4", "#16324f", "#b5485d", "#6a9a5b", "#8a6fb0")


@dataclass(frozen=True, slots=True)
class RangeRow:
    """A quantity: its name and its values, each a probability."""

    label: str
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class RangePlot:
    """What is drawn.

    Attributes
    ----------
    title : str
        The title.
    rows : tuple of RangeRow
        The rows, from top to bottom. All have the same number of values.
    groups : tuple of int
        The group of each value, which determines the colour of its dots.
    legend : tuple of str
        The name of each group.
    marked : int
        The value whose dots have a ring.
    mark : str
        What the ring means.
    points : tuple of str
        The name of each value.
    """

    title: str
    rows: tuple[RangeRow, ...]
    groups: tuple[int, ...]
    legend: tuple[str, ...]
    marked: int
    mark: str
    points: tuple[str, ...]


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
    """A disc, or a ring if it is not filled, with a tooltip."""

    x: float
    y: float
    radius: float
    colour: str
    filled: bool
    name: str = ""


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
    >>> plot = RangePlot("Edges", rows, (0, 1), ("ess 1", "ess 10"), 0, "highest evidence", ("one", "two"))
    >>> draw_ranges(plot).count("<circle")
    6
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
    bottom = top + _ROW * len(plot.rows)
    title = shown_text(plot.title)
    keys = list(_legend(plot, left, bottom + 3.2 * FONT_SIZE))
    texts = [shape.x + text_width(shape.text, shape.size) for shape in keys if isinstance(shape, Words)]
    width = max(left + _AXIS + 2 * _MARGIN, _MARGIN + max(texts), text_width(title, TITLE_SIZE) * 1.1 + 2 * _MARGIN)
    height = bottom + 3.2 * FONT_SIZE + _ROW * (len(plot.legend) + 1) + _MARGIN
    shapes: list[Shape] = [Words(width / 2, 1.8 * TITLE_SIZE, title, TITLE_SIZE, "middle", bold=True)]
    for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
        x = left + tick * _AXIS
        shapes.append(Line(x, top, x, bottom, PLAIN_LINE if tick == 0.5 else _GRID, 1.0))
        shapes.append(Words(x, bottom + 1.4 * FONT_SIZE, f"{tick:g}", LEGEND_SIZE, "middle"))
    for number, (row, label) in enumerate(zip(plot.rows, labels, strict=True)):
        shapes += _row(plot, row, label, left, top + _ROW * (number + 0.5))
    return width, height, shapes + keys


def _row(plot: RangePlot, row: RangeRow, label: str, left: float, y: float) -> Iterator[Shape]:
    places = [left + value * _AXIS for value in row.values]
    yield Words(left - _GAP, y + 0.35 * FONT_SIZE, label, FONT_SIZE, "end")
    yield Line(min(places), y, max(places), y, _WHISKER, 3.0)
    for place, value, group, point in zip(places, row.values, plot.groups, plot.points, strict=True):
        name = f"{shown_text(row.label)}: {value:.4f} ({shown_text(point)})"
        yield Dot(place, y, _DOT, _COLOURS[group % len(_COLOURS)], True, name)
    yield Dot(places[plot.marked], y, _DOT + 2.0, INK, False)


def _legend(plot: RangePlot, left: float, top: float) -> Iterator[Shape]:
    for number, text in enumerate(plot.legend):
        y = top + _ROW * (number + 0.5)
        yield Dot(left, y, _DOT, _COLOURS[number % len(_COLOURS)], True)
        yield Words(left + _GAP, y + 0.35 * LEGEND_SIZE, shown_text(text), LEGEND_SIZE, "start")
    y = top + _ROW * (len(plot.legend) + 0.5)
    yield Dot(left, y, _DOT + 2.0, INK, False)
    yield Words(left + _GAP, y + 0.35 * LEGEND_SIZE, shown_text(plot.mark), LEGEND_SIZE, "start")


def _svg(width: float, height: float, shapes: list[Shape], title: str) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
        f'height="{height:.0f}" role="img" font-family="sans-serif">'
    )
    paper = f'<rect width="{width:.0f}" height="{height:.0f}" fill="{PAPER}"/>'
    named = f"<title>{escape(shown_text(title))}</title>"
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
        circle = f'<circle cx="{shape.x:.1f}" cy="{shape.y:.1f}" r="{shape.radius:g}" {paint}'
        return f"{circle}><title>{escape(shape.name)}</title></circle>" if shape.name else f"{circle}/>"
    weight = ' font-weight="bold"' if shape.bold else ""
    return (
        f'<text x="{shape.x:.1f}" y="{shape.y:.1f}" fill="{INK}" text-anchor="{shape.anchor}" '
        f'font-size="{shape.size:g}"{weight}>{escape(shape.text)}</text>'
    )


def _draw(axes: Axes, shapes: list[Shape]) -> None:
    from matplotlib.patches import Circle

    sides = {"start": "left", "middle": "center", "end": "right"}
    for order, shape in enumerate(shapes):
        if isinstance(shape, Line):
            axes.plot([shape.x1, shape.x2], [shape.y1, shape.y2], color=shape.colour, lw=shape.width, zorder=order)
        elif isinstance(shape, Dot):
            face, edge, line = (shape.colour, PAPER, 0.6) if shape.filled else ("none", shape.colour, 1.4)
            dot = Circle((shape.x, shape.y), shape.radius, facecolor=face, edgecolor=edge, lw=line, zorder=order)
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
