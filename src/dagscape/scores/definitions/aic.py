r"""AIC: the log-likelihood minus one nat for each free parameter [akaike1974]_.

.. math:: local\_score(i, G) = \sum_{jk} N_{ijk} \ln \frac{N_{ijk}}{N_{ij}} - (r_i - 1) q_G
"""

from __future__ import annotations

from dagscape.scores.definitions.definition import ScoreDefinition
from dagscape.scores.definitions.log_likelihood import charged_per_parameter

AIC = ScoreDefinition(
    name="aic",
    title="AIC",
    citation="akaike1974",
    score_equivalent=True,
    functions=charged_per_parameter(lambda rows: 1.0),
    is_evidence=False,
)
