"""Standard errors of the parameters, from the scores of the students.

The derivative of a student's log-likelihood with respect to a probability p is
P(1 | answers)/p − P(0 | answers)/(1 − p), where 1 and 0 are the outcomes in the cell that p belongs to. The sum of the
outer products of these scores estimates the information matrix, and its inverse the covariance of the estimates.
Parameters at a limit of their range have no standard error, nor have those that the answers do not determine: theirs is
infinite. Probabilities of an item that must not fall as skills are added, and are equal for that reason, are one
parameter: their error is that of a model in which they are equal.

The answers do not determine a parameter that has a part in a direction without information, up to rounding errors, nor
one whose likelihood is so flat that the search for the maximum could have ended anywhere in its range.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dagscape.core.masks import bits
from dagscape.student.learning.e_step import Expectation
from dagscape.student.model.parameters import Parameters, Vector
from dagscape.student.model.skill_states import parts

# Probabilities that are nearer to 0 or 1 are at the limit of their range.
_AT_LIMIT = 1e-5
# Directions of parameters with less information than this share of the most are not determined.
_UNDETERMINED = 1e-10
# The least score of a student, on average, that is more than rounding errors.
_LEAST_SCORE = 1e-8
# A function has no part in a direction if its derivative there is less than this share of the whole.
_NO_PART = 1e-3
# By a change of δ, the log-likelihood falls by δ²/2s², where s is the standard error. If a probability can cross its
# whole range, δ = 1, for less than a millionth, the default tolerance of EM, then EM has not found its maximum.
_LARGEST_ERROR = (2 * 1e-6) ** -0.5
# Larger models have no standard errors: the information matrix has a row for each parameter, and the scores of the
# students have a number for each of them and each parameter.
_MOST_PARAMETERS = 2000
_MOST_SCORES = 1 << 27


@dataclass(frozen=True, slots=True)
class StandardErrors:
    """Standard errors; infinite where there is none, and everywhere if they were not computed.

    Attributes
    ----------
    parameters : array
        Of all parameters, in the order of the vector.
    mastery : array
        Of the share of students who have mastered each skill.
    computed : bool
        False if the model is too large for them.
    """

    parameters: Vector
    mastery: Vector
    computed: bool = True


def standard_errors(
    expectation: Expectation, parameters: Parameters, patterns: NDArray[np.int8], weights: NDArray[np.int64]
) -> StandardErrors:
    """Return the standard errors at the maximum of the likelihood."""
    count, skills = len(parameters.vector), expectation.skills
    errors = np.full(count, np.inf)
    free = np.flatnonzero((parameters.vector > _AT_LIMIT) & (parameters.vector < 1 - _AT_LIMIT))
    computed = count <= _MOST_PARAMETERS and count * len(patterns) <= _MOST_SCORES
    if not computed or not free.size:
        return StandardErrors(errors, np.full(skills, np.inf), computed)
    together, place = np.unique(_groups(parameters)[free], return_inverse=True)
    joined = np.zeros((len(free), len(together)))
    joined[np.arange(len(free)), place] = 1.0
    scores = _scores(expectation, parameters, patterns)[:, free] @ joined
    covariance = _Covariance((scores * weights[:, None]).T @ scores, int(weights.sum()))
    errors[free] = covariance.errors(np.eye(len(together)))[place]
    return StandardErrors(errors, covariance.errors(_mastery_derivatives(parameters, skills)[:, free] @ joined))


def _groups(parameters: Parameters) -> NDArray[np.intp]:
    """Return the group of each parameter: those that a constraint keeps equal are one parameter."""
    groups = np.arange(len(parameters.vector))
    cells = parameters.cells
    if cells.monotone:
        groups[: cells.count] = cells.equal_neighbours(parameters.correct)
    return groups


class _Covariance:
    """The inverse of the information matrix, where it has one."""

    def __init__(self, information: NDArray[np.float64], students: int) -> None:
        # Scaled to correlations, so that the test of determination does not depend on the scale of a parameter. Scores
        # below the least are rounding errors, and remain small.
        self._scale = np.maximum(np.sqrt(np.diagonal(information)), _LEAST_SCORE * np.sqrt(students))
        values, vectors = np.linalg.eigh(information / np.outer(self._scale, self._scale))
        determined = values > _UNDETERMINED * values[-1]
        self._undetermined = vectors[:, ~determined]
        self._roots = vectors[:, determined] / np.sqrt(values[determined])

    def errors(self, gradients: NDArray[np.float64]) -> Vector:
        """Return the standard errors of functions of the parameters, of which the rows are the derivatives.

        The functions are probabilities. One is determined if it does not change in any undetermined direction, and if
        its error is not too large to say anything.
        """
        scaled = gradients / self._scale
        lengths = np.linalg.norm(scaled, axis=1)
        lost = np.linalg.norm(scaled @ self._undetermined, axis=1)
        spread = np.linalg.norm(scaled @ self._roots, axis=1)
        determined = (lengths > 0) & (lost < _NO_PART * lengths) & (spread <= _LARGEST_ERROR)
        found: Vector = np.where(determined, spread, np.inf)
        return found


def _scores(expectation: Expectation, parameters: Parameters, patterns: NDArray[np.int8]) -> NDArray[np.float64]:
    """Return the derivative of the log-likelihood of each pattern with respect to each parameter."""
    cells, tables = parameters.cells, parameters.tables
    families = [mask | 1 << skill for skill, mask in enumerate(tables.parents)]
    marginals, _ = expectation.marginals(parameters, [*cells.masks, *families])
    columns = []
    for item, inside in enumerate(marginals[: len(cells.masks)]):
        correct = parameters.correct[cells.of(item)]
        answer = patterns[:, item, None]
        columns.append(inside * ((answer == 1) / correct - (answer == 0) / (1 - correct)))
    for skill, inside in enumerate(marginals[len(cells.masks) :]):
        table = _limited(tables.split(parameters.mastery)[skill])
        place = sum(1 for other in bits(tables.parents[skill]) if other < skill)
        halves = inside.reshape(len(inside), -1, 2, 1 << place)
        without, given = (halves[:, :, state, :].reshape(len(inside), -1) for state in (0, 1))
        columns.append(given / table - without / (1 - table))
    return np.concatenate(columns, axis=1)


def _mastery_derivatives(parameters: Parameters, skills: int) -> NDArray[np.float64]:
    """Return the derivative of the share of masters of each skill with respect to each parameter."""
    tables, prior = parameters.tables, parameters.prior()
    derivatives = np.zeros((skills, len(parameters.vector)))
    mastered = np.stack([parts(skills, 1 << skill) for skill in range(skills)]).astype(np.float64)
    start = parameters.cells.count
    for skill, table in enumerate(tables.split(parameters.mastery)):
        table = _limited(table)
        place = parts(skills, tables.parents[skill])
        change = prior * np.where(mastered[skill] == 1, 1 / table[place], -1 / (1 - table[place]))
        for target in range(skills):
            derivatives[target, start : start + len(table)] = np.bincount(place, change * mastered[target], len(table))
        start += len(table)
    return derivatives


def _limited(table: Vector) -> Vector:
    """Return a table without zeros and ones; parameters at a limit are not used."""
    limited: Vector = np.clip(table, _AT_LIMIT / 2, 1 - _AT_LIMIT / 2)
    return limited
