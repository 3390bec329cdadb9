"""The search of Max-Min Parents and Children with any tests, many at a time [tsamardinos2006]_.

Tests of discrete data have a kernel with this search (``native/include/dagscape/search/max_min.hpp``). Tests of
measured columns are cheap for many sets and candidates at once, as arrays, so that the search is here: it asks for the
associations of all candidates given many sets, and then reads them in the order of the kernel. What it finds, and the
number of tests, are those of one test at a time; tests that it need not have asked for are not counted.

The forward phase adds to the members the candidate whose least association with the target, over all sets of members,
is the largest; a candidate leaves when it is independent of the target given some set. After a member has joined, only
sets that contain it are new. The backward phase removes members that are independent of the target given some set of
the others; sets of members that joined before have been tested already. Small sets come first, and a size of which no
test can be made ends the search.

Notation: as in :mod:`dagscape.search.mmpc`.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Numbers = NDArray[np.intp]

# Values of an association that are no strength.
INDEPENDENT = 0.0
NOT_TESTED = -1.0

# The first sets of a size are few, because they rule out most candidates; and how many tests are asked for at most.
_FIRST_SETS = 4
_MOST_TESTS = 1 << 14

# Seconds between reports of progress.
_PAUSE = 0.1


class AssociationTests(Protocol):
    """Tests of independence in a table, as associations."""

    @property
    def n(self) -> int:
        """The number of variables."""

    def associations(self, target: int, candidates: Numbers, sets: Numbers) -> Floats:
        """Return the association of each candidate with a target given each set.

        Parameters
        ----------
        target : int
            The target.
        candidates : array of int
            Other variables.
        sets : array of int
            Sets × members: sets of one size, which have neither the target nor a candidate.

        Returns
        -------
        array of float
            Sets × candidates: minus the log of the p-value, positive; :data:`INDEPENDENT`; or :data:`NOT_TESTED`.
        """


class MaxMinSearch:
    """The search for the neighbours of one target after another.

    Parameters
    ----------
    tests : AssociationTests
        The tests.
    rank : array of int
        Decides between candidates of the same association: the lowest is chosen.
    largest : int
        The size of the largest set.
    tick : callable
        Called again and again while it works; may raise an exception to stop it.
    """

    def __init__(
        self,
        tests: AssociationTests,
        rank: NDArray[np.unsignedinteger],
        largest: int,
        tick: Callable[[], None] = lambda: None,
    ) -> None:
        self._tests, self._rank, self._largest, self._tick = tests, rank, largest, tick
        self._target = -1
        # By variable: the least association with the target.
        self._least = np.zeros(tests.n)
        self.tests_made = 0

    def run(self, target: int) -> dict[int, float]:
        """Return the neighbours of a target with their least associations, in the order in which they were found."""
        self._target = target
        self.tests_made = 0
        others = np.delete(np.arange(self._tests.n), target)
        found = self._associations(others, np.empty((1, 0), dtype=np.intp))[0]
        self.tests_made = int(np.count_nonzero(found != NOT_TESTED))
        self._least[others] = found
        # A candidate that cannot be tested at all shows no association.
        candidates = others[found > INDEPENDENT]
        members: list[int] = []
        while candidates.size:
            strongest = min(candidates.tolist(), key=lambda v: (-self._least[v], self._rank[v]))
            members.append(strongest)
            candidates = candidates[candidates != strongest]
            candidates = self._dependent(candidates, [strongest, *members[:-1]], 1)
        return {member: float(self._least[member]) for member in self._kept(members)}

    def _kept(self, members: Sequence[int]) -> list[int]:
        """Return the members that remain dependent on the target given all sets of others."""
        kept = list(members)
        for place, member in enumerate(members):
            # Members that joined later come first: every new set contains one of them.
            later = list(members[place + 1 :])
            pool = later + [other for other in kept if other in members[:place]]
            if not self._dependent(np.array([member]), pool, len(later)).size:
                kept.remove(member)
        return kept

    def _dependent(self, candidates: Numbers, pool: Sequence[int], first: int) -> Numbers:
        """Return the candidates that no set of the pool with one of its first variables separates from the target."""
        for size in range(1, min(self._largest, len(pool)) + 1 if candidates.size else 1):
            some_tested = False
            for sets in self._batches(pool, first, size, candidates):
                values = self._associations(candidates, sets)
                candidates, tested = self._read(candidates, values)
                some_tested |= tested
                if not candidates.size:
                    return candidates
            if not some_tested:
                break
        return candidates

    def _read(self, candidates: Numbers, values: Floats) -> tuple[Numbers, bool]:
        """Take notice of associations, set by set, up to the first that makes a candidate independent."""
        tested = values != NOT_TESTED
        separated = values == INDEPENDENT
        gone = separated.any(axis=0)
        last = np.where(gone, separated.argmax(axis=0), len(values))
        self.tests_made += int(np.count_nonzero(tested & (np.arange(len(values))[:, np.newaxis] <= last)))
        least = np.where(tested, values, np.inf).min(axis=0)
        self._least[candidates] = np.minimum(self._least[candidates], least)
        return candidates[~gone], bool(tested.any())

    def _associations(self, candidates: Numbers, sets: Numbers) -> Floats:
        self._tick()
        return self._tests.associations(self._target, candidates, sets)

    @staticmethod
    def _batches(pool: Sequence[int], first: int, size: int, candidates: Numbers) -> Iterator[Numbers]:
        """Iterate over the sets of a size, in lexicographic order of places in the pool, by more and more at a time."""
        places = itertools.combinations(range(len(pool)), size)
        wanted = itertools.takewhile(lambda chosen: chosen[0] < first, places)
        members, length = np.asarray(pool, dtype=np.intp), _FIRST_SETS
        while batch := list(itertools.islice(wanted, length)):
            yield members[np.array(batch, dtype=np.intp)]
            length = min(2 * length, max(1, _MOST_TESTS // (candidates.size + size)))


def max_min_neighbours(
    tests: AssociationTests,
    rank: NDArray[np.unsignedinteger],
    largest: int,
    callback: Callable[[int, int], None] | None,
) -> tuple[Floats, int]:
    """Return the least associations of every variable with those that its own search finds, and the number of tests.

    Parameters
    ----------
    tests, rank, largest
        As for :class:`MaxMinSearch`.
    callback : callable or None
        ``callback(done, total)`` is called when a target is done, and ten times a second; it may raise an exception.

    Examples
    --------
    >>> from dagscape.search.fisher_z import FisherZ
    >>> x, noise = np.random.default_rng(1).normal(size=(2, 100))
    >>> least, count = max_min_neighbours(FisherZ(np.column_stack([x, x + noise]), 0.05), np.arange(2), 2, None)
    >>> least.round(1).tolist(), count
    ([[0.0, 30.1], [30.1, 0.0]], 2)
    """
    least, count = np.zeros((tests.n, tests.n)), 0
    reported = time.perf_counter()

    def tick() -> None:
        nonlocal reported
        if callback is not None and time.perf_counter() - reported > _PAUSE:
            reported = time.perf_counter()
            callback(target, tests.n)

    search = MaxMinSearch(tests, rank, largest, tick)
    for target in range(tests.n):
        for other, value in search.run(target).items():
            least[target, other] = value
        count += search.tests_made
        if callback is not None:
            callback(target + 1, tests.n)
    return least, count
