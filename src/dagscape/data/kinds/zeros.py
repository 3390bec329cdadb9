"""Zeros that stand apart from all other numbers of a column: often they mean a missing cell.

In a table of patients, a blood pressure of 0 was not measured. The zeros of a count do not stand apart: 1 and 2 follow.
"""

from __future__ import annotations

import numpy as np

from dagscape.data.kinds.profile import ColumnProfile

# So many other numbers, and zeros, there must be to tell.
_FEWEST_NUMBERS = 12
_FEWEST_ZEROS = 2

# The least other number is so many times the usual step between numbers.
_STEPS_APART = 5


def zeros_apart(found: ColumnProfile) -> tuple[int, float] | None:
    """Return how many zeros stand apart from the other numbers of a column, and the least of these; None if none do.

    Parameters
    ----------
    found : ColumnProfile
        The profile of the column.

    Examples
    --------
    >>> from dagscape.data.kinds.profile import profile_of
    >>> from dagscape.data.tables.coding import column_from_strings
    >>> pressures = ["0"] * 9 + [str(60 + 2 * i) for i in range(30)]
    >>> zeros_apart(profile_of(column_from_strings(pressures)))
    (9, 60.0)
    >>> zeros_apart(profile_of(column_from_strings([str(i // 2) for i in range(60)]))) is None
    True
    """
    numbers = found.numbers
    if numbers is None or numbers.size <= _FEWEST_NUMBERS or numbers[0] != 0 or not np.isfinite(numbers[-1]):
        return None
    zeros, least = int(found.counts[0]), float(numbers[1])
    apart = least > _STEPS_APART * float(np.median(np.diff(numbers[1:])))
    return (zeros, least) if apart and zeros >= _FEWEST_ZEROS else None
