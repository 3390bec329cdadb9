"""Posteriors averaged over settings: equivalent sample sizes and structure priors, by the evidence for each.

All settings of a small grid are equally probable before the data are seen, so that each is weighed by its evidence
(``posterior/evidence.py``):

    P(f | D) = Σ_s P(s | D) P(f | D, s),    P(s | D) ∝ P(D | s)

Ways of cutting numbers have equal weights, unless a user says otherwise, and settings weights within each. The evidence
of the numbers under different cuts (:mod:`dagscape.data.discrete.interval_widths`) is dominated by how well intervals
fit the distributions of single columns, so that it favours cuts that are too fine for weak edges, with certainty.
Averages with equal weights are calibrated better than any single way (``benchmarks/cuts.py``).

Cost: the total of each setting, half of a sum, and a whole sum for those whose share is not negligible.
"""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagscape.core.caveats import Caveats, issue
from dagscape.core.errors import LostPrecision, SparseFamilies
from dagscape.core.progress import ProgressOption, listening
from dagscape.core.randomness import random_generator, recorded_seed
from dagscape.core.resources import Budget
from dagscape.data.notices import data_warnings
from dagscape.ensembles.sample_averages import Draws
from dagscape.ensembles.sample_features import compelled_given_edges
from dagscape.graphs.directions import MemberLimits
from dagscape.graphs.words import with_words
from dagscape.posterior.accuracy import lost_precision, score_error
from dagscape.posterior.forward_tables import DrawnNetworks, draw_networks
from dagscape.posterior.grids import Grid, grid_requirements, info_of_all
from dagscape.posterior.result import Posterior
from dagscape.posterior.running import plan_sum
from dagscape.posterior.setting import EQUAL, shares_of
from dagscape.posterior.summing import planned_posterior
from dagscape.posterior.weighing import WeighedSetting, part_of, scored_settings, weighed_settings
from dagscape.results.base import provenance_of
from dagscape.sampling.compelled import CompelledSampling
from dagscape.scores.parent_states import sparse_families
from dagscape.scores.scoring_job import ScoringJob

# Settings whose evidence is lower than the best by so many nats are not summed again: their share is below 1e-17.
_NEGLIGIBLE = 40.0


def sums_of_average(settings: int, ways: int = 1) -> float:
    """Return about how many sums an average takes: half a sum for each total, and a few whole ones for each way."""
    return settings / 2 + 3 * ways


def averaged_posterior(
    grids: Sequence[Grid],
    over: str,
    budget: Budget,
    *,
    cut_weights: str = EQUAL,
    backend: str = "auto",
    with_paths: bool = False,
    with_ancestors: bool = False,
    compelled: CompelledSampling | None = None,
    progress: ProgressOption = None,
) -> Posterior:
    """Return the posterior averaged over all settings of some grids.

    Parameters
    ----------
    grids : sequence of Grid
        The settings.
    over, cut_weights, backend, with_paths, with_ancestors, progress
        As in :func:`dagscape.posterior`.
    budget : Budget
        Threads and memory.
    compelled : CompelledSampling, optional
        How compelled edges are estimated; None if they are not.
    """
    start = time.perf_counter()
    grid_requirements(grids, over, budget.threads, budget.limit).check(budget.limit)
    jobs = [job for grid in grids for job in grid.jobs]
    issue(*data_warnings(jobs[0].data))
    asked: dict[str, Any] = {"with_paths": with_paths, "with_ancestors": with_ancestors}
    found: dict[int, Posterior] = {}
    of_scores = 0.0
    drawn: list[DrawnNetworks] = []
    with listening(progress) as listener:
        weighed = weighed_settings(grids, over, budget, listener, backend)
        shares = _shares(weighed, cut_weights)
        kept = np.flatnonzero(shares).tolist()
        rng = random_generator(0 if compelled is None else compelled.seed)
        counts = _counts(shares, 0 if compelled is None else compelled.samples)
        again = scored_settings(grids, budget, listener, kept, "Scoring likely settings")
        for place, (_, _, scores) in zip(kept, again, strict=True):
            part = part_of(listener, "Averaging over settings", len(found), len(kept))
            planned = plan_sum(scores, over, backend, budget, **asked)
            with warnings.catch_warnings():
                # The average has its own.
                warnings.simplefilter("ignore", SparseFamilies)
                warnings.simplefilter("ignore", LostPrecision)
                found[place] = planned_posterior(planned, scores, **asked, progress=part)
            of_scores += float(shares[place]) * score_error(scores.rounding)
            if count := int(counts[place]):
                drawn.append(draw_networks(scores, over, count, rng, budget, part))
    post = replace(_averaged(jobs, weighed, found, shares, over, budget, of_scores), cut_weights=cut_weights)
    post = replace(post, provenance=replace(post.provenance, seconds={"sums": time.perf_counter() - start}))
    return post if compelled is None else _with_compelled(post, drawn, compelled)


def _shares(weighed: Sequence[WeighedSetting], cut_weights: str) -> NDArray[np.float64]:
    """Return the weights of the settings, without those that are negligible among those of their way of cutting."""
    logs = np.array([setting.log_evidence for setting in weighed])
    ways = [setting.way for setting in weighed]
    shares = shares_of(logs.tolist(), ways, cut_weights)
    kept = np.where(shares >= shares.max() * math.exp(-_NEGLIGIBLE), shares, 0.0)
    found: NDArray[np.float64] = kept / kept.sum()
    return found


def _counts(shares: NDArray[np.float64], samples: int) -> NDArray[np.int64]:
    """Return how many of the samples each setting gets: its share of them, rounded so that the sum is right.

    >>> _counts(np.array([0.5, 0.0, 0.26, 0.24]), 10).tolist()
    [5, 0, 3, 2]
    """
    ends = np.floor(np.cumsum(shares) * samples + 0.5).astype(np.int64)
    counts: NDArray[np.int64] = ends - np.concatenate([[0], ends[:-1]])
    return counts


def _averaged(
    jobs: Sequence[ScoringJob],
    weighed: Sequence[WeighedSetting],
    found: Mapping[int, Posterior],
    shares: NDArray[np.float64],
    over: str,
    budget: Budget,
    of_scores: float,
) -> Posterior:
    """Return the average of the posteriors of the settings that are not negligible.

    The error of probabilities that rounded scores have, on average, is ``of_scores``.
    """
    first = next(iter(found.values()))

    def average(feature: str) -> NDArray[np.float64] | None:
        if getattr(first, feature) is None:
            return None
        total = sum(shares[place] * getattr(post, feature) for place, post in found.items())
        clipped: NDArray[np.float64] = np.minimum(total, 1.0)
        return clipped

    edges = average("edges")
    assert edges is not None
    best = weighed[int(np.argmax(shares))].job
    info = replace(
        info_of_all(jobs, best),
        parameters={
            name: value
            for name, value in best.info.parameters.items()
            if all(job.info.parameters[name] == value for job in jobs)
        },
        structure_prior="averaged",
        equivalent_prior=all(job.prior.equivalent for job in jobs),
        score_equivalent=all(job.score_equivalent for job in jobs),
    )
    caveats = Caveats(info.warnings)
    # Errors of the evidence also move the shares: by twice as much, at most.
    error = 3 * sum(float(shares[place]) * post.error for place, post in found.items())
    caveats.issue(lost_precision(error, 3 * of_scores, over))
    caveats.issue(sparse_families(info, first.variables, edges))
    settings = tuple(setting.described(found.get(place)) for place, setting in enumerate(weighed))
    logs = np.array([setting.log_evidence for setting in settings])
    return Posterior(
        variables=first.variables,
        score_info=info,
        provenance=provenance_of(
            "posterior",
            {"over": over, "settings": [setting.label for setting in settings], "scores": info.to_dict()},
            {},
            budget.threads,
            backend=first.provenance.backend,
        ),
        warnings=caveats.kept,
        over=over,
        edges=edges,
        ancestors=average("ancestors"),
        paths=average("paths"),
        # The prior of settings and structures together is normalised.
        log_total=float(np.logaddexp.reduce(logs)) - math.log(len(logs)),
        log_prior_total=0.0,
        error=error,
        settings=settings,
    )


def _with_compelled(post: Posterior, drawn: Sequence[DrawnNetworks], sampling: CompelledSampling) -> Posterior:
    """Return the posterior with its compelled edges, from networks that were drawn under all settings."""
    graphs = with_words(np.concatenate([part.parents for part in drawn]))
    draws = Draws(1, len(graphs), True, float(len(graphs)))
    edges = post.edges, np.zeros_like(post.edges)
    limits = MemberLimits.of_scores(post.variables, post.score_info)
    compelled, errors = compelled_given_edges(graphs, np.arange(len(graphs)), draws, edges, limits)
    seed = recorded_seed(sampling.seed)
    return replace(
        post,
        compelled=compelled,
        compelled_errors=np.minimum(errors + max(part.error for part in drawn), 1.0),
        compelled_samples=sampling.samples,
        compelled_seed=seed,
        provenance=replace(post.provenance, seed=seed),
    )
