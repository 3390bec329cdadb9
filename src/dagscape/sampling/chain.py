"""Markov chains over DAGs, for more variables than exact sums can handle: :func:`chain`.

The target is the posterior over DAGs itself, with any modular prior. The kernel
(``native/include/dagscape/sampling/block_chain.hpp``) draws the parents of several variables at once from their exact
conditional, in the spirit of [goudie2016]_ and [kuipers2017]_, all children of a variable together with it, and single
families; and it reverses covered edges [chickering1995]_. The families it chooses among are in lists
(``chain_lists.py``).

Several chains run from different starts: one from a network that a search has found, the others from the best families
for random orders of the variables. A fifth of each is discarded as burn-in. What is left of the differences between
chains says whether to trust them (:mod:`dagscape.ensembles.chain_diagnostics`).
"""

from __future__ import annotations

import hashlib
import json
import os
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from typing import Any

import numpy as np

from dagscape.core.caveats import Caveats, issue
from dagscape.core.checks import check_choice
from dagscape.core.clock import Clock
from dagscape.core.constraints import OrNone, Whole
from dagscape.core.errors import (
    InvalidOption,
    StoppedEarly,
    argument,
    did_you_mean,
    function,
    type_of,
)
from dagscape.core.progress import ProgressListener, ProgressOption, listening
from dagscape.core.randomness import Seed, random_generator, recorded_seed
from dagscape.core.resources import Budget
from dagscape.data.discrete.dataset import Dataset
from dagscape.data.notices import data_warnings
from dagscape.data.values import Frame
from dagscape.ensembles.sampled_networks import SampledNetworks
from dagscape.graphs.comparison import HasDag
from dagscape.graphs.dag import Dag
from dagscape.posterior.accuracy import score_error
from dagscape.posterior.evidence import BEST, is_data, job_of_best, refuse_options_of_data
from dagscape.results.base import provenance_of
from dagscape.running.checkpoints import DEFAULT_SECONDS, SECONDS_BETWEEN
from dagscape.sampling.chain_lists import ChainLists, candidate_lists, complete_lists
from dagscape.sampling.chain_requirements import (
    DEFAULT_CHAINS,
    DEFAULT_DRAWS,
    FIRST_SEARCH,
    chain_requirements,
    default_thin,
    lists_are_complete,
    with_usual_limit,
)
from dagscape.sampling.chain_results import Sampled, checkpoints_of_chains, result_of_chains, too_short
from dagscape.sampling.chain_starts import Start, listed_start, random_start
from dagscape.sampling.imputing_chain import Asked, chain_of_incomplete
from dagscape.sampling.running_chains import Lengths, OneChain, collected, make_chains, run_chains
from dagscape.scores.posteriors import check_posterior
from dagscape.scores.scoring import score_job
from dagscape.scores.scoring_job import ScoringJob, scoring_options
from dagscape.scores.tables.enumerable_scores import EnumerableScores, incomplete_scores
from dagscape.scores.tables.local_scores import LocalScores
from dagscape.scores.tables.on_demand import on_demand_scores
from dagscape.search.learning import learn
from dagscape.search.starting import most_parents, starting_network

CHAINS = Whole(1)
DRAWS = Whole(2)
THIN = OrNone(Whole(1))

# What is done about missing cells.
SAMPLE = "sample"
MISSING_RULES = ("error", SAMPLE)

_INCOMPLETE = ": the probabilities are relative to the networks of the remaining ones"


def chain(
    data: Dataset | Frame | LocalScores,
    *,
    chains: int = DEFAULT_CHAINS,
    draws: int = DEFAULT_DRAWS,
    thin: int | None = None,
    seed: Seed = 0,
    max_seconds: float | None = None,
    start: Dag | HasDag | None = None,
    settings: str = BEST,
    missing: str = "error",
    threads: int | None = None,
    max_memory: int | str | None = None,
    progress: ProgressOption = None,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_seconds: float = DEFAULT_SECONDS,
    **options: Any,
) -> SampledNetworks:
    """Sample networks from the posterior by Markov chains, for up to hundreds of variables.

    Where :func:`dagscape.sample_dags` fits, use that: its samples are independent. The result has diagnostics and one
    sentence that says whether to trust it; if not, an :class:`~dagscape.UnconvergedChains` warning is issued.

    Parameters
    ----------
    data : Dataset, data frame, path or LocalScores
        The data, or local scores of any kind.
    chains : int
        The number of chains, which run at the same time as far as there are threads.
    draws : int
        The number of networks to keep of each chain, after its burn-in: a quarter more is drawn, and the first fifth
        discarded.
    thin : int, optional
        The number of sweeps between two networks that are kept. All sweeps count for edge probabilities. Default: 10,
        or fewer if there are very many families.
    seed : int, numpy.random.Generator or None
        The seed. The result depends on it, the data and the options only, unless time or Ctrl-C ends the chains.
    max_seconds : float, optional
        End the chains after this time, with the networks drawn by then. Ctrl-C does the same. Default: no limit.
    start : Dag or Network, optional
        Where the first chain starts. Default: at a network found by :func:`dagscape.learn`. The others start at
        networks for random orders.
    settings : {"best", "fixed"}
        As in :func:`dagscape.learn`.
    missing : {"error", "sample"}
        What is done about missing cells of data made with ``missing="keep"``: they are refused, or drawn along with the
        networks, so that probabilities account for them (:mod:`dagscape.sampling.imputing_chain`). This takes
        ``bdeu``, ``k2`` or ``bge``, no experiments, and no ``start``. ``thin`` then counts rounds, in which all cells
        and then a network are drawn; by default, the network of each is kept. Settings have the highest evidence on a
        table whose cells were drawn.
    threads, max_memory, progress
        As in :func:`dagscape.local_scores`. The result does not depend on the number of threads.
    checkpoint, checkpoint_seconds
        A folder for checkpoints, and the least time between two, as in :func:`dagscape.posterior`. The same call later
        continues after the last checkpoint, with the same result. It needs a number as ``seed``.
    **options
        With data: the options of :func:`dagscape.local_scores`. With ``settings="best"``, those that are not given have
        the highest evidence: the equivalent sample size (0.5, 2, 8 or 32) and the structure prior (uniform, or edge
        penalties of 1.5, 3 or 4.5 nats). ``max_parents`` then leaves five rows for each joint state of the parents; if
        that makes too many families to list them all, it is 4, 3 or 2, the largest with which they can be listed.
        ``score_info`` says what was taken. With more parents, or many hundreds of variables, chains choose among
        candidates, and reach other families slowly.

    Returns
    -------
    SampledNetworks
        The networks, averages over them with Monte Carlo errors, and ``diagnostics``. ``error`` bounds the posterior
        mass of families that were left out.

    See Also
    --------
    sample_dags : exact and independent samples, for up to about 20 variables.

    Examples
    --------
    >>> import dagscape as ds
    >>> scores = ds.local_scores(ds.load_dataset("tic-tac-toe"), max_parents=3)
    >>> drawn = ds.chain(scores, draws=500)
    >>> drawn.chains, drawn.draws, drawn.diagnostics.converged
    (4, 500, True)
    >>> exact = ds.posterior(scores)
    >>> bool(abs(drawn.edges - exact.edges).max() < 0.05)
    True
    """
    CHAINS.check(chains, "chains")
    DRAWS.check(draws, "draws")
    THIN.check(thin, "thin")
    SECONDS_BETWEEN.check(checkpoint_seconds, "checkpoint_seconds")
    check_choice(missing, MISSING_RULES, "missing")
    clock, budget, rng = Clock(max_seconds), Budget.of(threads, max_memory), random_generator(seed)
    if checkpoint is not None and recorded_seed(seed) is None:
        raise InvalidOption(f"needs a number as {argument('seed')}, so that the same call can continue", "checkpoint")
    if missing == SAMPLE:
        if start is not None:
            raise InvalidOption(
                f"is not taken with {argument('missing', SAMPLE)}: chains draw their first networks", "start"
            )
        wanted = Asked(int(chains), int(draws), thin, settings, max_seconds, checkpoint, checkpoint_seconds, seed)
        return chain_of_incomplete(data, options, wanted, clock, budget, rng, progress)
    with listening(progress) as listener:
        asked = {"chains": int(chains), "draws": int(draws)}
        unlimited = Clock() if checkpoint is not None else clock
        prepared = _prepare(_Given(data, settings, options, start), asked, budget, unlimited, listener)
        scores, lists = prepared.scores, prepared.lists
        thin = default_thin(lists.listed) if thin is None else int(thin)
        caveats = Caveats(scores.info.warnings)
        if isinstance(scores, EnumerableScores):
            caveats.issue(incomplete_scores(scores, _INCOMPLETE))
        first = listed_start(lists, prepared.network)
        starts = [first, *(random_start(lists, scores, rng) or first for _ in range(chains - 1))]
        lengths = Lengths.of(int(draws), scores.n, limited=max_seconds is not None and checkpoint is None)
        counts = {**asked, "thin": thin}
        began = time.perf_counter()
        digest = _digest(scores, lists, starts, {**counts, "seed": recorded_seed(seed)})
        with checkpoints_of_chains(checkpoint, checkpoint_seconds, digest, int(chains)) as saved:
            running = make_chains(scores, lists, starts, thin, rng, saved)
            finished, interrupted = run_chains(running, lengths, clock, budget.threads, listener)
            drawn = collected(running, lengths)
            if drawn is None or (interrupted and checkpoint is not None):
                for one in running:
                    one.save()
                raise KeyboardInterrupt if interrupted else too_short(max_seconds)
        if not finished:
            # The same call goes on from here.
            for one in running:
                one.save()
    seconds = {**prepared.seconds, "chains": time.perf_counter() - began}
    provenance = provenance_of(
        "chain",
        {
            **counts,
            "max_seconds": max_seconds,
            "scores": scores.info.to_dict(),
            "families": _described(lists, running),
            "interrupted": interrupted and not drawn.finished,
        },
        seconds,
        budget.threads,
        seed=recorded_seed(seed),
    )
    of = Sampled(scores.variables, scores.info, scores.unit, lists.lost + score_error(scores.rounding))
    return result_of_chains(of, drawn, thin, provenance, caveats, interrupted=interrupted)


@dataclass(frozen=True, slots=True)
class _Given:
    """The data or scores, how data are scored, and where the first chain starts."""

    data: object
    settings: str
    options: Mapping[str, Any]
    start: Dag | HasDag | None


@dataclass(frozen=True, slots=True)
class _Prepared:
    """What chains need: scores, lists of families, and a good network."""

    scores: LocalScores
    lists: ChainLists
    network: Dag
    seconds: dict[str, float]


def _prepare(
    given: _Given,
    asked: Mapping[str, int],
    budget: Budget,
    clock: Clock,
    listener: ProgressListener | None,
) -> _Prepared:
    seconds: dict[str, float] = {}
    began = time.perf_counter()
    scores, scoring = _scores(given, asked, budget, clock, listener)
    seconds["scoring"] = time.perf_counter() - began
    began = time.perf_counter()
    network = _first_network(scores, given.start, budget, clock, listener)
    seconds["search"] = time.perf_counter() - began
    began = time.perf_counter()
    complete = isinstance(scores, EnumerableScores) and lists_are_complete(scores, scoring, budget.limit)
    if complete and isinstance(scores, EnumerableScores):
        lists = complete_lists(scores)
    else:
        lists = candidate_lists(scores, network)
    seconds["lists"] = time.perf_counter() - began
    return _Prepared(scores, lists, network, seconds)


def _scores(
    given: _Given,
    asked: Mapping[str, int],
    budget: Budget,
    clock: Clock,
    listener: ProgressListener | None,
) -> tuple[LocalScores, ScoringJob | None]:
    """Return the scores: those of all families where that is possible, otherwise on demand."""
    data, options = given.data, given.options
    check_posterior(options.get("score"))
    if isinstance(data, LocalScores):
        refuse_options_of_data(given.settings, {})
        check_posterior(data.info)
        if options:
            name = next(iter(options))
            raise InvalidOption("is an option of scoring, but scores are given: score the data with it", option=name)
        chain_requirements(data, budget.threads, budget.limit, **asked).check(budget.limit)
        return data, None
    if not is_data(data) and not isinstance(data, ScoringJob):
        kinds = "a Dataset, a data frame, a path or LocalScores"
        raise InvalidOption(f"is {type_of(data)}; it must be {kinds}", "data")
    for name in options:
        if name not in scoring_options():
            known = [*signature(chain).parameters, *scoring_options()]
            raise InvalidOption(f"{function('chain')} has no option {name!r}{did_you_mean(name, known)}")

    def check(job: ScoringJob) -> None:
        limited = with_usual_limit(job, budget.limit)
        chain_requirements(limited, budget.threads, budget.limit, **asked).check(budget.limit)

    chosen = _job(given, budget, clock, check, listener)
    check(chosen)
    job = with_usual_limit(chosen, budget.limit)
    issue(*data_warnings(job.data))
    if lists_are_complete(None, job, budget.limit):
        return score_job(job, budget, progress=listener), job
    return on_demand_scores(job, threads=budget.threads), job


def _job(
    given: _Given,
    budget: Budget,
    clock: Clock,
    check: Callable[[ScoringJob], None],
    listener: ProgressListener | None,
) -> ScoringJob:
    """Return how the data are scored; a job is the door for callers that have chosen settings already."""
    if isinstance(given.data, ScoringJob):
        return given.data
    needed = most_parents(given.start)
    options: dict[str, Any] = {"needed": needed, "clock": clock, "check": check}
    return job_of_best(given.data, given.options, budget, given.settings, listener, **options)


def _first_network(
    scores: LocalScores,
    start: Dag | HasDag | None,
    budget: Budget,
    clock: Clock,
    listener: ProgressListener | None,
) -> Dag:
    if start is not None:
        return starting_network(scores, start)
    # A short search will do. With a time limit, it gets a tenth of the time; with checkpoints, all it needs, so that
    # the same call starts the same chains.
    limit = None if clock.limit == np.inf else max(clock.left / 10, 1e-3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StoppedEarly)
        found = learn(scores, seed=0, max_seconds=limit, threads=budget.threads, progress=listener, **FIRST_SEARCH)
    return found.network


def _digest(scores: LocalScores, lists: ChainLists, starts: Sequence[Start], settings: Mapping[str, Any]) -> str:
    """Return a digest of everything that the chains depend on."""
    digest = hashlib.sha256(json.dumps([scores.info.to_dict(), starts, settings], sort_keys=True).encode())
    for child in lists.children:
        digest.update(child.scores.tobytes())
        digest.update(child.parents.tobytes())
    return digest.hexdigest()


def _described(lists: ChainLists, chains: Sequence[OneChain]) -> dict[str, Any]:
    """Return what there is to say about the lists; with candidates, how many variables had families outside them."""
    outside = sum(chain.unlisted for chain in chains) / sum(chain.draws for chain in chains)
    lists_are = {"listed": lists.listed, "core": lists.core, "all": lists.complete, "lost": lists.lost}
    return lists_are if lists.complete else {**lists_are, "variables_outside": outside}
