"""Checks of arguments that may have the wrong type."""

from __future__ import annotations

from numbers import Integral, Real


def is_whole(value: object, at_least: int) -> bool:
    """Whether a value is an integer of at least ``at_least``; booleans do not count.

    >>> is_whole(3, 0), is_whole(3.0, 0), is_whole(True, 0)
    (True, False, False)
    """
    return type(value) is not bool and isinstance(value, Integral) and int(value) >= at_least


def is_between(value: object, low: float, high: float) -> bool:
    """Whether a value is a number between ``low`` and ``high``, inclusive.

    >>> is_between(0.5, 0, 1), is_between("0.5", 0, 1), is_between(float("nan"), 0, 1)
    (True, False, False)
    """
    return type(value) is not bool and isinstance(value, Real) and low <= float(value) <= high
