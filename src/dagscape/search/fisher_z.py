r"""Fisher's z test of partial correlation, for variables that are jointly normal [fisher1924]_.

.. math:: z = \sqrt{m - |Z| - 3} \operatorname{artanh} |r_{XY·Z}|, \qquad p = 2 Φ(-z)

:math:`r_{XY·Z}` is the correlation of what linear regressions on *Z* leave of *X* and *Y*. It follows from the
correlations of all variables, so that after one pass over the rows a test costs :math:`O(|Z|^3)` or, for all *Y* and
many *Z* at once, :math:`O(|Z|^2)`: the members of *Z* are eliminated one after the other,

.. math:: r_{XY} ← r_{XY} - r_{XZ} r_{ZY} / r_{ZZ}.

A test is not made if :math:`m - |Z| - 3 < 1`. Columns that depend on each other linearly have rules of their own. A
member of *Z* of which the members before it leave less than 10⁻⁸ of its variance adds nothing, and does not count in
|Z|. If *Z* leaves less than 10⁻⁸ of the variance of *X* or of *Y*, it determines this variable, which is then
independent of all others given *Z*; so is a constant column. A correlation counts as 1 − 10⁻¹² at most, beyond which
the digits of *r* say nothing.

The correlations are those of exact sums (``scores/arithmetic/scatter.py``), and everything else is done for each test
alone, in a fixed order: no order of rows or columns changes a bit.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from dagscape.scores.arithmetic.scatter import scatter_of
from dagscape.search.elimination import eliminate, partial_correlations
from dagscape.search.max_min import INDEPENDENT, NOT_TESTED
from dagscape.search.tails import log_normal_tails

Floats = NDArray[np.float64]
Numbers = NDArray[np.intp]

# The least strength of dependence: with alpha near 1, even a p-value of 1 may show it.
_TINY = float(np.finfo(np.float64).tiny)


class FisherZ:
    """Fisher's z tests of the columns of a table.

    Parameters
    ----------
    values : ndarray of float64
        Rows × variables, without missing cells.
    alpha : float
        A p-value above it means independence.

    Examples
    --------
    >>> x, y, z = np.random.default_rng(0).normal(size=(3, 200))
    >>> tests = FisherZ(np.column_stack([x, x + y, x + z]), 0.05)
    >>> tests.associations(1, np.array([0, 2]), np.empty((1, 0), dtype=int)).round(1).tolist()
    [[64.1, 32.5]]
    >>> tests.associations(1, np.array([2]), np.array([[0]])).tolist()
    [[0.0]]
    """

    def __init__(self, values: NDArray[np.float64], alpha: float) -> None:
        self.n = values.shape[1]
        self._m, self._log_alpha = len(values), math.log(alpha)
        # Constant columns have no correlation with any, themselves included.
        self._correlations = np.nan_to_num(scatter_of(values).correlations, nan=0.0)

    def associations(self, target: int, candidates: Numbers, sets: Numbers) -> Floats:
        """Return the association of each candidate with a target given each set; see :class:`AssociationTests`."""
        columns = np.concatenate(([target], candidates))
        members = sets[:, :, np.newaxis]
        shares = np.tile(np.diagonal(self._correlations)[columns], (len(sets), 1))
        products = np.tile(self._correlations[target, candidates], (len(sets), 1))
        inside, across = self._correlations[members, sets[:, np.newaxis, :]], self._correlations[members, columns]
        pivots = eliminate(inside, across, shares, products)
        correlations = partial_correlations(shares, products)
        freedom = self._m - 3.0 - np.count_nonzero(~np.isnan(pivots), axis=1)
        z = np.sqrt(np.maximum(freedom, 0.0))[:, np.newaxis] * np.arctanh(np.abs(correlations))
        found = association(log_normal_tails(z), self._log_alpha)
        # What is constant given the set is independent, whatever alpha is.
        found[np.isnan(correlations)] = INDEPENDENT
        found[freedom < 1] = NOT_TESTED
        return found


def association(log_p: Floats, log_alpha: float) -> Floats:
    """Return associations from the logs of p-values.

    >>> association(np.log([0.5, 0.01]), math.log(0.05)).round(3).tolist()
    [0.0, 4.605]
    """
    return np.where(log_p > log_alpha, INDEPENDENT, np.maximum(-log_p, _TINY))
