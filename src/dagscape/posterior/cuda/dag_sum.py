"""Sums over all DAGs on a GPU: the counterpart of ``native/src/sums/dag_sum.cpp``.

``dag_sum.cu`` describes the algorithm. This module launches the kernels, and reports progress between launches.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dagscape.posterior.cuda.device import module, using_gpu
from dagscape.posterior.cuda.sets import layers

# As in dag_sum.cu: the variables of a tile, of which there must be at least that many.
LEAST_VARIABLES = _LOW = 8
_LOOP = 7
_TILE = 1 << _LOW
_PLANES = 1 + _LOOP + _LOW
_CHUNK = 4096
_NO_REFERENCE = 1 << 29

# This many parts of walks run together. The number does not change results, only the memory for them.
_PARTS = 1 << 15
# The memory of a walk in dag_sum.cu: for each set, numbers of two kinds for each level, and two sums.
_WALK_BYTES = _TILE * (2 * (_LOOP + 1) * 12 + 2 * _LOOP * 8)

Progress = Callable[[int, int], None] | None


class DagSum(NamedTuple):
    """The total, mantissa · 2^exponent; how far its values differ; Σ |terms| / |Σ terms|; and the probabilities."""

    mantissa: float
    exponent: float
    disagreement: float
    condition: float
    edges: NDArray[np.float64]
    ancestors: NDArray[np.float64]


def dag_sum_bytes(n: int) -> int:
    """Return how many bytes of a GPU's memory a sum over DAGs needs."""
    parents = 20 * (n << (n - 1))
    features = 8 * n * (2 * n - 1) * max(1, (1 << (n - 1)) // _CHUNK)
    return parents + (24 << n) + 8 * _PLANES * _TILE * _parts_held(n) + features + (64 << 20)


def dag_sum_steps(n: int, processors: int) -> float:
    """Return the steps of a sum over DAGs, one after the other, on a GPU with this many multiprocessors.

    Each runs a part of a walk at a time, and the walks to targets of one size run together.
    """
    steps = 0
    for size in range(n - _LOW + 1):
        loop, parts, _ = _walks(size)
        steps += -(-math.comb(n - _LOW, size) * parts // processors) << loop
    return float(steps)


def dag_sum(
    values: NDArray[np.int64],
    unit_bits: int,
    progress: Progress,
    masks: NDArray[np.uint64] | None = None,
    *,
    total_alone: bool = False,
) -> DagSum:
    """Sum over all DAGs; ``values`` is relative to the best family of each child.

    Columns are the sets in ``masks``, or all sets of the other variables, by mask without the child's bit. The total
    alone needs no backward pass, and is not compared with anything.
    """
    with using_gpu():
        return _Run(values, unit_bits, progress, masks, total_alone).result()


class _Run:
    def __init__(
        self,
        values: NDArray[np.int64],
        unit_bits: int,
        progress: Progress,
        masks: NDArray[np.uint64] | None,
        total_alone: bool,
    ) -> None:
        import cupy

        self._cupy: Any = cupy
        self._module = module("dag_sum")
        self._n = n = len(values)
        self._progress = progress
        self._total_alone = total_alone
        self._done = 0
        self._scores = cupy.asarray(values) if masks is None else self._spread(values, masks)
        self._sum_parents(unit_bits)
        self._forward, self._backward = cupy.zeros(1 << n), cupy.zeros(1 << n)
        self._forward_reference = cupy.empty(1 << n, dtype=np.int32)
        self._backward_reference = cupy.empty(1 << n, dtype=np.int32)
        self._parts = cupy.empty(_PLANES * _TILE * _parts_held(n))

    def result(self) -> DagSum:
        n = self._n
        for size in range(n + 1):
            self._launch(
                "find_references",
                (1 << n,),
                (*self._parents, np.int32(size), self._forward_reference, self._backward_reference),
            )
        self._sum_forward()
        mantissa, exponent = float(self._forward[-1]), int(self._forward_reference[-1])
        nowhere = np.zeros((n, n))
        if exponent == _NO_REFERENCE:
            return DagSum(0.0, 0.0, 0.0, math.nan, nowhere, nowhere)
        condition = self._condition()
        if mantissa <= 0:
            return DagSum(mantissa, float(exponent), math.inf, condition, nowhere, nowhere)
        if self._total_alone:
            return DagSum(mantissa, float(exponent), 0.0, condition, nowhere, nowhere)
        shares = self._cupy.empty(n << (n - 1))
        self._sum_backward(mantissa, exponent, shares)
        back = float(self._backward[-1]) / mantissa
        total = math.ldexp(back, max(min(int(self._backward_reference[-1]) - exponent, 1000), -1000))
        masses, edges, ancestors = self._features(shares)
        disagreement = max(abs(total - 1), float(np.abs(masses - 1).max()))
        return DagSum(mantissa, float(exponent), disagreement, condition, edges, ancestors)

    @property
    def _parents(self) -> tuple[Any, ...]:
        return self._mantissas, self._exponents, np.int32(self._n)

    def _launch(self, name: str, work: tuple[int, ...], arguments: tuple[Any, ...]) -> None:
        """Run a kernel with one thread for each number in the first dimension."""
        grid = (-(-work[0] // 256), *work[1:])
        self._module.get_function(name)(grid, (256,), arguments)

    def _spread(self, values: NDArray[np.int64], masks: NDArray[np.uint64]) -> Any:
        """Return the scores of all sets on the GPU, where the families that are not listed are impossible."""
        cupy, n, families = self._cupy, self._n, len(masks)
        spread = cupy.full((n, 1 << (n - 1)), np.iinfo(np.int64).min)
        listed = (cupy.asarray(values), cupy.asarray(masks.astype(np.uint32)), np.int32(families), np.int32(n))
        self._launch("spread_families", (families, n), (*listed, spread))
        return spread

    def _sum_parents(self, unit_bits: int) -> None:
        """Convert the scores to A, in place."""
        count = self._n << (self._n - 1)
        self._exponents = self._cupy.empty(count, dtype=np.int32)
        arguments = (self._scores, self._exponents, np.int32(unit_bits), np.int64(count))
        self._launch("weigh_families", (count,), arguments)
        self._mantissas = self._scores.ravel().view(np.float64)
        for bit in range(self._n - 1):
            arguments = (self._mantissas, self._exponents, np.int32(bit), np.int64(count // 2))
            self._launch("add_subsets", (count // 2,), arguments)

    def _batches(self) -> Iterator[tuple[Any, int, int]]:
        """Yield targets whose walks run together, the bits of the loop over a part, and the number of parts."""
        for size, layer in enumerate(layers(self._n - _LOW)):
            loop, parts, together = _walks(size)
            for start in range(0, len(layer), together):
                targets = self._cupy.asarray(layer[start : start + together].astype(np.uint32))
                yield targets, loop, parts
                self._report(len(targets) << size)

    def _report(self, steps: int) -> None:
        """Wait for the GPU, so that an interrupt stops the sum, and report progress."""
        self._cupy.cuda.get_current_stream().synchronize()
        self._done += steps
        if self._progress is not None:
            self._progress(self._done, (1 if self._total_alone else 2) * 3 ** (self._n - _LOW))

    def _sum_forward(self) -> None:
        for targets, loop, parts in self._batches():
            common = (*self._parents, self._forward, self._forward_reference, targets)
            walk = self._module.get_function("walk_forward")
            walk((len(targets), parts), (_TILE,), (*common, np.int32(loop), self._parts))
            finish = self._module.get_function("finish_forward")
            finish((len(targets),), (_TILE,), (*common, np.int32(parts), self._parts))

    def _sum_backward(self, mantissa: float, exponent: int, shares: Any) -> None:
        walk = self._module.get_function("walk_backward")
        walk.max_dynamic_shared_size_bytes = _WALK_BYTES
        for targets, loop, parts in self._batches():
            common = (*self._parents, self._backward, self._backward_reference)
            walk(
                (len(targets), parts), (_TILE,), (*common, targets, np.int32(loop), self._parts),
                shared_mem=_WALK_BYTES,
            )  # fmt: skip
            arguments = (
                *common, self._forward, self._forward_reference, targets, np.int32(loop), np.int32(parts), self._parts,
                np.float64(mantissa), np.int32(exponent), shares,
            )  # fmt: skip
            self._module.get_function("finish_backward")((len(targets),), (_TILE,), arguments)

    def _features(self, shares: Any) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Return Σ_U q_v(U) for each v, and the probabilities of edges and ancestor relations."""
        n, chunks = self._n, -(-(1 << (self._n - 1)) // _CHUNK)
        parts = self._cupy.empty((n, chunks, 2 * n - 1))
        self._module.get_function("sum_features")((chunks, n), (256,), (*self._parents, shares, parts))
        sums = self._added(parts.reshape(n, chunks, 2 * n - 1))
        edges, ancestors = np.zeros((n, n)), np.zeros((n, n))
        for v in range(n):
            others = np.delete(np.arange(n), v)
            ancestors[v, others] = sums[v, 1:n]
            edges[others, v] = sums[v, n:]
        return sums[:, 0], edges, ancestors

    def _condition(self) -> float:
        chunks = -(-(1 << self._n) // _CHUNK)
        parts = self._cupy.empty((1, chunks, 1))
        arguments = (*self._parents, self._forward, self._forward_reference, parts)
        self._module.get_function("sum_magnitudes")((chunks,), (256,), arguments)
        return float(self._added(parts)[0, 0])

    def _added(self, parts: Any) -> NDArray[np.float64]:
        rows, count, columns = parts.shape
        sums = self._cupy.empty((rows, columns))
        self._module.get_function("add_parts")((columns, rows), (256,), (parts, np.int32(count), sums))
        found: NDArray[np.float64] = sums.get()
        return found


def _walks(size: int) -> tuple[int, int, int]:
    """Return, for targets of a size, the bits of the loop over a part, the number of parts, and of targets together."""
    loop = min(size, _LOOP)
    parts = 1 << (size - loop)
    return loop, parts, max(1, _PARTS // parts)


def _parts_held(n: int) -> int:
    """Return how many parts are stored at the same time."""
    high = n - _LOW
    return max(parts * min(together, math.comb(high, s)) for s in range(high + 1) for _, parts, together in [_walks(s)])
