"""Pictures as PNG and PDF, drawn with matplotlib (the extra ``plot``)."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from typing import IO, TYPE_CHECKING

from dagscape.core.errors import BackendUnavailable
from dagscape.drawing.layout import Box
from dagscape.drawing.picture import Curve, Picture
from dagscape.drawing.style import (
    BOX_FILL,
    BOX_LINE,
    CORNER,
    DASHES,
    INK,
    LABEL_SIZE,
    LEGEND_SIZE,
    PAPER,
    TITLE_SIZE,
)
from dagscape.drawing.text import line_offsets

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_POINTS_PER_INCH = 72
_RESOLUTION = 144.0
_MAX_PIXELS = 6e7
_LONGEST_SIDE = 30000.0


def require_matplotlib(target: str) -> None:
    """Raise an error before any work if matplotlib is not installed."""
    try:
        import matplotlib  # noqa: F401 (only whether it is installed)
    except ImportError as error:
        raise BackendUnavailable(
            f"drawing {target!r} needs matplotlib, which is not installed: pip install matplotlib; "
            ".svg and .dot do not need it"
        ) from error


def write_figure(picture: Picture, stream: IO[bytes], kind: str) -> None:
    """Write a picture as ``"png"`` or ``"pdf"``."""
    scale = 1.0 if picture.scale is None else picture.scale
    write_axes(picture.width, picture.height, lambda axes: _draw(axes, picture, scale), stream, kind, scale)


def write_axes(
    width: float, height: float, draw: Callable[[Axes], None], stream: IO[bytes], kind: str, scale: float = 1.0
) -> None:
    """Write what ``draw`` draws, from the upper left corner, as ``"png"`` or ``"pdf"``; a unit is ``scale`` points."""
    import matplotlib
    from matplotlib.figure import Figure

    # The user's settings must not change the picture; type 42 keeps the text of a PDF searchable.
    settings = matplotlib.rc_context(
        {"text.usetex": False, "font.family": "sans-serif", "pdf.fonttype": 42, "lines.scale_dashes": False}
    )
    with settings, warnings.catch_warnings():
        # A character that the font lacks is drawn as a box, which needs no warning.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        size = (width * scale / _POINTS_PER_INCH, height * scale / _POINTS_PER_INCH)
        figure = Figure(figsize=size, facecolor=PAPER)
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_axis_off()
        axes.set_xlim(0, width)
        axes.set_ylim(height, 0)
        draw(axes)
        # No date, so that the file is reproducible.
        metadata = {"CreationDate": None} if kind == "pdf" else None
        figure.savefig(
            stream, format=kind, dpi=_resolution(width * scale, height * scale), bbox_inches=None, metadata=metadata
        )


def _resolution(width: float, height: float) -> float:
    """Return the dots per inch, reduced for pictures that would be too large for memory or for the format."""
    pixels = width * height / _POINTS_PER_INCH**2
    side = max(width, height) / _POINTS_PER_INCH
    return min(_RESOLUTION, math.sqrt(_MAX_PIXELS / pixels), _LONGEST_SIDE / side)


def _draw(axes: Axes, picture: Picture, scale: float) -> None:
    from matplotlib.patches import FancyBboxPatch, Rectangle

    # Coordinates are in units; the sizes of text and the widths of lines are in points.
    for layer, curve in enumerate(picture.curves):
        _draw_curve(axes, curve, 1 + layer / (len(picture.curves) + 1), scale)
    for node in picture.nodes:
        box = node.box
        style = f"round,pad=0,rounding_size={CORNER}"
        corner = (box.x - box.width / 2, box.y - box.height / 2)
        axes.add_patch(
            FancyBboxPatch(
                corner, box.width, box.height, style, facecolor=BOX_FILL, edgecolor=BOX_LINE, lw=1.2 * scale, zorder=3
            )
        )
        _draw_lines(axes, box, node.lines, picture.font, scale)
    for curve in picture.curves:
        if curve.label and curve.label_box is not None:
            box = curve.label_box
            corner = (box.x - box.width / 2, box.y - box.height / 2)
            axes.add_patch(Rectangle(corner, box.width, box.height, facecolor=PAPER, alpha=0.92, lw=0, zorder=4))
            _draw_lines(axes, box, curve.label, LABEL_SIZE, scale)
    for entry in picture.legend:
        if entry.sample is not None:
            _draw_curve(axes, entry.sample, 1, scale)
        baseline = entry.y + line_offsets(1, LEGEND_SIZE)[0]
        _draw_text(axes, entry.x, baseline, entry.text, LEGEND_SIZE * scale, ha="left")
    if picture.title is not None:
        _draw_text(axes, picture.width / 2, 1.8 * TITLE_SIZE, picture.title, TITLE_SIZE * scale, weight="bold")


def _draw_curve(axes: Axes, curve: Curve, order: float, scale: float) -> None:
    from matplotlib.patches import PathPatch, Polygon
    from matplotlib.path import Path

    codes = [Path.MOVETO, *[Path.CURVE4] * (len(curve.points) - 1)]
    path = Path(list(curve.points), codes)
    style = (0, tuple(dash * scale for dash in DASHES)) if curve.dashed else "solid"
    width = curve.width * scale
    axes.add_patch(
        PathPatch(path, fill=False, edgecolor=curve.colour, lw=width, ls=style, capstyle="butt", zorder=order)
    )
    if curve.head is not None:
        axes.add_patch(Polygon(curve.head, closed=True, facecolor=curve.colour, lw=0, zorder=order))


def _draw_lines(axes: Axes, box: Box, lines: Sequence[str], size: float, scale: float) -> None:
    # Set the baselines as in SVG, so that names with and without descenders align.
    for line, offset in zip(lines, line_offsets(len(lines), size), strict=True):
        _draw_text(axes, box.x, box.y + offset, line, size * scale)


def _draw_text(
    axes: Axes, x: float, baseline: float, text: str, size: float, weight: str = "normal", ha: str = "center"
) -> None:
    axes.text(x, baseline, text, size=size, weight=weight, color=INK, ha=ha, va="baseline", zorder=5, parse_math=False)
