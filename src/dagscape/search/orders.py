"""A search over orders of the variables.

In an order, each variable takes its parents from those before it, and the best parents of each are independent choices
[teyssier2005]. So a search over orders never meets a cycle, and one move changes many edges: it goes on where changes
of single edges are stuck. The score of an order is the score of its best network, and every network is the best one of
some order if its families are.

The kernel (``native/include/dagscape/search/order_search.hpp``) moves one variable at a time to the best of all n
places [scanagatta2017]_, promotes better families across the cycles that they would close, and orders windows of the
order optimally. Its steps cost microseconds with thousands of variables, because a move concerns few of them. It works
on lists of families, which ``family_pool.py`` provides: complete where they fit, otherwise grown as the search needs
them, as in [scanagatta2015]_ and [andrews2023]_. Lists that grow begin with all useful families of few parents and with
the families of a greedy network, and the search with one of the orders of that network, because lists grown for each
variable on its own lack families that only the directions of other edges make good.

Where the optimum can be found exactly in about a second, it takes the place of the search (``fast_optimum.py``).

Cost: the memory of the lists; O(list) for the profile of a variable, that is, for its scores at all places.

Notation: a *repetition* is a perturbation of the order and its repair; a *round* has 5 n of them.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dagscape.best.enumeration import why_not_classes
from dagscape.core import kernels
from dagscape.core.constraints import FLAG, OrNone, Whole
from dagscape.core.errors import TooLarge
from dagscape.graphs.dag import Dag
from dagscape.scores.arithmetic.fixed_point import IMPOSSIBLE
from dagscape.scores.scoring_job import ScoringJob
from dagscape.search.climbing import climbing_memory
from dagscape.search.family_arrays import FamilyArrays
from dagscape.search.family_pool import FamilyPool, every_family, pool_memory
from dagscape.search.fast_optimum import fast_optimum, optimum_memory
from dagscape.search.ges import ges
from dagscape.search.greedy import greedy
from dagscape.search.job import Found, SearchJob
from dagscape.search.learner import Learner
from dagscape.search.memory import SearchMemory
from dagscape.search.small_families import small_families
from dagscape.search.trace import Step, TraceRecorder

# Perturbations without a gain, per variable, after which the search ends: without and with a time limit. Of many
# variables, each perturbation takes longer as well: without a limit there are only so many in all, and some of each.
_PATIENCE = 50
_PATIENCE_WITH_LIMIT = 1000
_MOST_UNPRODUCTIVE, _LEAST_PATIENCE = 3000, 10

# Extensions of the lists without a gain, after which the search goes on with those it has.
_MOST_IDLE_EXTENSIONS = 4

# With fewer variables, the optimum is usually found exactly, which takes longer than a search with some more.
_FEWEST_TRIED = 20


def order(job: SearchJob, *, patience: int | None = None, window: int = 12, exact: bool = True) -> Found:
    """Search over orders, in which the best parents of each variable are independent choices.

    Parameters
    ----------
    job : SearchJob
        The search.
    patience : int, optional
        End the search after ``patience`` · n perturbations of the order without a gain. Default: 50, with more than 60
        variables 3000 / n, and 10 at least; or 1000 if there is a time limit.
    window : int
        The number of consecutive variables that are put into an optimal order at once: 2 to 16. The time doubles with
        each.
    exact : bool
        Whether to return an optimal network, without a search, where the exact method takes about a second at most.
    """
    optimum = fast_optimum(job) if exact else None
    if optimum is not None:
        return optimum
    limited = job.clock.limit < np.inf
    if patience is None:
        patience = _PATIENCE_WITH_LIMIT if limited else usual_patience(job.scores.n)
    families = every_family(job)
    if families is None:
        search = _Search(job, window, _first_network(job))
        finished = _search_with_growing_lists(job, search, patience, thorough=limited)
    else:
        search = _Search(job, window, job.start)
        search.restart(families, ("start",))
        finished = search.run(patience)
    details = {
        "order": [job.scores.variables[v] for v in search.order],
        "perturbations": search.perturbations,
        "families": search.families,
        "all_families": families is not None,
        "proved_optimal": False,
    }
    return Found(search.network, search.exact, finished, details)


def usual_patience(n: int) -> int:
    """Return how many perturbations of each of n variables may bring no gain before a search without a limit ends.

    >>> usual_patience(20), usual_patience(100), usual_patience(1000)
    (50, 30, 10)
    """
    return max(_LEAST_PATIENCE, min(_PATIENCE, _MOST_UNPRODUCTIVE // n))


def _first_network(job: SearchJob) -> Dag:
    """Return the network of a greedy search, over equivalence classes if the scores allow it."""
    unrecorded = replace(job, trace=TraceRecorder(job.scores.unit, job.clock))
    if why_not_classes(job.scores.without_constraints()):
        return greedy(unrecorded).network
    try:
        return ges(unrecorded).network
    except TooLarge:
        return greedy(unrecorded).network


def _search_with_growing_lists(job: SearchJob, search: _Search, patience: int, *, thorough: bool) -> bool:
    """Search, extend the lists and search again, until nothing is left to extend; return whether time sufficed.

    A thorough search expands all good families in the end, not only those of the networks that it found.
    """
    pool = FamilyPool(job.scores, search.start, small_families(job), job.rng, lambda: job.clock.expired)
    search.restart(pool.arrays(), ("start",))
    finished, grown, idle = search.run(0), False, 0
    while finished:
        before = search.exact
        # Networks that are equally good differ, so there could be something to extend for very long.
        if grown or (idle < _MOST_IDLE_EXTENSIONS and pool.extend(search.network)):
            search.restart(pool.arrays(), ("extend",))
            # While the lists grow, one round with each will do.
            finished, grown = search.run(0), False
            idle = 0 if search.exact > before else idle + 1
            continue
        finished = search.run(min(patience, _PATIENCE))
        if search.exact == before and finished:
            grown = pool.expand(search.network) or (thorough and pool.expand_best())
            if not grown:
                finished = search.run(patience)
        if search.exact > before:
            idle = 0
        elif finished and not grown:
            return True
    return False


class _Search:
    """The kernel's search, with lists of families that may be replaced by longer ones.

    It starts from an order of the variables in which the network ``start`` is possible.
    """

    def __init__(self, job: SearchJob, window: int, start: Dag) -> None:
        self.start = start
        self._job = job
        self._window = window
        self._kernel: kernels.OrderSearch | None = None
        self._perturbations = 0
        self.order = random_order(start, job.rng).tolist()
        self.exact = IMPOSSIBLE

    def restart(self, families: FamilyArrays, move: tuple[str, ...]) -> None:
        """Go on from the present order with other families."""
        if self._kernel is not None:
            self._perturbations += self._kernel.repetitions
        self._started = self._job.clock.seconds
        self._kernel = kernels.OrderSearch(
            *families,
            np.array(self.order, dtype=np.uint16),
            window=self._window,
            nat=min(1 << max(self._job.scores.unit.bits, 0), kernels.LARGEST_NAT),
            seed=int(self._job.rng.integers(2**63)),
        )
        if self._kernel.score > self.exact:
            self._job.trace.add(move, self._kernel.score)
        self.exact = self._kernel.score

    def run(self, patience: int) -> bool:
        """Run rounds until ``patience`` · n perturbations bring no gain; return whether time sufficed."""
        kernel, clock = self._running, self._job.clock
        total = max(patience, 1) * self._job.scores.n
        finished = True
        while finished:
            finished = kernel.run_round(clock.left)
            self._job.report("Searching orders", min(kernel.unproductive, total), total)
            if kernel.unproductive >= patience * self._job.scores.n:
                break
        self._record()
        return finished

    def _record(self) -> None:
        """Add the gains of the kernel to the trace."""
        kernel, job = self._running, self._job
        earliest = job.trace.steps[-1].seconds if job.trace.steps else 0.0
        for move, variable, exact, since in kernel.gains():
            if exact > self.exact:
                # The kernel's clock starts a moment after `_started`.
                seconds = max(self._started + since, earliest)
                name = move.name.lower()
                moved = (name,) if move == kernels.OrderMove.PERTURB else (name, job.scores.variables[variable])
                job.trace.steps.append(Step(moved, job.scores.unit.to_float(exact), seconds))
                self.exact = exact
        self.exact = kernel.score
        self.order = kernel.order()

    @property
    def _running(self) -> kernels.OrderSearch:
        if self._kernel is None:
            raise RuntimeError("the search has no families yet")
        return self._kernel

    @property
    def parents(self) -> list[list[int]]:
        """The parents of each variable in the best network so far."""
        return self._running.parents()

    @property
    def network(self) -> Dag:
        """The best network so far."""
        masks = tuple(sum(1 << parent for parent in parents) for parents in self.parents)
        return Dag.trusted(self._job.scores.variables, masks)

    @property
    def perturbations(self) -> int:
        """The number of perturbations so far."""
        return self._perturbations + self._running.repetitions

    @property
    def families(self) -> int:
        """The number of families that are of use to the search."""
        return self._running.families


def random_order(start: Dag, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return an order of the variables, parents before children, that depends on nothing else but the seed."""
    names = start.variables
    shuffled = rng.permutation(start.n)
    permuted = start.reordered([names[v] for v in shuffled.tolist()])
    return shuffled[list(permuted.order_numbers())]


def _memory(job: ScoringJob, threads: int, limit: int, *, exact: bool = True, **options: object) -> SearchMemory:
    """Return the memory of the first network, without which there is no search, and of the usual lists of families."""
    optimum = optimum_memory(job, threads, limit) if exact else 0
    likely = max(pool_memory(job, threads, limit), optimum)
    return SearchMemory(climbing_memory(job, threads, limit, **options).least, likely)


ORDER = Learner(
    "order",
    order,
    citations=("teyssier2005", "scanagatta2015", "scanagatta2017", "andrews2023"),
    memory=_memory,
    power=3.0,
    fewest=_FEWEST_TRIED,
    constraints={"patience": OrNone(Whole(0)), "window": Whole(2, kernels.WIDEST_WINDOW), "exact": FLAG},
)
