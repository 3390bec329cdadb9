r"""Greedy search over equivalence classes, which EQ1 and GES share.

A class is represented by its completed PDAG (CPDAG). Moves insert or delete one adjacency, and are evaluated without
building a member. For a child *Y* with compelled parents Pa(Y) and undirected neighbours N(Y), and a clique *K* of
N(Y),

.. math::

   Δ\,Insert(X, Y, K) &= s(Y \mid Pa(Y) ∪ K ∪ \{X\}) - s(Y \mid Pa(Y) ∪ K) \\
   Δ\,Delete(X, Y, K) &= s(Y \mid (Pa(Y) ∪ K) ∖ \{X\}) - s(Y \mid Pa(Y) ∪ K ∪ \{X\})

Which moves are valid, and how they are kept up to date, is described in
``native/include/dagscape/search/class_moves.hpp``. The kernel asks for the differences that it needs, and they come
from the local scores in batches. The cost of a step is that of the families that were not asked before, about *n* for
each changed family.

*Constraints.* A class is allowed if some member has all required edges and no forbidden one; moves to other classes
are not made, and the network returned is such a member. Differences are those of the scores without constraints,
because the members that they compare need not be allowed themselves.

*Parents.* The largest number of parents of a variable is the same in all members of a class: in each of them, every
largest clique of undirected edges has a last variable, whose parents are the rest of the clique and the compelled
parents that all of its members share. So ``max_parents`` allows either all members of a class or none.

*Notation.* In [chickering2002]_, NA is the set of neighbours of *Y* that are adjacent to *X*, T = K ∖ NA are the
neighbours that an Insert directs to *Y*, and H = NA ∖ K are those that a Delete directs away from it. Traces name T
and H. As in [ramsey2017]_, differences are computed again only where the graph has changed; unlike there, nothing is
left out.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dagscape.best.enumeration import why_not_classes
from dagscape.core import kernels
from dagscape.core.errors import InvalidOption, TooLarge, argument
from dagscape.core.masks import mask_of
from dagscape.core.resources import format_bytes, memory_limit
from dagscape.graphs.dag import Dag
from dagscape.graphs.words import Words, pack, unpack
from dagscape.scores.arithmetic.fixed_point import IMPOSSIBLE
from dagscape.scores.scoring_job import ScoringJob
from dagscape.scores.tables.enumerable_scores import EnumerableScores
from dagscape.scores.tables.local_scores import LocalScores
from dagscape.search.job import Found, SearchJob
from dagscape.search.memory import SearchMemory, cached_bytes

EQ1_INSERTS = kernels.CLASS_OPERATORS_EQ1
INSERTS = kernels.CLASS_OPERATORS_INSERT
DELETES = kernels.CLASS_OPERATORS_DELETE

# The share of the memory limit for moves; the cache of scores may take the rest.
_SHARE_OF_MEMORY = 1 / 4

# For each pair of variables: bytes of the moves of a class without edges, at most, and the values of set functions that
# a search computes, 1.8 to 3.3 with 27 to 223 variables.
_BYTES_PER_PAIR = 8
_CACHED_PER_PAIR = 4


def class_memory(job: ScoringJob, threads: int, limit: int, **options: object) -> SearchMemory:  # noqa: ARG001
    """Return how much memory a search over classes takes, unless they have large cliques."""
    moves = int(_BYTES_PER_PAIR * job.data.n**2 / _SHARE_OF_MEMORY)
    return SearchMemory(moves, cached_bytes(job.data.n, _CACHED_PER_PAIR))


class ClassSearch:
    """A greedy search over equivalence classes, from the class of the start network.

    Parameters
    ----------
    job : SearchJob
        The search to run.
    method : str
        The name of the method, for messages.

    Attributes
    ----------
    exact : int
        The score of the current class, in units.
    steps : int
        The number of moves made.
    evaluated : int
        The number of differences computed.
    """

    def __init__(self, job: SearchJob, method: str) -> None:
        self._job = job
        self._method = method
        self._scores = equivalent_scores(job.scores, method)
        self._most_bytes = int(memory_limit(job.max_memory) * _SHARE_OF_MEMORY)
        self._moves = self._class_of(job.start)
        self.exact = self._scores.network_exact(job.start)
        self.steps = 0
        self.evaluated = 0
        if self.exact != IMPOSSIBLE:
            job.trace.add(("start",), self.exact)

    def climb(self, operators: int) -> bool:
        """Make the best move until none improves the score.

        Returns
        -------
        bool
            Whether that point was reached before the time limit.
        """
        if self.exact == IMPOSSIBLE:
            # No difference to an impossible network is defined.
            return True
        self._moves.use(operators)
        while self._evaluate():
            if not self._step(operators):
                return True
            task = "deleting edges" if operators == DELETES else "inserting edges"
            self._job.report(task, self.steps, max(self.steps + 1, self._job.scores.n))
        return False

    def found(self, *, complete: bool) -> Found:
        """Return a member of the current class that meets the constraints."""
        names = self._job.scores.variables
        # The kernel's choice of a member depends on the order of the variables.
        shuffled = [names[v] for v in self._job.rng.permutation(len(names)).tolist()]
        network = _member(self._class_of(_member(self._moves, names).reordered(shuffled)), shuffled).reordered(names)
        exact = self.exact
        if isinstance(self._scores, EnumerableScores):
            # The scores of a list may be rounded, and then members differ in the last digits.
            exact = self._scores.network_exact(network)
        return Found(network, exact, complete, {"steps": self.steps, "evaluated": self.evaluated})

    def _class_of(self, network: Dag) -> kernels.ClassMoves:
        """Return the kernel at the class of a network, whose variables may be in any order."""
        number = {name: i for i, name in enumerate(network.variables)}
        place = [number[name] for name in self._job.scores.variables]

        def rows(constrained: Sequence[frozenset[int]]) -> Words:
            masks = {place[child]: mask_of(place[v] for v in above) for child, above in enumerate(constrained)}
            return _rows([masks[v] for v in range(network.n)])

        constraints = self._job.scores.constraints
        return kernels.ClassMoves(
            _rows(network.parent_masks),
            rows(constraints.forbidden),
            rows(constraints.required),
            self._job.scores.max_parents,
            self._most_bytes,
        )

    def _evaluate(self) -> bool:
        """Compute all differences that the kernel lacks; false if the time is over."""
        family, toggled = (np.empty(self._job.scores.n, dtype=np.int64) for _ in range(2))
        enough = self._moves.refresh()
        while enough and (question := self._moves.next(family, toggled)) is not None:
            if self._job.clock.expired:
                return False
            child, members, asked = question
            enough = self._moves.answer(self._differences(child, family[:members], toggled[:asked]))
            self.evaluated += asked
        if not enough:
            raise TooLarge(
                f"the moves of method {self._method!r} in a class with large cliques need more than "
                f"{format_bytes(self._most_bytes)}, a quarter of the memory limit: lower {argument('max_parents')}, "
                f"raise {argument('max_memory')}, or use another method, such as 'order'"
            )
        return not self._job.clock.expired

    def _differences(self, child: int, family: NDArray[np.int64], toggled: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return how the score of a child changes if single variables join its parents or leave them."""
        parents = tuple(family.tolist())
        before = self._scores.family_exact(child, parents)
        if before == IMPOSSIBLE:
            return np.full(len(toggled), IMPOSSIBLE)
        within = np.zeros(self._scores.n, dtype=np.bool_)
        within[family] = True
        leaving = within[toggled]
        joining = np.zeros(self._scores.n, dtype=np.bool_)
        joining[toggled[~leaving]] = True
        after = self._scores.additions_exact(child, parents, among=joining)[toggled]
        if leaving.any():
            kept = [np.setdiff1d(family, [parent]) for parent in toggled[leaving]]
            after[leaving] = self._scores.exact_scores(child, np.array(kept))
        after[after != IMPOSSIBLE] -= before
        return after

    def _step(self, operators: int) -> bool:
        """Make one of the best moves, chosen at random; false if no move improves the score."""
        while True:
            improvement, ties = self._moves.find_best()
            if not ties:
                return False
            while ties:
                chosen = int(self._job.rng.integers(ties))
                x, y, turned = self._moves.best(chosen)
                if self._moves.apply(chosen):
                    self.exact += improvement
                    self.steps += 1
                    move = "delete" if operators == DELETES else "insert"
                    names = [self._job.scores.variables[v] for v in (x, y, *turned)]
                    self._job.trace.add((move, *names), self.exact)
                    return True
                ties -= 1


def equivalent_scores(scores: LocalScores, method: str) -> LocalScores:
    """Return scores without constraints, and refuse scores that distinguish members of a class."""
    free = scores.without_constraints()
    if reason := why_not_classes(free):
        raise InvalidOption(
            f"is {method!r}, which searches equivalence classes, but {reason}: use another method, such as 'tabu' "
            "or 'order'",
            option="method",
        )
    return free


def _member(moves: kernels.ClassMoves, names: Sequence[str]) -> Dag:
    """Return a member of the kernel's class that meets the constraints."""
    rows = _rows([0] * len(names))
    moves.member(rows)
    return Dag.trusted(tuple(names), unpack(rows))


def _rows(masks: Sequence[int]) -> Words:
    """Return one set for each variable as rows of words."""
    rows: Words = pack([masks], len(masks))[0]
    return rows
