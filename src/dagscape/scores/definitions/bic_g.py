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

from decimal import Decimal, localcontext
from typing import ClassVar

from dagscape.data.continuous.numeric import NumericData
from dagscape.scores.arithmetic.decimals import context, decimal_log, fixed, log_of_pi
from dagscape.scores.definitions.definition import ScoreDefinition
from dagscape.scores.definitions.likelihoods import LikelihoodFunctions
from dagscape.scores.definitions.set_functions import ScoreFacts
from dagscape.scores.definitions.variable_columns import VariableColumns


class GaussianBic(LikelihoodFunctions):
    """The set functions of the Gaussian BIC."""

    title: ClassVar[str] = "the Gaussian BIC"

    def __init__(self, data: NumericData, facts: ScoreFacts) -> None:
        super().__init__(data, facts, VariableColumns.of_numbers(data.values))

    def constants(self, rows: int, columns: int) -> tuple[int | None, ...]:
        """Return the sum of c(p) over p < size, for each size; None for sets that are impossible."""
        constants: list[int | None] = [0]
        with localcontext(context()):
            total, log_rows, log_two_pi = Decimal(0), decimal_log(rows), decimal_log(2) + log_of_pi()
            for p in range(min(columns, rows - 1)):
                freedom = rows - p - 1
                total -= rows * (log_two_pi - decimal_log(freedom)) / 2 + Decimal(freedom) / 2 + (p + 2) * log_rows / 2
                constants.append(fixed(total))
        return (*constants, *(None,) * (columns + 1 - len(constants)))


BIC_G = ScoreDefinition(
    name="bic-g",
    title="Gaussian BIC",
    citation="schwarz1978",
    score_equivalent=True,
    functions=GaussianBic,
    data_type=NumericData,
)
