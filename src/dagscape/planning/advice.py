"""Advice for jobs that do not fit: what would make them fit, with the least trouble first.

Other settings of the same method come first. If none fit, the advice lists all remedies that do: fewer variables, other
machines or devices, another exact method. Chains and learners, which need little memory but are not exact, come last;
or first, if there are more variables than the method supports with any amount of memory.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from dagscape.core.errors import argument, function
from dagscape.core.requirements import CONFIDENCE, FEW_PARENTS, FEWER_PARENTS, LEARNED
from dagscape.core.resources import format_bytes
from dagscape.planning.registry import METHODS, TASKS
from dagscape.scores.definitions.set_functions import ScoredData
from dagscape.scores.requirements import scoring_requirements
from dagscape.scores.scoring_job import STRUCTURE_OPTIONS, prepare
from dagscape.scores.search_planning import SearchSize

# What chains estimate, too.
_SAMPLED = ("posterior", "sample-dags", "feature-probability")


@dataclass(frozen=True, slots=True)
class RefusedJob:
    """A job that does not fit.

    Attributes
    ----------
    data : Dataset
        The data.
    task : str
        What is to be computed: "scores", or the name of a method.
    settings : mapping
        The options of the method.
    options : mapping
        The options of the scores.
    threads, limit : int
        The number of threads, and the bytes that may be used.
    asked : int
        The limit on the number of parents, as requested.
    required : int
        The largest number of parents that constraints require of a variable.
    sampled : bool
        Whether chains run in place of the sum, so that there is only the sum to advise on.
    """

    data: ScoredData
    task: str
    settings: Mapping[str, Any]
    options: Mapping[str, Any]
    threads: int
    limit: int
    asked: int
    required: int
    sampled: bool = False

    @property
    def subject(self) -> str:
        """What is advised on."""
        return "an exact sum" if self.sampled else _function(self.task)

    def fits(self, task: str, settings: Mapping[str, Any], max_parents: int) -> bool:
        """Whether another method, other settings or another limit on parents fit."""
        scoring = prepare(self.data, **{**self.options, "max_parents": max_parents})
        needs = [scoring_requirements(scoring, self.threads, self.limit)]
        if task in METHODS:
            size = SearchSize.complete(self.data.n, max_parents)
            needs.append(METHODS[task].requirements(size, self.threads, self.limit, **settings))
        return all(need.fits(self.limit) for need in needs)

    def supported(self) -> bool:
        """Whether the method could do the job with enough memory."""
        if self.task not in METHODS:
            return True
        size = SearchSize.complete(self.data.n, min(self.asked, FEW_PARENTS))
        return not METHODS[self.task].requirements(size, self.threads, self.limit, **self.computed()).refusal

    def runs_chains(self) -> bool:
        """Whether the method itself runs chains where it cannot sum, with the settings of the job."""
        if self.task != "posterior":
            return False
        usual = {name: option.values[0] for name, option in METHODS[self.task].plan_options.items() if option.varied}
        return dict(self.settings) == usual

    def computed(self) -> dict[str, Any]:
        """Return the settings that say what is computed, and not where."""
        chosen = {name: self.settings[name] for name in METHODS[self.task].options}
        return chosen | self.asked_for()

    def asked_for(self) -> dict[str, Any]:
        """Return the settings that ask for more results, which any advice about the task keeps."""
        others = METHODS[self.task].other_options
        return {name: self.settings[name] for name in others if others[name].asks_for_more and self.settings.get(name)}


def advice_for(job: RefusedJob) -> str:
    """Return what would make a job fit, with the least trouble first."""
    if own := _fitting(job, own=True):
        return own
    other = _fitting(job, own=False)
    exact = [_fewer_variables(job), *_elsewhere(job), other]
    remedies = [*exact, _without_exactness(job)] if job.supported() else [_without_exactness(job), *exact]
    none = "no exact sum fits" if job.sampled else f"no settings of {_function(job.task)} fit"
    what = none if other else "no exact method fits"
    within = f" within {format_bytes(job.limit)}" if job.supported() else ""
    return f"{what} {job.data.n} variables{within}; " + "; ".join(filter(None, remedies))


def _fitting(job: RefusedJob, *, own: bool) -> str:
    """Return the settings closest to the request that fit: of the method itself, or of another; empty if none do."""
    asked = job.asked
    candidates = [found for found in _candidates(job) if (found[0] == job.task) is own]
    for (name, chosen), most in itertools.product(candidates, _limits_on_parents(job)):
        if job.fits(name, chosen, most):
            return _described(job, name, chosen | ({} if most == asked else {"max_parents": most}))
    return ""


def _limits_on_parents(job: RefusedJob) -> tuple[int, ...]:
    return (job.asked, *(most for most in FEWER_PARENTS if job.required <= most < job.asked))


def sampled_instead(job: RefusedJob) -> str:
    """Name chains with the settings closest to the request that fit; empty if none do, or if they are no answer."""
    if job.task not in _SAMPLED or job.sampled:
        return ""
    for most in _limits_on_parents(job):
        scoring = prepare(job.data, **{**job.options, "max_parents": most})
        if TASKS["chain"].requirements(scoring, job.threads, job.limit).fits(job.limit):
            settings = {"method": "chain"} | ({} if most == job.asked else {"max_parents": most})
            return f"{function('posterior')} with {_arguments(settings)} samples DAGs by Markov chains"
    return ""


def _without_exactness(job: RefusedJob) -> str:
    """Name what needs little memory with any number of variables: chains, then learners."""
    if job.task == "scores":
        return "family_scores in Python computes scores on demand"
    return "; ".join(filter(None, [sampled_instead(job), _learners(job)]))


def _learners(job: RefusedJob) -> str:
    """Name the learners."""
    return f"{LEARNED}, and {CONFIDENCE}" if job.task == "posterior" else LEARNED


def _fewer_variables(job: RefusedJob) -> str:
    """Say how many of the variables the requested method can take: as requested, and with few parents."""
    asked = job.options.get("max_parents") or job.data.n
    choice = f"leave out variables with {function('Dataset.select')}"
    as_asked = _most_variables(job, job.settings, asked)
    few = min(asked, max(FEW_PARENTS, job.required))
    others = [chosen for name, chosen in _candidates(job) if name == job.task]
    best = max(others, key=lambda chosen: _most_variables(job, chosen, few))
    if (with_few := _most_variables(job, best, few)) > as_asked:
        changed = {name: value for name, value in best.items() if value != job.settings.get(name)}
        changed |= {"max_parents": few} if few < asked else {}
        fits = f"{job.subject} fits up to {with_few} variables with {_arguments(changed)}"
        as_requested = f", and as requested it fits up to {as_asked} variables" if as_asked else ""
        return f"{fits}{as_requested}: {choice}"
    return f"{job.subject} fits up to {as_asked} variables: {choice}" if as_asked else ""


def _elsewhere(job: RefusedJob) -> list[str]:
    """Say where the requested job fits, as requested or else with few parents: the smallest of each kind."""
    if job.task not in METHODS:
        return []
    chosen = job.computed()
    few = {FEW_PARENTS} if job.required <= FEW_PARENTS < job.asked else set()
    remedies = []
    for alternatives in METHODS[job.task].elsewhere(**chosen):
        for most, found in itertools.product((job.asked, *few), alternatives):
            if job.fits(job.task, chosen | dict(found.assumed), most):
                changed = dict(found.options) | ({} if most == job.asked else {"max_parents": most})
                remedies.append(f"on {found.where} it fits, with {_arguments(changed)}")
                break
    return remedies


def _most_variables(job: RefusedJob, settings: Mapping[str, Any], max_parents: int) -> int:
    """Return how many of the first variables a method can take with these settings; 0 if it cannot take two.

    The score has no constraints: they may name variables that are left out, and do not change what is needed.
    """
    score = {name: value for name, value in job.options.items() if name not in STRUCTURE_OPTIONS}
    for n in range(job.data.n - 1, 1, -1):
        most = min(max_parents, n - 1)
        size = SearchSize.complete(n, most)
        if job.task in METHODS:
            needs = METHODS[job.task].requirements(size, job.threads, job.limit, **settings)
            if not needs.fits(job.limit):
                continue
        scoring = prepare(job.data.select(job.data.variables[:n]), **{**score, "max_parents": most})
        if scoring_requirements(scoring, job.threads, job.limit).fits(job.limit):
            return n
    return 0


def _candidates(job: RefusedJob) -> Iterator[tuple[str, dict[str, Any]]]:
    """Iterate over methods with settings: the requested ones first, then other settings, then other methods."""
    yield job.task, dict(job.settings)
    if job.task == "scores":
        return
    n = job.data.n
    advised = (name for name, other in METHODS.items() if other.most_advised is None or n <= other.most_advised)
    for name in (job.task, *(other for other in advised if other != job.task)):
        known, others = METHODS[name].options, METHODS[name].other_options
        moved = name == job.task and any(key in job.settings for key in others if not others[key].asks_for_more)
        # What does not fit elsewhere may fit here.
        here = {key: option.values[0] for key, option in others.items() if option.values} if moved else {}
        more = job.asked_for() if name == job.task else {}
        for values in itertools.product(*known.values()):
            yield name, dict(zip(known, values, strict=True)) | more | here


def _described(job: RefusedJob, name: str, settings: Mapping[str, Any]) -> str:
    """Say that a method fits with some settings; those at their defaults are left out, if the request had them, too."""
    known = METHODS[name].options if name in METHODS else {}
    usual = {key: values[0] for key, values in known.items() if name != job.task or job.settings[key] == values[0]}
    changed = {key: value for key, value in settings.items() if key not in usual or value != usual[key]}
    subject = job.subject if name == job.task else _function(name)
    return f"{subject} fits" + (f" with {_arguments(changed)}" if changed else "")


def _arguments(settings: Mapping[str, Any]) -> str:
    return ", ".join(argument(name, value) for name, value in settings.items())


def _function(name: str) -> str:
    return function(METHODS[name].function.__name__ if name in METHODS else "local_scores")
