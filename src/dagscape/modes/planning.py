"""Memory of a search for modes, before it starts."""

from __future__ import annotations

from collections.abc import Sequence

from dagscape.resources import check_memory
from dagscape.scores.family_arrays import search_layout, search_memory
from dagscape.scores.lattice import set_count
from dagscape.scores.local_scores import LocalScores
from dagscape.scores.planning import PlanStep
from dagscape.scores.search_planning import described_walk, walk_seconds

# What the exact bound may take of the memory, and what a pattern database may; the rest is for the search itself.
_SHARE_FOR_EXACT = 0.5
_SHARE_FOR_PATTERNS = 0.25

# Lists double as they grow, and stand beside their old selves while they are copied.
_SHARE_FOR_LISTS = 0.6

# Where families are a list, each set looks its best ones up: more variables than this take too long.
_MOST_LISTED = 24

# Several divisions into groups are tried: groups of more variables than this would take too long.
_MOST_TRIED = 24


def exact_bound_fits(scores: LocalScores, limit: int, threads: int) -> bool:
    """Whether the best completion of every set of variables fits into memory, and is worth its time."""
    if _is_listed(scores) and scores.n > _MOST_LISTED:
        return False
    return search_memory(scores.n, scores.max_parents, scores.family_count, threads) <= limit * _SHARE_FOR_EXACT


def largest_group(scores: LocalScores, limit: int) -> int:
    """The most variables of a group whose pattern database fits, and is made in a moment."""
    return _largest_group(scores.n, limit)


def _largest_group(n: int, limit: int) -> int:
    most = _MOST_TRIED
    while most > 1 and 8 << most > limit * _SHARE_FOR_PATTERNS:
        most -= 1
    return max(min(most, n - 1), 1)


def check_search(
    n: int,
    max_parents: int,
    family_count: int,
    threads: int,
    max_memory: int | str | None,
    groups: Sequence[int] = (),
) -> None:
    """Refuse families, and a bound for groups of so many variables, that need more memory than the limit."""
    needed = search_memory(n, max_parents, family_count, threads, bound_numbers(groups))
    remedy = "raise the limit, or score with a lower max_parents"
    what = f"the families of {n} variables"
    if groups:
        what += f" and the bound for groups of up to {max(groups)}"
        remedy = "raise the limit, or use " + ("more groups" if len(groups) > 1 else "bound='patterns'")
    check_memory(needed, max_memory, what, remedy)


def bound_numbers(groups: Sequence[int]) -> int:
    """How many numbers the bound for groups of so many variables keeps."""
    return sum(1 << size for size in groups)


def plan_modes(n: int, max_parents: int, threads: int, limit: int) -> PlanStep:
    """Memory and time of the bound of a search for modes; none can tell beforehand how long the search itself takes."""
    families = n * set_count(n - 1, max_parents)
    memory = search_memory(n, max_parents, families, threads)
    if memory <= limit * _SHARE_FOR_EXACT:
        work = f"{described_walk(n, max_parents)}; the search itself takes more"
        return PlanStep("bound for modes", work, memory, walk_seconds(n, max_parents, threads))
    largest = _largest_group(n, limit)
    memory = search_memory(n, max_parents, families, threads, 2 << largest)
    # Two divisions of every size are tried; all but the largest are nothing beside it.
    seconds = 4 * walk_seconds(largest, min(max_parents, largest - 1), threads)
    work = f"pattern databases for groups of up to {largest}; the search itself takes more"
    return PlanStep("bound for modes", work, memory, seconds)


def room_for_lists(n: int, max_parents: int, family_count: int, threads: int, groups: Sequence[int], limit: int) -> int:
    """The bytes that the bound and the lists of a search may take."""
    families = search_memory(n, max_parents, family_count, threads, 0)
    bound = 8 * bound_numbers(groups)
    return bound + int(max(limit - families - bound, 0) * _SHARE_FOR_LISTS)


def _is_listed(scores: LocalScores) -> bool:
    return search_layout(scores.n, scores.max_parents, scores.family_count) == "list"
