"""The exact posterior of all edges: the sum, and the compelled edges from samples of the same weights."""

from __future__ import annotations

import os
from collections.abc import Iterable

from dagscape.core.constraints import FLAG, Flag
from dagscape.core.errors import InvalidOption, argument, function
from dagscape.core.progress import ProgressOption
from dagscape.core.randomness import Seed, random_generator
from dagscape.core.resources import Budget
from dagscape.posterior.backends import cost_more, on_all_processes
from dagscape.posterior.order_weights import OrderWeightsOption, order_logs
from dagscape.posterior.result import Posterior
from dagscape.posterior.running import PlannedSum, plan_sum
from dagscape.posterior.summing import planned_posterior, wants_paths
from dagscape.running.checkpoints import DEFAULT_SECONDS
from dagscape.sampling.compelled import COMPELLED, COMPELLED_SAMPLES, DEFAULT_COMPELLED_SAMPLES, CompelledSampling
from dagscape.scores.tables.enumerable_scores import enumerable
from dagscape.scores.tables.local_scores import LocalScores

_PRIOR_ALONE = Flag(said=f"True or False ({function('local_scores')} has {argument('structure_prior')})")


@on_all_processes
def exact_posterior(
    scores: LocalScores,
    over: str = "dags",
    *,
    via: str | Iterable[tuple[str, str, str]] | None = None,
    ancestors: bool = False,
    prior: bool = False,
    order_weights: OrderWeightsOption = None,
    compelled: bool | None = False,
    compelled_samples: int = DEFAULT_COMPELLED_SAMPLES,
    seed: Seed = 0,
    backend: str = "auto",
    threads: int | None = None,
    max_memory: int | str | None = None,
    progress: ProgressOption = None,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_seconds: float = DEFAULT_SECONDS,
    planned: PlannedSum | None = None,
) -> Posterior:
    """Do the work of :func:`dagscape.posterior` with ``method="exact"``; the sum may have been planned before."""
    budget = Budget.of(threads, max_memory)
    scores = enumerable(scores)
    with_paths = wants_paths(via, scores.variables)
    _PRIOR_ALONE.check(prior, "prior")
    FLAG.check(ancestors, "ancestors")
    with_ancestors = cost_more(over, ancestors=ancestors)
    COMPELLED.check(compelled, "compelled")
    COMPELLED_SAMPLES.check(compelled_samples, "compelled_samples")
    random_generator(seed)
    sampling = CompelledSampling(int(compelled_samples), seed)
    planned = planned or plan_sum(
        scores,
        over,
        backend,
        budget,
        with_paths=with_paths,
        with_ancestors=with_ancestors,
        order_weights=order_weights is not None,
        resumable=checkpoint is not None,
    )
    if compelled is None:
        compelled = order_weights is None and sampling.affordable(scores, planned.plan, over, budget)
    elif compelled:
        if order_weights is not None:
            raise InvalidOption(
                f"needs samples of orders, which have no weights: leave out {argument('order_weights')}",
                option="compelled",
            )
        sampling.requirements(scores, over, budget).check(budget.limit)
    found = planned_posterior(
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
    return sampling.added_to(found, scores, budget, progress) if compelled else found
