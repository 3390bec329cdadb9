"""Hill climbing over DAGs, the slow and obvious way: every neighbour is scored as a whole."""

from __future__ import annotations

from collections import deque

from dagscape.core.masks import bits
from dagscape.graphs.moves import legal_moves
from dagscape.scores.arithmetic.fixed_point import IMPOSSIBLE


class NetworkScores:
    """Exact scores of whole networks, as sums over all families; each family is looked up once."""

    def __init__(self, scores):
        self.scores, self.families = scores, {}

    def exact(self, dag):
        """Return the score of a DAG in units."""
        found = [self._family(child, parents) for child, parents in enumerate(dag.parent_masks)]
        return IMPOSSIBLE if IMPOSSIBLE in found else sum(found)

    def _family(self, child, parents):
        if (child, parents) not in self.families:
            self.families[child, parents] = self.scores.family_exact(child, list(bits(parents)))
        return self.families[child, parents]


def best_moves(scores, dag, avoid=(), allowed=None):
    """Return the highest score of a neighbour of a DAG, and all moves that reach it.

    Constraints need no rule of their own: the families that break them are impossible. Edges may be added only where
    ``allowed[parent, child]`` is true, and neighbours in ``avoid`` do not count.
    """
    highest, found = IMPOSSIBLE, []
    for move in legal_moves(dag, scores.scores.max_parents):
        added = {"add": (move.parent, move.child), "reverse": (move.child, move.parent)}.get(move.kind)
        if added and allowed is not None and not allowed[added]:
            continue
        neighbour = move.apply(dag)
        exact = scores.exact(neighbour)
        if exact == IMPOSSIBLE or neighbour in avoid:
            continue
        if exact > highest:
            highest, found = exact, []
        if exact == highest:
            found.append(move)
    return highest, found


class Walk:
    """A climb that is checked step by step: which moves are best, and whether the climb may end.

    Parameters
    ----------
    scores : LocalScores
        The scores.
    start : Dag
        The first DAG.
    visited, patience : int
        The length of the tabu list, and the number of steps without a new best DAG after which the search ends; both 0
        for a greedy search.
    """

    def __init__(self, scores, start, visited=0, patience=0, allowed=None):
        self.scores, self.patience, self.allowed = NetworkScores(scores), patience, allowed
        self.dag = start
        self.exact = self.summit = self.scores.exact(start)
        self.visited = deque(maxlen=visited)
        self.idle = 0
        self._look()

    def _look(self):
        self.next_exact, self.moves = best_moves(self.scores, self.dag, self.visited, self.allowed)

    @property
    def over(self):
        """Whether the climb must end here."""
        if not self.moves:
            return True
        return self.idle >= self.patience if self.patience else self.next_exact <= self.exact

    def make(self, move):
        """Make one of the best moves."""
        assert not self.over
        assert move in self.moves
        self.visited.append(self.dag)
        self.dag, self.exact = move.apply(self.dag), self.next_exact
        self.idle = 0 if self.exact > self.summit else self.idle + 1
        self.summit = max(self.summit, self.exact)
        self._look()
