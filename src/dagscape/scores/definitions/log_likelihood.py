r"""The maximised log-likelihood, without a penalty.

.. math:: local\_score(i, G) = \sum_{jk} N_{ijk} \ln \frac{N_{ijk}}{N_{ij}}

It never decreases when an edge is added, so it measures fit but cannot select a structure.

BIC, AIC and MDL share :func:`charged_per_parameter`. A family has (r − 1) q free parameters: the number of its joint
states minus that of its parents. A price per parameter is therefore a price per joint state of a set.
"""

from __future__ import annotations

from collections.abc import Callable

from dagscape.data.discrete.dataset import Dataset
from dagscape.scores.arithmetic.logarithms import natural_log
from dagscape.scores.definitions.cell_sums import CellSums, CellTerm, TermKind, cell_sums, same_for_parents
from dagscape.scores.definitions.definition import ScoreDefinition
from dagscape.scores.definitions.set_functions import ScoreFacts


def charged_per_parameter(price: Callable[[int], float]) -> Callable[[Dataset, ScoreFacts], CellSums]:
    """Return the set functions of the log-likelihood minus ``price(rows)`` nats for each free parameter."""
    return cell_sums(same_for_parents(lambda child: CellTerm(TermKind.ENTROPY, penalty=price(child.rows))))


def half_log(rows: int) -> float:
    """Return half the log of the number of rows: the price of a parameter in BIC and MDL."""
    return natural_log(max(rows, 1)) / 2


LOG_LIKELIHOOD = ScoreDefinition(
    name="loglik",
    title="Log-likelihood",
    citation="chow1968",
    score_equivalent=True,
    functions=charged_per_parameter(lambda rows: 0.0),
    is_evidence=False,
)
