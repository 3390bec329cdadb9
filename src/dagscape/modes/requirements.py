"""Memory and time of a search for modes."""

from __future__ import annotations

from collections.abc import Sequence

from dagscape.core import kernels
from dagscape.core.errors import argument, function
from dagscape.core.requirements import MANY_VARIABLES, ProblemSize, Requirements, fitting_parents
from dagscape.core.resources import check_memory
from dagscape.core.wording import plural
from dagscape.scores.search_planning import SearchSize, described_walk, walk_seconds

# The shares of memory for the exact bound and for a pattern database; the rest is for the search itself.
_SHARE_FOR_EXACT = 0.5
_SHARE_FOR_PATTERNS = 0.25

# Growing lists double their size, and the old and new copies exist at the same time.
_SHARE_FOR_LISTS = 0.6

# If families are a list, each set looks up its best ones: more variables than this take too long.
_MAX_LISTED = 24

# Several divisions into groups are tried: groups of more variables than this would take too long.
_MAX_TRIED = 24


def exact_bound_fits(size: SearchSize, limit: int, threads: int) -> bool:
    """Whether the best completion of every set of variables fits in memory and is worth the time."""
    if size.layout == "list" and size.n > _MAX_LISTED:
        return False
    return size.memory(threads) <= limit * _SHARE_FOR_EXACT


def largest_group(size: SearchSize, limit: int, threads: int) -> int:
    """Return the largest size of a group whose pattern database fits in memory and takes little time."""
    most = max(min(_MAX_TRIED, size.n - 1), 1)
    while most > 1 and (8 << most > limit * _SHARE_FOR_PATTERNS or size.memory(threads, 2 << most) > limit):
        most -= 1
    return most


def check_bound(size: SearchSize, groups: Sequence[int], threads: int, max_memory: int | str | None) -> None:
    """Raise an error if the families and the bound for groups of these sizes need more memory than the limit."""
    remedy = f"raise the limit, or use {'more groups' if len(groups) > 1 else argument('bound', 'patterns')}"
    what = f"the families of {plural(size.n, 'variable')} and the bound for groups of up to {max(groups)}"
    check_memory(size.memory(threads, _bound_numbers(groups)), max_memory, what, remedy)


def room_for_lists(size: SearchSize, groups: Sequence[int], threads: int, limit: int) -> int:
    """Return how many bytes the bound and the lists of a search may use."""
    bound = 8 * _bound_numbers(groups)
    return bound + int(max(limit - size.memory(threads, 0) - bound, 0) * _SHARE_FOR_LISTS)


def _bound_numbers(groups: Sequence[int]) -> int:
    """Return how many numbers the bound for groups of these sizes stores."""
    return sum(1 << group for group in groups)


def modes_requirements(size: ProblemSize, threads: int, limit: int) -> Requirements:
    """Return the memory of the families and of the bound that ``bound="auto"`` chooses.

    The memory of the search itself cannot be predicted; it uses at most what is left.
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
        subject=f"the families of {plural(search.n, 'variable')}",
        remedy=_remedy(search, threads, limit),
        refusal=refusal,
        instead=MANY_VARIABLES,
    )


def _remedy(size: SearchSize, threads: int, limit: int) -> str:
    """Return what to do if the families do not fit."""

    def fits(most: int) -> bool:
        return SearchSize.complete(size.n, most).memory(threads, 0) <= limit

    fewer = fitting_parents(size.max_parents, fits)
    if fewer is None:
        return f"raise the limit; {MANY_VARIABLES}; {function('plan')} names what fits"
    return f"raise the limit, or score with {argument('max_parents', fewer)}"


def modes_seconds(size: ProblemSize, threads: int, limit: int) -> float:
    """Return the estimated time to prepare the bound."""
    search = SearchSize.like(size)
    if exact_bound_fits(search, limit, threads) or search.memory(threads, 0) > limit:
        return walk_seconds(search.n, search.max_parents, threads)
    largest = largest_group(search, limit, threads)
    # Two divisions of each size are tried; all but the largest are negligible.
    return 4 * walk_seconds(largest, min(search.max_parents, largest - 1), threads)
