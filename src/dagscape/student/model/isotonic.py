r"""Probabilities that do not fall as skills are added: isotonic regression on the sets of an item's skills.

*Problem.* An item with k skills has a probability of a correct answer in each of the :math:`2^k` states of its skills.
Given a share :math:`y_s` of correct answers and a weight :math:`w_s` for each state, find the probabilities :math:`x_s`
of the highest likelihood :math:`\sum_s w_s (y_s \ln x_s + (1 - y_s) \ln(1 - x_s))` among those with
:math:`x_s \le x_t` wherever the skills of s are among those of t. They are also those with the least
:math:`\sum_s w_s (x_s - y_s)^2` [robertson1988]_, theorem 1.5.1.

*Recursion* [spouge2003]_. Let m be the weighted mean of the shares of a block of states, and U its upper set with the
largest :math:`g(U) = \sum_{s \in U} w_s (y_s - m)`; an upper set has, with a state, all states of the block above it.
If :math:`g(U) = 0`, all states of the block have the probability m. Otherwise no state of U has less than m, and no
other one more: the two parts are blocks of their own.

*Cost.* The upper sets of k skills are listed once: 3, 6, 20, 168 and 7581 for k = 1 to 5. Their gains are sums of those
of two upper sets of k - 1 skills. A round computes them for all blocks of all tables; there are at most :math:`2^k`
rounds, usually a few.

Gains below 1e-14 times the weight of a block are rounding errors. What these leave behind is removed at the end: the
result never falls.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

Table = NDArray[np.float64]

# The upper sets of more skills are too many to list.
MOST_SKILLS = 5

_ROUNDING = 1e-14
# The weight of a state in which nobody is, beside the largest: it keeps its share where that is possible.
_LEAST_WEIGHT = 1e-12


def isotonic(shares: Table, weights: Table) -> Table:
    """Return the best probabilities that do not fall as skills are added, for many tables of one size.

    Parameters
    ----------
    shares, weights : array of shape (tables, 2^k)
        The share and the weight of each state; bit j of the number of a state is skill j.

    Examples
    --------
    The state with the first skill only has a lower share than the one without skills: both get their weighted mean.

    >>> isotonic(np.array([[0.4, 0.1, 0.5, 0.9]]), np.array([[10.0, 20.0, 5.0, 5.0]])).round(3).tolist()
    [[0.2, 0.2, 0.5, 0.9]]
    """
    skills = shares.shape[1].bit_length() - 1
    half, without, given = _halves(skills)
    sets = _upper_sets(skills)
    below, above = _steps(skills)
    falls = shares[:, above] < shares[:, below]
    heavy = np.maximum(weights, _LEAST_WEIGHT * np.maximum(weights.max(axis=1, keepdims=True), 1.0))
    found = shares.copy()
    tables = np.arange(len(shares))
    blocks = np.ones(shares.shape)
    while True:
        # Where no share of a block falls, they are what is looked for.
        falling = (blocks[:, below] * blocks[:, above] * falls[tables]).any(axis=1)
        tables, blocks = tables[falling], blocks[falling]
        if not len(tables):
            return _without_falls(found)
        inside = heavy[tables] * blocks
        means = (inside * shares[tables]).sum(axis=1, keepdims=True) / inside.sum(axis=1, keepdims=True)
        low, high = (part @ half.T for part in np.split(inside * (shares[tables] - means), 2, axis=1))
        gains = low[:, without] + high[:, given]
        upper = sets[gains.argmax(axis=1)]
        parts = blocks * upper, blocks * (1 - upper)
        split = gains.max(axis=1) > _ROUNDING * inside.sum(axis=1)
        # A block is smaller than the one before, so that there is an end.
        split &= parts[0].any(axis=1) & parts[1].any(axis=1)
        rows, states = np.nonzero(blocks * ~split[:, None])
        found[tables[rows], states] = means[rows, 0]
        tables = np.concatenate([tables[split], tables[split]])
        blocks = np.concatenate([part[split] for part in parts])


def _without_falls(tables: Table) -> Table:
    """Return the highest probability of each state and those below it."""
    for place in range(tables.shape[1].bit_length() - 1):
        halves = tables.reshape(len(tables), -1, 2, 1 << place)
        np.maximum(halves[:, :, 1], halves[:, :, 0], out=halves[:, :, 1])
    return tables


@cache
def _steps(skills: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return all pairs of a state and one with one more skill."""
    states = np.arange(1 << skills)
    below = [states[states >> place & 1 == 0] for place in range(skills)]
    above = [part + (1 << place) for place, part in enumerate(below)]
    return np.concatenate(below), np.concatenate(above)


@cache
def _upper_sets(skills: int) -> Table:
    """Return all upper sets of the states of some skills, one per row, as 0 and 1.

    >>> [len(_upper_sets(k)) for k in range(4)]
    [2, 3, 6, 20]
    """
    if skills == 0:
        return np.array([[0.0], [1.0]])
    half, without, given = _halves(skills)
    return np.concatenate([half[without], half[given]], axis=1)


@cache
def _halves(skills: int) -> tuple[Table, NDArray[np.intp], NDArray[np.intp]]:
    """Return the upper sets of all skills but the last, and which two of them make each upper set of all.

    The states without the last skill of an upper set are one, and so are those with it, which the first are among.
    """
    half = _upper_sets(skills - 1)
    without, given = np.nonzero((half[:, None] <= half[None]).all(axis=2))
    return half, without, given
