"""The look of drawings: sizes, colours and the lines of probable edges."""

from __future__ import annotations

from dataclasses import dataclass

from dagscape.drawing.edges import HEAVY, SOLID

FONT_SIZE, SMALL_FONT_SIZE = 13.0, 10.0
LABEL_SIZE = 9.5
LEGEND_SIZE = 10.5
TITLE_SIZE = 15.0
# A warning makes a narrow drawing this wide, and has at most so many lines.
WARNING_WIDTH, WARNING_LINES = 360.0, 5
CORNER = 6.0
HEAD_LENGTH, HEAD_WIDTH = 8.0, 6.5
DASHES = (5.0, 3.0)
PLAIN_WIDTH = 1.3
PAPER, BOX_FILL, BOX_LINE, INK = "#ffffff", "#eef3fa", "#7d93b2", "#1c2733"
PLAIN_LINE = "#5b6878"


@dataclass(frozen=True, slots=True)
class Flow:
    """The way in which edges lead: signs for it and for the opposite, and the opposite in words."""

    forth: str
    back: str
    against: str


DOWN, RIGHT = Flow("↓", "↑", "upwards"), Flow("→", "←", "to the left")

# From improbable to certain. The palest is still visible on white.
SHADES = ("#c9ced6", "#a9b1bd", "#8a94a3", "#6c7889", "#4f5c6e", "#303c4d")


def line_width(weight: float) -> float:
    """Return the line width of an edge with a given probability: it grows, with steps where the kind of line changes.

    >>> [round(line_width(p), 2) for p in (0.0, 0.49, 0.5, 0.89, 0.9, 1.0)]
    [0.9, 1.24, 1.5, 1.89, 2.77, 3.0]
    """
    if weight >= HEAVY:
        return 0.7 + 2.3 * weight
    return 1.0 + weight if weight >= SOLID else 0.9 + 0.7 * weight


def shade_of(weight: float) -> int:
    """Return the index in :data:`SHADES` of an edge with a given probability."""
    return round(weight * (len(SHADES) - 1))


def size_width(size: float) -> float:
    """Return the line width of an edge without probability, by the size of its number, from 0 to 1.

    >>> size_width(0.0), size_width(1.0)
    (0.9, 3.0)
    """
    return 0.9 + 2.1 * size


def size_shade(size: float) -> int:
    """Return the index in :data:`SHADES` of such an edge; the palest are for improbable ones."""
    return 2 + round(size * (len(SHADES) - 3))
