"""What a search over all sets of variables takes: its layout and memory by counting, its time from a small one."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Self

import numpy as np

from dagscape import kernels
from dagscape.methods import ProblemSize
from dagscape.scores.family_arrays import Layout, can_be_tiled, suits_tiles
from dagscape.scores.lattice import set_count

# A list is worth it where an array would be so many times longer, and lists so short are quickly searched.
_MUCH_LONGER = 4

# Sizes that take a few hundredths of a second.
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
        The most parents a family has.
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
        """The size of a search through a problem, such as the families of some scores."""
        return cls(size.n, size.max_parents, size.family_count)

    @classmethod
    def complete(cls, n: int, max_parents: int) -> Self:
        """The size of a search through all families of up to some parents."""
        return cls(n, max_parents, n * set_count(n - 1, max_parents))

    @property
    def layout(self) -> Layout:
        """The layout in which families are searched: the one with the least work and memory."""
        by_mask, by_size = self.n << (self.n - 1), self.n * set_count(self.n, self.max_parents)
        if self.family_count * _MUCH_LONGER < min(by_mask, by_size):
            return "list"
        if not can_be_tiled(self.n, self.max_parents):
            return "mask"
        return "size" if suits_tiles(self.n, self.max_parents) or self._by_size(1) < self._by_mask else "mask"

    def memory(self, threads: int, table: int | None = None) -> int:
        """Bytes that the search takes at its start.

        Parameters
        ----------
        threads : int
            The number of threads.
        table : int, optional
            The numbers that are kept for sets of variables; one for each set of all variables by default.
        """
        per_child = self.family_count // self.n + 1
        numbers = 1 << self.n if table is None else table
        # One number for every set of variables; families sorted, and once more while they are.
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
    """About how long it takes to sort the families, and to walk over all sets of the variables once."""
    tiled = SearchSize.complete(n, max_parents).layout == "size"
    trial = min(n, _TRIAL_TILED if tiled else _TRIAL_DENSE)
    seconds = _trial_seconds(trial, min(max_parents, trial - 1), tiled, threads)
    return seconds * 2.0 ** min(n - trial, _NEVER_MORE) * (n / trial) ** (1 if tiled else 2)


def _trial_seconds(n: int, max_parents: int, tiled: bool, threads: int) -> float:
    columns = set_count(n, max_parents) if tiled else 1 << (n - 1)
    # In tiles a child may seem to be its own parent here: nobody asks for the networks, and the time is the same.
    values = np.random.default_rng(n).integers(-(20 << _TRIAL_BITS), 0, (n, columns))
    families = kernels.Families.by_size(values, max_parents) if tiled else kernels.Families.by_mask(values)
    times = []
    for _ in range(2):
        start = time.perf_counter()
        kernels.BestNetworks(families, True, threads, 1, None)
        times.append(time.perf_counter() - start)
    return min(times)


def described_walk(n: int, max_parents: int) -> str:
    """The walk in words.

    >>> described_walk(20, 4), described_walk(10, 9)
    ('2^20 sets, up to 4 parents', '2^10 sets')
    """
    return f"2^{n} sets" + (f", up to {max_parents} parents" if max_parents < n - 1 else "")
