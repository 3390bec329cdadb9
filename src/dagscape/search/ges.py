"""GES, greedy equivalence search: insert edges while the score improves, then delete edges [chickering2002]_.

The problem: find the class with the highest score. With enough data from a distribution that a DAG represents exactly,
GES finds it: the forward phase ends in a class that includes the distribution, and the backward phase removes what is
superfluous. On finite data it is a heuristic.

Each step makes the best of all valid moves Insert(X, Y, K), later Delete(X, Y, K)
(:mod:`dagscape.search.class_search`), with any clique *K* of undirected neighbours of *Y*.

Cost: as many sets *K* for a variable *Y* as its neighbours have cliques: a few in sparse networks, but exponentially
many in the size of the largest clique. ``max_parents`` bounds it. No clique is left out: a search that needs too much
memory is refused.

*Notation.* The paper's operators are Insert(X, Y, T) with K = NA ∪ T, and Delete(X, Y, H) with K = NA ∖ H.
"""

from __future__ import annotations

from dagscape.search.class_search import DELETES, INSERTS, ClassSearch, class_memory
from dagscape.search.job import Found, SearchJob
from dagscape.search.learner import Learner


def ges(job: SearchJob) -> Found:
    """Greedy equivalence search: insert edges, then delete edges, between equivalence classes.

    The score must be score-equivalent (not K2, no rows from experiments).
    """
    search = ClassSearch(job, "ges")
    complete = search.climb(INSERTS) and search.climb(DELETES)
    return search.found(complete=complete)


GES = Learner("ges", ges, citations=("chickering2002",), memory=class_memory)
