"""Pictures as SVG: plain elements, without scripts, style sheets or external resources."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from html import escape

from dagscape.drawing.layout import Box
from dagscape.drawing.picture import Curve, LegendEntry, Node, Picture
from dagscape.drawing.style import (
    BOX_FILL,
    BOX_LINE,
    CORNER,
    DASHES,
    HEAD_LENGTH,
    HEAD_WIDTH,
    INK,
    LABEL_SIZE,
    LEGEND_SIZE,
    PAPER,
    TITLE_SIZE,
)
from dagscape.drawing.text import line_offsets


def svg_text(picture: Picture) -> str:
    """Return a picture as an SVG document.

    Examples
    --------
    >>> from dagscape.graphs.dag import Dag
    >>> from dagscape.drawing.edges import drawn_edges
    >>> from dagscape.drawing.picture import picture
    >>> dag = Dag.from_edges(["a", "b"], [("a", "b")])
    >>> print(svg_text(picture(dag, drawn_edges(dag)))[:60])
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 68 132"
    """
    width, height = _number(picture.width), _number(picture.height)
    # Several drawings may share a page: different drawings need different names of markers.
    mark = f"arrow-{zlib.crc32(repr(picture).encode()):08x}"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'width="{_length(picture.width, picture.scale)}" height="{_length(picture.height, picture.scale)}" '
            'role="img" font-family="sans-serif">',
            *_heading(picture),
            *_markers(picture, mark),
            *(_path(curve, mark) for curve in picture.curves),
            *(line for node in picture.nodes for line in _box(node, picture.font)),
            *(line for curve in picture.curves for line in _label(curve)),
            *_legend(picture, mark),
            "</svg>\n",
        ]
    )


def _length(value: float, scale: float | None) -> str:
    return _number(value) if scale is None else f"{_number(value * scale)}pt"


def _number(value: float) -> str:
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _heading(picture: Picture) -> Iterator[str]:
    paper = f'<rect width="{_number(picture.width)}" height="{_number(picture.height)}" fill="{PAPER}"/>'
    if picture.title is None:
        yield paper
        return
    text = escape(picture.title, quote=False)
    yield f"<title>{text}</title>"
    yield paper
    yield (
        f'<text x="{_number(picture.width / 2)}" y="{_number(1.8 * TITLE_SIZE)}" fill="{INK}" text-anchor="middle" '
        f'font-size="{_number(TITLE_SIZE)}" font-weight="bold">{text}</text>'
    )


def _markers(picture: Picture, mark: str) -> Iterator[str]:
    """Define one arrowhead for each colour, since not all viewers can colour a marker like its line."""
    samples = [entry.sample for entry in picture.legend if entry.sample is not None]
    colours = {_marker_name(curve, mark): curve.colour for curve in (*picture.curves, *samples) if curve.head}
    if not colours:
        return
    length, width, half = _number(HEAD_LENGTH), _number(HEAD_WIDTH), _number(HEAD_WIDTH / 2)
    yield "<defs>"
    for name, colour in sorted(colours.items()):
        # The head overlaps the end of its line a little, so that no gap shows.
        yield (
            f'<marker id="{name}" markerUnits="userSpaceOnUse" markerWidth="{length}" markerHeight="{width}" '
            f'refX="0.5" refY="{half}" orient="auto">'
            f'<path d="M0 0L{length} {half}L0 {width}z" fill="{colour}"/></marker>'
        )
    yield "</defs>"


def _marker_name(curve: Curve, mark: str) -> str:
    return mark if curve.shade is None else f"{mark}-{curve.shade}"


def _path(curve: Curve, mark: str) -> str:
    return f"<path {_line(curve, mark)}><title>{escape(curve.name, quote=False)}</title></path>"


def _line(curve: Curve, mark: str) -> str:
    first, *rest = (f"{_number(x)} {_number(y)}" for x, y in curve.points)
    head = f' marker-end="url(#{_marker_name(curve, mark)})"' if curve.head else ""
    dashes = f' stroke-dasharray="{" ".join(map(_number, DASHES))}"' if curve.dashed else ""
    return (
        f'd="M{first}C{" ".join(rest)}" fill="none" stroke="{curve.colour}" '
        f'stroke-width="{_number(curve.width)}"{dashes}{head}'
    )


def _box(node: Node, font: float) -> Iterator[str]:
    yield (
        f'<rect {_rectangle(node.box)} rx="{_number(CORNER)}" fill="{BOX_FILL}" stroke="{BOX_LINE}" '
        f'stroke-width="1.2"><title>{escape(node.name, quote=False)}</title></rect>'
    )
    yield _text(node.lines, node.box, font)


def _label(curve: Curve) -> Iterator[str]:
    if curve.label and curve.label_box is not None:
        yield f'<rect {_rectangle(curve.label_box)} rx="2" fill="{PAPER}" fill-opacity="0.92"/>'
        yield _text(curve.label, curve.label_box, LABEL_SIZE)


def _rectangle(box: Box) -> str:
    left, top = _number(box.x - box.width / 2), _number(box.y - box.height / 2)
    return f'x="{left}" y="{top}" width="{_number(box.width)}" height="{_number(box.height)}"'


def _text(lines: Sequence[str], box: Box, size: float) -> str:
    # Not all viewers support dominant-baseline. Ignoring the pointer keeps the tooltip of the box.
    x = _number(box.x)
    places = [_number(box.y + offset) for offset in line_offsets(len(lines), size)]
    text = escape(lines[0], quote=False)
    if len(lines) > 1:
        spans = zip(places, lines, strict=True)
        text = "".join(f'<tspan x="{x}" y="{y}">{escape(line, quote=False)}</tspan>' for y, line in spans)
    return (
        f'<text x="{x}" y="{places[0]}" fill="{INK}" text-anchor="middle" font-size="{_number(size)}" '
        f'pointer-events="none">{text}</text>'
    )


def _legend(picture: Picture, mark: str) -> Iterator[str]:
    if not picture.legend:
        return
    yield f'<g class="legend" fill="{INK}" font-size="{_number(LEGEND_SIZE)}">'
    for entry in picture.legend:
        yield from _legend_entry(entry, mark)
    yield "</g>"


def _legend_entry(entry: LegendEntry, mark: str) -> Iterator[str]:
    if entry.sample is not None:
        yield f"<path {_line(entry.sample, mark)}/>"
    x, y = _number(entry.x), _number(entry.y + line_offsets(1, LEGEND_SIZE)[0])
    yield f'<text x="{x}" y="{y}">{escape(entry.text, quote=False)}</text>'
