"""How far probabilities are from the truth: what ``error`` counts.

*Scores.* Where every structure's log weight is off by δ at most (``LocalScores.rounding``), odds are off by a factor of
e^(2δ) at most, and a probability by tanh(δ/2): a proved bound.

*Weights.* A weight e^s is computed with a relative error of |s| epsilons of the type that s is kept in. On average over
structures of weights w ≤ 1 in proportion to w, −ln w is −ln Σw plus the entropy, which is at most the log of the number
of structures: a proved bound.

*Sums over orders* add and multiply positive numbers, so relative errors add up: the number of roundings on the way to a
result bounds its error. Edges are differences A(S) − A(S∖u), off by no more than A(S) is; their shares add up to 1.

*Sums over DAGs* alternate in sign. Their error is an estimate: from the disagreement of the independent ways to the
total, and from the rounding of the terms of the last sum. In tests against high precision it was at least four times
the true error.
"""

from __future__ import annotations

import math

import numpy as np

from dagscape.scores.lattice import set_count

_EPSILON = float(np.finfo(np.float64).eps)
_LONG_EPSILON = float(np.finfo(np.longdouble).eps)
# Words of sums in tiles keep 40 bits, rounded to nearest.
_WORD_ROUNDING = 2.0**-41

# Of sums over DAGs, from experience: the largest errors seen were 1.5 disagreements where these were large.
_DISAGREEMENTS = 8
_TERM_ROUNDINGS = 2


def score_error(rounding: float) -> float:
    """How far a probability moves at most, where log weights are off by so much."""
    return math.tanh(rounding / 2)


def dag_sum_error(n: int, disagreement: float, condition: float, log_total: float) -> float:
    """An estimate of the error of a sum over DAGs."""
    terms = _TERM_ROUNDINGS * _EPSILON * (condition + 1) * (n + 4)
    return _DISAGREEMENTS * disagreement + terms + _weight_error(n, log_total, 2 * _LONG_EPSILON)


def order_sum_error(n: int, log_total: float) -> float:
    """A bound on the error of a sum over orders with everything in memory."""
    # Half an epsilon for each addition of the 2^(n-2) sets that an edge comes from.
    edges = math.ldexp(_EPSILON / 2, max(n - 2, 0))
    return 3 * _chain_error(n) + edges + 4 * _EPSILON + _weight_error(n, log_total, 2 * _LONG_EPSILON)


def tiled_order_sum_error(n: int, max_parents: int, log_total: float) -> float:
    """A bound on the error of a sum over orders in tiles."""
    # F, R and the total are stored in words, n of them on the way to any product of the first two.
    words = 2 * (n + 1) * _WORD_ROUNDING
    # Γ is added up over the variables and over at most 64 parts; an edge, over the families that hold it.
    additions = n + 64 + set_count(n - 1, max(max_parents - 1, 0))
    return 3 * _chain_error(n) + words + additions * _EPSILON + _weight_error(n, log_total, 2 * _EPSILON)


def _chain_error(n: int) -> float:
    """The relative error of a product of n weights A, each with a sum over variables: F(V), or F(S) A(S) R(S∪v)."""
    weight = 1.5 + n / 2
    step = 0.5 + n / 2
    return _EPSILON * n * (weight + step)


def _weight_error(n: int, log_total: float, epsilon: float) -> float:
    structures = math.lgamma(n + 1) + math.log(2) * n * (n - 1) / 2
    return epsilon * (structures - log_total)
