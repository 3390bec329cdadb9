"""Scores whose families are no differences of one function of sets: one function for each child.

The function of child *i* is the whole score of the family, J_i(G ∪ {i}), and J' is zero. A subclass of
:class:`FamilyValues` says what a set is worth to each of its members, as the child of all others; what they share, such
as counts, is computed once.

Cost: every set is valued once, in a table of all sets and on demand; the table of a child takes 8 bytes for each set.
"""

from __future__ import annotations

import time
from abc import abstractmethod
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from dagscape.scores.arithmetic.fixed_point import Unit
from dagscape.scores.definitions.set_functions import KernelProgress, SetFunctions
from dagscape.scores.tables.lattice import Members, SetIndex, combinations

# Bytes of a set in the cache of families on demand: its members, their values, and the entry itself.
_CACHED_BYTES = 400


class FamilyValues(SetFunctions):
    """Set functions whose values come from :meth:`member_values`.

    A subclass sets ``n`` and ``max_size`` as well as ``bound``, and calls :meth:`_number_functions`.
    """

    n: int
    max_size: int

    def _number_functions(self) -> None:
        """Number the functions: one of each child, and the zero that is subtracted."""
        self.count = self.n + 1
        self.joint, self.base = tuple(range(self.n)), (self.n,) * self.n
        self._layers: dict[tuple[int, int], NDArray[np.int64]] = {}

    @abstractmethod
    def member_values(self, members: Sequence[int], unit: Unit) -> list[int]:
        """Return, in units, the score of each member of a set with all others as its parents, or ``IMPOSSIBLE``."""

    @abstractmethod
    def visits(self, size: int) -> float:
        """Return the work on a set of so many members in visits of a row: the same on every machine."""

    @abstractmethod
    def data_bytes(self) -> int:
        """Return how many bytes the data take in the form in which they are counted."""

    def layer(self, size: int, unit: Unit) -> NDArray[np.int64]:
        """Return the values of all sets of one size, as :func:`combinations` lists them, for each of their members."""
        if (size, unit.bits) not in self._layers:
            sets = combinations(self.n, size).tolist()
            values = [self.member_values(members, unit) for members in sets]
            self._layers[size, unit.bits] = np.array(values, dtype=np.int64).reshape(len(sets), size)
        return self._layers[size, unit.bits]

    def lattice_kernel(self, function: int, unit: Unit) -> FamilyValueLattice:
        """Return the kernel that computes one of the functions for all sets."""
        return FamilyValueLattice(self, function, unit)

    def lattice_memory(self, sets: int, threads: int) -> int:  # noqa: ARG002 (one thread does all)
        """Return how many bytes the work on ``sets`` sets needs in addition to the values."""
        # Layers are kept, and one of them is a list before it is an array.
        return self.data_bytes() + 3 * 8 * sets * self.max_size

    def family_kernel(self, unit: Unit, threads: int, most_bytes: int) -> FamilyValueKernel:
        """Return the kernel that scores families on demand and caches values within ``most_bytes``."""
        most = max(1, (most_bytes - self.family_memory(threads)) // _CACHED_BYTES)
        return FamilyValueKernel(self, unit, most)

    def family_memory(self, threads: int) -> int:  # noqa: ARG002 (as above)
        """Return how many bytes scoring on demand needs in addition to the cached values."""
        return self.data_bytes()


@dataclass(frozen=True, slots=True)
class FamilyValueLattice:
    """Computes the function of one child, or the zero, for every set up to a given size."""

    functions: FamilyValues
    function: int
    unit: Unit

    def run(self, out: NDArray[np.int64], threads: int, progress: KernelProgress) -> None:  # noqa: ARG002 (as above)
        """Fill ``out``, one value for each set as :class:`~dagscape.scores.tables.lattice.SetIndex` numbers them."""
        child, n = self.function, self.functions.n
        out[:] = 0
        if child < n:
            index, done = SetIndex(n, self.functions.max_size), 0
            for size in range(1, self.functions.max_size + 1):
                sets, values = combinations(n, size), self.functions.layer(size, self.unit)
                rows, places = np.nonzero(sets == child)
                out[index.rank(sets[rows])] = values[rows, places]
                done += len(sets)
                if progress is not None:
                    progress(done, index.size)

    def seconds_per_set(self, budget: float) -> float:
        """Return the seconds per set, from a trial of about ``budget`` seconds on sets of the most frequent size."""
        members = list(range(self._usual_size))
        start, tried = time.perf_counter(), 0
        while tried == 0 or time.perf_counter() - start < budget:
            self.functions.member_values(members, self.unit)
            tried += 1
        # The functions of all children come from one pass.
        return (time.perf_counter() - start) / tried / self.functions.count

    def visits_per_set(self, samples: int) -> float:  # noqa: ARG002 (as all kernels take it)
        """Return the work per set in visits of a row."""
        return self.functions.visits(self._usual_size) / self.functions.count

    @property
    def _usual_size(self) -> int:
        return max(1, min(self.functions.max_size, (self.functions.n + 1) // 2))


@dataclass(slots=True)
class FamilyValueKernel:
    """Scores families on demand; sets that were not used recently are dropped from its cache."""

    functions: FamilyValues
    unit: Unit
    most_sets: int
    _known: OrderedDict[tuple[int, ...], list[int]] = field(default_factory=OrderedDict)

    @property
    def bytes(self) -> int:
        """The memory in use, in bytes."""
        return self.functions.data_bytes() + _CACHED_BYTES * len(self._known)

    @property
    def cached_sets(self) -> int:
        """The number of cached sets."""
        return len(self._known)

    def scores(self, child: int, sets: Members, out: NDArray[np.int64], progress: KernelProgress) -> None:
        """Score a child with parent sets of one size, given as rows of increasing 16-bit numbers."""
        for place, parents in enumerate(sets.tolist()):
            members = tuple(sorted([*parents, child]))
            out[place] = self._values(members)[members.index(child)]
            if progress is not None:
                progress(place + 1, len(sets))

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
        self.scores(child, added, out, progress)

    def _values(self, members: tuple[int, ...]) -> list[int]:
        if members in self._known:
            self._known.move_to_end(members)
            return self._known[members]
        values = self.functions.member_values(members, self.unit)
        self._known[members] = values
        if len(self._known) > self.most_sets:
            self._known.popitem(last=False)
        return values
