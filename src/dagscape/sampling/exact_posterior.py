"""The exact posterior of all edges: the sum, and the compelled edges from samples of the same weights."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

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
from dagscape.scores.posteriors import check_posterior
from dagscape.scores.tables.enumerable_scores import enumerable
from dagscape.scores.tables.local_scores import LocalScores

_PRIOR_ALONE = Flag(said=f"True or False ({function('local_scores')} has {argument('structure_prior')})")


@dataclass(frozen=True, slots=True, kw_only=True)
class SumOptions:
    """What is asked of an exact sum over DAGs or orders: the options of :func:`dagscape.posterior` of these names."""

    via: str | Iterable[tuple[str, str, str]] | None = None
    ancestors: bool = False
    prior: bool = False
    order_weights: OrderWeightsOption = None
    compelled: bool | None = False
    compelled_samples: int = DEFAULT_COMPELLED_SAMPLES
    seed: Seed = 0
    backend: str = "auto"
    checkpoint: str | os.PathLike[str] | None = None
    checkpoint_seconds: float = DEFAULT_SECONDS

    @property
    def resumable(self) -> bool:
        """Whether an interrupted sum can go on."""
        return self.checkpoint is not None

    @property
    def sampling(self) -> CompelledSampling:
        """How compelled edges are found."""
        COMPELLED_SAMPLES.check(self.compelled_samples, "compelled_samples")
        random_generator(self.seed)
        return CompelledSampling(int(self.compelled_samples), self.seed)


@on_all_processes
def exact_posterior(
    scores: LocalScores,
    over: str = "dags",
    *,
    backend: str = "auto",
    threads: int | None = None,
    max_memory: int | str | None = None,
    progress: ProgressOption = None,
    **options: Any,
) -> Posterior:
    """Do the work of :func:`dagscape.posterior` with ``method="exact"``; the others are :class:`SumOptions`."""
    asked = SumOptions(backend=backend, **options)
    return posterior_of_sum(scores, over, asked, Budget.of(threads, max_memory), progress)


def posterior_of_sum(
    scores: LocalScores,
    over: str,
    asked: SumOptions,
    budget: Budget,
    progress: ProgressOption = None,
    planned: PlannedSum | None = None,
) -> Posterior:
    """Return the posterior from one sum, which may have been planned before."""
    scores = enumerable(scores)
    check_posterior(scores.info)
    with_paths = wants_paths(asked.via, scores.variables)
    _PRIOR_ALONE.check(asked.prior, "prior")
    FLAG.check(asked.ancestors, "ancestors")
    with_ancestors = cost_more(over, ancestors=asked.ancestors)
    COMPELLED.check(asked.compelled, "compelled")
    sampling, weighted = asked.sampling, asked.order_weights is not None
    planned = planned or plan_sum(
        scores,
        over,
        asked.backend,
        budget,
        with_paths=with_paths,
        with_ancestors=with_ancestors,
        order_weights=weighted,
        resumable=asked.resumable,
    )
    compelled = asked.compelled
    if compelled is None:
        compelled = not weighted and sampling.affordable(scores, planned.plan, over, budget)
    elif compelled:
        if weighted:
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
        prior=asked.prior,
        orders=order_logs(asked.order_weights, scores.variables, planned.threads, planned.limit),
        progress=progress,
        checkpoint=asked.checkpoint,
        checkpoint_seconds=asked.checkpoint_seconds,
    )
    return sampling.added_to(found, scores, budget, progress) if compelled else found
