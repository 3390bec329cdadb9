"""The moves of a search over classes, their differences, and the heaps in which they wait to be made.

:mod:`dagscape.search.class_state` says what the moves are.
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import Literal, NamedTuple, Self

import numpy as np

from dagscape.core.masks import bits
from dagscape.scores.arithmetic.fixed_point import IMPOSSIBLE
from dagscape.scores.tables.local_scores import LocalScores

Kind = Literal["delete", "turn", "insert"]
KINDS: tuple[Kind, ...] = ("delete", "turn", "insert")

# Differences that are stored, at most: some hundred megabytes. Then all are forgotten.
_MOST_DIFFERENCES = 3_000_000


class ClassMove(NamedTuple):
    """A move, ordered as a heap needs it: the best first, and equal ones by lot.

    Attributes
    ----------
    loss : int
        Minus the change of the score, in units.
    lot : tuple of int
        Decides between moves with the same change.
    x, y : int
        The variables.
    clique : int
        The set *K*.
    """

    loss: int
    lot: tuple[int, ...]
    x: int
    y: int
    clique: int


class Differences:
    """How the score of a child changes if a variable joins its parents or leaves them; states share them.

    Parameters
    ----------
    scores : LocalScores
        Scores without constraints.
    rng : numpy.random.Generator
        Draws the lots of the variables.
    """

    def __init__(self, scores: LocalScores, rng: np.random.Generator) -> None:
        self.scores = scores
        self.lot: list[int] = rng.permutation(scores.n).tolist()
        self.evaluated = 0
        self._lots = np.array(self.lot)
        self._gains: dict[tuple[int, int], dict[int, int]] = {}
        self._changes: dict[tuple[int, int], dict[int, int]] = {}
        self._stored = 0

    def improving(self, child: int, family: int) -> dict[int, int]:
        """Return the variables whose addition to a family improves the score, best first, and by how much."""
        known = self._gains.get((child, family))
        if known is None:
            parents = tuple(bits(family))
            before = self.scores.family_exact(child, parents)
            after = self.scores.additions_exact(child, parents)
            better = np.flatnonzero(after > before) if before != IMPOSSIBLE else np.empty(0, dtype=np.int64)
            better = better[np.lexsort((self._lots[better], -after[better]))]
            known = dict(zip(better.tolist(), (after[better] - before).tolist(), strict=True))
            self._keep(self._gains, (child, family), known, self.scores.n - len(parents))
        return known

    def removals(self, child: int, family: int) -> dict[int, int]:
        """Return the change of the score for each member of a family that leaves it, where both are possible."""
        known = self._changes.get((child, family))
        if known is None:
            parents = tuple(bits(family))
            before = self.scores.family_exact(child, parents)
            known = {}
            if before != IMPOSSIBLE:
                after = self.scores.removals_exact(child, parents).tolist()
                known = {p: new - before for p, new in zip(parents, after, strict=True) if new != IMPOSSIBLE}
            self._keep(self._changes, (child, family), known, len(parents))
        return known

    def _keep(
        self, stored: dict[tuple[int, int], dict[int, int]], key: tuple[int, int], found: dict[int, int], asked: int
    ) -> None:
        if self._stored > _MOST_DIFFERENCES:
            self._gains.clear()
            self._changes.clear()
            self._stored = 0
        stored[key] = found
        self._stored += len(found) + 1
        self.evaluated += asked


@dataclass(slots=True)
class Waiting:
    """The moves of one kind: a heap of the next best of each child, and the moves that a path stops.

    Attributes
    ----------
    heap : list of (move, version of its child, its place in the list of the child)
        A place of -1 says that the next move of the child is in the heap already.
    listed : list of lists of moves
        Those into each child, best first.
    versions : list of int
        How often the moves into each child were listed.
    stopped : list of (move, version, path)
        Moves that a path with these edges stops.
    refused : list of (move, version)
        Moves to classes without an allowed member.
    """

    heap: list[tuple[ClassMove, int, int]]
    listed: list[list[ClassMove]]
    versions: list[int]
    stopped: list[tuple[ClassMove, int, list[tuple[int, int]]]]
    refused: list[tuple[ClassMove, int]]

    @classmethod
    def empty(cls, n: int) -> Self:
        """Return what holds no moves yet."""
        return cls([], [[] for _ in range(n)], [0] * n, [], [])

    def copy(self) -> Self:
        """Return a copy, which shares the lists of single children."""
        return type(self)(
            self.heap.copy(), self.listed.copy(), self.versions.copy(), self.stopped.copy(), self.refused.copy()
        )

    def list_again(self, child: int, moves: list[ClassMove]) -> None:
        """Replace the moves into a child."""
        moves.sort()
        self.listed[child] = moves
        self.versions[child] += 1
        if moves:
            heappush(self.heap, (moves[0], self.versions[child], 0))
        if len(self.heap) > 4 * len(self.listed):
            self.heap = [entry for entry in self.heap if entry[1] == self.versions[entry[0].y]]
            heapify(self.heap)

    def pop(self) -> tuple[ClassMove, int] | None:
        """Take the best move that is not out of date."""
        while self.heap:
            move, version, place = heappop(self.heap)
            if version != self.versions[move.y]:
                continue
            following = place + 1
            if place >= 0 and following < len(self.listed[move.y]):
                heappush(self.heap, (self.listed[move.y][following], version, following))
            return move, version
        return None

    def release(self, edges: set[tuple[int, int]]) -> None:
        """Put moves back that were refused, or stopped by a path with a changed edge."""
        back, kept = self.refused, []
        for move, version, path in self.stopped:
            if version == self.versions[move.y]:
                if edges.isdisjoint(path):
                    kept.append((move, version, path))
                else:
                    back.append((move, version))
        self.stopped, self.refused = kept, []
        for move, version in back:
            heappush(self.heap, (move, version, -1))
