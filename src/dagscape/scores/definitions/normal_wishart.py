r"""Marginal likelihoods of normal columns under a normal-Wishart prior, as set functions [geiger2002]_, [kuipers2014]_.

With *N* columns, *m* rows with the mean :math:`\bar x` and the scatter matrix *S* about it,

.. math::

    R = T + S + \frac{m\,α_μ}{m + α_μ} (\bar x - ν)(\bar x - ν)^T

    J(Y) = \frac d2 \ln\frac{α_μ}{m + α_μ} - \frac{d m}2 \ln π
           + \ln\frac{Γ_d(\frac{m + α_w - N + d}2)}{Γ_d(\frac{α_w - N + d}2)}
           + \frac{α_w - N + d}2 \ln |T_{YY}| - \frac{m + α_w - N + d}2 \ln |R_{YY}|

for a set of variables with *d* columns *Y*. *T* is block diagonal, with a block for each variable: t times the sample
covariance of its own columns, or t times the identity, where :math:`t = α_μ (α_w - N - 1) / (α_μ + 1)`. With the
covariance, *J* changes only by a constant if the columns of a variable are replaced by others of the same space.

By default, :math:`α_w = N + 2`; t and the score of a family then do not depend on the other variables of the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dagscape.core.errors import InvalidData, InvalidOption, argument
from dagscape.core.wording import plural
from dagscape.data.continuous.numeric import NumericData
from dagscape.data.mixed.mixed import MixedData
from dagscape.scores.arithmetic.correlations import Correlations, exact_determinant
from dagscape.scores.arithmetic.decimals import context, decimal_log, fixed, log_gamma, log_of_pi
from dagscape.scores.arithmetic.scatter import MOST_ROWS, IntegerSums
from dagscape.scores.definitions.determinants import DeterminantFunction, DeterminantFunctions
from dagscape.scores.definitions.parameter import Parameter, Value
from dagscape.scores.definitions.set_functions import ScoreFacts
from dagscape.scores.definitions.variable_columns import VariableColumns

MEANS, LEAST_WISHART = "means", "n+2"

ALPHA_MU = Parameter("alpha_mu", 1.0, "prior sample size of the means", 1e-6, 1e6, compared=(1.0,))
ALPHA_W = Parameter("alpha_w", LEAST_WISHART, "degrees of freedom of the prior", 0.0, 1e6, words=(LEAST_WISHART,))

# Digits after the point of the entries of R, in units of the integer columns.
MATRIX_BITS = 200


class NormalWishartFunctions(DeterminantFunctions):
    """The set functions of a marginal likelihood.

    A subclass has a ``title`` for messages, and how remedies begin for columns that are dependent, or constant.

    Parameters
    ----------
    data : NumericData or MixedData
        The data.
    facts : ScoreFacts
        What the functions depend on besides the data; its parameters are ``alpha_mu`` and ``alpha_w``.
    columns : VariableColumns
        The columns of the variables; after the rows of the data, those of ``facts.prior_data``.
    nu : float or "means"
        The prior mean of all columns.
    standardized : bool
        Whether the prior has the covariance of a variable's columns, or the identity.
    """

    title: ClassVar[str]
    remedy: ClassVar[str] = ""
    remedy_of_constants: ClassVar[str] = ""

    def __init__(
        self,
        data: NumericData | MixedData,
        facts: ScoreFacts,
        columns: VariableColumns,
        *,
        nu: Value = MEANS,
        standardized: bool = True,
    ) -> None:
        """Compute the matrices; children that are fitted to the same rows share one."""
        if data.m > MOST_ROWS:
            raise InvalidData(f"the data have {data.m:,} rows; {self.title} takes up to {MOST_ROWS:,}")
        scored, of_prior = scored_and_prior(columns, facts, data.m)
        if len(of_prior.columns.integers) < 2 and standardized:
            raise InvalidData(f"the data have one row; {self.title} needs two or more to standardise columns")
        if standardized and (constant := [v for v in range(data.n) if not of_prior.vary(v)]):
            name = data.variables[constant[0]]
            raise InvalidData(
                f"{name!r} has the same value in all rows: {self.remedy_of_constants}leave it out ({argument('drop')})"
            )
        self._variables, self.max_size = data.variables, facts.max_size
        prior = NormalWishartPrior(scored, of_prior, facts.parameters, nu, standardized=standardized)
        children = [facts.fitted_rows(data.interventions, data.m, i) for i in range(data.n)]
        numbers: dict[bytes, int] = {}
        functions = []
        for rows in children:
            if rows.tobytes() not in numbers:
                numbers[rows.tobytes()] = len(numbers)
                functions.append(prior.function(rows))
        self.functions = tuple(functions)
        self.function_of = tuple(numbers[rows.tobytes()] for rows in children)
        self._prepare(facts.bounded_size)

    def dependent(self, function: int, members: Sequence[int]) -> InvalidData:  # noqa: ARG002 (as all scores take it)
        """Return the error for a set whose columns are linearly dependent."""
        names = ", ".join(repr(self._variables[member]) for member in members)
        return InvalidData(
            f"{names} are linearly dependent, and the prior is too weak to tell them apart in double precision: "
            f"{self.remedy}leave one of them out ({argument('drop')})",
            degenerate=tuple(self._variables[member] for member in members),
        )


def scored_and_prior(columns: VariableColumns, facts: ScoreFacts, m: int) -> tuple[VariableColumns, VariableColumns]:
    """Return the columns of the first *m* rows, and those of the rows that ν and the scale of the prior come from."""
    if facts.prior_data is None:
        return columns, columns
    return columns.of_rows(slice(m)), columns.of_rows(slice(m, None))


class NormalWishartPrior:
    """The prior, in units of the integer columns, and what the data make of it.

    Parameters
    ----------
    columns : VariableColumns
        The columns of the variables.
    of_prior : VariableColumns
        The same columns, in the rows that ν and the scale come from.
    parameters : mapping
        ``alpha_mu`` and ``alpha_w``.
    nu : float or "means"
        The prior mean of all columns.
    standardized : bool
        Whether the prior has the covariance of a variable's columns, or the identity.
    """

    def __init__(
        self,
        columns: VariableColumns,
        of_prior: VariableColumns,
        parameters: Any,
        nu: Value,
        *,
        standardized: bool,
    ) -> None:
        self._first, self._columns = columns.first, columns.columns
        self._blocks = [columns.of_variable(v) for v in range(columns.n)]
        self._count = columns.first[-1]
        self._mu = Fraction(parameters["alpha_mu"])
        wishart = parameters["alpha_w"]
        self._freedom = Fraction(2 if wishart == LEAST_WISHART else wishart) - (
            0 if wishart == LEAST_WISHART else self._count
        )
        if self._freedom <= 1:
            what = plural(self._count, "column" if columns.indicators.any() else "variable")
            raise InvalidOption(f"is {wishart:g}; with {what}, it must be greater than {self._count + 1}", "alpha_w")
        self._all = self._columns.sums()
        self._reference = self._all if of_prior is columns else of_prior.columns.sums()
        self._standardized, self._nu = standardized, nu
        self._t = self._mu * (self._freedom - 1) / (self._mu + 1)
        # The bound on the error of an integer, one unit, relative to the deviations from the mean.
        rough = [0.0 if exact else 1.0 for exact in self._columns.exact]
        self._deviation_error = max(
            (
                error * self._reference.rows / float(self._reference.scatter[i, i]) ** 0.5
                for i, error in enumerate(rough)
                if error
            ),
            default=0.0,
        )

    @property
    def alpha_mu(self) -> Fraction:
        """The prior sample size of the means."""
        return self._mu

    @property
    def freedom(self) -> Fraction:
        """The degrees of freedom beyond the number of columns."""
        return self._freedom

    @property
    def diagonal(self) -> list[Fraction]:
        """The diagonal of T, in units of the integers of the columns."""
        return [self._entry(i, i) for i in range(self._count)]

    @property
    def prior_error(self) -> float:
        """A bound on the relative error of the diagonal of T."""
        return 4 * self._deviation_error if self._standardized else 0.0

    def _entry(self, i: int, j: int) -> Fraction:
        """Return the entry of T for two columns of a variable, in units of their integers."""
        if not self._standardized:
            return self._t * Fraction(4) ** -self._columns.exponents[i] if i == j else Fraction(0)
        rows = self._reference.rows
        return self._t * int(self._reference.scatter[i, j]) / (rows * (rows - 1))

    @property
    def prior_logs(self) -> tuple[int, ...]:
        """The logs of the determinants of the variables' parts of T, in units of 2^-80."""
        return tuple(map(self._prior_log, self._blocks))

    def _prior_log(self, block: range) -> int:
        """Return the log of the determinant of a variable's part of T, in units of 2^-80."""
        if not self._standardized:
            determinant = self._t ** len(block)
        else:
            rows = self._reference.rows
            scatter = exact_determinant([[int(self._reference.scatter[i, j]) for j in block] for i in block])
            determinant = scatter * (self._t / (rows * (rows - 1))) ** len(block)
            determinant *= Fraction(4) ** sum(self._columns.exponents[i] for i in block)
        return fixed(decimal_log(determinant))

    def function(self, rows: NDArray[np.bool_]) -> DeterminantFunction:
        """Return the set function of some rows."""
        sums = self._all if rows.all() else self._columns.sums(rows)
        m, count = sums.rows, self._count
        matrix = self.posterior_matrix(sums)
        diagonal = [Fraction(int(matrix[i, i]), 1 << MATRIX_BITS) for i in range(count)]
        rough = [entry for entry, exact in zip(diagonal, self._columns.exact, strict=True) if not exact]
        error = max((8 * (m / float(entry)) ** 0.5 for entry in rough), default=0.0) + 4 * self._deviation_error
        unit, least = Fraction(1, 1 << MATRIX_BITS), self._least_eigenvalue(diagonal)
        freedom = [float(self._freedom + size) / 2 for size in range(count + 1)]
        return DeterminantFunction(
            correlations=Correlations.of(matrix, unit, self._columns.exponents, error, least * (1 - 2.0**-40)),
            first=self._first,
            prior_logs=self.prior_logs,
            constants=tuple(self._constants(m)),
            prior_factors=tuple(freedom),
            factors=tuple(float(self._freedom + m + size) / 2 for size in range(count + 1)),
            prior_error=self.prior_error,
        )

    def _least_eigenvalue(self, diagonal: Sequence[Fraction]) -> float:
        """Return a lower bound on the eigenvalues of the correlations of R: T is a part of it, and block diagonal."""
        least = 1.0
        for block in self._blocks:
            share = min(float(self._entry(i, i) / diagonal[i]) for i in block)
            if len(block) > 1:
                prior = np.array([[float(self._entry(i, j)) for j in block] for i in block])
                roots = np.sqrt(np.diag(prior))
                share *= max(0.0, float(np.linalg.eigvalsh(prior / np.outer(roots, roots))[0]) - 2.0**-40)
            least = min(least, share)
        return least

    def posterior_matrix(self, sums: IntegerSums) -> NDArray[np.object_]:
        """Return R in units of the integer columns times 2^-200."""
        m, count, one = sums.rows, self._count, 1 << MATRIX_BITS
        matrix = np.zeros((count, count), dtype=np.object_)
        if m:
            shifts = np.array([self._shift(sums, i) for i in range(count)], dtype=np.object_)
            weight = m * self._mu / (m + self._mu)
            matrix = sums.scatter * one // m
            matrix += np.multiply.outer(shifts, shifts) * weight.numerator // (weight.denominator * one)
        for block in self._blocks:
            for i in block:
                for j in block:
                    prior = self._entry(i, j)
                    matrix[i, j] += prior.numerator * one // prior.denominator
        return matrix

    def _shift(self, sums: IntegerSums, i: int) -> int:
        """Return the mean of a column minus ν, in units of its integers times 2^-200."""
        return round((Fraction(int(sums.sums[i]), sums.rows) - self.mean(i)) * (1 << MATRIX_BITS))

    def mean(self, i: int) -> Fraction:
        """Return ν of a column, in units of its integers."""
        if self._nu == MEANS:
            return Fraction(int(self._reference.sums[i]), self._reference.rows)
        scale = Fraction(2) ** (self._columns.scales[i] - self._columns.exponents[i])
        nu = Fraction(self._nu) * Fraction(2) ** -self._columns.exponents[i]
        return nu - Fraction(self._columns.centres[i]) * scale

    def _constants(self, rows: int) -> list[int]:
        """Return the part of J that depends on the number of columns alone, for each number."""
        with localcontext(context()):
            log = decimal_log(self._mu / (rows + self._mu)) - rows * log_of_pi()
            found, gammas = [0], Decimal(0)
            for size in range(1, self._count + 1):
                if rows:
                    prior = (self._freedom + size) / 2
                    gammas += log_gamma(prior + Fraction(rows, 2)) - log_gamma(prior)
                found.append(fixed(log * size / 2 + gammas))
        return found
