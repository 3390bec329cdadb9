"""Run sums over DAGs to their end, and collect their results."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dagscape.core import kernels


class DagSumResult(NamedTuple):
    """What a sum gives after all its steps."""

    total: tuple[float, float, float]
    disagreement: float
    edges: NDArray[np.float64]
    ancestors: NDArray[np.float64]


def finish(dags: kernels.DagSum, n: int) -> DagSumResult:
    """Run the steps that are left, all together."""
    dags.run_until(dags.steps)
    edges, ancestors = np.empty((n, n)), np.empty((n, n))
    disagreement = dags.features(edges, ancestors)
    return DagSumResult(dags.total(), disagreement, edges, ancestors)


def whole(values: NDArray[np.int64], unit_bits: int) -> DagSumResult:
    """Run all steps together, on one thread."""
    return finish(kernels.DagSum(values, unit_bits, 1), len(values))


def assert_same(found: DagSumResult, expected: DagSumResult) -> None:
    """Compare the bits of two results."""
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)
