r"""Max-Min Parents and Children: which variables are neighbours, by tests of independence [tsamardinos2006]_.

The problem: in a faithful network, two variables are adjacent if and only if they are dependent given every set of
other variables. MMPC needs only subsets of the neighbours themselves. For each target T, the set C grows by the
variable whose least association with T, over all subsets of C, is the largest, until each other variable is independent
of T given some subset of C. Then members of C that are independent of T given some subset of the others are removed.
Two variables are neighbours if each is in the set of the other: the correction of the paper, which ``symmetric=False``
leaves out.

The association is minus the log of the p-value of a test, and 0 if the p-value exceeds α. A test that is not made, for
lack of rows, says nothing; a variable that cannot be tested at all is not a neighbour. The seed decides ties.

For discrete data the test is G². It is made only with at least ``rows_per_cell`` rows for each cell of its table,
:math:`r_X r_T q_S` of them. Degrees of freedom count only those levels of X and T that occur with a state of S.
Statistics are exact integers, so ties are exact. The kernel is ``native/include/dagscape/search/max_min.hpp``. Each
target costs :math:`O(n + |C|\,2^{|C|})` tests of O(m), where the number of rows limits the size of the subsets;
``max_condition`` limits it further. Counting bits makes tests of few cells far cheaper than a pass over the rows.

For measured columns it is Fisher's z (:mod:`dagscape.search.fisher_z`), and for mixed tables a likelihood ratio
(:mod:`dagscape.search.conditional_gaussian`). These make many tests at a time, by the same search
(:mod:`dagscape.search.max_min`).

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
from dagscape.core.progress import ProgressOption, kernel_callback, listening
from dagscape.core.randomness import Seed, random_generator, recorded_seed
from dagscape.core.resources import memory_limit, thread_count
from dagscape.data.any_data import AnyData, what_variables_are
from dagscape.data.continuous.numeric import NumericData
from dagscape.data.discrete.dataset import Dataset
from dagscape.data.mixed.mixed import MixedData
from dagscape.data.notices import data_warnings, kept_notices
from dagscape.data.sources import data_source
from dagscape.data.values import Frame
from dagscape.results.base import provenance_of
from dagscape.scores.scoring_job import ScoringJob
from dagscape.search.conditional_gaussian import ConditionalGaussianTests
from dagscape.search.fisher_z import FisherZ
from dagscape.search.independence import (
    MAX_CONDITION,
    ROWS_PER_CELL,
    independence_requirements,
    independence_tests,
    pooled_experiments,
)
from dagscape.search.independence_kinds import AUTO, DISCRETE_TEST, data_for_tests, tested_of
from dagscape.search.job import SearchJob
from dagscape.search.max_min import AssociationTests, max_min_neighbours
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

    def largest(self, n: int) -> int:
        """Return the size of the largest set to condition on."""
        return n if self.max_condition is None else min(int(self.max_condition), n)


def mmpc(
    data: Dataset | NumericData | MixedData | Frame,
    alpha: float = 0.05,
    *,
    test: str = AUTO,
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
    data : Dataset, NumericData, MixedData, data frame, str or path
        The data. Rows from experiments count like all others, which can hide neighbours and make up others: the result
        has a :class:`~dagscape.PooledExperiments` warning.
    alpha : float
        Two variables are dependent if the p-value of the test is at most this. Default: 0.05.
    test : {"auto", "g2", "fisher-z", "mi-cg"}
        The test: G² of discrete data; Fisher's z test of the partial correlation of measured columns; or the
        likelihood-ratio test of mixed tables, in which measured variables are normal in each state of the discrete
        ones. A data frame or a file is taken as the kind of data of the test. Default: the one for the kind of data;
        the columns of frames and files are told apart, and no numbers are cut.
    rows_per_cell : int
        A test needs this many rows for each cell of its table; in mixed tables, for each joint state of its discrete
        variables, times one more than its measured ones. Fisher's z test takes any number. Default: 5.
    max_condition : int, optional
        The largest set to condition on. Default: no limit other than the number of rows. A variable with many
        neighbours takes long without a limit if there are tens of thousands of rows, or if they are measured.
    symmetric : bool
        Whether two variables are neighbours only if each is found for the other; otherwise, one of the two searches
        suffices. Default: yes.
    seed : int or numpy.random.Generator
        Decides between variables of exactly the same association.
    threads, max_memory, progress
        As in :func:`dagscape.local_scores`. The result does not depend on the number of threads; tests other than G²
        use one.

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
    ParentsChildren(8 variables, 6 pairs of neighbours, 108 G² tests, alpha 0.05)
    >>> found.neighbours("smoke")
    ('bronc', 'lung')
    >>> ds.mmpc(ds.read_data("builtin:iris", kind="numeric", drop=["class"])).neighbours("petal_length")
    ('petal_width', 'sepal_length', 'sepal_width')
    """
    start = time.perf_counter()
    options = MaxMinOptions(alpha, rows_per_cell, max_condition, symmetric)
    check_options(TEST_CONSTRAINTS, asdict(options))
    data, kind = data_for_tests(data, test)
    used, rng = thread_count(threads), random_generator(seed)
    with listening(progress) as listener:
        callback = kernel_callback("Testing independence", listener, 0, 0)
        strengths, tests = max_min_strengths(
            data, options, rng=rng, threads=used, max_memory=max_memory, callback=callback
        )
    caveats = Caveats(kept_notices(data))
    caveats.issue(*data_warnings(data))
    caveats.issue(pooled_experiments(data.experimental_rows))
    parameters = asdict(options) | {
        "alpha": float(alpha),
        "symmetric": bool(symmetric),
        "test": kind.name,
        "data": data.fingerprint,
    }
    if test == AUTO and kind.name != DISCRETE_TEST:
        parameters["because"] = what_variables_are(data)
    if data.weighted_by is not None:
        parameters["weighted_by"] = data.weighted_by
    seconds = {"testing": time.perf_counter() - start}
    number = recorded_seed(seed)
    provenance = provenance_of("mmpc", parameters, seconds, used, seed=number, source=data_source(data))
    return ParentsChildren(
        data.variables,
        provenance,
        strengths,
        float(alpha),
        tests,
        test=kind.name,
        warnings=caveats.kept,
    )


def max_min_strengths(
    data: AnyData,
    options: MaxMinOptions,
    *,
    rng: np.random.Generator,
    threads: int,
    max_memory: int | str | None,
    callback: Callback,
) -> tuple[NDArray[np.float64], int]:
    """Return the strengths of :class:`ParentsChildren`, and the number of tests; arguments as in :func:`mmpc`."""
    rank = rng.permutation(data.n).astype(np.uint32)
    if isinstance(data, Dataset):
        least, tests = _of_levels(data, options, rank, threads, max_memory, callback)
    else:
        least, tests = _of_numbers(data, options, rank, max_memory, callback)
    # A variable that a search rejects has strength 0: a pair has the minimum of both searches if both found it.
    both = np.minimum(least, least.T)
    strengths = both if options.symmetric else np.where(both > 0, both, np.maximum(least, least.T))
    return strengths, tests


def _of_levels(
    data: Dataset,
    options: MaxMinOptions,
    rank: NDArray[np.uint32],
    threads: int,
    max_memory: int | str | None,
    callback: Callback,
) -> tuple[NDArray[np.float64], int]:
    """Return the least associations of every variable with those that its own search finds, and the number of tests."""
    tests = independence_tests(data, options.rows_per_cell, options.max_condition, threads, max_memory)
    least, counts = np.empty((data.n, data.n)), np.empty(data.n, dtype=np.uint64)
    tests.max_min(float(options.alpha), options.largest(data.n), rank, threads, least, counts, callback)
    return least, int(counts.sum())


def _of_numbers(
    data: NumericData | MixedData,
    options: MaxMinOptions,
    rank: NDArray[np.uint32],
    max_memory: int | str | None,
    callback: Callback,
) -> tuple[NDArray[np.float64], int]:
    """Do the same for measured or mixed data."""
    limit = memory_limit(max_memory)
    independence_requirements(data, 1, limit, max_condition=options.max_condition).check(limit)
    tests: AssociationTests = (
        FisherZ(data.values, options.alpha)
        if isinstance(data, NumericData)
        else ConditionalGaussianTests(data, options.alpha, options.rows_per_cell)
    )
    return max_min_neighbours(tests, rank, options.largest(data.n), callback)


def neighbour_memory(job: ScoringJob, threads: int, limit: int, rows_per_cell: int, max_condition: int | None) -> int:
    """Return how many bytes the tests of a search need."""
    data = tested_of(job.data, job.definition.name)
    return independence_requirements(
        data, threads, limit, rows_per_cell=rows_per_cell, max_condition=max_condition
    ).memory


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
            job.tested,
            options,
            rng=job.rng,
            threads=job.threads,
            max_memory=job.max_memory,
            callback=report,
        )
    except _TimeIsUpError:
        return None
    return strengths > 0, tests
