"""How stable edges are, by the bootstrap: networks learned again and again, from resampled rows.

A search returns one network, and does not say which of its edges another sample of the same size would show, too. The
bootstrap [friedman1999]_ draws such samples from the data itself: as many rows, with replacement. What the paper
calls the confidence in an edge is the share of the samples whose network has it.

A sample is a number of times for each distinct row, so no row is copied. Levels that a sample lacks remain levels, so
that the scores of all samples have the same parameters. Normal priors take means and scales from all rows of the
data, so that samples share one prior, in which a column may be constant. A maximised likelihood
has no value then: such samples are left out, and counted.

Sample number i has its own random numbers, spawned from the seed: the result depends on neither what runs the samples,
nor on how many run at once, nor on the order in which they finish.

Notation: the paper's m bootstrap replicates D*_i are ``samples``, its confidence p̂*(f) in a feature f is a share of
them.
"""

from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dagscape.core.caveats import Caveats, issue
from dagscape.core.checks import check_choice
from dagscape.core.clock import Clock
from dagscape.core.errors import InvalidData, InvalidOption, SamplesLeftOut, argument, type_of
from dagscape.core.progress import ProgressOption
from dagscape.core.randomness import Seed, recorded_seed
from dagscape.core.resources import Budget
from dagscape.data.any_data import AnyData
from dagscape.data.notices import data_warnings
from dagscape.data.resampling import resampled
from dagscape.data.values import Frame
from dagscape.graphs.comparison import HasDag
from dagscape.graphs.dag import Dag
from dagscape.posterior.evidence import BEST, job_of_best
from dagscape.posterior.grids import lasting_options
from dagscape.results.base import provenance_of
from dagscape.scores.equivalence import distinguishes_members
from dagscape.scores.parent_states import sparse_families
from dagscape.scores.scoring_job import ScoringJob, prepare_sample
from dagscape.scores.tables.on_demand import on_demand_scores
from dagscape.search.options import split_options
from dagscape.search.registry import LEARNERS
from dagscape.search.running import run_learner
from dagscape.search.starting import most_parents
from dagscape.studies.bootstrap_plan import bootstrap_requirements
from dagscape.studies.bootstrap_result import Bootstrap
from dagscape.studies.samples import (
    DEFAULT_SAMPLES,
    LeftOut,
    Sample,
    SampleStudy,
    shares_of_samples,
    why_left_out,
)

if TYPE_CHECKING:
    from concurrent.futures import Executor


# What to do about samples without scores.
_REMEDY = f"use a score with a prior ('bge', 'cg' or 'dg-bge'), or leave a column out ({argument('drop')})"


@dataclass(frozen=True, slots=True)
class Resampling:
    """What all samples have in common.

    Attributes
    ----------
    data : Dataset
        The data.
    method : str
        The method that learns networks.
    scoring, options : mapping
        The options of the scores, and of the method.
    start : Dag or None
        The network to start from.
    max_memory : int, str or None
        The limit on memory.
    randomised : tuple of str
        The variables that were set in every row of the data, not only of a sample.
    """

    data: AnyData
    method: str
    scoring: Mapping[str, Any]
    options: Mapping[str, Any]
    start: Dag | HasDag | None
    max_memory: int | str | None
    randomised: tuple[str, ...] = ()


def bootstrap(
    data: AnyData | Frame,
    method: str = "order",
    samples: int = DEFAULT_SAMPLES,
    *,
    seed: Seed = 0,
    executor: Executor | None = None,
    workers: int | None = None,
    max_seconds: float | None = None,
    start: Dag | HasDag | None = None,
    settings: str = BEST,
    max_memory: int | str | None = None,
    progress: ProgressOption = None,
    **options: Any,
) -> Bootstrap:
    """Learn networks from resampled rows: the share of samples with each edge and each ancestor relation.

    Parameters
    ----------
    data : Dataset, data frame, str or path
        The data.
    method : str
        The method that learns the networks, as in :func:`dagscape.learn`.
    samples : int
        The number of samples.
    seed : int, numpy.random.Generator or None
        Decides everything that is random. The result depends on the seed, the data and the options only, unless
        ``max_seconds`` ends the study. With None it differs from run to run. Default: 0.
    executor : concurrent.futures.Executor, optional
        What runs the samples, such as an executor of mpi4py, Dask or loky. Default: worker processes on this machine,
        or this process if the work is small or the time short.
    workers : int, optional
        The number of worker processes, each with one thread; 1 runs everything in this process. Default: one for each
        processor; 1 if the structure prior has a function that workers cannot import.
    max_seconds : float, optional
        End the study after this time with the samples finished by then, and a :class:`~dagscape.StoppedEarly` warning.
        Default: no limit.
    start : Dag or Network, optional
        The network from which each search starts, as in :func:`dagscape.learn`.
    settings : {"best", "fixed"}
        As in :func:`dagscape.learn`: chosen once, for all rows.
    max_memory : int or str, optional
        The limit on the memory of each sample, as in :func:`dagscape.learn`.
    progress : bool or callable, optional
        As in :func:`dagscape.local_scores`.
    **options
        The options of :func:`dagscape.local_scores`, and those of the method.

    Returns
    -------
    Bootstrap
        The networks, and the shares of samples as arrays like those of a posterior.

    Warns
    -----
    SamplesLeftOut
        If measured variables are constant or linearly dependent in samples, so that a likelihood has no value there.
        Scores with a prior take means and scales from all rows, and have a value in every sample.

    See Also
    --------
    posterior : the exact probabilities, for up to about 20 variables over DAGs, 31 over orders.

    Examples
    --------
    >>> import dagscape as ds
    >>> boot = ds.bootstrap(ds.load_dataset("iris"), samples=20)
    >>> boot
    Bootstrap(order, 5 variables, 20 samples, 3 edges above 0.5)
    >>> boot.adjacency("petal_width", "class"), round(boot.edge("petal_width", "class"), 2)
    (1.0, 0.3)
    """
    check_choice(method, LEARNERS, "method")
    study = SampleStudy(samples, max_seconds, executor, _able_workers(executor, workers, options), options)
    scoring, method_options = split_options(LEARNERS[method], options)
    scoring, needed = lasting_options(scoring), most_parents(start)
    budget = Budget.of(None, max_memory)

    def check(job: ScoringJob) -> None:
        needs = bootstrap_requirements(job, 1, budget.limit, method=method, samples=samples, **method_options)
        needs.check(budget.limit)

    whole = job_of_best(data, scoring, budget, settings, progress, needed=needed, clock=study.clock, check=check)
    if not isinstance(whole.data, AnyData):
        raise InvalidOption(f"is {type_of(whole.data)}, which cannot be resampled", option="data")
    issue(*data_warnings(whole.data))
    # The tables of a network are not sent to workers.
    begin = getattr(start, "dag", start)
    chosen = {**scoring, **whole.chosen, "score": whole.definition.name}
    job = Resampling(whole.data, method, chosen, method_options, begin, max_memory, whole.randomised)
    outcomes, unfinished = study.run(
        learn_sample,
        job,
        seed,
        progress,
        doing="Learning from samples",
        # A search that was cut short may not have found what it would find in another sample.
        keeps=lambda outcome: isinstance(outcome, LeftOut) or outcome.complete,
    )
    done = [outcome for outcome in outcomes if isinstance(outcome, Sample)]
    left_out = [outcome for outcome in outcomes if isinstance(outcome, LeftOut)]
    _check_left_out(whole, left_out, len(outcomes))
    caveats = Caveats(whole.info.warnings)
    caveats.issue(*LEARNERS[method].cautions(whole.info))
    caveats.issue(unfinished)
    if left_out:
        caveats.issue(SamplesLeftOut(why_left_out(left_out, len(outcomes)), f"; {_REMEDY}"))
    used = recorded_seed(seed)
    return _result(job, done, len(left_out), study.samples, whole, max_seconds, study.clock.seconds, used, caveats)


def _able_workers(executor: Executor | None, workers: int | None, options: Mapping[str, Any]) -> int | None:
    """Return the number of worker processes: 1 by default if they cannot import a function of the structure prior."""
    prior = options.get("structure_prior")
    functions = [part for part in (prior if isinstance(prior, list | tuple) else [prior]) if callable(part)]
    if executor is not None or workers == 1 or all(map(_can_be_sent, functions)):
        return workers
    if workers is None:
        return 1
    raise InvalidOption(
        f"has a function that worker processes cannot import: define it in a module, or use {argument('workers', 1)}",
        option="structure_prior",
    )


def _can_be_sent(function: Any) -> bool:
    """Whether a worker process can get a function: it must not be local, nor of the script that runs."""
    try:
        pickle.dumps(function)
    except (pickle.PicklingError, AttributeError, TypeError):
        return False
    return "__main__" not in (getattr(function, "__module__", ""), type(function).__module__)


def learn_sample(job: Resampling, rng: np.random.Generator, seconds: float) -> Sample | LeftOut:
    """Learn the network of one sample, with one thread and in limited time; say why if it has no scores."""
    try:
        return _learned(job, rng, seconds)
    except InvalidData as error:
        if not error.degenerate:
            raise
        return LeftOut(error.degenerate)


def _learned(job: Resampling, rng: np.random.Generator, seconds: float) -> Sample:
    scoring = prepare_sample(resampled(job.data, rng), job.randomised, job.data, **job.scoring)
    clock = Clock(seconds)
    scores = on_demand_scores(scoring, threads=1, max_memory=job.max_memory)
    _, found = run_learner(
        LEARNERS[job.method],
        job.options,
        scores,
        scoring,
        job.start,
        rng=rng,
        clock=clock,
        threads=1,
        max_memory=job.max_memory,
    )
    return Sample(found.network, scores.unit.to_float(found.exact), found.complete)


def _check_left_out(whole: ScoringJob, left_out: Sequence[LeftOut], samples: int) -> None:
    """Refuse columns that are linearly dependent in all rows, and data of which no sample is left."""
    if not left_out:
        return
    scores = on_demand_scores(whole, threads=1)
    # In all rows, the first error tells what is wrong with the data.
    for variables in dict.fromkeys(sample.variables for sample in left_out):
        for child in variables:
            scores.family(child, [name for name in variables if name != child])
    if len(left_out) == samples:
        raise InvalidData(f"{why_left_out(left_out, samples)}; {_REMEDY}")


def _result(
    job: Resampling,
    done: Sequence[Sample],
    left_out: int,
    samples: int,
    whole: ScoringJob,
    max_seconds: float | None,
    seconds: float,
    seed: int | None,
    caveats: Caveats,
) -> Bootstrap:
    info, learner = whole.info, LEARNERS[job.method]
    networks, edges, ancestors = shares_of_samples(done, classes=not distinguishes_members(info))
    caveats.issue(sparse_families(info, networks.variables, edges))
    parameters = {"method": learner.name, "samples": samples, "max_seconds": max_seconds, **learner.options}
    return Bootstrap(
        variables=networks.variables,
        score_info=info,
        provenance=provenance_of(
            "bootstrap", {**parameters, **job.options, "scores": info.to_dict()}, {"study": seconds}, 1, seed
        ),
        warnings=caveats.kept,
        method=learner.name,
        samples=samples,
        networks=networks,
        scores=np.array([sample.score for sample in done]),
        edges=edges,
        ancestors=ancestors,
        left_out=left_out,
    )
