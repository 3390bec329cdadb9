r"""Maximised Gaussian likelihoods as set functions: J(S) is a constant minus m/2 times the log of a determinant.

.. math:: J(S) = -\frac{m}{2} \ln |S_S| + c(d)

*S* is the scatter matrix of *m* rows about their means, or *m* times less, their covariance, and *d* the number of
columns of the set. Sets of *m* columns
or more are impossible. Columns that are linearly dependent have a likelihood without limit, and are refused by name,
as soon as a set with all of them is scored.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from dagscape.core.errors import InvalidData, argument
from dagscape.data.continuous.numeric import NumericData
from dagscape.data.mixed.mixed import MixedData
from dagscape.scores.arithmetic.correlations import Correlations
from dagscape.scores.arithmetic.scatter import MOST_ROWS
from dagscape.scores.definitions.determinants import DeterminantFunction, DeterminantFunctions
from dagscape.scores.definitions.set_functions import ScoreFacts
from dagscape.scores.definitions.variable_columns import VariableColumns

# Columns are linearly dependent if their correlation matrix has a lower eigenvalue.
_LEAST_EIGENVALUE = 1e-8


class LikelihoodFunctions(DeterminantFunctions):
    """The set functions of a maximised likelihood with a price for parameters.

    A subclass has a ``title`` for messages, and says whether its J has the covariance matrix, ``of_covariance``, in
    place of the scatter matrix.

    Parameters
    ----------
    data : NumericData or MixedData
        The data.
    facts : ScoreFacts
        What the functions depend on besides the data.
    columns : VariableColumns
        The columns of the variables.
    """

    title: ClassVar[str]
    of_covariance: ClassVar[bool] = False

    def __init__(self, data: NumericData | MixedData, facts: ScoreFacts, columns: VariableColumns) -> None:
        """Compute the scatter matrices; children that are fitted to the same rows share one."""
        if data.m > MOST_ROWS:
            raise InvalidData(f"the data have {data.m:,} rows; {self.title} takes up to {MOST_ROWS:,}")
        self.max_size = facts.max_size
        self._variables, self._every_row = data.variables, data.interventions is None
        self._of_set_rows = facts.of_set_rows
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

    @abstractmethod
    def constants(self, rows: int, columns: int) -> tuple[int | None, ...]:
        """Return c(d) in units of 2^-80 for each number of columns; None where sets are impossible."""

    def _function(self, whole: VariableColumns, rows: NDArray[np.bool_], child: int) -> DeterminantFunction:
        m = int(np.count_nonzero(rows))
        if m < 2:
            return _nothing(whole.n)
        found = whole.independent(rows)
        columns, count = found.columns, found.first[-1]
        scatter = columns.sums(rows).scatter
        varies = np.array([scatter[i, i] != 0 for i in range(count)], dtype=np.bool_)
        if constant := [v for v in range(found.n) if not varies[list(found.of_variable(v))].any()]:
            raise self._constant(constant[0], child)
        # An integer has an error of up to one unit, unless all are exact.
        spread = [
            m / float(entry) ** 0.5 for entry, exact in zip(np.diag(scatter), columns.exact, strict=True) if not exact
        ]
        error = 4 * max(spread, default=0.0)
        # The integers are m times the scatter.
        unit = Fraction(1, m**2 if self.of_covariance else m)
        correlations = Correlations.of(scatter, unit, columns.exponents, error, _LEAST_EIGENVALUE)
        self._check_pairs(correlations, found.owners, m)
        return DeterminantFunction(
            correlations=correlations,
            first=found.first,
            prior_logs=(0,) * found.n,
            constants=self.constants(m, count),
            prior_factors=(0.0,) * (count + 1),
            factors=(m / 2,) * (count + 1),
            # The least eigenvalue is at least the determinant divided by e.
            least_determinant=2.8 * _LEAST_EIGENVALUE if correlations.least_eigenvalue == _LEAST_EIGENVALUE else 0.0,
        )

    def _check_pairs(self, correlations: Correlations, owners: Sequence[int], rows: int) -> None:
        """Raise an error if two variables have columns that say the same."""
        owner = np.array(owners)
        others = np.where(owner[:, np.newaxis] == owner, 0.0, np.abs(correlations.high))
        worst = np.unravel_index(int(others.argmax()), others.shape)
        # With two rows, all pairs are dependent, and impossible.
        if self.max_size > 1 and rows > 2 and others[worst] > 1 - _LEAST_EIGENVALUE:
            raise self._dependent(sorted(owners[int(column)] for column in worst), rows)

    def check_set(self, function: int, members: Sequence[int]) -> None:
        """Raise an error if columns are nearly linearly dependent."""
        if len(members) > 1:
            columns = self.functions[function].columns(members)
            part = self.functions[function].correlations.high[np.ix_(columns, columns)]
            if np.linalg.eigvalsh(part)[0] < _LEAST_EIGENVALUE:
                raise self.dependent(function, members)

    def dependent(self, function: int, members: Sequence[int]) -> InvalidData:
        """Return the error for a set whose columns are linearly dependent."""
        return self._dependent(members, self._rows[function])

    def _constant(self, variable: int, child: int) -> InvalidData:
        condition = "was set" if self._of_set_rows else "was not set"
        where = "" if self._every_row else f" in which {self._variables[child]!r} {condition}"
        remedy = f"use {argument('interventions', 'perfect')}, or leave" if self._of_set_rows else "leave"
        name = self._variables[variable]
        return InvalidData(
            f"{name!r} has the same value in all rows{where}: {remedy} it out ({argument('drop')})", degenerate=(name,)
        )

    def _dependent(self, members: Sequence[int], rows: int) -> InvalidData:
        names = [repr(self._variables[int(i)]) for i in members]
        listed = f"{', '.join(names[:-1])} and {names[-1]}"
        return InvalidData(
            f"{listed} are linearly dependent in {rows:,} rows, so that their likelihood has no limit: set a lower "
            f"{argument('max_parents')}, or leave one of them out ({argument('drop')})",
            degenerate=tuple(self._variables[int(i)] for i in members),
        )


def _nothing(n: int) -> DeterminantFunction:
    """Return the function that is 0 for all sets."""
    zeros = (0.0,) * (n + 1)
    uncorrelated = Correlations(np.eye(n), np.zeros((n, n)), [0] * n, 0.0, 1.0)
    return DeterminantFunction(uncorrelated, tuple(range(n + 1)), (0,) * n, (0,) * (n + 1), zeros, zeros)
