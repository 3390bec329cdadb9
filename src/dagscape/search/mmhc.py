"""Max-Min Hill Climbing: neighbours by tests, edges by score [tsamardinos2006]_.

The problem: in a network of many variables, most of the edges that a search looks at are out of the question. MMHC
first finds the likely parents and children of every variable by tests of independence (:mod:`dagscape.search.mmpc`),
those for the kind of data that the score takes. Then it climbs over DAGs, adding edges between such neighbours only. A
tabu list of the last 100 DAGs helps it out of local optima; it ends after 15 steps without a new best DAG. The climb
costs O(k m) for each step, where k is the number of neighbours of the changed variables.

Required edges, and the edges of a start, need not join neighbours.
"""

from __future__ import annotations

from dagscape.scores.scoring_job import ScoringJob
from dagscape.search.climbing import TABU_RULES, Rules, climb, climbing_memory
from dagscape.search.independence_kinds import usual_test
from dagscape.search.job import Found, SearchJob
from dagscape.search.learner import Learner
from dagscape.search.memory import SearchMemory
from dagscape.search.mmpc import TEST_CONSTRAINTS, MaxMinOptions, job_neighbours, neighbour_memory


def mmhc(
    job: SearchJob,
    *,
    alpha: float = 0.05,
    rows_per_cell: int = 5,
    max_condition: int | None = None,
    symmetric: bool = True,
    tabu_length: int = 100,
    patience: int = 15,
) -> Found:
    """Tabu search over DAGs whose edges join variables that tests of independence leave as neighbours.

    Parameters
    ----------
    job : SearchJob
        The search.
    alpha : float
        The level of the tests of independence. Default: 0.05.
    rows_per_cell : int
        A test needs this many rows for each cell of its table; see :func:`dagscape.mmpc`. Default: 5.
    max_condition : int, optional
        The largest set that a test conditions on. Default: no limit other than the number of rows.
    symmetric : bool
        Whether two variables are neighbours only if each is found for the other, or else if one of them is. Default:
        each.
    tabu_length : int
        The number of last DAGs to which no move may lead. Default: 100.
    patience : int
        The search ends after this many steps without a new best DAG. Default: 15.
    """
    neighbours = job_neighbours(job, MaxMinOptions(alpha, rows_per_cell, max_condition, symmetric))
    if neighbours is None:
        return Found(job.start, job.scores.network_exact(job.start), complete=False)
    allowed, tests = neighbours
    found = climb(job, Rules(visited=tabu_length, patience=patience), allowed=allowed)
    pairs = int(allowed.sum()) // 2
    details = {**found.details, "test": usual_test(job.tested).name, "tests": tests, "neighbour_pairs": pairs}
    return Found(found.network, found.exact, found.complete, details)


def _memory(
    job: ScoringJob,
    threads: int,
    limit: int,
    *,
    rows_per_cell: int = 5,
    max_condition: int | None = None,
    **options: object,
) -> SearchMemory:
    """Return the memory of the tests, or of the climb that follows; few values are cached."""
    tests = neighbour_memory(job, threads, limit, rows_per_cell, max_condition)
    return SearchMemory(max(tests, climbing_memory(job, threads, limit, **options).least))


MMHC = Learner(
    "mmhc",
    mmhc,
    citations=("tsamardinos2006",),
    memory=_memory,
    needs_data=True,
    pools_experiments=True,
    constraints={**TEST_CONSTRAINTS, **TABU_RULES},
)
