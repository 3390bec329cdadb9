"""The table of scores, which the command line, the documentation and the contract tests read."""

from __future__ import annotations

from dagscape.core.errors import InvalidOption, did_you_mean
from dagscape.scores.definitions.aic import AIC
from dagscape.scores.definitions.bdeu import BDEU
from dagscape.scores.definitions.bge import BGE
from dagscape.scores.definitions.bic import BIC
from dagscape.scores.definitions.bic_cg import BIC_CG
from dagscape.scores.definitions.bic_g import BIC_G
from dagscape.scores.definitions.cg import CG
from dagscape.scores.definitions.definition import ScoreDefinition
from dagscape.scores.definitions.dg import DG
from dagscape.scores.definitions.dg_bge import DG_BGE
from dagscape.scores.definitions.k2 import K2
from dagscape.scores.definitions.log_likelihood import LOG_LIKELIHOOD
from dagscape.scores.definitions.mdl import MDL
from dagscape.scores.definitions.pnal import PNAL

SCORES: dict[str, ScoreDefinition] = {
    definition.name: definition
    for definition in (BDEU, K2, BIC, AIC, MDL, LOG_LIKELIHOOD, BGE, BIC_G, DG, DG_BGE, CG, BIC_CG, PNAL)
}


def find_score(name: str) -> ScoreDefinition:
    """Return the definition of a score by its name, which is not case-sensitive."""
    definition = SCORES.get(str(name).lower())
    if definition is None:
        known = ", ".join([*SCORES, "auto"]) + did_you_mean(name, [*SCORES, "auto"])
        raise InvalidOption(f"is {name!r}; it must be one of {known}", option="score")
    return definition
