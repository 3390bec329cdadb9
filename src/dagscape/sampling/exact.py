"""Exact and independent samples of networks from the posterior.

The table H of a sum over DAGs [tian2009]_, or F of a sum over orders [koivisto2004]_, has the total weight of the
structures on every set of variables. Structures are drawn from it by taking off one variable after another with its
parents (:mod:`dagscape.posterior.forward_tables`): no Markov chain, no burn-in, no correlation between samples.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagscape.core.caveats import Caveats
from dagscape.core.checks import check_choice
from dagscape.core.errors import DagscapeWarning, LostPrecision, argument
from dagscape.core.progress import ProgressOption, listening
from dagscape.core.randomness import Seed, random_generator, recorded_seed
from dagscape.core.resources import Budget
from dagscape.data.values import Frame
from dagscape.ensembles.sampled_networks import SampledNetworks
from dagscape.graphs.lists import DagList
from dagscape.posterior.accuracy import LARGE_ERROR
from dagscape.posterior.backends import SUMMED_OVER
from dagscape.posterior.evidence import BEST, scores_of
from dagscape.posterior.forward_tables import draw_networks
from dagscape.posterior.running import INCOMPLETE_SUM
from dagscape.results.base import provenance_of
from dagscape.sampling.requirements import DEFAULT_SAMPLES, SAMPLES, sampling_requirements
from dagscape.scores.definitions.set_functions import ScoredData
from dagscape.scores.parent_states import sparse_families
from dagscape.scores.posteriors import check_posterior
from dagscape.scores.tables.enumerable_scores import EnumerableScores, check_scores, incomplete_scores


def sample_dags(
    scores: EnumerableScores | ScoredData | Frame,
    samples: int = DEFAULT_SAMPLES,
    over: str = "dags",
    *,
    seed: Seed = 0,
    settings: str = BEST,
    threads: int | None = None,
    max_memory: int | str | None = None,
    progress: ProgressOption = None,
    **options: Any,
) -> SampledNetworks:
    """Draw independent networks from the exact posterior.

    Whatever can be asked of one DAG has a posterior probability: its average over the samples, with a Monte Carlo error
    that falls with the square root of their number. A table of all sets of variables is built first, which takes half
    the time of :func:`dagscape.posterior`.

    Parameters
    ----------
    scores : EnumerableScores, Dataset, data frame or path
        The local scores, or data to score. Constraints, structure priors and experiments come with them. If families
        are missing, a warning is issued.
    samples : int
        The number of networks. The first ones do not depend on it.
    over : {"dags", "orders"}
        Draw DAGs with the structure prior of the scores, or pairs of an order of the variables and a DAG, as in
        :func:`dagscape.posterior`. The latter takes up to 31 variables with few parents.
    seed : int, Generator or None
        The seed.
    settings : {"best", "fixed"}
        With data: whether the parameters of the score and the structure prior that are not given have the highest
        evidence, and a limit on parents that suits the number of rows (``score_info.choice`` says so), or the defaults
        of :func:`dagscape.local_scores`.
    threads, max_memory, progress
        As in :func:`dagscape.local_scores`. The networks do not depend on the number of threads.
    **options
        With data: the options of :func:`dagscape.local_scores`.

    Returns
    -------
    SampledNetworks
        The networks, and averages over them. Its ``error`` is the numerical error of the probabilities with which they
        were drawn; if it is large, a :class:`~dagscape.LostPrecision` warning is issued.

    Examples
    --------
    >>> import dagscape as ds
    >>> scores = ds.local_scores(ds.load_dataset("tic-tac-toe"))
    >>> drawn = ds.sample_dags(scores, 2000, seed=1)
    >>> drawn.edge("top-left-square", "Class")
    Probability(0.497, error=0.011)
    >>> drawn.average(lambda dag: dag.edge_count)
    Estimate(15.093, error=0.0086)
    >>> drawn.error < 1e-9
    True
    """
    budget = Budget.of(threads, max_memory)
    SAMPLES.check(samples, "samples")
    check_choice(over, SUMMED_OVER, "over")
    check_posterior(options.get("score"))
    scores = scores_of(scores, settings, options, budget, progress, over=over)
    check_scores(scores)
    check_posterior(scores.info)
    rng, count = random_generator(seed), int(samples)
    sampling_requirements(scores, budget.threads, budget.limit, over=over, samples=count).check(budget.limit)
    caveats = Caveats(scores.info.warnings)
    caveats.issue(incomplete_scores(scores, INCOMPLETE_SUM))
    with listening(progress) as listener:
        drawn = draw_networks(scores, over, count, rng, budget, listener)
    caveats.issue(_lost_digits(drawn.error, over))
    caveats.issue(sparse_families(scores.info, scores.variables, _edge_shares(drawn.parents)))
    parameters = {"samples": count, "over": over, "scores": scores.info.to_dict()}
    return SampledNetworks(
        variables=scores.variables,
        score_info=scores.info,
        provenance=provenance_of("sample_dags", parameters, drawn.seconds, budget.threads, recorded_seed(seed)),
        networks=DagList(scores.variables, drawn.parents),
        scores=scores.unit.to_floats(drawn.exact),
        over=over,
        method="exact",
        error=drawn.error,
        warnings=caveats.kept,
    )


def _edge_shares(parents: NDArray[np.uint64]) -> NDArray[np.float64]:
    """Return the share of the samples that have each edge."""
    members = np.arange(parents.shape[1], dtype=np.uint64)
    return np.array([(parents >> member & np.uint64(1)).mean(axis=0) for member in members])


def _lost_digits(error: float, over: str) -> DagscapeWarning | None:
    """Return a warning if the probabilities of samples have a large error."""
    if error <= LARGE_ERROR:
        return None
    remedy = f": use {argument('over', 'orders')}, where nothing cancels" if over == "dags" else ""
    return LostPrecision(f"the probabilities with which networks were drawn have an error of about {error:.1g}{remedy}")
