r"""BGe: the marginal likelihood of Gaussian networks [geiger2002]_, [kuipers2014]_.

The rows are normal with mean μ and precision matrix *W*; given *W*, μ is normal with mean ν and precision
:math:`α_μ W`, and *W* has a Wishart distribution with :math:`α_w` degrees of freedom and the matrix *T*. With *n*
variables, *m* rows with the mean :math:`\bar x` and the scatter matrix *S* about it,

.. math::

    R = T + S + \frac{m\,α_μ}{m + α_μ} (\bar x - ν)(\bar x - ν)^T

    J(Y) = \frac l2 \ln\frac{α_μ}{m + α_μ} - \frac{l m}2 \ln π
           + \ln\frac{Γ_l(\frac{m + α_w - n + l}2)}{Γ_l(\frac{α_w - n + l}2)}
           + \frac{α_w - n + l}2 \ln |T_{YY}| - \frac{m + α_w - n + l}2 \ln |R_{YY}|

for a set *Y* of *l* variables, and the score of a family is :math:`J(P ∪ v) - J(P)`. Since it is a difference of one
function of sets, Markov-equivalent networks score alike. The matrix *T* is diagonal:

.. math:: T_{ii} = t s_i^2, \qquad t = \frac{α_μ (α_w - n - 1)}{α_μ + 1}

where :math:`s_i^2` is the sample variance with ``scale="standardize"``, so that units do not matter, and 1 with
``scale="none"``, as in bnlearn and BiDAG. Standardising is part of the prior only: scores remain densities of the data
as they are, so scores of standardised columns differ by the constant :math:`m \sum_i \ln s_i`.

ν is the means of the columns, as in bnlearn, or one number, such as 0, as in BiDAG. By default, :math:`α_w = n + 2`;
t and the score of a family then do not depend on the other variables of the table.

With experiments, the families of a variable are fitted to the rows in which it was not set; ν and the variances come
from all rows. A variable that was set in all of them scores 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagscape.core.errors import InvalidData, InvalidOption, argument
from dagscape.data.continuous.numeric import NumericData
from dagscape.scores.arithmetic.correlations import Correlations
from dagscape.scores.arithmetic.decimals import context, decimal_log, fixed, log_gamma, log_of_pi
from dagscape.scores.arithmetic.scatter import MOST_ROWS, IntegerColumns, IntegerSums
from dagscape.scores.definitions.definition import ScoreDefinition
from dagscape.scores.definitions.determinants import DeterminantFunction, DeterminantFunctions
from dagscape.scores.definitions.parameter import Parameter
from dagscape.scores.definitions.set_functions import ScoreFacts

MEANS, STANDARDIZE, NONE, LEAST_WISHART = "means", "standardize", "none", "n+2"

ALPHA_MU = Parameter("alpha_mu", 1.0, "prior sample size of the means", 1e-6, 1e6, compared=(1.0,))
ALPHA_W = Parameter("alpha_w", LEAST_WISHART, "degrees of freedom of the prior", 0.0, 1e6, words=(LEAST_WISHART,))
NU = Parameter("nu", MEANS, "prior mean", -1e300, 1e300, words=(MEANS,))
SCALE = Parameter("scale", STANDARDIZE, "scale of the prior", words=(STANDARDIZE, NONE))

# Digits after the point of the entries of R, in units of the integer columns.
_MATRIX_BITS = 200


class Bge(DeterminantFunctions):
    """The set functions of BGe."""

    def __init__(self, data: NumericData, facts: ScoreFacts) -> None:
        """Compute the matrices; children that are fitted to the same rows share one."""
        if data.m > MOST_ROWS:
            raise InvalidData(f"the data have {data.m:,} rows; BGe takes up to {MOST_ROWS:,}")
        if data.m < 2 and facts.parameters["scale"] == STANDARDIZE:
            raise InvalidData("the data have one row; BGe needs two or more to standardise columns")
        self._data, self.max_size = data, facts.max_size
        self._prior = _Prior(data, facts.parameters)
        numbers: dict[bytes, int] = {}
        functions = []
        for i in range(data.n):
            rows = facts.fitted_rows(data.interventions, data.m, i)
            if rows.tobytes() not in numbers:
                numbers[rows.tobytes()] = len(numbers)
                functions.append(self._prior.function(rows))
        self.functions = tuple(functions)
        self.function_of = tuple(
            numbers[facts.fitted_rows(data.interventions, data.m, i).tobytes()] for i in range(data.n)
        )
        self._prepare(facts.bounded_size)

    def dependent(self, function: int, members: Sequence[int]) -> InvalidData:  # noqa: ARG002 (as all scores take it)
        """Return the error for a set whose columns are linearly dependent."""
        names = ", ".join(repr(self._data.variables[member]) for member in members)
        return InvalidData(
            f"{names} are linearly dependent, and the prior is too weak to tell them apart in double precision: use "
            f"{argument('scale', STANDARDIZE)}, or leave one of them out ({argument('drop')})"
        )


class _Prior:
    """The prior, in units of the integer columns, and what the data make of it."""

    def __init__(self, data: NumericData, parameters: Any) -> None:
        self._n = data.n
        self._mu = Fraction(parameters["alpha_mu"])
        wishart = parameters["alpha_w"]
        self._freedom = Fraction(2 if wishart == LEAST_WISHART else wishart) - (
            0 if wishart == LEAST_WISHART else data.n
        )
        if self._freedom <= 1:
            raise InvalidOption(
                f"is {wishart:g}; with {data.n} variables, it must be greater than {data.n + 1}", option="alpha_w"
            )
        self._columns = IntegerColumns.of(data.values)
        self._all = self._columns.sums()
        self._standardized = parameters["scale"] == STANDARDIZE
        self._nu = parameters["nu"]
        t = self._mu * (self._freedom - 1) / (self._mu + 1)
        self._diagonal = [self._prior_entry(t, i) for i in range(data.n)]
        # The bound on the error of an integer, one unit, relative to the deviations from the mean.
        rough = [0.0 if exact else 1.0 for exact in self._columns.exact]
        self._deviation_error = max(
            (error * self._all.rows / float(self._all.scatter[i, i]) ** 0.5 for i, error in enumerate(rough) if error),
            default=0.0,
        )

    def _prior_entry(self, t: Fraction, i: int) -> Fraction:
        """Return the entry of T for a column, in units of its integers."""
        if not self._standardized:
            return t * Fraction(4) ** -self._columns.exponents[i]
        rows = self._all.rows
        return t * int(self._all.scatter[i, i]) / (rows * (rows - 1))

    def function(self, rows: NDArray[np.bool_]) -> DeterminantFunction:
        """Return the set function of some rows."""
        sums = self._all if rows.all() else self._columns.sums(rows)
        m, n = sums.rows, self._n
        matrix = self._posterior_matrix(sums)
        unit = Fraction(1, 1 << _MATRIX_BITS)
        diagonal = [Fraction(int(matrix[i, i]), 1 << _MATRIX_BITS) for i in range(n)]
        least = min(float(prior / entry) for prior, entry in zip(self._diagonal, diagonal, strict=True))
        rough = [entry for entry, exact in zip(diagonal, self._columns.exact, strict=True) if not exact]
        error = max((8 * (m / float(entry)) ** 0.5 for entry in rough), default=0.0) + 4 * self._deviation_error
        exponents = self._columns.exponents
        prior_logs = [
            fixed(decimal_log(entry * Fraction(4) ** exponent))
            for entry, exponent in zip(self._diagonal, exponents, strict=True)
        ]
        freedom = [float(self._freedom + size) / 2 for size in range(n + 1)]
        return DeterminantFunction(
            correlations=Correlations.of(matrix, unit, exponents, error, least * (1 - 2.0**-40)),
            first=tuple(range(n + 1)),
            prior_logs=tuple(prior_logs),
            constants=tuple(self._constants(m)),
            prior_factors=tuple(freedom),
            factors=tuple(float(self._freedom + m + size) / 2 for size in range(n + 1)),
            prior_error=4 * self._deviation_error if self._standardized else 0.0,
        )

    def _posterior_matrix(self, sums: IntegerSums) -> NDArray[np.object_]:
        """Return R in units of the integer columns times 2^-200."""
        m, n, one = sums.rows, self._n, 1 << _MATRIX_BITS
        matrix = np.zeros((n, n), dtype=np.object_)
        if m:
            shifts = np.array([self._shift(sums, i) for i in range(n)], dtype=np.object_)
            weight = m * self._mu / (m + self._mu)
            matrix = sums.scatter * one // m
            matrix += np.multiply.outer(shifts, shifts) * weight.numerator // (weight.denominator * one)
        for i, prior in enumerate(self._diagonal):
            matrix[i, i] += prior.numerator * one // prior.denominator
        return matrix

    def _shift(self, sums: IntegerSums, i: int) -> int:
        """Return the mean of a column minus ν, in units of its integers times 2^-200."""
        mean = Fraction(int(sums.sums[i]), sums.rows)
        if self._nu == MEANS:
            nu = Fraction(int(self._all.sums[i]), self._all.rows)
        else:
            scale = Fraction(2) ** (self._columns.scales[i] - self._columns.exponents[i])
            nu = (
                Fraction(self._nu) * Fraction(2) ** -self._columns.exponents[i]
                - Fraction(self._columns.centres[i]) * scale
            )
        return round((mean - nu) * (1 << _MATRIX_BITS))

    def _constants(self, rows: int) -> list[int]:
        """Return the part of J that depends on the number of variables alone, for each number."""
        with localcontext(context()):
            log = decimal_log(self._mu / (rows + self._mu)) - rows * log_of_pi()
            found, gammas = [0], Decimal(0)
            for size in range(1, self._n + 1):
                if rows:
                    prior = (self._freedom + size) / 2
                    gammas += log_gamma(prior + Fraction(rows, 2)) - log_gamma(prior)
                found.append(fixed(log * size / 2 + gammas))
        return found


BGE = ScoreDefinition(
    name="bge",
    title="BGe",
    citation="geiger2002",
    score_equivalent=True,
    functions=Bge,
    data_type=NumericData,
    parameters=(ALPHA_MU, ALPHA_W, NU, SCALE),
)
