"""The table of scores, which the command line, the documentation and the contract tests read."""

from __future__ import annotations

from dagscape.core.errors import InvalidOption, did_you_mean
from dagscape.scores.aic import AIC
from dagscape.scores.bdeu import BDEU
from dagscape.scores.bic import BIC
from dagscape.scores.definition import ScoreDefinition
from dagscape.scores.k2 import K2
from dagscape.scores.log_likelihood import LOG_LIKELIHOOD
from dagscape.scores.mdl import MDL

SCORES: dict[str, ScoreDefinition] = {
    definition.name: definition for definition in (BDEU, K2, BIC, AIC, MDL, LOG_LIKELIHOOD)
}


def find_score(name: str) -> ScoreDefinition:
    """Return the definition of a score by its name, which is not case-sensitive."""
    definition = SCORES.get(str(name).lower())
    if definition is None:
        known = ", ".join(SCORES) + did_you_mean(name, SCORES)
        raise InvalidOption(f"is {name!r}; it must be one of {known}", option="score")
    return definition
