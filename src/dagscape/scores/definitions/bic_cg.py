r"""The conditional Gaussian BIC of mixed tables, as in bnlearn [lauritzen1989]_, [scutari2010]_.

Discrete variables have discrete parents only. A measured variable has a linear regression on its measured parents in
each cell, that is each joint state of its discrete parents, with a variance of its own:

.. math:: local\_score(i, Δ ∪ Γ) = \sum_{cells} \Bigl[ -\frac{m_c}{2} \ln(2π σ_c^2) - \frac{RSS_c}{2 σ_c^2} \Bigr]
          - \frac{\ln m}{2} q_Δ (p + 2), \qquad σ_c^2 = \frac{RSS_c}{m_c - p - 1}

for *p* measured parents Γ, :math:`m_c` rows in a cell, and :math:`q_Δ` joint states of the discrete parents Δ. The
score of a discrete variable is BIC (``bic.py``). All joint states pay for their p + 2 parameters, those without rows
included. The score is a difference of one function of sets,

.. math:: J(Δ, Γ) = \sum_s N_s \ln N_s - \frac{\ln m}2 q_Δ \Bigl(1 + \frac{d (d + 3)}2\Bigr)
          + \sum_{cells} \Bigl[ -\frac{m_c}2 \ln |S_{ΓΓ}| + \sum_{p < d} c(m_c, p) \Bigr]

for *d* measured variables Γ, with the scatter matrix *S* of a cell, and c as in ``bic_g.py`` without the price.

A family is impossible, minus infinity, if a cell that has rows has fewer than p + 2 of them, or if the measured
variables are constant or linearly dependent in it: their likelihood has no limit. They are taken as dependent if the
least eigenvalue of their correlations in the cell is at most 2^-27 (about 7 · 10^-9). Cells without rows do not matter.
So discrete variables whose states divide the rows finely are no parents of measured ones.

The columns count as rounded to 52 binary digits of their largest deviation from the mean. *m* is the number of rows
without those in which an experiment set the child; a variable with fewer than two such rows is not scored: all its
families are worth 0. If all variables are measured, the score is the Gaussian BIC, and if none is, BIC.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dagscape.core import kernels
from dagscape.core.errors import InvalidData, argument
from dagscape.data.mixed.mixed import MixedData
from dagscape.scores.arithmetic.correlations import exact_determinant
from dagscape.scores.arithmetic.logarithms import natural_log
from dagscape.scores.definitions.bic import BIC, bic_of_copies
from dagscape.scores.definitions.bic_g import GaussianBic
from dagscape.scores.definitions.conditional_functions import (
    DISCRETE_RULE,
    ConditionalFunctions,
    edges_into_discrete,
    functions_by_kind,
)
from dagscape.scores.definitions.definition import ScoreDefinition
from dagscape.scores.definitions.determinants import words
from dagscape.scores.definitions.log_likelihood import half_log
from dagscape.scores.definitions.measured_cells import (
    FineUnit,
    MeasuredCells,
    Rows,
    largest_sum,
    log_pi_words,
    nearest_multiple,
    scale_of,
)
from dagscape.scores.definitions.set_functions import ScoreFacts
from dagscape.scores.definitions.variable_columns import VariableColumns

_TITLE = "the conditional Gaussian BIC"

# The limits of the kernel (``native/include/dagscape/scores/cell_gaussian.hpp``): the least eigenvalue is 2^-27, and a
# column is constant if its standard deviation is below 2^12 units.
_EIGENVALUE_BITS, _LEAST_VARIANCE = 27, 2**24


class LikelihoodCells(MeasuredCells):
    """The maximised likelihood of measured variables in cells, of rows that are there so many times."""

    def __init__(self, data: MixedData, copies: int = 1) -> None:
        self._copies = copies
        self.columns = VariableColumns.of_numbers(data.values[:, ~data.is_discrete]).columns
        sums = self.columns.sums()
        # No part of the rows has more scatter than all of them.
        self._scatter = [Fraction(int(sums.scatter[i, i]), sums.rows) for i in range(self.count)]
        self.scale = [scale_of(scatter + 1) for scatter in self._scatter]

    def price(self, rows: int) -> float:
        """Return what a parameter costs with a number of rows: half the log of that, for each copy."""
        return self._copies * half_log(rows // self._copies)

    def constant_column(self, rows: NDArray[np.bool_]) -> int | None:
        """Return a column that is constant in some rows, if there is one."""
        sums = self.columns.sums(rows)
        least = sums.rows**2 * _LEAST_VARIANCE
        return next((i for i in range(self.count) if int(sums.scatter[i, i]) < least), None)

    def kernel(self, rows: Rows, price: float, most_states: int, fine: FineUnit) -> kernels.CellFunction:
        """Return the function of some rows as the kernels take it."""
        # A variable with a single row is not scored.
        counted = rows if len(rows) > 1 else rows[:0]
        no_prior = np.empty((0, 2))
        return kernels.CellFunction(
            counted,
            np.array(self.scale, dtype=np.int32),
            self._natural(),
            log_pi_words(),
            0.0,
            no_prior,
            no_prior,
            words([]),
            price if len(counted) else 0.0,
            most_states,
            fine.bits,
            fine.guard,
        )

    def exact(self, rows: Rows, members: Sequence[int], constant: int, bits: int) -> int | None:
        """Return J of some columns in the cell of some rows, as the nearest multiple of 2^-bits; None if impossible."""
        d, m = len(members), len(rows)
        if m < d + 1:
            return None
        scatter = self.sums_of(rows).scatter
        matrix = [[int(scatter[i, j]) for j in members] for i in members]
        if any(matrix[i][i] < m * m * _LEAST_VARIANCE for i in range(d)):
            return None
        # The correlations minus a multiple of the identity are positive definite if and only if this is.
        shifted = [
            [(entry << _EIGENVALUE_BITS) - (entry if i == j else 0) for j, entry in enumerate(row)]
            for i, row in enumerate(matrix)
        ]
        if d > 1 and exact_determinant(shifted) <= 0:
            return None
        determinant = Fraction(exact_determinant(matrix), m**d)
        exponent = 2 * sum(self.columns.exponents[i] for i in members)
        return nearest_multiple(constant, Fraction(0), m / 2, determinant, exponent, bits)

    def bound(self, rows: int, cells: int, size: int) -> float:  # noqa: ARG002 (as all scores take it)
        """Return a bound on the sum of the absolute values of all cells, in nats."""
        d = min(size, self.count)
        if not d:
            return 1.0
        log_two = natural_log(2)
        logs = []
        for scatter, exponent in zip(self._scatter, self.columns.exponents, strict=True):
            unit = 2 * exponent * log_two
            largest = natural_log(scatter.numerator + 1) - natural_log(scatter.denominator) + unit
            logs.append(max(abs(largest), abs(unit + natural_log(_LEAST_VARIANCE))))
        constants = d * (3 + natural_log(max(rows, 1)))
        return 1 + rows * (largest_sum(logs, d) + d * _EIGENVALUE_BITS * log_two + constants) / 2

    def rounding(self, rows: int, cells: int, size: int, bits: int) -> float:
        """Return a bound on the error of a sum over cells whose values are multiples of 2^-bits, in nats."""
        d = min(size, self.count)
        return (cells * math.ldexp(0.5, -bits) + d * (rows + cells) * 2.0**-76) if d and rows else 0.0


class ConditionalBic(ConditionalFunctions):
    """The set functions of the conditional Gaussian BIC: of rows that are there so many times, as many times its value.

    The likelihood is that many times larger, but for the denominators of variances; so is the price of a parameter.
    """

    def __init__(self, data: MixedData, facts: ScoreFacts, copies: int = 1) -> None:
        cells = LikelihoodCells(data, copies)
        for child, is_discrete in enumerate(data.is_discrete.tolist()):
            rows = facts.fitted_rows(data.interventions, data.m, child)
            if is_discrete or np.count_nonzero(rows) < 2:
                continue
            if (constant := cells.constant_column(rows)) is not None:
                raise self._constant(data, facts, data.measured[constant], data.variables[child])
        super().__init__(data, facts, bic_of_copies(copies), cells, _TITLE)

    def _constant(self, data: MixedData, facts: ScoreFacts, name: str, child: str) -> InvalidData:
        condition = "was set" if facts.of_set_rows else "was not set"
        where = "" if data.interventions is None else f" in which {child!r} {condition}"
        remedy = f"use {argument('interventions', 'perfect')}, or leave" if facts.of_set_rows else "leave"
        return InvalidData(
            f"{name!r} has the same value in all rows{where}: {remedy} it out ({argument('drop')})", degenerate=(name,)
        )


BIC_CG = ScoreDefinition(
    name="bic-cg",
    title="conditional Gaussian BIC",
    citation="scutari2010",
    score_equivalent=True,
    functions=functions_by_kind(GaussianBic, BIC.functions, ConditionalBic),
    data_type=MixedData,
    ruled_out=edges_into_discrete,
    rule=DISCRETE_RULE,
)
