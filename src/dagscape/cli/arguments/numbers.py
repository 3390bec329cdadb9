"""Types of options that are numbers within limits, made from what functions declare about their arguments."""

from __future__ import annotations

import math

import click

from dagscape.core.constraints import Number, Whole


class IntRange(click.IntRange):
    """An integer within limits."""

    name = "integer"


class FloatRange(click.FloatRange):
    """A number within limits."""

    name = "number"


def within(constraint: Whole | Number) -> IntRange | FloatRange:
    """Return the type of an option whose argument is declared by a constraint.

    >>> within(Whole(2, 16)), within(Number(0, 1, high_open=True))
    (<IntRange 2<=x<=16>, <FloatRange 0<=x<1>)
    """
    if isinstance(constraint, Whole):
        return IntRange(constraint.low, constraint.high)
    high = None if constraint.high == math.inf else constraint.high
    return FloatRange(
        constraint.low, high, min_open=constraint.low_open, max_open=high is not None and constraint.high_open
    )
