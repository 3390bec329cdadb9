"""Greedy search over DAGs: GreedyBN of [munteanu2000].

The problem: find a DAG with a high score. From the start, make the move with the largest gain (add, remove or reverse
an edge) until none improves the score. A step costs one batch of additions for each changed child, O(n m) for n
variables and m rows (:mod:`dagscape.search.climbing`).

The result is a local optimum, often far from the best: an edge added early in the wrong direction asks for further
edges, and then no single move improves the score. Restarts help; but ``ges``, which searches over equivalence classes,
finds better networks in the same time, and ``order`` better ones still.
"""

from __future__ import annotations

from dagscape.search.climbing import RESTART_RULES, Rules, climb, climbing_memory
from dagscape.search.job import Found, SearchJob
from dagscape.search.learner import Learner


def greedy(job: SearchJob, *, restarts: int = 0, perturbation: int | None = None) -> Found:
    """Hill climbing over DAGs: make the best move until none improves the score.

    Parameters
    ----------
    job : SearchJob
        The search.
    restarts : int
        How often to search again from the best network, changed by random moves. Default: 0.
    perturbation : int, optional
        The number of random moves. Default: half the number of variables, at least 8.
    """
    return climb(job, Rules(restarts=restarts, perturbation=perturbation))


GREEDY = Learner("greedy", greedy, citations=("munteanu2000",), memory=climbing_memory, constraints=RESTART_RULES)
