"""States of the skills, and the parts of them that items and prerequisites see.

A *state* is a set of mastered skills, as a bit mask: bit k is set if skill k is mastered. A *part* of a state is its
restriction to some skills, with their bits packed in ascending order.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dagscape.core.masks import bits


def parts(skills: int, members: int) -> NDArray[np.intp]:
    """Return, for each state of some skills, its part in a set of them.

    >>> parts(2, 0b10).tolist()
    [0, 0, 1, 1]
    """
    return parts_of(np.arange(1 << skills), members)


def parts_of(states: NDArray[np.intp], members: int) -> NDArray[np.intp]:
    """Return the parts of some states in a set of skills.

    >>> parts_of(np.array([0b1010, 0b0111]), 0b1010).tolist()
    [3, 1]
    """
    packed = np.zeros(states.shape, dtype=np.intp)
    for place, skill in enumerate(bits(members)):
        packed |= (states >> skill & 1) << place
    return packed


def mastered_counts(size: int) -> NDArray[np.int64]:
    """Return the number of mastered skills in each of the 2^size parts.

    >>> mastered_counts(2).tolist()
    [0, 1, 1, 2]
    """
    return np.bitwise_count(np.arange(1 << size)).astype(np.int64)


def mastered_share(skills: int, state_weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the share of each skill being mastered, from weights of all states.

    >>> mastered_share(2, np.array([1.0, 1.0, 1.0, 1.0])).tolist()
    [0.5, 0.5]
    """
    shares = np.empty(skills)
    for skill in range(skills):
        halves = state_weights.reshape(-1, 2, 1 << skill).sum(axis=(0, 2))
        shares[skill] = halves[1] / halves.sum()
    return shares


def flipped_states(skills: int, flipped: int) -> NDArray[np.intp]:
    """Return, for each state, the state with some skills exchanged between mastered and not mastered.

    >>> flipped_states(2, 0b01).tolist()
    [1, 0, 3, 2]
    """
    states: NDArray[np.intp] = np.arange(1 << skills, dtype=np.intp) ^ flipped
    return states


def prerequisite_strengths(skills: int, state_weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return P(skill j is not mastered | skill i is not mastered) as ``[i, j]``, from weights of all states.

    It is 0 where nobody lacks skill i.

    >>> prerequisite_strengths(2, np.array([1.0, 1.0, 0.0, 2.0])).round(2).tolist()
    [[1.0, 1.0], [0.5, 1.0]]
    """
    lacking = np.stack([parts(skills, 1 << skill) == 0 for skill in range(skills)]).astype(np.float64)
    both = (lacking * state_weights) @ lacking.T
    alone = np.diagonal(both)[:, None]
    return np.clip(np.divide(both, alone, out=np.zeros_like(both), where=alone > 0), 0.0, 1.0)
