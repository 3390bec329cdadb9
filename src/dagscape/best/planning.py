"""What a search for the best networks will take, before it starts."""

from __future__ import annotations

from dagscape.scores.planning import PlanStep
from dagscape.scores.search_planning import SearchSize, described_walk, walk_seconds


def plan_best(n: int, max_parents: int, threads: int) -> PlanStep:
    """Memory and time of finding the best network; a list of many takes more, which none can tell beforehand."""
    memory = SearchSize.complete(n, max_parents).memory(threads)
    work = f"{described_walk(n, max_parents)}; a list of many takes more"
    return PlanStep("best network", work, memory, walk_seconds(n, max_parents, threads))
