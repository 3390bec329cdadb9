"""One run of a learner on scores, from a start that meets the constraints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dagscape.core.clock import Clock
from dagscape.core.errors import InvalidData
from dagscape.core.progress import ProgressListener
from dagscape.graphs.comparison import HasDag
from dagscape.graphs.dag import Dag
from dagscape.scores.arithmetic.fixed_point import IMPOSSIBLE
from dagscape.scores.scoring_job import ScoringJob
from dagscape.scores.tables.local_scores import LocalScores
from dagscape.search.job import Found, SearchJob
from dagscape.search.learner import Learner
from dagscape.search.starting import starting_network
from dagscape.search.trace import TraceRecorder


def run_learner(
    learner: Learner,
    options: Mapping[str, Any],
    scores: LocalScores,
    scoring: ScoringJob | None,
    start: Dag | HasDag | None,
    *,
    rng: np.random.Generator,
    clock: Clock,
    threads: int,
    max_memory: int | str | None,
    listener: ProgressListener | None = None,
) -> tuple[SearchJob, Found]:
    """Run a learner, and refuse a network with an impossible family.

    Parameters
    ----------
    learner : Learner
        The method.
    options : mapping
        Its options.
    start : Dag, Network or None
        The user's choice, which is checked.
    scores, scoring, rng, clock, threads, max_memory, listener
        As in :class:`~dagscape.search.job.SearchJob`.

    Returns
    -------
    tuple of SearchJob and Found
        The search, with its start and its trace, and what it found.
    """
    job = SearchJob(
        scores=scores,
        scoring=scoring,
        start=starting_network(scores, start),
        rng=rng,
        clock=clock,
        trace=TraceRecorder(scores.unit, clock),
        threads=threads,
        max_memory=max_memory,
        listener=listener,
    )
    found = learner.function(job, **options)
    if found.exact == IMPOSSIBLE:
        raise InvalidData("no network without an impossible family was found")
    return job, found
