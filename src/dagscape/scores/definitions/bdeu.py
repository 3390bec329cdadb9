r"""BDeu: the Bayesian Dirichlet score whose equivalent sample size is uniform over joint states [heckerman1995]_.

.. math:: local\_score(i, G) = \sum_j \Bigl[ \ln\frac{Γ(α_{ij})}{Γ(N_{ij} + α_{ij})}
          + \sum_k \ln\frac{Γ(N_{ijk} + α_{ijk})}{Γ(α_{ijk})} \Bigr]

:math:`α_{ijk} = ess / (r_i q_i)` is the equivalent sample size divided by the number of joint states of the family, and
:math:`α_{ij} = ess / q_i` the same for the parents. Each half of the score is therefore a function of one set.

Notation: *j* runs over the states of the parents *G*, *k* over the levels of the child *i*; N are counts of rows.
"""

from __future__ import annotations

from dagscape.scores.definitions.cell_sums import CellTerm, TermKind, cell_sums, same_for_parents
from dagscape.scores.definitions.definition import ScoreDefinition
from dagscape.scores.definitions.parameter import Parameter

ESS = Parameter(
    "ess", default=1.0, meaning="equivalent sample size", low=1e-9, high=1e9, compared=(0.5, 2.0, 8.0, 32.0)
)

BDEU = ScoreDefinition(
    name="bdeu",
    title="BDeu",
    citation="heckerman1995",
    score_equivalent=True,
    functions=cell_sums(same_for_parents(lambda child: CellTerm(TermKind.DIRICHLET_SHARED, child.parameters["ess"]))),
    parameters=(ESS,),
)
