"""Local scores of all families of a data set."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from dagscape.core.caveats import issue
from dagscape.core.progress import ProgressOption, kernel_callback, listening
from dagscape.core.resources import Budget
from dagscape.data.notices import data_warnings
from dagscape.data.values import Frame
from dagscape.results.base import Provenance, provenance_of
from dagscape.results.score_info import ScoreInfo
from dagscape.scores.arithmetic.rounding import network_rounding
from dagscape.scores.constraints import Edge
from dagscape.scores.definitions.set_functions import ScoredData
from dagscape.scores.priors import PriorOption
from dagscape.scores.requirements import scoring_requirements
from dagscape.scores.scoring_job import ScoringJob, prepare
from dagscape.scores.tables.family_terms import check_possible, listed_terms
from dagscape.scores.tables.lattice_scores import LatticeScores


def local_scores(
    data: ScoredData | Frame,
    score: str = "bdeu",
    ess: float = 1.0,
    max_parents: int | None = None,
    structure_prior: PriorOption = "uniform",
    required: Iterable[Edge] = (),
    forbidden: Iterable[Edge] = (),
    tiers: Sequence[Iterable[str]] | None = None,
    *,
    interventions: str = "perfect",
    randomised: Collection[str] = (),
    threads: int | None = None,
    max_memory: int | str | None = None,
    progress: ProgressOption = None,
    **parameters: float | str,
) -> LatticeScores:
    """Compute the local scores of all families.

    Parameters
    ----------
    data : Dataset, NumericData, MixedData, data frame, str or path
        The data, of the kind that the score asks for; a file or a frame for discrete scores is read as with
        ``discretize="auto"`` (:func:`dagscape.read_data`), for others as by ``from_frame``. A variable that
        looks like an identifier is scored, with a warning (:class:`~dagscape.SuspiciousColumns`).
    score : str
        For discrete data ``bdeu``, ``k2``, ``bic``, ``aic``, ``mdl`` or ``loglik``; for numbers ``bge``
        or ``bic-g``, with unbiased variances, as in bnlearn; for mixed tables ``dg``, ``dg-bge``, ``cg`` or
        ``bic-cg`` (the last two without edges from measured to discrete variables). ``auto``: ``bdeu``, ``bge`` or a
        score of mixed tables, by what the variables are; :attr:`ScoreInfo.score_choice` says why.
    ess : float
        The equivalent sample size of BDeu, and of ``cg`` for discrete variables. Other scores have no use for it.
    max_parents : int, optional
        The limit on the number of parents of a variable. Default: no limit, which takes 8 bytes for each of 2^n sets.
    structure_prior : str, array, data frame, mapping, callable, or list of these
        ``uniform``, ``per-size`` (1/C(n−1, k) for k parents), or ``edge-penalty:K`` (each edge costs K nats). Or the
        log-odds of edges: an array with a row for each parent and a column for each child, a pandas data frame with
        names as index and columns, or a mapping {(parent, child): log-odds}; 0 is indifferent, and minus infinity
        forbids an edge. Or log weights of families: a callable of the names of a child and of its parents (a tuple, in
        the order of the variables), or a mapping {(child, (parent, …)): log weight}, where families that are not
        listed have 0. The priors of a list are multiplied.
    required, forbidden : iterable of (parent, child)
        Edges that every network must have, and edges that no network may have.
    tiers : sequence of iterables of names, optional
        Edges must not lead from a later tier to an earlier one. Variables in no tier are unconstrained.
    interventions : {"perfect", "mechanism"}
        What an experiment did to a variable that it set (``interventions`` of :func:`dagscape.read_data`). A perfect
        intervention cut it off from its parents: these rows are left out of its families [cooper1999]_. A change of
        mechanism kept the parents, and changed what they do: these rows are a second sample of its families, with
        parameters of their own [tian2001]_. The scores of data without experiments do not depend on it.
    randomised : collection of str
        The variables whose value the experimenters assigned in every row, such as the arm of a randomised trial. No
        network has an edge into them, and none into variables of which the data say so (``randomised`` and
        ``interventions`` of :func:`dagscape.read_data`).
    threads : int, optional
        The number of threads. Default: all processors. The scores do not depend on it.
    max_memory : int or str, optional
        The limit on memory, such as ``"8GiB"``. Default: most of what is available.
    progress : bool or callable, optional
        True shows a bar on standard error; a callable receives a :class:`~dagscape.core.progress.Progress`.
    **parameters
        Other parameters of the score, if it has any.

    Returns
    -------
    LatticeScores
        The scores: natural logs, higher is better.

    Examples
    --------
    >>> import dagscape as ds
    >>> data = ds.load_dataset("tic-tac-toe")
    >>> scores = ds.local_scores(data)
    >>> round(scores.family("Class", ["middle-middle-square"]), 4)
    -571.795
    """
    job = prepare(
        data,
        score=score,
        ess=ess,
        max_parents=max_parents,
        structure_prior=structure_prior,
        required=required,
        forbidden=forbidden,
        tiers=tiers,
        interventions=interventions,
        randomised=randomised,
        **parameters,
    )
    issue(*data_warnings(job.data))
    return score_job(job, Budget.of(threads, max_memory), progress=progress)


def score_job(
    job: ScoringJob, budget: Budget, *, progress: ProgressOption = None, info: ScoreInfo | None = None
) -> LatticeScores:
    """Compute the local scores of a prepared job.

    Parameters
    ----------
    job : ScoringJob
        The definition of the scores.
    budget : Budget
        Threads and memory.
    progress : bool or callable, optional
        As in :func:`local_scores`.
    info : ScoreInfo, optional
        What the scores say that they are. Default: what the job says, which reads all data.
    """
    threads = budget.threads
    scoring_requirements(job, threads, budget.limit).check(budget.limit)
    start = time.perf_counter()
    tables: list[NDArray[np.int64]] = []
    with listening(progress) as listener:
        for i in range(job.functions.count):
            table = np.empty(job.sets, dtype=np.int64)
            total = job.functions.count * job.sets
            callback = kernel_callback("Scoring sets of variables", listener, i * job.sets, total)
            job.functions.lattice_kernel(i, job.unit).run(table, threads, callback)
            tables.append(table)
    seconds = {"scoring": time.perf_counter() - start}
    info = job.info if info is None else info
    provenance = provenance_of("local_scores", info.to_dict(), seconds, threads)
    return _lattice_scores(job, info, tables, job.max_size, provenance)


def restricted_scores(scores: LatticeScores, job: ScoringJob) -> LatticeScores:
    """Return scores of the same data with another structure prior or fewer parents; the tables are shared.

    Parameters
    ----------
    scores : LatticeScores
        The scores of a job with the same score, data and constraints, and at least as many parents.
    job : ScoringJob
        The other prior and limit, with the unit of the scores.
    """
    return _lattice_scores(job, job.info, scores.tables, scores.index.max_size, scores.provenance)


def _lattice_scores(
    job: ScoringJob, info: ScoreInfo, tables: Sequence[NDArray[np.int64]], max_size: int, provenance: Provenance
) -> LatticeScores:
    terms = listed_terms(job.prior, job.unit, job.data.n, job.max_parents)
    scores = LatticeScores(
        variables=job.data.variables,
        max_parents=job.max_parents,
        unit=job.unit,
        rounding=network_rounding(job),
        tables=tables,
        joint_table=job.functions.joint,
        base_table=job.functions.base,
        size_terms=job.unit.to_ints(job.size_terms()),
        prior_terms=job.unit.to_ints(job.prior_terms()),
        family_terms=terms,
        constraints=job.constraints,
        info=info,
        provenance=provenance,
        max_size=max_size,
    )
    if terms is not None:
        check_possible(terms, scores.scores_by_size, scores.variables)
    return scores
