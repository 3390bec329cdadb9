"""Refinement: better structures that expected counts do not show.

Structural EM ends at a structure that is the best on its own expected counts. These were completed by the model, so
they contain its edges: a structure without one of them looks worse than it is. The gain on expected counts is only a
lower bound on the gain of the model, and restarts end at the same place.

For every two skills, the refinement therefore takes the best structure on the expected counts in which they are not
adjacent, and the two in which one is a prerequisite of the other. It fits those that differ from the current structure
to the answers, the most promising first. From the first one with a better score, structural EM goes on. The end is a
structure that no such exchange improves.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

import numpy as np

from dagscape.core.errors import InvalidOption
from dagscape.core.masks import mask_of
from dagscape.graphs.dag import Cpdag, Dag
from dagscape.scores.constraints import EdgeConstraints, edge_constraints
from dagscape.scores.scoring_job import parent_limit
from dagscape.student.learning.e_step import Expectation
from dagscape.student.learning.structural_em import (
    AfterRound,
    Found,
    Limits,
    StructureSearch,
    structural_em,
    with_structure,
)
from dagscape.student.model.parameters import Vector

# A structure is fitted in two stages: with this tolerance, and to convergence if its score is then within reach.
_COARSE_TOLERANCE = 1e-2
_REACH = 2.0


def refined(
    expectation: Expectation,
    search: StructureSearch,
    now: Found,
    rng: np.random.Generator,
    limits: Limits,
    after_round: AfterRound | None = None,
) -> Found:
    """Improve what structural EM found, until no exchange of one pair of skills improves the score.

    Parameters
    ----------
    expectation, search, now, rng, limits, after_round
        As in :func:`~dagscape.student.learning.structural_em.structural_em`.
    """
    while (better := _better(expectation, search, now, rng, limits)).dag != now.dag:
        now = structural_em(expectation, search, better, rng, limits, after_round)
    return better


def _better(
    expectation: Expectation, search: StructureSearch, now: Found, rng: np.random.Generator, limits: Limits
) -> Found:
    """Return the first better structure; otherwise the same one."""
    coarse = replace(limits, tolerance=max(limits.tolerance, _COARSE_TOLERANCE))
    for dag in candidates(search, now.fitted.expected.states, now.dag, rng):
        then = with_structure(expectation, now, dag, search, coarse)
        if then.score > now.score - _REACH:
            then = with_structure(expectation, then, dag, search, limits)
        if then.score > now.score + limits.min_gain:
            return replace(then, rounds=now.rounds + 1)
        now = replace(now, steps=then.steps)
    return now


def candidates(search: StructureSearch, states: Vector, dag: Dag, rng: np.random.Generator) -> list[Dag]:
    """Return the structures to compare a structure with, one of each equivalence class, the most promising first."""
    scores = search.scores(states)
    best = search.best_by(scores, rng)
    found: dict[Cpdag, Dag] = {best.to_cpdag(): best}
    for constraints in _exchanges(search):
        # The best structure of all is the best of those that meet what it meets.
        if not _meets(best, constraints):
            other = search.best_by(scores.with_constraints(constraints), rng)
            found.setdefault(other.to_cpdag(), other)
    found.pop(dag.to_cpdag(), None)
    return sorted(found.values(), key=scores.network, reverse=True)


def _exchanges(search: StructureSearch) -> Iterator[EdgeConstraints]:
    """Yield the constraints of the search with one more on a pair of skills, without those that contradict it."""
    limit = parent_limit(len(search.skills), search.max_parents)
    for u, v in itertools.combinations(search.skills, 2):
        for required, forbidden in (([(u, v)], []), ([(v, u)], []), ([], [(u, v), (v, u)])):
            with suppress(InvalidOption):
                yield edge_constraints(
                    search.skills,
                    limit,
                    (*search.required, *required),
                    (*search.forbidden, *forbidden),
                    search.tiers,
                )


def _meets(dag: Dag, constraints: EdgeConstraints) -> bool:
    """Whether a structure has all edges that are required, and none that are forbidden."""
    each = zip(dag.parent_masks, constraints.required, constraints.forbidden, strict=True)
    return all(not mask_of(must) & ~parents and not mask_of(must_not) & parents for parents, must, must_not in each)
