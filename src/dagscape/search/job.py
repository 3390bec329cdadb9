"""What a learner receives, and what it returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dagscape.core.clock import Clock
from dagscape.core.errors import InvalidOption, function
from dagscape.core.progress import Progress, ProgressListener
from dagscape.core.resources import Budget
from dagscape.data.any_data import AnyData
from dagscape.data.discrete.dataset import Dataset
from dagscape.graphs.dag import Dag
from dagscape.scores.scoring import score_job
from dagscape.scores.scoring_job import ScoringJob
from dagscape.scores.tables.enumerable_scores import EnumerableScores
from dagscape.scores.tables.local_scores import LocalScores
from dagscape.search.independence_kinds import tested_of
from dagscape.search.trace import TraceRecorder


@dataclass(frozen=True, slots=True)
class SearchJob:
    """A search to run: scores, start, random numbers and limits.

    Attributes
    ----------
    scores : LocalScores
        The local scores: computed on demand if the user gave data.
    scoring : ScoringJob or None
        The definition of the scores; None if the user gave scores.
    start : Dag
        The network to start from, which meets the constraints.
    rng : numpy.random.Generator
        Decides ties and everything else that is random.
    clock : Clock
        The time limit.
    trace : TraceRecorder
        Where to record steps.
    threads : int
        The number of threads. The result must not depend on it.
    max_memory : int, str or None
        The limit on memory.
    listener : callable or None
        Where to report progress.
    """

    scores: LocalScores
    scoring: ScoringJob | None
    start: Dag
    rng: np.random.Generator
    clock: Clock
    trace: TraceRecorder
    threads: int
    max_memory: int | str | None = None
    listener: ProgressListener | None = None

    @property
    def data(self) -> Dataset:
        """The discrete data, for learners that count rows."""
        return discrete_data(self._scored())

    @property
    def tested(self) -> AnyData:
        """The data, for learners that test independence."""
        scoring = self._scored()
        return tested_of(scoring.data, scoring.definition.name)

    def _scored(self) -> ScoringJob:
        if self.scoring is None:
            raise InvalidOption(f"the method needs data: give {function('learn')} the data, not scores")
        return self.scoring

    def all_scores(self) -> EnumerableScores:
        """Return the scores of all families, the same integers as those of ``scores``; data are scored now."""
        if isinstance(self.scores, EnumerableScores):
            return self.scores
        if self.scoring is None:
            raise InvalidOption(
                f"are computed on demand, but the method needs those of all families: use {function('local_scores')}",
                option="scores",
            )
        return score_job(self.scoring, Budget.of(self.threads, self.max_memory), progress=self.listener)

    def report(self, task: str, done: int, total: int) -> None:
        """Report progress; a total of 0 is not known yet, and there is nothing to say."""
        if self.listener is not None and total:
            self.listener(Progress(task, done, total))


def discrete_data(scoring: ScoringJob) -> Dataset:
    """Return the data of a method that counts rows, or refuse data of another kind."""
    if not isinstance(scoring.data, Dataset):
        raise InvalidOption(
            f"the method needs discrete data, and the score {scoring.definition.name!r} takes another kind: use "
            "another method, such as 'order' or 'mmhc'"
        )
    return scoring.data


@dataclass(frozen=True, slots=True)
class Found:
    """What a learner returns.

    Attributes
    ----------
    network : Dag
        The best network that it found.
    exact : int
        Its score, in units.
    complete : bool
        Whether the search ended by itself, not by the time limit.
    details : mapping
        Facts that are particular to the method, as JSON values.
    """

    network: Dag
    exact: int
    complete: bool = True
    details: Mapping[str, Any] = field(default_factory=dict)
