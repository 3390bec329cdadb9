"""Memory and time of a search for the best networks.

The walk over all sets of variables is known in advance. The search that follows depends on the data: if the variables
are nearly independent, any of them can come last, and the search stores networks on all 2^n sets of variables. Plans
show this worst case, as far as the memory limit allows it; a method needs only the walk to start.
"""

from __future__ import annotations

import time
from dataclasses import replace
from functools import lru_cache

import numpy as np

from dagscape.core import kernels
from dagscape.core.errors import argument, function
from dagscape.core.requirements import FEW_PARENTS, MANY_VARIABLES, ProblemSize, Requirements, fitting_parents
from dagscape.core.wording import plural
from dagscape.scores.search_planning import SearchSize, described_walk, walk_seconds

# If variables are nearly independent, finding a second class can take far more memory than finding the first.
ROOM_FOR_TIES = 1 << 28

# The networks that a plan assumes: the best and the next one, or a short list and the next one.
_TO_SEE_TIES = 2
_SHORT_LIST = 11

_TRIAL_VARIABLES = 11
_TRIAL_BITS = 30
_NEVER_MORE = 500


def _room_for_one(n: int) -> int:
    """Return a bound on the bytes of the lists that finding one network fills, measured for up to 16 variables."""
    return (16 + 2 * n) << 10


def best_requirements(size: ProblemSize, threads: int, limit: int) -> Requirements:
    """Return the initial memory. The memory of a long list of networks cannot be predicted."""
    search = SearchSize.like(size)

    def fits(n: int, max_parents: int) -> bool:
        few = SearchSize.complete(n, min(search.max_parents, max_parents, n - 1))
        return few.memory(threads) + _room_for_one(n) <= limit

    fewer = fitting_parents(search.max_parents, lambda most: fits(search.n, most))
    if fewer is not None:
        remedy = f"raise the limit, or score with {argument('max_parents', fewer)}"
    else:
        most = max((n for n in range(1, min(search.n, 64)) if fits(n, FEW_PARENTS)), default=0)
        few = f"exact search with few parents fits up to {most} variables here"
        remedy = f"{few}; {MANY_VARIABLES}; {function('plan')} names what fits"
    return Requirements(
        step="best network",
        work=f"{described_walk(search.n, search.max_parents)}; a long list takes more",
        memory=search.memory(threads) + _room_for_one(search.n),
        subject=f"the best networks of {plural(search.n, 'variable')}",
        remedy=remedy,
    )


def optimal_requirements(size: ProblemSize, threads: int, limit: int) -> Requirements:
    """Return the memory of the best network and of a search for another of the same score."""
    return _with_search(size, threads, limit, _TO_SEE_TIES, "the search for ties takes less")


def list_requirements(size: ProblemSize, threads: int, limit: int) -> Requirements:
    """Return the memory of a short list. That of a long list cannot be predicted."""
    return _with_search(size, threads, limit, _SHORT_LIST, "the list takes less, and a long one more")


def _with_search(size: ProblemSize, threads: int, limit: int, count: int, saving: str) -> Requirements:
    needs = best_requirements(size, threads, limit)
    walk = described_walk(size.n, size.max_parents)
    return replace(
        needs,
        memory=needs.memory + _search_bytes(size, threads, limit, count),
        work=f"{walk}; if variables are dependent, {saving}",
    )


def _search_bytes(size: ProblemSize, threads: int, limit: int, count: int) -> int:
    """Return how many bytes a search for some networks can fill, besides those that it needs to start."""
    left = max(limit - best_requirements(size, threads, limit).memory, 0)
    most = min(_independent_bytes(size.n, count), left)
    return min(most, ROOM_FOR_TIES) if count == _TO_SEE_TIES else most


def _independent_bytes(n: int, count: int) -> int:
    """Return the bytes of a search through independent variables, measured for up to 16 of them."""
    return (480 + 58 * n + (count - 2) * (30 + 6 * n)) << n


def optimal_seconds(size: ProblemSize, threads: int, limit: int) -> float:
    """Return the estimated time to find the best network, and another of the same score."""
    return best_seconds(size, threads, limit) + _search_seconds(size, threads, limit, _TO_SEE_TIES)


def list_seconds(size: ProblemSize, threads: int, limit: int) -> float:
    """Return the estimated time to find a short list."""
    return best_seconds(size, threads, limit) + _search_seconds(size, threads, limit, _SHORT_LIST)


def _search_seconds(size: ProblemSize, threads: int, limit: int, count: int) -> float:
    """Return the time to fill the memory that :func:`_search_bytes` allows, from a trial with few variables."""
    trial = min(size.n, _TRIAL_VARIABLES)
    filled = _search_bytes(size, threads, limit, count) / _independent_bytes(size.n, count)
    return _trial_seconds(trial, count) * 2.0 ** min(size.n - trial, _NEVER_MORE) * size.n / trial * filled


@lru_cache(maxsize=8)
def _trial_seconds(n: int, count: int) -> float:
    """Return the time to find networks of independent variables, whose best families have no parents."""
    values = np.random.default_rng(n).integers(-(20 << _TRIAL_BITS), -(4 << _TRIAL_BITS), (n, 1 << (n - 1)))
    values[:, 0] = 0
    search = kernels.BestNetworks(kernels.Families.by_mask(values), True, 1, 1 << 40, None)
    parents, exact = np.zeros((count, n), dtype=np.uint64), np.zeros(count, dtype=np.int64)
    start = time.perf_counter()
    search.next(parents, exact, None)
    return time.perf_counter() - start


def best_seconds(size: ProblemSize, threads: int, limit: int) -> float:  # noqa: ARG001 (as all methods take it)
    """Return the estimated time to find the best network."""
    return walk_seconds(size.n, size.max_parents, threads)
