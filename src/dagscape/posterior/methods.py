"""The records of the methods of this package."""

from __future__ import annotations

from dagscape.methods import Method
from dagscape.posterior.backends import SUMMED_OVER
from dagscape.posterior.requirements import largest_sums, planned_requirements
from dagscape.posterior.result import Posterior
from dagscape.posterior.summing import posterior
from dagscape.posterior.trial import sum_seconds

POSTERIOR = Method(
    "posterior",
    posterior,
    Posterior,
    planned_requirements,
    sum_seconds,
    options={"over": SUMMED_OVER},
    places=("backend", "ranks", "card_memory"),
    largest=largest_sums,
    citations=("tian2009", "koivisto2004", "koivisto2006"),
)
