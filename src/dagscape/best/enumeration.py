"""A search that can be asked for ever more networks: the Python side of ``native/include/dagscape/k_best.hpp``."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dagscape import kernels
from dagscape.best.requirements import best_requirements
from dagscape.errors import InvalidData, InvalidOption, TooLarge, argument
from dagscape.progress import ProgressListener, kernel_callback
from dagscape.resources import format_bytes, memory_limit
from dagscape.scores.enumerable_scores import EnumerableScores, check_scores
from dagscape.scores.family_arrays import kernel_families
from dagscape.scores.lattice_scores import LatticeScores
from dagscape.scores.search_planning import SearchSize

# Scores in files have some ten digits: what agrees to this part of a nat, or of the score, is the same.
_SAME_SCORE = 1e-4

# What it means for a list that families are missing.
WITHOUT_FAMILIES = ", and the networks that have them from the list"

SPACES = {"classes": "equivalence classes", "dags": "DAGs"}
_ONE = {"classes": "equivalence class", "dags": "DAG"}


class BestEnumeration:
    """The best networks of some scores, one batch after the other.

    Attributes
    ----------
    found : int
        How many networks were found so far.
    out_of_room : bool
        Whether the search ended because there was no room for more.
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
        """Prepare the search; its lists may take ``room`` bytes, or all that is left."""
        check_search(scores, space)
        size = SearchSize.like(scores)
        # What is available may change from one look to the next.
        self._limit = memory_limit(max_memory)
        best_requirements(size, threads, self._limit).check(self._limit)
        left = self._limit - size.memory(threads)
        self._kernel = kernels.BestNetworks(
            kernel_families(scores, size.layout),
            space == "classes",
            threads,
            left if room is None else min(room, left),
            kernel_callback("Scoring the best network on every set", listener, 0, 0),
        )
        self._n = scores.n
        self._space = space
        self.found = 0
        self.out_of_room = False

    @property
    def stored(self) -> int:
        """How many networks are kept, on all sets of variables."""
        return self._kernel.stored

    def next(
        self, count: int, listener: ProgressListener | None = None, total: int = 0
    ) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """The next networks as sets of parents, and their scores in units; fewer if there are no more, or no room."""
        parents = np.zeros((count, self._n), dtype=np.uint64)
        exact = np.zeros(count, dtype=np.int64)
        task = f"Finding the best {SPACES[self._space]}"
        callback = kernel_callback(task, listener, self.found, total)
        found, self.out_of_room = self._kernel.next(parents, exact, callback)
        self.found += found
        return parents[:found], exact[:found]

    def why_stopped(self) -> str:
        """What to say where there was no room for more networks."""
        count = f"{self.found:,} {SPACES[self._space] if self.found != 1 else _ONE[self._space]}"
        limit = format_bytes(self._limit)
        return (
            f"after {count} the search has filled {limit} ({argument('max_memory')}): the list is correct so far; "
            "raise the limit for more"
        )


def check_search(scores: EnumerableScores, space: str) -> None:
    """Refuse scores that cannot be searched, or whose classes cannot be ranked."""
    check_scores(scores)
    if space not in SPACES:
        raise InvalidOption(f"is {space!r}; it must be one of {', '.join(map(repr, SPACES))}", option="space")
    if space == "classes" and (reason := why_not_classes(scores)):
        raise InvalidOption(f"equivalence classes cannot be ranked: {reason}. Use {argument('space', 'dags')}")


def why_not_classes(scores: EnumerableScores) -> str:
    """Why equivalent networks may differ in score; an empty text if they do not."""
    if isinstance(scores, LatticeScores):
        if not scores.constraints.empty:
            return "required and forbidden edges and tiers rule out some members of a class and not others"
        if scores.info.experimental_rows:
            return "rows from experiments tell members of a class apart"
        name = scores.info.score or "this score"
        return "" if scores.score_equivalent else f"{name} differs between members of a class"
    if not scores.unconstrained:
        return "families are missing from the scores, and with them some members of classes"
    if not scores.score_equivalent:
        return (
            "these scores are not known to be score-equivalent (if they are, read them with "
            f"{argument('score_equivalent', True)})"
        )
    return "" if _looks_equivalent(scores) else "two variables score differently as a → b and as b → a"


def _looks_equivalent(scores: EnumerableScores) -> bool:
    """Whether an edge between two variables is worth the same in both directions, but for rounding."""
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
    """Refuse to go on without any network."""
    if search.found == 0:
        if search.out_of_room:
            raise TooLarge(f"{argument('max_memory')} leaves no room for a single network: raise it")
        raise InvalidData("no network has all families possible: there is no best one")
