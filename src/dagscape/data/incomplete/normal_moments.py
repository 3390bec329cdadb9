r"""The means and the covariance matrix of numbers with missing cells, by maximum likelihood.

Rows are taken as draws of one normal distribution. EM [dempster1977]_ repeats two steps: the expected values, squares
and products of the missing numbers of each row given its observed ones; and the moments of rows completed like that.
Rows with holes in the same places share one decomposition.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dagscape.data.discrete.rows import group_rows, pack_words
from dagscape.data.tables.numbers import Floats

# EM ends when no mean and no covariance of standardised columns moves by more.
_TOLERANCE = 1e-7
_MAX_ITERATIONS = 2000


class NormalMoments(NamedTuple):
    """The moments, and the rows by their holes.

    Attributes
    ----------
    mean, covariance : array
        The estimates.
    patterns : list of (array of bool, array of int)
        For each set of holes, the observed columns and the rows; there are no rows without numbers.
    """

    mean: Floats
    covariance: Floats
    patterns: list[tuple[npt.NDArray[np.bool_], npt.NDArray[np.intp]]]


def normal_moments(values: Floats, weights: npt.NDArray[np.int64]) -> NormalMoments | None:
    """Return the moments of rows, NaN where a cell is missing; None if they are singular.

    Examples
    --------
    >>> found = normal_moments(np.array([[0.0, 1.0], [1.0, 1.5], [2.0, 4.0], [3.0, np.nan]]), np.ones(4, dtype=int))
    >>> found.mean.round(3).tolist()
    [1.5, 2.917]
    """
    patterns = _patterns(~np.isnan(values))
    centre = np.array([np.average(column[~np.isnan(column)]) for column in values.T])
    scale = np.array([np.std(column[~np.isnan(column)]) for column in values.T])
    if not (scale > 0).all():
        return None
    standard, n = (values - centre) / scale, values.shape[1]
    mean, matrix = np.zeros(n), np.eye(n)
    for _ in range(_MAX_ITERATIONS):
        try:
            moved = _step(standard, weights, patterns, mean, matrix)
        except np.linalg.LinAlgError:
            return None
        far = max(float(np.abs(moved[0] - mean).max()), float(np.abs(moved[1] - matrix).max()))
        mean, matrix = moved
        if far <= _TOLERANCE:
            break
    if np.linalg.eigvalsh(matrix)[0] < _TOLERANCE:
        return None
    return NormalMoments(centre + scale * mean, matrix * np.outer(scale, scale), patterns)


def _step(
    values: Floats,
    weights: npt.NDArray[np.int64],
    patterns: list[tuple[npt.NDArray[np.bool_], npt.NDArray[np.intp]]],
    mean: Floats,
    matrix: Floats,
) -> tuple[Floats, Floats]:
    """Return the moments after one step of EM."""
    n = len(mean)
    filled, spread = np.where(np.isnan(values), 0.0, values), np.zeros((n, n))
    for seen, rows in patterns:
        hidden = ~seen
        if hidden.any():
            slopes = np.linalg.solve(matrix[np.ix_(seen, seen)], matrix[np.ix_(seen, hidden)])
            apart = values[np.ix_(rows, np.flatnonzero(seen))] - mean[seen]
            filled[np.ix_(rows, np.flatnonzero(hidden))] = mean[hidden] + apart @ slopes
            rest = matrix[np.ix_(hidden, hidden)] - matrix[np.ix_(hidden, seen)] @ slopes
            spread[np.ix_(hidden, hidden)] += weights[rows].sum() * rest
    used = np.concatenate([rows for _, rows in patterns])
    shares = weights[used] / weights[used].sum()
    mean = shares @ filled[used]
    apart = filled[used] - mean
    return mean, apart.T @ (apart * shares[:, np.newaxis]) + spread / weights[used].sum()


def _patterns(seen: npt.NDArray[np.bool_]) -> list[tuple[npt.NDArray[np.bool_], npt.NDArray[np.intp]]]:
    """Return the rows by which columns they have, without those that have none."""
    order, starts = group_rows(pack_words((seen[:, i], 2) for i in range(seen.shape[1])))
    groups = np.split(order, starts[1:])
    return [(seen[rows[0]], rows) for rows in groups if seen[rows[0]].any()]
