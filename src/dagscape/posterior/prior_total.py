"""The total prior weight of all structures.

If no family is impossible, weights depend only on numbers of parents, and sums only on numbers of variables. Let
a(u) = Σ_k C(u, k) w(k) be the total weight of a variable's families with parents from a set of u others. The totals are

    DAGs:    h(s) = −Σ_{t ≥ 1} (−1)^t C(s, t) a(s − t)^t h(s − t)          (Robinson's recurrence, for w = 1)
    orders:  n! Π_{u < n} a(u)

The arithmetic is exact, with rational numbers, because the signs alternate.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction


def log_prior_total(n: int, log_weights: Sequence[float], over: str) -> float:
    """Return the natural log of the total prior weight of all structures.

    Parameters
    ----------
    n : int
        The number of variables.
    log_weights : sequence of float
        The log prior weight of a family with 0, 1, … parents; more parents are impossible.
    over : {"dags", "orders"}
        What is summed over.

    Examples
    --------
    >>> round(math.exp(log_prior_total(4, [0.0] * 4, "dags")))
    543
    """
    # Exact from here on: only the weights themselves are rounded.
    weights = [Fraction(math.exp(log_weight)) for log_weight in log_weights]
    families = [
        sum((math.comb(others, k) * weight for k, weight in enumerate(weights)), start=Fraction(0))
        for others in range(n)
    ]
    if over == "orders":
        return _log(math.factorial(n) * math.prod(families, start=Fraction(1)))
    totals = [Fraction(1)]
    for size in range(1, n + 1):
        terms = (
            (-1) ** (sinks + 1) * math.comb(size, sinks) * families[size - sinks] ** sinks * totals[size - sinks]
            for sinks in range(1, size + 1)
        )
        totals.append(sum(terms, start=Fraction(0)))
    return _log(totals[n])


def _log(value: Fraction) -> float:
    return math.log(value.numerator) - math.log(value.denominator)
