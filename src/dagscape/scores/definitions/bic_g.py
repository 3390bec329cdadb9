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

Values are correctly rounded (``determinants.py``), so that equivalent networks have identical scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dagscape.core.errors import InvalidData, argument
from dagscape.data.continuous.numeric import NumericData
from dagscape.scores.arithmetic.correlations import Correlations
from dagscape.scores.arithmetic.decimals import context, decimal_log, fixed, log_of_pi
from dagscape.scores.arithmetic.scatter import MOST_ROWS, IntegerColumns
from dagscape.scores.definitions.definition import ScoreDefinition
from dagscape.scores.definitions.determinants import DeterminantFunction, DeterminantFunctions
from dagscape.scores.definitions.set_functions import ScoreFacts

# Columns are linearly dependent if their correlation matrix has a lower eigenvalue.
_LEAST_EIGENVALUE = 1e-8


class GaussianBic(DeterminantFunctions):
    """The set functions of the Gaussian BIC."""

    def __init__(self, data: NumericData, facts: ScoreFacts) -> None:
        """Compute the scatter matrices; children that are fitted to the same rows share one."""
        if data.m > MOST_ROWS:
            raise InvalidData(f"the data have {data.m:,} rows; the Gaussian BIC takes up to {MOST_ROWS:,}")
        self.max_size = facts.max_size
        self._variables, self._every_row = data.variables, data.interventions is None
        self._of_set_rows = facts.of_set_rows
        columns = IntegerColumns.of(data.values)
        children = [facts.fitted_rows(data.interventions, data.m, i) for i in range(data.n)]
        numbers: dict[bytes, int] = {}
        functions: list[DeterminantFunction] = []
        self._rows: list[int] = []
        for i, rows in enumerate(children):
            if rows.tobytes() not in numbers:
                numbers[rows.tobytes()] = len(numbers)
                self._rows.append(int(np.count_nonzero(rows)))
                functions.append(self._function(columns, rows, i))
        self.functions = tuple(functions)
        self.function_of = tuple(numbers[rows.tobytes()] for rows in children)
        self._prepare(facts.bounded_size)

    def _function(self, columns: IntegerColumns, rows: NDArray[np.bool_], child: int) -> DeterminantFunction:
        n, m = len(columns.exponents), int(np.count_nonzero(rows))
        if m < 2:
            return _nothing(n)
        scatter = columns.sums(rows).scatter
        if constant := [i for i in range(n) if scatter[i, i] == 0]:
            raise self._constant(constant[0], child)
        # An integer has an error of up to one unit, unless all are exact.
        spread = [
            m / float(entry) ** 0.5 for entry, exact in zip(np.diag(scatter), columns.exact, strict=True) if not exact
        ]
        error = 4 * max(spread, default=0.0)
        found = Correlations.of(scatter, Fraction(1, m), columns.exponents, error, _LEAST_EIGENVALUE)
        correlations = found.high - np.eye(n)
        worst = np.unravel_index(int(np.abs(correlations).argmax()), correlations.shape)
        # With two rows, all pairs are dependent, and impossible.
        if self.max_size > 1 and m > 2 and abs(correlations[worst]) > 1 - _LEAST_EIGENVALUE:
            raise self._dependent(worst, m)
        return DeterminantFunction(
            correlations=found,
            first=tuple(range(n + 1)),
            prior_logs=(0,) * n,
            constants=_constants(m, n),
            prior_factors=(0.0,) * (n + 1),
            factors=(m / 2,) * (n + 1),
            # The least eigenvalue is at least the determinant divided by e.
            least_determinant=2.8 * _LEAST_EIGENVALUE if found.least_eigenvalue == _LEAST_EIGENVALUE else 0.0,
        )

    def check_set(self, function: int, members: Sequence[int]) -> None:
        """Raise an error if columns are nearly linearly dependent."""
        if len(members) > 1:
            part = self.functions[function].correlations.high[np.ix_(members, members)]
            if np.linalg.eigvalsh(part)[0] < _LEAST_EIGENVALUE:
                raise self.dependent(function, members)

    def dependent(self, function: int, members: Sequence[int]) -> InvalidData:
        """Return the error for a set whose columns are linearly dependent."""
        return self._dependent(members, self._rows[function])

    def _constant(self, variable: int, child: int) -> InvalidData:
        condition = "was set" if self._of_set_rows else "was not set"
        where = "" if self._every_row else f" in which {self._variables[child]!r} {condition}"
        remedy = f"use {argument('interventions', 'perfect')}, or leave" if self._of_set_rows else "leave"
        return InvalidData(
            f"{self._variables[variable]!r} has the same value in all rows{where}: {remedy} it out ({argument('drop')})"
        )

    def _dependent(self, members: Sequence[int] | tuple[np.intp, ...], rows: int) -> InvalidData:
        names = [repr(self._variables[int(i)]) for i in members]
        listed = f"{', '.join(names[:-1])} and {names[-1]}"
        return InvalidData(
            f"{listed} are linearly dependent in {rows:,} rows, so that their likelihood has no limit: set a lower "
            f"{argument('max_parents')}, or leave one of them out ({argument('drop')})"
        )


def _nothing(n: int) -> DeterminantFunction:
    """Return the function that is 0 for all sets."""
    zeros = (0.0,) * (n + 1)
    uncorrelated = Correlations(np.eye(n), np.zeros((n, n)), [0] * n, 0.0, 1.0)
    return DeterminantFunction(uncorrelated, tuple(range(n + 1)), (0,) * n, (0,) * (n + 1), zeros, zeros)


def _constants(rows: int, n: int) -> tuple[int | None, ...]:
    """Return the sum of c(p) over p < size, for each size up to n; None for sets that are impossible."""
    constants: list[int | None] = [0]
    with localcontext(context()):
        total, log_rows, log_two_pi = Decimal(0), decimal_log(rows), decimal_log(2) + log_of_pi()
        for p in range(min(n, rows - 1)):
            freedom = rows - p - 1
            total -= rows * (log_two_pi - decimal_log(freedom)) / 2 + Decimal(freedom) / 2 + (p + 2) * log_rows / 2
            constants.append(fixed(total))
    return (*constants, *(None,) * (n + 1 - len(constants)))


BIC_G = ScoreDefinition(
    name="bic-g",
    title="Gaussian BIC",
    citation="schwarz1978",
    score_equivalent=True,
    functions=GaussianBic,
    data_type=NumericData,
)
