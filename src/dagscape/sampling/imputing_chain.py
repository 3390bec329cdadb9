r"""Markov chains over networks and missing cells: :func:`dagscape.chain` with ``missing="sample"``.

The target is the joint posterior of the DAG *G* and the missing cells *H*, with the parameters θ integrated out,

.. math:: p(G, H \mid \text{observed cells}) \propto p(G) \, p(\text{observed cells}, H \mid G),

where the last factor is the marginal likelihood that is the score of the completed table. Averages over the networks of
such a chain are therefore posterior probabilities given the observed cells: what the missing ones might be is summed
out. This is right if cells are missing at random: whether one is missing may depend on what was observed, but not on
the cell itself [little2002]_.

A *round* has two steps, each of which leaves the target as it is:

1. Parameters are drawn from p(θ | G, completed table), and the cells from p(H | G, θ, observed cells)
   (``holes.py``, ``measured_holes.py``). Both are exact conditionals of p(G, θ, H | observed cells), so that they leave
   it as it is [tanner1987]_; and θ, which is forgotten then, is integrated out.
2. The network moves by steps that leave p(G | completed table) as it is (``network_steps.py``): exact draws up to
   :data:`~dagscape.sampling.network_steps.MOST_EXACT` variables, else sweeps of the moves of :func:`dagscape.chain`.

The prior must not depend on the cells that are drawn, or the scores of different tables would not be weights of one
posterior. Settings are chosen once, before the chains; BGe's prior means and scales are those of the observed cells.

Networks stay longer than with complete tables, because cells that were drawn under a network speak for it: the more
cells are missing, the longer. The diagnostics compare chains that start from different cells.

Cost of a round: scores of the completed table, the draw of the cells, and the steps over networks; a few milliseconds
for ten variables.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dagscape.core.caveats import Caveats, issue
from dagscape.core.clock import Clock
from dagscape.core.errors import InvalidData, InvalidOption, TooLarge, argument, function
from dagscape.core.progress import ProgressListener, ProgressOption, listening
from dagscape.core.randomness import Seed, recorded_seed
from dagscape.core.resources import Budget, check_memory
from dagscape.core.wording import plural
from dagscape.data.continuous.numeric import NumericData
from dagscape.data.discrete.dataset import Dataset
from dagscape.data.notices import data_warnings
from dagscape.ensembles.sampled_networks import SampledNetworks
from dagscape.graphs.words import word_count
from dagscape.posterior.evidence import FIXED, job_of_best
from dagscape.results.base import provenance_of
from dagscape.results.score_info import ScoreInfo
from dagscape.sampling.chain_requirements import chain_requirements
from dagscape.sampling.chain_results import Sampled, checkpoints_of_chains, result_of_chains, too_short
from dagscape.sampling.holes import DiscreteHoles, Holes, Parents
from dagscape.sampling.measured_holes import MeasuredHoles, prior_rows
from dagscape.sampling.network_steps import MOST_EXACT, BlockSteps, ExactSteps, NetworkSteps
from dagscape.sampling.recorded_draws import RecordedDraws
from dagscape.sampling.running_chains import Lengths, collected, run_chains
from dagscape.scores.arithmetic.fixed_point import Unit
from dagscape.scores.choice import DISCRETE_SCORE, with_score
from dagscape.scores.definitions.definition import ScoreDefinition
from dagscape.scores.kinds import as_data
from dagscape.scores.posteriors import check_posterior
from dagscape.scores.registry import find_score
from dagscape.scores.requirements import nominal_seconds
from dagscape.scores.scoring_job import ScoringJob, prepare_sample, with_fewer_parents

# The scores whose parameters can be drawn.
DRAWABLE: dict[str, type[Holes]] = {"bdeu": DiscreteHoles, "k2": DiscreteHoles, "bge": MeasuredHoles}

# Rounds before settings are chosen, on the table of the last one.
_WARMING_ROUNDS = 30
# The most joint states of a family: drawn tables have a number for each.
_MOST_STATES = 2**24
# Without a limit on parents, more variables than can be summed over exactly have the largest of these with which the
# scores of a table take no longer.
_LIMITS = (4, 3, 2)
_SECONDS_PER_TABLE = 0.25


@dataclass(frozen=True, slots=True)
class Asked:
    """What a user asked of chains, checked; as in :func:`dagscape.chain`."""

    chains: int
    draws: int
    thin: int | None
    settings: str
    max_seconds: float | None
    checkpoint: str | os.PathLike[str] | None
    checkpoint_seconds: float
    seed: Seed


@dataclass(slots=True)
class ImputingChain(RecordedDraws):
    """A chain of networks and missing cells, and what it has drawn so far."""

    holes: Holes
    steps: NetworkSteps
    unit: Unit
    thin: int
    rng: np.random.Generator
    parents: Parents | None = None
    error: float = 0.0

    def extend(self, draws: int, stopped: Callable[[], bool]) -> None:
        """Draw a batch of networks more, unless the chain is stopped before it is complete."""
        n = self.steps.job.data.n
        words = np.zeros((draws, n, word_count(n)), dtype=np.uint64)
        exact, sums = np.zeros(draws, dtype=np.int64), np.zeros((n, n))
        for draw in range(draws):
            for _ in range(self.thin):
                if stopped():
                    return
                if self.parents is not None:
                    self.holes.draw(self.parents, self.rng)
                moved = self.steps.move(self.holes.completed(), self.parents, self.rng)
                self.parents, self.error = moved.parents, max(self.error, moved.error)
                sums += moved.edges / self.thin
            words[draw], exact[draw] = moved.words, self.unit.to_int(moved.score)
        self.record(words, exact, sums)
        if self.checkpoint is not None:
            self.place = {
                "parents": self.parents,
                "cells": self.holes.values,
                "error": self.error,
                "rng": self.rng.bit_generator.state,
            }

    def restore(self) -> None:
        """Go on from a checkpoint, if there is one."""
        state = None if self.checkpoint is None else self.checkpoint.load()
        if self.checkpoint is None or state is None:
            return
        with self.checkpoint.reading():
            self.parents, self.error = state["parents"], float(state["error"])
            self.holes.values = state["cells"]
            self.rng.bit_generator.state = state["rng"]
            self.restore_draws(state)
            self.place = {name: state[name] for name in ("parents", "cells", "error", "rng")}


def chain_of_incomplete(
    given: Any,
    options: Mapping[str, Any],
    asked: Asked,
    clock: Clock,
    budget: Budget,
    rng: np.random.Generator,
    progress: ProgressOption = None,
) -> SampledNetworks:
    """Do the work of :func:`dagscape.chain` with ``missing="sample"``.

    Parameters
    ----------
    given : Dataset, NumericData, data frame or path
        The data.
    options : mapping
        Options of :func:`dagscape.local_scores`.
    asked : Asked
        The chains.
    clock, budget, rng, progress
        The time limit, threads and memory, random numbers, and who listens.
    """
    began = time.perf_counter()
    data, options = _incomplete(given, options)
    with listening(progress) as listener:
        job, info = job_of_incomplete(data, options, asked.settings, budget, listener)
        issue(*data_warnings(job.data))
        _check_size(data, job, asked, budget)
        steps = _steps(job, info, budget)
        thin = 1 if asked.thin is None else int(asked.thin)
        limited = asked.max_seconds is not None and asked.checkpoint is None
        lengths = Lengths.of(asked.draws, data.n, limited=limited)
        seconds = {"settings": time.perf_counter() - began}
        began = time.perf_counter()
        counts = {"chains": asked.chains, "draws": asked.draws, "thin": thin}
        described = [info.to_dict(), {**counts, "seed": recorded_seed(asked.seed)}, "missing"]
        digest = hashlib.sha256(json.dumps(described, sort_keys=True).encode()).hexdigest()
        caveats = Caveats(info.warnings)
        with checkpoints_of_chains(asked.checkpoint, asked.checkpoint_seconds, digest, asked.chains) as saved:
            running = []
            for own, checkpoint in zip(rng.spawn(asked.chains), saved, strict=True):
                holes = _holes(data, job)
                holes.fill(own)
                running.append(ImputingChain(holes, steps, job.unit, thin, own, checkpoint=checkpoint))
                running[-1].restore()
            finished, interrupted = run_chains(running, lengths, clock, budget.threads, listener)
            drawn = collected(running, lengths)
            if drawn is None or not finished:
                for one in running:
                    one.save()
            if drawn is None or (interrupted and asked.checkpoint is not None):
                raise KeyboardInterrupt if interrupted else too_short(asked.max_seconds)
    cells = running[0].holes.count
    provenance = provenance_of(
        "chain",
        {
            **counts,
            "max_seconds": asked.max_seconds,
            "missing": "sample",
            "drawn_cells": cells,
            "scores": info.to_dict(),
            "steps": "exact" if isinstance(steps, ExactSteps) else "blocks",
            "interrupted": interrupted and not drawn.finished,
        },
        {**seconds, "chains": time.perf_counter() - began},
        budget.threads,
        seed=recorded_seed(asked.seed),
    )
    of = Sampled(data.variables, info, job.unit, max(one.error for one in running), cells)
    return result_of_chains(of, drawn, thin, provenance, caveats, interrupted=interrupted)


def _incomplete(given: Any, options: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return data with missing cells, and the options, or refuse what cannot be drawn."""
    options = {name: value for name, value in options.items() if value is not None or name == "max_parents"}
    check_posterior(options.get("score"))
    given, score = with_score(given, options.get("score", DISCRETE_SCORE))
    options["score"] = score
    definition = find_score(score)
    if definition.name not in DRAWABLE:
        raise InvalidOption(
            f"is {definition.name!r}, whose parameters cannot be drawn: with {argument('missing', 'sample')}, use "
            f"{', '.join(map(repr, list(DRAWABLE)[:-1]))} or {list(DRAWABLE)[-1]!r}",
            option="score",
        )
    data: Any = as_data(given, definition, complete=False)
    if not data.has_missing:
        raise InvalidData(
            f"no cell of the data is missing: leave out {argument('missing', 'sample')}, or make the data with "
            f"{argument('missing', 'keep')}"
        )
    if data.experimental_rows or options.get("randomised"):
        raise InvalidData(
            f"rows of experiments cannot be completed by {argument('missing', 'sample')}: make the data without "
            f"{argument('interventions')}, or with {argument('missing', 'drop')}"
        )
    if empty := [name for name, lacks in zip(data.variables, _never_observed(data), strict=True) if lacks]:
        raise InvalidData(f"{empty[0]!r} was never observed: leave it out ({argument('drop')})")
    return data, options


def _never_observed(data: Any) -> list[bool]:
    lacking = np.isnan(data.values) if isinstance(data, NumericData) else data.holes
    return [bool(column.all()) for column in lacking.T]


def _holes(data: Any, job: ScoringJob) -> Holes:
    return DRAWABLE[job.definition.name](data, job.parameters)  # type: ignore[call-arg]  # each takes its own data


def job_of_incomplete(
    data: Dataset | NumericData,
    options: Mapping[str, Any],
    settings: str,
    budget: Budget,
    listener: ProgressListener | None = None,
) -> tuple[ScoringJob, ScoreInfo]:
    """Return how completed tables are scored, and what is to be said of the scores.

    Parameters
    ----------
    data : Dataset or NumericData
        Data with missing cells.
    options : mapping
        Options of :func:`dagscape.local_scores`, with one of the scores of :data:`DRAWABLE`.
    settings : {"best", "fixed"}
        Whether settings that are left open have the highest evidence, on the table of a short chain with the usual
        ones; or are those of :func:`dagscape.local_scores`.
    budget, listener
        Threads and memory, and who listens.
    """
    definition = find_score(options["score"])
    whole = prior_rows(data) if isinstance(data, NumericData) else None
    rng = np.random.default_rng(0)

    def prepared(table: Any, **chosen: Any) -> ScoringJob:
        return prepare_sample(table, None, whole, **{**options, **chosen})

    table = _filled(data, definition, rng)
    prepared(table)
    if settings != FIXED:
        limited = _limited(job_of_best(table, options, budget, FIXED), options)
        holes, steps = _holes(data, limited), _steps(replace(limited, whole=whole), limited.info, budget)
        holes.fill(rng)
        parents: Parents | None = None
        for _ in range(_WARMING_ROUNDS):
            moved = steps.move(holes.completed(), parents, rng)
            parents = moved.parents
            holes.draw(parents, rng)
        table = holes.completed()
    found = job_of_best(table, options, budget, settings, listener, prior_data=whole)
    job = replace(prepared(table, **found.chosen), choice=found.choice, chosen=found.chosen)
    if found.choice and "evidence" in found.choice:
        job = replace(job, choice=f"{job.choice}, on a table whose missing cells were drawn")
    job = _limited(job, options)
    return job, replace(job.info, data=data.fingerprint)


def _filled(data: Any, definition: ScoreDefinition, rng: np.random.Generator) -> Any:
    """Return the table with cells drawn from their columns."""
    defaults = {parameter.name: parameter.default for parameter in definition.parameters}
    holes = DRAWABLE[definition.name](data, defaults)  # type: ignore[call-arg]  # each takes its own data
    holes.fill(rng)
    return holes.completed()


def _limited(job: ScoringJob, options: Mapping[str, Any]) -> ScoringJob:
    """Return the job with a limit on parents that makes scores of a table quick, if none was given."""
    if job.data.n <= MOST_EXACT or options.get("max_parents") is not None:
        return job
    needed = max(map(len, job.constraints.required))
    for most in (most for most in _LIMITS if needed <= most < job.max_parents):
        job = with_fewer_parents(job, most)
        if nominal_seconds(job) <= _SECONDS_PER_TABLE:
            break
    return job


def _steps(job: ScoringJob, info: ScoreInfo, budget: Budget) -> NetworkSteps:
    own = Budget.of(1, budget.limit)
    return ExactSteps(job, info, own) if job.data.n <= MOST_EXACT else BlockSteps(job, info, own)


def _check_size(data: Any, job: ScoringJob, asked: Asked, budget: Budget) -> None:
    """Refuse chains that do not fit, and families whose tables cannot be drawn."""
    chain_requirements(job, budget.threads, budget.limit, chains=asked.chains, draws=asked.draws).check(budget.limit)
    cells = asked.chains * (DRAWABLE[job.definition.name].memory(data) + job.memory(1))
    check_memory(cells, budget.limit, f"the missing cells of {plural(asked.chains, 'chain')}", "use fewer chains")
    if job.info.level_counts is not None:
        largest = sorted(job.info.level_counts, reverse=True)[: job.max_size]
        states = int(np.prod(np.array(largest, dtype=np.float64)))
        if states > _MOST_STATES:
            raise TooLarge(
                f"a family of {plural(len(largest), 'variable')} has up to {states:,} joint states; tables of up to "
                f"{_MOST_STATES:,} can be drawn: set a lower {argument('max_parents')}, or use {function('learn')} "
                f"with {argument('missing', 'em')}"
            )
