r"""Max-Min Parents and Children: which variables are neighbours, by tests of independence [tsamardinos2006]_.

The problem: in a faithful network, two variables are adjacent if and only if they are dependent given every set of
other variables. MMPC needs only subsets of the neighbours themselves. For each target T, the set C grows by the
variable whose least association with T, over all subsets of C, is the largest, until each other variable is independent
of T given some subset of C. Then members of C that are independent of T given some subset of the others are removed.
Two variables are neighbours if each is in the set of the other: the correction of the paper, which ``symmetric=False``
leaves out.

The association is minus the log of the p-value of a G² test, and 0 if the p-value exceeds α. A test is made only with
at least ``rows_per_cell`` rows for each cell of its table, :math:`r_X r_T q_S` of them. One that is not made says
nothing; a variable that cannot be tested at all is not a neighbour. Degrees of freedom count only those levels of X and
T that occur with a state of S. Statistics are exact integers, so ties are exact; the seed decides them.

The kernel is ``native/include/dagscape/search/max_min.hpp``. Each target costs :math:`O(n + |C|\,2^{|C|})` tests of
O(m), where the number of rows limits the size of the subsets; ``max_condition`` limits it further. Counting bits makes
tests of few cells far cheaper than a pass over the rows.

Notation: the paper's PC and CPC are the neighbours, its Assoc and MinAssoc the strengths, its threshold α ``alpha``.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from dagscape.core.caveats import Caveats
from dagscape.core.constraints import FLAG, Constraints, Number, OrNone, check_options
from dagscape.core.errors import function
from dagscape.core.progress import ProgressOption, kernel_callback, listening
from dagscape.core.randomness import Seed, random_generator, recorded_seed
from dagscape.core.resources import thread_count
from dagscape.data.discrete.dataset import Dataset
from dagscape.data.sources import data_source
from dagscape.data.values import Frame, as_dataset, check_complete
from dagscape.results.base import provenance_of
from dagscape.scores.scoring_job import ScoringJob, kept_notices, suspicious_columns
from dagscape.search.independence import (
    MAX_CONDITION,
    ROWS_PER_CELL,
    independence_requirements,
    independence_tests,
    pooled_experiments,
)
from dagscape.search.job import SearchJob
from dagscape.search.parents_children import ParentsChildren

Callback = Callable[[int, int], None] | None

TEST_CONSTRAINTS: Constraints = {
    "alpha": Number(1e-300, 1 - 1e-9, said="a number above 0 and below 1"),
    "rows_per_cell": ROWS_PER_CELL,
    "max_condition": OrNone(MAX_CONDITION),
    "symmetric": FLAG,
}


@dataclass(frozen=True, slots=True)
class MaxMinOptions:
    """The options of :func:`mmpc` that decide its result, in addition to the seed."""

    alpha: float
    rows_per_cell: int
    max_condition: int | None
    symmetric: bool


def mmpc(
    data: Dataset | Frame,
    alpha: float = 0.05,
    *,
    rows_per_cell: int = 5,
    max_condition: int | None = None,
    symmetric: bool = True,
    seed: Seed = 0,
    threads: int | None = None,
    max_memory: int | str | None = None,
    progress: ProgressOption = None,
) -> ParentsChildren:
    """Find the parents and children of each variable by tests of independence: Max-Min Parents and Children.

    Parameters
    ----------
    data : Dataset, data frame, str or path
        The data. Rows from experiments count like all others, which can hide neighbours and make up others: the result
        has a :class:`~dagscape.PooledExperiments` warning.
    alpha : float
        Two variables are dependent if the p-value of the G² test is at most this. Default: 0.05.
    rows_per_cell : int
        A test needs this many rows for each cell of its table. Default: 5.
    max_condition : int, optional
        The largest set to condition on. Default: no limit other than ``rows_per_cell``. A variable with many neighbours
        takes long without a limit if there are tens of thousands of rows.
    symmetric : bool
        Whether two variables are neighbours only if each is found for the other; otherwise, one of the two searches
        suffices. Default: yes.
    seed : int or numpy.random.Generator
        Decides between variables of exactly the same association.
    threads, max_memory, progress
        As in :func:`dagscape.local_scores`. The result does not depend on the number of threads.

    Returns
    -------
    ParentsChildren
        The neighbours of each variable, and how strong their dependence is.

    See Also
    --------
    learn : with ``method="mmhc"``, a network whose edges join such neighbours.

    Examples
    --------
    >>> import dagscape as ds
    >>> data = ds.load_network("asia").sample(5000, seed=1)
    >>> found = ds.mmpc(data)
    >>> found
    ParentsChildren(8 variables, 6 pairs of neighbours, 108 tests, alpha 0.05)
    >>> found.neighbours("smoke")
    ('bronc', 'lung')
    """
    start = time.perf_counter()
    options = MaxMinOptions(alpha, rows_per_cell, max_condition, symmetric)
    check_options(TEST_CONSTRAINTS, asdict(options))
    data = as_dataset(data)
    check_complete(data, function("mmpc"))
    used, rng = thread_count(threads), random_generator(seed)
    with listening(progress) as listener:
        callback = kernel_callback("Testing independence", listener, 0, 0)
        strengths, tests = max_min_strengths(
            data, options, rng=rng, threads=used, max_memory=max_memory, callback=callback
        )
    caveats = Caveats(kept_notices(data))
    caveats.issue(*suspicious_columns(data))
    caveats.issue(pooled_experiments(data.experimental_rows))
    parameters = asdict(options) | {
        "alpha": float(alpha),
        "symmetric": bool(symmetric),
        "data": data.fingerprint,
    }
    if data.weighted_by is not None:
        parameters["weighted_by"] = data.weighted_by
    seconds = {"testing": time.perf_counter() - start}
    number = recorded_seed(seed)
    provenance = provenance_of("mmpc", parameters, seconds, used, seed=number, source=data_source(data))
    return ParentsChildren(data.variables, provenance, strengths, float(alpha), tests, warnings=caveats.kept)


def max_min_strengths(
    data: Dataset,
    options: MaxMinOptions,
    *,
    rng: np.random.Generator,
    threads: int,
    max_memory: int | str | None,
    callback: Callback,
) -> tuple[NDArray[np.float64], int]:
    """Return the strengths of :class:`ParentsChildren`, and the number of tests; arguments as in :func:`mmpc`."""
    tests = independence_tests(data, options.rows_per_cell, options.max_condition, threads, max_memory)
    largest = data.n if options.max_condition is None else min(options.max_condition, data.n)
    least = np.empty((data.n, data.n))
    counts = np.empty(data.n, dtype=np.uint64)
    rank = rng.permutation(data.n).astype(np.uint32)
    tests.max_min(float(options.alpha), largest, rank, threads, least, counts, callback)
    # A variable that a search rejects has strength 0: a pair has the minimum of both searches if both found it.
    both = np.minimum(least, least.T)
    strengths = both if options.symmetric else np.where(both > 0, both, np.maximum(least, least.T))
    return strengths, int(counts.sum())


def neighbour_memory(job: ScoringJob, threads: int, limit: int, rows_per_cell: int, max_condition: int | None) -> int:
    """Return how many bytes the tests of a search need; 0 if it has no discrete data, and is refused."""
    if not isinstance(job.data, Dataset):
        return 0
    needs = independence_requirements(
        job.data, threads, limit, rows_per_cell=rows_per_cell, max_condition=max_condition
    )
    return needs.memory


class _TimeIsUpError(Exception):
    """Raised while tests run, to stop them."""


def job_neighbours(job: SearchJob, options: MaxMinOptions) -> tuple[NDArray[np.bool_], int] | None:
    """Return which variables are neighbours, and the number of tests; None if the time does not suffice."""

    def report(done: int, total: int) -> None:
        job.report("Testing independence", done, total)
        if done < total and job.clock.expired:
            raise _TimeIsUpError

    try:
        strengths, tests = max_min_strengths(
            job.data,
            options,
            rng=job.rng,
            threads=job.threads,
            max_memory=job.max_memory,
            callback=report,
        )
    except _TimeIsUpError:
        return None
    return strengths > 0, tests
