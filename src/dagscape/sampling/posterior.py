"""The posterior of all edges: an exact sum, or Markov chains where that is too large."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from dagscape.core.checks import check_choice
from dagscape.core.clock import Clock
from dagscape.core.constraints import FLAG
from dagscape.core.progress import ProgressOption
from dagscape.core.randomness import Seed
from dagscape.core.resources import Budget
from dagscape.ensembles.sampled_networks import SampledNetworks
from dagscape.posterior.backends import SUMMED_OVER, on_all_processes
from dagscape.posterior.order_weights import OrderWeightsOption
from dagscape.posterior.result import Posterior
from dagscape.posterior.running import PlannedSum, plan_sum
from dagscape.running.checkpoints import DEFAULT_SECONDS
from dagscape.sampling.chain import chain
from dagscape.sampling.chain_requirements import chain_requirements
from dagscape.sampling.compelled import DEFAULT_COMPELLED_SAMPLES
from dagscape.sampling.exact_posterior import exact_posterior
from dagscape.sampling.method_choice import (
    METHODS,
    Reason,
    chosen_method,
    explained,
    most_seconds_of_sum,
    sum_or_reason,
)
from dagscape.scores.tables.enumerable_scores import EnumerableScores, check_scores
from dagscape.scores.tables.local_scores import LocalScores


@on_all_processes
def posterior(
    scores: LocalScores,
    over: str = "dags",
    *,
    method: str = "auto",
    via: str | Iterable[tuple[str, str, str]] | None = None,
    ancestors: bool = False,
    prior: bool = False,
    order_weights: OrderWeightsOption = None,
    compelled: bool = False,
    compelled_samples: int = DEFAULT_COMPELLED_SAMPLES,
    seed: Seed = 0,
    draws: int | None = None,
    chains: int | None = None,
    thin: int | None = None,
    max_seconds: float | None = None,
    backend: str = "auto",
    threads: int | None = None,
    max_memory: int | str | None = None,
    progress: ProgressOption = None,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_seconds: float = DEFAULT_SECONDS,
) -> Posterior | SampledNetworks:
    """Compute the posterior probability of each edge and each ancestor relation: exact, or from Markov chains.

    Parameters
    ----------
    scores : LocalScores
        The local scores. If families are missing, sums are too small, and a warning is issued. Exact sums need an
        :class:`~dagscape.EnumerableScores`; chains take scores on demand, too.
    over : {"dags", "orders"}
        Sum over DAGs with the structure prior of the scores, or over orders of the variables. The latter is much
        cheaper, but it favours DAGs that are consistent with many orders, and gives equivalent DAGs different weights.
    method : {"auto", "exact", "chain"}
        Sum exactly, or sample DAGs by Markov chains (:func:`dagscape.chain`). The default sums wherever that fits in
        memory and is estimated to take at most an hour, or ``max_seconds``; otherwise, it runs chains, and the result
        says why. It never runs chains over orders, nor if an option below asks for what chains do not have. With a
        checkpoint, a sum may take any time.
    via : "all" or iterable of (source, middle, target), optional
        Also compute the probabilities of paths from one variable through another to a third. This takes (4/3)^n times
        as long as the rest, for one triple as for all, so all are computed.
    ancestors : bool
        Over orders, also compute the probabilities of ancestor relations. This takes n (n - 1) 3^(n-2) steps, where
        the edges take n² 2^n: seconds for 15 variables. Sums over DAGs always have them.
    prior : bool
        Ignore the data: the probabilities are those of the structure prior alone, for comparison.
    order_weights : array, data frame, mapping or callable, optional
        Over orders, log weights of orders: the order-modular prior of an order and a DAG is then the product of
        ``q_v(U)`` over all variables v, where U are the variables before v, times the structure prior
        [koivisto2004]_. A matrix ``w``, a pandas data frame with names as index and columns, or a mapping
        {(u, v): w} adds ``w[u, v]`` wherever u comes before v; minus infinity rules that out. A callable of the name
        of a variable and those of its predecessors (a tuple, in the order of the variables) returns ln q_v(U); it is
        called n 2^(n−1) times, for up to 16 variables. Default: all orders have the same weight. Such sums are
        computed on a processor, with all sets of parents in memory.
    compelled : bool
        Also estimate the probability that an edge holds in every member of the equivalence class, from DAGs that are
        drawn exactly and independently (:func:`dagscape.sample_dags`). This takes about half as long again, and more
        for many samples. Constraints on edges and experiments rule out members, and so compel more edges.
    compelled_samples, seed
        The number of DAGs to draw, and their seed, which is also that of chains.
    draws, chains, thin, max_seconds
        The options of :func:`dagscape.chain`, for the case that chains run.
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
    Posterior or SampledNetworks
        The probabilities, the totals and their errors; or sampled networks, whose probabilities have Monte Carlo
        errors, with diagnostics. The ``method`` of the result is ``"exact"`` or ``"chain"``.

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

    What a sum cannot handle is sampled by Markov chains, here on request:

    >>> drawn = ds.posterior(ds.local_scores(ds.load_dataset("tic-tac-toe"), max_parents=3), method="chain", draws=500)
    >>> drawn.method, drawn.diagnostics.converged
    ('chain', True)
    """
    check_choice(method, METHODS, "method")
    budget = Budget.of(threads, max_memory)
    # It refuses what is no time, whichever method there will be.
    Clock(max_seconds)
    of_sums: dict[str, Any] = {"via": via, "prior": prior, "order_weights": order_weights}
    of_sums |= {"compelled_samples": compelled_samples, "backend": backend}
    of_chains: dict[str, Any] = {"draws": draws, "chains": chains, "thin": thin, "max_seconds": max_seconds}
    given = {name: value for name, value in of_chains.items() if value is not None}
    common: dict[str, Any] = {"seed": seed, "threads": threads, "max_memory": max_memory, "progress": progress}
    common |= {"checkpoint": checkpoint, "checkpoint_seconds": checkpoint_seconds}
    method = chosen_method(method, over, of_sums, given)
    planned = None
    if method != "exact":
        _check_kind(scores)
        check_choice(over, SUMMED_OVER, "over")
        FLAG.check(ancestors, "ancestors")
        FLAG.check(compelled, "compelled")
        found = Reason("") if method == "chain" else _sum_or_reason(scores, budget, given, checkpoint is not None)
        if isinstance(found, Reason):
            return explained(chain(scores, **given, **common), found)
        planned = found
    more: dict[str, Any] = {"ancestors": ancestors, "compelled": compelled, "planned": planned}
    return exact_posterior(scores, over, **of_sums, **common, **more)


def _check_kind(scores: object) -> None:
    """Refuse what are no scores; those on demand will do for chains."""
    if not isinstance(scores, LocalScores):
        check_scores(scores)


def _sum_or_reason(
    scores: LocalScores, budget: Budget, given: Mapping[str, Any], resumable: bool
) -> PlannedSum | Reason:
    """Return the sum over DAGs, planned, or the reason for chains."""
    if not isinstance(scores, EnumerableScores):
        return Reason("the scores are computed on demand")
    asked = {name: given[name] for name in ("chains", "draws") if name in given}
    return sum_or_reason(
        scores.n,
        lambda: plan_sum(scores, "dags", "auto", budget, resumable=resumable),
        lambda: chain_requirements(scores, budget.threads, budget.limit, **asked).fits(budget.limit),
        most_seconds_of_sum(given.get("max_seconds"), resumable=resumable),
    )
