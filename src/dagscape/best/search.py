"""A search that can be asked for ever more networks: the Python side of ``native/include/dagscape/k_best.hpp``."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray

from dagscape import kernels
from dagscape.errors import IncompleteScores, InvalidData, InvalidOption, TooLarge
from dagscape.progress import ProgressListener, kernel_callback
from dagscape.resources import check_memory, format_bytes, memory_limit
from dagscape.scores.family_arrays import kernel_families, search_layout, search_memory
from dagscape.scores.lattice import set_count
from dagscape.scores.local_scores import LatticeScores, LocalScores

SPACES = {"classes": "equivalence classes", "dags": "DAGs"}


class BestSearch:
    """The best networks of some scores, one batch after the other.

    Attributes
    ----------
    found : int
        How many networks were found so far.
    """

    def __init__(
        self,
        scores: LocalScores,
        space: str,
        threads: int,
        max_memory: int | str | None,
        listener: ProgressListener | None,
    ) -> None:
        check_search(scores, space)
        n, max_parents, count = scores.n, scores.max_parents, scores.family_count
        check_search_memory(n, max_parents, count, threads, max_memory)
        self._limit = memory_limit(max_memory)
        needed = search_memory(n, max_parents, count, threads)
        self._kernel = kernels.BestNetworks(
            kernel_families(scores, search_layout(n, max_parents, count)),
            space == "classes",
            threads,
            self._limit - needed,
            kernel_callback("Scoring the best network on every set", listener, 0, 0),
        )
        self._n = n
        self._space = space
        self.found = 0

    @property
    def stored(self) -> int:
        """How many networks are kept, on all sets of variables."""
        return self._kernel.stored

    def next(
        self, count: int, listener: ProgressListener | None = None, total: int = 0
    ) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """The next networks as sets of parents, and their scores in units; fewer only when there are no more."""
        parents = np.zeros((count, self._n), dtype=np.uint64)
        exact = np.zeros(count, dtype=np.int64)
        task = f"Finding the best {SPACES[self._space]}"
        found = self._kernel.next(parents, exact, kernel_callback(task, listener, self.found, total))
        if found < 0:
            raise TooLarge(
                f"after {self.found - 1 - found:,} {SPACES[self._space]} the search has filled "
                f"{format_bytes(self._limit)} (max_memory): ask for fewer, or raise the limit"
            )
        self.found += found
        return parents[:found], exact[:found]


def check_search_memory(
    n: int, max_parents: int, family_count: int, threads: int, max_memory: int | str | None
) -> None:
    """Refuse a search that needs more memory than the limit, with advice that helps."""
    needed = search_memory(n, max_parents, family_count, threads)
    fewer = min(max_parents, 4)
    remedy = "raise the limit; 8 bytes for each set of variables are the least that exact search needs"
    if search_memory(n, fewer, n * set_count(n - 1, fewer), threads) < needed / 2:
        remedy = f"raise the limit, or score with max_parents={fewer}"
    check_memory(needed, max_memory, f"the best networks of {n} variables", remedy)


def check_search(scores: LocalScores, space: str) -> None:
    """Refuse scores that cannot be searched, or whose classes cannot be ranked."""
    if not isinstance(scores, LocalScores):
        raise InvalidOption(f"scores is a {type(scores).__name__}; make local scores first, with local_scores()")
    if space not in SPACES:
        raise InvalidOption(f"space is {space!r}; it must be one of {', '.join(map(repr, SPACES))}")
    if space == "classes" and (reason := why_not_classes(scores)):
        raise InvalidOption(f"equivalence classes cannot be ranked: {reason}. Use space='dags'")


def why_not_classes(scores: LocalScores) -> str:
    """Why equivalent networks may differ in score; an empty text if they do not."""
    if isinstance(scores, LatticeScores):
        if not scores.constraints.empty:
            return "required and forbidden edges and tiers rule out some members of a class and not others"
        if scores.provenance.parameters.get("experimental_rows"):
            return "rows from experiments tell members of a class apart"
        name = scores.provenance.parameters.get("score", "this score")
        return "" if scores.score_equivalent else f"{name} differs between members of a class"
    if not scores.score_equivalent:
        return (
            "nothing says that these scores are the same for equivalent networks (if they are, read them with "
            "score_equivalent=True)"
        )
    return "" if scores.unconstrained else "families are missing from the scores, and with them some members of classes"


def warn_if_incomplete(scores: LocalScores, stacklevel: int) -> None:
    """Say that networks may be missing because families are."""
    if scores.complete is not True:
        known = "are missing" if scores.complete is False else "may be missing"
        message = f"families {known} from the scores, and the networks that have them from the list"
        warnings.warn(message, IncompleteScores, stacklevel=stacklevel)


def refuse_none(found: int) -> None:
    """Refuse to go on without any network."""
    if found == 0:
        raise InvalidData("no network has all families possible: there is no best one")
