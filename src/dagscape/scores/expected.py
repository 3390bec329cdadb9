r"""Scores of incomplete rows: BIC of expected statistics, and of the observed cells.

Structural EM [friedman1997em]_ scores candidates by their *expected* statistics, given what the rows show and a current
network. Here the rows are completed, each in several ways, which together weigh as much as one row: the scores of the
completed rows are those of expected statistics, with the same kernels, exact integers and ties as others.

What it maximises is the *observed score* of a structure, BIC with the likelihood of the observed cells,

.. math:: \ln P(\text{observed cells} \mid \hat θ) - \sum_v \frac{\ln m_v}{2} k_v + \ln P(G),

with :math:`k_v` parameters of a variable, and :math:`m_v` rows in which it was not set. It falls apart into families
for complete rows only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from dagscape.core.errors import InvalidOption, argument
from dagscape.data.any_data import AnyData
from dagscape.data.continuous.numeric import NumericData
from dagscape.data.discrete.dataset import Dataset
from dagscape.data.mixed.mixed import MixedData
from dagscape.scores.choice import AUTO_SCORE
from dagscape.scores.definitions.bic import BIC, bic_of_copies
from dagscape.scores.definitions.bic_cg import BIC_CG, ConditionalBic
from dagscape.scores.definitions.bic_g import BIC_G
from dagscape.scores.definitions.definition import ScoreDefinition
from dagscape.scores.scoring_job import ScoringJob, copied_job, prepare

EXPECTED_SCORES: dict[type, ScoreDefinition] = {Dataset: BIC, NumericData: BIC_G, MixedData: BIC_CG}

_OF_COPIES: dict[type, Callable[[int], Callable[..., Any]]] = {
    Dataset: bic_of_copies,
    MixedData: lambda copies: partial(ConditionalBic, copies=copies),
}


def kind_to_complete(data: object, score: str | None) -> type:
    """Return the kind of data whose expected statistics are scored, by what a user gave.

    Parameters
    ----------
    data : object
        The data; files and frames are discrete unless the score says otherwise.
    score : str or None
        The score, if it was given.

    Examples
    --------
    >>> kind_to_complete("survey.csv", None).__name__, kind_to_complete("survey.csv", "bic-g").__name__
    ('Dataset', 'NumericData')
    """
    if score is None:
        return next((kind for kind in EXPECTED_SCORES if isinstance(data, kind)), Dataset)
    if score == AUTO_SCORE:
        return next((kind for kind in EXPECTED_SCORES if isinstance(data, kind)), MixedData)
    found = next((kind for kind, definition in EXPECTED_SCORES.items() if definition.name == str(score).lower()), None)
    if found is None:
        names = [repr(definition.name) for definition in EXPECTED_SCORES.values()]
        raise InvalidOption(
            f"is {score!r}; with {argument('missing', 'em')}, it must be {names[0]} (discrete data), {names[1]} "
            f"(numbers) or {names[2]} (mixed tables): structural EM maximises the likelihood of the observed "
            "cells minus a penalty",
            option="score",
        )
    return found


def expected_job(completed: AnyData, copies: int, options: Mapping[str, Any]) -> ScoringJob:
    """Return the job that scores completed rows.

    Parameters
    ----------
    completed : Dataset, NumericData or MixedData
        The rows, each so many times.
    copies : int
        How many times.
    options : mapping
        The options of :func:`dagscape.local_scores` besides the score.
    """
    kind = type(completed)
    job = prepare(completed, score=EXPECTED_SCORES[kind].name, **options)
    if job.interventions != "perfect":
        raise InvalidOption(f"must be 'perfect' with {argument('missing', 'em')}", option="interventions")
    if job.prior.families:
        raise InvalidOption(
            f"must be a named prior or log-odds of edges with {argument('missing', 'em')}", option="structure_prior"
        )
    return job if copies == 1 else copied_job(job, copies, _OF_COPIES[kind](copies))
