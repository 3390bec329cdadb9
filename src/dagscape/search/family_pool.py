"""Families for a search over orders: all of them, or lists that grow where the search finds use for them.

The search (``native/include/dagscape/order_search.hpp``) takes lists of families. Where all families fit, it gets all
of them, and its lists are exact. Otherwise the lists are grown from the scores on demand. To *expand* a family is to
score its additions, all in one batch, and to list those that score better than the family itself; and to list the
family without each of its parents. At first, each child's best families are expanded, from the empty one up: a
best-first search for parents among all variables. From then on, the families that the search uses are expanded, and the
search is run again with the longer lists, until no family in use is left to expand. No single addition to the last
network, and no single removal, improves it then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dagscape.resources import memory_limit
from dagscape.scores.enumerable_scores import EnumerableScores
from dagscape.scores.family_table import FamilyTable
from dagscape.scores.fixed_point import IMPOSSIBLE
from dagscape.scores.lattice import Members, parent_sets, set_count
from dagscape.scores.local_scores import LocalScores
from dagscape.search.job import SearchJob

# Up to this number of families, all of them are scored: seconds, and a few hundred megabytes.
_MOST_FAMILIES = 2_000_000
# The same for scores on demand without the data's definition, which are computed one by one.
_MOST_ON_DEMAND = 50_000
# Bytes of a family while the lists are made.
_FAMILY_BYTES = 120

# How many of each child's best families are expanded before the search starts.
_BREADTH = 2

# Parent sets of one size, one per row, and their scores in units.
Block = tuple[NDArray[np.uint16], NDArray[np.int64]]


class FamilyArrays(NamedTuple):
    """Families of all children, as the kernel takes them.

    Attributes
    ----------
    first : array of int
        The families of child i are those from ``first[i]`` up to ``first[i + 1]``.
    scores : array of int
        Their scores, in units.
    parent_first : array of int
        The parents of family f are those from ``parent_first[f]`` up to ``parent_first[f + 1]``.
    parents : array of int
        The numbers of the parents.
    """

    first: NDArray[np.int64]
    scores: NDArray[np.int64]
    parent_first: NDArray[np.int64]
    parents: NDArray[np.uint16]

    @classmethod
    def from_blocks(cls, children: Sequence[Sequence[Block]]) -> FamilyArrays:
        """Join the blocks of each child."""
        blocks = [block for child in children for block in child]
        sizes = np.concatenate([np.full(len(sets), sets.shape[1]) for sets, _ in blocks])
        counts = [sum(len(sets) for sets, _ in child) for child in children]
        return cls(
            first=np.cumsum([0, *counts], dtype=np.int64),
            scores=np.concatenate([scores for _, scores in blocks]),
            parent_first=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            parents=np.concatenate([sets.ravel() for sets, _ in blocks]),
        )


def every_family(job: SearchJob) -> FamilyArrays | None:
    """Return all families of a search, or None if they are too many to score or to store."""
    scores = job.scores
    most = min(_MOST_FAMILIES, memory_limit(job.max_memory) // (2 * _FAMILY_BYTES))
    count = scores.n * set_count(scores.n - 1, scores.max_parents, most=most)
    if not isinstance(scores, FamilyTable) and count > most:
        return None
    if not isinstance(scores, EnumerableScores):
        if job.scoring is not None:
            scores = job.all_scores()
        elif count > _MOST_ON_DEMAND:
            return None
    return FamilyArrays.from_blocks([list(_blocks(scores, child)) for child in range(scores.n)])


def _blocks(scores: LocalScores, child: int) -> Iterator[Block]:
    sets_by_size: Iterable[Members]
    if isinstance(scores, EnumerableScores):
        sets_by_size = scores.family_sets(child)
    else:
        sets_by_size = (parent_sets(scores.n, child, size) for size in range(scores.max_parents + 1))
    for sets in sets_by_size:
        exact = scores.exact_scores(child, sets)
        possible = exact != IMPOSSIBLE
        yield sets[possible].astype(np.uint16), exact[possible]


class FamilyPool:
    """Lists of families that grow, for scores of which any family can be computed.

    Parameters
    ----------
    scores : LocalScores
        The scores.
    networks : iterable of parents
        Networks whose families belong to the lists from the start: for each variable, the numbers of its parents.
    """

    def __init__(self, scores: LocalScores, networks: Iterable[Sequence[Sequence[int]]] = ()) -> None:
        self._scores = scores
        self._exact: list[dict[tuple[int, ...], int]] = [{} for _ in range(scores.n)]
        self._blocks: list[list[Block]] = [[] for _ in range(scores.n)]
        self._expanded: set[tuple[int, tuple[int, ...]]] = set()
        for child, required in enumerate(scores.constraints.required):
            self._add(child, [tuple(sorted(required))])
        for network in networks:
            for child, parents in enumerate(network):
                self._add(child, [tuple(parents)])

    def grow(self, stop: Callable[[], bool]) -> None:
        """Expand the best families of each child, until the best are all expanded or ``stop()`` is true."""
        for child, exact in enumerate(self._exact):
            while not stop():
                best = sorted(exact, key=lambda parents: (-exact[parents], len(parents)))[:_BREADTH]
                waiting = [parents for parents in best if (child, parents) not in self._expanded]
                if not waiting:
                    break
                self._expand(child, waiting[0])

    def extend(self, network: Sequence[Sequence[int]], stop: Callable[[], bool]) -> bool:
        """Expand the families of a network; return whether that was left to do for any, unless ``stop()`` is true."""
        waiting = [(child, tuple(parents)) for child, parents in enumerate(network)]
        waiting = [family for family in waiting if family not in self._expanded]
        for child, parents in waiting:
            if stop():
                break
            self._expand(child, parents)
        return bool(waiting)

    def arrays(self) -> FamilyArrays:
        """Return all lists."""
        return FamilyArrays.from_blocks(self._blocks)

    def _expand(self, child: int, parents: tuple[int, ...]) -> None:
        self._expanded.add((child, parents))
        exact = self._scores.additions_exact(child, parents)
        better = np.flatnonzero(exact > self._exact[child][parents])
        larger = [tuple(sorted((*parents, added))) for added in better.tolist()]
        new = np.array([key not in self._exact[child] for key in larger], dtype=np.bool_)
        self._store(child, [key for key, fresh in zip(larger, new, strict=True) if fresh], exact[better[new]])
        if len(parents) > 1:
            self._add(child, [tuple(p for p in parents if p != removed) for removed in parents])

    def _add(self, child: int, families: Iterable[tuple[int, ...]]) -> None:
        """Score families of one size and list them."""
        keys = [parents for parents in dict.fromkeys(families) if parents not in self._exact[child]]
        if keys:
            sets = np.array(keys, dtype=np.int64).reshape(len(keys), -1)
            self._store(child, keys, self._scores.exact_scores(child, sets))

    def _store(self, child: int, keys: list[tuple[int, ...]], exact: NDArray[np.int64]) -> None:
        if keys:
            self._exact[child].update(zip(keys, exact.tolist(), strict=True))
            self._blocks[child].append((np.array(keys, dtype=np.uint16).reshape(len(keys), -1), exact))
