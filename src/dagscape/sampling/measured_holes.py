r"""Missing cells of measured columns, drawn given a network: its regressions first, then the cells given these.

Given a DAG and a completed table, BGe's prior makes the regressions of different variables independent. With *R*, the
matrix of ``normal_wishart.py``, of a family of *l* variables (the child *v* and its parents *P*), and *m* rows,

.. math::

    σ^2 &\sim R_{vv.P} / χ^2_{m + α_w - n + l}, \qquad R_{vv.P} = R_{vv} - R_{vP} R_{PP}^{-1} R_{Pv}

    b \mid σ^2 &\sim N(R_{PP}^{-1} R_{Pv}, σ^2 R_{PP}^{-1})

    b_0 \mid b, σ^2 &\sim N(ν'_v - b^T ν'_P, σ^2 / (α_μ + m)), \qquad ν' = \frac{α_μ ν + m \bar x}{α_μ + m}

for the variance, the coefficients and the intercept [geiger2002]_. Given all regressions, with the coefficients *B* and
the variances *D*, the rows are independent and normal with the precision matrix :math:`K = (I - B)^T D^{-1} (I - B)`,
and the missing cells *M* of a row are normal with the precision :math:`K_{MM}` and the mean :math:`μ_M - K_{MM}^{-1}
K_{MO} (x_O - μ_O)`.

The prior's means and scales are those of the observed cells of each column, so that they do not change with what is
drawn. Columns are measured from these means, in these scales.

Cost of a draw: the rows times the square of the variables, and the cube of the missing cells of each row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagscape.data.continuous.numeric import NumericData
from dagscape.sampling.holes import Holes, Parents
from dagscape.scores.definitions.bge import STANDARDIZE
from dagscape.scores.definitions.normal_wishart import LEAST_WISHART, MEANS
from dagscape.scores.definitions.set_functions import ScoredData

Matrix = NDArray[np.float64]

# Numbers of the matrices of rows that are drawn at once.
_MOST_NUMBERS = 2**20


class MeasuredHoles(Holes):
    """The missing cells of a table of numbers.

    Parameters
    ----------
    data : NumericData
        The table.
    parameters : mapping
        The parameters of BGe.
    """

    def __init__(self, data: NumericData, parameters: Mapping[str, Any]) -> None:
        """Standardise the observed cells, and find the rows that lack equally many."""
        self._data = data
        self._missing = np.isnan(data.values)
        self._means, self._scales = observed_moments(data)
        self._cells = (data.values - self._means) / self._scales
        counts = self._missing.sum(axis=1)
        # Of rows that lack equally many cells: which rows, and which cells of each.
        self._groups = [
            (rows, np.nonzero(self._missing[rows])[1].reshape(len(rows), count))
            for count in np.unique(counts[counts > 0]).tolist()
            for rows in _pieces(np.flatnonzero(counts == count), max(1, _MOST_NUMBERS // count**2))
        ]
        self.count = int(self._missing.sum())
        self._alpha_mu = float(parameters["alpha_mu"])
        wishart = parameters["alpha_w"]
        # The degrees of freedom beyond the number of variables.
        self._freedom = 2.0 if wishart == LEAST_WISHART else float(wishart) - data.n
        t = self._alpha_mu * (self._freedom - 1) / (self._alpha_mu + 1)
        self._prior = np.full(data.n, t) if parameters["scale"] == STANDARDIZE else t / self._scales**2
        nu = parameters["nu"]
        self._nu = np.zeros(data.n) if nu == MEANS else (float(nu) - self._means) / self._scales

    @staticmethod
    def memory(data: ScoredData) -> int:
        """Return how many bytes the cells of a table and the work on them need."""
        return 64 * data.m * data.n + 64 * data.n**2 + 6 * 8 * _MOST_NUMBERS

    def fill(self, rng: np.random.Generator) -> None:
        """Draw each cell from a normal distribution with the mean and the variance of its column."""
        self._cells[self._missing] = rng.normal(size=self.count)

    @property
    def values(self) -> NDArray[np.float64]:
        """The missing cells, row by row, in units of their columns' scales."""
        return self._cells[self._missing]

    @values.setter
    def values(self, values: NDArray[np.float64]) -> None:
        self._cells[self._missing] = values

    def completed(self) -> NumericData:
        """Return the table with its present values."""
        values = np.where(self._missing, self._means + self._scales * self._cells, self._data.values)
        return replace(self._data, values=values)

    def draw(self, parents: Parents, rng: np.random.Generator) -> None:
        """Draw the regressions of a network, and all cells given these."""
        means, precision = self._joint(parents, rng)
        deviations = np.where(self._missing, 0.0, self._cells - means)
        for rows, lacking in self._groups:
            own = np.linalg.cholesky(precision[lacking[:, :, np.newaxis], lacking[:, np.newaxis, :]])
            pulled = np.take_along_axis(deviations[rows] @ precision, lacking, axis=1)
            cells = rng.normal(size=lacking.shape) - np.linalg.solve(own, pulled[..., np.newaxis])[..., 0]
            drawn = np.linalg.solve(own.transpose(0, 2, 1), cells[..., np.newaxis])[..., 0]
            self._cells[rows[:, np.newaxis], lacking] = means[lacking] + drawn

    def _joint(self, parents: Parents, rng: np.random.Generator) -> tuple[NDArray[np.float64], Matrix]:
        """Return the mean and the precision matrix of a row, by regressions drawn from their posterior."""
        m, n = self._cells.shape
        averages = self._cells.mean(axis=0)
        deviations, shift = self._cells - averages, averages - self._nu
        matrix = np.diag(self._prior) + deviations.T @ deviations
        matrix += m * self._alpha_mu / (m + self._alpha_mu) * np.outer(shift, shift)
        centres = (self._alpha_mu * self._nu + m * averages) / (self._alpha_mu + m)
        coefficients, intercepts, variances = np.zeros((n, n)), np.zeros(n), np.ones(n)
        for child, own in enumerate(parents):
            p = list(own)
            freedom = m + self._freedom + len(p) + 1
            factor = np.linalg.cholesky(matrix[np.ix_(p, p)])
            half = np.linalg.solve(factor, matrix[p, child]) if p else np.zeros(0)
            variances[child] = (matrix[child, child] - half @ half) / rng.chisquare(freedom)
            noise = np.sqrt(variances[child]) * rng.normal(size=len(p) + 1)
            if p:
                coefficients[child, p] = np.linalg.solve(factor.T, half + noise[1:])
            intercepts[child] = centres[child] - coefficients[child, p] @ centres[p]
            intercepts[child] += noise[0] / np.sqrt(self._alpha_mu + m)
        left = np.eye(n) - coefficients
        means = np.asarray(np.linalg.solve(left, intercepts), dtype=np.float64)
        return means, left.T @ (left / variances[:, np.newaxis])


def _pieces(rows: NDArray[np.intp], size: int) -> list[NDArray[np.intp]]:
    return [rows[start : start + size] for start in range(0, len(rows), size)]


def observed_moments(data: NumericData) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the means and standard deviations of the observed cells of each column."""
    return np.nanmean(data.values, axis=0), np.nanstd(data.values, axis=0, ddof=1)


def prior_rows(data: NumericData) -> NumericData:
    """Return two rows whose means and variances are those of the observed cells, for the prior of BGe.

    >>> import pandas as pd
    >>> data = NumericData.from_frame(pd.DataFrame({"x": [1.0, 2.0, 3.0, None]}), missing="keep")
    >>> rows = prior_rows(data)
    >>> rows.values.mean().round(9), rows.values.var(ddof=1).round(9)
    (np.float64(2.0), np.float64(1.0))
    """
    means, scales = observed_moments(data)
    return replace(
        data, values=np.stack([means - scales / np.sqrt(2), means + scales / np.sqrt(2)]), interventions=None
    )
