"""The optimal network as a method of :func:`dagscape.learn`, to compare heuristic searches with it."""

from __future__ import annotations

from dagscape.best.optimal import optimal_network
from dagscape.search.job import Found, SearchJob
from dagscape.search.learner import Learner


def optimal(job: SearchJob) -> Found:
    """Find a network with the highest score, exactly: up to about 30 variables.

    It is :func:`dagscape.optimal_network`: neither the start nor the seed matters, and a time limit is not observed.
    """
    found = optimal_network(job.all_scores(), threads=job.threads, max_memory=job.max_memory, progress=job.listener)
    exact = job.scores.network_exact(found.network)
    job.trace.add(("optimum",), exact)
    return Found(found.network, exact, details={"tied": found.tied})


OPTIMAL = Learner("optimal", optimal, citations=("silander2006",))
