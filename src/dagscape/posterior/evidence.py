"""The evidence for settings, and the settings that it favours: equivalent sample sizes and structure priors.

No equivalent sample size and no structure prior suits all data. With a small one and the uniform prior, a nearly
uniform variable can have dozens of certain parents, because there are millions of such sets, and each costs no more
than ln r a row; with a large one, weak edges appear everywhere. Data tell which settings suit them, by the evidence
P(D | setting), which exact sums give: half a sum for each.

What averages does so over all settings, weighed by their evidence (``studies/averaged_posterior.py``). What needs one
setting takes that with the highest evidence. Tables that are too wide for sums have the evidence of parts of their
columns, added up. ``benchmarks/settings.py`` shows how the grid was chosen, and how well parts do.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np

from dagscape.core.caveats import issue
from dagscape.core.checks import check_choice
from dagscape.core.clock import Clock
from dagscape.core.errors import InvalidOption, function
from dagscape.core.progress import ProgressListener, ProgressOption, listening
from dagscape.core.resources import Budget
from dagscape.core.wording import plural
from dagscape.data.any_data import AnyData
from dagscape.data.discrete.common_cuts import ComparedCuts
from dagscape.data.notices import data_warnings
from dagscape.data.tables.frames import is_frame
from dagscape.data.values import Frame
from dagscape.posterior.grids import (
    AVERAGED_PRIORS,
    AVERAGED_SIZES,
    BY_ROWS,
    Grid,
    density_of_job,
    grids_of,
    lasting_options,
    limit_by_rows,
)
from dagscape.posterior.setting import BY_EVIDENCE, DEFAULT_WAY, EQUAL, shares_of
from dagscape.posterior.weighing import WEIGHING, part_of, weighed_settings
from dagscape.scores.choice import DISCRETE_SCORE, with_score
from dagscape.scores.definitions.bdeu import ESS
from dagscape.scores.definitions.normal_wishart import ALPHA_W
from dagscape.scores.definitions.set_functions import ScoredData
from dagscape.scores.kinds import as_data
from dagscape.scores.registry import find_score
from dagscape.scores.requirements import scoring_requirements
from dagscape.scores.scoring import score_job
from dagscape.scores.scoring_job import STRUCTURE_OPTIONS, ScoringJob, prepare_sample

# What a method does about settings that are not given, if it needs one of each: the best, or fixed ones.
BEST, FIXED = "best", "fixed"
SETTINGS = (BEST, FIXED)

# The evidence of wider tables is that of parts with at most so many columns, and of at most so many parts.
_WHOLE_COLUMNS = 13
_PART_COLUMNS = 10
_MOST_PARTS = 24

# With a time limit, about one part in so many of it is for the choice of settings.
_SHARE_OF_TIME = 4


def averaged_grids(
    data: ScoredData | Frame | ComparedCuts, options: Mapping[str, Any], prior_data: ScoredData | None = None
) -> list[Grid]:
    """Return the settings to average over: the usual ones for all that the options do not fix.

    Parameters
    ----------
    data : data set, data frame or ComparedCuts
        The data; those of a table that was cut in several ways are averaged over, too.
    options : mapping
        Options of :func:`dagscape.local_scores`. Scores that are no probabilities of the data have one setting.
    prior_data : data set, optional
        What priors take means and scales from. Default: the data.
    """
    others = _given(options)
    data, others["score"] = with_score(data, others.get("score", DISCRETE_SCORE))
    definition = find_score(others["score"])
    prior = others.pop("structure_prior", None)
    # Each way of cutting has a limit of its own.
    most = others.pop("max_parents", BY_ROWS if definition.is_evidence else None)
    names = [parameter.name for parameter in definition.parameters] + [ESS.name]
    parameters = {name: others.pop(name) for name in names if name in others}
    if definition.is_evidence:
        if ESS in definition.parameters:
            parameters.setdefault(ESS.name, AVERAGED_SIZES)
        prior = AVERAGED_PRIORS if prior is None else [prior]
    else:
        prior = ["uniform" if prior is None else prior]
    for parameter in definition.parameters:
        parameters.setdefault(parameter.name, parameter.default)
    return grids_of(data, others, parameters, prior, most, prior_data)


def _given(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that a user gave, to be read more than once; None is a value of the limit on parents only."""
    kept = {name: value for name, value in options.items() if value is not None or name == "max_parents"}
    return lasting_options(kept)


def job_of_best(
    data: Any,
    options: Mapping[str, Any],
    budget: Budget,
    settings: str = BEST,
    progress: ProgressOption = None,
    *,
    over: str = "dags",
    cut_weights: str = EQUAL,
    needed: int = 0,
    clock: Clock | None = None,
    prior_data: ScoredData | None = None,
    check: Callable[[ScoringJob], None] = lambda _: None,
) -> ScoringJob:
    """Return how data are scored by a method that needs one setting of each kind.

    Parameters
    ----------
    data : data set, ComparedCuts, data frame or path
        The data.
    options : mapping
        Options of :func:`dagscape.local_scores`; what they give stays.
    budget : Budget
        Threads and memory.
    settings : {"best", "fixed"}
        Whether the others have the highest evidence, or the defaults of :func:`dagscape.local_scores`.
    progress : bool or callable, optional
        As in :func:`dagscape.local_scores`.
    over, cut_weights, needed, clock, prior_data
        As in :func:`best_of`.
    check : callable
        Refuses a job that the method cannot do, before anything is computed; only its parameters and its prior change
        after that.
    """
    check_choice(settings, SETTINGS, "settings")
    given = _given(options)
    data, given["score"] = with_score(data, given.get("score", DISCRETE_SCORE))
    definition = find_score(given["score"])
    if settings == FIXED:
        if isinstance(data, ComparedCuts):
            data = best_of(data, _with_defaults(given), budget, cut_weights, over=over).data
        job = prepare_sample(data, None, prior_data, **given)
        check(job)
        return job
    whole = data if isinstance(data, ComparedCuts) else as_data(data, definition)
    first = _usual(whole) if isinstance(whole, ComparedCuts) else whole
    limited = definition.is_evidence and "max_parents" not in given
    limit: dict[str, Any] = limit_by_rows(first, given.get("required", ()), needed) if limited else {}
    # Wrong options are refused before anything is computed.
    job = replace(prepare_sample(first, None, prior_data, **given, **limit), chosen=limit)
    check(job)
    if not definition.is_evidence:
        return job
    with listening(progress) as listener:
        found = best_of(
            whole,
            given,
            budget,
            cut_weights,
            over=over,
            needed=needed,
            clock=clock,
            prior_data=prior_data,
            progress=listener,
        )
    job = prepare_sample(found.data, None, prior_data, **given, **found.chosen)
    return replace(job, choice=found.words, chosen=found.chosen)


def _with_defaults(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return options of scoring with the defaults of those that have evidence."""
    parameters = find_score(given["score"]).parameters
    defaults = {parameter.name: parameter.default for parameter in parameters}
    return {"structure_prior": "uniform", "max_parents": None, **defaults, **given}


@dataclass(frozen=True, slots=True)
class Choice:
    """The settings with the highest evidence.

    Attributes
    ----------
    data : data set
        The data, cut in the way with the highest evidence if there were several.
    chosen : dict
        The options of the best setting that were not given.
    words : str
        How it was chosen.
    """

    data: ScoredData
    chosen: dict[str, Any]
    words: str


def best_of(
    data: ScoredData | ComparedCuts,
    options: Mapping[str, Any],
    budget: Budget,
    cut_weights: str = EQUAL,
    *,
    over: str = "dags",
    needed: int = 0,
    clock: Clock | None = None,
    prior_data: ScoredData | None = None,
    whole_columns: int = _WHOLE_COLUMNS,
    part_columns: int = _PART_COLUMNS,
    progress: ProgressListener | None = None,
) -> Choice:
    """Return the settings with the highest evidence, and the limit on parents by the number of rows.

    Parameters
    ----------
    data : data set or ComparedCuts
        The data, or those of a table that was cut in several ways: the way with the highest evidence; if all have equal
        weights, the default one of 3 quantiles, or the first if that is not among them.
    options : mapping
        Options of :func:`dagscape.local_scores`; what they give stays. Priors and constraints that name variables are
        left out of parts of the columns.
    budget, cut_weights, over, progress
        As in :func:`dagscape.posterior`.
    needed : int
        The limit on parents by the number of rows is no lower.
    clock : Clock, optional
        A time limit. When a quarter of it is over, the parts of the columns that are left do not count.
    prior_data : data set, optional
        What priors take means and scales from, for data that were not cut. Default: the data.
    whole_columns : int
        Tables with more columns are divided into parts.
    part_columns : int
        The most columns of a part.
    """
    several = isinstance(data, ComparedCuts) and cut_weights == BY_EVIDENCE
    datasets: Sequence[Any] = [data]
    if isinstance(data, ComparedCuts):
        datasets = data.datasets if several else [_usual(data)]
    limits: list[dict[str, int]] = [{} for _ in datasets]
    if "max_parents" not in options:
        limits = [limit_by_rows(whole, options.get("required", ()), needed) for whole in datasets]
    divided = datasets[0].n > whole_columns
    parts = [_parts(whole, part_columns) if divided else [whole] for whole in datasets]
    evidence: dict[tuple[int, tuple[Any, ...], str], float] = {}
    weighed = 0
    # Ways of cutting are compared on the same parts.
    for same in zip(*parts, strict=True):
        if weighed and clock is not None and clock.seconds > clock.limit / _SHARE_OF_TIME:
            break
        for number, part in enumerate(same):
            asked = {"max_parents": None, **options, **limits[number]}
            own = _options_of_part(asked, datasets[number], part) if divided else asked
            grids = averaged_grids(part, own, None if prior_data is None else prior_data.select(part.variables))
            if len(datasets) * sum(len(grid.jobs) for grid in grids) == 1:
                return Choice(datasets[0], dict(limits[0]), _words_of(limits[0]))
            density = density_of_job(grids[0].largest) if several else 0.0
            done, count = weighed * len(datasets) + number, len(parts[0]) * len(datasets)
            heard = part_of(progress, "Choosing settings", done, count, of=WEIGHING)
            for setting in weighed_settings(grids, over, budget, heard):
                # What was given may have another number in each part.
                found = {name: value for name, value in setting.job.parameters.items() if options.get(name) is None}
                key = (number, tuple(found.items()), setting.job.prior.name)
                evidence[key] = evidence.get(key, 0.0) + setting.log_evidence + density
        weighed += 1
    best = max(evidence, key=lambda key: evidence[key])
    limit = limits[best[0]]
    chosen: dict[str, Any] = {**limit, **dict(best[1])}
    if options.get("structure_prior") is None:
        chosen["structure_prior"] = best[2]
    words = _words_of_evidence(list(evidence.values()), weighed, len(parts[0]))
    return Choice(datasets[best[0]], chosen, "; ".join(filter(None, [words, _words_of(limit)])))


def _words_of_evidence(evidence: Sequence[float], weighed: int, parts: int) -> str:
    words = f"the highest evidence of {plural(len(evidence), 'setting')}"
    if weighed < parts:
        return f"{words}, in {weighed} of {parts} parts of the columns, for lack of time"
    if parts > 1:
        return f"{words}, in {parts} parts of the columns"
    share = float(shares_of(evidence, [""] * len(evidence), BY_EVIDENCE).max())
    return f"{words}, with a share of {share:.2f}"


def _words_of(limit: Mapping[str, int]) -> str:
    return "".join(f"at most {plural(most, 'parent')}, by the number of rows" for most in limit.values())


def _options_of_part(options: Mapping[str, Any], whole: ScoredData, part: ScoredData) -> dict[str, Any]:
    """Return the options for a part of the columns: without constraints and priors that name variables.

    A number of degrees of freedom becomes that of the same prior for fewer columns.
    """
    kept = {name: value for name, value in options.items() if name not in STRUCTURE_OPTIONS or name == "max_parents"}
    prior = options.get("structure_prior")
    if prior is not None:
        kept["structure_prior"] = prior if isinstance(prior, str) else "uniform"
    if "randomised" in kept:
        kept["randomised"] = [name for name in part.variables if name in kept["randomised"]]
    count = find_score(options.get("score", DISCRETE_SCORE)).prior_columns
    if count is not None and isinstance(freedom := kept.get(ALPHA_W.name), Real):
        kept[ALPHA_W.name] = float(freedom) - count(whole) + count(part)
    return kept


def _usual(cuts: ComparedCuts) -> ScoredData:
    """Return the data set of the default way of cutting, or of the first way."""
    ways = {data.discretizer.way: data for data in cuts.datasets if data.discretizer is not None}
    return ways.get(DEFAULT_WAY, cuts.datasets[0])


def _parts(data: Any, most: int) -> list[ScoredData]:
    """Return parts of the columns of data."""
    return [data.select([data.variables[column] for column in columns]) for columns in _parts_of(data.n, most)]


def _parts_of(n: int, most: int) -> list[list[int]]:
    """Return parts of the columns, always the same for a number of columns: random ones of a fixed seed.

    >>> [len(part) for part in _parts_of(25, 10)], len(_parts_of(500, 10))
    ([9, 8, 8, 9, 8, 8, 9, 8, 8], 24)
    """
    rng, count = np.random.default_rng(0), -(-n // most)
    shuffled = [np.array_split(rng.permutation(n), count) for _ in range(3)]
    return [sorted(part.tolist()) for parts in shuffled for part in parts][:_MOST_PARTS]


def scores_of(
    given: Any,
    settings: str,
    options: Mapping[str, Any],
    budget: Budget,
    progress: ProgressOption = None,
    *,
    over: str = "dags",
) -> Any:
    """Return scores as they are, or those of data with what is given, and else with the best settings.

    Parameters
    ----------
    given : LocalScores, data set, data frame or path
        What a user gave.
    settings, options, budget, over
        As in :func:`job_of_best`.
    progress : bool or callable, optional
        As in :func:`dagscape.local_scores`.
    """
    if not is_data(given):
        refuse_options_of_data(settings, options)
        return given

    def check(job: ScoringJob) -> None:
        scoring_requirements(job, budget.threads, budget.limit).check(budget.limit)

    with listening(progress) as listener:
        job = job_of_best(given, options, budget, settings, listener, over=over, check=check)
        issue(*data_warnings(job.data))
        return score_job(job, budget, progress=listener)


def is_data(given: object) -> bool:
    """Whether this is data of some kind, or a file with a table; files with scores have endings of their own."""
    if isinstance(given, str | os.PathLike):
        return True
    return isinstance(given, AnyData) or is_frame(given)


def refuse_options_of_data(settings: str, options: Mapping[str, Any]) -> None:
    """Refuse options of scoring, where scores are given."""
    check_choice(settings, SETTINGS, "settings")
    for name in options:
        raise InvalidOption(f"is an option of {function('local_scores')}; these scores have theirs", option=name)
