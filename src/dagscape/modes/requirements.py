"""What a search for modes needs, before it starts."""

from __future__ import annotations

from collections.abc import Sequence

from dagscape import kernels
from dagscape.errors import argument, function
from dagscape.methods import ProblemSize, Requirements
from dagscape.resources import check_memory
from dagscape.scores.search_planning import SearchSize, described_walk, walk_seconds

# What the exact bound may take of the memory, and what a pattern database may; the rest is for the search itself.
_SHARE_FOR_EXACT = 0.5
_SHARE_FOR_PATTERNS = 0.25

# Lists double as they grow, and stand beside their old selves while they are copied.
_SHARE_FOR_LISTS = 0.6

# Where families are a list, each set looks its best ones up: more variables than this take too long.
_MOST_LISTED = 24

# Several divisions into groups are tried: groups of more variables than this would take too long.
_MOST_TRIED = 24


def exact_bound_fits(size: SearchSize, limit: int, threads: int) -> bool:
    """Whether the best completion of every set of variables fits into memory, and is worth its time."""
    if size.layout == "list" and size.n > _MOST_LISTED:
        return False
    return size.memory(threads) <= limit * _SHARE_FOR_EXACT


def largest_group(size: SearchSize, limit: int, threads: int) -> int:
    """The most variables of a group whose pattern database fits beside the families, and takes moments to make."""
    most = max(min(_MOST_TRIED, size.n - 1), 1)
    while most > 1 and (8 << most > limit * _SHARE_FOR_PATTERNS or size.memory(threads, 2 << most) > limit):
        most -= 1
    return most


def check_bound(size: SearchSize, groups: Sequence[int], threads: int, max_memory: int | str | None) -> None:
    """Refuse families, and a bound for groups of so many variables, that need more memory than the limit."""
    remedy = f"raise the limit, or use {'more groups' if len(groups) > 1 else argument('bound', 'patterns')}"
    what = f"the families of {size.n} variables and the bound for groups of up to {max(groups)}"
    check_memory(size.memory(threads, _bound_numbers(groups)), max_memory, what, remedy)


def room_for_lists(size: SearchSize, groups: Sequence[int], threads: int, limit: int) -> int:
    """The bytes that the bound and the lists of a search may take."""
    bound = 8 * _bound_numbers(groups)
    return bound + int(max(limit - size.memory(threads, 0) - bound, 0) * _SHARE_FOR_LISTS)


def _bound_numbers(groups: Sequence[int]) -> int:
    """How many numbers the bound for groups of so many variables keeps."""
    return sum(1 << group for group in groups)


def modes_requirements(size: ProblemSize, threads: int, limit: int) -> Requirements:
    """The memory of the families and of the bound that ``bound="auto"`` chooses.

    Nothing can tell beforehand how much the search itself takes: it fills what is left at most.
    """
    search = SearchSize.like(size)
    memory, work = search.memory(threads, 0), described_walk(search.n, search.max_parents)
    if exact_bound_fits(search, limit, threads):
        memory = search.memory(threads)
    elif memory <= limit:
        largest = largest_group(search, limit, threads)
        memory = search.memory(threads, 2 << largest)
        work = f"pattern databases for groups of up to {largest}"
    refusal = ""
    if search.n > kernels.MOST_VARIABLES:
        refusal = f"{function('modes')} takes up to {kernels.MOST_VARIABLES} variables; there are {search.n}"
    return Requirements(
        step="bound for modes",
        work=f"{work}; the search itself takes more",
        memory=memory,
        subject=f"the families of {search.n} variables",
        remedy=f"raise the limit, or score with a lower {argument('max_parents')}",
        refusal=refusal,
    )


def modes_seconds(size: ProblemSize, threads: int, limit: int) -> float:
    """About how long it takes to prepare the bound."""
    search = SearchSize.like(size)
    if exact_bound_fits(search, limit, threads):
        return walk_seconds(search.n, search.max_parents, threads)
    largest = largest_group(search, limit, threads)
    # Two divisions of every size are tried; all but the largest are nothing beside it.
    return 4 * walk_seconds(largest, min(search.max_parents, largest - 1), threads)
