r"""K2: the Bayesian Dirichlet score whose parameters are all 1 [cooper1992]_.

.. math:: local\_score(i, G) = \sum_j \Bigl[ \ln\frac{(r_i - 1)!}{(N_{ij} + r_i - 1)!} + \sum_k \ln N_{ijk}! \Bigr]

Each cell of the family contributes lnΓ(N + 1), and each cell of the parents lnΓ(N + r) − lnΓ(r). The latter depends on
the number r of the child's levels, so the score is not score-equivalent.
"""

from __future__ import annotations

from dagscape.scores.definitions.cell_sums import CellTerm, ChildFacts, TermKind, cell_sums
from dagscape.scores.definitions.definition import ScoreDefinition


def _terms(child: ChildFacts) -> tuple[CellTerm, CellTerm]:
    return (
        CellTerm(TermKind.DIRICHLET_CONSTANT, 1.0),
        CellTerm(TermKind.DIRICHLET_CONSTANT, float(child.arity)),
    )


K2 = ScoreDefinition(name="k2", title="K2", citation="cooper1992", score_equivalent=False, functions=cell_sums(_terms))
