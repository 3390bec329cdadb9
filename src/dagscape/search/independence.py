"""Tests of independence and mutual information: those of discrete data by one kernel, and what all tests need."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dagscape.core import kernels
from dagscape.core.constraints import Whole
from dagscape.core.errors import PooledExperiments, argument, function
from dagscape.core.requirements import Requirements, TaskOption
from dagscape.core.resources import memory_limit
from dagscape.core.wording import plural
from dagscape.data.any_data import AnyData
from dagscape.data.discrete.dataset import Dataset
from dagscape.search.independence_kinds import AUTO, TEST_CHOICE, usual_test
from dagscape.search.mixed_cells import KEPT_BYTES

ROWS_PER_CELL = Whole(1)
MAX_CONDITION = Whole(0)

# Bytes for each cell of a table of measured columns: its copies, and the digits of exact sums.
_CELL_BYTES = 128
# Bytes for each pair of measured columns: exact sums, and the correlation.
_PAIR_BYTES = 400
# Bytes for the tests that are made at a time.
_BATCH_BYTES = 1 << 25

TEST_OPTIONS = {
    "test": TaskOption("The test.", TEST_CHOICE),
    "rows_per_cell": TaskOption("The rows that a test needs for each cell of its table.", ROWS_PER_CELL, "5"),
    "max_condition": TaskOption("The largest set to condition on.", MAX_CONDITION, "no limit"),
}


def independence_tests(
    data: Dataset, rows_per_cell: int, max_condition: int | None, threads: int, max_memory: int | str | None
) -> kernels.IndependenceTests:
    """Return the kernel that tests independence in a data set.

    Parameters
    ----------
    data : Dataset
        The data.
    rows_per_cell : int
        The rows that a test needs for each cell of its table.
    max_condition : int or None
        The largest set to condition on; None is no limit.
    threads : int
        The number of threads that will use it.
    max_memory : int, str or None
        The limit on memory.
    """
    limit = memory_limit(max_memory)
    needs = independence_requirements(data, threads, limit, rows_per_cell=rows_per_cell, max_condition=max_condition)
    needs.check(limit)
    arities = data.arities.astype(np.uint32)
    return kernels.IndependenceTests(data.codes, data.weights.astype(np.uint32), arities, rows_per_cell)


def independence_requirements(
    data: AnyData,
    threads: int,
    limit: int,  # noqa: ARG001 (as all tasks take it)
    *,
    test: str = AUTO,  # noqa: ARG001 (the data are of its kind)
    rows_per_cell: int = 5,
    max_condition: int | None = None,
) -> Requirements:
    """Return what tests of independence need."""
    remedy = "raise the limit"
    if isinstance(data, Dataset):
        work, memory = _of_levels(data, threads, int(rows_per_cell), max_condition)
        if threads > 1:
            remedy = f"{remedy}, or use fewer {argument('threads')}"
    else:
        work = "" if max_condition is None else f", given up to {min(int(max_condition), data.n)}"
        memory = _CELL_BYTES * data.m * data.n + _PAIR_BYTES * data.n**2 + _BATCH_BYTES
        # The cells of discrete variables, and the moments of measured ones in them.
        memory += 2 * KEPT_BYTES if usual_test(data).name == "mi-cg" else 0
    return Requirements(
        step="tests of independence",
        work=f"{plural(data.n, 'variable')}, {plural(data.m, 'row')}{work}",
        memory=memory,
        subject=f"tests of {plural(data.n, 'variable')}",
        remedy=remedy,
    )


def _of_levels(data: Dataset, threads: int, rows_per_cell: int, max_condition: int | None) -> tuple[str, int]:
    """Return how many variables tests of discrete data condition on, in words, and their memory."""
    largest = data.n if max_condition is None else min(int(max_condition), data.n)
    # With this many rows per cell, no test conditions on more variables of two levels.
    deepest = min(largest, max(data.m // rows_per_cell, 1).bit_length())
    arities = data.arities.astype(np.uint32)
    memory = kernels.IndependenceTests.most_bytes(len(data.codes), arities, data.m, deepest, threads)
    return f", given up to {deepest}", memory


def pooled_experiments(experimental_rows: int) -> PooledExperiments | None:
    """Return a warning if tests of independence use rows in which experiments set variables.

    No choice of rows makes a test of two variables right. With the rows in which one of them was set, a parent looks
    independent of its child if the child was set; without them, conditioning on another variable that was set can
    still join or separate the two. So the tests use all rows, and say so.
    """
    if not experimental_rows:
        return None
    rows = "1 row" if experimental_rows == 1 else f"{experimental_rows:,} rows"
    return PooledExperiments(
        f"tests of independence ignore that experiments set variables in {rows}, which say nothing about the causes of "
        "these variables: neighbours can be missing or wrong; use a method of "
        f"{function('learn')} that only needs scores, such as 'order', or leave out the rows of experiments"
    )


def pairwise_information(data: Dataset, threads: int, max_memory: int | str | None) -> NDArray[np.int64]:
    """Return the mutual information of every two variables, as integers in some unit, so that ties are exact."""
    out = np.empty((data.n, data.n), dtype=np.int64)
    independence_tests(data, 1, 0, threads, max_memory).pair_statistics(threads, out, None)
    # Sums of n of them must not overflow.
    return out >> data.n.bit_length()
