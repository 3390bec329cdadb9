"""Grids of settings for a study of sensitivity: their scoring jobs, and what all posteriors need."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dagscape.core.errors import InvalidOption
from dagscape.core.requirements import Requirements, TaskOption
from dagscape.core.wording import plural
from dagscape.data.tables.frames import is_frame
from dagscape.data.values import Frame
from dagscape.posterior.planned import FEATURE_OPTIONS
from dagscape.posterior.requirements import sum_requirements, sum_seconds
from dagscape.scores.constraints import named_edges
from dagscape.scores.definitions.bdeu import ESS
from dagscape.scores.definitions.definition import ScoreDefinition
from dagscape.scores.definitions.set_functions import ScoredData
from dagscape.scores.priors import PriorOption
from dagscape.scores.registry import SCORES, find_score
from dagscape.scores.requirements import scoring_requirements, scoring_seconds
from dagscape.scores.scoring_job import ScoringJob, prepare
from dagscape.scores.search_planning import SearchSize

DEFAULT_PRIORS = ("uniform", "per-size")
DEFAULT_MAX_PARENTS = (2, 4, None)

# Options of scores of which a study takes several values.
_VARIED = ("max_parents", "structure_prior", *(entry.name for score in SCORES.values() for entry in score.parameters))

GRID_OPTIONS = {
    **FEATURE_OPTIONS,
    **{name: TaskOption("One value, or several.", default="several") for name in _VARIED},
}


@dataclass(frozen=True, slots=True)
class Grid:
    """The jobs of one setting of the score's parameters: one for each prior and each limit, in a common unit."""

    jobs: tuple[ScoringJob, ...]

    @property
    def largest(self) -> ScoringJob:
        """The job whose tables serve all of them."""
        return max(self.jobs, key=lambda job: job.max_parents)

    @property
    def sizes(self) -> list[SearchSize]:
        """The sizes of the sums."""
        return [SearchSize.complete(job.data.n, job.max_parents) for job in self.jobs]


def _listed(option: str, given: Any) -> list[Any]:
    """Return the values of one option of the grid, without repetitions."""
    single = given is None or isinstance(given, str) or not isinstance(given, Iterable)
    return _some(option, list(dict.fromkeys([given] if single else given)))


def _listed_priors(given: Any) -> list[Any]:
    """Return the priors of the grid: one, or those of a sequence, each of which may be a list that is multiplied."""
    single = isinstance(given, str | np.ndarray | Mapping) or callable(given) or is_frame(given)
    return _some("structure_prior", [given] if single or not isinstance(given, Iterable) else list(given))


def _some(option: str, values: list[Any]) -> list[Any]:
    if not values:
        raise InvalidOption("is empty; it must be a value, or a sequence of values", option=option)
    return values


def grids_of(
    data: ScoredData | Frame,
    options: dict[str, Any],
    parameters: Mapping[str, Any],
    structure_prior: PriorOption,
    max_parents: int | Sequence[int | None] | None,
) -> list[Grid]:
    """Return the checked jobs of all settings, one grid for each setting of the score's parameters."""
    varied = _varied(find_score(options["score"]), parameters)
    priors, limits = _listed_priors(structure_prior), _listed("max_parents", max_parents)
    grids = []
    for values in itertools.product(*varied.values()):
        jobs: dict[tuple[str, int], ScoringJob] = {}
        for prior, limit in itertools.product(priors, limits):
            chosen = dict(zip(varied, values, strict=True))
            job = prepare(data, **options, **chosen, structure_prior=prior, max_parents=limit)
            # A data frame is read once.
            data = job.data
            jobs.setdefault((job.prior.name, job.max_parents), job)
        # All jobs share tables, so they need a unit that is coarse enough for each.
        unit = min((job.unit for job in jobs.values()), key=lambda unit: unit.bits)
        grids.append(Grid(tuple(replace(job, unit=unit) for job in jobs.values())))
    return grids


def _varied(definition: ScoreDefinition, given: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Return the values of each parameter of a score, and of given ones that it does not have, to be refused."""
    varied = {
        parameter.name: list(parameter.compared or (parameter.default,))
        if given.get(parameter.name) is None
        else _listed(parameter.name, given[parameter.name])
        for parameter in definition.parameters
    }
    if ESS.name not in varied and given.get(ESS.name) is not None:
        # An argument of all studies, of which this score has no use.
        for value in _listed(ESS.name, given[ESS.name]):
            ESS.checked(value)
    unknown = [name for name in given if name not in varied and name != ESS.name]
    return varied | {name: _listed(name, given[name]) for name in unknown}


def grid_requirements(grids: Sequence[Grid], over: str, threads: int, limit: int) -> Requirements:
    """Return what a study needs: the step that does not fit, if there is one, or else the one that needs most."""
    largest = grids[0].largest
    tables = 8 * largest.sets * largest.functions.count
    # The sum first: if it does not fit, no lower limit on the number of parents helps.
    sizes = sorted(grids[0].sizes, key=lambda size: size.max_parents, reverse=True)
    sums = [sum_requirements(size, threads, limit, over=over) for size in sizes]
    scoring = scoring_requirements(largest, threads, limit)
    parts = [*sums, scoring, *(replace(needs, memory=needs.memory + tables) for needs in sums)]
    found = next((part for part in parts if not part.fits(limit)), max(parts, key=lambda part: part.memory))
    count = sum(len(grid.jobs) for grid in grids)
    steps = sums[0].work.partition(";")[0]
    work = f"{plural(len(grids), 'scoring')}, {plural(count, 'sum')} of {steps}"
    return replace(found, step=f"posteriors over {over}", work=work)


def sensitivity_requirements(
    job: ScoringJob, threads: int, limit: int, *, over: str = "dags", **options: Any
) -> Requirements:
    """Return what :func:`dagscape.sensitivity` needs."""
    return grid_requirements(_grids_like(job, **options), over, threads, limit)


def sensitivity_seconds(job: ScoringJob, threads: int, limit: int, *, over: str = "dags", **options: Any) -> float:
    """Return the estimated time of :func:`dagscape.sensitivity`: one scoring for each grid, and a sum for each job."""
    grids = _grids_like(job, **options)
    scoring = len(grids) * scoring_seconds(grids[0].largest, threads, limit)
    sizes = Counter(size for grid in grids for size in grid.sizes)
    return scoring + sum(count * sum_seconds(size, threads, over=over) for size, count in sizes.items())


def _grids_like(
    job: ScoringJob,
    *,
    structure_prior: PriorOption = DEFAULT_PRIORS,
    max_parents: int | Sequence[int | None] | None = DEFAULT_MAX_PARENTS,
    **parameters: Any,
) -> list[Grid]:
    """Return the grids of a study of the same data, with the same score and constraints."""
    names = job.data.variables
    options = {
        "score": job.definition.name,
        "required": named_edges(names, job.constraints.required),
        "forbidden": named_edges(names, job.constraints.forbidden),
        "interventions": job.interventions,
    }
    return grids_of(job.data, options, parameters, structure_prior, max_parents)
