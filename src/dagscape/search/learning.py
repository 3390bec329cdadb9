"""One good network, by any of the learners: :func:`learn`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from dagscape.core.caveats import Caveats, issue
from dagscape.core.checks import check_choice
from dagscape.core.clock import Clock
from dagscape.core.errors import InvalidOption, StoppedEarly, argument, type_of
from dagscape.core.progress import ProgressOption, listening
from dagscape.core.randomness import Seed, random_generator, recorded_seed
from dagscape.core.resources import Budget, thread_count
from dagscape.data.discrete.dataset import Dataset
from dagscape.data.mixed.mixed import MixedData
from dagscape.data.notices import data_warnings
from dagscape.data.values import Frame
from dagscape.graphs.comparison import HasDag
from dagscape.graphs.dag import Dag
from dagscape.posterior.evidence import BEST, is_data, job_of_best, refuse_options_of_data
from dagscape.results.base import provenance_of
from dagscape.scores.choice import AUTO_SCORE, DISCRETE_SCORE
from dagscape.scores.parent_states import sparse_families
from dagscape.scores.registry import find_score
from dagscape.scores.scoring_job import ScoringJob
from dagscape.scores.tables.local_scores import LocalScores
from dagscape.scores.tables.on_demand import on_demand_scores
from dagscape.search.learner import Learner
from dagscape.search.options import split_options
from dagscape.search.registry import LEARNERS
from dagscape.search.requirements import learning_requirements
from dagscape.search.result import Learned
from dagscape.search.running import run_learner
from dagscape.search.starting import most_parents
from dagscape.search.structural_em import EM_OPTIONS, StructuralFound, structural_em

LearnMissing = Literal["error", "em"]

EM: LearnMissing = "em"

LEARN_MISSING_CHOICES: tuple[LearnMissing, ...] = ("error", EM)


def learn(
    data: Dataset | Frame | LocalScores,
    method: str = "order",
    *,
    seed: Seed = 0,
    max_seconds: float | None = None,
    start: Dag | HasDag | None = None,
    settings: str = BEST,
    missing: LearnMissing = "error",
    threads: int | None = None,
    max_memory: int | str | None = None,
    progress: ProgressOption = None,
    **options: Any,
) -> Learned:
    """Find one good network, for any number of variables.

    Parameters
    ----------
    data : Dataset, data frame, path or LocalScores
        The data, or local scores of any kind, such as those of a file.
    method : str
        The search; see the table of methods in the documentation. Default: ``"order"``, a search over orders, or the
        exact optimum where that is fast. ``"ges"`` takes less time, and finds better networks than ``"greedy"`` and
        ``"tabu"``, which are for comparisons and for scores that differ between equivalent networks.
    seed : int, numpy.random.Generator or None
        Decides between equally good moves, and everything else that is random. The result depends on the seed, the data
        and the options only, unless ``max_seconds`` ends the search. With None it differs from run to run. Default: 0.
    max_seconds : float, optional
        End the search after this time with the best network found by then, and a :class:`~dagscape.StoppedEarly`
        warning. Default: no limit.
    start : Dag or Network, optional
        The network to start from. Default: the required edges only.
    settings : {"best", "fixed"}
        With data: whether the parameters of the score and the structure prior that are not given have the highest
        evidence, and a limit on parents that suits the number of rows (``score_info.choice`` says so), or the defaults
        of :func:`dagscape.local_scores`. Tables of many columns have the evidence of parts of them; with
        ``max_seconds``, of those for which a quarter of the time suffices, and of one at least. Required edges and
        those of ``start`` are never too many for the limit.
    missing : {"error", "em"}
        Refuse missing cells, or use all observed ones, by structural EM (:mod:`dagscape.search.structural_em`): the
        score is then BIC with the likelihood of the observed cells, ``"bic"``, ``"bic-g"`` or ``"bic-cg"`` by the kind
        of data, and the method must need scores only. Files and frames are read with ``missing="keep"``. ``starts``
        (default: 1) and ``max_iterations`` (default: 20) are then among the options; ``details`` has the
        log-likelihood of the observed cells. Ctrl-C ends the search with the best network so far.
    threads, max_memory, progress
        As in :func:`dagscape.local_scores`. The result does not depend on the number of threads.
    **options
        With data: the options of :func:`dagscape.local_scores` (``score``, ``ess``, ``max_parents``,
        ``structure_prior``, ``required``, ``forbidden``, ``tiers``, ``interventions``, ``randomised``). In any case:
        the options of the method.

    Returns
    -------
    Learned
        The network, its score, and the trace of the search.

    See Also
    --------
    optimal_network : the best network, exactly.
    k_best : the best networks.

    Examples
    --------
    >>> import dagscape as ds
    >>> found = ds.learn(ds.load_dataset("iris"), "optimal")
    >>> found
    Learned(optimal: 5 variables, 4 edges, score -455.7104)
    """
    check_choice(method, LEARNERS, "method")
    check_choice(missing, LEARN_MISSING_CHOICES, "missing")
    learner = LEARNERS[method]
    em_options = {name: options.pop(name) for name in EM_OPTIONS if missing == EM and name in options}
    chosen, method_options = split_options(learner, options)
    clock, used, rng = Clock(max_seconds), thread_count(threads), random_generator(seed)
    if missing == EM:
        if isinstance(data, LocalScores):
            raise InvalidOption("is 'em', which needs data, not scores", option="missing")
        with listening(progress) as listener:
            found_em = structural_em(
                data,
                learner,
                method_options,
                chosen,
                start,
                settings=settings,
                rng=rng,
                clock=clock,
                threads=used,
                max_memory=max_memory,
                listener=listener,
                **em_options,
            )
        asked = {"method": method, "max_seconds": max_seconds, **learner.options, **method_options, **em_options}
        return _learned_by_em(found_em, asked, clock, used, seed)
    scoring = None
    if isinstance(data, LocalScores):
        refuse_options_of_data(settings, {})
        _check_scores_suffice(learner, chosen)
        scores: LocalScores = data
    else:
        _check_data(data, chosen)
        budget = Budget.of(threads, max_memory)

        def check(job: ScoringJob) -> None:
            learning_requirements(job, used, budget.limit, method=method, **method_options).check(budget.limit)

        needed = most_parents(start)
        scoring = job_of_best(data, chosen, budget, settings, progress, needed=needed, clock=clock, check=check)
        issue(*data_warnings(scoring.data))
        scores = on_demand_scores(scoring, threads=used, max_memory=max_memory)
    with listening(progress) as listener:
        job, found = run_learner(
            learner,
            method_options,
            scores,
            scoring,
            start,
            rng=rng,
            clock=clock,
            threads=used,
            max_memory=max_memory,
            listener=listener,
        )
    caveats = Caveats(scores.info.warnings)
    caveats.issue(*learner.cautions(scores.info))
    if not found.complete:
        message = f"the search reached {argument('max_seconds')}: the network is the best found by then"
        caveats.issue(StoppedEarly(message))
    caveats.issue(sparse_families(scores.info, scores.variables, found.network.to_adjacency()))
    return Learned(
        variables=scores.variables,
        score_info=scores.info,
        provenance=provenance_of(
            "learn",
            {
                "method": method,
                "max_seconds": max_seconds,
                "start": None if start is None else [list(edge) for edge in job.start.edges],
                **learner.options,
                **method_options,
                "scores": scores.info.to_dict(),
            },
            {"search": clock.seconds},
            used,
            seed=recorded_seed(seed),
        ),
        warnings=caveats.kept,
        method=method,
        network=found.network,
        score=scores.unit.to_float(found.exact),
        complete=found.complete,
        trace=tuple(job.trace.steps),
        details=found.details,
    )


def _learned_by_em(found: StructuralFound, asked: Mapping[str, Any], clock: Clock, threads: int, seed: Seed) -> Learned:
    """Return what structural EM found, as a result."""
    caveats = Caveats(found.info.warnings)
    stopped_by = ""
    if found.interrupted:
        stopped_by = "Ctrl-C"
        caveats.issue(StoppedEarly("Ctrl-C ended structural EM: the network is the best found by then"))
    elif not found.complete:
        limit = argument("max_seconds") if clock.expired else argument("max_iterations")
        stopped_by = "the time limit" if clock.expired else "the limit on iterations"
        caveats.issue(StoppedEarly(f"structural EM reached {limit}: the network is the best found by then"))
    caveats.issue(sparse_families(found.info, found.network.variables, found.network.to_adjacency()))
    parameters = {**asked, "missing": "em", "scores": found.info.to_dict(), "interrupted": found.interrupted}
    seconds = {"search": clock.seconds}
    return Learned(
        variables=found.network.variables,
        score_info=found.info,
        provenance=provenance_of("learn", parameters, seconds, threads, seed=recorded_seed(seed)),
        warnings=caveats.kept,
        method=str(asked["method"]),
        network=found.network,
        score=found.score,
        complete=found.complete,
        trace=found.trace,
        details=found.details | ({"stopped_by": stopped_by} if stopped_by else {}),
    )


def _check_data(data: object, scoring: Mapping[str, Any]) -> None:
    """Refuse what is neither data nor scores."""
    score = str(scoring.get("score", DISCRETE_SCORE)).lower()
    kind = MixedData if score == AUTO_SCORE else find_score(score).data_type
    # Data of the other kind are converted, or refused with the remedy, when they are scored.
    if not isinstance(data, kind) and not is_data(data):
        kinds = f"a {kind.__name__}, a data frame, a path or LocalScores"
        raise InvalidOption(f"is {type_of(data)}; it must be {kinds}", "data")


def _check_scores_suffice(learner: Learner, scoring: Mapping[str, Any]) -> None:
    if learner.needs_data:
        raise InvalidOption(f"{learner.name!r} needs data, not scores", option="method")
    if scoring:
        name = next(iter(scoring))
        raise InvalidOption("is an option of scoring, but scores are given: score the data with it", option=name)
