r"""BIC: the log-likelihood minus half the log of the number of rows for each free parameter [schwarz1978]_.

.. math:: local\_score(i, G) = \sum_{jk} N_{ijk} \ln \frac{N_{ijk}}{N_{ij}} - \frac{\ln m}{2} (r_i - 1) q_G

*m* is the number of rows of the family, without those in which an experiment set the child.
"""

from __future__ import annotations

from collections.abc import Callable

from dagscape.data.discrete.dataset import Dataset
from dagscape.scores.definitions.cell_sums import CellSums
from dagscape.scores.definitions.definition import ScoreDefinition
from dagscape.scores.definitions.log_likelihood import charged_per_parameter, half_log
from dagscape.scores.definitions.set_functions import ScoreFacts


def bic_of_copies(copies: int) -> Callable[[Dataset, ScoreFacts], CellSums]:
    """Return the set functions of BIC, times a number of copies, of rows that are there so many times.

    They are those of expected counts, in units of one copy: rows with missing cells are completed in several ways.
    """
    return charged_per_parameter(lambda rows: copies * half_log(rows // copies))


BIC = ScoreDefinition(
    name="bic",
    title="BIC",
    citation="schwarz1978",
    score_equivalent=True,
    functions=bic_of_copies(1),
)
