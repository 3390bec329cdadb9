"""Columns that look like identifiers.

Two rules, because identifiers do harm in two ways. As levels, nearly unique values determine everything else in their
rows: a column with more than 20 distinct values, and more than half as many as there are rows, is suspicious whatever
it holds. Numbers that are to be cut may well be nearly unique, for that is what measurements are. There a column is
suspicious only if its integers *number the rows*: more than 20 rows, an integer of its own for each, and these leave
few gaps (their range is at most twice their number) or are in order. Decimals are always measurements.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt

from dagscape.data.tables.columns import Column
from dagscape.data.tables.numbers import EXACT_INTEGERS

# A column is nearly unique if it has more distinct values than this share of the rows, and more than this number.
NEARLY_UNIQUE_SHARE = 0.5
NEARLY_UNIQUE_VALUES = 20

# Numbers of rows span at most this multiple of their count, unless they are in order.
_LARGEST_SPREAD = 2


def is_nearly_unique(distinct: int, rows: int) -> bool:
    """Whether a column with so many distinct values looks like an identifier.

    Examples
    --------
    >>> is_nearly_unique(90, 100), is_nearly_unique(12, 12)
    (True, False)
    """
    return distinct > max(NEARLY_UNIQUE_VALUES, NEARLY_UNIQUE_SHARE * rows)


def numbers_the_rows(column: Column) -> bool:
    """Whether a column has an integer of its own in each row, with few gaps or in order; missing cells do not count.

    Examples
    --------
    >>> from dagscape.data.tables.coding import column_from_strings
    >>> numbers_the_rows(column_from_strings([str(1000 + 7 * i) for i in range(30)]))
    True
    >>> numbers_the_rows(column_from_strings([str(i * i % 31) for i in range(30)]))
    False
    """
    present = ~column.gaps
    if np.count_nonzero(present) <= NEARLY_UNIQUE_VALUES or column.kind != "integers":
        return False
    cells = column.numbers()
    assert cells is not None
    numbers: npt.NDArray[Any] = cells[present]
    if np.abs(numbers).max() >= EXACT_INTEGERS:
        exact = np.array([*(int(Decimal(text)) for text in column.values), 0], dtype=object)
        numbers = exact[column.codes][present]
    if np.unique(numbers).size < numbers.size:
        return False
    steps = np.diff(numbers)
    few_gaps = numbers.max() - numbers.min() < _LARGEST_SPREAD * numbers.size
    return bool(few_gaps or (steps > 0).all() or (steps < 0).all())
