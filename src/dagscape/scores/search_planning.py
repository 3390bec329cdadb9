"""Layout, memory and time of a search over all sets of variables. The time is extrapolated from a small search."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Self

import numpy as np

from dagscape.core import kernels
from dagscape.core.requirements import ProblemSize
from dagscape.core.wording import plural
from dagscape.scores.arithmetic.fixed_point import IMPOSSIBLE
from dagscape.scores.tables.family_arrays import Layout, can_be_tiled, suits_tiles
from dagscape.scores.tables.lattice import combinations, set_count

# Families are a list if an array would be more than this many times longer: short lists are searched quickly.
_MUCH_LONGER = 4

# The numbers of variables of trials, which take a few hundredths of a second.
_TRIAL_DENSE = 16
_TRIAL_TILED = 19
_TRIAL_BITS = 30
_NEVER_MORE = 500


@dataclass(frozen=True, slots=True)
class SearchSize:
    """The size of a search over sets of variables.

    Attributes
    ----------
    n : int
        The number of variables.
    max_parents : int
        The largest number of parents of a family.
    family_count : int
        The number of families.

    Examples
    --------
    >>> SearchSize.complete(20, 4).layout, SearchSize.complete(14, 13).layout
    ('size', 'mask')
    """

    n: int
    max_parents: int
    family_count: int

    @classmethod
    def like(cls, size: ProblemSize) -> Self:
        """Return the size of a search through a problem, such as the families of given scores."""
        return cls(size.n, size.max_parents, size.family_count)

    @classmethod
    def complete(cls, n: int, max_parents: int) -> Self:
        """Return the size of a search through all families of up to ``max_parents`` parents."""
        return cls(n, max_parents, n * set_count(n - 1, max_parents))

    @property
    def layout(self) -> Layout:
        """The layout of the families that needs the least work and memory."""
        enough = self.family_count * _MUCH_LONGER
        by_mask, by_size = self.n << (self.n - 1), self.n * set_count(self.n, self.max_parents, most=enough)
        if enough < min(by_mask, by_size):
            return "list"
        if not can_be_tiled(self.n, self.max_parents):
            return "mask"
        return "size" if suits_tiles(self.n, self.max_parents) or self._by_size(1) < self._by_mask else "mask"

    def memory(self, threads: int, table: int | None = None) -> int:
        """Return how many bytes the search needs initially.

        Parameters
        ----------
        threads : int
            The number of threads.
        table : int, optional
            How many numbers are stored for sets of variables. Default: one for each set.
        """
        per_child = self.family_count // self.n + 1
        numbers = 1 << self.n if table is None else table
        # The numbers for sets of variables, the sorted families, and copies of them during the sort.
        memory = 8 * numbers + (self.family_count + threads * per_child) * kernels.SORTED_FAMILY_BYTES
        if self.layout == "mask":
            return memory + self._by_mask
        if self.layout == "size":
            return memory + self._by_size(threads)
        return memory + kernels.LISTED_FAMILY_BYTES * self.family_count

    @property
    def _by_mask(self) -> int:
        return int(kernels.best_scores_bytes_by_mask(self.n))

    def _by_size(self, threads: int) -> int:
        return int(kernels.best_scores_bytes_by_size(self.n, self.max_parents, threads))


def walk_seconds(n: int, max_parents: int, threads: int) -> float:
    """Return the estimated time to sort the families and to walk over all sets of variables once."""
    tiled = SearchSize.complete(n, max_parents).layout == "size"
    trial = min(n, _TRIAL_TILED if tiled else _TRIAL_DENSE)
    seconds = _trial_seconds(trial, min(max_parents, trial - 1), tiled, threads)
    return seconds * 2.0 ** min(n - trial, _NEVER_MORE) * (n / trial) ** (1 if tiled else 2)


def _trial_seconds(n: int, max_parents: int, tiled: bool, threads: int) -> float:
    columns = set_count(n, max_parents) if tiled else 1 << (n - 1)
    values = np.random.default_rng(n).integers(-(20 << _TRIAL_BITS), 0, (n, columns))
    if tiled:
        members = (combinations(n, size) for size in range(max_parents + 1))
        own = np.concatenate([(sets[:, :, None] == np.arange(n)).any(axis=1) for sets in members])
        values[own.T] = IMPOSSIBLE
    families = kernels.Families.by_size(values, max_parents) if tiled else kernels.Families.by_mask(values)
    times = []
    for _ in range(2):
        start = time.perf_counter()
        kernels.BestNetworks(families, True, threads, 1, None)
        times.append(time.perf_counter() - start)
    return min(times)


def described_walk(n: int, max_parents: int) -> str:
    """Describe the walk in words.

    >>> described_walk(20, 4), described_walk(10, 9)
    ('2^20 sets, up to 4 parents', '2^10 sets')
    """
    return f"2^{n} sets" + (f", up to {plural(max_parents, 'parent')}" if max_parents < n - 1 else "")
