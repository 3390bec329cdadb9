"""The rows of a mixed table by the states of some of its discrete variables: counts, means and covariances.

Tests of many pairs ask for the same cells, so that these are kept, up to a limit on memory. Rows and columns are put
into an order that is a matter of the data alone, that of the columns' names: sums of floats depend on it.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from dagscape.data.mixed.mixed import MixedData

Floats = NDArray[np.float64]
Numbers = NDArray[np.intp]

# What the moments of cells that are kept may take.
KEPT_BYTES = 1 << 26

# A column varies in a cell if its variance there is larger than this share of that in all rows.
_LEAST_VARIANCE = 1e-20


@dataclass(frozen=True, slots=True)
class Moments:
    """Counts, means and covariances (divided by the counts) of some columns in each of some cells."""

    counts: Floats
    means: Floats
    covariances: Floats

    def take(self, cells: NDArray[np.bool_], columns: Sequence[int]) -> Self:
        """Return those of some cells and columns."""
        chosen = np.array(columns, dtype=np.intp)
        covariances = self.covariances[cells][:, chosen[:, np.newaxis], chosen]
        return type(self)(self.counts[cells], self.means[cells][:, chosen], covariances)

    def merged(self, groups: Numbers) -> Self:
        """Return the moments of groups of cells, which are numbered from 0.

        >>> two = Moments(np.array([1.0, 3.0]), np.array([[0.0], [4.0]]), np.zeros((2, 1, 1)))
        >>> two.merged(np.array([0, 0]))
        Moments(counts=array([4.]), means=array([[3.]]), covariances=array([[[3.]]]))
        """
        order = np.argsort(groups, kind="stable")
        starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
        counts = np.add.reduceat(self.counts[order], starts)
        weights = (self.counts / counts[groups])[:, np.newaxis]
        means = np.add.reduceat((weights * self.means)[order], starts, axis=0)
        away = self.means - means[groups]
        spread = self.covariances + away[:, :, np.newaxis] * away[:, np.newaxis, :]
        covariances = np.add.reduceat((weights[:, :, np.newaxis] * spread)[order], starts, axis=0)
        return type(self)(counts, means, covariances)

    def correlations(self) -> tuple[Floats, Floats]:
        """Return the correlation matrices, with zeros for constant columns, and the variances."""
        variances = np.diagonal(self.covariances, axis1=1, axis2=2).copy()
        varies = variances > _LEAST_VARIANCE
        scales = np.where(varies, 1 / np.sqrt(np.where(varies, variances, 1.0)), 0.0)
        found = self.covariances * scales[:, :, np.newaxis] * scales[:, np.newaxis, :]
        columns = np.arange(variances.shape[1])
        found[:, columns, columns] = varies
        return found, variances


@dataclass(frozen=True, slots=True)
class Cells:
    """The states of some discrete variables that occur.

    Attributes
    ----------
    sizes : tuple of int
        The number of levels of each of these variables.
    codes : ndarray of int
        The number of each state, in ascending order.
    counts : ndarray of float64
        Its rows.
    """

    sizes: tuple[int, ...]
    codes: Numbers
    counts: Floats

    def groups(self, variables: Sequence[int]) -> Numbers:
        """Return, for each state, the number of the state of some of the variables, given by their places.

        >>> Cells((2, 2), np.array([0, 2, 3]), np.ones(3)).groups([1])
        array([0, 0, 1])
        """
        if not variables:
            return np.zeros(len(self.codes), dtype=np.intp)
        levels = np.unravel_index(self.codes, self.sizes)
        joint = np.ravel_multi_index([levels[v] for v in variables], [self.sizes[v] for v in variables])
        return np.unique(joint, return_inverse=True)[1]


class MixedRows:
    """The rows of mixed data, ready to be sorted into cells. Variables have the numbers of the data.

    Parameters
    ----------
    data : MixedData
        The data, without missing cells.
    """

    def __init__(self, data: MixedData) -> None:
        order = sorted(range(data.n), key=lambda i: data.variables[i])
        values = data.values[:, order]
        values = values[np.lexsort(values.T[::-1])]
        self.m, self.n = values.shape
        self.is_discrete = np.asarray(data.is_discrete)
        self.level_counts = tuple(data.level_counts)
        # The place of each variable among the discrete or among the measured ones, in the order of names.
        self.places = np.empty(self.n, dtype=np.intp)
        for kind in (False, True):
            alike = [v for v in order if self.is_discrete[v] == kind]
            self.places[alike] = np.arange(len(alike))
        discrete = self.is_discrete[order]
        self._levels = np.ascontiguousarray(values[:, discrete].T.astype(np.intp))
        self._sizes = [self.level_counts[v] for v in order if self.is_discrete[v]]
        self._measured = _standardised(values[:, ~discrete])
        self._cells: OrderedDict[tuple[int, ...], Cells] = OrderedDict()
        self._moments: OrderedDict[tuple[int, ...], Moments] = OrderedDict()

    def joint_size(self, variables: Sequence[int]) -> int:
        """Return the number of joint states of discrete variables, given by their places."""
        return math.prod(self._sizes[place] for place in variables)

    def cells(self, variables: tuple[int, ...]) -> Cells:
        """Return the states of discrete variables, given by their places in ascending order, that occur."""
        if variables not in self._cells:
            sizes = tuple(self._sizes[place] for place in variables)
            counts = np.bincount(self._states(variables), minlength=1)
            codes = np.flatnonzero(counts)
            self._cells[variables] = Cells(sizes, codes, counts[codes].astype(np.float64))
            _limit(self._cells, KEPT_BYTES // (16 * self.m))
        return self._cells[variables]

    def moments(self, variables: tuple[int, ...]) -> Moments:
        """Return the moments of all measured columns in these cells."""
        if variables not in self._moments:
            found = self._computed(variables)
            self._moments[variables] = found
            _limit(self._moments, KEPT_BYTES // found.covariances.nbytes)
        return self._moments[variables]

    def _states(self, variables: tuple[int, ...]) -> Numbers:
        """Return the number of the state of each row."""
        if not variables:
            return np.zeros(self.m, dtype=np.intp)
        sizes = [self._sizes[place] for place in variables]
        found: Numbers = np.ravel_multi_index([self._levels[place] for place in variables], sizes)
        return found

    def _computed(self, variables: tuple[int, ...]) -> Moments:
        counts = self.cells(variables).counts
        rows = self._measured[np.argsort(self._states(variables), kind="stable")]
        starts = np.concatenate(([0], np.cumsum(counts)[:-1])).astype(np.intp)
        means = np.add.reduceat(rows, starts, axis=0) / counts[:, np.newaxis]
        rows -= np.repeat(means, counts.astype(np.intp), axis=0)
        covariances = np.empty((len(counts), rows.shape[1], rows.shape[1]))
        for i in range(rows.shape[1]):
            # Products of matrices would start threads for as little as this.
            found = np.add.reduceat(rows[:, i, np.newaxis] * rows[:, i:], starts, axis=0) / counts[:, np.newaxis]
            covariances[:, i, i:] = covariances[:, i:, i] = found
        return Moments(counts, means, covariances)


def _limit(kept: OrderedDict[tuple[int, ...], Any], most: int) -> None:
    """Forget the oldest entries beyond a number, but not the newest one."""
    while len(kept) > max(most, 1):
        kept.popitem(last=False)


def _standardised(columns: Floats) -> Floats:
    """Return columns of mean 0 and variance 1; constant ones are 0."""
    # Numbers below 1 do not overflow.
    _, exponents = np.frexp(np.abs(columns).max(axis=0, initial=0.0))
    away = np.ldexp(columns, -exponents)
    away -= away.mean(axis=0)
    away[:, columns.min(axis=0) == columns.max(axis=0)] = 0.0
    deviations = np.sqrt(np.square(away).mean(axis=0))
    found: Floats = away / np.where(deviations > 0, deviations, 1.0)
    return found
