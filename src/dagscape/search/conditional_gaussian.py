r"""The likelihood-ratio test of independence in conditional Gaussian data, for mixed tables [lauritzen1989]_.

In a conditional Gaussian distribution, the measured variables are jointly normal in each state of the discrete ones,
with means and covariances of their own. The largest log-likelihood of a set of variables with discrete part *Δ* and
measured part *Γ* is, up to terms that cancel,

.. math:: ℓ(Δ ∪ Γ) = \sum_i n_i \Bigl(\ln \frac{n_i}{m} - \frac{1}{2} \ln |Σ_i|\Bigr)

over the states *i* of *Δ*, with :math:`Σ_i` the covariance matrix of *Γ* in its :math:`n_i` rows. The statistic, 2 m
times the estimated mutual information, and its degrees of freedom are

.. math:: 2 \bigl(ℓ(XYZ) - ℓ(XZ) - ℓ(YZ) + ℓ(Z)\bigr), \qquad d(XYZ) - d(XZ) - d(YZ) + d(Z)

where *d* counts parameters, and the p-value is that of χ². They are symmetric in *X* and *Y*, and sums over the states
*z* of the discrete part of *Z*. In each of these, what they say depends on the kinds of *X* and *Y*:

- both measured: :math:`-(n_z - |Z| - 2.5) \ln(1 - r^2)`, 1 degree, with *r* the correlation of what regressions
  on the measured part of *Z* leave of both;
- *X* discrete, *Y* measured: the regressions of *Y* on the measured part of *Z*, one for each level of *X*, with
  variances of their own, against a single one;
- both discrete: G² and, given measured variables, the same comparison for the normal distributions of these. That the
  distributions in joint states are normal does not make those in states of *X* or of *Y* alone normal, so that here the
  p-value is only approximate: where a measured variable is the common cause of both, independence given it is rejected
  too often, the more so the more rows there are. A negative statistic shows independence.

Corrections for few rows. The statistic is larger than χ² on average, so that p-values would be too small. Those of
measured variables have the factors of [bartlett1937]_, in each state *z*. For two measured variables, the factor
:math:`(n_z - |Z| - 2.5) / n_z` is in the formula above, with :math:`|Z|` the number of measured members of *Z* that do
not depend linearly on others. For a discrete and a measured one, it is the number of degrees of freedom divided by the
mean of the statistic under independence, which is exact: twice the log-likelihood of a regression on *p* variables in
*n* rows has, up to terms that cancel, the mean

.. math:: -n \Bigl(ψ\Bigl(\frac{n - p - 1}{2}\Bigr) + \ln \frac 2n\Bigr)

with ψ the digamma function. Two discrete variables have no correction, as in G² tests.

Rules for few rows. A test is made only with at least ``rows_per_cell`` rows for each joint state of the discrete
variables and each of *k* + 1 parameters, where *k* of the variables *X*, *Y* and *Z* are measured; without any, that is
the rule of G² tests. States with fewer rows than ``rows_per_cell`` (*k* + 1), or *k* + 2, are left out: states of the
discrete part of *Z*; for discrete *X* and measured *Y*, states of *X* and *Z*, because independence given *Z* says the
same of any part of the levels of *X*; and for discrete *X* and *Y* given measured variables, those states of *Z* in
which a joint state has too few. A test of which nothing is left is not made. Levels that do not occur with a state of
*Z* have no parameters.

Rules for linear dependence are those of :mod:`dagscape.search.fisher_z`, in each state. Variances in the states of *X*
and *Y* count as 10⁻⁸ of that in the state of *Z* at least, so that statistics are finite.

The idea is that of the test ``mi-cg`` of bnlearn [scutari2010]_, whose values differ in details: here all variances are
those of maximum likelihood, and two discrete variables given measured ones have the formula above.

Notation: *X* and *Y* are the target and a candidate, *Z* the set.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dagscape.data.mixed.mixed import MixedData
from dagscape.search.elimination import LEAST_SHARE, eliminate, partial_correlations
from dagscape.search.fisher_z import association
from dagscape.search.max_min import INDEPENDENT, NOT_TESTED
from dagscape.search.mixed_cells import Cells, MixedRows, Moments
from dagscape.search.tails import log_chi_square_tails

Floats = NDArray[np.float64]
Numbers = NDArray[np.intp]

# A statistic, and its degrees of freedom: NaN if the test is not made, 0 if nothing can depend.
Statistic = tuple[Floats | float, Floats | float]

_NOT_MADE = (0.0, math.nan)
_NOTHING_DEPENDS = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class _Given:
    """A set to condition on: its discrete and its measured variables, by their places, in ascending order."""

    discrete: tuple[int, ...]
    measured: tuple[int, ...]


class ConditionalGaussianTests:
    """Likelihood-ratio tests of the variables of mixed data.

    Parameters
    ----------
    data : MixedData
        The data, without missing cells.
    alpha : float
        A p-value above it means independence.
    rows_per_cell : int
        The rows that a test needs for each parameter of each joint state.
    """

    def __init__(self, data: MixedData, alpha: float, rows_per_cell: int) -> None:
        self._rows, self._log_alpha, self._rows_per_cell = MixedRows(data), math.log(alpha), rows_per_cell
        self.n = data.n

    def associations(self, target: int, candidates: Numbers, sets: Numbers) -> Floats:
        """Return the association of each candidate with a target given each set; see :class:`AssociationTests`."""
        statistics, freedom = np.zeros((2, len(sets), candidates.size))
        for i, members in enumerate(sets.tolist()):
            statistics[i], freedom[i] = self.statistics(target, candidates, members)
        found = np.full(statistics.shape, INDEPENDENT)
        found[np.isnan(freedom)] = NOT_TESTED
        made = freedom > 0
        found[made] = association(log_chi_square_tails(statistics[made], freedom[made]), self._log_alpha)
        return found

    def statistics(self, target: int, candidates: Numbers, members: Sequence[int]) -> tuple[Floats, Floats]:
        """Return the statistics of tests of candidates and a target given a set, and their degrees of freedom."""
        kinds, places = self._rows.is_discrete, self._rows.places
        given = _Given(
            tuple(sorted(int(places[v]) for v in members if kinds[v])),
            tuple(sorted(int(places[v]) for v in members if not kinds[v])),
        )
        statistics, freedom = np.zeros((2, candidates.size))
        measured, place = ~kinds[candidates], int(places[target])
        if measured.any():
            # In the order of places, so that the order of the candidates changes no bit.
            chosen = np.flatnonzero(measured)
            chosen = chosen[np.argsort(places[candidates[chosen]])]
            test = self._discrete_and_measured if kinds[target] else self._both_measured
            statistics[chosen], freedom[chosen] = test(place, places[candidates[chosen]], given)
        for i in np.flatnonzero(~measured):
            other = int(places[candidates[i]])
            if kinds[target]:
                statistics[i], freedom[i] = self._both_discrete(place, other, given)
            else:
                one, degrees = self._discrete_and_measured(other, places[[target]], given)
                statistics[i], freedom[i] = np.ravel(one)[0], np.ravel(degrees)[0]
        return statistics, freedom

    def _is_possible(self, discrete: Sequence[int], measured: int) -> bool:
        """Whether there are rows enough for a test with these discrete and so many measured variables."""
        return bool(self._rows.m >= self._rows_per_cell * self._rows.joint_size(discrete) * (measured + 1))

    def _fewest(self, measured: int) -> int:
        """Return the rows that a state needs in a test with so many measured variables."""
        return max(self._rows_per_cell * (measured + 1), measured + 2)

    def _both_measured(self, first: int, others: Numbers, given: _Given) -> Statistic:
        size = len(given.measured)
        if not self._is_possible(given.discrete, size + 2):
            return _NOT_MADE
        enough = self._rows.cells(given.discrete).counts >= self._fewest(size + 2)
        if not enough.any():
            return _NOT_MADE
        columns = [*given.measured, first, *others]
        moments = self._rows.moments(given.discrete).take(enough, columns)
        matrices, _ = moments.correlations()
        shares = np.diagonal(matrices, axis1=1, axis2=2)[:, size:].copy()
        products = matrices[:, size, size + 1 :].copy()
        pivots = eliminate(matrices[:, :size, :size], matrices[:, :size, size:], shares, products)
        found = partial_correlations(shares, products)
        varies = ~np.isnan(found)
        # At least 1.5, by the rules for few rows.
        counts = moments.counts - _ranks(pivots) - 2.5
        terms = -counts[:, np.newaxis] * np.log1p(-np.square(np.where(varies, found, 0.0)))
        return terms.sum(axis=0), _of_what_is_left(varies.sum(axis=0, dtype=np.float64), enough)

    def _discrete_and_measured(self, discrete: int, others: Numbers, given: _Given) -> Statistic:
        size, variables = len(given.measured), tuple(sorted([discrete, *given.discrete]))
        if not self._is_possible(variables, size + 1):
            return _NOT_MADE
        cells = self._rows.cells(variables)
        strata = cells.groups([place for place, v in enumerate(variables) if v != discrete])
        enough = cells.counts >= self._fewest(size + 1)
        # With a single level of X there is nothing to compare.
        compared = enough & (np.bincount(strata, enough)[strata] > 1)
        if not compared.any():
            return _NOTHING_DEPENDS if enough.all() else _NOT_MADE
        moments = self._rows.moments(variables).take(compared, [*given.measured, *others])
        groups = np.unique(strata[compared], return_inverse=True)[1]
        pooled = moments.merged(groups)
        (all_variances, all_ranks), (variances, ranks) = (_residuals(found, size) for found in (pooled, moments))
        varies = all_variances > 0
        variances = np.maximum(variances, LEAST_SHARE * all_variances[groups])
        all_logs = np.log(np.where(varies, all_variances, 1.0))
        logs = np.log(np.where(varies[groups], variances, 1.0))
        degrees = np.bincount(groups, ranks + 2) - (all_ranks + 2)
        terms = pooled.counts[:, np.newaxis] * all_logs
        np.subtract.at(terms, groups, moments.counts[:, np.newaxis] * logs)
        apart = np.bincount(groups, _mean_likelihoods(moments.counts, ranks))
        means = apart - _mean_likelihoods(pooled.counts, all_ranks)
        # What is determined in some of the states alone may have no degrees.
        corrected = means > np.maximum(degrees, 0.0)
        factors = np.where(corrected, degrees / np.where(corrected, means, 1.0), 1.0)
        return factors @ terms, _of_what_is_left(degrees @ varies, enough)

    def _both_discrete(self, first: int, second: int, given: _Given) -> Statistic:
        size, variables = len(given.measured), tuple(sorted([first, second, *given.discrete]))
        if not self._is_possible(variables, size):
            return _NOT_MADE
        cells = self._rows.cells(variables)
        strata = cells.groups([place for place, v in enumerate(variables) if v not in (first, second)])
        kept = np.ones(cells.counts.size, dtype=np.bool_)
        if size:
            few = np.bincount(strata, cells.counts < self._fewest(size))
            kept = few[strata] == 0
            if not kept.any():
                return _NOT_MADE
        chosen = Cells(cells.sizes, cells.codes[kept], cells.counts[kept])
        by_first, by_second, by_both = (
            chosen.groups([place for place, v in enumerate(variables) if v not in left_out])
            for left_out in ((second,), (first,), (first, second))
        )
        levels = [np.bincount(by_both[np.unique(side, return_index=True)[1]]) for side in (by_first, by_second)]
        degrees = np.prod([found - 1.0 for found in levels], axis=0)
        sides = [(chosen.counts, 1)] + [(np.bincount(g, chosen.counts), -1) for g in (by_first, by_second)]
        sides.append((np.bincount(by_both, chosen.counts), 1))
        statistic = 2 * math.fsum(sign * math.fsum(counts * np.log(counts)) for counts, sign in sides)
        if not size:
            return statistic, degrees.sum()
        moments = self._rows.moments(variables).take(kept, given.measured)
        logs, ranks = _log_determinants(moments, by_first, by_second, by_both)
        joint = np.bincount(by_both) - levels[0] - levels[1] + 1.0
        degrees += ranks * (ranks + 3) / 2 * np.maximum(joint, 0.0)
        # Where only one level of X or Y occurs with a state of Z, all terms cancel.
        return statistic + logs, _of_what_is_left(degrees @ (np.minimum(*levels) > 1), kept)


def _of_what_is_left(degrees: Floats, kept: NDArray[np.bool_]) -> Floats:
    """Return degrees of freedom, NaN where nothing can depend in the states that are kept, but not all are."""
    return np.where((degrees > 0) | kept.all(), degrees, np.nan)


def _residuals(moments: Moments, size: int) -> tuple[Floats, Floats]:
    """Return the variances that regressions on the first columns leave of the others, and the ranks of the first.

    A variance is 0 if the first columns determine the variable.
    """
    matrices, variances = moments.correlations()
    shares = np.diagonal(matrices, axis1=1, axis2=2)[:, size:].copy()
    pivots = eliminate(matrices[:, :size, :size], matrices[:, :size, size:], shares)
    left = np.where(shares > LEAST_SHARE, shares * variances[:, size:], 0.0)
    return left, _ranks(pivots)


def _ranks(pivots: Floats) -> Floats:
    """Return how many members of each set do not depend linearly on those before them."""
    found: Floats = np.count_nonzero(~np.isnan(pivots), axis=1).astype(np.float64)
    return found


def _mean_likelihoods(counts: Floats, ranks: Floats) -> Floats:
    """Return the mean of -n ln(RSS / n) of regressions with normal errors of variance 1.

    >>> _mean_likelihoods(np.array([1000.0]), np.array([3.0])).round(2).tolist()
    [5.01]
    """
    from scipy.special import psi

    found: Floats = -counts * (psi((counts - ranks - 1) / 2) + np.log(2 / counts))
    return found


def _log_determinants(moments: Moments, first: Numbers, second: Numbers, both: Numbers) -> tuple[float, Floats]:
    """Return the part of the normal distributions in the statistic of two discrete variables, and the ranks by state.

    Columns that depend linearly on others in a state of Z are left out there.
    """
    pooled = moments.merged(both)
    least, kept = _pivots(pooled)
    total = float(pooled.counts @ np.where(kept, np.log(np.where(kept, least, 1.0)), 0.0).sum(axis=1))
    found = -total
    for groups, sign in ((first, 1), (second, 1), (np.arange(len(both)), -1)):
        part = moments.merged(groups)
        states = both[np.unique(groups, return_index=True)[1]]
        floors = np.where(kept, LEAST_SHARE * least, 1.0)[states]
        variances, varies = _pivots(part)
        logs = np.log(np.where(kept[states], np.maximum(np.where(varies, variances, 0.0), floors), 1.0))
        found += sign * float(part.counts @ logs.sum(axis=1))
    return found, kept.sum(axis=1).astype(np.float64)


def _pivots(moments: Moments) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the variance that each column keeps after those before it, and whether it keeps enough of it."""
    matrices, variances = moments.correlations()
    nothing = np.empty((len(matrices), matrices.shape[1], 0))
    pivots = eliminate(matrices, nothing, np.empty((len(matrices), 0)))
    kept = ~np.isnan(pivots)
    return np.where(kept, pivots * variances, 0.0), kept
