r"""The conditional Gaussian marginal likelihood of mixed tables [lauritzen1989]_, [bottcher2001]_.

Discrete variables have discrete parents only. A measured variable has a normal regression on its measured parents, with
parameters of its own in each cell, that is each joint state of its discrete parents. For discrete variables Δ and
measured ones Γ,

.. math:: J(Δ, Γ) = J_{BDeu}(Δ) + \sum_{cells} J_{BGe}(Γ; rows\ of\ the\ cell)

and the score of a family is :math:`J(P ∪ v) - J(P)`. It is a difference of one function of sets, so that
Markov-equivalent networks without edges from measured to discrete variables score alike. Cells without rows add
nothing.

:math:`J_{BDeu}` has the equivalent sample size ``ess`` (``bdeu.py``). :math:`J_{BGe}` is that of ``normal_wishart.py``,
with the same prior in all cells: ν and the variances of ``scale="standardize"`` come from all rows, and in
:math:`α_w = n + 2`, *n* is the number of measured variables. If all variables are measured, the score is BGe, and if
none is, BDeu.

With experiments, the families of a variable are fitted to the rows in which it was not set.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import localcontext
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagscape.core import kernels
from dagscape.core.errors import InvalidData, argument
from dagscape.data.mixed.mixed import MixedData
from dagscape.scores.arithmetic.correlations import exact_determinant
from dagscape.scores.arithmetic.decimals import FIXED_BITS, context, decimal_log, fixed, log_gamma
from dagscape.scores.arithmetic.logarithms import natural_log
from dagscape.scores.definitions.bdeu import BDEU, ESS
from dagscape.scores.definitions.bge import NU, SCALE, STANDARDIZE, Bge
from dagscape.scores.definitions.conditional_functions import (
    DISCRETE_RULE,
    ConditionalFunctions,
    edges_into_discrete,
    functions_by_kind,
)
from dagscape.scores.definitions.definition import ScoreDefinition
from dagscape.scores.definitions.determinants import words
from dagscape.scores.definitions.measured_cells import (
    FineUnit,
    MeasuredCells,
    Rows,
    largest_sum,
    log_pi_words,
    nearest_multiple,
    scale_of,
)
from dagscape.scores.definitions.normal_wishart import (
    ALPHA_MU,
    ALPHA_W,
    MATRIX_BITS,
    NormalWishartPrior,
    scored_and_prior,
)
from dagscape.scores.definitions.set_functions import ScoreFacts, SetFunctions
from dagscape.scores.definitions.variable_columns import VariableColumns

_TITLE = "the conditional Gaussian score"


class MarginalCells(MeasuredCells):
    """The marginal likelihood of measured variables in cells, under one normal-Wishart prior.

    Parameters
    ----------
    data : MixedData
        The data.
    facts : ScoreFacts
        What the function depends on besides the data; its parameters are ``alpha_mu``, ``alpha_w``, ``nu`` and
        ``scale``.
    """

    def __init__(self, data: MixedData, facts: ScoreFacts) -> None:
        parameters = facts.parameters
        more = None if facts.prior_data is None else facts.prior_data.values[:, ~data.is_discrete]
        columns = VariableColumns.of_numbers(data.values[:, ~data.is_discrete], more)
        scored, of_prior = scored_and_prior(columns, facts, data.m)
        self.columns = scored.columns
        standardized = parameters["scale"] == STANDARDIZE
        if standardized:
            _check_variances(data, of_prior)
        self._prior = NormalWishartPrior(scored, of_prior, parameters, parameters["nu"], standardized=standardized)
        sums, diagonal = self.columns.sums(), self._prior.diagonal
        self._means = [self._prior.mean(i) for i in range(self.count)]
        # By column: the sum of the squared deviations from ν, which no cell exceeds.
        self._squares = [
            Fraction(int(sums.scatter[i, i]), sums.rows)
            + sums.rows * (Fraction(int(sums.sums[i]), sums.rows) - mean) ** 2
            for i, mean in enumerate(self._means)
        ]
        self._diagonal = diagonal
        self.scale = [scale_of(prior + square) for prior, square in zip(diagonal, self._squares, strict=True)]
        # The kernels know the degrees of freedom as a multiple of 2^-80, and the factors from the nearest double.
        self._fixed_freedom = round(self._prior.freedom * (1 << FIXED_BITS))
        self._freedom = float(Fraction(self._fixed_freedom, 1 << FIXED_BITS))

    def kernel(self, rows: Rows, price: float, most_states: int, fine: FineUnit) -> kernels.CellFunction:
        """Return the function of some rows as the kernels take it."""
        alpha, freedom = self._prior.alpha_mu, self._prior.freedom
        with localcontext(context()):
            gammas = [fixed(log_gamma((freedom + k) / 2)) for k in (1, 2)]
            of_prior = [self._fixed_freedom, fixed(decimal_log(alpha)), *gammas]
        return kernels.CellFunction(
            rows,
            np.array(self.scale, dtype=np.int32),
            self._natural(),
            log_pi_words(of_prior),
            float(alpha),
            _pairs(mean * Fraction(2) ** -scale for mean, scale in zip(self._means, self.scale, strict=True)),
            _pairs(entry * Fraction(4) ** -scale for entry, scale in zip(self._diagonal, self.scale, strict=True)),
            words(self._prior.prior_logs),
            price,
            most_states,
            fine.bits,
            fine.guard,
        )

    def exact(self, rows: Rows, members: Sequence[int], constant: int, bits: int) -> int | None:
        """Return J of some columns in the cell of some rows, as the nearest multiple of 2^-bits."""
        d, m = len(members), len(rows)
        matrix = self._prior.posterior_matrix(self.sums_of(rows))
        determinant = exact_determinant([[int(matrix[i, j]) for j in members] for i in members])
        if determinant <= 0:
            raise InvalidData(
                "measured variables are linearly dependent, and the prior is too weak to tell them apart in double "
                f"precision: use {argument('scale', STANDARDIZE)}, or leave one of them out ({argument('drop')})"
            )
        logs = self._prior.prior_logs
        exponent = 2 * sum(self.columns.exponents[i] for i in members) - MATRIX_BITS * d
        prior = Fraction((self._freedom + d) / 2) * sum(logs[i] for i in members)
        return nearest_multiple(constant, prior, (self._freedom + m + d) / 2, Fraction(determinant), exponent, bits)

    def _logs(self) -> list[float]:
        """Return the absolute values of ln T."""
        return [abs(log) * 2.0**-FIXED_BITS for log in self._prior.prior_logs]

    def _ratios(self) -> list[float]:
        """Return for each column the largest square relative to the prior."""
        most = Fraction(10) ** 300
        return [float(min(both[0] / both[1], most)) for both in zip(self._squares, self._diagonal, strict=True)]

    def bound(self, rows: int, cells: int, size: int) -> float:
        """Return a bound on the sum of the absolute values of all cells, in nats.

        With |R| = |T| · |R|/|T|, the value of a cell is c − (m/2) ln |T| − b ln(|R|/|T|), and the last logarithm is at
        most Σ ln(1 + square/T), of which the sum over cells is largest if all have the same part of the squares.
        """
        d, freedom, logs = min(size, self.count), float(self._prior.freedom), self._logs()
        each = [natural_log(1 + ratio / max(cells, 1)) for ratio in self._ratios()]
        whole = [natural_log(1 + ratio) for ratio in self._ratios()]
        constants = cells * d * natural_log(1 + rows / float(self._prior.alpha_mu)) / 2
        constants += rows * d * (1.2 + max(1.0, natural_log((freedom + d + rows) / 2))) / 2
        of_logs = rows * (largest_sum(logs, d) + largest_sum(whole, d)) / 2
        return 1 + constants + of_logs + cells * (freedom + d) * largest_sum(each, d) / 2

    def rounding(self, rows: int, cells: int, size: int, bits: int) -> float:
        """Return a bound on the error of a sum over cells whose values are multiples of 2^-bits, in nats.

        An integer that is not exact is wrong by up to one unit. With X the deviations of a cell and E their errors,
        ln |R| changes by 2 tr(E R⁻¹ Xᵀ), at most 2 |E| |R⁻¹ Xᵀ|. In units of the roots of T, the first is at most
        √(5 d m / T), the second √d / 2, because XᵀX is at most R − T. Twice that covers terms of second order.
        """
        d = min(size, self.count)
        if not d or not rows:
            return 0.0
        priors = cells * (self._freedom + d) / 2
        factors = priors + rows / 2
        rough = [float(entry) for entry, exact in zip(self._diagonal, self.columns.exact, strict=True) if not exact]
        relative = max((math.sqrt(5 * rows / entry) if entry > 0 else math.inf for entry in rough), default=0.0)
        inputs = factors * 2 * d * relative + (priors + factors) * d * self._prior.prior_error
        constants = d * (rows + cells * (d + 4)) * 2.0**-76
        if self._prior.freedom * 2**30 % 1:
            # Factors are then sums of doubles that are rounded.
            log = largest_sum(self._logs(), d) + largest_sum([natural_log(1 + ratio) for ratio in self._ratios()], d)
            constants += 2.0**-50 * (priors + factors) * log
        return cells * math.ldexp(0.5, -bits) + inputs + constants


def _check_variances(data: MixedData, columns: VariableColumns) -> None:
    if len(columns.columns.integers) < 2:
        raise InvalidData(f"the data have one row; {_TITLE} needs two or more to standardise columns")
    for i, name in enumerate(data.measured):
        if not columns.vary(i):
            raise InvalidData(
                f"{name!r} has the same value in all rows: use {argument('scale', 'none')}, or leave it out "
                f"({argument('drop')})"
            )


def _pairs(numbers: Any) -> NDArray[np.float64]:
    """Return rational numbers as sums of two doubles."""
    found = []
    for number in numbers:
        high = float(number)
        found.append((high, float(number - Fraction(high))))
    return np.array(found, dtype=np.float64).reshape(-1, 2)


def _of_mixed(data: MixedData, facts: ScoreFacts) -> SetFunctions:
    return ConditionalFunctions(data, facts, BDEU.functions, MarginalCells(data, facts), _TITLE)


def _idle(data: MixedData) -> tuple[str, ...]:
    """Return the parameters of the kind of variables that the data do not have."""
    if data.discrete and data.measured:
        return ()
    return tuple(parameter.name for parameter in ((ALPHA_MU, ALPHA_W, NU, SCALE) if data.discrete else (ESS,)))


CG = ScoreDefinition(
    name="cg",
    title="conditional Gaussian",
    citation="bottcher2001",
    score_equivalent=True,
    functions=functions_by_kind(Bge, BDEU.functions, _of_mixed),
    data_type=MixedData,
    parameters=(ESS, ALPHA_MU, ALPHA_W, NU, SCALE),
    idle=_idle,
    prior_columns=lambda data: len(data.measured),
    ruled_out=edges_into_discrete,
    rule=DISCRETE_RULE,
)
