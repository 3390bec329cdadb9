"""Hill climbing over DAGs, as all methods that climb share it: steps, the tabu list, ties, restarts.

From a DAG, the search makes the best legal move: add, remove or reverse an edge. There are two ways to end:

- Greedy: as soon as no move improves the score. The result is a local optimum.
- Tabu search: the search goes on through worse DAGs, never back to one of the last ``visited``, and ends after
  ``patience`` steps without a new best DAG.

A *restart* returns to the best DAG so far, makes ``perturbation`` random moves and climbs again.

Moves with equal gain are chosen at random, with equal probability. This matters: with a score-equivalent score, an edge
can often be added in both directions with the same gain, and a search that always takes the first one profits from
data whose columns are in topological order.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dagscape.core import kernels
from dagscape.core.constraints import Constraints, OrNone, Whole
from dagscape.core.resources import check_memory
from dagscape.core.wording import plural
from dagscape.graphs.dag import Dag
from dagscape.graphs.moves import Move
from dagscape.scores.arithmetic.fixed_point import IMPOSSIBLE
from dagscape.scores.scoring_job import ScoringJob
from dagscape.search.climber import Climber
from dagscape.search.job import Found, SearchJob
from dagscape.search.memory import SearchMemory, cached_bytes

# The values of set functions that a climb computes, for each pair of variables: 1.8 to 3.8, with 27 to 223 variables.
_CACHED_PER_PAIR = 4

# A longer tabu list would not make a difference: no search makes that many steps.
_LONGEST_LIST = 2**31

# What the options of methods that climb may be.
TABU_RULES: Constraints = {"tabu_length": Whole(1), "patience": Whole(1)}
RESTART_RULES: Constraints = {"restarts": Whole(0), "perturbation": OrNone(Whole(1))}


@dataclass(frozen=True, slots=True)
class Rules:
    """How a climb ends, and starts again.

    Attributes
    ----------
    visited : int
        The length of the tabu list: no move leads back to one of this many DAGs before the current one.
    patience : int
        The search ends after this many steps without a new best DAG; 0 for a greedy search, which makes no step that
        does not improve the score.
    restarts : int
        The number of restarts.
    perturbation : int, optional
        The number of random moves of a restart. Default: half the number of variables, at least 8.
    """

    visited: int = 0
    patience: int = 0
    restarts: int = 0
    perturbation: int | None = None


def climbing_memory(job: ScoringJob, threads: int, limit: int, **options: object) -> SearchMemory:  # noqa: ARG001
    """Return how much memory a climb over DAGs takes: the gains of all moves, and a cache of a few values for each."""
    return SearchMemory(kernels.MoveEvaluator.bytes(job.data.n), cached_bytes(job.data.n, _CACHED_PER_PAIR))


def climb(job: SearchJob, rules: Rules, *, allowed: NDArray[np.bool_] | None = None) -> Found:
    """Climb from the job's start, and record every step in its trace.

    Parameters
    ----------
    job : SearchJob
        The search. A method with stages replaces its scores or start by :func:`dataclasses.replace`.
    rules : Rules
        How to end, and restart.
    allowed : array of bool, optional
        Which edges may be added: ``allowed[parent, child]``. Edges of the start may stay in any case. Default: all.

    Returns
    -------
    Found
        The best DAG of the search.

    Examples
    --------
    A search that adds edges to one variable only:

    >>> import dagscape as ds
    >>> from dagscape.core.clock import Clock
    >>> from dagscape.search.trace import TraceRecorder
    >>> scores = ds.family_scores(ds.load_dataset("iris"))
    >>> start, clock = ds.Dag.from_edges(scores.variables), Clock()
    >>> trace = TraceRecorder(scores.unit, clock)
    >>> job = SearchJob(scores, None, start, np.random.default_rng(0), clock, trace, threads=1)
    >>> allowed = np.zeros((5, 5), dtype=bool)
    >>> allowed[:, 4] = True
    >>> climb(job, Rules(), allowed=allowed).network
    Dag(5 variables, 2 edges: petal_length -> class, petal_width -> class)
    """
    what = f"the gains of all moves between {plural(job.scores.n, 'variable')}"
    check_memory(kernels.MoveEvaluator.bytes(job.scores.n), job.max_memory, what, "raise the limit")
    climber = Climber(job.scores, job.start, allowed=allowed, visited=min(rules.visited, _LONGEST_LIST))
    return _Search(job, rules, climber).run()


class _Search:
    """A climb with its best DAG so far."""

    def __init__(self, job: SearchJob, rules: Rules, climber: Climber) -> None:
        self.job, self.rules, self.climber = job, rules, climber
        self.best, self.best_exact = job.start, IMPOSSIBLE
        self.steps = 0

    def run(self) -> Found:
        ready = self.climber.update(self.job.clock, lambda done, total: self.job.report("scoring", done, total))
        if not ready:
            exact = self.job.scores.network_exact(self.job.start)
            self.job.trace.add(("start",), exact, self.job.start)
            return Found(self.job.start, exact, complete=False, details=self._details(0))
        self._record(("start",), self.job.start)
        for restarts in range(self.rules.restarts + 1):
            if restarts:
                self._perturb()
            complete = self._climb(restarts)
            if not complete:
                break
        self.job.report("climbing", restarts + complete, self.rules.restarts + 1)
        return Found(self.best, self.best_exact, complete, self._details(restarts))

    def _climb(self, restarts: int) -> bool:
        """Climb until the rules end it; return False if the time limit does."""
        idle = 0  # steps without a new best DAG
        summit = self.climber.exact
        while True:
            chosen = self.climber.choose_best(self.job.rng)
            if chosen is None or (chosen[0] <= 0 and not self.rules.patience):
                return True
            if self.job.clock.expired:
                return False
            self._step(chosen[1])
            self.job.report("climbing", restarts, self.rules.restarts + 1)
            idle = 0 if self.climber.exact > summit else idle + 1
            summit = max(summit, self.climber.exact)
            if idle >= max(self.rules.patience, 1):
                return True

    def _step(self, move: Move) -> None:
        self.climber.apply(move)
        self.steps += 1
        names = self.climber.scores.variables
        self._record((move.kind, names[move.parent], names[move.child]))

    def _perturb(self) -> None:
        """Make random moves from the best DAG."""
        self.climber.set_network(self.best)
        self.climber.update()
        moves = self.rules.perturbation or max(8, self.best.n // 2)
        for _ in range(moves):
            move = self.climber.choose_any(self.job.rng)
            if move is None or self.job.clock.expired:
                break
            self.climber.apply(move)
        self.climber.forget_visited()
        self._record(("restart",), self.climber.network)

    def _record(self, move: tuple[str, ...], network: Dag | None = None) -> None:
        exact = self.climber.exact
        self.job.trace.add(move, exact, network)
        if exact > self.best_exact:
            self.best, self.best_exact = self.climber.network, exact

    def _details(self, restarts: int) -> dict[str, int]:
        return {"steps": self.steps, "restarts": restarts}
