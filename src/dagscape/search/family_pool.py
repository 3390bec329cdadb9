"""Families for a search over orders: all of them, or lists that grow where the search finds use for them.

The search (``native/include/dagscape/search/order_search.hpp``) takes lists of families. Where all families fit, it
gets all of them, and its lists are exact. Otherwise the lists are grown from the scores on demand. To *expand* a family
is to score its additions, all in one batch, and to list those that score better than the family itself; and to list the
family without each of its parents. To *grow* a family within a set is to expand it, to go on with its best addition
from the set, and so forth: a path in the grow-shrink tree of [andrews2023]_, which is kept.

At first, there are all useful families of few parents (``small_families.py``), and a family is grown for each child
from no parents up, within all variables. From then on, the search says what to grow. Every family that it uses is
expanded. For every edge of its network, families for the reversed edge are grown: that of the child without the parent,
and that of the parent with the child, each within the variables that stay clear of cycles. Without those, the search
would see the price of a reversal, but not the edges that go with it. Then the search is run again with the longer
lists, and so on until nothing in use is left to expand. No single addition to the last network, and no single removal,
improves it then. A search with time left goes on with the best families of each child, in use or not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from dagscape.core.masks import bits
from dagscape.core.resources import memory_limit
from dagscape.graphs.dag import Dag
from dagscape.scores.arithmetic.fixed_point import IMPOSSIBLE
from dagscape.scores.requirements import nominal_seconds
from dagscape.scores.scoring_job import ScoringJob
from dagscape.scores.tables.enumerable_scores import EnumerableScores
from dagscape.scores.tables.family_table import FamilyTable
from dagscape.scores.tables.lattice import Members, parent_sets, set_count
from dagscape.scores.tables.local_scores import LocalScores
from dagscape.search.family_arrays import Block, FamilyArrays
from dagscape.search.job import SearchJob
from dagscape.search.memory import cached_bytes
from dagscape.search.small_families import affordable_seconds, small_memory

# Up to this number of families, all of them are scored: seconds, and a few hundred megabytes.
_MOST_FAMILIES = 2_000_000
# The same for scores on demand without the data's definition, which are computed one by one.
_MOST_ON_DEMAND = 50_000
# Bytes of a family while the lists are made: at most, and measured with 17 variables.
_FAMILY_BYTES = 120
_USUAL_FAMILY_BYTES = 64
# The values of set functions that a search with growing lists computes, for each pair of variables: 6 to 23 with 27 to
# 223 variables. The lists take a third of their memory besides.
_CACHED_PER_PAIR = 30
# The families of each child that a thorough search expands at once.
_BEST_EXPANDED = 20

# The numbers of the parents, increasing.
Parents = tuple[int, ...]


def pool_memory(job: ScoringJob, threads: int, limit: int) -> int:
    """Return how many bytes the lists of a search usually take: those of all families, or lists that grow."""
    n, most = job.data.n, _most_families(limit)
    count = n * set_count(n - 1, job.max_parents, most=most)
    if count <= most:
        return job.memory(threads) + _USUAL_FAMILY_BYTES * count
    return cached_bytes(n, _CACHED_PER_PAIR) + small_memory(job)


def _most_families(limit: int) -> int:
    return min(_MOST_FAMILIES, limit // (2 * _FAMILY_BYTES))


def every_family(job: SearchJob) -> FamilyArrays | None:
    """Return all families of a search, or None if they are too many to score or to store."""
    scores = job.scores
    most = _most_families(memory_limit(job.max_memory))
    count = scores.n * set_count(scores.n - 1, scores.max_parents, most=most)
    if not isinstance(scores, FamilyTable) and count > most:
        return None
    if not isinstance(scores, EnumerableScores):
        if job.scoring is None:
            if count > _MOST_ON_DEMAND:
                return None
        elif nominal_seconds(job.scoring) > affordable_seconds(job):
            return None
        else:
            scores = job.all_scores()
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
    start : Dag
        A network whose families belong to the lists from the beginning.
    small : list of lists of blocks
        For each child, further families that belong to the lists from the beginning.
    rng : numpy.random.Generator
        Decides between equally good additions.
    stop : callable
        Whether to stop growing, because time is up.
    """

    def __init__(
        self,
        scores: LocalScores,
        start: Dag,
        small: list[list[Block]],
        rng: np.random.Generator,
        stop: Callable[[], bool],
    ) -> None:
        self._scores = scores
        self._stop = stop
        self._lot = rng.permutation(scores.n)
        self._exact: list[dict[Parents, int]] = [{} for _ in range(scores.n)]
        self._blocks = [list(blocks) for blocks in small]
        # For each expanded family, the variables whose addition improves it, best first.
        self._additions: dict[tuple[int, Parents], list[int]] = {}
        for child, required in enumerate(scores.constraints.required):
            self._add(child, [tuple(sorted(required))])
            self._add(child, [tuple(bits(start.parent_masks[child]))])
        for child, required in enumerate(scores.constraints.required):
            self._grow(child, tuple(sorted(required)), self._everything)

    @property
    def _everything(self) -> int:
        return (1 << self._scores.n) - 1

    def expand(self, network: Dag) -> bool:
        """Expand the families of a network; return whether any was left to expand."""
        before = len(self._additions)
        for child, mask in enumerate(network.parent_masks):
            self._expand(child, tuple(bits(mask)))
        return len(self._additions) > before

    def extend(self, network: Dag) -> bool:
        """Expand the families of a network and grow those of reversed edges; return whether there were any."""
        before = len(self._additions)
        self.expand(network)
        ancestors = network.ancestor_masks()
        descendants = [sum(1 << u for u, mask in enumerate(ancestors) if mask >> v & 1) for v in range(network.n)]
        for child, mask in enumerate(network.parent_masks):
            for parent in bits(mask):
                clear = self._everything & ~descendants[parent]
                self._grow(child, tuple(bits(mask & ~(1 << parent))), clear & ~descendants[child] & ~(1 << parent))
                self._grow(parent, tuple(bits(network.parent_masks[parent] | 1 << child)), clear)
        return len(self._additions) > before

    def expand_best(self) -> bool:
        """Expand the best families of each child; return whether any was left to expand."""
        before = len(self._additions)
        for child, blocks in enumerate(self._blocks):
            ranked: set[tuple[int, Parents]] = set()
            for sets, exact in blocks:
                best = np.argsort(-exact, kind="stable")[:_BEST_EXPANDED]
                ranked.update(zip((-exact[best]).tolist(), map(tuple, sets[best].tolist()), strict=True))
            for _, parents in sorted(ranked)[:_BEST_EXPANDED]:
                self._expand(child, parents)
        return len(self._additions) > before

    def arrays(self) -> FamilyArrays:
        """Return all lists."""
        return FamilyArrays.from_blocks(self._blocks)

    def _grow(self, child: int, parents: Parents, within: int) -> None:
        """Expand a family, then the best addition to it from a set, and so on while additions improve it."""
        added: int | None = -1
        while added is not None:
            self._expand(child, parents)
            additions = self._additions.get((child, parents), ())
            added = next((v for v in additions if within >> v & 1), None)
            if added is not None:
                parents = tuple(sorted((*parents, added)))

    def _expand(self, child: int, parents: Parents) -> None:
        if (child, parents) in self._additions or len(parents) > self._scores.max_parents or self._stop():
            return
        self._add(child, [parents])
        present = self._exact[child][parents]
        if present == IMPOSSIBLE:
            return
        exact = self._scores.additions_exact(child, parents)
        better = np.flatnonzero(exact > present)
        better = better[np.lexsort((self._lot[better], -exact[better]))]
        self._additions[child, parents] = better.tolist()
        self._store(child, [tuple(sorted((*parents, added))) for added in better.tolist()], exact[better])
        self._add(child, [tuple(p for p in parents if p != removed) for removed in parents])

    def _add(self, child: int, families: list[Parents]) -> None:
        """Score families of one size and list them."""
        keys = [parents for parents in families if parents not in self._exact[child]]
        if keys:
            sets = np.array(keys, dtype=np.int64).reshape(len(keys), -1)
            self._store(child, keys, self._scores.exact_scores(child, sets))

    def _store(self, child: int, keys: list[Parents], exact: NDArray[np.int64]) -> None:
        new = [i for i, key in enumerate(keys) if key not in self._exact[child]]
        if new:
            listed = [keys[i] for i in new]
            self._exact[child].update(zip(listed, exact[new].tolist(), strict=True))
            self._blocks[child].append((np.array(listed, dtype=np.uint16).reshape(len(new), -1), exact[new]))
