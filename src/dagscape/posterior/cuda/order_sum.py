"""Sums over orders on a GPU: the counterpart of ``native/src/sums/tiled_order_sum.cpp``.

``order_sum.cu`` describes the algorithm. This module lists the sets, launches the kernels, and reports progress between
launches.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dagscape.posterior.cuda.device import module, using_gpu
from dagscape.posterior.cuda.sets import by_size, layers
from dagscape.scores.tables.lattice import set_count

# As in order_sum.cu: the variables of a tile, of which there must be at least that many.
LEAST_VARIABLES = _LOW = 10
_MOST_MIDDLE = 6
_THREADS = 32 * _LOW

# A child needs no separate exponents if the family without parents is at most this many nats below the best.
_PLAIN_RANGE = 680.0
# The bases of the blocks that run together take up to this many bytes.
_BATCH_BYTES = 2**30
_EXPONENT_BIAS = 1 << 23
_EPSILON = float(np.finfo(np.float64).eps)
# Packed numbers have 40 bits, rounded to nearest.
_PACKED_ROUNDING = 2.0**-41
_MANTISSA_BITS = 40
# For estimates of time: a number that is loaded and stored takes as long as this many additions.
_MOVED = 4


class OrderSum(NamedTuple):
    """The total, mantissa · 2^exponent; the relative difference of F(V) and R(∅); P(u → v) by [u, v]; and the error."""

    mantissa: float
    exponent: float
    disagreement: float
    edges: NDArray[np.float64]
    error: float


@dataclass(frozen=True)
class _Shape:
    """The sizes of the lists of sets: what ``order_sum.cu`` calls families, bases and tiles."""

    n: int
    max_parents: int

    @property
    def middle(self) -> int:
        return min(_MOST_MIDDLE, self.n - _LOW)

    @property
    def base_bits(self) -> int:
        return _LOW + self.middle

    @property
    def top(self) -> int:
        return self.n - self.base_bits

    @property
    def base_size(self) -> int:
        return set_count(self.base_bits, self.max_parents)

    @property
    def families(self) -> int:
        return set_count(self.n, self.max_parents)

    @property
    def batch(self) -> int:
        """How many blocks run together: a function of the shape alone, because it determines the order of sums."""
        return max(1, min(_BATCH_BYTES // (8 * self.n * self.base_size), 1 << 15))

    @property
    def buffer(self) -> int:
        """The size of an array of the bases, or the shares, of the blocks that run together."""
        return min(self.batch, math.comb(self.top, self.top // 2)) * self.n * self.base_size


def order_sum_bytes(n: int, max_parents: int) -> int:
    """Return how many bytes of a GPU's memory a sum over orders needs."""
    shape = _Shape(n, max_parents)
    per_family = 8 * (3 * n + 2)
    return (8 << n) + per_family * shape.families + 16 * shape.buffer + (64 << 20)


def order_sum_steps(n: int, max_parents: int, processors: int) -> float:
    """Return the steps of a sum over orders, one after the other, on a GPU with this many multiprocessors.

    Each runs a block of threads at a time, and the blocks with equally many top variables run together. What moves
    numbers counts more than what only computes.
    """
    shape = _Shape(n, max_parents)

    def mean_subsets(variables: int, most: int) -> float:
        """How many subsets of up to ``most`` members a set of some variables has, on average."""
        return sum(math.ldexp(math.comb(variables, size), -size) for size in range(min(variables, most) + 1))

    bases = sum(
        math.comb(shape.base_bits, size) * mean_subsets(shape.top, max_parents - size)
        for size in range(min(shape.base_bits, max_parents) + 1)
    )
    pieces = sum(
        math.comb(_LOW, size) * mean_subsets(shape.middle, max_parents - size)
        for size in range(min(_LOW, max_parents) + 1)
    )
    # Forwards and backwards, A is built; Γ is added up backwards.
    tiles = 3 * (_LOW * (1 << _LOW) + _MOVED * pieces) * (1 << shape.middle)
    turns = sum(-(-math.comb(shape.top, size) // processors) for size in range(shape.top + 1))
    # All processors share the bases of a block, and its shares.
    shared = 2 * _MOVED * (bases + shape.families) * (1 << shape.top) / processors
    return n * (turns * tiles + shared)


def order_sum(
    values: NDArray[np.int64],
    max_parents: int,
    unit_bits: int,
    progress: Callable[[int, int], None] | None,
    *,
    total_alone: bool = False,
) -> OrderSum:
    """Sum over all orders; ``values`` is by size and then by mask, relative to the best family of each variable.

    The total alone needs no backward pass, and is not compared with anything.
    """
    with using_gpu():
        return _Run(values, max_parents, unit_bits, progress, total_alone).result()


class _Run:
    def __init__(
        self,
        values: NDArray[np.int64],
        max_parents: int,
        unit_bits: int,
        progress: Callable[[int, int], None] | None,
        total_alone: bool,
    ) -> None:
        import cupy

        self._cupy: Any = cupy
        self._module = module("order_sum")
        self._shape = shape = _Shape(len(values), max_parents)
        self._progress = progress
        self._total_alone = total_alone
        self._done = 0
        self._wide = cupy.asarray(_wide_children(values, unit_bits))
        self._list_sets()
        self._packed = cupy.empty(1 << shape.n, dtype=np.uint64)
        self._numbers = self._weigh(values, unit_bits)
        self._shares = cupy.zeros((shape.n, shape.families), dtype=np.uint64)
        self._shared_bytes = self._read_shared_bytes()

    def result(self) -> OrderSum:
        n = self._shape.n
        self._sum_forward()
        total = int(self._packed[-1])
        edges = np.zeros((n, n))
        if total == 0:
            return OrderSum(0.0, 0.0, 0.0, edges, 0.0)
        mantissa, exponent = _unpacked(total)
        error = _arithmetic_error(self._shape, wide=bool(self._wide.any()))
        if self._total_alone:
            return OrderSum(mantissa, float(exponent), 0.0, edges, error)
        self._sum_backward(total)
        back, back_exponent = _unpacked(int(self._packed[0]))
        ratio = math.ldexp(back / mantissa, max(min(back_exponent - exponent, 1000), -1000))
        return OrderSum(mantissa, float(exponent), abs(ratio - 1), self._edges(), error)

    def _list_sets(self) -> None:
        cupy, shape, most = self._cupy, self._shape, self._shape.max_parents
        low, middle = by_size(_LOW, _LOW), np.arange(1 << shape.middle)
        low_sizes, middle_sizes = np.bitwise_count(low).astype(np.int64), np.bitwise_count(middle).astype(np.int64)
        counts = np.array([(low_sizes <= most - size).sum() for size in middle_sizes])
        offsets = np.cumsum(counts) - counts
        self._lists = cupy.asarray(_set_lists(low, offsets, shape))
        # The sets of low and middle variables, by size.
        masks = np.concatenate([m << _LOW | low[:count] for m, count in zip(middle, counts, strict=True)])
        positions = np.argsort(np.bitwise_count(masks), kind="stable")
        masks, sizes = masks[positions], np.bitwise_count(masks[positions]).astype(np.int64)
        self._sizes, self._positions = cupy.asarray(sizes.astype(np.int32)), cupy.asarray(positions.astype(np.int32))
        # The families, by their top parts.
        tops = by_size(shape.top, most)
        top_sizes = np.bitwise_count(tops).astype(np.int64)
        within = np.array([(sizes <= q).sum() for q in range(most + 1)])
        repeats = within[most - top_sizes]
        first = np.cumsum(repeats) - repeats
        self._tops, self._first_of_top = cupy.asarray(tops.astype(np.uint32)), cupy.asarray(first)
        self._tops_within = cupy.asarray(np.array([(top_sizes <= q).sum() for q in range(most + 1)], dtype=np.int32))
        # On the GPU, because there may be many.
        families = cupy.arange(shape.families)
        top = cupy.searchsorted(self._first_of_top, families, side="right") - 1
        members = families - self._first_of_top[top]
        self._masks = (cupy.asarray(tops)[top] << shape.base_bits | cupy.asarray(masks)[members]).astype(np.uint64)
        self._family_positions = self._positions[members]

    def _weigh(self, values: NDArray[np.int64], unit_bits: int) -> Any:
        cupy, shape = self._cupy, self._shape
        counts = [math.comb(shape.n, size) for size in range(shape.max_parents + 1)]
        first = cupy.asarray(np.cumsum([0, *counts[:-1]]))
        choose = cupy.asarray(np.array([[math.comb(i, k) for k in range(41)] for i in range(41)]))
        numbers = cupy.empty((shape.n, shape.families), dtype=np.uint64)
        arguments = (cupy.asarray(values), self._masks, first, choose, self._wide, np.int32(unit_bits))
        self._launch("weigh_families", (shape.families, shape.n), (*arguments, np.int64(shape.families), numbers))
        return numbers

    def _launch(self, name: str, work: tuple[int, ...], arguments: tuple[Any, ...]) -> None:
        """Run a kernel with one thread for each number in the first dimension."""
        grid = (-(-work[0] // 256), *work[1:])
        self._module.get_function(name)(grid, (256,), arguments)

    def _read_shared_bytes(self) -> int:
        found = self._cupy.empty(1, dtype=np.int32)
        self._launch("shared_bytes", (1,), (found,))
        return int(found[0])

    def _walk(self, name: str, blocks: Any, *more: Any) -> None:
        kernel = self._module.get_function(name)
        kernel.max_dynamic_shared_size_bytes = self._shared_bytes
        shape = self._shape
        sizes = (np.int32(shape.n), np.int32(shape.middle), np.int32(shape.base_size))
        arrays, rest = more[:-1], more[-1]
        kernel(
            (len(blocks),), (_THREADS,), (self._packed, *arrays, self._lists, blocks, self._wide, *sizes, *rest),
            shared_mem=self._shared_bytes,
        )  # fmt: skip

    def _batches(self, *, backwards: bool) -> Any:
        """Yield the top variables of the blocks that run together, with their bases."""
        cupy, shape = self._cupy, self._shape
        bases = cupy.empty(shape.buffer, dtype=np.uint64)
        for layer in layers(shape.top, largest_first=backwards):
            for start in range(0, len(layer), shape.batch):
                blocks = cupy.asarray(layer[start : start + shape.batch].astype(np.uint32))
                self._launch(
                    "build_bases",
                    (shape.base_size, shape.n, len(blocks)),
                    (
                        self._numbers, np.int64(shape.families), self._tops, self._first_of_top, self._tops_within,
                        blocks, self._sizes, self._positions, np.int32(shape.base_size), np.int32(shape.max_parents),
                        self._wide, bases,
                    ),
                )  # fmt: skip
                yield blocks, bases
                self._report(len(blocks))

    def _report(self, blocks: int) -> None:
        """Wait for the GPU, so that an interrupt stops the sum, and report progress."""
        self._cupy.cuda.get_current_stream().synchronize()
        self._done += blocks
        if self._progress is not None:
            self._progress(self._done, (1 if self._total_alone else 2) << self._shape.top)

    def _sum_forward(self) -> None:
        for blocks, bases in self._batches(backwards=False):
            self._walk("sum_forward", blocks, bases, ())

    def _sum_backward(self, total: int) -> None:
        cupy, shape = self._cupy, self._shape
        shares = cupy.empty(shape.buffer, dtype=np.uint64)
        for blocks, bases in self._batches(backwards=True):
            shares[: len(blocks) * shape.n * shape.base_size] = 0
            self._walk("sum_backward", blocks, bases, shares, (np.uint64(total),))
            self._launch(
                "add_shares",
                (shape.families, shape.n),
                (
                    shares, self._masks, self._family_positions, np.int64(shape.families), blocks,
                    np.int32(len(blocks)), np.int32(shape.base_bits), np.int32(shape.base_size), self._wide,
                    self._shares,
                ),
            )  # fmt: skip

    def _edges(self) -> NDArray[np.float64]:
        n = self._shape.n
        edges = self._cupy.empty((n, n))
        arguments = (self._numbers, self._shares, self._masks, np.int64(self._shape.families), self._wide, edges)
        self._module.get_function("sum_edges")((n, n), (256,), arguments)
        found: NDArray[np.float64] = edges.get()
        return found


def _arithmetic_error(shape: _Shape, *, wide: bool) -> float:
    """Return a bound on the relative error of all shares: as on the CPU, relative errors of positive numbers add up."""
    n, most, tiles = shape.n, shape.max_parents, 1 << shape.middle
    batches = sum(-(-math.comb(shape.top, size) // shape.batch) for size in range(shape.top + 1))
    # Each A is a sum over parts of the families; n of them are multiplied, and n terms added for each.
    chain = n * (set_count(shape.top, most) + tiles + _LOW + n + 4)
    share = _LOW + tiles + (1 << shape.top) + batches + -(-shape.families // 256) + 8
    # F, R and the total are packed; if exponents are separate, so are B, the bases, and the steps of the transforms.
    packed = 2 * (n + 1) + ((n + 1) * (_LOW + 3) + tiles + batches if wide else 0)
    return 3 * chain * _EPSILON + share * _EPSILON + packed * _PACKED_ROUNDING


def _wide_children(values: NDArray[np.int64], unit_bits: int) -> NDArray[np.uint8]:
    """Return which children need separate exponents: those whose family without parents is impossible, or very bad."""
    return (values[:, 0] < -math.ldexp(_PLAIN_RANGE, unit_bits)).astype(np.uint8)


def _set_lists(low: NDArray[np.int64], offsets: NDArray[np.int64], shape: _Shape) -> NDArray[np.int32]:
    """Return the structure SetLists of ``order_sum.cu``."""
    most, middle_sets = shape.max_parents, 1 << _MOST_MIDDLE
    sizes = np.bitwise_count(low).astype(np.int64)
    subsets = np.zeros((middle_sets, middle_sets), dtype=np.int32)
    within = np.zeros((middle_sets, _LOW + 1), dtype=np.int32)
    ordered = by_size(shape.middle, shape.middle)
    for middle in range(1 << shape.middle):
        inside = ordered[(ordered & ~middle) == 0]
        subsets[middle, : len(inside)] = inside
        for size in range(_LOW + 1):
            within[middle, size] = (np.bitwise_count(inside).astype(np.int64) <= most - size).sum()
    parts = (
        low,
        np.searchsorted(sizes, np.arange(_LOW + 2)),
        [(sizes <= most).sum()],
        np.pad(offsets, (0, middle_sets - len(offsets))),
        subsets.ravel(),
        within.ravel(),
    )
    return np.concatenate(parts).astype(np.int32)


def _unpacked(packed: int) -> tuple[float, int]:
    """Return a packed number's mantissa in [1/2, 1) and exponent."""
    fraction = packed & ((1 << _MANTISSA_BITS) - 1)
    return 0.5 + math.ldexp(fraction, -_MANTISSA_BITS - 1), (packed >> _MANTISSA_BITS) - _EXPONENT_BIAS
