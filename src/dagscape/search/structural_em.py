r"""Structural EM: the structure and the parameters of a network from rows with missing cells [friedman1997em]_.

From a network with parameters, a step

1. *completes the rows* under it: whole rows whose statistics are the expected ones
   (:mod:`dagscape.search.incomplete_kinds`);
2. *searches*, by any learner that needs scores only, for a structure with a high BIC of these rows;
3. *fits* its parameters to the observed cells, by EM (:mod:`dagscape.networks.expectation_maximisation`), and with them
   its observed score (:mod:`dagscape.scores.expected`): BIC with the likelihood of the observed cells.

A structure is accepted only if its observed score is higher, so that the score never falls. With exact statistics, a
structure that scores higher in step 2 has a higher observed score as well [friedman1997em]_; where rows are drawn, and
for regressions, whose variances have another denominator in the score, that holds nearly. The search ends if the
structure is the same, or if so many steps in a row (*patience*) found none to accept.

Of several starts the best end counts. The first begins with a tree of strong dependences, or with the user's network,
and others with trees of dependences times random numbers.

*Cost.* A step costs a search on up to :data:`dagscape.networks.discrete.completing.MOST_STATES` times as many rows, and
the iterations of EM, each of which takes the rows times the cells of a bucket tree, or a decomposition for each set of
holes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from dagscape.core.checks import check_choice
from dagscape.core.clock import Clock
from dagscape.core.constraints import Whole, check_options
from dagscape.core.errors import InvalidOption, argument
from dagscape.core.progress import Progress, ProgressListener
from dagscape.data.any_data import AnyData
from dagscape.data.continuous.numeric import NumericData
from dagscape.data.discrete.dataset import Dataset
from dagscape.data.mixed.converting import dataset_from_mixed, numeric_from_mixed
from dagscape.data.mixed.mixed import MixedData
from dagscape.data.notices import kept_notices
from dagscape.data.sources import data_source
from dagscape.data.values import as_dataset, as_mixed, as_numeric
from dagscape.graphs.comparison import HasDag
from dagscape.graphs.dag import Dag
from dagscape.posterior.evidence import BEST, SETTINGS
from dagscape.posterior.grids import limit_by_rows
from dagscape.results.score_info import ScoreInfo
from dagscape.scores.expected import expected_job, kind_to_complete
from dagscape.scores.randomised import randomised_data
from dagscape.scores.scoring_job import ScoringJob
from dagscape.scores.tables.on_demand import on_demand_scores
from dagscape.search.incomplete_kinds import INCOMPLETE_KINDS, Completed, Fitted, IncompleteKind
from dagscape.search.learner import Learner
from dagscape.search.running import run_learner
from dagscape.search.starting import most_parents, network_of_user
from dagscape.search.trace import Step

STRUCTURAL_RULES = {"starts": Whole(1), "max_iterations": Whole(1)}
EM_OPTIONS = tuple(STRUCTURAL_RULES)
STARTS, MAX_ITERATIONS = 1, 20

# A start ends after so many steps in a row that found nothing better.
_PATIENCE = 2

_READERS: dict[type, Callable[..., AnyData]] = {Dataset: as_dataset, NumericData: as_numeric, MixedData: as_mixed}


@dataclass(frozen=True, slots=True)
class StructuralFound:
    """What structural EM found.

    Attributes
    ----------
    network : Dag
        The structure.
    score, log_likelihood : float
        Its observed score, and the log-likelihood of the observed cells with its parameters.
    info : ScoreInfo
        The score, its options and the data.
    complete : bool
        Whether all starts ended by themselves.
    interrupted : bool
        Whether Ctrl-C ended it.
    trace : tuple of Step
        The accepted structures of all starts.
    details : dict
        Facts about the search, for the result.
    """

    network: Dag
    score: float
    log_likelihood: float
    info: ScoreInfo
    complete: bool
    interrupted: bool
    trace: tuple[Step, ...]
    details: dict[str, Any]


def structural_em(
    data: Any,
    learner: Learner,
    method_options: Mapping[str, Any],
    scoring: Mapping[str, Any],
    start: Dag | HasDag | None,
    *,
    settings: str = BEST,
    starts: int = STARTS,
    max_iterations: int = MAX_ITERATIONS,
    rng: np.random.Generator,
    clock: Clock,
    threads: int,
    max_memory: int | str | None,
    listener: ProgressListener | None,
) -> StructuralFound:
    """Find a structure with a high observed score; the work of ``learn(missing="em")``.

    Parameters
    ----------
    data : data set, data frame or path
        The data.
    learner : Learner
        The search.
    method_options, scoring : mapping
        The options of the search, and of :func:`dagscape.local_scores`.
    start : Dag, Network or None
        The network that the first start begins with.
    settings : {"best", "fixed"}
        Whether the number of parents is limited by the number of rows, if no limit is given.
    starts, max_iterations : int
        The number of starts, and the limit on the steps of each.
    rng, clock, threads, max_memory, listener
        As in :class:`~dagscape.search.job.SearchJob`.
    """
    check_options(STRUCTURAL_RULES, {"starts": starts, "max_iterations": max_iterations})
    if learner.needs_data or learner.pools_experiments:
        raise InvalidOption(
            f"is {learner.name!r}, which looks at rows; with {argument('missing', 'em')}, the search must need scores "
            "only, as 'order', 'ges', 'tabu', 'greedy' and 'optimal' do",
            option="method",
        )
    options = dict(scoring)
    incomplete = _incomplete_data(data, options)
    check_choice(settings, SETTINGS, "settings")
    if settings == BEST and "max_parents" not in options:
        options |= limit_by_rows(incomplete, options.get("required", ()), most_parents(start))
    search = _Search(
        kind=INCOMPLETE_KINDS[type(incomplete)](incomplete),
        learner=learner,
        method_options=method_options,
        scoring=options,
        rng=rng,
        clock=clock,
        work={"threads": threads, "max_memory": max_memory},
        listener=listener,
        max_iterations=max_iterations,
    )
    given = None if start is None else network_of_user(start, incomplete.variables)
    return search.run(given, starts)


def _incomplete_data(data: Any, options: dict[str, Any]) -> AnyData:
    """Return data with their holes, as the score asks for them; the options lose the score and what is done here."""
    kind = kind_to_complete(data, options.pop("score", None))
    found: AnyData = _READERS[kind](data, missing="keep")
    if isinstance(found, MixedData) and not found.levels:
        found = numeric_from_mixed(found)
    elif isinstance(found, MixedData) and not found.measured:
        found = dataset_from_mixed(found)
    perfect = options.get("interventions", "perfect") == "perfect"
    marked: Any = randomised_data(found, options.pop("randomised", ()), perfect=perfect)
    known: AnyData = marked
    return known


@dataclass(slots=True)
class _Search:
    """The starts of one search, and the best structure so far."""

    kind: IncompleteKind[Any, Any]
    learner: Learner
    method_options: Mapping[str, Any]
    scoring: Mapping[str, Any]
    rng: np.random.Generator
    clock: Clock
    work: dict[str, Any]
    listener: ProgressListener | None
    max_iterations: int
    best: tuple[float, Fitted[Any]] | None = None
    job: ScoringJob | None = None
    copies: int = 1
    trace: list[Step] = field(default_factory=list)
    iterations: int = 0
    complete: bool = True

    def run(self, given: Dag | None, starts: int) -> StructuralFound:
        """Search from all starts."""
        ends: list[float] = []
        interrupted = False
        try:
            for first in self._first_networks(given, starts):
                ends.append(self._climbed(first, given, len(ends), starts))
                if self.clock.expired:
                    self.complete = False
                    break
        except KeyboardInterrupt:
            if self.best is None:
                raise
            interrupted, self.complete = True, False
        assert self.best is not None
        assert self.job is not None
        score, fitted = self.best
        details = {
            "missing": "em",
            "log_likelihood": fitted.log_likelihood,
            "iterations": self.iterations,
            "ends": ends,
            "incomplete_rows": _incomplete_rows(self.kind.data),
        }
        return StructuralFound(
            network=fitted.dag,
            score=score,
            log_likelihood=fitted.log_likelihood,
            info=self._info(self.job),
            complete=self.complete,
            interrupted=interrupted,
            trace=tuple(self.trace),
            details=details,
        )

    def _first_networks(self, given: Dag | None, starts: int) -> Iterator[Dag]:
        yield self.kind.tree(None) if given is None else given
        for _ in range(starts - 1):
            yield self.kind.tree(self.rng)

    def _climbed(self, first: Dag, given: Dag | None, number: int, starts: int) -> float:
        """Return the observed score at the end of a start."""
        current = self.kind.fit(first, self.clock)
        top, network, idle = -np.inf, given, 0
        rejected: Dag | None = None
        for step in range(self.max_iterations):
            if self.listener is not None:
                task = "Structural EM" if starts == 1 else f"Structural EM, start {number + 1} of {starts}"
                self.listener(Progress(task, step, self.max_iterations))
            completed = self.kind.complete(current, self.rng)
            found = self._searched(completed, network)
            self.iterations += 1
            if top > -np.inf and found in (network, rejected):
                return top
            fitted = self.kind.fit(found, self.clock, completed)
            score = self._observed(fitted)
            if score > top:
                top, current, network, idle = score, fitted, found, 0
                self._record(score, fitted, number)
            else:
                idle, rejected = idle + 1, found
            if idle >= _PATIENCE or self.clock.expired:
                break
        else:
            self.complete = False
        return top

    def _searched(self, completed: Completed, start: Dag | None) -> Dag:
        """Return the structure that the learner finds for completed rows."""
        self.job, self.copies = expected_job(completed.data, completed.copies, self.scoring), completed.copies
        scores = on_demand_scores(self.job, **self.work)
        _, found = run_learner(
            self.learner,
            self.method_options,
            scores,
            self.job,
            start,
            rng=self.rng,
            clock=self.clock,
            listener=None,
            **self.work,
        )
        self.complete &= found.complete
        return found.network

    def _observed(self, fitted: Fitted[Any]) -> float:
        """Return the observed score of a structure."""
        assert self.job is not None
        prior = prior_of(self.job, fitted.dag) / self.copies
        return fitted.log_likelihood - self.kind.penalty(fitted.dag) + prior

    def _record(self, score: float, fitted: Fitted[Any], number: int) -> None:
        self.trace.append(Step(("accept", f"start {number + 1}"), score, self.clock.seconds, fitted.dag.edges))
        if self.best is None or score > self.best[0]:
            self.best = score, fitted

    def _info(self, job: ScoringJob) -> ScoreInfo:
        """Return what the score was computed from: the incomplete rows."""
        data = self.kind.data
        return replace(
            job.info,
            data=data.fingerprint,
            rows=data.m,
            dropped_rows=data.dropped,
            experimental_rows=data.experimental_rows,
            structure_prior=job.info.structure_prior,
            choice="BIC with the likelihood of the observed cells (structural EM)",
            warnings=kept_notices(data),
            source=data_source(data),
            weighted_by=data.weighted_by,
        )


def prior_of(job: ScoringJob, dag: Dag) -> float:
    """Return the log prior of a structure, up to the constant of scores."""
    prior, n = job.prior, job.data.n
    total = sum(prior.log_weight(n, parents.bit_count()) for parents in dag.parent_masks)
    if prior.odds is not None:
        total += sum(float(prior.odds[dag.number(u), dag.number(v)]) for u, v in dag.edges)
    return total


def _incomplete_rows(data: AnyData) -> int:
    if isinstance(data, Dataset):
        return 0 if data.holes is None else int(data.weights[data.holes.any(axis=1)].sum())
    return int(np.isnan(data.values).any(axis=1).sum())
