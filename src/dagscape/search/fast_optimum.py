"""The exact optimum in place of a search, where it is found in about a second.

With few variables, the dynamic programme over sets of variables (``best/optimal.py``) takes less time than a search
over orders that is patient enough to be trusted, and its result is proved. Whether it is fast is decided from the
number of variables, the limit on parents, the work on the rows and the memory limit, never from a clock: the same data
and options give the same result wherever the tables, some 200 MiB at the most, take less than half of the memory.
"""

from __future__ import annotations

import numpy as np

from dagscape.best.enumeration import BestEnumeration, check_any_found, why_not_classes
from dagscape.best.requirements import best_requirements
from dagscape.core.resources import memory_limit
from dagscape.graphs.dag import Dag
from dagscape.scores.requirements import nominal_seconds
from dagscape.scores.scoring_job import ScoringJob
from dagscape.scores.search_planning import SearchSize
from dagscape.scores.tables.enumerable_scores import EnumerableScores
from dagscape.search.job import Found, SearchJob

# Seconds that the exact method may take: without a time limit, and the share of a limit, up to some seconds, since
# nothing stops it.
_FAST = 1.0
_SHARE_OF_LIMIT = 0.25
_LONGEST = 10.0

# Seconds for each step of the walk over sets, of which there are n 2^n, by the layout of the families: measured on one
# thread, rounded up.
_SECONDS_PER_STEP = {"mask": 5e-8, "size": 2e-9, "list": 5e-9}
# In a list, a step may have to pass many families of the child.
_SECONDS_PER_LISTED_FAMILY = 2e-10

# The walk over more variables is never fast.
_MOST_VARIABLES = 30


def fast_optimum(job: SearchJob) -> Found | None:
    """Return a network with the highest score, proved, or None if finding it may take longer than a search."""
    if not _is_fast(job):
        return None
    start = job.scores.network_exact(job.start)
    scores = job.all_scores()
    space = "dags" if why_not_classes(scores) else "classes"
    search = BestEnumeration(scores, space, job.threads, job.max_memory, job.listener)
    parents, exact = search.next(1, job.listener, 1)
    check_any_found(search)
    network, best = Dag.trusted(scores.variables, tuple(map(int, parents[0]))), int(exact[0])
    if start < best:
        job.trace.add(("optimum",), best)
    else:
        job.trace.add(("start",), best)
    details = {
        "order": [scores.variables[v] for v in network.order_numbers()],
        "perturbations": 0,
        "families": scores.family_count,
        "all_families": True,
        "proved_optimal": True,
    }
    return Found(network, best, details=details)


def optimum_memory(job: ScoringJob, threads: int, limit: int) -> int:
    """Return how many bytes the exact method takes, or 0 if it is never fast with so many variables."""
    if job.data.n > _MOST_VARIABLES:
        return 0
    size = SearchSize.complete(job.data.n, job.max_parents)
    needed = job.memory(threads) + best_requirements(size, threads, limit).memory
    return needed if _walk_seconds(size) <= _FAST and 2 * needed <= limit else 0


def _is_fast(job: SearchJob) -> bool:
    scores, scoring = job.scores, job.scoring
    if scores.n > _MOST_VARIABLES:
        return False
    if isinstance(scores, EnumerableScores):
        size, scoring = SearchSize.like(scores), None
    elif scoring is None:
        return False
    else:
        size = SearchSize.complete(scores.n, scores.max_parents)
    limit = memory_limit(job.max_memory)
    memory = best_requirements(size, job.threads, limit).memory + (scoring.memory(job.threads) if scoring else 0)
    seconds = _FAST if job.clock.limit == np.inf else min(_SHARE_OF_LIMIT * job.clock.limit, _LONGEST)
    left = seconds - _walk_seconds(size)
    if left < 0 or 2 * memory > limit:
        return False
    return scoring is None or nominal_seconds(scoring) <= left


def _walk_seconds(size: SearchSize) -> float:
    """Return about how long the walk over all sets takes on one thread of a usual machine."""
    step = _SECONDS_PER_STEP[size.layout]
    if size.layout == "list":
        step += _SECONDS_PER_LISTED_FAMILY * size.family_count / size.n
    return step * (size.n << size.n)
