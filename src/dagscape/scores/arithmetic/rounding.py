"""Proved bounds on the rounding errors of scores, in nats.

A family's score is J(G ∪ {i}) − J'(G), two sums over cells, plus terms for the parents. The terms of a sum
are computed in fixed point with errors far below their last digit. They are rounded to a unit 2^guard times finer than
that of scores, and their sum is rounded once. Set functions bound these errors for the largest sets
(``cell_sums.py``); this module adds them up.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from dagscape.scores.arithmetic.fixed_point import Unit

if TYPE_CHECKING:
    from dagscape.scores.scoring_job import ScoringJob

EPSILON = float(np.finfo(np.float64).eps)

# The error of a logarithm in the kernels (``native/include/dagscape/numbers/fixed_log.hpp``).
LOG_ERROR = 2.0**-77

# The relative error, in epsilons, of a penalty or a log prior: a few operations in double precision.
SHORT_ULPS = 4


def network_rounding(job: ScoringJob) -> float:
    """Return a bound on the error of the score of any network, including its structure prior."""
    terms = job.data.n * term_rounding(job.unit, job.size_terms())
    return job.functions.rounding(job.unit) + terms + job.prior.rounding(job.unit, job.data.n, job.max_parents)


def term_rounding(unit: Unit, terms: Sequence[float]) -> float:
    """Return a bound on the error of numbers computed in double precision and rounded to a unit; zero is exact."""
    largest = max(map(abs, terms), default=0.0)
    return math.ldexp(0.5, -unit.bits) + SHORT_ULPS * EPSILON * largest if largest > 0 else 0.0


def unrecorded_rounding(unit: Unit, n: int) -> float:
    """Return a bound for lattice scores of version 0.1.0, which did not record one and rounded every cell.

    There are no more cells than rows, and the unit limits the number of rows: a function of m rows had room for at
    least m ln 2 nats, twice for each of n + 1 families.
    """
    rows = math.ldexp(1 / (math.log(2) * (n + 1)), 60 - unit.bits)
    return 2 * n * (rows + 1) * math.ldexp(1.0, -unit.bits)
