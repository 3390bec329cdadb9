r"""Gaussian elimination in many correlation matrices at once, for partial correlations and residual variances.

The members of a conditioning set are eliminated one after the other, :math:`r_{XY} ← r_{XY} - r_{XZ} r_{ZY} / r_{ZZ}`.
What is left on the diagonal is the share of its variance that a variable keeps. A member that keeps less than
:data:`LEAST_SHARE` depends linearly on those before it, and is passed over.

Each matrix is treated alone, element by element, so that its result does not depend on the others.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# The share of its variance that a variable must keep.
LEAST_SHARE = 1e-8

# The digits of correlations beyond it say nothing.
_MOST_CORRELATION = 1 - 1e-12


def eliminate(inside: Floats, across: Floats, shares: Floats, products: Floats | None = None) -> Floats:
    """Eliminate the members of sets; the arrays are changed in place.

    Parameters
    ----------
    inside : ndarray
        Matrices × members × members: the correlations of the members of each set.
    across : ndarray
        Matrices × members × others: their correlations with other variables.
    shares : ndarray
        Matrices × others: 1, or 0 for a constant variable; then the share of its variance that each of them keeps.
    products : ndarray, optional
        Matrices × (others − 1): the correlations of the first of the others with the rest; then the partial
        covariances, in the same unit.

    Returns
    -------
    ndarray
        Matrices × members: the share that each member keeps after those before it; NaN if it is passed over.

    Examples
    --------
    >>> shares = np.ones((1, 1))
    >>> eliminate(np.array([[[1.0, 0.6], [0.6, 1.0]]]), np.array([[[0.5], [0.0]]]), shares).round(12).tolist()
    [[1.0, 0.64]]
    >>> shares.round(12).tolist()
    [[0.609375]]
    """
    pivots = np.full(inside.shape[:2], np.nan)
    for j in range(inside.shape[1]):
        kept = inside[:, j, j]
        counts = kept > LEAST_SHARE
        pivots[counts, j] = kept[counts]
        inverse = np.where(counts, 1 / np.where(counts, kept, 1.0), 0.0)[:, np.newaxis]
        factors = inside[:, j + 1 :, j] * inverse
        scaled = across[:, j] * inverse
        shares -= scaled * across[:, j]
        if products is not None:
            products -= scaled[:, :1] * across[:, j, 1:]
        inside[:, j + 1 :, j + 1 :] -= factors[:, :, np.newaxis] * inside[:, j, np.newaxis, j + 1 :]
        across[:, j + 1 :] -= factors[:, :, np.newaxis] * across[:, j, np.newaxis, :]
    return pivots


def partial_correlations(shares: Floats, products: Floats) -> Floats:
    """Return the partial correlations of the first variable with the rest; NaN where one of the two keeps too little.

    >>> partial_correlations(np.array([[0.25, 0.25, 0.0]]), np.array([[0.125, 0.0]])).tolist()
    [[0.5, nan]]
    """
    kept = np.where(shares > LEAST_SHARE, shares, np.nan)
    found: Floats = products / np.sqrt(kept[:, :1] * kept[:, 1:])
    return np.clip(found, -_MOST_CORRELATION, _MOST_CORRELATION)
