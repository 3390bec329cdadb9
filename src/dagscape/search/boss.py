"""BOSS, best order score search: move one variable after the other to its best place [andrews2023]_.

The problem: find an order of the variables in which good parents, chosen for each variable from those before it, make a
network with a high score. The parents are those of greedy selection, from grow-shrink trees
(:mod:`dagscape.search.grow_shrink`).

For a variable *v*, all places are tried. With the other variables in their order w_1 … w_{n-1}, let a_i be the score of
w_i with the parents chosen from those before it, and b_i the same with *v* among them; c_j is the score of *v* with
parents from w_1 … w_j. The place after w_j has the score

    c_j + Σ_{i ≤ j} a_i + Σ_{i > j} b_i.

*v* moves to the best place if that improves the score, and stays otherwise; of equally good places, the first is taken.
This is done for all variables in random order, until none moves. :mod:`dagscape.search.order_climbing` says what comes
before and after.

Cost: a_i and b_i differ only for variables whose walk down their tree *v* changes, which are about as many as *v* has
neighbours. The walk of *v* itself changes at few of the places. What takes time is to grow the trees: one batch of
additions, O(n), for each new node.

*Constraints.* A variable is placed after its required parents and before its required children; forbidden parents are
never chosen. Every network with the required edges has such an order.

*Notation.* The paper's best-move procedure is :func:`best_place`, and its BES the backward phase of GES.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dagscape.search.grow_shrink import Variables, Walk
from dagscape.search.job import Found, SearchJob
from dagscape.search.learner import Learner
from dagscape.search.order_climbing import ORDER_OPTIONS, OrderClimb, OrderState, orders_memory


def boss(job: SearchJob, *, first: str = "ges", restarts: int = 0) -> Found:
    """Search over orders that moves each variable to its best place, with parents from grow-shrink trees.

    Parameters
    ----------
    job : SearchJob
        The search.
    first : {"ges", "random"}
        Where to start: from an order of the network of GES, or from a random order, as always if the score is not
        score-equivalent. Default: ``"ges"``.
    restarts : int
        How often to search again from a random order. Default: 0.
    """
    return OrderClimb(job, move_to_best_places).run(first, restarts)


def move_to_best_places(climb: OrderClimb, state: OrderState) -> None:
    """Move variables to their best places until none of them gains."""
    n = len(state.order)
    idle = 0
    while idle < n:
        for v in climb.job.rng.permutation(n).tolist():
            climb.check_time()
            place = best_place(state, v, climb.job.scores.constraints.required)
            idle += 1
            if place != state.places[v]:
                move(state, v, place)
                climb.record(state, "insert", v)
                idle = 0
            climb.job.report("moving variables", idle, n)
            if idle == n:
                break


def best_place(state: OrderState, v: int, required: Sequence[frozenset[int]]) -> int:
    """Return the best place of a variable: its own, or the first of those with the highest score."""
    own = int(state.places[v])
    others = np.delete(state.order, own)
    first = max((int(state.places[u]) + 1 for u in required[v]), default=0)
    last = min((place for place, w in enumerate(others.tolist()) if v in required[w]), default=len(others))
    scores = {place: walk.exact for place, walk in state.trees[v].walks(others[:last], first)}
    differences = _differences(state, v, others)
    # Between these places, the score does not change.
    places = {first, own, *scores, *(place + 1 for place in differences if first <= place < last)}
    own_exact = scores[first]
    others_exact = sum(difference for place, difference in differences.items() if place < first)
    totals = {first: own_exact + others_exact}
    for place in sorted(places - {first}):
        own_exact = scores.get(place, own_exact)
        others_exact += differences.get(place - 1, 0)
        totals[place] = own_exact + others_exact
    best = max(totals, key=totals.__getitem__)
    return best if totals[best] > totals[own] else own


def _differences(state: OrderState, v: int, others: Variables) -> dict[int, int]:
    """Return a_i - b_i for the other variables, by their places, where it may differ from 0."""
    own = int(state.places[v])
    found = {}
    for place in np.flatnonzero(state.preferred[others[:own], v]).tolist():
        w = int(others[place])
        found[place] = state.walks[w].exact - _walk(state, w, [*others[:place], v]).exact
    for place in (np.flatnonzero(state.taken[others[own:], v]) + own).tolist():
        w = int(others[place])
        found[place] = _walk(state, w, others[:place]).exact - state.walks[w].exact
    return found


def _walk(state: OrderState, child: int, before: Sequence[int] | Variables) -> Walk:
    within = np.zeros(len(state.order), dtype=np.bool_)
    within[before] = True
    return state.trees[child].walk(within)


def move(state: OrderState, v: int, place: int) -> None:
    """Move a variable to another place."""
    own = int(state.places[v])
    if place < own:
        first, segment = place, np.concatenate([[v], state.order[place:own]])
    else:
        first, segment = own, np.concatenate([state.order[own + 1 : place + 1], [v]])
    state.rearrange(first, segment, state.changes(first, segment))


BOSS = Learner("boss", boss, citations=("andrews2023",), memory=orders_memory, constraints=ORDER_OPTIONS, power=3.0)
