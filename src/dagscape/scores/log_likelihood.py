r"""The maximised log-likelihood: every parameter fitted, nothing charged for it.

.. math:: local\_score(i, G) = \sum_{jk} N_{ijk} \ln \frac{N_{ijk}}{N_{ij}}

It never falls when an edge is added: useful to measure fit, not to choose a structure.

:func:`charged_per_parameter` is what BIC, AIC and MDL share: a family has (r − 1) q free parameters, which is the
number of its joint states less that of its parents alone, so that a price per parameter is a price per state of a set.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from dagscape.data.dataset import Dataset
from dagscape.scores.cell_sums import CellSums, CellTerm, TermKind, cell_sums, same_for_parents
from dagscape.scores.definition import ScoreDefinition
from dagscape.scores.set_functions import ScoreFacts


def charged_per_parameter(price: Callable[[int], float]) -> Callable[[Dataset, ScoreFacts], CellSums]:
    """The set functions of a log-likelihood less ``price(rows)`` nats for each free parameter."""
    return cell_sums(same_for_parents(lambda child: CellTerm(TermKind.ENTROPY, penalty=price(child.rows))))


def half_log(rows: int) -> float:
    """Half the log of the number of rows: what a parameter costs in BIC and MDL."""
    return math.log(max(rows, 1)) / 2


LOG_LIKELIHOOD = ScoreDefinition(
    name="loglik",
    title="Log-likelihood",
    citation="chow1968",
    score_equivalent=True,
    functions=charged_per_parameter(lambda rows: 0.0),
)
