"""Preparation of scoring: checked options, set functions, unit and memory.

A :class:`ScoringJob` can be run (``scoring.py``, ``on_demand.py``) or only estimated (``requirements.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagscape.core.caveats import kept_text
from dagscape.core.checks import check_choice
from dagscape.core.constraints import Whole
from dagscape.core.errors import InvalidData, InvalidOption, did_you_mean
from dagscape.data.any_data import AnyData
from dagscape.data.discrete.dataset import Dataset
from dagscape.data.notices import data_warnings, kept_notices
from dagscape.data.sources import data_source
from dagscape.data.tables.interventions import distinct_targets, set_in_every_row
from dagscape.data.values import Frame
from dagscape.results.score_info import ScoreInfo
from dagscape.scores.arithmetic.fixed_point import Unit
from dagscape.scores.choice import ChosenScore, with_score
from dagscape.scores.constraints import Edge, EdgeConstraints, edge_constraints, named_edges
from dagscape.scores.definitions.bdeu import ESS
from dagscape.scores.definitions.changed_mechanisms import INTERVENTION_KINDS, set_functions
from dagscape.scores.definitions.definition import ScoreDefinition
from dagscape.scores.definitions.parameter import Value, checked_values
from dagscape.scores.definitions.set_functions import ScoredData, ScoreFacts, SetFunctions
from dagscape.scores.kinds import as_data
from dagscape.scores.priors import PriorOption, StructurePrior, find_prior
from dagscape.scores.randomised import randomised_data
from dagscape.scores.registry import SCORES, find_score
from dagscape.scores.tables.lattice import set_count

MAX_PARENTS = Whole(0)


@dataclass(frozen=True, slots=True)
class ScoringJob:
    """Everything that is determined before scores are computed."""

    data: ScoredData
    definition: ScoreDefinition
    prior: StructurePrior
    constraints: EdgeConstraints
    parameters: Mapping[str, Value]
    max_parents: int
    interventions: str
    functions: SetFunctions
    unit: Unit
    # The variables that were set in every row, and have no parents.
    randomised: tuple[str, ...] = ()
    # The number of edges that nothing but the score forbids.
    ruled_out: int = 0
    # Why the score was chosen, if the user left that open.
    score_choice: str = ""
    # How settings that were not given were chosen, in words, and the options that this made.
    choice: str = ""
    chosen: Mapping[str, Any] = field(default_factory=dict)
    # The data that the rows were drawn from, if they are a sample.
    whole: ScoredData | None = None

    @property
    def max_size(self) -> int:
        """The size of the largest set."""
        return self.max_parents + 1

    @property
    def sets(self) -> int:
        """The number of sets for which each function is computed."""
        return set_count(self.data.n, self.max_size)

    @property
    def score_equivalent(self) -> bool:
        """Whether Markov-equivalent networks will have identical scores."""
        alike = self.definition.score_equivalent and self.prior.equivalent
        return alike and not self.data.experimental_rows and self.constraints.empty

    @property
    def info(self) -> ScoreInfo:
        """The score, its options and the data."""
        idle = self.definition.idle_on(self.data)
        return ScoreInfo(
            score=self.definition.name,
            parameters={name: value for name, value in self.parameters.items() if name not in idle},
            max_parents=self.max_parents,
            structure_prior=self.prior.name,
            choice=self.choice,
            equivalent_prior=self.prior.equivalent,
            required=named_edges(self.data.variables, self.constraints.required),
            forbidden=named_edges(self.data.variables, self.constraints.forbidden),
            data=self.data.fingerprint,
            rows=self.data.m,
            dropped_rows=self.data.dropped,
            experimental_rows=self.data.experimental_rows,
            interventions=self.interventions,
            targets=distinct_targets(self.data.variables, self.data.interventions),
            randomised=self.randomised,
            rule=self.definition.rule if self.ruled_out else "",
            caution="" if self.definition.caution is None else self.definition.caution(self.data),
            ruled_out=self.ruled_out,
            score_choice=self.score_choice,
            score_equivalent=self.score_equivalent,
            level_counts=tuple(self.data.arities.tolist()) if isinstance(self.data, Dataset) else None,
            warnings=(*kept_notices(self.data), *map(kept_text, data_warnings(self.data))),
            source=data_source(self.data) if isinstance(self.data, AnyData) else None,
            weighted_by=self.data.weighted_by,
        )

    def memory(self, threads: int) -> int:
        """Return how many bytes the scores of all sets and the work on them need."""
        weights = 8 * self.data.n * set_count(self.data.n, self.max_parents) if self.prior.families else 0
        return 8 * self.sets * self.functions.count + self.functions.lattice_memory(self.sets, threads) + weights

    def prior_terms(self) -> list[float]:
        """Return the part of the log prior of a family that depends on its number of parents, for each number."""
        return [self.prior.log_weight(self.data.n, parents) for parents in range(self.max_parents + 1)]

    def size_terms(self) -> list[float]:
        """Return the term for each number of parents: of the log prior, minus the cost that is part of the score."""
        return _size_terms(self.definition, self.prior, self.data.n, self.max_parents)


# The options of :func:`dagscape.local_scores` that every score has; the others are parameters of scores.
STRUCTURE_OPTIONS = ("max_parents", "structure_prior", "required", "forbidden", "tiers")
OPTIONS = (*STRUCTURE_OPTIONS, "interventions", "randomised")


def scoring_options() -> tuple[str, ...]:
    """Return the names of all options of :func:`dagscape.local_scores` that shape the scores."""
    parameters = (parameter.name for definition in SCORES.values() for parameter in definition.parameters)
    return ("score", *OPTIONS, *dict.fromkeys(parameters))


def prepare(given: ScoredData | Frame, **options: Any) -> ScoringJob:
    """Check the arguments of :func:`dagscape.local_scores` and prepare the computation."""
    return prepare_sample(given, None, **options)


def prepare_sample(
    given: ScoredData | Frame,
    without_parents: tuple[str, ...] | None,
    whole: ScoredData | None = None,
    /,
    *,
    score: str = "bdeu",
    max_parents: int | None = None,
    structure_prior: PriorOption = "uniform",
    required: Iterable[Edge] = (),
    forbidden: Iterable[Edge] = (),
    tiers: Sequence[Iterable[str]] | None = None,
    interventions: str = "perfect",
    randomised: Collection[str] = (),
    **parameters: Any,
) -> ScoringJob:
    """Prepare the computation on a sample of rows.

    The variables ``without_parents`` are those that were set in every row of the whole table; None: of these rows.
    Priors take means and scales from ``whole``, the data of that table, so that all samples have the same prior; None:
    from these rows.
    """
    known = scoring_options()
    for name in parameters:
        if name not in known:
            raise InvalidOption(f"there is no option {name!r}{did_you_mean(name, known)}")
    given, score = with_score(given, score)
    definition = find_score(score)
    check_choice(interventions, INTERVENTION_KINDS, "interventions")
    data = randomised_data(as_data(given, definition), randomised, perfect=interventions == "perfect")
    # Without experiments, both kinds are the same.
    kind = interventions if data.experimental_rows else "perfect"
    values = _parameter_values(definition, parameters)
    limit = parent_limit(data.n, max_parents)
    prior = find_prior(structure_prior, data.variables, limit, data.set_aside)
    if without_parents is None:
        without_parents = set_in_every_row(data.variables, data.interventions) if kind == "perfect" else ()
    constraints = edge_constraints(
        data.variables,
        limit,
        required,
        forbidden,
        tiers,
        data.set_aside,
        impossible=prior.impossible,
        randomised=without_parents,
    )
    given_by_user = constraints
    if definition.ruled_out is not None:
        why = f"with the score {definition.name!r}, {definition.rule}"
        constraints = constraints.ruling_out(data.variables, definition.ruled_out(data), why)
    whole = None if whole is None else as_data(whole, definition)
    facts = ScoreFacts(parameters=values, max_size=limit + 1, required=constraints.required, prior_data=whole)
    functions = set_functions(definition, data, facts, kind)
    return ScoringJob(
        data=data,
        definition=definition,
        prior=prior,
        constraints=constraints,
        parameters=values,
        max_parents=limit,
        interventions=kind,
        functions=functions,
        unit=_unit(functions, definition, prior, data.n, limit),
        randomised=without_parents,
        score_choice=score.why if isinstance(score, ChosenScore) else "",
        ruled_out=constraints.forbidden_edges - given_by_user.forbidden_edges,
        whole=whole,
    )


def _parameter_values(definition: ScoreDefinition, given: Mapping[str, Any]) -> dict[str, Value]:
    """Return the checked parameters of a score. ``ess`` is an argument of all scores, and most have no use for it."""
    if "ess" in given and ESS not in definition.parameters:
        ESS.checked(given["ess"])
        given = {name: value for name, value in given.items() if name != ESS.name}
    return checked_values(definition.parameters, given, definition.name)


def with_fewer_parents(job: ScoringJob, max_parents: int) -> ScoringJob:
    """Return the job of families of fewer parents, in the same unit: their scores are the same integers."""
    facts = ScoreFacts(
        job.parameters,
        max_parents + 1,
        job.constraints.required,
        bounded_size=job.max_size,
        prior_data=job.whole,
    )
    functions = set_functions(job.definition, job.data, facts, job.interventions)
    return replace(job, max_parents=max_parents, functions=functions)


def with_rows(job: ScoringJob, data: ScoredData) -> ScoringJob:
    """Return the job of other rows of the same variables, with the same prior, parameters and constraints."""
    facts = ScoreFacts(job.parameters, job.max_size, job.constraints.required, prior_data=job.whole)
    functions = set_functions(job.definition, data, facts, job.interventions)
    unit = _unit(functions, job.definition, job.prior, data.n, job.max_parents)
    return replace(job, data=data, functions=functions, unit=unit)


def segmented_job(
    job: ScoringJob, segments: NDArray[np.uint32], edge_penalty: float, constraints: EdgeConstraints
) -> ScoringJob:
    """Return the job of scores that are added up over segments of the rows, minus a penalty for each edge.

    Parameters
    ----------
    job : ScoringJob
        The scores of all rows together.
    segments : array of int
        For each distinct row, the number of its segment.
    edge_penalty : float
        What each edge costs, in nats.
    constraints : EdgeConstraints
        The constraints on edges, in place of those of the job.
    """
    facts = ScoreFacts(job.parameters, job.max_size, job.constraints.required, segments, prior_data=job.whole)
    functions = set_functions(job.definition, job.data, facts, job.interventions)
    prior = job.prior.with_edge_penalty(edge_penalty)
    unit = _unit(functions, job.definition, prior, job.data.n, job.max_parents)
    return replace(job, functions=functions, prior=prior, constraints=constraints, unit=unit)


def copied_job(job: ScoringJob, copies: int, of_copies: Callable[[Any, ScoreFacts], SetFunctions]) -> ScoringJob:
    """Return the job of scores of rows that are there so many times: as many times the scores of expected statistics.

    Parameters
    ----------
    job : ScoringJob
        The scores of these rows, as if each were a row of its own.
    copies : int
        How many times each row of the data is there, completed in different ways.
    of_copies : callable
        The set functions.
    """
    definition, prior = replace(job.definition, functions=of_copies), job.prior.times(copies)
    facts = ScoreFacts(job.parameters, job.max_size, job.constraints.required)
    functions = set_functions(definition, job.data, facts, job.interventions)
    unit = _unit(functions, definition, prior, job.data.n, job.max_parents)
    return replace(job, definition=definition, functions=functions, prior=prior, unit=unit)


def _unit(functions: SetFunctions, definition: ScoreDefinition, prior: StructurePrior, n: int, most: int) -> Unit:
    """Return the unit of the scores."""
    # The score of a family is a difference of two function values, plus a term for the number of parents and those of
    # the parents themselves.
    terms = max(map(abs, _size_terms(definition, prior, n, most))) + prior.bound(most)
    return Unit.for_scores_up_to(2 * functions.bound + terms, n)


def parent_limit(n: int, max_parents: int | None) -> int:
    """Return the largest number of parents of n variables, within the user's limit."""
    if n > 2**15:
        raise InvalidData(f"the data have {n} variables; local scores can be computed for up to {2**15}")
    if max_parents is None:
        return n - 1
    MAX_PARENTS.check(max_parents, "max_parents")
    return min(int(max_parents), n - 1)


def _size_terms(definition: ScoreDefinition, prior: StructurePrior, n: int, max_parents: int) -> list[float]:
    cost = definition.size_cost or (lambda n, parents: 0.0)
    return [prior.log_weight(n, parents) - cost(n, parents) for parents in range(max_parents + 1)]
