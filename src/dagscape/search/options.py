"""The options of :func:`dagscape.learn`: those of the scores, and those of the method."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dagscape.core.constraints import check_options
from dagscape.core.errors import InvalidOption, did_you_mean, function
from dagscape.scores.scoring_job import scoring_options
from dagscape.search.learner import Learner
from dagscape.search.registry import LEARNERS


def split_options(learner: Learner, options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the options of the scores, and those of the method, which are checked."""
    known, of_scores = learner.options, scoring_options()
    scoring = {name: value for name, value in options.items() if name in of_scores}
    chosen = {name: value for name, value in options.items() if name not in scoring}
    for name in chosen:
        if name not in known:
            raise InvalidOption(f"method {learner.name!r} has no option {name!r}{_hint(learner, name)}")
    check_options(learner.constraints, chosen)
    return scoring, chosen


def _hint(learner: Learner, name: str) -> str:
    """Return the end of a sentence about an unknown option: whose it is, a similar one, or those of the method."""
    if owners := [repr(other.name) for other in LEARNERS.values() if name in other.options]:
        return f"; it is an option of {' and '.join(owners)}"
    if similar := did_you_mean(name, [*learner.options, *scoring_options()]):
        return similar
    own = ", ".join(map(repr, learner.options))
    return f"; its options are {own + ' and ' if own else ''}those of {function('local_scores')}"
