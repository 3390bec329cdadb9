"""Tests of independence and mutual information, computed from the rows of a data set by one kernel."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dagscape.core import kernels
from dagscape.core.errors import argument
from dagscape.core.resources import check_memory
from dagscape.core.wording import plural
from dagscape.data.discrete.dataset import Dataset


def independence_tests(
    data: Dataset, rows_per_cell: int, max_condition: int, threads: int, max_memory: int | str | None
) -> kernels.IndependenceTests:
    """Return the kernel that tests independence in a data set.

    Parameters
    ----------
    data : Dataset
        The data.
    rows_per_cell : int
        The rows that a test needs for each cell of its table.
    max_condition : int
        The largest set to condition on.
    threads : int
        The number of threads that will use it.
    max_memory : int, str or None
        The limit on memory.
    """
    arities = data.arities.astype(np.uint32)
    # With this many rows per cell, no test conditions on more variables of two levels.
    deepest = min(max_condition, max(data.m // rows_per_cell, 1).bit_length())
    needed = kernels.IndependenceTests.most_bytes(len(data.codes), arities, data.m, deepest, threads)
    remedy = f"raise the limit, or use fewer {argument('threads')}" if threads > 1 else "raise the limit"
    check_memory(needed, max_memory, f"tests of {plural(data.n, 'variable')}", remedy)
    return kernels.IndependenceTests(data.codes, data.weights.astype(np.uint32), arities, rows_per_cell)


def pairwise_information(data: Dataset, threads: int, max_memory: int | str | None) -> NDArray[np.int64]:
    """Return the mutual information of every two variables, as integers in some unit, so that ties are exact."""
    out = np.empty((data.n, data.n), dtype=np.int64)
    independence_tests(data, 1, 0, threads, max_memory).pair_statistics(threads, out, None)
    # Sums of n of them must not overflow.
    return out >> data.n.bit_length()
