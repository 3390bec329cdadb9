"""Whether there is a posterior under a score at all.

The posterior weighs networks by the exponentials of their scores. A score such as the node-average likelihood ranks
networks, but its differences are no log odds; what computes probabilities refuses it.
"""

from __future__ import annotations

from dagscape.core.errors import InvalidOption, NoProbabilities, argument, function
from dagscape.results.score_info import ScoreInfo
from dagscape.scores.registry import SCORES


def why_no_posterior(info: ScoreInfo | str | None) -> str:
    """Return why there is no posterior under a score, as a clause; an empty string if there is, or nothing is known.

    >>> why_no_posterior("bdeu"), why_no_posterior("pnal")
    ('', "'pnal' is the average log-likelihood of a row, not a probability of the data")
    """
    name = str(info.score if isinstance(info, ScoreInfo) else info).lower()
    clause = SCORES[name].why_no_posterior if name in SCORES else ""
    return f"{name!r} {clause}" if clause else ""


def check_posterior(info: ScoreInfo | str | None) -> None:
    """Refuse scores under which there is no posterior.

    Parameters
    ----------
    info : ScoreInfo, str or None
        What is known of the scores, or their name.
    """
    if reason := why_no_posterior(info):
        raise InvalidOption(
            f"there are no probabilities of networks under this score, because {reason}: use {function('learn')}, "
            f"{function('optimal_network')} or {function('k_best')} with {argument('space', 'dags')}, or a score such "
            f"as {argument('score', 'bdeu')} or {argument('score', 'bge')} with {function('chain')} and "
            f"{argument('missing', 'sample')}"
        )


def meaningless_shares(info: ScoreInfo) -> NoProbabilities | None:
    """Return a warning if the scores of a list of networks are no log odds."""
    if not (reason := why_no_posterior(info)):
        return None
    return NoProbabilities(
        f"{reason}: the order of these networks counts, but ratios, shares and averages over them mean nothing"
    )
