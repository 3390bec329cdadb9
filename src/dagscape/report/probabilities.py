"""Probabilities in tables: four digits, and those that reach a threshold."""

from __future__ import annotations

from dagscape.report.blocks import Number, number

# Half a unit in the last digit.
_HALF_DIGIT = 5e-5


def probability(value: float) -> Number:
    """Return a probability with its digits.

    >>> probability(0.25).text
    '0.2500'
    """
    return number(value, ".4f")


def shown_from(threshold: float) -> float:
    """Return the lowest probability that has the digits of a threshold: 1.0000 is not hidden by the threshold 1."""
    return threshold - _HALF_DIGIT
