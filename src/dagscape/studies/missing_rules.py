"""What the rule for missing cells does to a posterior: the same table under several rules.

Nobody knows what the missing cells were, and every rule assumes something about them:

- ``drop`` leaves out incomplete rows, which is right if these are like all others;
- ``level`` makes what is missing a level of its own, so that it can depend on other variables; edges may then come from
  gaps, and measured columns have no such level;
- ``sample`` draws the missing cells along with the networks, by chains (:mod:`dagscape.sampling.imputing_chain`), which
  is right if gaps depend on what was observed only;
- ``em`` is the network of structural EM (:mod:`dagscape.search.structural_em`), which assumes the same;
- ``pnal`` is the best network by the node-average likelihood (``scores/definitions/pnal.py``), which is right if gaps
  depend on nothing.

The last two have no probabilities: an edge that all members of a class have counts as 1, and one that some have
reversed as 1/2. They have scores of their own, and the constraints of the others.

The other rules have the same settings of score and prior, chosen once. A prior that takes means and scales from the
data, such as that of BGe, takes them from what its rule keeps: complete rows under ``drop``, all observed cells under
``sample``. An edge whose probability stays where it is
under all rules does not depend on what was missing; one that moves does. Which rule is right, the table cannot say:
they score different tables, so that their evidence cannot be compared.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dagscape.core.checks import check_choice
from dagscape.core.errors import InvalidData, InvalidOption, SparseFamilies, argument, type_of
from dagscape.core.progress import Progress, ProgressListener, ProgressOption, listening
from dagscape.core.randomness import Seed, recorded_seed
from dagscape.core.resources import Budget
from dagscape.data.any_data import AnyData
from dagscape.data.continuous.numeric import NumericData
from dagscape.data.discrete.dataset import Dataset
from dagscape.data.discrete.levels import missing_level
from dagscape.data.mixed.mixed import MixedData
from dagscape.posterior.evidence import BEST, FIXED, SETTINGS, job_of_best
from dagscape.posterior.grids import lasting_options
from dagscape.results.base import Result, provenance_of
from dagscape.sampling.chain_requirements import DEFAULT_CHAINS, DEFAULT_DRAWS
from dagscape.sampling.imputing_chain import DRAWABLE, job_of_incomplete
from dagscape.scores.choice import AUTO_SCORE, DISCRETE_SCORE, with_score
from dagscape.scores.kinds import as_data
from dagscape.scores.posteriors import check_posterior
from dagscape.scores.registry import find_score
from dagscape.scores.scoring_job import ScoringJob
from dagscape.search.learning import learn
from dagscape.studies.missing_rules_result import OF_ONE_NETWORK, MissingRules
from dagscape.studies.posterior import posterior

# What is compared by default, as far as the data allow.
DEFAULT_RULES = ("drop", "level", "sample")


@dataclass(frozen=True, slots=True)
class _Study:
    """What all rules have in common.

    Attributes
    ----------
    data : data set
        The data, with their missing cells.
    options : dict
        Options of scoring, with all settings.
    chains : dict
        Options of chains.
    work : dict
        Seed, threads, memory and progress.
    """

    data: Any
    options: dict[str, Any]
    chains: dict[str, Any]
    work: dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Found:
    """The probabilities of edges under a rule, their errors, and the rows that count."""

    edges: Any
    errors: Any
    rows: int
    verdict: str = ""


def compare_missing(
    data: Any,
    rules: Sequence[str] | None = None,
    *,
    settings: str = BEST,
    chains: int = DEFAULT_CHAINS,
    draws: int = DEFAULT_DRAWS,
    seed: Seed = 0,
    threads: int | None = None,
    max_memory: int | str | None = None,
    progress: ProgressOption = None,
    **options: Any,
) -> MissingRules:
    """Compare rules for missing cells: the probability of every edge under each, and the edges that change.

    Parameters
    ----------
    data : Dataset, NumericData, MixedData, data frame or path
        Data made with ``missing="keep"``; files and frames are read so.
    rules : sequence of str, optional
        What to compare: ``"drop"`` incomplete rows, make what is missing a ``"level"``, ``"sample"`` the missing cells
        along with networks, or learn one network by ``"em"`` or ``"pnal"``. Default: the first three, or those of them
        that the data and the score allow.
    settings : {"best", "fixed"}
        As in :func:`dagscape.chain`; they are chosen once, and the same under all rules.
    chains, draws
        As in :func:`dagscape.chain`, for ``"sample"``.
    seed : int, numpy.random.Generator or None
        The seed of chains and searches.
    threads, max_memory, progress
        As in :func:`dagscape.local_scores`.
    **options
        The options of :func:`dagscape.local_scores`. Default of ``score``: ``"auto"``, by what the variables are.

    Returns
    -------
    MissingRules
        The probabilities, with their errors, and what changes.

    Examples
    --------
    >>> import dagscape as ds
    >>> import numpy as np
    >>> frame = ds.load_network("asia").sample(200, seed=1).to_frame().astype(object)
    >>> frame = frame.mask(np.random.default_rng(0).random(frame.shape) < 0.1)
    >>> data = ds.Dataset.from_frame(frame, missing="keep").select(["smoke", "bronc", "dysp"])
    >>> found = ds.compare_missing(data, ["drop", "level"])
    >>> found
    MissingRules(drop and level, 3 variables, 0 adjacencies cross 0.5)
    >>> found.rows
    (144, 200)
    """
    start = time.perf_counter()
    check_choice(settings, SETTINGS, "settings")
    budget = Budget.of(threads, max_memory)
    data, options = _taken(data, lasting_options(options))
    names = _checked(rules, data, options["score"])
    with listening(progress) as listener:
        job = _job(data, options, settings, budget, listener)
        scoring = {**options, **job.parameters, "structure_prior": options.get("structure_prior", job.prior.name)}
        scoring["max_parents"] = job.max_parents
        found: list[_Found] = []
        posterior_of_all: _Found | None = None
        for done, name in enumerate(names):
            if listener is not None:
                listener(Progress("Comparing rules", done, len(names)))
            of_one_network = name in OF_ONE_NETWORK
            if posterior_of_all is not None and not of_one_network:
                found.append(posterior_of_all)
                continue
            work = {"seed": seed, "threads": threads, "max_memory": max_memory, "progress": listener}
            study = _Study(data, scoring, {"chains": chains, "draws": draws}, work)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", SparseFamilies)
                found.append(RULES[name](study))
            if not (data.has_missing or of_one_network):
                # Complete data are the same under all rules with probabilities.
                posterior_of_all = found[-1]
    info = replace(job.info, data=data.fingerprint)
    parameters = {"rules": list(names), "chains": chains, "draws": draws, "scores": info.to_dict()}
    return MissingRules(
        variables=data.variables,
        score_info=info,
        provenance=provenance_of(
            "compare_missing",
            parameters,
            {"study": time.perf_counter() - start},
            budget.threads,
            recorded_seed(seed),
        ),
        warnings=info.warnings,
        rules=names,
        rows=tuple(each.rows for each in found),
        edges=np.clip(np.stack([each.edges for each in found]), 0.0, 1.0),
        errors=np.stack([each.errors for each in found]),
        verdict=next((each.verdict for each in found if each.verdict), ""),
    )


def _taken(data: Any, options: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return data as their score takes them, and the options with its name."""
    score = options.get("score", AUTO_SCORE if not isinstance(data, Dataset) else DISCRETE_SCORE)
    check_posterior(score)
    data, name = with_score(data, score, missing="keep")
    definition = find_score(name)
    found: Any = as_data(data, definition, complete=False)
    if found.has_missing and found.experimental_rows:
        raise InvalidData(
            "rows of experiments with missing cells are not for a comparison of rules: make the data with "
            f"{argument('missing', 'drop')}"
        )
    return found, {**options, "score": name}


def _checked(rules: Sequence[str] | None, data: AnyData, score: str) -> tuple[str, ...]:
    """Return the rules to compare."""
    if rules is None:
        return tuple(rule for rule in DEFAULT_RULES if not _why_not(rule, data, score))
    if isinstance(rules, str) or not isinstance(rules, Sequence) or not rules:
        raise InvalidOption(f"is {type_of(rules)}; it must be a sequence of rules, such as {DEFAULT_RULES}", "rules")
    for rule in rules:
        check_choice(rule, tuple(RULES), "rules")
        if why := _why_not(rule, data, score):
            raise InvalidOption(f"has {rule!r}, {why}", option="rules")
    if len({*rules}) < len(rules):
        raise InvalidOption("names a rule more than once", option="rules")
    return tuple(rules)


def _why_not(rule: str, data: AnyData, score: str) -> str:
    """Return why a rule is not for data and a score, as a relative clause; an empty string if it is."""
    if rule == "level" and not isinstance(data, Dataset):
        return "which is for discrete data: measured columns have no levels"
    if rule == "sample" and str(score).lower() not in DRAWABLE:
        return f"which takes the scores {', '.join(DRAWABLE)}, not {score!r}"
    return ""


def _job(
    data: Any, options: dict[str, Any], settings: str, budget: Budget, listener: ProgressListener | None
) -> ScoringJob:
    """Return how the data are scored, with all settings."""
    if data.has_missing and str(options["score"]).lower() in DRAWABLE:
        return job_of_incomplete(data, options, settings, budget, listener)[0]
    return job_of_best(complete_rows(data) if data.has_missing else data, options, budget, settings, listener)


def complete_rows(data: Any) -> Any:
    """Return the rows without missing cells; levels stay as they are.

    >>> complete_rows(Dataset.from_codes([[0], [1]], {"x": 2}, holes=[[False], [True]])).m
    1
    """
    lacking: Any = data.holes if isinstance(data, Dataset) else np.isnan(data.values)
    kept = ~lacking.any(axis=1)
    if not kept.any():
        raise InvalidData("every row has a missing cell, so that none is left: compare other rules than 'drop'")
    marks = None if data.interventions is None else data.interventions[kept]
    if isinstance(data, Dataset):
        return replace(data, codes=data.codes[kept], weights=data.weights[kept], interventions=marks, holes=None)
    return replace(data, values=data.values[kept], interventions=marks)


def with_level(data: Dataset) -> Dataset:
    """Return the data with what is missing as a level of its own.

    >>> data = Dataset.from_codes([[0], [1]], {"x": ["a", "b"]}, holes=[[False], [True]])
    >>> dict(with_level(data).levels), with_level(data).codes.tolist()
    ({'x': ('a', 'b', '?')}, [[0], [2]])
    """
    assert data.holes is not None
    levels, codes = {}, data.codes.astype(np.int64)
    for column, name in enumerate(data.variables):
        lacking = data.holes[:, column]
        levels[name] = data.levels[name]
        if lacking.any():
            levels[name] = (*data.levels[name], missing_level(data.levels[name], {*data.levels[name]}))
            codes[lacking, column] = len(data.levels[name])
    return Dataset.from_codes(
        codes, levels, weights=data.weights, interventions=data.interventions, set_aside=data.set_aside
    )


def _posterior(study: _Study, table: Any, **options: Any) -> _Found:
    found = posterior(table, settings=FIXED, **study.options, **study.work, **options)
    _check_uninterrupted(found)
    errors = getattr(found, "edge_errors", None)
    exact = np.zeros_like(found.edges) if errors is None else errors
    diagnostics = getattr(found, "diagnostics", None)
    return _Found(found.edges, exact, table.m, "" if diagnostics is None else diagnostics.verdict)


def _check_uninterrupted(found: Result) -> None:
    """Pass Ctrl-C on, which ends chains and searches with what they have: a comparison needs all rules in full."""
    if found.provenance.parameters.get("interrupted"):
        raise KeyboardInterrupt


def _drop(study: _Study) -> _Found:
    return _posterior(study, complete_rows(study.data) if study.data.has_missing else study.data)


def _level(study: _Study) -> _Found:
    return _posterior(study, with_level(study.data) if study.data.has_missing else study.data)


def _sample(study: _Study) -> _Found:
    if not study.data.has_missing:
        return _posterior(study, study.data)
    return _posterior(study, study.data, missing="sample", **study.chains)


def _em(study: _Study) -> _Found:
    rule = "em" if study.data.has_missing else "error"
    scores = {Dataset: "bic", NumericData: "bic-g", MixedData: "bic-cg"}
    return _one_network(study, score=scores[type(study.data)], missing=rule)


def _pnal(study: _Study) -> _Found:
    return _one_network(study, score="pnal")


def _one_network(study: _Study, **options: Any) -> _Found:
    """Return the edges of a network: 1 if all members of its class have one, and 1/2 if some have it reversed."""
    # Settings are those of another score.
    names = ("required", "forbidden", "tiers", "max_parents")
    structure = {name: value for name, value in study.options.items() if name in names}
    table: Any = study.data
    found = learn(table, **structure, **options, **study.work)
    _check_uninterrupted(found)
    number = {name: i for i, name in enumerate(found.variables)}
    edges = np.zeros((len(number), len(number)))
    for source, target in found.compelled_edges:
        edges[number[source], number[target]] = 1.0
    for source, target in found.reversible_edges:
        edges[number[source], number[target]] = edges[number[target], number[source]] = 0.5
    return _Found(edges, np.zeros_like(edges), table.m)


RULES: dict[str, Callable[[_Study], _Found]] = {
    "drop": _drop,
    "level": _level,
    "sample": _sample,
    "em": _em,
    "pnal": _pnal,
}
