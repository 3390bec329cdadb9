"""How far a posterior depends on the settings: the same data under a grid of them.

How numbers are cut into intervals matters most, and is seldom known. The evidence of different cuts is that of the
numbers before they were cut (:mod:`dagscape.data.discrete.interval_widths`), so that it can be compared. It is
dominated by how well intervals fit single columns, so that each way of cutting has the same share of the probability.

The equivalent sample size of BDeu, the structure prior and the limit on the number of parents are choices, seldom
knowledge. An edge whose probability stays where it is under all reasonable choices follows from the data; one that
moves from 0.1 to 0.9 follows from the choice.

The evidence P(D | setting) of two settings can be compared, because priors are normalised: over the structures that a
limit on the number of parents leaves, too. With equal prior probabilities of the settings, their posterior
probabilities are proportional to it.

Cost: one scoring for each way of cutting and value of the score's parameters, whose tables all priors and limits share,
and one sum for each setting.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from dagscape.core.caveats import issue
from dagscape.core.errors import SparseFamilies
from dagscape.core.progress import ProgressListener, ProgressOption, listening
from dagscape.core.resources import Budget, memory_limit, thread_count
from dagscape.data.discrete.common_cuts import AUTO, COMPARED_CUTS, ComparedCuts, measured_columns
from dagscape.data.discrete.dataset import Dataset
from dagscape.data.discrete.discretizing import Discretizer
from dagscape.data.notices import data_warnings
from dagscape.data.table_sources import as_table
from dagscape.data.values import Frame
from dagscape.posterior.grids import (
    AVERAGED_PRIORS,
    BY_ROWS,
    DEFAULT_MAX_PARENTS,
    Grid,
    Limits,
    grid_requirements,
    grids_of,
    info_of_all,
)
from dagscape.posterior.result import Posterior
from dagscape.posterior.setting import Setting
from dagscape.posterior.weighing import part_of
from dagscape.results.base import provenance_of
from dagscape.sampling.exact_posterior import exact_posterior
from dagscape.scores.choice import with_score
from dagscape.scores.constraints import Edge
from dagscape.scores.parent_states import parent_states
from dagscape.scores.priors import PriorOption
from dagscape.scores.registry import find_score
from dagscape.scores.scoring import restricted_scores, score_job
from dagscape.scores.scoring_job import ScoringJob
from dagscape.studies.cut_tables import cut_data, is_raw
from dagscape.studies.missing_rules import compare_missing
from dagscape.studies.missing_rules_result import MissingRules
from dagscape.studies.sensitivity_result import Sensitivity


def sensitivity(
    data: Dataset | Frame | ComparedCuts,
    ess: float | Sequence[float] | None = None,
    structure_prior: PriorOption = AVERAGED_PRIORS,
    max_parents: Limits = DEFAULT_MAX_PARENTS,
    over: str = "dags",
    *,
    discretize: str | Discretizer | Sequence[str | Discretizer] | None = "auto",
    score: str = "bdeu",
    required: Iterable[Edge] = (),
    forbidden: Iterable[Edge] = (),
    tiers: Sequence[Iterable[str]] | None = None,
    interventions: str = "perfect",
    randomised: Collection[str] = (),
    missing: Sequence[str] | None = None,
    threads: int | None = None,
    max_memory: int | str | None = None,
    progress: ProgressOption = None,
    **parameters: Any,
) -> Sensitivity | MissingRules:
    """Compute posteriors under a grid of settings: the evidence of each, and the edges that change.

    Parameters
    ----------
    data : Dataset, data frame or path
        The data; or a table whose columns of numbers are cut in several ways.
    ess : float or sequence of float, optional
        Equivalent sample sizes of BDeu; other scores have none. Default: 0.5, 2, 8 and 32, over which
        :func:`dagscape.posterior` averages.
    structure_prior : prior or sequence of priors
        Structure priors, as in :func:`dagscape.local_scores`; those of a list within the sequence are multiplied.
        Default: those over which posteriors are averaged.
    max_parents : int, "rows", None or sequence of them
        Limits on the number of parents: ``"rows"`` is the one of averages, which depends on the number of rows, and
        None is no limit. Limits that mean the same count once. Default: that of averages and none; that of averages
        alone if several ways of cutting are compared, which would otherwise take 160 sums.
    over : {"dags", "orders"}
        As in :func:`dagscape.posterior`.
    discretize : str, Discretizer or sequence of them
        How the columns of numbers of a table are cut: one way, such as ``"quantile:3"``, or several. The log evidence
        is then that of the numbers before they were cut, so that ways can be compared. ``"auto"``: 2, 3 and 5 quantiles
        and 3 and 5 intervals of equal width, if the table has columns of decimals or of more than 20 integers.
        ``"average"``: those over which :func:`dagscape.posterior` averages. None: integers are levels, and decimals an
        error.
    score, required, forbidden, tiers, interventions, randomised
        As in :func:`dagscape.local_scores`; they are the same in all settings.
    missing : sequence of str, optional
        Compare rules for missing cells in place of settings, which are then one of each: the result is that of
        :func:`dagscape.compare_missing`.
    threads, max_memory, progress
        As in :func:`dagscape.local_scores`. Memory is checked before any work. The result does not depend on the
        number of threads.
    **parameters
        Values of other parameters of the score, each one or a sequence. Default: those that its definition lists.

    Returns
    -------
    Sensitivity or MissingRules
        The settings with their evidence, and the probability of every edge under each; or the rules.

    Examples
    --------
    >>> import dagscape as ds
    >>> found = ds.sensitivity(ds.load_dataset("iris"), max_parents=(1, 2))
    >>> len(found.settings), found.best.label
    (32, 'ess 2, uniform, 1 parent')
    >>> found.changes(min_share=0)[["source", "target", "lowest", "highest"]].round(2).values.tolist()[0]
    ['sepal_length', 'sepal_width', 0.0, 0.79]

    Numbers, cut in several ways:

    >>> import numpy as np, pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> dose = rng.normal(size=200)
    >>> frame = pd.DataFrame({"dose": dose, "effect": dose + rng.normal(size=200)})
    >>> found = ds.sensitivity(frame, ess=10, structure_prior="uniform")
    >>> found.settings_frame()[["discretize", "log_evidence"]].round(1).values.tolist()[:2]
    [['quantile:2', -728.2], ['quantile:3', -675.4]]
    """
    if missing is not None:
        given = {"ess": ess, "max_parents": max_parents, "structure_prior": structure_prior}
        usual = {"ess": None, "max_parents": DEFAULT_MAX_PARENTS, "structure_prior": AVERAGED_PRIORS}
        fixed: dict[str, Any] = {name: value for name, value in given.items() if value is not usual[name]}
        edges_of: dict[str, Any] = {
            "required": required,
            "forbidden": forbidden,
            "tiers": tiers,
            "randomised": randomised,
        }
        work: dict[str, Any] = {"threads": threads, "max_memory": max_memory, "progress": progress}
        return compare_missing(data, missing, score=score, **fixed, **edges_of, **work, **parameters)
    start = time.perf_counter()
    used, limit = thread_count(threads), memory_limit(max_memory)
    if discretize is None or discretize == AUTO:
        data, score = with_score(data, score)
    options: dict[str, Any] = {
        "score": score,
        "required": tuple(required),
        "forbidden": tuple(forbidden),
        "tiers": None if tiers is None else [list(tier) for tier in tiers],
        "interventions": interventions,
        "randomised": randomised,
    }
    data = _cut(data, discretize, score)
    data, options["score"] = with_score(data, score)
    if isinstance(data, ComparedCuts) and max_parents is DEFAULT_MAX_PARENTS:
        max_parents = BY_ROWS
    grids = grids_of(data, options, {"ess": ess, **parameters}, structure_prior, max_parents)
    grid_requirements(grids, over, used, limit).check(limit)
    first = grids[0].jobs[0].data
    issue(*data_warnings(first))
    count = sum(len(grid.jobs) for grid in grids)
    settings: list[Setting] = []
    edges = []
    with listening(progress) as listener:
        for grid, job, post in _posteriors(grids, over, used, limit, listener, count):
            settings.append(_setting(grid, job, post))
            edges.append(post.edges)
    jobs = [job for grid in grids for job in grid.jobs]
    info = info_of_all(jobs, jobs[0])
    return Sensitivity(
        variables=first.variables,
        score_info=replace(
            info,
            parameters={},
            max_parents=None,
            structure_prior="several",
            equivalent_prior=all(job.prior.equivalent for job in jobs),
            score_equivalent=all(job.score_equivalent for job in jobs),
        ),
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


def _cut(data: Any, discretize: Any, score: str) -> Any:
    """Return a table cut in the ways that are asked for; other data as they are."""
    if discretize is None or (discretize == AUTO and not (is_raw(data) and find_score(score).data_type is Dataset)):
        return data
    if discretize != AUTO:
        return cut_data(data, discretize, score)
    table = as_table(data, dates=True)
    return cut_data(table, COMPARED_CUTS, score) if measured_columns(table) else data


def _posteriors(
    grids: Sequence[Grid], over: str, threads: int, limit: int, listener: ProgressListener | None, count: int
) -> Iterator[tuple[Grid, ScoringJob, Posterior]]:
    """Iterate over the settings and their posteriors. Scores are computed once for each grid."""
    done = 0
    for number, grid in enumerate(grids):
        heard = part_of(listener, "Scoring sets of variables", number, len(grids))
        scores = score_job(grid.largest, Budget.of(threads, limit), progress=heard)
        for job in grid.jobs:
            with warnings.catch_warnings():
                # The settings say how many states parents have.
                warnings.simplefilter("ignore", SparseFamilies)
                chosen = restricted_scores(scores, job)
                part = part_of(listener, "Comparing settings", done, count)
                found = exact_posterior(chosen, over, threads=threads, max_memory=limit, progress=part)
            yield grid, job, found
            done += 1


def _setting(grid: Grid, job: ScoringJob, post: Posterior) -> Setting:
    counts = job.info.level_counts
    return Setting(
        parameters=job.info.parameters,
        structure_prior=job.prior.name,
        max_parents=job.max_parents,
        log_evidence=post.log_evidence + grid.log_density,
        log_total=post.log_total,
        error=post.error,
        parent_states=1.0 if counts is None else float(parent_states(post.edges, counts).max()),
        seconds=sum(post.provenance.seconds.values()),
        unlimited=job.max_parents >= job.data.n - 1,
        discretize=grid.way,
    )
