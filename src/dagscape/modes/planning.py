"""Memory of a search for modes, before it starts."""

from __future__ import annotations

from collections.abc import Sequence

from dagscape.resources import check_memory
from dagscape.scores.planning import PlanStep
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


def largest_group(n: int, limit: int) -> int:
    """The most variables of a group whose pattern database fits, and is made in a moment."""
    most = _MOST_TRIED
    while most > 1 and 8 << most > limit * _SHARE_FOR_PATTERNS:
        most -= 1
    return max(min(most, n - 1), 1)


def check_families(size: SearchSize, threads: int, max_memory: int | str | None) -> None:
    """Refuse families that need more memory than the limit, whatever the bound."""
    remedy = "raise the limit, or score with a lower max_parents"
    check_memory(size.memory(threads, 0), max_memory, f"the families of {size.n} variables", remedy)


def check_bound(size: SearchSize, groups: Sequence[int], threads: int, max_memory: int | str | None) -> None:
    """Refuse families, and a bound for groups of so many variables, that need more memory than the limit."""
    remedy = "raise the limit, or use " + ("more groups" if len(groups) > 1 else "bound='patterns'")
    what = f"the families of {size.n} variables and the bound for groups of up to {max(groups)}"
    check_memory(size.memory(threads, _bound_numbers(groups)), max_memory, what, remedy)


def room_for_lists(size: SearchSize, groups: Sequence[int], threads: int, limit: int) -> int:
    """The bytes that the bound and the lists of a search may take."""
    bound = 8 * _bound_numbers(groups)
    return bound + int(max(limit - size.memory(threads, 0) - bound, 0) * _SHARE_FOR_LISTS)


def _bound_numbers(groups: Sequence[int]) -> int:
    """How many numbers the bound for groups of so many variables keeps."""
    return sum(1 << group for group in groups)


def plan_modes(n: int, max_parents: int, threads: int, limit: int) -> PlanStep:
    """Memory and time of the bound of a search for modes; none can tell beforehand how long the search itself takes."""
    size = SearchSize.complete(n, max_parents)
    if exact_bound_fits(size, limit, threads):
        work = f"{described_walk(n, max_parents)}; the search itself takes more"
        return PlanStep("bound for modes", work, size.memory(threads), walk_seconds(n, max_parents, threads))
    largest = largest_group(n, limit)
    # Two divisions of every size are tried; all but the largest are nothing beside it.
    seconds = 4 * walk_seconds(largest, min(max_parents, largest - 1), threads)
    work = f"pattern databases for groups of up to {largest}; the search itself takes more"
    return PlanStep("bound for modes", work, size.memory(threads, 2 << largest), seconds)
