r"""The degenerate Gaussian score of mixed tables [andrews2019]_: a BIC of normal columns that stand for the levels.

A variable with *k* observed levels becomes *k* − 1 indicator columns, and a measured variable one column of its
numbers (``variable_columns.py``). All columns :math:`E(S)` of a set *S* are treated as jointly normal. With their
maximum-likelihood covariance :math:`Σ`, *m* rows and :math:`d = |E(S)|` columns,

.. math:: J(S) = -\frac m2 \ln |Σ_{E(S)}| - λ \, \frac{\ln m}2 \, \frac{d (d + 1)}2

and the score of a family is :math:`J(P ∪ v) - J(P)`: Markov-equivalent networks score alike, and edges may lead from
any variable to any other. λ is the parameter ``penalty``. Constants that are the same for all networks are left out,
as in the paper: the density of a column is that of the score plus :math:`-\frac m2 (1 + \ln 2π)`.

Which level has no column does not matter. Columns that are linearly dependent, such as those of variables that say the
same, are refused by name; the Bayesian form (``dg_bge.py``) takes them.
"""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from typing import ClassVar

from dagscape.data.mixed.mixed import MixedData
from dagscape.scores.arithmetic.decimals import context, decimal_log, decimal_of, fixed
from dagscape.scores.definitions.definition import ScoreDefinition
from dagscape.scores.definitions.likelihoods import LikelihoodFunctions
from dagscape.scores.definitions.parameter import Parameter
from dagscape.scores.definitions.set_functions import ScoreFacts
from dagscape.scores.definitions.variable_columns import VariableColumns, normal_levels

PENALTY = Parameter("penalty", 1.0, "multiple of (ln m)/2 that a parameter costs", 0.01, 100.0)


class DegenerateGaussian(LikelihoodFunctions):
    """The set functions of the degenerate Gaussian score."""

    title: ClassVar[str] = "the degenerate Gaussian score"
    of_covariance: ClassVar[bool] = True

    def __init__(self, data: MixedData, facts: ScoreFacts) -> None:
        self._penalty = Fraction(facts.parameters["penalty"])
        super().__init__(data, facts, VariableColumns.of_mixed(data))

    def constants(self, rows: int, columns: int) -> tuple[int | None, ...]:
        """Return the price of the parameters of each number of columns; None for sets that are impossible."""
        possible = min(columns, rows - 1)
        with localcontext(context()):
            price = decimal_of(self._penalty) * decimal_log(rows) / 2
            prices = [fixed(-price * Decimal(d * (d + 1) // 2)) for d in range(possible + 1)]
        return (*prices, *(None,) * (columns - possible))


DG = ScoreDefinition(
    name="dg",
    title="degenerate Gaussian",
    citation="andrews2019",
    score_equivalent=True,
    functions=DegenerateGaussian,
    data_type=MixedData,
    parameters=(PENALTY,),
    caution=normal_levels,
)
