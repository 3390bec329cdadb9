"""How far scores are from the exact ones, at most: proved bounds, in nats.

A family's score is J(G ∪ {i}) − J'(G), two sums over cells, and a term for the number of parents. Each sum is rounded
to the unit once, after its terms were rounded to a unit 2^guard times finer; the terms themselves are a few ulps of a
long double from the truth. Set functions count that for the largest sets (``cell_sums.py``); here it is added up.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from dagscape.scores.fixed_point import Unit

if TYPE_CHECKING:
    from dagscape.scores.scoring_job import ScoringJob

EPSILON = float(np.finfo(np.float64).eps)

# The relative error of a penalty or of a log prior, a few operations in double, in epsilons.
SHORT_ULPS = 4


def network_rounding(job: ScoringJob) -> float:
    """A bound on the error of the score of any network that a job scores, structure prior included."""
    return job.functions.rounding(job.unit) + job.data.n * term_rounding(job.unit, job.size_terms())


def term_rounding(unit: Unit, terms: Sequence[float]) -> float:
    """A bound on the error of numbers computed in double and then rounded to a unit; zero is exact."""
    largest = max(map(abs, terms), default=0.0)
    return math.ldexp(0.5, -unit.bits) + SHORT_ULPS * EPSILON * largest if largest > 0 else 0.0


def unrecorded_rounding(unit: Unit, n: int) -> float:
    """A bound for lattice scores of version 0.1.0, which did not record one and rounded every cell.

    There are no more cells than rows, and the unit says how many rows there can be: a function of m rows was given
    room for m ln 2 nats at least, twice for each of n + 1 families.
    """
    rows = math.ldexp(1 / (math.log(2) * (n + 1)), 60 - unit.bits)
    return 2 * n * (rows + 1) * math.ldexp(1.0, -unit.bits)
