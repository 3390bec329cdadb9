"""The optimal network as a method of :func:`dagscape.learn`, to compare heuristic searches with it."""

from __future__ import annotations

import warnings
from dataclasses import replace

from dagscape.best.requirements import best_requirements, optimal_seconds
from dagscape.core.errors import SparseFamilies, argument
from dagscape.core.references import loaded
from dagscape.core.requirements import Requirements
from dagscape.core.resources import memory_limit
from dagscape.scores.requirements import scoring_seconds
from dagscape.scores.scoring_job import ScoringJob
from dagscape.scores.search_planning import SearchSize
from dagscape.scores.tables.enumerable_scores import EnumerableScores
from dagscape.search.job import Found, SearchJob
from dagscape.search.learner import Learner
from dagscape.search.memory import SearchMemory


def optimal(job: SearchJob) -> Found:
    """Find a network with the highest score, exactly: up to about 30 variables.

    It is :func:`dagscape.optimal_network`: neither the start nor the seed matters, and a time limit is not observed.
    """
    _check_memory(job)
    scores = job.all_scores()
    with warnings.catch_warnings():
        # The families of the network found are for learn() to judge, as with any method.
        warnings.simplefilter("ignore", SparseFamilies)
        # Its result takes many modules, which the other methods do not need.
        found = loaded("best.optimal:optimal_network")(
            scores, threads=job.threads, max_memory=job.max_memory, progress=job.listener
        )
    exact = job.scores.network_exact(found.network)
    job.trace.add(("optimum",), exact)
    return Found(found.network, exact, details={"tied": found.tied, "proved_optimal": True})


def _check_memory(job: SearchJob) -> None:
    """Refuse a search that does not fit in memory before the families are scored, which may take long."""
    scores, limit = job.scores, memory_limit(job.max_memory)
    if isinstance(scores, EnumerableScores):
        size = SearchSize.like(scores)
    else:
        size = SearchSize.complete(scores.n, scores.max_parents)
    _requirements(size, job.threads, limit).check(limit)


def _requirements(size: SearchSize, threads: int, limit: int) -> Requirements:
    needs = best_requirements(size, threads, limit)
    others = f"{argument('method', 'order')} or {argument('method', 'ges')}"
    return replace(needs, remedy=f"{needs.remedy}; otherwise use {others}")


def _memory(job: ScoringJob, threads: int, limit: int) -> SearchMemory:
    """Return the memory of the scores, or of the search with them."""
    needs = _requirements(SearchSize.complete(job.data.n, job.max_parents), threads, limit)
    tables = 8 * job.sets * job.functions.count
    return SearchMemory(max(job.memory(threads), tables + needs.memory), remedy=needs.remedy)


def _seconds(job: ScoringJob, threads: int, limit: int) -> float:
    size = SearchSize.complete(job.data.n, job.max_parents)
    return scoring_seconds(job, threads, limit) + optimal_seconds(size, threads, limit)


OPTIMAL = Learner("optimal", optimal, citations=("silander2006",), memory=_memory, seconds=_seconds)
