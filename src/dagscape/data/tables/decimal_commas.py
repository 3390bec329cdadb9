"""Numbers with a decimal comma in text files, such as ``1,5``.

A cell that is such a number is read as if it had a decimal point. Whoever writes decimal commas may write points
between thousands: ``1.500`` then means fifteen hundred, and not one and a half. Thousands signs are not guessed, so
that a number with a point is an error.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Literal

from dagscape.core.errors import InvalidData, argument

Decimal = Literal[".", ","]

DECIMAL_CHOICES: tuple[Decimal, ...] = (".", ",")

_COMMA = re.compile(r"[+-]?(\d+,\d*|,\d+)([eE][+-]?\d+)?", re.ASCII)

_POINT = re.compile(r"[+-]?(\d+\.\d*|\.\d+|\d{1,3}(\.\d{3})+(,\d*)?)([eE][+-]?\d+)?", re.ASCII)


def is_comma_number(text: str) -> bool:
    """Whether a string is a number with a decimal comma.

    >>> is_comma_number("-1,5"), is_comma_number("1.5"), is_comma_number("a,b"), is_comma_number("1,5,2")
    (True, False, False, False)
    """
    return _COMMA.fullmatch(text) is not None


def with_points(cells: Sequence[str], refuse: Callable[[int, str], None]) -> Sequence[str]:
    """Return cells with points in place of decimal commas.

    Parameters
    ----------
    cells : sequence of str
        Cells of one column.
    refuse : callable
        ``refuse(place, text)`` raises the error about a number with a point.

    Examples
    --------
    >>> with_points(["1,5", "2", "a,b"], print)
    ['1.5', '2', 'a,b']
    """
    found = list(cells)
    for place, raw in enumerate(cells):
        if "." in raw and _POINT.fullmatch(raw.strip()):
            refuse(place, raw.strip())
        if "," in raw and is_comma_number(raw.strip()):
            found[place] = raw.replace(",", ".")
    return found


def point_problem(path: str, name: str, text: str, line: int) -> InvalidData:
    """Return the error about a number with a point in a file of decimal commas."""
    return InvalidData(
        f"{path!r} has {text!r} in column {name!r} at line {line}, a number with a point, although "
        f"{argument('decimal', ',')} is given: thousands signs are not read; remove the points, or leave out the "
        f"column with {argument('drop', [name])}"
    )
