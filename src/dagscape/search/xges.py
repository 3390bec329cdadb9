"""XGES, extremely greedy equivalence search: delete edges as soon as that improves the score [nazaret2024]_.

The problem: find the class with the highest score. GES inserts all edges before it deletes the first one. In dense
networks, edges that are inserted early and turn out to be superfluous call for others, and the deletions at the end do
not undo all of that. XGES has two parts:

- XGES-0 prefers deletes to turns, and turns to inserts. It makes the best delete that improves the score; if there is
  none, the best turn; if there is none, the best insert (:mod:`dagscape.search.class_state`).
- The *extended search* then takes one edge after the other, those whose deletion costs least first. It deletes and bars
  the edge, and runs XGES-0 again. The result is kept if its score is higher than the one before. The bar is then
  lifted, and XGES-0 goes on. When all deletes have been tried, it starts over with those of the new class, until no
  deletion leads to a higher score.

In the limit of many rows, XGES-0 ends in the right class, as GES does, and the extended search does not leave it.

*Never below GES.* The search begins with GES, run with the same random numbers as the method ``ges``, and goes on from
whichever is better, the class of GES or that of XGES-0. Every later step raises the score. With a time limit, what is
reached in the time is kept, which includes the class of GES if that was reached.

Cost: that of GES; XGES-0 takes about as long; and a short XGES-0 for every edge, usually more often than once.

*Notation.* The paper's Insert, Delete and Reverse are the operators of :mod:`dagscape.search.class_state`.
"""

from __future__ import annotations

from collections import deque
from copy import deepcopy
from dataclasses import dataclass, replace

from dagscape.core.constraints import FLAG
from dagscape.core.masks import bits, mask_of
from dagscape.graphs.dag import Dag
from dagscape.scores.arithmetic.fixed_point import IMPOSSIBLE
from dagscape.search.class_moves import ClassMove, Differences, Kind
from dagscape.search.class_search import DELETES, INSERTS, ClassSearch, class_memory, equivalent_scores
from dagscape.search.class_state import ClassState
from dagscape.search.job import Found, SearchJob
from dagscape.search.learner import Learner
from dagscape.search.trace import TraceRecorder


def xges(job: SearchJob, *, extended: bool = True) -> Found:
    """Greedy equivalence search that prefers deletions, and then tries the deletion of every edge.

    The score must be score-equivalent (not K2, no rows from experiments).

    Parameters
    ----------
    job : SearchJob
        The search.
    extended : bool
        Whether to try the deletion of every edge; otherwise, the search ends with XGES-0. Default: true.
    """
    scores = equivalent_scores(job.scores, "xges")
    found = _ges(_unrecorded(job))
    if found.exact == IMPOSSIBLE or not found.complete:
        if found.exact != IMPOSSIBLE:
            job.trace.add(("start",), scores.network_exact(job.start))
            job.trace.add(("ges",), found.exact)
        return replace(found, details=_Counts().details(0, found))
    search = _Search(job, Differences(scores, job.rng))
    complete = search.run(found, extended=extended)
    network = search.network
    end = ClassSearch(replace(_unrecorded(job), start=network), "xges").found(complete=complete)
    return Found(end.network, end.exact, complete, search.counts.details(search.differences.evaluated, found))


def _unrecorded(job: SearchJob) -> SearchJob:
    """Return a job with the same random numbers whose steps do not go to the trace."""
    return replace(job, trace=TraceRecorder(job.scores.unit, job.clock), rng=deepcopy(job.rng))


def _ges(job: SearchJob) -> Found:
    """Return what the method ``ges`` finds."""
    search = ClassSearch(job, "xges")
    return search.found(complete=search.climb(INSERTS) and search.climb(DELETES))


@dataclass(slots=True)
class _Counts:
    """What a search has done."""

    steps: int = 0
    tried: int = 0
    accepted: int = 0

    def details(self, evaluated: int, first: Found) -> dict[str, int]:
        """Return the details of the result."""
        return {
            "steps": self.steps,
            "evaluated": evaluated + int(first.details.get("evaluated", 0)),
            "deletions_tried": self.tried,
            "deletions_accepted": self.accepted,
        }


class _Search:
    """XGES-0 and the extended search, with the best class so far."""

    def __init__(self, job: SearchJob, differences: Differences) -> None:
        self._job = job
        self.differences = differences
        self.counts = _Counts()
        self._state = self._class_of(job.start)
        job.trace.add(("start",), self._state.exact)

    @property
    def network(self) -> Dag:
        """A member of the best class that meets the constraints."""
        return Dag.trusted(self._job.scores.variables, self._state.dag)

    def run(self, ges_found: Found, *, extended: bool) -> bool:
        """Search; return whether time sufficed."""
        finished = self._climb(self._state, record=True)
        if ges_found.exact > self._state.exact:
            self._state = self._class_of(ges_found.network)
            self._job.trace.add(("ges",), self._state.exact)
            finished = finished and self._climb(self._state, record=True)
        return finished and (not extended or self._try_deletions())

    def _class_of(self, network: Dag) -> ClassState:
        constraints = self._job.scores.constraints
        forbidden, required = (
            [mask_of(above) for above in sets] for sets in (constraints.forbidden, constraints.required)
        )
        exact = self.differences.scores.network_exact(network)
        return ClassState(self.differences, list(network.parent_masks), exact, forbidden, required)

    def _climb(self, state: ClassState, *, record: bool) -> bool:
        """Run XGES-0 from a class; return whether time sufficed."""
        while not self._job.clock.expired:
            made = state.make_best()
            if made is None:
                return True
            self.counts.steps += 1
            if record:
                self._record(state, *made)
                steps = self.counts.steps
                self._job.report("inserting, turning and deleting edges", steps, max(steps + 1, self._job.scores.n))
        return False

    def _record(self, state: ClassState, kind: Kind, move: ClassMove, turned: int) -> None:
        names = self._job.scores.variables
        self._job.trace.add((kind, *(names[v] for v in (move.x, move.y, *bits(turned)))), state.exact)

    def _try_deletions(self) -> bool:
        """Delete one edge after the other and search again, as long as that leads to better classes."""
        waiting = deque(self._state.deletes())
        total, improved = len(waiting), False
        while waiting:
            move = waiting.popleft()
            self._job.report("trying deletions", total - len(waiting), total)
            better = self._better_without(move) if self._state.has_delete(move) else None
            if better is not None:
                self._state, improved = better, True
            if self._job.clock.expired:
                return False
            if not waiting and improved:
                waiting, improved = deque(self._state.deletes()), False
                total = len(waiting)
        return True

    def _better_without(self, move: ClassMove) -> ClassState | None:
        """Delete an edge, bar it and search; return the class that is reached if its score is higher."""
        state = self._state.copy()
        state.bar(move.x, move.y)
        turned = state.turned("delete", move)
        if not state.make("delete", move) or not self._climb(state, record=False):
            return None
        self.counts.tried += 1
        if state.exact <= self._state.exact:
            return None
        self.counts.accepted += 1
        self._record(state, "delete", move, turned)
        state.lift_bar(move.x, move.y)
        # Better than before even if time ends this climb.
        self._climb(state, record=True)
        return state


XGES = Learner("xges", xges, citations=("nazaret2024",), memory=class_memory, constraints={"extended": FLAG})
