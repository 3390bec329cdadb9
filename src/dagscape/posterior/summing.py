"""Sums over all DAGs or all orders, and the posterior probabilities that follow from them.

Over DAGs, the algorithm is that of [tian2009]_, with all ancestor relations from the same pass
(``native/include/dagscape/sums/dag_sum.hpp``). Over orders, it is that of [koivisto2004]_ and [koivisto2006]_
(``native/include/dagscape/sums/order_sum.hpp``); ancestor relations over orders are sums over pairs of sets
(``native/include/dagscape/sums/order_ancestors.hpp``).

Notation: Tian & He's H, RR, A and B are the kernels' H, RR, A and B; their K_v(U) is q_v(U) / (A_v(U) H(U)).
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from dagscape.core.caveats import Caveats
from dagscape.core.checks import is_one_of
from dagscape.core.constraints import FLAG, Flag
from dagscape.core.errors import DagscapeError, InvalidOption, argument, did_you_mean, function
from dagscape.core.progress import ProgressListener, ProgressOption, listening
from dagscape.core.resources import Budget
from dagscape.posterior.accuracy import score_error
from dagscape.posterior.backends import cost_more, on_all_processes
from dagscape.posterior.contract import Wanted, check_total
from dagscape.posterior.order_weights import OrderLogs, OrderWeightsOption, order_logs
from dagscape.posterior.prior_total import log_prior_total
from dagscape.posterior.result import Posterior
from dagscape.posterior.running import INCOMPLETE_SUM, PlannedSum, Prepared, plan_sum
from dagscape.results.base import provenance_of
from dagscape.running.checkpoints import DEFAULT_SECONDS
from dagscape.scores.parent_states import sparse_families
from dagscape.scores.tables.enumerable_scores import EnumerableScores, check_scores, incomplete_scores

_PRIOR_ALONE = Flag(said=f"True or False ({function('local_scores')} has {argument('structure_prior')})")


@on_all_processes
def posterior(
    scores: EnumerableScores,
    over: str = "dags",
    *,
    via: str | Iterable[tuple[str, str, str]] | None = None,
    ancestors: bool = False,
    prior: bool = False,
    order_weights: OrderWeightsOption = None,
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
    order_weights : array, data frame, mapping or callable, optional
        Over orders, log weights of orders: the order-modular prior of an order and a DAG is then the product of
        ``q_v(U)`` over all variables v, where U are the variables before v, times the structure prior
        [koivisto2004]_. A matrix ``w``, a pandas data frame with names as index and columns, or a mapping
        {(u, v): w} adds ``w[u, v]`` wherever u comes before v; minus infinity rules that out. A callable of the name
        of a variable and those of its predecessors (a tuple, in the order of the variables) returns ln q_v(U); it is
        called n 2^(n−1) times, for up to 16 variables. Default: all orders have the same weight. Such sums are
        computed on a processor, with all sets of parents in memory.
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
    """
    budget = Budget.of(threads, max_memory)
    check_scores(scores)
    with_paths = wants_paths(via, scores.variables)
    _PRIOR_ALONE.check(prior, "prior")
    FLAG.check(ancestors, "ancestors")
    with_ancestors = cost_more(over, ancestors=ancestors)
    planned = plan_sum(
        scores,
        over,
        backend,
        budget,
        with_paths=with_paths,
        with_ancestors=with_ancestors,
        order_weights=order_weights is not None,
        resumable=checkpoint is not None,
    )
    return planned_posterior(
        planned,
        scores,
        with_paths=with_paths,
        with_ancestors=with_ancestors,
        prior=prior,
        orders=order_logs(order_weights, scores.variables, planned.threads, planned.limit),
        progress=progress,
        checkpoint=checkpoint,
        checkpoint_seconds=checkpoint_seconds,
    )


def planned_posterior(
    planned: PlannedSum,
    scores: EnumerableScores,
    *,
    with_paths: bool = False,
    with_ancestors: bool = False,
    prior: bool = False,
    orders: OrderLogs | None = None,
    progress: ProgressOption = None,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_seconds: float = DEFAULT_SECONDS,
) -> Posterior:
    """Do the work of :func:`posterior` for a sum that was planned, perhaps before there were scores."""
    start = time.perf_counter()
    over, first = planned.backend.over, planned.arrange(scores, prior_only=prior).with_orders(orders)
    caveats = Caveats(scores.info.warnings)
    caveats.issue(incomplete_scores(scores, INCOMPLETE_SUM))
    with listening(progress) as listener, first.saving_to(checkpoint, checkpoint_seconds) as prepared:
        wanted: Wanted = "paths" if with_paths else "ancestors" if with_ancestors else "features"
        found = prepared.sum(f"Summing over {over}", wanted, listener)
        check_total(found)
        log_total = found.log_total + prepared.weights.log_offset(scores.unit)
        log_prior = log_total if prior else _log_prior(scores, prepared, listener)
    n = scores.n
    edges = _clipped(found.edges[:n, :n], found.error)
    caveats.issue(None if prior else sparse_families(scores.info, scores.variables, edges))
    return Posterior(
        variables=scores.variables,
        score_info=scores.info,
        provenance=provenance_of(
            "posterior",
            {
                "over": over,
                "via": with_paths,
                "ancestors": found.ancestors is not None,
                "prior": prior,
                "order_weights": None if orders is None else orders.name,
                "scores": scores.info.to_dict(),
            },
            {"sums": time.perf_counter() - start},
            prepared.threads,
            backend=prepared.backend.name,
            engine=prepared.backend.engine(),
        ),
        warnings=caveats.kept,
        over=over,
        edges=edges,
        ancestors=None if found.ancestors is None else _clipped(found.ancestors[:n, :n], found.error),
        paths=None if found.paths is None else _clipped(found.paths[:n, :n, :n], found.error),
        log_total=log_total,
        log_prior_total=log_prior,
        error=found.error
        + score_error((scores.prior_rounding if prior else scores.rounding) + (orders.rounding if orders else 0.0)),
        prior=bool(prior),
    )


def _log_prior(scores: EnumerableScores, prepared: Prepared, listener: ProgressListener | None) -> float:
    """Return the natural log of the total prior weight of all structures."""
    backend, orders = prepared.backend, prepared.weights.orders
    if scores.unconstrained and scores.family_terms is None and orders is None:
        return log_prior_total(scores.n, scores.unit.to_floats(scores.prior_terms).tolist(), backend.over)
    bare = backend.weights(scores, prepared.threads, prepared.limit, prior_only=True).with_orders(orders)
    found = prepared.sum("Summing without data", "log_total", listener, bare)
    return found.log_total + bare.log_offset(scores.unit)


def wants_paths(via: str | Iterable[tuple[str, str, str]] | None, variables: Sequence[str]) -> bool:
    """Check ``via`` and return whether paths are requested."""
    if via is None or is_one_of(via, ["all"]):
        return via is not None
    if isinstance(via, str) or not isinstance(via, Iterable):
        raise InvalidOption(f"is {via!r}; it must be 'all' or triples of variables", option="via")
    triples = list(via)
    for triple in triples:
        if isinstance(triple, str) or not isinstance(triple, Sequence) or len(triple) != 3 or len(set(triple)) < 3:
            raise InvalidOption(
                f"holds {triple!r}; a path must be a triple (source, middle, target) of different variables",
                option="via",
            )
        if unknown := [name for name in triple if name not in variables]:
            raise InvalidOption(
                f"names {unknown[0]!r}, which is not a variable{did_you_mean(unknown[0], variables)}", option="via"
            )
    return bool(triples)


def _clipped(probabilities: NDArray[np.float64], error: float) -> NDArray[np.float64]:
    """Clip probabilities to [0, 1]; they may exceed it by at most the error."""
    if not (np.all(probabilities >= -error) and np.all(probabilities <= 1 + error)):
        worst = float(np.max(np.abs(probabilities - 0.5)) - 0.5)
        raise DagscapeError(f"a probability is outside [0, 1] by {worst:.2g}, more than the error {error:.2g}")
    return np.clip(probabilities, 0.0, 1.0)
