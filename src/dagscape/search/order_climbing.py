"""Climbing over orders of the variables with grow-shrink trees, as BOSS and GRaSP share it.

An order is worth the score of its network, in which each variable has the parents that its grow-shrink tree chooses
from those before it (:mod:`dagscape.search.grow_shrink`). A method says how to improve an order; what is around it is
the same:

1. Start from a random order in which every variable comes after its parents in the network of GES, or in the start
   network if the score is not score-equivalent or ``first`` says so.
2. Improve the order.
3. Delete superfluous edges by the backward phase of GES, if the score is score-equivalent. If that raises the score, go
   on from a random order of the network that is left, as long as that leads to better networks.
4. Repeat all this from random orders, and keep the best network, those of the start and of GES included.

The papers start from random orders. An order of GES is found quickly, leads to networks about as good in less time, and
ensures that the result is never below GES.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import replace

import numpy as np

from dagscape.best.enumeration import why_not_classes
from dagscape.core.constraints import Constraints, OneOf, Whole
from dagscape.core.errors import TooLarge
from dagscape.core.resources import memory_limit
from dagscape.graphs.dag import Dag
from dagscape.scores.arithmetic.fixed_point import IMPOSSIBLE
from dagscape.scores.scoring_job import ScoringJob
from dagscape.search.class_search import DELETES, ClassSearch
from dagscape.search.ges import ges
from dagscape.search.grow_shrink import GrowShrinkTree, OutOfTime, Variables, Walk
from dagscape.search.job import Found, SearchJob
from dagscape.search.memory import SearchMemory, cached_bytes
from dagscape.search.orders import random_order
from dagscape.search.starting import starting_network
from dagscape.search.trace import TraceRecorder

ORDER_OPTIONS: Constraints = {"first": OneOf(("ges", "random")), "restarts": Whole(0)}

# Bytes of a candidate that a tree stores, and the share of the memory limit for all of them.
_CANDIDATE_BYTES = 20
_SHARE_OF_MEMORY = 1 / 4

# For each pair of variables: two flags, and the values of set functions that a search computes.
_BYTES_PER_PAIR = 2
_CACHED_PER_PAIR = 30


def orders_memory(job: ScoringJob, threads: int, limit: int, **options: object) -> SearchMemory:  # noqa: ARG001
    """Return how much memory a climb over orders takes."""
    return SearchMemory(_BYTES_PER_PAIR * job.data.n**2, 2 * cached_bytes(job.data.n, _CACHED_PER_PAIR))


class OrderState:
    """An order of the variables, with the parents that the trees choose for each.

    Parameters
    ----------
    trees : sequence of GrowShrinkTree
        One tree for each variable.
    order : array of int
        The order; required parents come before their children.

    Attributes
    ----------
    order : array of int
        The order.
    places : array of int
        The place of each variable in it.
    walks : list of Walk
        The walk of each variable down its tree.
    preferred, taken : array of bool
        ``preferred[w, v]``: *v* would change the walk of *w*, if it were before *w*; ``taken[w, v]``: *v* is before *w*
        and was taken, so that the walk changes without it. No other variables change it.
    """

    def __init__(self, trees: Sequence[GrowShrinkTree], order: Variables) -> None:
        n = len(order)
        self.trees = trees
        self.order = order.copy()
        self.places = np.empty(n, dtype=np.int64)
        self.places[order] = np.arange(n)
        self.preferred, self.taken = (np.zeros((n, n), dtype=np.bool_) for _ in range(2))
        self.walks = [tree.walk(self.places < self.places[child]) for child, tree in enumerate(trees)]
        for child, walk in enumerate(self.walks):
            self._flag(child, walk)

    @property
    def exact(self) -> int:
        """The score of the network, in units, or ``IMPOSSIBLE``."""
        exact = [walk.exact for walk in self.walks]
        return IMPOSSIBLE if IMPOSSIBLE in exact else sum(exact)

    @property
    def parents(self) -> tuple[int, ...]:
        """The parents of each variable, as sets."""
        return tuple(walk.parents for walk in self.walks)

    def changes(self, first: int, segment: Variables) -> dict[int, Walk]:
        """Return the walks that change if consecutive variables, from some place on, get another order."""
        before = self.order[first : first + len(segment)]
        within = self.places < first
        at = np.empty(len(self.order), dtype=np.int64)
        at[segment] = np.arange(len(segment))
        changed = {}
        for place, v in enumerate(segment.tolist()):
            old = int(self.places[v]) - first
            added = segment[:place][self.places[segment[:place]] - first > old]
            removed = before[:old][at[before[:old]] > place]
            if self.preferred[v, added].any() or self.taken[v, removed].any():
                changed[v] = self.trees[v].walk(within)
            within[v] = True
        return changed

    def rearrange(self, first: int, segment: Variables, changes: dict[int, Walk]) -> None:
        """Give consecutive variables, from some place on, another order."""
        self.order[first : first + len(segment)] = segment
        self.places[segment] = np.arange(first, first + len(segment))
        for v, walk in changes.items():
            self.walks[v] = walk
            self._flag(v, walk)

    def _flag(self, child: int, walk: Walk) -> None:
        self.preferred[child] = False
        self.preferred[child, walk.preferred] = True
        self.taken[child] = False
        self.taken[child, walk.taken] = True


class OrderClimb:
    """A search over orders, with the best network so far.

    Parameters
    ----------
    job : SearchJob
        The search.
    improve : callable
        Improves an order until the method is done; it calls :meth:`check_time` and :meth:`record`.
    """

    def __init__(self, job: SearchJob, improve: Callable[[OrderClimb, OrderState], None]) -> None:
        self.job = job
        self._improve = improve
        self._most_listed = int(memory_limit(job.max_memory) * _SHARE_OF_MEMORY / _CANDIDATE_BYTES)
        self._equivalent = not why_not_classes(job.scores.without_constraints())
        self.best, self.best_exact = job.start, job.scores.network_exact(job.start)
        self.moves = self.deleted = 0

    def run(self, first: str, restarts: int) -> Found:
        """Search from the start, or from what GES finds, and from random orders."""
        self.job.trace.add(("start",), self.best_exact)
        self.trees: list[GrowShrinkTree] = []
        complete = True
        done = 0
        try:
            start = self._network_of_ges() if first == "ges" and self._equivalent else self.job.start
            lots = self.job.rng.permutation(self.job.scores.n)
            for child in range(self.job.scores.n):
                self.check_time()
                self.trees.append(GrowShrinkTree(self.job.scores, child, lots, lambda: self.job.clock.expired))
            for done in range(restarts + 1):
                self._climb(start if done == 0 else starting_network(self.job.scores, None))
        except OutOfTime:
            complete = False
        families = sum(tree.families for tree in self.trees)
        details = {"moves": self.moves, "deleted": self.deleted, "restarts": done, "families": families}
        return Found(self.best, self.best_exact, complete, details)

    def check_time(self) -> None:
        """Stop if the time is over."""
        if self.job.clock.expired:
            raise OutOfTime

    def record(self, state: OrderState, move: str, *variables: int) -> None:
        """Count a move to a better order, and add it to the trace."""
        self.moves += 1
        self._note(state, (move, *(self.job.scores.variables[v] for v in variables)))
        if sum(tree.listed for tree in self.trees) > self._most_listed:
            for tree in self.trees:
                tree.forget()

    def _note(self, state: OrderState, step: tuple[str, ...]) -> None:
        exact = state.exact
        self.job.trace.add(step, exact)
        if exact > self.best_exact:
            self._keep(state.parents, exact)

    def _keep(self, parents: tuple[int, ...], exact: int) -> None:
        self.best, self.best_exact = Dag.trusted(self.job.scores.variables, parents), exact

    def _network_of_ges(self) -> Dag:
        """Run the method ``ges`` with the same random numbers; return the start if its classes are too dense."""
        trace = TraceRecorder(self.job.scores.unit, self.job.clock)
        try:
            found = ges(replace(self.job, trace=trace, rng=deepcopy(self.job.rng)))
        except TooLarge:
            return self.job.start
        self.job.trace.add(("ges",), found.exact)
        if found.exact > self.best_exact:
            self._keep(found.network.parent_masks, found.exact)
        return found.network

    def _climb(self, start: Dag) -> None:
        """Improve an order of a network, delete superfluous edges, and so on."""
        reached = IMPOSSIBLE
        while True:
            state = OrderState(self.trees, random_order(start, self.job.rng))
            self._note(state, ("order",))
            self._improve(self, state)
            exact = state.exact
            if exact <= reached or not self._equivalent:
                return
            pruned = self._without_superfluous_edges(state, exact)
            if pruned is None:
                return
            start, reached = pruned.network, pruned.exact

    def _without_superfluous_edges(self, state: OrderState, exact: int) -> Found | None:
        """Run the backward phase of GES; return None if it finds nothing to delete."""
        self.check_time()
        job = self.job
        network = Dag.trusted(job.scores.variables, state.parents)
        unrecorded = replace(job, start=network, trace=TraceRecorder(job.scores.unit, job.clock))
        search = ClassSearch(unrecorded, "boss")
        try:
            complete = search.climb(DELETES)
        except TooLarge:
            return None
        if search.exact <= exact:
            return None
        found = search.found(complete=complete)
        self.deleted += search.steps
        job.trace.add(("delete",), found.exact)
        if found.exact > self.best_exact:
            self._keep(found.network.parent_masks, found.exact)
        return found
