"""Compelled edges of a posterior, from exact samples of DAGs.

The probability that u → v holds in every member of the equivalence class is a sum over classes, for which no sum over
sets of variables is known. Independent samples, together with the probability of the edge, which is exact, estimate it
with an error of at most ½ / √samples, whatever the number of variables: an edge that is always compelled, and one that
never is, are as sure as its probability.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np

from dagscape.core.constraints import FLAG, OrNone, Whole
from dagscape.core.errors import argument
from dagscape.core.progress import ProgressOption, listening
from dagscape.core.randomness import Seed, random_generator, recorded_seed
from dagscape.core.requirements import ProblemSize, Requirements
from dagscape.core.resources import Budget
from dagscape.ensembles.sample_averages import Draws
from dagscape.ensembles.sample_features import compelled_given_edges
from dagscape.graphs.directions import MemberLimits
from dagscape.graphs.words import with_words
from dagscape.posterior.forward_tables import draw_networks
from dagscape.posterior.result import Posterior
from dagscape.posterior.sum_plan import SumPlan
from dagscape.sampling.requirements import sampling_requirements, sampling_seconds
from dagscape.scores.tables.enumerable_scores import EnumerableScores

COMPELLED = OrNone(FLAG)
COMPELLED_SAMPLES = Whole(1)
DEFAULT_COMPELLED_SAMPLES = 2000

# Samples of so few variables take less than a second, so that their time need not be estimated.
_SURELY_QUICK = 12
_AFFORDABLE_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class CompelledSampling:
    """How many DAGs are drawn to find compelled edges, and from which seed."""

    samples: int = DEFAULT_COMPELLED_SAMPLES
    seed: Seed = 0

    def requirements(self, size: ProblemSize, over: str, budget: Budget) -> Requirements:
        """Return what the samples need; they are refused where they do not fit, and not the sum."""
        needs = sampling_requirements(size, budget.threads, budget.limit, over=over, samples=self.samples)
        remedy = f"raise the limit, or leave out {argument('compelled', True)}"
        return replace(needs, subject=f"{needs.subject} for compelled edges", remedy=remedy)

    def affordable(self, size: ProblemSize, plan: SumPlan, over: str, budget: Budget) -> bool:
        """Whether the samples fit in memory and take half a minute, or no longer than the sum that was planned."""
        needs = self.requirements(size, over, budget)
        if needs.refusal or needs.memory > budget.limit:
            return False
        if size.n <= _SURELY_QUICK:
            return True
        seconds = sampling_seconds(size, budget.threads, budget.limit, over=over, samples=self.samples)
        return seconds <= max(_AFFORDABLE_SECONDS, plan.seconds())

    def added_to(
        self, found: Posterior, scores: EnumerableScores, budget: Budget, progress: ProgressOption = None
    ) -> Posterior:
        """Return a posterior of the scores with its compelled edges."""
        start = time.perf_counter()
        with listening(progress) as listener:
            rng = random_generator(self.seed)
            drawn = draw_networks(scores, found.over, self.samples, rng, budget, listener, prior_only=found.prior)
        limits = MemberLimits.of_scores(scores.variables, scores.info)
        samples = Draws(1, self.samples, True, float(self.samples))
        edges = found.edges, np.zeros_like(found.edges)
        every = np.arange(self.samples)
        shares, errors = compelled_given_edges(with_words(drawn.parents), every, samples, edges, limits)
        seconds = {**found.provenance.seconds, "compelled": time.perf_counter() - start}
        return replace(
            found,
            compelled=shares,
            compelled_errors=np.minimum(errors + drawn.error, 1.0),
            compelled_samples=self.samples,
            compelled_seed=recorded_seed(self.seed),
            provenance=replace(found.provenance, seconds=seconds, seed=recorded_seed(self.seed)),
        )
