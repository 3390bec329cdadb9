"""Sets of variables as rows of an array, and their positions in a table over the lattice.

This is the Python counterpart of ``native/include/dagscape/sets/set_index.hpp``. Both must number sets in the same way,
and a test checks that they do.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Members = NDArray[np.int64]
Term = TypeVar("Term", bound=np.integer)


def combinations(n: int, size: int) -> Members:
    """Return all sets of ``size`` out of ``n`` variables, one per row, in order of their bit masks.

    >>> combinations(4, 2).tolist()
    [[0, 1], [0, 2], [1, 2], [0, 3], [1, 3], [2, 3]]
    """
    sets = np.zeros((1, 0), dtype=np.int64)
    for width in range(1, size + 1):
        # The sets with largest member `top` are the smaller sets of members below `top`, which come first, plus `top`.
        tops = range(width - 1, n - size + width)
        counts = [math.comb(top, width - 1) for top in tops]
        smaller = np.concatenate([sets[:count] for count in counts])
        sets = np.column_stack([smaller, np.repeat(np.array(tops), counts)])
    return sets


def member_sums(n: int, max_size: int, terms: NDArray[Term]) -> NDArray[Term]:
    """Return, for all sets of at most ``max_size`` out of ``n`` variables, the sums of the terms of their members.

    Sets are in order of size, then of their bit masks.

    >>> member_sums(3, 2, np.array([1, 2, 4])).tolist()
    [0, 1, 2, 4, 3, 5, 6]
    """
    layers = [np.zeros(1, dtype=terms.dtype)]
    for size in range(1, max_size + 1):
        layer = np.empty(math.comb(n, size), dtype=terms.dtype)
        # The sets with largest member `top` are the smaller sets of members below `top`, which come first, plus `top`.
        for top in range(size - 1, n):
            start, count = math.comb(top, size), math.comb(top, size - 1)
            np.add(layers[-1][:count], terms[top], out=layer[start : start + count])
        layers.append(layer)
    return np.concatenate(layers)


def ranks_with(n: int, max_size: int, member: int) -> Iterator[NDArray[np.int64]]:
    """Iterate over sizes: for all sets of a size, in order of masks, the place of the set with one more member.

    The place is the one among the sets of the next size. Those of sets that already have the member mean nothing, but
    are within the range.

    >>> [places.tolist() for places in ranks_with(3, 1, 1)]
    [[1], [0, 0, 2]]
    """
    layer = np.array([member], dtype=np.int64)
    yield layer
    for size in range(1, max_size + 1):
        smaller, layer = layer, np.zeros(math.comb(n, size), dtype=np.int64)
        below = math.comb(member, size)
        np.add(np.arange(below), math.comb(member, size + 1), out=layer[:below])
        for top in range(member + 1, n):
            start, count = math.comb(top, size), math.comb(top, size - 1)
            np.add(smaller[:count], math.comb(top, size + 1), out=layer[start : start + count])
        yield layer


@dataclass(frozen=True, slots=True)
class SetIndex:
    """The numbering of the sets of at most ``max_size`` of ``n`` variables.

    If all sets are included, the number of a set is its bit mask. Otherwise sets are ordered by size, then by mask.
    """

    n: int
    max_size: int
    _first_of_size: NDArray[np.int64] = field(init=False, repr=False, compare=False)
    _choose: NDArray[np.int64] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        sizes = range(self.max_size + 1)
        counts = [0, *(math.comb(self.n, size) for size in sizes)]
        choose = [[math.comb(member, size) for size in range(self.max_size + 1)] for member in range(self.n)]
        object.__setattr__(self, "_first_of_size", np.cumsum(counts, dtype=np.int64))
        object.__setattr__(self, "_choose", np.array(choose, dtype=np.int64).reshape(self.n, -1))

    @property
    def size(self) -> int:
        """The number of sets."""
        return set_count(self.n, self.max_size)

    def of_size(self, size: int) -> slice:
        """Return the numbers of the sets of one size; only if not all sets are included."""
        return slice(int(self._first_of_size[size]), int(self._first_of_size[size + 1]))

    def rank(self, sets: Members) -> NDArray[np.int64]:
        """Return the numbers of sets of one size, given as rows of increasing members."""
        size = sets.shape[1]
        if self.max_size >= self.n:
            masks: NDArray[np.int64] = np.left_shift(np.int64(1), sets).sum(axis=1, dtype=np.int64)
            return masks
        places: NDArray[np.int64] = self._choose[sets, np.arange(1, size + 1)].sum(axis=1, dtype=np.int64)
        return places + self._first_of_size[size]


def set_count(n: int, max_size: int, most: int | None = None) -> int:
    """Return the number of sets of at most ``max_size`` out of ``n`` variables.

    If it is greater than ``most``, another number greater than ``most`` may be returned, which takes fewer steps: the
    true number may have thousands of digits.

    >>> set_count(20, 5), set_count(20, 5, most=21700), set_count(20_000, 10_000, most=100)
    (21700, 21700, 20001)
    """
    if max_size >= n:
        return 1 << n
    total, of_size = 0, 1
    for size in range(max_size + 1):
        total += of_size
        if most is not None and total > most:
            break
        of_size = of_size * (n - size) // (size + 1)
    return total


def is_every_set(count: int, n: int, max_size: int) -> bool:
    """Whether ``count`` is the number of sets of at most ``max_size`` out of ``n`` variables."""
    return set_count(n, max_size, most=count) == count


def with_member(sets: Members, member: int) -> Members:
    """Return each set with one more variable, which no set may already have."""
    return np.sort(np.column_stack([sets, np.full(len(sets), member)]), axis=1)


def parent_sets(n: int, child: int, size: int) -> Members:
    """Return all sets of ``size`` possible parents of ``child``, in order of their bit masks."""
    sets = combinations(n - 1, size)
    return sets + (sets >= child)
