"""Drawings that fit a page, with text that can be read on it.

Reducing a wide drawing to the width of a page makes its text too small. So it is arranged again: with names as small as
the other text and on several lines, from left to right instead of downwards, or with wide layers broken into rows.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator

from dagscape.core.errors import UnreadablePicture, argument
from dagscape.drawing.page import LEAST_TEXT, POINTS_PER_CM, Page
from dagscape.drawing.picture import MARGIN, USUAL, Arrangement, Picture
from dagscape.drawing.style import LABEL_SIZE, SMALL_FONT_SIZE

# Rounding must not make a text too small.
_SLACK = 1e-9
# Layers may be so much narrower than the page, because labels of edges reach beyond them.
_NARROWER = (1.0, 0.9, 0.8)


def fitted(draw: Callable[[Arrangement], Picture], page: Page) -> tuple[Picture, UnreadablePicture | None]:
    """Arrange a drawing so that it fits a page; return it, and a warning if its text is too small even so.

    Parameters
    ----------
    draw : callable
        Makes the drawing in a given arrangement.
    page : Page
        The page.

    Returns
    -------
    Picture
        The usual arrangement if its text is not too small; else the least high of those whose text is not too small;
        else the one with the largest text.
    UnreadablePicture or None
        The warning.
    """
    best = _scaled(draw(USUAL), page)
    if _readable(best):
        return best, None
    for arrangement in _tight_arrangements(page, LABEL_SIZE if best.labelled else SMALL_FONT_SIZE):
        found = _scaled(draw(arrangement), page)
        if _rank(found) > _rank(best):
            best = found
    return best, None if _readable(best) else _warning(best, page)


def text_size(picture: Picture) -> float:
    """Return the size of the smallest text of a picture on a page, in points."""
    return picture.least_text * (1.0 if picture.scale is None else picture.scale)


def _tight_arrangements(page: Page, smallest: float) -> Iterator[Arrangement]:
    """Iterate over arrangements with less room; where a width is given, the smallest text can just be read."""
    yield Arrangement(tight=True)
    yield Arrangement(tight=True, sideways=True)
    room = page.width / (LEAST_TEXT / smallest) - 2 * MARGIN
    for share in _NARROWER:
        yield Arrangement(tight=True, most_width=share * room)


def _scaled(picture: Picture, page: Page) -> Picture:
    # A small drawing is not blown up.
    scale = min(1.0, page.width / picture.width, page.height / picture.height)
    return dataclasses.replace(picture, scale=scale)


def _readable(picture: Picture) -> bool:
    return text_size(picture) >= LEAST_TEXT - _SLACK


def _rank(picture: Picture) -> tuple[bool, float]:
    """Sort pictures by how well they suit a page."""
    readable = _readable(picture)
    return readable, -picture.height * (picture.scale or 1.0) if readable else text_size(picture)


def _warning(picture: Picture, page: Page) -> UnreadablePicture:
    size = text_size(picture)
    # Rounded up, so that the width that is named is enough.
    needed = math.ceil(10 * picture.width * LEAST_TEXT / picture.least_text / POINTS_PER_CM) / 10
    high = picture.height * LEAST_TEXT / picture.least_text / POINTS_PER_CM
    tall = f" and a height of {math.ceil(10 * high) / 10:g} cm" if page.height < math.inf else ""
    return UnreadablePicture(
        f"on this page, the smallest text of the drawing has {size:.1f} points: {LEAST_TEXT:g} points need a width of "
        f"{needed:g} cm{tall}; or draw a part of it with {argument('around')}, or fewer edges with a higher "
        f"{argument('threshold')}"
    )
