"""Structural EM: the skill structure and the parameters that explain the answers best [chen2016]_, algorithm 6.1.

In each round, EM fits the parameters of the current structure to convergence. Its expected counts of the 2^K states of
the skills complete the data, and the structure with the best score on them is the next one. All families among the
skills are marginals of these counts, so the best structure is found exactly [friedman1997em]_. A round cannot lower the
score: the gain on expected counts is a lower bound on the gain of the model.
"""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal

import numpy as np

from dagscape.best.optimal import optimal_network
from dagscape.core.constraints import FLAG, Number, check_count
from dagscape.core.errors import DagscapeWarning
from dagscape.graphs.dag import Dag
from dagscape.results.decoding import Between, Finite
from dagscape.scores.constraints import Edge
from dagscape.scores.tables.joint_counts import scores_from_joint
from dagscape.scores.tables.lattice_scores import LatticeScores
from dagscape.search.learning import learn
from dagscape.student.learning.e_step import Expectation, Expected
from dagscape.student.learning.em import Fitted, fit
from dagscape.student.model.parameters import ItemCells, Parameters, SkillTables, Vector
from dagscape.student.model.skill_states import flipped_states

# The search over orders takes over where the exact search would take longer than the rest.
MOST_EXACT = 15

TOLERANCE = Number(0, high_open=True)

SkillScore = Literal["bic", "aic"]
SkillMethod = Literal["optimal", "order"]


@dataclass(frozen=True, slots=True)
class StructureSearch:
    """How the structure of the skills is found from expected counts.

    Attributes
    ----------
    skills : tuple of str
        The names of the skills.
    score : {"bic", "aic"}
        The score.
    method : {"optimal", "order"}
        How the best structure is searched for.
    max_parents : int or None
        The limit on the number of prerequisites of a skill.
    required, forbidden, tiers
        Constraints, as in :func:`dagscape.local_scores`.
    threads : int
        The number of threads.
    max_memory : int, str or None
        The limit on memory.
    """

    skills: tuple[str, ...]
    score: SkillScore = "bic"
    method: SkillMethod = "optimal"
    max_parents: int | None = None
    required: tuple[Edge, ...] = ()
    forbidden: tuple[Edge, ...] = ()
    tiers: Sequence[Iterable[str]] | None = None
    threads: int = 1
    max_memory: int | str | None = None

    def scores(self, states: Vector) -> LatticeScores:
        """Return the local scores of all families of skills."""
        return scores_from_joint(
            self.skills,
            states,
            self.score,
            max_parents=self.max_parents,
            required=self.required,
            forbidden=self.forbidden,
            tiers=self.tiers,
            threads=self.threads,
            max_memory=self.max_memory,
        )

    def best(self, states: Vector, rng: np.random.Generator) -> Dag:
        """Return the best structure."""
        return self.best_by(self.scores(states), rng)

    def best_by(self, scores: LatticeScores, rng: np.random.Generator) -> Dag:
        """Return the best structure by local scores."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DagscapeWarning)
            if self.method == "optimal":
                return optimal_network(scores, threads=self.threads, max_memory=self.max_memory).network
            return learn(scores, "order", seed=rng, threads=self.threads, max_memory=self.max_memory).network

    def start(self) -> Dag:
        """Return the structure of the first round: without edges, except required ones."""
        return Dag.from_edges(self.skills, self.required)

    def complete(self) -> Dag:
        """Return a structure in which all skills are joined: it can have any distribution."""
        return Dag.from_edges(self.skills, itertools.combinations(self.skills, 2))

    def penalty(self, parameters: int, students: int) -> float:
        """Return what the score subtracts from the log-likelihood."""
        return parameters * (math.log(students) / 2 if self.score == "bic" else 1.0)


@dataclass(frozen=True, slots=True)
class Limits:
    """When EM and the rounds end.

    Attributes
    ----------
    tolerance : float
        EM ends when a step gains less log-likelihood.
    min_gain : float
        The rounds end when the score gains less.
    max_steps : int
        The limit on the number of E-steps of a round.
    accelerate : bool
        Whether EM extrapolates.
    """

    tolerance: Annotated[Finite, Between(0)] = 1e-6
    min_gain: Annotated[Finite, Between(0)] = 1e-3
    max_steps: Annotated[int, Between(1, 2**63 - 1)] = 10_000
    accelerate: bool = True


def checked_limits(
    tolerance: float = 1e-6, min_gain: float = 1e-3, max_steps: int = 10_000, accelerate: bool = True
) -> Limits:
    """Return limits that a user chose, or refuse them."""
    TOLERANCE.check(tolerance, "tolerance")
    TOLERANCE.check(min_gain, "min_gain")
    check_count(max_steps, "max_steps")
    FLAG.check(accelerate, "accelerate")
    return Limits(float(tolerance), float(min_gain), int(max_steps), bool(accelerate))


@dataclass(frozen=True, slots=True)
class Found:
    """What one restart found.

    Attributes
    ----------
    dag : Dag
        The structure; any member of its class.
    fitted : Fitted
        The parameters.
    score : float
        The score of the model.
    rounds, steps : int
        The number of rounds, and of E-steps in all of them.
    """

    dag: Dag
    fitted: Fitted
    score: float
    rounds: int
    steps: int


def best_of(found: Sequence[Found]) -> int:
    """Return the place of what has the highest score; of equal ones the first."""
    return max(range(len(found)), key=lambda place: found[place].score)


# Called after each round, with what was found so far.
AfterRound = Callable[[Found], None]


def first_round(
    expectation: Expectation, dag: Dag, search: StructureSearch, rng: np.random.Generator, limits: Limits
) -> Found:
    """Fit a structure from a random start."""
    start = Parameters.start(expectation.cells, SkillTables(dag.parent_masks), rng)
    return _fitted(expectation, dag, start, search, limits)


def with_structure(expectation: Expectation, now: Found, dag: Dag, search: StructureSearch, limits: Limits) -> Found:
    """Fit another structure, from the parameters and the expected counts of what was found before."""
    states = now.fitted.expected.states
    start = now.fitted.parameters.with_structure(SkillTables(dag.parent_masks), states)
    then = _fitted(expectation, dag, start, search, limits)
    return replace(then, rounds=now.rounds + 1, steps=now.steps + then.steps)


def structural_em(
    expectation: Expectation,
    search: StructureSearch,
    now: Found,
    rng: np.random.Generator,
    limits: Limits,
    after_round: AfterRound | None = None,
) -> Found:
    """Improve the structure, round by round.

    Parameters
    ----------
    expectation : Expectation
        The answers.
    search : StructureSearch
        How to find structures.
    now : Found
        The first round.
    rng : numpy.random.Generator
        Random numbers of the search over orders.
    limits : Limits
        When to end.
    after_round : callable, optional
        Receives what was found in each round.
    """
    while True:
        if after_round is not None:
            after_round(now)
        best = search.best(now.fitted.expected.states, rng)
        if best.to_cpdag() == now.dag.to_cpdag():
            return now
        then = with_structure(expectation, now, best, search, limits)
        gain = then.score - now.score
        now = then if gain > 0 else replace(now, rounds=then.rounds, steps=then.steps)
        if gain < limits.min_gain:
            return now


def _fitted(expectation: Expectation, dag: Dag, start: Parameters, search: StructureSearch, limits: Limits) -> Found:
    """Fit one structure from a start, with mastered skills the right way up."""
    fitted = fit(
        expectation, start, tolerance=limits.tolerance, max_steps=limits.max_steps, accelerate=limits.accelerate
    )
    fitted = upright(fitted, expectation.skills)
    parameters = len(fitted.parameters.vector)
    score = fitted.log_likelihood - search.penalty(parameters, expectation.students)
    return Found(dag, fitted, score, 1, fitted.steps)


def upright(fitted: Fitted, skills: int) -> Fitted:
    """Exchange the two states of each skill whose mastery makes correct answers less likely.

    EM does not know which state of a skill is "mastered": exchanging them changes no probability of answers.
    """
    parameters, expected = fitted.parameters, fitted.expected
    cells = parameters.cells
    lowering = cells.lowering(skills, parameters.correct)
    if not lowering:
        return fitted
    states, places = flipped_states(skills, lowering), cells.flipped(lowering)
    turned = _flipped_tables(parameters.tables, parameters.mastery, lowering)
    vector = np.concatenate([parameters.correct[places], turned])
    counts = Expected(expected.log_likelihood, expected.states[states], expected.cells[places])
    return replace(fitted, parameters=Parameters(cells, parameters.tables, vector), expected=counts)


def _flipped_tables(tables: SkillTables, flat: Vector, flipped: int) -> Vector:
    """Return the tables of the skills with the two states of some skills exchanged."""
    places = ItemCells(tables.parents).flipped(flipped)
    turned = flat[places]
    for skill, table in enumerate(tables.split(turned)):
        if flipped >> skill & 1:
            np.subtract(1.0, table, out=table)
    return turned
