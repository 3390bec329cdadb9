"""The errors of probabilities, as reported by ``error``.

*Scores.* If the log weight of each structure has an error of at most δ (``LocalScores.rounding``), odds change by a
factor of at most e^(2δ), and probabilities by at most tanh(δ/2). This is a proved bound.

*Weights.* The logarithm s of a weight is multiplied by log2 e with a relative error of 2^-65, which changes the
weight by |s| 2^-65 of it. If structures with weights w ≤ 1 are drawn in proportion to w, the mean of −ln w is −ln Σw
plus the entropy, which is at most the log of the number of structures. This is a proved bound.

*Sums over orders* add and multiply positive numbers, so relative errors add up, and the number of roundings bounds the
error of a result. Edges are differences A(S) − A(S∖u) with an error of at most that of A(S); their shares add up to 1.

*Sums over DAGs* have terms of alternating sign. Their error is an estimate, from the disagreement of independent
computations of the total and from the rounding of the terms of the last sum. In tests against high precision it was at
least four times the true error.

*Totals over DAGs without probabilities* are not compared with anything, and the terms of the last sum do not show what
earlier sums have lost: if independent variables are all parents of the last one, nothing cancels in the last sum. An
error of H(S) changes the total by RR(V∖S) times as much, and H(S) RR(V∖S) is at most the total. The rounding error of
H(S) is about an epsilon of its terms, of which there are 2^|S|, each at most H(S). All errors together are thus at most
about 3^n epsilons, and typically 5^(n/2), because their signs differ. In tests against high precision, twice the former
was at least four times the true error.

*Samples over DAGs* are drawn by decisions between weights with terms of alternating sign. The kernel adds up the ratios
of the absolute values of the terms to their sums. Times the relative error of a term, which is that of H or of A, this
is an estimate of the error of the probability with which a sample is drawn. For H it is 5^(n/2) epsilons, as above. An
attempt that ends where no digit is left counts as wrong. *Samples over orders* have positive weights: the factors F
cancel but for their rounding, so that relative errors add up. This is a proved bound, except for families that are
drawn member by member, if any number of parents is allowed: there, the ratios of terms are added up, too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dagscape.core.errors import LostPrecision, argument
from dagscape.scores.tables.lattice import set_count


@dataclass(frozen=True, slots=True)
class SampleLoss:
    """By how much rounding errors are amplified in samples, on average (``sampling/draws.hpp`` of the kernels).

    Attributes
    ----------
    of_sets, of_families : float
        The sums of the absolute values of terms, relative to the sums of the terms: of those with numbers of sets, and
        of those with sums over families.
    repeated : float
        The number of attempts that ended where no digit was left.
    """

    of_sets: float
    of_families: float
    repeated: float


# Probabilities with a larger error have a warning.
LARGE_ERROR = 1e-3

_EPSILON = float(np.finfo(np.float64).eps)
# The relative error of log2 of a weight, which the kernels compute in integers.
_LOG_ERROR = 2.0**-65
# Tiled sums store packed numbers of 40 bits, rounded to nearest.
_PACKED_ROUNDING = 2.0**-41
# Sums over lists leave out rests below this part of them.
_REST_OF_LISTS = 2.0**-46

# Empirical, for sums over DAGs: the largest observed errors were 1.5 disagreements, where these were large.
_DISAGREEMENTS = 8
_TERM_ROUNDINGS = 2

# For these numbers of variables, totals are summed without the backward pass. With fewer, it takes so little time that
# it is worth its better estimate of the error; with more, the estimate without it would leave fewer than four digits of
# the total, which are enough for its logarithm.
_TOTALS_ALONE = range(17, 23)


def lost_precision(error: float, of_scores: float, over: str) -> LostPrecision | None:
    """Return a warning that says why the error of probabilities is large, and what helps; None if it is not.

    Parameters
    ----------
    error : float
        The error of the probabilities.
    of_scores : float
        The part of it that rounded scores have.
    over : str
        What was summed over.

    Examples
    --------
    >>> str(lost_precision(0.02, 0.02, "dags"))[:57]
    'the error of probabilities, up to 0.02, is that of scores'
    """
    if error <= LARGE_ERROR:
        return None
    if 2 * of_scores >= error:
        return LostPrecision(
            f"the error of probabilities, up to {error:.1g}, is that of scores and not of the sum: columns of numbers, "
            "or of levels that count as numbers, which copy or nearly determine each other leave few digits of a score",
            f"; leave out all but one of them ({argument('drop')})",
        )
    of_sum = f"the sum over {over} has an error of about {error:.1g}"
    if over != "dags":
        return LostPrecision(of_sum)
    return LostPrecision(
        f"{of_sum}, because terms of both signs cancel", f": use {argument('over', 'orders')}, where nothing cancels"
    )


def score_error(rounding: float) -> float:
    """Return a bound on the error of a probability if log weights have errors of up to ``rounding``."""
    return math.tanh(rounding / 2)


def dag_sum_error(n: int, disagreement: float, condition: float, log_total: float) -> float:
    """Return an estimate of the error of a sum over DAGs."""
    terms = _TERM_ROUNDINGS * _EPSILON * (condition + 1) * (n + 4)
    return _DISAGREEMENTS * disagreement + terms + weight_error(n, log_total)


def dag_total_error(n: int, condition: float, log_total: float) -> float:
    """Return an estimate of the relative error of a total over DAGs that was computed without probabilities."""
    return dag_sum_error(n, 0.0, condition, log_total) + 2 * _EPSILON * 3.0**n


def needs_no_backward_pass(n: int, wanted: str) -> bool:
    """Return whether the forward pass over the DAGs on n variables is enough for what is wanted (``Job.wanted``)."""
    return n in _TOTALS_ALONE if wanted == "total" else wanted == "log_total" and n >= _TOTALS_ALONE.start


def order_sum_error(n: int, log_total: float, *, weighted: bool = False) -> float:
    """Return a bound on the error of a dense sum over orders, which may have weights."""
    # An edge is a sum over 2^(n-2) sets, with half an epsilon for each addition.
    edges = math.ldexp(_EPSILON / 2, max(n - 2, 0))
    return 3 * _chain_error(n) + edges + 4 * _EPSILON + weight_error(n, log_total) + _order_weight_error(n, weighted)


def order_ancestors_error(n: int, log_total: float, *, weighted: bool = False) -> float:
    """Return a bound on the error of the ancestor relations of a sum over orders, which may have weights."""
    # The factors F(U∖v) / F(U) cancel but for F(V); the two parts of A_v, each with its error, cause as much again.
    # A relation is a sum over 2^(n-2) sets, with half an epsilon for each addition.
    additions = math.ldexp(_EPSILON / 2, max(n - 2, 0))
    arithmetic = 3 * _chain_error(n) + 8 * n * _EPSILON + additions + 4 * _EPSILON
    return arithmetic + weight_error(n, log_total) + _order_weight_error(n, weighted)


def _order_weight_error(n: int, weighted: bool) -> float:
    """Return the error that weights of orders add: n factors, each with a product, in a sum and in the total."""
    # Half an epsilon for the product, and one for the weight; the ratios of F in ancestor relations have them twice.
    return 6 * n * _EPSILON if weighted else 0.0


def tiled_order_sum_error(n: int, max_parents: int, log_total: float) -> float:
    """Return a bound on the error of a tiled sum over orders."""
    # F, R and the total are stored as packed numbers; a product of F and R involves n of them.
    packed = 2 * (n + 1) * _PACKED_ROUNDING
    # Γ is a sum over the variables, in a binary tree; an edge is a sum over the families that contain it.
    additions = n + set_count(n - 1, max(max_parents - 1, 0))
    return 3 * _chain_error(n) + packed + additions * _EPSILON + weight_error(n, log_total)


def dag_sample_error(n: int, loss: SampleLoss, log_total: float) -> float:
    """Return an estimate of the error of the probabilities with which DAGs are drawn."""
    terms = _EPSILON * (math.pow(5.0, n / 2) * loss.of_sets + n * loss.of_families)
    return terms + loss.repeated + weight_error(n, log_total)


def order_sample_error(n: int, max_parents: int | None, loss: SampleLoss, log_total: float) -> float:
    """Return a bound on the error of the probabilities with which orders and DAGs are drawn.

    If there is a limit on the number of parents, F are packed numbers, and A are sums over lists.
    """
    additions = n if max_parents is None else set_count(n - 1, max_parents)
    packed = 0.0 if max_parents is None else 2 * _PACKED_ROUNDING + 2 * _REST_OF_LISTS
    step = packed + _EPSILON * (additions + n + 4)
    return n * step + n * _EPSILON * loss.of_families + weight_error(n, log_total)


def _chain_error(n: int) -> float:
    """Return the relative error of a product of n weights A, each with a sum over variables: F(V), F(S) A(S) R(S∪v)."""
    weight = 1.5 + n / 2
    step = 0.5 + n / 2
    return _EPSILON * n * (weight + step)


def weight_error(n: int, log_total: float) -> float:
    """Return the error that rounded logarithms of weights cause."""
    structures = math.lgamma(n + 1) + math.log(2) * n * (n - 1) / 2
    return 2 * _LOG_ERROR * (structures - log_total)
