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

from typing import ClassVar

from dagscape.core.errors import argument
from dagscape.data.continuous.numeric import NumericData
from dagscape.scores.definitions.definition import ScoreDefinition
from dagscape.scores.definitions.normal_wishart import (
    ALPHA_MU,
    ALPHA_W,
    MEANS,
    NormalWishartFunctions,
)
from dagscape.scores.definitions.parameter import Parameter
from dagscape.scores.definitions.set_functions import ScoreFacts
from dagscape.scores.definitions.variable_columns import VariableColumns

STANDARDIZE, NONE = "standardize", "none"

NU = Parameter("nu", MEANS, "prior mean", -1e300, 1e300, words=(MEANS,))
SCALE = Parameter("scale", STANDARDIZE, "scale of the prior", words=(STANDARDIZE, NONE))


class Bge(NormalWishartFunctions):
    """The set functions of BGe."""

    title: ClassVar[str] = "BGe"
    remedy: ClassVar[str] = f"use {argument('scale', STANDARDIZE)}, or "
    remedy_of_constants: ClassVar[str] = f"use {argument('scale', NONE)}, or "

    def __init__(self, data: NumericData, facts: ScoreFacts) -> None:
        more = None if facts.prior_data is None else facts.prior_data.values
        columns = VariableColumns.of_numbers(data.values, more)
        standardized = facts.parameters["scale"] == STANDARDIZE
        super().__init__(data, facts, columns, nu=facts.parameters["nu"], standardized=standardized)


BGE = ScoreDefinition(
    name="bge",
    title="BGe",
    citation="geiger2002",
    score_equivalent=True,
    functions=Bge,
    data_type=NumericData,
    parameters=(ALPHA_MU, ALPHA_W, NU, SCALE),
    prior_columns=lambda data: data.n,
)
