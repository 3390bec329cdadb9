"""The posterior of all edges: the exact sum, and the compelled edges from samples of the same weights."""

from __future__ import annotations

import os
from collections.abc import Iterable

from dagscape.core.constraints import FLAG, Flag
from dagscape.core.errors import argument, function
from dagscape.core.progress import ProgressOption
from dagscape.core.randomness import Seed, random_generator
from dagscape.core.resources import Budget
from dagscape.posterior.backends import cost_more, on_all_processes
from dagscape.posterior.result import Posterior
from dagscape.posterior.running import plan_sum
from dagscape.posterior.summing import planned_posterior, wants_paths
from dagscape.running.checkpoints import DEFAULT_SECONDS
from dagscape.sampling.compelled import COMPELLED_SAMPLES, DEFAULT_COMPELLED_SAMPLES, CompelledSampling
from dagscape.scores.tables.enumerable_scores import EnumerableScores, check_scores

_PRIOR_ALONE = Flag(said=f"True or False ({function('local_scores')} has {argument('structure_prior')})")


@on_all_processes
def posterior(
    scores: EnumerableScores,
    over: str = "dags",
    *,
    via: str | Iterable[tuple[str, str, str]] | None = None,
    ancestors: bool = False,
    prior: bool = False,
    compelled: bool = False,
    compelled_samples: int = DEFAULT_COMPELLED_SAMPLES,
    seed: Seed = 0,
    backend: str = "auto",
    threads: int | None = None,
    max_memory: int | str | None = None,
    progress: ProgressOption = None,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_seconds: float = DEFAULT_SECONDS,
) -> Posterior:
    """Compute the exact posterior probability of each edge and each ancestor relation.

    Parameters
    ----------
    scores : EnumerableScores
        The local scores. If families are missing, sums are too small, and a warning is issued.
    over : {"dags", "orders"}
        Sum over DAGs with the structure prior of the scores, or over orders of the variables. The latter is much
        cheaper, but it favours DAGs that are consistent with many orders, and gives equivalent DAGs different weights.
    via : "all" or iterable of (source, middle, target), optional
        Also compute the probabilities of paths from one variable through another to a third. This takes (4/3)^n times
        as long as the rest, for one triple as for all, so all are computed.
    ancestors : bool
        Over orders, also compute the probabilities of ancestor relations. This takes n (n - 1) 3^(n-2) steps, where
        the edges take n² 2^n: seconds for 15 variables. Sums over DAGs always have them.
    prior : bool
        Ignore the data: the probabilities are those of the structure prior alone, for comparison.
    compelled : bool
        Also estimate the probability that an edge holds in every member of the equivalence class, from DAGs that are
        drawn exactly and independently (:func:`dagscape.sample_dags`). This takes about half as long again, and more
        for many samples. Constraints on edges and experiments rule out members, and so compel more edges.
    compelled_samples, seed
        The number of DAGs to draw, and their seed.
    backend : {"auto", "cpu", "cuda", "mpi"}
        The implementation of the sum: the kernels of the processor, those of an NVIDIA GPU through CuPy, or those of
        the processors of all ranks of an MPI program. The default uses a GPU if there is one
        (:func:`dagscape.backends`) and its estimated time is shorter, and never MPI. With ``"mpi"``, all ranks must
        call the function; the arguments of rank 0 are used, so the others may pass None as ``scores``, and all get the
        same result or error.
    threads, max_memory, progress
        As in :func:`dagscape.local_scores`. The result does not depend on the number of threads. With MPI, each rank
        has this number of threads (default: the cores of a machine divided by its ranks), the limit applies to all
        ranks of a machine together, and rank 0 alone reports progress.
    checkpoint : path, optional
        A folder for checkpoints of long sums, which needs up to 16 bytes · 2^n. If the process is killed, the same call
        later continues after the last checkpoint, with the same result. They are removed at the end.
    checkpoint_seconds : float
        The least time between two checkpoints.

    Returns
    -------
    Posterior
        The probabilities, the totals and their errors.

    Examples
    --------
    >>> import dagscape as ds
    >>> post = ds.posterior(ds.local_scores(ds.load_dataset("tic-tac-toe")))
    >>> round(post.edge("Class", "middle-middle-square"), 4), round(post.edge("top-left-square", "Class"), 4)
    (1.0, 0.4955)
    >>> round(post.ancestor("top-left-square", "middle-middle-square"), 4)
    0.75

    Edges that hold in every member of their class, and edges that most members have, but not all:

    >>> frame = ds.posterior(ds.local_scores(ds.load_dataset("tic-tac-toe")), compelled=True).to_frame()
    >>> frame.loc[[5, 9], ["source", "target", "edge", "compelled"]].round(2)
                source                target  edge  compelled
    5  top-left-square                 Class  0.50       0.49
    9  top-left-square  bottom-middle-square  0.45       0.08
    """
    budget = Budget.of(threads, max_memory)
    check_scores(scores)
    with_paths = wants_paths(via, scores.variables)
    _PRIOR_ALONE.check(prior, "prior")
    FLAG.check(ancestors, "ancestors")
    with_ancestors = cost_more(over, ancestors=ancestors)
    FLAG.check(compelled, "compelled")
    COMPELLED_SAMPLES.check(compelled_samples, "compelled_samples")
    random_generator(seed)
    sampling = CompelledSampling(int(compelled_samples), seed)
    planned = plan_sum(
        scores,
        over,
        backend,
        budget,
        with_paths=with_paths,
        with_ancestors=with_ancestors,
        resumable=checkpoint is not None,
    )
    if compelled:
        sampling.requirements(scores, over, budget).check(budget.limit)
    found = planned_posterior(
        planned,
        scores,
        with_paths=with_paths,
        with_ancestors=with_ancestors,
        prior=prior,
        progress=progress,
        checkpoint=checkpoint,
        checkpoint_seconds=checkpoint_seconds,
    )
    return sampling.added_to(found, scores, budget, progress) if compelled else found
