"""All useful families of few parents, with which lists of families that grow begin.

Lists that are grown greedily lack families whose parents are of no use one by one. Families of up to two parents can
nearly always be scored all together, in one walk over the sets of up to three variables, and those of three or more
parents where there are few variables or rows. A family is *useful* if it scores better than all families of the same
child whose parents are a subset of its parents: no best network of an order has any other. Of three and more parents,
only the best useful families are listed, because a search is slow with long lists.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dagscape.core.resources import Budget, memory_limit
from dagscape.scores.arithmetic.fixed_point import IMPOSSIBLE
from dagscape.scores.requirements import nominal_seconds
from dagscape.scores.scoring import score_job
from dagscape.scores.scoring_job import ScoringJob, with_fewer_parents
from dagscape.scores.tables.lattice import Members, combinations, set_count
from dagscape.scores.tables.local_scores import LocalScores
from dagscape.search.family_arrays import Block
from dagscape.search.job import SearchJob

# Seconds that the scores of families may take before the search starts: without a time limit, and the share of a limit.
_MOST_SECONDS = 1.5
_SHARE_OF_LIMIT = 0.2

# Seconds for each family that is listed, and for each cell of the data, whose rows are sorted.
_SECONDS_PER_FAMILY = 1e-7
_SECONDS_PER_CELL = 3e-8

# More parents than these are left to the growth of the lists.
_MOST_PARENTS = 3
# Up to so many parents, all useful families are listed; of more, so many families of each child and size.
_ALL_LISTED = 2
_MOST_LISTED = 200
# Sets that are scored: 80 megabytes.
_MOST_SETS = 10_000_000
# Bytes of the work on each parent set of a child: its members and places, scores, and copies of them.
_SET_BYTES = 150


def affordable_seconds(job: SearchJob) -> float:
    """Return how many nominal seconds a search may spend on scoring families before it starts."""
    return _MOST_SECONDS if job.clock.limit == np.inf else _SHARE_OF_LIMIT * job.clock.limit


def small_families(job: SearchJob) -> list[list[Block]]:
    """Return the useful families of up to k parents of each child, for the largest k that time and memory allow.

    There are none if even two parents are too many, or if the scores do not come from data.
    """
    chosen = _affordable_job(job)
    if chosen is None:
        return [[] for _ in range(job.scores.n)]
    scores = score_job(chosen, Budget.of(job.threads, job.max_memory), progress=job.listener)
    layers = set_layers(scores.n - 1, chosen.max_parents)
    return [useful_families(scores, child, layers) for child in range(scores.n)]


def small_memory(job: ScoringJob) -> int:
    """Return how many bytes the work on the families of few parents takes at most."""
    for most in range(min(job.max_parents, _MOST_PARENTS), 1, -1):
        sets = set_count(job.data.n, most + 1, most=_MOST_SETS) * job.functions.count
        if sets <= _MOST_SETS:
            return 8 * sets + _SET_BYTES * set_count(job.data.n - 1, most)
    return 0


def _affordable_job(job: SearchJob) -> ScoringJob | None:
    scoring = job.scoring
    if scoring is None:
        return None
    # If there is less time left than that, the limit is going to end the search in any case.
    seconds, limit = min(affordable_seconds(job), job.clock.left / 2), memory_limit(job.max_memory)
    for most in range(min(scoring.max_parents, _MOST_PARENTS), 1, -1):
        sets = set_count(scoring.data.n, most + 1, most=_MOST_SETS) * scoring.functions.count
        fixed = _SECONDS_PER_CELL * scoring.data.n * scoring.data.m
        fixed += _SECONDS_PER_FAMILY * scoring.data.n * set_count(scoring.data.n - 1, most, most=_MOST_SETS)
        if sets > _MOST_SETS or fixed > seconds:
            continue
        restricted = with_fewer_parents(scoring, most)
        if 2 * restricted.memory(job.threads) <= limit and fixed + nominal_seconds(restricted) <= seconds:
            return restricted
    return None


class SetLayer(NamedTuple):
    """All sets of one size.

    Attributes
    ----------
    sets : array of int
        The sets, one per row, in order of their bit masks.
    without : list of arrays
        For each member, the place of every set without that member, in the layer of the next smaller size.
    """

    sets: Members
    without: list[NDArray[np.int64]]


def set_layers(n: int, max_size: int) -> list[SetLayer]:
    """Return the sets of up to ``max_size`` of n numbers, by size."""
    # The place of a set in its layer is the sum of C(member, rank) over its members, ranked from 1.
    choose = np.array([[math.comb(member, rank) for rank in range(1, max_size + 1)] for member in range(n)])
    layers = []
    for size in range(max_size + 1):
        sets = combinations(n, size)
        smaller = [np.delete(sets, left_out, axis=1) for left_out in range(size)]
        layers.append(SetLayer(sets, [choose[rest, np.arange(size - 1)].sum(axis=1) for rest in smaller]))
    return layers


def useful_families(scores: LocalScores, child: int, layers: list[SetLayer]) -> list[Block]:
    """Return the useful families of a child, in blocks of one size.

    Parameters
    ----------
    scores : LocalScores
        The scores.
    child : int
        The child.
    layers : list of SetLayer
        The sets of the numbers from 0 to n − 2, which stand for the other variables.
    """
    blocks: list[Block] = []
    # For all sets of one size less, the best score of the set and its subsets.
    best = np.full(1, IMPOSSIBLE)
    for others, without in layers:
        sets = others + (others >= child)
        exact = scores.exact_scores(child, sets)
        below = np.full(len(sets), IMPOSSIBLE)
        for places in without:
            np.maximum(below, best[places], out=below)
        useful = np.flatnonzero(exact > below)
        if others.shape[1] > _ALL_LISTED:
            useful = np.sort(useful[np.argsort(-exact[useful], kind="stable")[:_MOST_LISTED]])
        blocks.append((sets[useful].astype(np.uint16), exact[useful]))
        best = np.maximum(exact, below)
    return blocks
