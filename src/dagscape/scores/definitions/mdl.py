r"""MDL: the negative description length of network and data, as in section 5 of [munteanu2000]_.

.. math:: -local\_score(i, G) = \ln n + \ln\binom{n}{|G|} + \frac{\ln m}{2} (r_i - 1) q_G
          - \sum_{jk} N_{ijk} \ln \frac{N_{ijk}}{N_{ij}}

The paper minimises the description length; here, as everywhere, higher is better and logarithms are natural. The
magnitude of its printed values suggests logarithms to base 2: to compare with its tables, divide ours by −ln 2.

Notation: the paper's N is our *m* (rows), its ‖X‖ our arity *r*, its ‖Pa‖ our number *q* of states of the parents; its
N·H(X|Pa) is the negative log-likelihood.
"""

from __future__ import annotations

import math

from dagscape.scores.arithmetic.logarithms import natural_log
from dagscape.scores.definitions.definition import ScoreDefinition
from dagscape.scores.definitions.log_likelihood import charged_per_parameter, half_log


def _size_cost(n: int, parents: int) -> float:
    return natural_log(n) + natural_log(math.comb(n, parents))


MDL = ScoreDefinition(
    name="mdl",
    title="MDL",
    citation="munteanu2000",
    score_equivalent=True,
    functions=charged_per_parameter(half_log),
    size_cost=_size_cost,
)
