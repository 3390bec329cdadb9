"""Numbers that are written with more than digits: percentages and amounts of money."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from dagscape.data.tables.columns import Column
from dagscape.data.tables.numbers import Floats, parse_numbers

_PERCENT = re.compile(r"[-+]?\d+(\.\d*)?\s?%")
_MONEY = re.compile(r"[-+]?[$€£]\s?\d+(\.\d+)?|[-+]?[$€£]\s?\d{1,3}(,\d{3})+(\.\d+)?")


def plain_numbers(values: Sequence[str]) -> Floats | None:
    """Parse strings as numbers, as :func:`parse_numbers` does, or as percentages or amounts of money; else None.

    Examples
    --------
    >>> plain_numbers(["5%", "12.5 %"]).tolist(), plain_numbers(["$1,200", "$15.50"]).tolist()
    ([5.0, 12.5], [1200.0, 15.5])
    >>> plain_numbers(["5%", "5"]) is None, plain_numbers(["1.5", "2"]).tolist()
    (True, [1.5, 2.0])
    """
    numbers = parse_numbers(values)
    if numbers is not None or not values:
        return numbers
    for pattern in (_PERCENT, _MONEY):
        if all(pattern.fullmatch(text) for text in values):
            return parse_numbers([re.sub(r"[%$€£,\s]", "", text) for text in values])
    return None


def written_numbers(column: Column) -> Floats | None:
    """Return the number of each cell, as :func:`plain_numbers` parses it, NaN if missing; None if one is no number.

    Examples
    --------
    >>> from dagscape.data.tables.coding import column_from_strings
    >>> written_numbers(column_from_strings(["5%", "12.5 %"])).tolist()
    [5.0, 12.5]
    """
    numbers = column.numbers()
    if numbers is not None:
        return numbers
    text = column.observed()
    written = plain_numbers(text.values)
    return None if written is None else np.append(written, np.nan)[text.codes]
