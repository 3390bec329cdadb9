"""Memory and time of a search for the best networks."""

from __future__ import annotations

from dagscape.errors import argument, function
from dagscape.methods import ProblemSize, Requirements
from dagscape.scores.search_planning import SearchSize, described_walk, walk_seconds
from dagscape.wording import plural

# The limit on the number of parents in advice.
_FEW_PARENTS = 4


def _room_for_one(n: int) -> int:
    """Return a bound on the bytes of the lists that finding one network fills, measured for up to 16 variables."""
    return (16 + 2 * n) << 10


def best_requirements(size: ProblemSize, threads: int, limit: int) -> Requirements:
    """Return the initial memory. The memory of a long list of networks cannot be predicted."""
    search = SearchSize.like(size)

    def fits_with_few_parents(n: int) -> bool:
        return SearchSize.complete(n, min(search.max_parents, _FEW_PARENTS, n - 1)).memory(threads) <= limit

    remedy = f"raise the limit, or score with {argument('max_parents', _FEW_PARENTS)}"
    if search.max_parents <= _FEW_PARENTS or not fits_with_few_parents(search.n):
        most = max(filter(fits_with_few_parents, range(1, min(search.n, 64))), default=0)
        remedy = f"exact search with few parents fits up to {most} variables here; {function('plan')} names what fits"
    return Requirements(
        step="best network",
        work=f"{described_walk(search.n, search.max_parents)}; a long list takes more",
        memory=search.memory(threads) + _room_for_one(search.n),
        subject=f"the best networks of {plural(search.n, 'variable')}",
        remedy=remedy,
    )


def best_seconds(size: ProblemSize, threads: int, limit: int) -> float:  # noqa: ARG001 (as all methods take it)
    """Return the estimated time to find the best network."""
    return walk_seconds(size.n, size.max_parents, threads)
