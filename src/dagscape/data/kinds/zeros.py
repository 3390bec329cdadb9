"""Zeros that stand apart from all other numbers of a column: often they mean a missing cell.

In a table of patients, a blood pressure of 0 was not measured. The zeros of a count do not stand apart: 1 and 2 follow.
"""

from __future__ import annotations

import numpy as np

from dagscape.core.wording import plural
from dagscape.data.tables.numbers import Floats

# So many other numbers, and zeros, there must be to tell.
_FEWEST_NUMBERS = 12
_FEWEST_ZEROS = 2

# The least other number is so many times the usual step between numbers.
_STEPS_APART = 5


def zeros_apart(cells: Floats) -> tuple[int, float] | None:
    """Return how many zeros stand apart from the other numbers of a column, and the least of these; None if none do.

    Parameters
    ----------
    cells : ndarray of float64
        The numbers of the column, NaN where a cell is missing.

    Examples
    --------
    >>> zeros_apart(np.array([0.0] * 9 + [60.0 + 2 * i for i in range(30)]))
    (9, 60.0)
    >>> zeros_apart(np.arange(60.0) // 2) is None
    True
    """
    zeros = int(np.count_nonzero(cells == 0))
    if zeros < _FEWEST_ZEROS:
        return None
    numbers = np.unique(cells[~np.isnan(cells)])
    if numbers.size <= _FEWEST_NUMBERS or numbers[0] != 0 or not np.isfinite(numbers[-1]):
        return None
    least = float(numbers[1])
    return (zeros, least) if least > _STEPS_APART * float(np.median(np.diff(numbers[1:]))) else None


def zero_warnings(name: str, cells: Floats | None) -> list[str]:
    """Return a sentence about zeros of a measured column that probably mean missing cells; none if it has no such.

    The cells are those of :func:`zeros_apart`; a column that holds no numbers has None.

    Examples
    --------
    >>> zero_warnings("pressure", np.array([0.0] * 9 + [60.0 + 2 * i for i in range(30)]))[0][:58]
    "'pressure' is 0 in 9 rows and at least 60 in the others: i"
    """
    apart = None if cells is None else zeros_apart(cells)
    if apart is None:
        return []
    zeros, least = apart
    return [
        f"{name!r} is 0 in {plural(zeros, 'row')} and at least {least:g} in the others: if 0 means that it was not "
        "measured, empty these cells"
    ]
