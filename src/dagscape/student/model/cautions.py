"""What to be careful about in a fitted student model: warnings that its result keeps."""

from __future__ import annotations

import numpy as np

from dagscape.core.errors import FallingItems, FewStudents, InfiniteErrors, argument
from dagscape.core.wording import plural
from dagscape.student.input.q_matrix import QMatrix
from dagscape.student.model.parameters import Parameters, Vector

# A smaller fall of a probability is not worth a warning.
_LEAST_FALL = 0.05

# Probabilities that are nearer to 0 or 1 are at the limit of their range.
_AT_LIMIT = 1e-5

_ITEMS_NAMED = 5


def falling_items(parameters: Parameters, q_matrix: QMatrix) -> FallingItems | None:
    """Return a warning about items that students with one more of its skills solve less often."""
    items, below, above = parameters.cells.steps
    falls = parameters.correct[below] - parameters.correct[above]
    falling = np.unique(items[falls > _LEAST_FALL]).tolist()
    if not falling:
        return None
    names = ", ".join(repr(q_matrix.items[item]) for item in falling[:_ITEMS_NAMED])
    more = "" if len(falling) <= _ITEMS_NAMED else f" and {len(falling) - _ITEMS_NAMED} more"
    verb = "is" if len(falling) == 1 else "are"
    return FallingItems(
        f"{plural(len(falling), 'item')} of {len(q_matrix.items)} {verb} solved less often by students who master one "
        f"more of the skills, by up to {falls.max():.2f}: {names}{more}; check the answer key and the Q-matrix",
        f", or use {argument('monotone', True)}",
    )


def few_students(parameters: Parameters, students: int) -> FewStudents | None:
    """Return a warning about fewer students than parameters."""
    count = len(parameters.vector)
    if students >= count:
        return None
    return FewStudents(
        f"{plural(students, 'student')} determine {plural(count, 'parameter')} poorly: merge skills, or drop items "
        "that need several of them"
    )


def infinite_errors(parameters: Parameters, errors: Vector, computed: bool = True) -> InfiniteErrors | None:
    """Return a warning about probabilities without a standard error, or that none were computed.

    That nobody masters a skill without its prerequisites is no reason for one: this is what a prerequisite means.
    """
    vector = parameters.vector
    if not computed:
        return InfiniteErrors(
            f"standard errors were not computed: the model is too large for them, with "
            f"{plural(len(vector), 'probability', 'probabilities')}"
        )
    limit = (vector < _AT_LIMIT) | (vector > 1 - _AT_LIMIT)
    infinite = ~np.isfinite(errors)
    infinite[parameters.cells.count :] &= ~limit[parameters.cells.count :]
    count = int(infinite.sum())
    if not count:
        return None
    at_limit = int((infinite & limit).sum())
    reasons = [
        (at_limit, "it is 0 or 1" if at_limit == 1 else "they are 0 or 1"),
        (count - at_limit, f"the answers do not determine {'it' if count - at_limit == 1 else 'them'}"),
    ]
    parts = [(number, f"because {reason}") for number, reason in reasons if number]
    # With a single reason, the number has been said.
    why = parts[0][1] if len(parts) == 1 else " and ".join(f"{number} {reason}" for number, reason in parts)
    counted = f"{plural(count, 'probability', 'probabilities')} of {len(vector)} {'has' if count == 1 else 'have'}"
    return InfiniteErrors(f"{counted} no standard error{':' if len(parts) > 1 else ''} {why}")
