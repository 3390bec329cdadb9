r"""Gaussian BIC: linear regressions with normal errors, minus half the log of the number of rows for each parameter.

.. math:: local\_score(i, G) = -\frac{m}{2} \ln(2π σ^2) - \frac{RSS}{2 σ^2} - \frac{\ln m}{2} (p + 2),
          \qquad σ^2 = \frac{RSS}{m - p - 1}

*RSS* is the residual sum of squares of the regression of *i* on its *p* parents *G*, with an intercept, so that
:math:`RSS = |S_{G ∪ i}| / |S_G|` for the scatter matrix *S* about the means. All other terms depend on *p* alone. The
score is therefore a difference of one function of sets, and Markov-equivalent networks score alike:

.. math:: J(S) = -\frac{m}{2} \ln |S_S| + \sum_{p < |S|} c(p), \quad
          c(p) = -\frac{m}{2} (\ln 2π - \ln(m - p - 1)) - \frac{m - p - 1}{2} - \frac{\ln m}{2} (p + 2)

The unbiased variance, and p + 2 parameters (intercept, coefficients, variance), are those of bnlearn [scutari2010]_.
A family needs p + 2 rows; with fewer it is impossible. *m* is the number of rows without those in which an experiment
set the child; a variable with fewer than two such rows is not scored: all its families are worth 0.

Equivalent networks have identical scores, because the value of a set is rounded once. It is computed in double
precision, in the order of the columns: with the columns in another order, or for columns that are alike by symmetry,
scores may differ by up to ``rounding``.

Cost: one elimination of a |S| × |S| matrix for each set.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dagscape.core.errors import InvalidData, argument
from dagscape.data.continuous.numeric import NumericData
from dagscape.scores.arithmetic.fixed_point import Unit
from dagscape.scores.arithmetic.logarithms import natural_log
from dagscape.scores.arithmetic.rounding import EPSILON
from dagscape.scores.arithmetic.scatter import MOST_ROWS, Scatter, scatter_of
from dagscape.scores.definitions.batches import BatchedFunctions
from dagscape.scores.definitions.definition import ScoreDefinition
from dagscape.scores.definitions.set_functions import ScoreFacts
from dagscape.scores.tables.lattice import Members

# Columns are linearly dependent if their correlation matrix has a lower eigenvalue.
_LEAST_EIGENVALUE = 1e-8

_LOG_TWO_PI = natural_log(2.0 * math.pi)


@dataclass(frozen=True, slots=True)
class _Function:
    """One set function: the scatter of the rows that some children's families are fitted to."""

    scatter: Scatter
    offsets: tuple[float, ...]
    least_eigenvalue: float
    checked: bool


class GaussianBic(BatchedFunctions):
    """The set functions of the Gaussian BIC."""

    def __init__(self, data: NumericData, facts: ScoreFacts) -> None:
        """Compute the scatter matrices; children that are fitted to the same rows share one."""
        if data.m > MOST_ROWS:
            raise InvalidData(f"the data have {data.m:,} rows; the Gaussian BIC takes up to {MOST_ROWS:,}")
        self.n, self.max_size = data.n, facts.max_size
        self._variables, self._every_row = data.variables, data.interventions is None
        self._of_set_rows = facts.of_set_rows
        children = [facts.fitted_rows(data.interventions, data.m, i) for i in range(data.n)]
        numbers: dict[bytes, int] = {}
        self._functions: list[_Function | None] = []
        for i, rows in enumerate(children):
            if rows.tobytes() not in numbers:
                numbers[rows.tobytes()] = len(numbers)
                self._functions.append(self._function(data.values[rows], i))
        self.count = len(numbers)
        self.joint = self.base = tuple(numbers[rows.tobytes()] for rows in children)
        self.bound = max(map(self._bound_of, self._functions))

    def _function(self, values: NDArray[np.float64], child: int) -> _Function | None:
        if len(values) < 2:
            return None
        scatter = scatter_of(values)
        if constant := [i for i in range(self.n) if scatter.logs[i] == -math.inf]:
            raise self._constant(constant[0], child)
        correlations = scatter.correlations - np.eye(self.n)
        worst = np.unravel_index(int(np.abs(correlations).argmax()), correlations.shape)
        # With two rows, all pairs are dependent, and impossible.
        if self.max_size > 1 and len(values) > 2 and abs(correlations[worst]) > 1 - _LEAST_EIGENVALUE:
            raise self._dependent(worst, len(values))
        least = float(np.linalg.eigvalsh(scatter.correlations)[0]) - self.n * self.n * (EPSILON + scatter.error)
        checked = least < _LEAST_EIGENVALUE
        offsets = _offsets(scatter.rows, self.max_size)
        return _Function(scatter, offsets, _LEAST_EIGENVALUE if checked else least, checked)

    def values(self, function: int, sets: Members) -> NDArray[np.float64]:
        """Return the values of a function for sets of one size."""
        found, size = self._functions[function], sets.shape[1]
        if found is None:
            return np.zeros(len(sets))
        if size >= found.scatter.rows:
            return np.full(len(sets), -np.inf)
        logs = np.zeros(len(sets))
        for column in range(size):
            logs += found.scatter.logs[sets[:, column]]
        matrices = found.scatter.correlations[sets[:, :, None], sets[:, None, :]]
        if found.checked and size > 1:
            eigenvalues = np.linalg.eigvalsh(matrices)[:, 0]
            if eigenvalues.min() < _LEAST_EIGENVALUE:
                raise self._dependent(sets[int(eigenvalues.argmin())], found.scatter.rows)
        return -found.scatter.rows / 2 * (logs + _log_determinants(matrices)) + found.offsets[size]

    def rounding(self, unit: Unit) -> float:
        """Return a bound on the total error of the functions of all children, each at its worst set, in nats."""
        return math.fsum(
            self._function_rounding(self._functions[number], unit, size)
            for numbers, size in ((self.joint, self.max_size), (self.base, self.max_size - 1))
            for number in numbers
        )

    def _function_rounding(self, function: _Function | None, unit: Unit, size: int) -> float:
        half_unit = math.ldexp(0.5, -unit.bits)
        if function is None:
            return 0.0
        # Larger sets are impossible, and a single variable has the determinant 1.
        size = min(size, function.scatter.rows - 1)
        least = function.least_eigenvalue if size > 1 else 1.0
        # Elimination of a positive definite matrix with a unit diagonal is exact for a matrix that differs by this much
        # in each entry; the log of a determinant then changes by at most the trace of the inverse times the change. The
        # factor 2 covers terms of second order, and the errors of the logs of the columns' own scatter.
        entry = function.scatter.error + 3 * (size + 1) * EPSILON
        determinant = 2 * size * size * entry / least
        operations = (size + 8) * EPSILON * self._bound_of(function)
        return half_unit + function.scatter.rows / 2 * determinant + operations

    def _bound_of(self, function: _Function | None) -> float:
        """Return a bound on the absolute value of a function."""
        if function is None:
            return 0.0
        largest = math.fsum(sorted(np.abs(function.scatter.logs).tolist(), reverse=True)[: self.max_size])
        determinant = self.max_size * abs(natural_log(_LEAST_EIGENVALUE))
        return function.scatter.rows / 2 * (largest + determinant) + max(map(abs, function.offsets))

    def _constant(self, variable: int, child: int) -> InvalidData:
        condition = "was set" if self._of_set_rows else "was not set"
        where = "" if self._every_row else f" in which {self._variables[child]!r} {condition}"
        remedy = f"use {argument('interventions', 'perfect')}, or leave" if self._of_set_rows else "leave"
        return InvalidData(
            f"{self._variables[variable]!r} has the same value in all rows{where}: {remedy} it out ({argument('drop')})"
        )

    def _dependent(self, members: Members | tuple[np.intp, ...], rows: int) -> InvalidData:
        names = [repr(self._variables[int(i)]) for i in members]
        listed = f"{', '.join(names[:-1])} and {names[-1]}"
        return InvalidData(
            f"{listed} are linearly dependent in {rows:,} rows, so that their likelihood has no limit: set a lower "
            f"{argument('max_parents')}, or leave one of them out ({argument('drop')})"
        )


def _offsets(rows: int, max_size: int) -> tuple[float, ...]:
    """Return the sum of c(p) over p < size, for each size that a possible set has."""
    offsets = [0.0]
    for p in range(min(max_size, rows - 1)):
        freedom = rows - p - 1
        price = (p + 2) / 2 * natural_log(rows)
        offsets.append(offsets[-1] - rows / 2 * (_LOG_TWO_PI - natural_log(freedom)) - freedom / 2 - price)
    return tuple(offsets)


def _log_determinants(matrices: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the logs of the determinants of positive definite matrices, which are overwritten.

    Each operation acts on single numbers, so that a matrix gives the same bits in every batch and on every platform.
    """
    mantissas, exponents = np.ones(len(matrices)), np.zeros(len(matrices), dtype=np.int64)
    for step in range(matrices.shape[1]):
        pivots = matrices[:, step, step]
        mantissas, shifts = np.frexp(mantissas * pivots)
        exponents += shifts
        row = matrices[:, step, step + 1 :]
        matrices[:, step + 1 :, step + 1 :] -= (row / pivots[:, None])[:, :, None] * row[:, None, :]
    logs = np.array([natural_log(mantissa) for mantissa in mantissas.tolist()])
    determinants: NDArray[np.float64] = logs + exponents * natural_log(2)
    return determinants


BIC_G = ScoreDefinition(
    name="bic-g",
    title="Gaussian BIC",
    citation="schwarz1978",
    score_equivalent=True,
    functions=GaussianBic,
    data_type=NumericData,
)
