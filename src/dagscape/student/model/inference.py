"""What a student model says of students: their skills, their other answers, and what to ask next.

All of it follows from the posterior of the skills of each item given a student's answers. Students with equal answers
are computed once.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dagscape.student.input.answers import Answers
from dagscape.student.learning.e_step import Expectation
from dagscape.student.model.parameters import Parameters

Array = NDArray[np.float64]

# Digits of predicted probabilities; rounding errors are a thousand times smaller.
_DIGITS = 12


def mastery_probabilities(expectation: Expectation, parameters: Parameters) -> Array:
    """Return, for each student and skill, the probability that the skill is mastered."""
    each, _ = expectation.marginals(parameters, [1 << skill for skill in range(expectation.skills)])
    return np.stack([one[:, 1] for one in each], axis=1)[expectation.place]


def state_probabilities(expectation: Expectation, parameters: Parameters) -> Array:
    """Return, for each student, the probability of each of the 2^K states."""
    return expectation.states(parameters, 0, expectation.pattern_count)[expectation.place]


def most_probable_states(
    expectation: Expectation, parameters: Parameters, block: int
) -> tuple[NDArray[np.intp], Array]:
    """Return, for each student, the most probable state and its probability; of equal ones the first.

    Parameters
    ----------
    expectation, parameters
        The answers, and the model.
    block : int
        The number of patterns whose states are in memory at the same time.
    """
    states = np.empty(expectation.pattern_count, dtype=np.intp)
    highest = np.empty(expectation.pattern_count)
    for first in range(0, expectation.pattern_count, block):
        count = min(block, expectation.pattern_count - first)
        probabilities = expectation.states(parameters, first, count)
        states[first : first + count] = probabilities.argmax(axis=1)
        highest[first : first + count] = probabilities.max(axis=1)
    return states[expectation.place], highest[expectation.place]


def predicted_answers(expectation: Expectation, parameters: Parameters, answers: Answers) -> Array:
    """Return, for each student and item, the probability of a correct answer given the student's *other* answers.

    An answer depends on the skills of its item only. Dividing their posterior by the likelihood of the answer itself
    leaves what the other answers say of them.
    """
    cells = parameters.cells
    marginals, _ = expectation.marginals(parameters, list(cells.masks))
    patterns, _, _ = answers.patterns()
    predicted = np.empty(patterns.shape)
    for item, inside in enumerate(marginals):
        correct = parameters.correct[cells.of(item)]
        answer = patterns[:, item, None]
        own = np.where(answer == 1, correct, np.where(answer == 0, 1 - correct, 1.0))
        others = inside / own
        predicted[:, item] = (others * correct).sum(axis=1) / others.sum(axis=1)
    # Predictions that differ by rounding errors are equal. Otherwise the answer itself would break their ties.
    return predicted.round(_DIGITS)[expectation.place]


def expected_information(expectation: Expectation, parameters: Parameters) -> Array:
    """Return, for each student and item, the mutual information between the answer and the skills, in nats.

    Given what the student has answered so far. It is H(answer) − H(answer | skills of the item).
    """
    cells = parameters.cells
    marginals, _ = expectation.marginals(parameters, list(cells.masks))
    gained = np.empty((expectation.pattern_count, len(cells.masks)))
    for item, inside in enumerate(marginals):
        correct = parameters.correct[cells.of(item)]
        gained[:, item] = _entropy(inside @ correct) - inside @ _entropy(correct)
    # Differences of equal entropies are zero up to rounding.
    return np.maximum(gained, 0.0)[expectation.place]


def _entropy(p: Array) -> Array:
    """Return the entropy of a yes-no question, in nats."""
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(p > 0, p * np.log(p), 0.0) + np.where(p < 1, (1 - p) * np.log1p(-p), 0.0)
    return np.asarray(-terms)
