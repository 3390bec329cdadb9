"""Measures of predictions: the area under the ROC curve, and the paired t-test."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray


def area_under_curve(predicted: NDArray[np.float64], correct: NDArray[np.bool_]) -> float:
    """Return the probability that a correct answer has a higher prediction than a wrong one; ties count one half.

    Not a number if all answers are correct, or all are wrong.

    >>> area_under_curve(np.array([0.9, 0.6, 0.6, 0.1]), np.array([True, True, False, False]))
    0.875
    """
    right = int(correct.sum())
    wrong = correct.size - right
    if not right or not wrong:
        return math.nan
    _, place, counts = np.unique(predicted, return_inverse=True, return_counts=True)
    # The average rank of equal predictions, from 1.
    ranks = np.cumsum(counts) - (counts - 1) / 2
    above = float(ranks[place][correct].sum()) - right * (right + 1) / 2
    return above / (right * wrong)


def paired_t_test(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    """Return the two-sided p-value of the hypothesis that paired numbers have the same mean.

    Not a number for fewer than two pairs; 1 if all pairs are equal.

    >>> round(paired_t_test(np.array([3.0, 4.0, 5.0, 7.0]), np.array([2.0, 3.0, 5.0, 5.0])), 4)
    0.0917
    """
    difference = first - second
    if len(difference) < 2:
        return math.nan
    if not difference.any():
        return 1.0
    error = float(difference.std(ddof=1)) / math.sqrt(len(difference))
    return t_tail(float(difference.mean()) / error if error else math.inf, len(difference) - 1)


def t_tail(t: float, freedom: int) -> float:
    """Return the two-sided tail of Student's distribution, by its finite series for integer degrees of freedom.

    >>> round(t_tail(2.262157, 9), 6)
    0.05
    """
    if math.isinf(t):
        return 0.0
    angle = math.atan2(abs(t), math.sqrt(freedom))
    square = math.cos(angle) ** 2
    # Terms of the series in cos², of which the odd and the even degrees of freedom have different ones.
    odd = freedom % 2
    term, total = (math.cos(angle) if odd else 1.0), 0.0
    for k in range(1 + odd, freedom, 2):
        total += term
        term *= square * k / (k + 1)
    inside = (angle + math.sin(angle) * total) * 2 / math.pi if odd else math.sin(angle) * total
    return max(0.0, 1.0 - inside)
