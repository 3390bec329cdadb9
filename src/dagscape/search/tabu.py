"""Tabu search over DAGs: TabuBN of [munteanu2000].

Greedy search that does not stop at a local optimum: it makes the best move (add, remove or reverse an edge) even if
that lowers the score, but never returns to one of the last 10 DAGs. It ends after 10 steps without a new best DAG.

The list holds *states*, not moves: a move is forbidden exactly if it leads to a DAG on the list. The kernel stores the
differences of these DAGs from the current one (``native/include/dagscape/search/visited_states.hpp``), so no two DAGs
are ever confused, as hashes might.
"""

from __future__ import annotations

from dagscape.search.climbing import RESTART_RULES, TABU_RULES, Rules, climb, climbing_memory
from dagscape.search.job import Found, SearchJob
from dagscape.search.learner import Learner


def tabu(
    job: SearchJob,
    *,
    tabu_length: int = 10,
    patience: int = 10,
    restarts: int = 0,
    perturbation: int | None = None,
) -> Found:
    """Hill climbing over DAGs that goes on past local optima, avoiding the last DAGs.

    Parameters
    ----------
    job : SearchJob
        The search.
    tabu_length : int
        The number of last DAGs to which no move may lead. Default: 10.
    patience : int
        The search ends after this many steps without a new best DAG. Default: 10.
    restarts : int
        How often to search again from the best network, changed by random moves. Default: 0.
    perturbation : int, optional
        The number of random moves. Default: half the number of variables, at least 8.
    """
    return climb(job, Rules(visited=tabu_length, patience=patience, restarts=restarts, perturbation=perturbation))


TABU = Learner(
    "tabu",
    tabu,
    citations=("munteanu2000",),
    memory=climbing_memory,
    constraints={**TABU_RULES, **RESTART_RULES},
)
