"""A DAG on its way up: its score, and its best moves.

The kernel (``native/include/dagscape/search/move_evaluator.hpp``) holds the graph and the gain of every addition and
removal of an edge. After each move, the one or two changed children are scored again, with each other variable added to
their parents and each parent removed; all additions in one batch.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dagscape.core import kernels
from dagscape.core.clock import Clock
from dagscape.core.errors import InvalidOption, argument
from dagscape.core.masks import bits
from dagscape.graphs.dag import Dag
from dagscape.graphs.moves import Move
from dagscape.scores.arithmetic.fixed_point import IMPOSSIBLE
from dagscape.scores.tables.local_scores import LocalScores

_KINDS: dict[Literal["add", "remove", "reverse"], kernels.MoveKind] = {
    "add": kernels.MoveKind.ADD,
    "remove": kernels.MoveKind.REMOVE,
    "reverse": kernels.MoveKind.REVERSE,
}
_NAMES = {kind: name for name, kind in _KINDS.items()}


class Climber:
    """A DAG that is changed move by move, with the gain of every legal move.

    A move is legal if it leads to a DAG whose families are all possible, so that constraints and ``max_parents`` hold.

    Parameters
    ----------
    scores : LocalScores
        The local scores.
    start : Dag
        The first DAG.
    allowed : array of bool, optional
        Which edges may be added: ``allowed[parent, child]``. Default: all.
    visited : int
        No move leads back to one of this many DAGs before the current one. Default: 0.

    Examples
    --------
    >>> import dagscape as ds
    >>> scores = ds.family_scores(ds.load_dataset("tic-tac-toe"))
    >>> climber = Climber(scores, ds.Dag.from_edges(scores.variables))
    >>> climber.update()
    True
    >>> gain, ties = climber.best()
    >>> round(scores.unit.to_float(gain), 3), ties
    (50.049, 2)
    >>> climber.apply(climber.best_move(0))
    >>> climber.network.edge_count
    1
    """

    __slots__ = ("_allowed", "_evaluator", "_parents", "_pending", "scores")

    def __init__(
        self, scores: LocalScores, start: Dag, *, allowed: NDArray[np.bool_] | None = None, visited: int = 0
    ) -> None:
        self.scores = scores
        # By child: the rows of a C-contiguous array are read fastest.
        self._allowed = None if allowed is None else np.ascontiguousarray(allowed.T)
        self._parents = list(start.parent_masks)
        self._pending = list(range(start.n))
        self._evaluator = kernels.MoveEvaluator(start.n, _edges(start), visited)

    @property
    def network(self) -> Dag:
        """The current DAG."""
        return Dag.trusted(self.scores.variables, tuple(self._parents))

    @property
    def exact(self) -> int:
        """Its score, in units."""
        return self._evaluator.score

    def set_network(self, network: Dag) -> None:
        """Continue from another DAG, and forget the visited ones; :meth:`update` must follow."""
        new = network.parent_masks
        self._pending += [child for child, parents in enumerate(self._parents) if new[child] != parents]
        self._evaluator.set_edges(_edges(network))
        self._parents = list(new)

    def update(self, clock: Clock | None = None, report: Callable[[int, int], None] | None = None) -> bool:
        """Score the moves of all children that need it; return False if the time does not suffice.

        Parameters
        ----------
        clock : Clock, optional
            The time limit. Default: none.
        report : callable, optional
            Called with the number of children done, and of all.
        """
        total = len(self._pending)
        while self._pending:
            if clock is not None and clock.expired:
                return False
            self._score(self._pending[-1])
            self._pending.pop()
            if report is not None:
                report(total - len(self._pending), total)
        return True

    def best(self) -> tuple[int, int]:
        """Return the largest gain of a legal move, in units, and the number of moves with it; 0 if there is none."""
        return self._evaluator.best()

    def best_move(self, number: int) -> Move:
        """Return one of the moves with the largest gain, numbered from 0."""
        return _move(self._evaluator.best_move(number))

    def choose_best(self, rng: np.random.Generator) -> tuple[int, Move] | None:
        """Return the largest gain and one of the moves that have it, each with the same probability."""
        gain, ties = self.best()
        if not ties:
            return None
        return gain, self.best_move(int(rng.integers(ties)) if ties > 1 else 0)

    def choose_any(self, rng: np.random.Generator) -> Move | None:
        """Return a random legal move: a random kind, and a random move of this kind."""
        counts = {kind: self._evaluator.count(kind) for kind in _NAMES}
        kinds = [kind for kind, count in counts.items() if count]
        if not kinds:
            return None
        kind = kinds[int(rng.integers(len(kinds)))]
        return _move(self._evaluator.move(kind, int(rng.integers(counts[kind]))))

    def apply(self, move: Move) -> None:
        """Make a legal move, and score the moves of the changed children."""
        self._evaluator.apply(_KINDS[move.kind], move.parent, move.child)
        self._parents[move.child] ^= 1 << move.parent
        self._pending.append(move.child)
        if move.kind == "reverse":
            self._parents[move.parent] ^= 1 << move.child
            self._pending.append(move.parent)
        self.update()

    def forget_visited(self) -> None:
        """Allow moves to all DAGs again."""
        self._evaluator.forget_visited()

    def _score(self, child: int) -> None:
        parents = tuple(bits(self._parents[child]))
        own = self.scores.family_exact(child, parents)
        if own == IMPOSSIBLE:
            raise self._impossible(child, parents)
        among = None if self._allowed is None else self._allowed[child]
        changed = self.scores.additions_exact(child, parents, among=among)
        changed[[*parents]] = self.scores.removals_exact(child, parents)
        self._evaluator.set_scores(child, own, changed)

    def _impossible(self, child: int, parents: tuple[int, ...]) -> InvalidOption:
        """Return an error about a family of the first DAG."""
        names = self.scores.variables
        above = f"with parents {[names[parent] for parent in parents]}" if parents else "without parents"
        family = f"family of {names[child]!r} {above}"
        if self.scores.constraints.required[child] != {*parents}:
            return InvalidOption(f"has the impossible {family}: give another", option="start")
        # The user need not have given a start.
        other = f"choose a {argument('start')} without it, or use {argument('method', 'order')}"
        return InvalidOption(f"the search would start with the {family}, which is impossible: {other}")


def _edges(dag: Dag) -> NDArray[np.uint32]:
    """Return the edges by number, those of the first variables of a topological order first."""
    edges = [(parent, child) for child in dag.order_numbers() for parent in bits(dag.parent_masks[child])]
    return np.array(edges, dtype=np.uint32).reshape(-1, 2)


def _move(found: tuple[kernels.MoveKind, int, int]) -> Move:
    kind, parent, child = found
    return Move(_NAMES[kind], parent, child)
