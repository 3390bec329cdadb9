"""A search that finds the best networks in batches: the Python side of ``native/include/dagscape/best/k_best.hpp``."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dagscape.best.requirements import best_requirements
from dagscape.core import kernels
from dagscape.core.checks import check_choice
from dagscape.core.errors import InvalidData, InvalidOption, TooLarge, argument
from dagscape.core.progress import ProgressListener, kernel_callback
from dagscape.core.resources import format_bytes, memory_limit
from dagscape.scores.equivalence import distinguishes_members
from dagscape.scores.search_planning import SearchSize
from dagscape.scores.tables.enumerable_scores import EnumerableScores, check_scores
from dagscape.scores.tables.family_arrays import kernel_families
from dagscape.scores.tables.lattice_scores import LatticeScores
from dagscape.scores.tables.local_scores import LocalScores

# Scores in files have about ten digits: scores that agree to this part of a nat, or of the score, count as equal.
_SAME_SCORE = 1e-4

# The consequence of missing families for a list of networks.
WITHOUT_FAMILIES = ", and the networks that have them from the list"

# Bytes of each network in a list besides its sets of parents, which are there twice while the list is made: scores, and
# the size of its class as a number that may be large.
_LISTED_BYTES = 96

SPACES = {"classes": "equivalence classes", "dags": "DAGs"}
_ONE = {"classes": "equivalence class", "dags": "DAG"}


class BestEnumeration:
    """The best networks of local scores, in batches.

    Attributes
    ----------
    found : int
        The number of networks found so far.
    out_of_room : bool
        Whether the search ended because memory ran out.
    stored : int
        The number of networks in memory, on all sets of variables.
    """

    def __init__(
        self,
        scores: EnumerableScores,
        space: str,
        threads: int,
        max_memory: int | str | None,
        listener: ProgressListener | None,
        room: int | None = None,
    ) -> None:
        """Prepare the search; it and the networks found may use ``room`` bytes. Default: all that is left."""
        check_search(scores, space)
        size = SearchSize.like(scores)
        # Read once, since the available memory may change.
        self._limit = memory_limit(max_memory)
        best_requirements(size, threads, self._limit).check(self._limit)
        left = self._limit - size.memory(threads)
        self._kernel: kernels.BestNetworks | None = kernels.BestNetworks(
            kernel_families(scores, size.layout),
            space == "classes",
            threads,
            left if room is None else min(room, left),
            kernel_callback("Scoring the best network on every set", listener, 0, 0),
            2 * 8 * scores.n + _LISTED_BYTES,
        )
        self._n = scores.n
        self._space = space
        self._refused = False
        self.found = 0
        self.stored = 0
        self.out_of_room = False

    def next(
        self, count: int, listener: ProgressListener | None = None, total: int = 0
    ) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """The next networks as sets of parents, and their scores in units; fewer if there are no more, or no room."""
        if self._kernel is None:
            raise ValueError("the search has ended, and its memory was released")
        task = f"Finding the best {SPACES[self._space]}"
        callback = kernel_callback(task, listener, self.found, total)
        try:
            parents = np.zeros((count, self._n), dtype=np.uint64)
            exact = np.zeros(count, dtype=np.int64)
            found, self.out_of_room = self._kernel.next(parents, exact, callback)
        except MemoryError:
            self.out_of_room = self._refused = True
            self.release()
            return np.zeros((0, self._n), dtype=np.uint64), np.zeros(0, dtype=np.int64)
        self._refused = self._kernel.refused
        self.stored = self._kernel.stored
        self.found += found
        if self.out_of_room:
            # The search cannot continue, and what was found needs its memory.
            self.release()
        return parents[:found], exact[:found]

    def release(self) -> None:
        """End the search, and release its memory."""
        self._kernel = None

    def why_stopped(self) -> str:
        """Return the message for a search that ran out of memory."""
        count = f"{self.found:,} {SPACES[self._space] if self.found != 1 else _ONE[self._space]}"
        limit = f"{format_bytes(self._limit)} ({argument('max_memory')})"
        if self._refused:
            return (
                f"after {count} the system refused more memory, below the limit of {limit}: the list is correct so "
                "far; free some memory for more"
            )
        return f"after {count} the search has filled {limit}: the list is correct so far; raise the limit for more"


def check_search(scores: EnumerableScores, space: str) -> None:
    """Check that scores can be searched, and that classes can be ranked if requested."""
    check_scores(scores)
    check_choice(space, SPACES, "space")
    if space == "classes" and (reason := why_not_classes(scores)):
        raise InvalidOption(f"equivalence classes cannot be ranked: {reason}. Use {argument('space', 'dags')}")


def usual_space(scores: LocalScores) -> str:
    """Return what is ranked by default: classes, unless the scores are known to tell their members apart."""
    return "dags" if distinguishes_members(scores.info) else "classes"


def checked_space(scores: EnumerableScores, space: str | None) -> str:
    """Return what to rank of scores that can be searched: what was asked for, or what is usual."""
    check_scores(scores)
    return usual_space(scores) if space is None else space


def why_not_classes(scores: LocalScores) -> str:
    """Return why equivalent networks may differ in score; an empty string if they cannot."""
    if isinstance(scores, LatticeScores) or not isinstance(scores, EnumerableScores):
        if scores.info.ruled_out:
            return f"with the score {scores.info.score!r}, {scores.info.rule}, which rules out some members of a class"
        if not scores.constraints.empty and not scores.info.randomised:
            return "required and forbidden edges and tiers rule out some members of a class and not others"
        if scores.info.experimental_rows:
            return "rows from experiments distinguish members of a class"
        if not scores.info.equivalent_prior:
            return "the structure prior distinguishes members of a class"
        name = scores.info.score or "this score"
        return "" if scores.score_equivalent else f"{name} differs between members of a class"
    if not scores.unconstrained:
        return "families are missing from the scores, and with them some members of classes"
    if not scores.info.equivalent_prior:
        return "the structure prior distinguishes members of a class"
    if not scores.score_equivalent:
        return (
            "these scores are not known to be score-equivalent (if they are, read them with "
            f"{argument('score_equivalent', True)})"
        )
    return "" if _looks_equivalent(scores) else "two variables score differently as a → b and as b → a"


def _looks_equivalent(scores: EnumerableScores) -> bool:
    """Whether an edge between two variables has the same value in both directions, up to rounding."""
    if scores.max_parents < 1:
        return True
    alone = np.array([scores.family_exact(child) for child in range(scores.n)])
    for a in range(1, scores.n):
        others = np.arange(a).reshape(-1, 1)
        forwards = np.array([scores.family_exact(b, [a]) for b in range(a)]) - alone[:a]
        backwards = scores.exact_scores(a, others) - alone[a]
        difference = scores.unit.to_floats(np.abs(forwards - backwards))
        if (difference > _SAME_SCORE * np.maximum(1.0, np.abs(scores.unit.to_floats(backwards)))).any():
            return False
    return True


def check_any_found(search: BestEnumeration) -> None:
    """Raise an error if no network was found."""
    if search.found == 0:
        if search.out_of_room:
            raise TooLarge(f"{argument('max_memory')} leaves no room for a single network: raise it")
        raise InvalidData("every network has an impossible family: there is no best network")
