"""GRaSP, greedy relaxations of the sparsest permutation algorithm: tuck a child before its parent [lam2022]_.

The problem: find an order of the variables in which good parents, chosen for each variable from those before it, make a
network with a high score; the parents come from grow-shrink trees (:mod:`dagscape.search.grow_shrink`).

A *tuck* of the edge x → y of the network moves y before x, together with the ancestors of y that are between them. If
the edge is *covered*, that is, if x and y have the same parents but for x, the tuck leads to an equivalent network or a
better one. It is *singular* if no other directed path leads from x to y, as every covered edge is.

The search is depth first. It tries the tucks of an order one by one, in random order. At the first one that raises the
score, it starts over from there. Through a tuck that leaves the score as it is, it goes deeper, up to ``depth`` tucks
in a row, to networks that it has not seen since the last gain. It ends when it finds no gain.

Which tucks are tried depends on the depth: covered ones always, singular ones among the first ``uncovered_depth`` tucks
of a row, and any among the first ``nonsingular_depth``. The paper's GRaSP_0 has 0 for both, GRaSP_1 allows singular
tucks and GRaSP_2 any; the default is the latter for the first tuck.

:mod:`dagscape.search.order_climbing` says what comes before and after.

Cost: a tuck takes new walks for the variables that it concerns. With e edges, there are e^d rows of d tucks at most.

*Notation.* The paper's tuck(π, j, k) is :func:`tucked` for the edge j → k.
"""

from __future__ import annotations

import numpy as np

from dagscape.core.constraints import Constraints, Whole
from dagscape.core.masks import bits
from dagscape.search.grow_shrink import Variables
from dagscape.search.job import Found, SearchJob
from dagscape.search.learner import Learner
from dagscape.search.order_climbing import ORDER_OPTIONS, OrderClimb, OrderState, orders_memory

DEPTHS: Constraints = {"depth": Whole(1), "uncovered_depth": Whole(0), "nonsingular_depth": Whole(0)}


def grasp(
    job: SearchJob,
    *,
    depth: int = 3,
    uncovered_depth: int = 1,
    nonsingular_depth: int = 1,
    first: str = "ges",
    restarts: int = 0,
) -> Found:
    """Search over orders that tucks children before their parents, depth first, with parents from grow-shrink trees.

    Parameters
    ----------
    job : SearchJob
        The search.
    depth : int
        The largest number of tucks in a row without a gain. Default: 3.
    uncovered_depth : int
        How many of them, the first ones, may be of singular edges that are not covered. Default: 1.
    nonsingular_depth : int
        How many of them, the first ones, may be of any edge. Default: 1.
    first : {"ges", "random"}
        Where to start: from an order of the network of GES, or from a random order, as always if the score is not
        score-equivalent. Default: ``"ges"``.
    restarts : int
        How often to search again from a random order. Default: 0.
    """

    def improve(climb: OrderClimb, state: OrderState) -> None:
        while _Tucks(climb, state, depth, uncovered_depth, nonsingular_depth).improve(1):
            pass

    return OrderClimb(job, improve).run(first, restarts)


class _Tucks:
    """A search for tucks that raise the score of an order."""

    def __init__(self, climb: OrderClimb, state: OrderState, depth: int, uncovered: int, nonsingular: int) -> None:
        self._climb, self._state = climb, state
        self._depth, self._uncovered, self._nonsingular = depth, uncovered, nonsingular
        self._required = climb.job.scores.constraints.required
        # How many tucks led to a network, at least.
        self._seen = {state.parents: 0}

    def improve(self, level: int) -> bool:
        """Find a better order by tucks from the present one, of which this is the level-th in a row, and go there."""
        state, rng = self._state, self._climb.job.rng
        for y in rng.permutation(len(state.order)).tolist():
            for x in rng.permutation(list(bits(state.walks[y].parents))).tolist():
                self._climb.check_time()
                if self._allows(x, y, level) and self._try(x, y, level):
                    return True
        return False

    def _allows(self, x: int, y: int, level: int) -> bool:
        """Whether the tuck of an edge may come at this level."""
        walks = self._state.walks
        if level <= self._nonsingular or walks[y].parents ^ 1 << x == walks[x].parents:
            return True
        return level <= self._uncovered and not ancestors_between(self._state, x, y)[1]

    def _try(self, x: int, y: int, level: int) -> bool:
        """Tuck an edge; return whether that led to a better order, and take it back otherwise."""
        state = self._state
        first, segment = tucked(state, x, y)
        moved = segment[: int(np.flatnonzero(segment == x)[0])]
        if any(x in self._required[v] for v in moved.tolist()):
            return False
        changes = state.changes(first, segment)
        before = {v: state.walks[v] for v in changes}
        gain = sum(walk.exact - before[v].exact for v, walk in changes.items())
        if gain < 0:
            return False
        old = state.order[first : first + len(segment)].copy()
        state.rearrange(first, segment, changes)
        if gain > 0:
            self._climb.record(state, "tuck", x, y)
            self._climb.job.report("tucking", self._climb.moves, self._climb.moves + 1)
            return True
        if level < self._depth and self._seen.get(state.parents, level + 1) > level:
            self._seen[state.parents] = level
            if self.improve(level + 1):
                return True
        state.rearrange(first, old, before)
        return False


def ancestors_between(state: OrderState, x: int, y: int) -> tuple[int, bool]:
    """Return the ancestors of y that come after x, as a set, and whether x is a parent of any of them."""
    found, ahead, below_x = 0, state.walks[y].parents, False
    while ahead:
        after = 0
        for v in bits(ahead):
            if state.places[v] > state.places[x]:
                after |= 1 << v
        found |= after
        ahead = 0
        for v in bits(after):
            parents = state.walks[v].parents
            below_x = below_x or bool(parents >> x & 1)
            ahead |= parents & ~found
    return found, below_x


def tucked(state: OrderState, x: int, y: int) -> tuple[int, Variables]:
    """Return the first place that the tuck of x → y changes, and the variables from there to the old place of y."""
    first, last = int(state.places[x]), int(state.places[y])
    between = state.order[first + 1 : last].tolist()
    above, _ = ancestors_between(state, x, y)
    moved = [v for v in between if above >> v & 1]
    left = [v for v in between if not above >> v & 1]
    return first, np.array([*moved, y, x, *left])


GRASP = Learner(
    "grasp", grasp, citations=("lam2022",), memory=orders_memory, constraints={**DEPTHS, **ORDER_OPTIONS}, power=3.0
)
