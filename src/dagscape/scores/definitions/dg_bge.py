r"""The degenerate Gaussian score of mixed tables as a marginal likelihood: BGe of the columns of :math:`E(S)`.

The columns of a set of variables, one for a measured variable and *k* − 1 indicators for one with *k* observed levels,
are those of [andrews2019]_ (``dg.py``). Their BIC is replaced by the marginal likelihood of normal columns
(``normal_wishart.py``), with ν the means of the columns. A variable's part of the prior matrix *T* is *t* times the
sample covariance of its own columns, so that neither units nor the choice of the level without a column matter. The
default of ``alpha_w`` is *N* + 2, with *N* the number of columns of all variables together. If all variables are
measured, the score is BGe.

It is the evidence of an approximate model: indicators are not normal. It is score-equivalent, edges may lead from any
variable to any other, and columns that are linearly dependent do no harm.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from dagscape.data.mixed.mixed import MixedData
from dagscape.scores.definitions.definition import ScoreDefinition
from dagscape.scores.definitions.normal_wishart import ALPHA_MU, ALPHA_W, NormalWishartFunctions
from dagscape.scores.definitions.set_functions import ScoreFacts
from dagscape.scores.definitions.variable_columns import VariableColumns, normal_levels


class DegenerateBge(NormalWishartFunctions):
    """The set functions of the degenerate Gaussian marginal likelihood."""

    title: ClassVar[str] = "the degenerate Gaussian score"

    def __init__(self, data: MixedData, facts: ScoreFacts) -> None:
        columns = VariableColumns.of_mixed(data, facts.prior_data)
        of_prior = None if facts.prior_data is None else np.arange(len(columns.columns.integers)) >= data.m
        super().__init__(data, facts, columns.independent(of_prior))


DG_BGE = ScoreDefinition(
    name="dg-bge",
    title="degenerate Gaussian BGe",
    citation="andrews2019",
    score_equivalent=True,
    functions=DegenerateBge,
    data_type=MixedData,
    parameters=(ALPHA_MU, ALPHA_W),
    prior_columns=lambda data: data.indicator_count + len(data.measured),
    caution=normal_levels,
)
