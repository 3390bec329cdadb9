"""Small questions about arguments whose type a caller may have got wrong."""

from __future__ import annotations

from numbers import Integral, Real


def is_whole(value: object, at_least: int) -> bool:
    """Whether a value is a whole number of at least some size; true and false are not numbers.

    >>> is_whole(3, 0), is_whole(3.0, 0), is_whole(True, 0)
    (True, False, False)
    """
    return type(value) is not bool and isinstance(value, Integral) and int(value) >= at_least


def is_between(value: object, low: float, high: float) -> bool:
    """Whether a value is a number between two others.

    >>> is_between(0.5, 0, 1), is_between("0.5", 0, 1), is_between(float("nan"), 0, 1)
    (True, False, False)
    """
    return type(value) is not bool and isinstance(value, Real) and low <= float(value) <= high
