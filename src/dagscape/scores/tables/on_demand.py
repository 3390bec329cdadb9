"""Local scores on demand: each family is computed from the data when it is requested.

The scores of all families of hundreds of variables would not fit in memory, and a search looks at few of them. The set
functions are those of the lattice, so a family has the same integer score either way. Values are cached within a memory
limit; those not used recently are dropped.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagscape.core.caveats import issue
from dagscape.core.errors import argument
from dagscape.core.resources import check_memory, format_bytes, memory_limit, thread_count
from dagscape.core.wording import plural
from dagscape.data.notices import data_warnings
from dagscape.data.values import Frame
from dagscape.results.base import Provenance, provenance_of
from dagscape.results.score_info import ScoreInfo
from dagscape.scores.arithmetic.fixed_point import IMPOSSIBLE
from dagscape.scores.arithmetic.rounding import network_rounding
from dagscape.scores.definitions.set_functions import FamilyKernel, ScoredData
from dagscape.scores.scoring_job import ScoringJob, prepare
from dagscape.scores.tables.family_terms import added, terms_on_demand
from dagscape.scores.tables.lattice import Members
from dagscape.scores.tables.local_scores import LocalScores, with_candidates

# The default size of the cache: tens of millions of sets.
_DEFAULT_CACHE = 2**30


class OnDemandScores(LocalScores):
    """Local scores computed from data on demand, with a cache of bounded size.

    :func:`dagscape.family_scores` returns them. They are the same integers as those of :func:`dagscape.local_scores`
    for the same data and options. Methods that need all families at once (:func:`dagscape.posterior`,
    :func:`dagscape.k_best`, :func:`dagscape.modes`) do not accept them.
    """

    def __init__(self, job: ScoringJob, kernel: FamilyKernel, info: ScoreInfo, provenance: Provenance) -> None:
        """Combine a job and the kernel that runs it.

        Parameters
        ----------
        job : ScoringJob
            The definition of the scores.
        kernel : FamilyKernel
            The kernel that computes them.
        info : ScoreInfo
            The score, its options and the data.
        provenance : Provenance
            How they are computed.
        """
        self.variables = job.data.variables
        self.max_parents = job.max_parents
        self.constraints = job.constraints
        self.unit = job.unit
        self.rounding = network_rounding(job)
        self.info = info
        self.provenance = provenance
        self._size_terms = job.unit.to_ints(job.size_terms())
        self._family_terms = terms_on_demand(job.prior, job.unit, job.data.n, job.max_parents)
        self._kernel = kernel

    @property
    def nbytes(self) -> int:
        """The current memory of the data, the cache and the work on them, in bytes."""
        return self._kernel.bytes

    @property
    def cached_sets(self) -> int:
        """The number of values of set functions in the cache."""
        return self._kernel.cached_sets

    def exact_scores(self, child: int, sets: Members) -> NDArray[np.int64]:
        """Return the scores, in units, of a child with parent sets of one size, or ``IMPOSSIBLE``."""
        allowed = self.constraints.allowed(child, sets)
        differences = np.empty(int(allowed.sum()), dtype=np.int64)
        self._kernel.scores(child, np.ascontiguousarray(sets[allowed], dtype=np.uint16), differences, None)
        scores = np.full(len(sets), IMPOSSIBLE)
        exact = self._with_size_term(differences, sets.shape[1])
        if self._family_terms is not None:
            exact = added(exact, self._family_terms.of_sets(child, sets[allowed], self.max_parents))
        scores[allowed] = exact
        return scores

    def _exact_additions(
        self, child: int, parents: tuple[int, ...], candidates: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        missing = self.constraints.required[child] - {*parents}
        if missing or not self.constraints.forbidden[child].isdisjoint(parents):
            # At most one candidate leads to a possible family.
            return super()._exact_additions(child, parents, candidates)
        differences = np.empty(len(candidates), dtype=np.int64)
        self._kernel.additions(
            child, np.array(sorted(parents), dtype=np.uint16), candidates.astype(np.uint16), differences, None
        )
        exact = self._with_size_term(differences, len(parents) + 1)
        if self._family_terms is None:
            return exact
        sets = with_candidates(parents, candidates)
        return added(exact, self._family_terms.of_sets(child, sets, self.max_parents))

    def _with_size_term(self, differences: NDArray[np.int64], parents: int) -> NDArray[np.int64]:
        differences[differences != IMPOSSIBLE] += self._size_terms[parents]
        return differences

    def __repr__(self) -> str:
        return (
            f"OnDemandScores({plural(self.n, 'variable')}, up to {plural(self.max_parents, 'parent')}, "
            f"{plural(self.cached_sets, 'set')} cached, {format_bytes(self.nbytes)})"
        )


def family_scores(
    data: ScoredData | Frame,
    score: str = "bdeu",
    ess: float = 1.0,
    *,
    threads: int | None = None,
    max_memory: int | str | None = None,
    **options: Any,
) -> OnDemandScores:
    """Prepare local scores on demand, for any number of variables.

    Each score is computed when it is first requested. :meth:`~dagscape.LocalScores.additions` scores all one-variable
    additions to a family together, with one pass over a column for each.

    Parameters
    ----------
    data, score, ess
        As in :func:`dagscape.local_scores`.
    threads : int, optional
        The number of threads. Default: all processors. The scores do not depend on it.
    max_memory : int or str, optional
        The limit on memory, including the data, such as ``"500MiB"``. Default: 1 GiB for the cache, or less if less is
        available. Scores that are no longer in the cache are computed again.
    **options
        ``max_parents``, ``structure_prior``, ``required``, ``forbidden``, ``tiers``, ``interventions``,
        ``randomised`` and other parameters of the score, as in :func:`dagscape.local_scores`. With hundreds of
        variables, a limit on parents makes the unit of exact scores finer (``unit.bits``, ``rounding``).

    Returns
    -------
    OnDemandScores
        The scores: natural logs, higher is better.

    See Also
    --------
    local_scores : the scores of all families, which exact methods need.

    Examples
    --------
    >>> import dagscape as ds
    >>> scores = ds.family_scores(ds.load_dataset("tic-tac-toe"))
    >>> round(scores.family("Class", ["middle-middle-square"]), 4)
    -571.795
    >>> scores.removals("Class", ["middle-middle-square", "top-left-square"]).round(3).tolist()
    [-620.849, -571.795]
    """
    job = prepare(data, score=score, ess=ess, **options)
    issue(*data_warnings(job.data))
    return on_demand_scores(job, threads=threads, max_memory=max_memory)


def on_demand_scores(
    job: ScoringJob,
    *,
    threads: int | None = None,
    max_memory: int | str | None = None,
    info: ScoreInfo | None = None,
) -> OnDemandScores:
    """Prepare the scores on demand of a prepared job.

    Parameters
    ----------
    job : ScoringJob
        The definition of the scores.
    threads, max_memory
        As in :func:`family_scores`.
    info : ScoreInfo, optional
        What the scores say that they are. Default: what the job says, which reads all data.
    """
    start = time.perf_counter()
    threads = thread_count(threads)
    fixed = job.functions.family_memory(threads)
    what = f"the data of {plural(job.data.n, 'variable')} and the work on them"
    remedy = f"raise the limit, or use fewer {argument('threads')}" if threads > 1 else "raise the limit"
    check_memory(fixed, max_memory, what, remedy)
    limit = memory_limit(max_memory)
    most_bytes = limit if max_memory is not None else min(limit, fixed + _DEFAULT_CACHE)
    kernel = job.functions.family_kernel(job.unit, threads, most_bytes)
    seconds = {"preparing": time.perf_counter() - start}
    info = job.info if info is None else info
    return OnDemandScores(job, kernel, info, provenance_of("family_scores", info.to_dict(), seconds, threads))
