r"""Curriculum learning: a network learned in stages, of more and more variables (chapter 2 of [chen2016]_).

The problem: a climb that sees all variables at once makes early mistakes that it cannot undo. A curriculum selects the
variables in a sequence, strongly dependent ones first. At each stage, a subnet of the variables selected so far is
learned *given* the others: the rows are split into segments that agree on all variables not yet selected, and the score
is the sum of the scores of the segments, minus a penalty for each edge,

.. math:: score(G) = \sum_j BDeu(G, D_j) - \Bigl(\frac{a}{m} + \frac{|X|}{b}\Bigr) |E(G)|
   \qquad \text{(2.6)}

A stage starts from the network of the last one, with the new variables unconnected, and climbs greedily; edges join
neighbours according to :func:`dagscape.mmpc` only. At the last stage all variables are selected, and there is a single
segment. Four candidates are learned: with 1, 2 and 3 variables more per stage, and without a curriculum. The one with
the best score wins, unless the network that all stages started from is better still.

The first variable of the sequence has the largest average mutual information with all others, the next ones with those
before them (algorithm 2.1). As printed, the inner loop of that algorithm does not end when no variables are left; here
a stage takes what is left. A stage is skipped if the number of segments has not changed, because the new variables are
then constant in each segment. Segments cost no extra passes: the rows are grouped by segment first and by the variables
of a family after that (``native/include/dagscape/scores/family_scorer.hpp``), and rows that are alone in their segment
drop out at once.

The dissertation takes the neighbours from the first version of MMPC, which finds the set of one variable at a time:
an edge is considered if either end is in the set of the other. MMHC considers it only if both are, and so loses edges
to variables that are nearly determined by others. ``symmetric`` decides.

Required edges hold at all stages, and so do edges of a start to variables that are not selected yet.

Notation: the paper's s is ``first``, its t a step size, its X_(i) the first ``selected`` variables of the sequence, its
D_ij the segments, its SS our *m*.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagscape.core.constraints import FLAG, Number, OneOf, Whole
from dagscape.core.errors import InvalidOption
from dagscape.core.masks import bits
from dagscape.graphs.dag import Dag
from dagscape.scores.constraints import EdgeConstraints
from dagscape.scores.scoring_job import ScoringJob, segmented_job
from dagscape.scores.tables.on_demand import on_demand_scores
from dagscape.search.climbing import Rules, climb, climbing_memory
from dagscape.search.independence import pairwise_information
from dagscape.search.job import Found, SearchJob, discrete_data
from dagscape.search.learner import Learner
from dagscape.search.memory import SearchMemory
from dagscape.search.mmpc import TEST_CONSTRAINTS, MaxMinOptions, job_neighbours, neighbour_memory
from dagscape.search.segments import Segments
from dagscape.search.trace import TraceRecorder

_STEP_SIZE = Whole(1)

# The default size of the first stage; with fewer variables, that stage has them all.
_FIRST = 3


@dataclass(frozen=True, slots=True)
class _Setting:
    """Everything that all candidates share."""

    job: SearchJob
    scoring: ScoringJob
    neighbours: NDArray[np.bool_]
    sequence: tuple[int, ...]
    segments: Segments
    a: float
    b: float
    conditional: bool

    def penalty(self, selected: int) -> float:
        """Return what an edge costs, in nats: equation (2.5)."""
        return self.a / self.scoring.data.m + selected / self.b


@dataclass(slots=True)
class _Candidate:
    """One run, by stages."""

    step: int | None
    network: Dag
    complete: bool = True
    stages: list[dict[str, Any]] = field(default_factory=list)

    @property
    def name(self) -> str:
        return "no curriculum" if self.step is None else f"step size {self.step}"


def curriculum(
    job: SearchJob,
    *,
    step_sizes: Sequence[int] = (1, 2, 3),
    first: int = _FIRST,
    a: float = 1000.0,
    b: float = 100.0,
    penalize_plain: bool = True,
    choose_by: str = "score",
    conditional: bool = True,
    alpha: float = 0.05,
    rows_per_cell: int = 5,
    max_condition: int | None = None,
    symmetric: bool = False,
) -> Found:
    """Greedy search over DAGs in stages, each with more variables, given the others.

    Parameters
    ----------
    job : SearchJob
        The search.
    step_sizes : sequence of int
        How many variables a stage adds; one candidate network for each, and one without a curriculum. If empty, only
        the last: the same search in a single stage. Default: 1, 2 and 3.
    first : int
        The number of variables of the first stage, at most that of all. Default: 3, or all if there are fewer.
    a : float
        An edge costs a/m + v/b nats, for m rows and v selected variables. Default: 1000.
    b : float
        The other constant of this cost. Default: 100.
    penalize_plain : bool
        Whether the candidate without a curriculum is learned with the same penalty. Default: yes.
    choose_by : {"score", "penalized"}
        How the best candidate is chosen: by its score, or by its score minus the penalty. If the start is better than
        all candidates, it is returned. Default: the score.
    conditional : bool
        Whether a stage is learned given the other variables; if not, they are ignored, as in section 2.6 of the
        dissertation. Default: yes.
    alpha : float
        The level of the tests of independence. Default: 0.05.
    rows_per_cell : int
        A test needs this many rows for each cell of its table. Default: 5.
    max_condition : int, optional
        The largest set that a test conditions on. Default: no limit other than the number of rows.
    symmetric : bool
        Whether two variables are neighbours only if each is found for the other, or else if one of them is. Default:
        one.
    """
    _check_step_sizes(step_sizes)
    if first > max(job.scores.n, _FIRST):
        raise InvalidOption(
            f"is {first}, but there are only {job.scores.n} variables; it must be at most their number", option="first"
        )
    data = job.data
    tested = job_neighbours(job, MaxMinOptions(alpha, rows_per_cell, max_condition, symmetric))
    if tested is None or job.scoring is None:
        return Found(job.start, job.scores.network_exact(job.start), complete=False)
    neighbours, tests = tested
    sequence = variable_sequence(pairwise_information(data, job.threads, job.max_memory), job.rng)
    segments = Segments(data.codes, sequence)
    setting = _Setting(job, job.scoring, neighbours, sequence, segments, float(a), float(b), conditional)
    candidates = []
    for step in (None, *step_sizes):
        costs = setting if step is not None or penalize_plain else replace(setting, a=0.0, b=np.inf)
        candidates.append(_learn_candidate(costs, step, first))
        if not candidates[-1].complete:
            break
    return _chosen(setting, candidates, choose_by, {"tests": tests, "neighbour_pairs": int(neighbours.sum()) // 2})


def variable_sequence(information: NDArray[np.int64], rng: np.random.Generator) -> tuple[int, ...]:
    """Return the variables in the order in which a curriculum selects them: algorithm 2.1.

    Parameters
    ----------
    information : array of int
        The mutual information of every two variables, 0 on the diagonal.
    rng : numpy.random.Generator
        Decides ties.

    Examples
    --------
    >>> variable_sequence(np.array([[0, 1, 5], [1, 0, 9], [5, 9, 0]]), np.random.default_rng(0))
    (2, 1, 0)
    """
    left = np.ones(len(information), dtype=np.bool_)
    sums = information.sum(axis=1)
    sequence: list[int] = []
    while left.any():
        # All sums are over the same number of variables, so the largest sum is the largest average.
        best = np.flatnonzero(left & (sums == sums[left].max()))
        chosen = int(best[rng.integers(len(best))] if len(best) > 1 else best[0])
        sums = information[chosen] + (sums if sequence else 0)
        sequence.append(chosen)
        left[chosen] = False
    return tuple(sequence)


def stages(n: int, first: int, step: int | None) -> Iterator[int]:
    """Yield how many variables are selected at each stage; without a step size there is only the last stage.

    >>> list(stages(8, 3, 2)), list(stages(8, 3, None)), list(stages(2, 3, 1))
    ([3, 5, 7, 8], [8], [2])
    """
    if step is not None:
        yield from range(first, n, step)
    yield n


def _learn_candidate(setting: _Setting, step: int | None, first: int) -> _Candidate:
    job, n = setting.job, setting.job.scores.n
    candidate = _Candidate(step, job.start)
    last_segments = None
    every_stage = list(stages(n, first, step))
    for number, selected in enumerate(every_stage):
        job.report(f"Learning with {candidate.name}", number, len(every_stage))
        segments = setting.segments.count(selected)
        skipped = segments == last_segments and setting.conditional
        if not skipped:
            _learn_stage(setting, candidate, selected)
        last_segments = segments
        candidate.stages.append({"variables": selected, "segments": segments, "skipped": skipped})
        if not candidate.complete:
            break
    job.report(f"Learning with {candidate.name}", len(every_stage), len(every_stage))
    return candidate


def _learn_stage(setting: _Setting, candidate: _Candidate, selected: int) -> None:
    """Climb from the network of the last stage, and record the new one."""
    job, n = setting.job, setting.job.scores.n
    chosen = np.zeros(n, dtype=np.bool_)
    chosen[list(setting.sequence[:selected])] = True
    numbers = setting.segments.numbers(selected if setting.conditional else n)
    constraints = _with_fixed_edges(job.scores.constraints, candidate.network, chosen)
    scoring = segmented_job(setting.scoring, numbers, setting.penalty(selected), constraints)
    scores = on_demand_scores(scoring, threads=job.threads, max_memory=job.max_memory, info=job.scores.info)
    trace = TraceRecorder(scores.unit, job.clock, job.trace.steps)
    stage = replace(job, scores=scores, start=candidate.network, trace=trace, listener=None)
    found = climb(stage, Rules(), allowed=setting.neighbours & chosen & chosen[:, None])
    candidate.network, candidate.complete = found.network, found.complete
    trace.add(("stage", candidate.name, f"{selected} variables"), found.exact, found.network)


def _with_fixed_edges(constraints: EdgeConstraints, network: Dag, chosen: NDArray[np.bool_]) -> EdgeConstraints:
    """Require the edges of a network that have an end outside the chosen variables."""
    required = [
        own | {parent for parent in bits(parents) if not (chosen[child] and chosen[parent])}
        for child, (own, parents) in enumerate(zip(constraints.required, network.parent_masks, strict=True))
    ]
    return replace(constraints, required=tuple(required))


def _chosen(setting: _Setting, candidates: list[_Candidate], choose_by: str, details: dict[str, Any]) -> Found:
    """Return the best candidate; of equally good ones that with the smallest step size, and no curriculum last.

    Stages climb by scores of their own, so all candidates may be worse than the start. The start is returned then.
    """
    job = setting.job
    unit = job.scores.unit
    networks = [*(candidate.network for candidate in candidates), job.start]
    exact = [job.scores.network_exact(network) for network in networks]
    edge_cost = unit.to_int(setting.penalty(job.scores.n))
    penalized = [score - edge_cost * network.edge_count for score, network in zip(exact, networks, strict=True)]
    values = exact if choose_by == "score" else penalized
    best = max(range(len(candidates)), key=lambda i: (values[i], -(candidates[i].step or np.inf)))
    name = candidates[best].name
    winner: int | str | None = candidates[best].step
    if values[-1] > values[best]:
        best, name, winner = len(candidates), "start", "start"
    listed = [
        {
            "step_size": candidate.step,
            "score": unit.to_float(exact[i]),
            "penalized": unit.to_float(penalized[i]),
            "edges": candidate.network.edge_count,
            "stages": candidate.stages,
        }
        for i, candidate in enumerate(candidates)
    ]
    names = job.scores.variables
    job.trace.add(("choose", name), exact[best], networks[best])
    return Found(
        networks[best],
        exact[best],
        all(candidate.complete for candidate in candidates),
        {
            "winner": winner,
            "candidates": listed,
            "sequence": [names[variable] for variable in setting.sequence],
            **details,
        },
    )


def _check_step_sizes(step_sizes: object) -> None:
    if isinstance(step_sizes, str) or not isinstance(step_sizes, Sequence):
        raise InvalidOption(f"is {step_sizes!r}; it must be a sequence of integers", option="step_sizes")
    for value in step_sizes:
        if not _STEP_SIZE.allows(value):
            raise InvalidOption(f"holds {value!r}; a step size must be {_STEP_SIZE.words}", option="step_sizes")


def _memory(
    job: ScoringJob,
    threads: int,
    limit: int,
    *,
    rows_per_cell: int = 5,
    max_condition: int | None = None,
    **options: object,
) -> SearchMemory:
    """Return the memory of the tests, or of a stage with scores of its own."""
    rows = len(discrete_data(job).codes)
    tests = neighbour_memory(job, threads, limit, rows_per_cell, max_condition)
    stage = segmented_job(job, np.zeros(rows, dtype=np.uint32), 0.0, job.constraints)
    climb = climbing_memory(job, threads, limit, **options)
    return SearchMemory(max(tests, stage.functions.family_memory(threads) + climb.least), climb.likely)


CURRICULUM = Learner(
    "curriculum",
    curriculum,
    citations=("chen2016",),
    memory=_memory,
    needs_data=True,
    pools_experiments=True,
    power=1.5,
    constraints={
        "first": Whole(1),
        "a": Number(0, 1e9),
        "b": Number(1e-3),
        "penalize_plain": FLAG,
        "conditional": FLAG,
        "choose_by": OneOf(("score", "penalized")),
        **TEST_CONSTRAINTS,
    },
)
