"""Set functions computed with NumPy, for many sets of one size at a time.

A score needs no C++ kernel: a subclass of :class:`BatchedFunctions` says what its functions are worth for an array of
sets. The value of a set must not depend on the other sets of its batch; then a family has the same integer score in a
table of all sets and on demand.
"""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dagscape.scores.arithmetic.fixed_point import IMPOSSIBLE, Unit
from dagscape.scores.definitions.set_functions import KernelProgress, SetFunctions
from dagscape.scores.tables.lattice import Members, SetIndex, combinations

# A batch has up to this many numbers, that is members × members × sets.
_BATCH = 2**18
# Arrays of that size that are in use at the same time.
_ARRAYS = 6
# The work on a set, and on each entry of its matrix, in visits of a row.
_VISITS_PER_SET = 200.0
_VISITS_PER_ENTRY = 10.0


class BatchedFunctions(SetFunctions):
    """Set functions whose values come from :meth:`values`."""

    n: int
    max_size: int

    @abstractmethod
    def values(self, function: int, sets: Members) -> NDArray[np.float64]:
        """Return the values of a function, in nats, for sets of one size, given as rows of increasing members.

        Minus infinity makes families impossible.
        """

    def lattice_kernel(self, function: int, unit: Unit) -> BatchedLattice:
        """Return the kernel that computes one of the functions for all sets."""
        return BatchedLattice(self, function, unit)

    def lattice_memory(self, sets: int, threads: int) -> int:  # noqa: ARG002 (one thread does all)
        """Return how many bytes the work on ``sets`` sets needs in addition to the values."""
        # The members of the most numerous sets are listed at once.
        return 8 * _ARRAYS * _BATCH + 16 * sets * self.max_size

    def family_kernel(self, unit: Unit, threads: int, most_bytes: int) -> BatchedFamilies:  # noqa: ARG002 (as above)
        """Return the kernel that scores families on demand; it caches nothing."""
        return BatchedFamilies(self, unit)

    def family_memory(self, threads: int) -> int:  # noqa: ARG002 (as above)
        """Return how many bytes scoring on demand needs."""
        return 8 * (_ARRAYS * _BATCH + self.n * self.n)

    def exact(self, function: int, sets: Members, unit: Unit) -> NDArray[np.int64]:
        """Return the values of a function in units; ``IMPOSSIBLE`` for minus infinity."""
        nats = self.values(function, sets)
        possible = nats > -np.inf
        units = np.rint(np.ldexp(np.where(possible, nats, 0.0), unit.bits)).astype(np.int64)
        return np.where(possible, units, IMPOSSIBLE)


def _batches(sets: Members) -> Iterator[slice]:
    size = max(1, _BATCH // max(1, sets.shape[1] ** 2))
    for start in range(0, len(sets), size):
        yield slice(start, start + size)


@dataclass(frozen=True, slots=True)
class BatchedLattice:
    """Computes a set function for every set up to a given size."""

    functions: BatchedFunctions
    function: int
    unit: Unit

    def run(self, out: NDArray[np.int64], threads: int, progress: KernelProgress) -> None:  # noqa: ARG002 (as above)
        """Fill ``out``, one value for each set as :class:`~dagscape.scores.tables.lattice.SetIndex` numbers them."""
        index = SetIndex(self.functions.n, self.functions.max_size)
        done = 0
        for size in range(self.functions.max_size + 1):
            sets = combinations(self.functions.n, size)
            for batch in _batches(sets):
                out[index.rank(sets[batch])] = self.functions.exact(self.function, sets[batch], self.unit)
                done += len(sets[batch])
                if progress is not None:
                    progress(done, index.size)

    def seconds_per_set(self, budget: float) -> float:
        """Return the seconds per set, from a trial of about ``budget`` seconds on sets of the most frequent size."""
        size = min(self.functions.max_size, (self.functions.n + 1) // 2)
        first = np.arange(size, dtype=np.int64)[None, :]
        sets = np.repeat(first, max(1, min(1000, _BATCH // max(1, size**2))), axis=0)
        start, tried = time.perf_counter(), 0
        while tried == 0 or time.perf_counter() - start < budget:
            self.functions.exact(self.function, sets, self.unit)
            tried += len(sets)
        return (time.perf_counter() - start) / tried

    def visits_per_set(self, samples: int) -> float:  # noqa: ARG002 (as all kernels take it)
        """Return the work per set in visits of a row, of which a determinant takes so many."""
        size = min(self.functions.max_size, (self.functions.n + 1) // 2)
        return _VISITS_PER_SET + _VISITS_PER_ENTRY * size**2


@dataclass(frozen=True, slots=True)
class BatchedFamilies:
    """Computes J(G ∪ {i}) − J'(G) for families on demand."""

    functions: BatchedFunctions
    unit: Unit

    @property
    def bytes(self) -> int:
        """The memory in use for cached values: none."""
        return 0

    @property
    def cached_sets(self) -> int:
        """The number of cached values: none."""
        return 0

    def scores(self, child: int, sets: Members, out: NDArray[np.int64], progress: KernelProgress) -> None:
        """Score a child with parent sets of one size, given as rows of increasing numbers."""
        parents = sets.astype(np.int64)
        families = np.sort(np.column_stack([parents, np.full(len(parents), child)]), axis=1)
        for batch in _batches(families):
            joint = self.functions.exact(self.functions.joint[child], families[batch], self.unit)
            base = self.functions.exact(self.functions.base[child], parents[batch], self.unit)
            possible = (joint != IMPOSSIBLE) & (base != IMPOSSIBLE)
            out[batch] = np.where(possible, joint - np.where(possible, base, 0), IMPOSSIBLE)
            if progress is not None:
                progress(min(batch.stop, len(families)), len(families))

    def additions(
        self,
        child: int,
        parents: Members,
        candidates: Members,
        out: NDArray[np.int64],
        progress: KernelProgress,
    ) -> None:
        """Score a child with each candidate added to its parents, given in increasing order."""
        added = np.column_stack([np.tile(parents.astype(np.int64), (len(candidates), 1)), candidates.astype(np.int64)])
        self.scores(child, np.sort(added, axis=1), out, progress)
