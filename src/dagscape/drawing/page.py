"""The size of a page, and of the smallest text that can be read on it."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from dagscape.core.errors import InvalidOption, brief

# Text on paper should not be smaller, in points.
LEAST_TEXT = 6.0

POINTS_PER_CM = 72 / 2.54
_POINTS = {"cm": POINTS_PER_CM, "mm": POINTS_PER_CM / 10, "in": 72.0, "pt": 1.0}
_LEAST_CM, _MOST_CM = 2.0, 500.0

_SIZE = re.compile(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*(cm|mm|in|pt)?\s*", re.IGNORECASE)
_BETWEEN = re.compile(r"[x×,]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Page:
    """The room for a drawing, in points; a page without a height is as high as it must be."""

    width: float
    height: float = math.inf


def page_of(page: float | str | Sequence[float | str]) -> Page:
    """Return the size of a page.

    Parameters
    ----------
    page : str, number or pair
        The width, or the width and the height; numbers without a unit are centimetres.

    Examples
    --------
    >>> round(page_of("17cm").width), page_of("6 in x 648pt"), page_of("1in, 2in")
    (482, Page(width=432.0, height=648.0), Page(width=72.0, height=144.0))
    """
    sides = _BETWEEN.split(page) if isinstance(page, str) else [page] if isinstance(page, int | float) else page
    if not isinstance(sides, Sequence) or not 1 <= len(sides) <= 2:
        raise _refusal(page)
    lengths = [_points(side, page) for side in sides]
    for length in lengths:
        if not _LEAST_CM <= length / POINTS_PER_CM <= _MOST_CM:
            raise InvalidOption(
                f"has a side of {length / POINTS_PER_CM:.4g} cm; it must be between {_LEAST_CM:g} and {_MOST_CM:g} cm",
                option="page",
            )
    return Page(*lengths)


def _points(side: object, page: object) -> float:
    if isinstance(side, int | float) and not isinstance(side, bool):
        return float(side) * POINTS_PER_CM
    found = _SIZE.fullmatch(side) if isinstance(side, str) else None
    if found is None:
        raise _refusal(page)
    return float(found[1]) * _POINTS[(found[2] or "cm").lower()]


def _refusal(page: object) -> InvalidOption:
    return InvalidOption(
        f"is {brief(page)}; it must be the width of a page, such as '17cm', '6.7in' or a number of centimetres, or its "
        "width and height, such as '17cm x 24cm'",
        option="page",
    )
