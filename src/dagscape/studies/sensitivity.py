"""How far a posterior depends on the settings: the same data under a grid of them.

The equivalent sample size of BDeu, the structure prior and the limit on the number of parents are choices, seldom
knowledge. An edge whose probability stays where it is under all reasonable choices follows from the data; one that
moves from 0.1 to 0.9 follows from the choice.

The evidence P(D | setting) of two settings can be compared, because priors are normalised: over the structures that a
limit on the number of parents leaves, too. With equal prior probabilities of the settings, their posterior
probabilities are proportional to it.

Cost: one scoring for each value of the score's parameters, whose tables all priors and limits share, and one sum for
each setting.
"""

from __future__ import annotations

import itertools
import time
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dagscape.core.caveats import issue
from dagscape.core.errors import InvalidOption, SparseFamilies
from dagscape.core.progress import Progress, ProgressListener, ProgressOption, listening
from dagscape.core.resources import Budget, memory_limit, thread_count
from dagscape.data.discrete.dataset import Dataset
from dagscape.data.values import Frame
from dagscape.posterior.requirements import sum_requirements
from dagscape.posterior.result import Posterior
from dagscape.posterior.summing import posterior
from dagscape.results.base import provenance_of
from dagscape.scores.constraints import Edge
from dagscape.scores.definitions.definition import ScoreDefinition
from dagscape.scores.definitions.set_functions import ScoredData
from dagscape.scores.parent_states import parent_states
from dagscape.scores.registry import find_score
from dagscape.scores.requirements import scoring_requirements
from dagscape.scores.scoring import restricted_scores, score_job
from dagscape.scores.scoring_job import ScoringJob, prepare, suspicious_columns
from dagscape.scores.search_planning import SearchSize
from dagscape.studies.sensitivity_result import Sensitivity, Setting

DEFAULT_PRIORS = ("uniform", "per-size")
DEFAULT_MAX_PARENTS = (2, 4, None)

# The progress of a setting, in parts of its whole.
_PARTS = 1000


@dataclass(frozen=True, slots=True)
class _Grid:
    """The jobs of one setting of the score's parameters: one for each prior and each limit, in a common unit."""

    jobs: tuple[ScoringJob, ...]

    @property
    def largest(self) -> ScoringJob:
        """The job whose tables serve all of them."""
        return max(self.jobs, key=lambda job: job.max_parents)


def sensitivity(
    data: Dataset | Frame,
    ess: float | Sequence[float] | None = None,
    structure_prior: str | Sequence[str] = DEFAULT_PRIORS,
    max_parents: int | Sequence[int | None] | None = DEFAULT_MAX_PARENTS,
    over: str = "dags",
    *,
    score: str = "bdeu",
    required: Iterable[Edge] = (),
    forbidden: Iterable[Edge] = (),
    tiers: Sequence[Iterable[str]] | None = None,
    threads: int | None = None,
    max_memory: int | str | None = None,
    progress: ProgressOption = None,
    **parameters: Any,
) -> Sensitivity:
    """Compute posteriors under a grid of settings: the evidence of each, and the edges that change.

    Parameters
    ----------
    data : Dataset or data frame
        The data.
    ess : float or sequence of float, optional
        Equivalent sample sizes of BDeu; other scores have none. Default: 1, 10 and 100.
    structure_prior : str or sequence of str
        Structure priors.
    max_parents : int, None or sequence of them
        Limits on the number of parents; None is no limit. Limits that mean the same count once.
    over : {"dags", "orders"}
        As in :func:`dagscape.posterior`.
    score, required, forbidden, tiers
        As in :func:`dagscape.local_scores`; they are the same in all settings.
    threads, max_memory, progress
        As in :func:`dagscape.local_scores`. Memory is checked before any work. The result does not depend on the
        number of threads.
    **parameters
        Values of other parameters of the score, each one or a sequence. Default: those that its definition lists.

    Returns
    -------
    Sensitivity
        The settings with their evidence, and the probability of every edge under each.

    Examples
    --------
    >>> import dagscape as ds
    >>> found = ds.sensitivity(ds.load_dataset("iris"), max_parents=(1, 2))
    >>> len(found.settings), found.best.label
    (12, 'ess 1, uniform, 1 parent')
    >>> found.changes(min_share=0)[["source", "target", "lowest", "highest"]].round(2).values.tolist()[0]
    ['sepal_length', 'sepal_width', 0.0, 0.67]
    """
    start = time.perf_counter()
    used, limit = thread_count(threads), memory_limit(max_memory)
    options: dict[str, Any] = {
        "score": score,
        "required": tuple(required),
        "forbidden": tuple(forbidden),
        "tiers": None if tiers is None else [list(tier) for tier in tiers],
    }
    grids = _grids(data, options, {"ess": ess, **parameters}, structure_prior, max_parents)
    _check(grids, over, used, limit)
    data = grids[0].jobs[0].data
    issue(*suspicious_columns(data))
    count = sum(len(grid.jobs) for grid in grids)
    settings: list[Setting] = []
    edges = []
    with listening(progress) as listener:
        for job, post in _posteriors(grids, over, used, limit, listener, count):
            settings.append(_setting(job, post))
            edges.append(post.edges)
    info = grids[0].jobs[0].info
    return Sensitivity(
        variables=data.variables,
        score_info=replace(info, parameters={}, max_parents=None, structure_prior="several"),
        provenance=provenance_of(
            "sensitivity",
            {"over": over, "settings": [setting.label for setting in settings], "score": score},
            {"study": time.perf_counter() - start},
            used,
        ),
        warnings=info.warnings,
        over=over,
        settings=tuple(settings),
        edges=np.array(edges),
    )


def _listed(option: str, given: Any) -> list[Any]:
    """Return the values of one option of the grid, without repetitions."""
    single = given is None or isinstance(given, str) or not isinstance(given, Iterable)
    values = list(dict.fromkeys([given] if single else given))
    if not values:
        raise InvalidOption("is empty; it must be a value, or a sequence of values", option=option)
    return values


def _grids(
    data: ScoredData | Frame,
    options: dict[str, Any],
    parameters: Mapping[str, Any],
    structure_prior: str | Sequence[str],
    max_parents: int | Sequence[int | None] | None,
) -> list[_Grid]:
    """Return the checked jobs of all settings, one grid for each setting of the score's parameters."""
    varied = _varied(find_score(options["score"]), parameters)
    priors, limits = _listed("structure_prior", structure_prior), _listed("max_parents", max_parents)
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
        grids.append(_Grid(tuple(replace(job, unit=unit) for job in jobs.values())))
    return grids


def _varied(definition: ScoreDefinition, given: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Return the values of each parameter of a score, and of given ones that it does not have, to be refused."""
    varied = {
        parameter.name: list(parameter.compared or (parameter.default,))
        if given.get(parameter.name) is None
        else _listed(parameter.name, given[parameter.name])
        for parameter in definition.parameters
    }
    unknown = [name for name in given if name not in varied and name != "ess"]
    return varied | {name: _listed(name, given[name]) for name in unknown}


def _check(grids: Sequence[_Grid], over: str, threads: int, limit: int) -> None:
    """Raise an error if a setting needs more memory than the limit, before any work is done."""
    tables = 8 * grids[0].largest.sets * grids[0].largest.functions.count
    # The sum first: if it does not fit, no lower limit on the number of parents helps.
    sizes = [SearchSize.complete(job.data.n, job.max_parents) for job in grids[0].jobs]
    sums = [sum_requirements(size, threads, limit, over=over) for size in sizes]
    for needs in sums:
        needs.check(limit)
    scoring_requirements(grids[0].largest, threads, limit).check(limit)
    for needs in sums:
        replace(needs, memory=needs.memory + tables).check(limit)


def _posteriors(
    grids: Sequence[_Grid], over: str, threads: int, limit: int, listener: ProgressListener | None, count: int
) -> Iterator[tuple[ScoringJob, Posterior]]:
    """Iterate over the settings and their posteriors. Scores are computed once for each grid."""
    done = 0
    for grid in grids:
        scores = score_job(grid.largest, Budget.of(threads, limit), progress=listener)
        for job in grid.jobs:
            with warnings.catch_warnings():
                # The settings say how many states parents have.
                warnings.simplefilter("ignore", SparseFamilies)
                chosen = restricted_scores(scores, job)
                part = _part(listener, done, count)
                found = posterior(chosen, over, threads=threads, max_memory=limit, progress=part)
            yield job, found
            done += 1


def _part(listener: ProgressListener | None, done: int, count: int) -> ProgressListener | None:
    """Return a listener to the posterior of one setting, which reports it as a part of the study."""
    if listener is None:
        return None

    def listen(progress: Progress) -> None:
        finished = progress.done / progress.total if progress.total else 0.0
        listener(Progress("Comparing settings", round(_PARTS * (done + finished)), _PARTS * count))

    return listen


def _setting(job: ScoringJob, post: Posterior) -> Setting:
    counts = job.info.level_counts
    return Setting(
        parameters=job.info.parameters,
        structure_prior=job.prior.name,
        max_parents=job.max_parents,
        log_evidence=post.log_evidence,
        log_total=post.log_total,
        error=post.error,
        parent_states=1.0 if counts is None else float(parent_states(post.edges, counts).max()),
        seconds=sum(post.provenance.seconds.values()),
        unlimited=job.max_parents >= job.data.n - 1,
    )
