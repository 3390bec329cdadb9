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

import time
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from dagscape.core.caveats import issue
from dagscape.core.errors import SparseFamilies
from dagscape.core.progress import Progress, ProgressListener, ProgressOption, listening
from dagscape.core.resources import Budget, memory_limit, thread_count
from dagscape.data.discrete.dataset import Dataset
from dagscape.data.values import Frame
from dagscape.posterior.result import Posterior
from dagscape.results.base import provenance_of
from dagscape.sampling.exact_posterior import exact_posterior
from dagscape.scores.constraints import Edge
from dagscape.scores.parent_states import parent_states
from dagscape.scores.priors import PriorOption
from dagscape.scores.scoring import restricted_scores, score_job
from dagscape.scores.scoring_job import ScoringJob, suspicious_columns
from dagscape.studies.grids import DEFAULT_MAX_PARENTS, DEFAULT_PRIORS, Grid, grid_requirements, grids_of
from dagscape.studies.sensitivity_result import Sensitivity, Setting

# The progress of a setting, in parts of its whole.
_PARTS = 1000


def sensitivity(
    data: Dataset | Frame,
    ess: float | Sequence[float] | None = None,
    structure_prior: PriorOption = DEFAULT_PRIORS,
    max_parents: int | Sequence[int | None] | None = DEFAULT_MAX_PARENTS,
    over: str = "dags",
    *,
    score: str = "bdeu",
    required: Iterable[Edge] = (),
    forbidden: Iterable[Edge] = (),
    tiers: Sequence[Iterable[str]] | None = None,
    interventions: str = "perfect",
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
    structure_prior : prior or sequence of priors
        Structure priors, as in :func:`dagscape.local_scores`; those of a list within the sequence are multiplied.
    max_parents : int, None or sequence of them
        Limits on the number of parents; None is no limit. Limits that mean the same count once.
    over : {"dags", "orders"}
        As in :func:`dagscape.posterior`.
    score, required, forbidden, tiers, interventions
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
        "interventions": interventions,
    }
    grids = grids_of(data, options, {"ess": ess, **parameters}, structure_prior, max_parents)
    grid_requirements(grids, over, used, limit).check(limit)
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
        score_info=replace(
            info,
            parameters={},
            max_parents=None,
            structure_prior="several",
            equivalent_prior=all(job.prior.equivalent for grid in grids for job in grid.jobs),
            score_equivalent=all(job.score_equivalent for grid in grids for job in grid.jobs),
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


def _posteriors(
    grids: Sequence[Grid], over: str, threads: int, limit: int, listener: ProgressListener | None, count: int
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
                found = exact_posterior(chosen, over, threads=threads, max_memory=limit, progress=part)
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
