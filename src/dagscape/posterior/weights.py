"""Local scores as the sums need them: one number for each variable and each set of the others."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dagscape.scores.fixed_point import IMPOSSIBLE
from dagscape.scores.local_scores import LocalScores

# In sums over DAGs two variables are the lanes of vectors.
_LEAST_VARIABLES = {"dags": 2, "orders": 1}


def family_weights(scores: LocalScores, over: str, *, prior_only: bool = False) -> NDArray[np.int64]:
    """The local scores of all families, in units, as an array of variables × sets of the others.

    A set is numbered by its bit mask with the variable's own bit taken out; ``IMPOSSIBLE`` stands where no such family
    is. Where a sum needs two variables, a single one gets an isolated companion, which changes nothing.

    Parameters
    ----------
    scores : LocalScores
        The scores.
    over : str
        What will be summed over.
    prior_only : bool
        Leave out the data: the weight of a possible family is its structure prior alone.
    """
    n = max(scores.n, _LEAST_VARIABLES[over])
    weights = np.full((n, 1 << (n - 1)), IMPOSSIBLE)
    for child in range(scores.n):
        row = scores.score_row(child)
        weights[child, : len(row)] = scores.prior_row(row) if prior_only else row
    weights[scores.n :, 0] = 0
    return weights
