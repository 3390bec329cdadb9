r"""BIC: the log-likelihood minus half the log of the number of rows for each free parameter [schwarz1978]_.

.. math:: local\_score(i, G) = \sum_{jk} N_{ijk} \ln \frac{N_{ijk}}{N_{ij}} - \frac{\ln m}{2} (r_i - 1) q_G

*m* is the number of rows of the family, without those in which an experiment set the child.
"""

from __future__ import annotations

from dagscape.scores.definitions.definition import ScoreDefinition
from dagscape.scores.definitions.log_likelihood import charged_per_parameter, half_log

BIC = ScoreDefinition(
    name="bic",
    title="BIC",
    citation="schwarz1978",
    score_equivalent=True,
    functions=charged_per_parameter(half_log),
)
