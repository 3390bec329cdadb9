"""Grids of settings for a study of sensitivity: their scoring jobs, and what all posteriors need."""

from __future__ import annotations

import hashlib
import itertools
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dagscape.core.errors import InvalidOption
from dagscape.core.requirements import Requirements, TaskOption
from dagscape.core.wording import plural
from dagscape.data.any_data import AnyData
from dagscape.data.discrete.common_cuts import ComparedCuts
from dagscape.data.discrete.dataset import Dataset
from dagscape.data.discrete.interval_widths import log_density
from dagscape.data.mixed.mixed import MixedData
from dagscape.data.sources import data_source
from dagscape.data.tables.frames import is_frame
from dagscape.data.values import Frame
from dagscape.posterior.planned import FEATURE_OPTIONS
from dagscape.posterior.requirements import sum_requirements, sum_seconds
from dagscape.results.data_source import joined_sources
from dagscape.results.score_info import ScoreInfo
from dagscape.scores.constraints import named_edges
from dagscape.scores.definitions.bdeu import ESS
from dagscape.scores.definitions.definition import ScoreDefinition
from dagscape.scores.definitions.set_functions import ScoredData
from dagscape.scores.kinds import as_data
from dagscape.scores.priors import PriorOption
from dagscape.scores.registry import SCORES, find_score
from dagscape.scores.requirements import scoring_requirements, scoring_seconds
from dagscape.scores.scoring_job import ScoringJob, prepare_sample
from dagscape.scores.search_planning import SearchSize

# What is averaged over, and compared, if a user does not say otherwise; chosen by calibration
# (``benchmarks/settings.py``).
AVERAGED_SIZES: tuple[float, ...] = tuple(value for value in ESS.compared if isinstance(value, float))
AVERAGED_PRIORS = ("uniform", "edge-penalty:1.5", "edge-penalty:3", "edge-penalty:4.5")

# The limit on the number of parents that leaves so many rows, on average, for each joint state of the parents.
BY_ROWS: Literal["rows"] = "rows"
DEFAULT_MAX_PARENTS: tuple[Literal["rows"] | None, ...] = (BY_ROWS, None)
_ROWS_PER_STATE = 5
_FEWEST_PARENTS = 2

# Options of scores of which a study takes several values.
_VARIED = ("max_parents", "structure_prior", *(entry.name for score in SCORES.values() for entry in score.parameters))

GRID_OPTIONS = {
    **FEATURE_OPTIONS,
    **{name: TaskOption("One value, or several.", default="several") for name in _VARIED},
}


# Limits on the number of parents: numbers, "rows" for that by the number of rows, None for no limit.
Limit = int | Literal["rows"] | None
Limits = Limit | Sequence[Limit]


@dataclass(frozen=True, slots=True)
class Grid:
    """The jobs of one setting of the score's parameters: one for each prior and each limit, in a common unit.

    Attributes
    ----------
    jobs : tuple of ScoringJob
        The jobs.
    way : str
        How numbers were cut, if several ways are compared; else empty.
    log_density : float
        What the evidence of the intervals lacks to be that of the numbers; zero if ways are not compared.
    """

    jobs: tuple[ScoringJob, ...]
    way: str = ""
    log_density: float = 0.0

    @property
    def largest(self) -> ScoringJob:
        """The job whose tables serve all of them."""
        return max(self.jobs, key=lambda job: job.max_parents)

    @property
    def sizes(self) -> list[SearchSize]:
        """The sizes of the sums."""
        return [SearchSize.complete(job.data.n, job.max_parents) for job in self.jobs]


def limit_by_rows(data: ScoredData, required: object = (), needed: int = 0) -> dict[str, int]:
    """Return the limit on the number of parents for data whose user gives none, as an option.

    Numbers have none. In mixed tables, the discrete variables decide: the states of discrete parents divide the rows.

    Parameters
    ----------
    data : data set
        The data.
    required : iterable of (parent, child)
        Required edges, as a user gave them: they are never too many for the limit.
    needed : int
        The limit is no lower.
    """
    levels = [count for count in data.level_counts if count] if isinstance(data, MixedData) else None
    if isinstance(data, Dataset):
        levels = data.arities.tolist()
    if not levels:
        return {}
    limit = max(parents_by_rows(levels, data.m), needed, _most_required(required))
    return {"max_parents": limit} if limit < data.n - 1 else {}


def _most_required(edges: Any) -> int:
    """Return the largest number of required parents; what are no edges is refused later."""
    try:
        return max(Counter(child for _, child in {(above, below) for above, below in edges}).values(), default=0)
    except (TypeError, ValueError):
        return 0


def lasting_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return options that can be read again and again, although iterators may be among them."""
    lasting = {name: list(value) if isinstance(value, Iterator) else value for name, value in options.items()}
    if isinstance(tiers := lasting.get("tiers"), list | tuple):
        lasting["tiers"] = [list(tier) if isinstance(tier, Iterator) else tier for tier in tiers]
    return lasting


def parents_by_rows(levels: Sequence[int] | NDArray[Any], rows: int) -> int:
    """Return how many parents with the usual number of levels leave five rows for each of their joint states.

    The evidence does not see that families with as many parent states as rows cannot be told from chance: where every
    cell holds one row, BDeu costs ln r a row and no more. A limit does, and unlike one on the states themselves, it
    treats equivalent networks alike.

    Parameters
    ----------
    levels : array of int
        The number of levels of each variable; the usual one is their geometric mean.
    rows : int
        The number of rows.

    Examples
    --------
    >>> parents_by_rows([2, 2, 2, 2], 1000), parents_by_rows([4, 4, 4, 4], 1000), parents_by_rows([4, 4, 4, 4], 20)
    (7, 3, 2)
    """
    usual = float(np.log(np.maximum(levels, 2)).mean())
    # Rounding must not decide where the number is exact, as for 2^k states.
    return max(_FEWEST_PARENTS, int(math.log(max(rows / _ROWS_PER_STATE, 1.0)) / usual + 1e-9))


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
    data: ScoredData | Frame | ComparedCuts,
    options: dict[str, Any],
    parameters: Mapping[str, Any],
    structure_prior: PriorOption,
    max_parents: Limits,
    prior_data: ScoredData | None = None,
) -> list[Grid]:
    """Return the checked jobs of all settings, one grid for each way of cutting and setting of score parameters.

    Priors take means and scales from ``prior_data``, which is for data that were not cut; None: from the data.
    """
    if isinstance(data, ComparedCuts):
        return [
            replace(grid, way=way, log_density=density_of_job(grid.largest))
            for way, cut in zip(data.ways, data.datasets, strict=True)
            for grid in grids_of(cut, options, parameters, structure_prior, max_parents)
        ]
    definition = find_score(options["score"])
    data = as_data(data, definition)
    idle = definition.idle_on(data)
    varied = {name: values[:1] if name in idle else values for name, values in _varied(definition, parameters).items()}
    priors = _listed_priors(structure_prior)
    limits = [
        limit_by_rows(data, options.get("required", ())).get("max_parents") if limit == BY_ROWS else limit
        for limit in _listed("max_parents", max_parents)
    ]
    grids = []
    for values in itertools.product(*varied.values()):
        jobs: dict[tuple[str, int], ScoringJob] = {}
        for prior, limit in itertools.product(priors, limits):
            chosen = dict(zip(varied, values, strict=True))
            job = prepare_sample(data, None, prior_data, **options, **chosen, structure_prior=prior, max_parents=limit)
            # A data frame is read once.
            data = job.data
            jobs.setdefault((job.prior.name, job.max_parents), job)
        # All jobs share tables, so they need a unit that is coarse enough for each.
        unit = min((job.unit for job in jobs.values()), key=lambda unit: unit.bits)
        grids.append(Grid(tuple(replace(job, unit=unit) for job in jobs.values())))
    return grids


def density_of_job(job: ScoringJob) -> float:
    """Return what the evidence of a job lacks to be that of the numbers that were cut."""
    # The job's own data know which variables were randomised, as the ones given may not.
    return log_density(job.data, job.interventions) if isinstance(job.data, Dataset) else 0.0


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


def info_of_all(jobs: Sequence[ScoringJob], shown: ScoringJob) -> ScoreInfo:
    """Return what the scores of all jobs were computed from: that of one of them, with a digest of all data."""
    # Each data set once: there may be many jobs.
    distinct = list({id(job.data): job.data for job in jobs}.values())
    digests = sorted({data.fingerprint for data in distinct})
    joined = hashlib.sha256(" ".join(digests).encode()).hexdigest()
    sources = [data_source(data) for data in distinct if isinstance(data, AnyData)]
    info = shown.info if len(distinct) == 1 else replace(shown.info, source=joined_sources(sources))
    return replace(info, data=digests[0] if len(digests) == 1 else joined)


def grid_requirements(grids: Sequence[Grid], over: str, threads: int, limit: int) -> Requirements:
    """Return what a study needs: the step that does not fit, if there is one, or else the one that needs most."""
    largest = max((grid.largest for grid in grids), key=lambda job: job.memory(threads))
    tables = 8 * largest.sets * largest.functions.count
    # The sum first: if it does not fit, no lower limit on the number of parents helps.
    sizes = sorted({size for grid in grids for size in grid.sizes}, key=lambda size: size.max_parents, reverse=True)
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
    structure_prior: PriorOption = AVERAGED_PRIORS,
    max_parents: Limits = DEFAULT_MAX_PARENTS,
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
