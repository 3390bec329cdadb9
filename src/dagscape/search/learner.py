"""The record of a learner, which :func:`dagscape.learn`, the command line, documentation and tests read."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from dagscape.core.constraints import Constraints
from dagscape.core.errors import PooledExperiments
from dagscape.core.trials import FEWEST
from dagscape.results.score_info import ScoreInfo
from dagscape.scores.scoring_job import ScoringJob
from dagscape.search.independence import pooled_experiments
from dagscape.search.job import Found
from dagscape.search.memory import SearchMemory, no_memory


@dataclass(frozen=True, slots=True)
class Learner:
    """One method of :func:`dagscape.learn`.

    Attributes
    ----------
    name : str
        Its name.
    function : callable
        ``function(job, **options)`` takes a :class:`~dagscape.search.job.SearchJob` and returns a
        :class:`~dagscape.search.job.Found`. Its keyword-only arguments are the options of the method.
    citations : tuple of str
        Keys in ``docs/references.bib``.
    memory : callable
        ``memory(job, threads, limit, **options)``: how much memory it takes to learn from the data of a
        :class:`~dagscape.scores.scoring_job.ScoringJob`, besides these data, with ``limit`` bytes in all.
    needs_data : bool
        Whether it needs the rows of the data, not only scores.
    pools_experiments : bool
        Whether it tests independence in all rows of the data, those of experiments included.
    constraints : mapping of str to Constraint
        What the options may be. They are checked before the search starts.
    power : float
        Its time grows with about this power of the number of variables.
    fewest : int
        Searches with fewer variables say nothing about its time with many.
    seconds : callable or None
        ``seconds(job, threads, limit)``: its estimated time, if that does not follow from searches with fewer
        variables.
    """

    name: str
    function: Callable[..., Found]
    citations: tuple[str, ...] = ()
    memory: Callable[..., SearchMemory] = no_memory
    needs_data: bool = False
    pools_experiments: bool = False
    constraints: Constraints = field(default_factory=dict)
    power: float = 2.0
    fewest: int = FEWEST
    seconds: Callable[[ScoringJob, int, int], float] | None = None

    @property
    def summary(self) -> str:
        """One line for tables: the first of the function's documentation."""
        return (self.function.__doc__ or "").partition("\n")[0].rstrip(".")

    def cautions(self, info: ScoreInfo) -> tuple[PooledExperiments, ...]:
        """Return what to warn of when it learns from such data."""
        # What goes with a variable that was set in every row is its effect, so that pooling does no harm.
        pooled = info.experimental_rows and set(chain.from_iterable(info.targets)) != set(info.randomised)
        found = pooled_experiments(info.experimental_rows or 0) if self.pools_experiments and pooled else None
        return () if found is None else (found,)

    @property
    def options(self) -> Mapping[str, Any]:
        """The options of the method with their defaults."""
        parameters = inspect.signature(self.function).parameters.values()
        return {entry.name: entry.default for entry in parameters if entry.kind is entry.KEYWORD_ONLY}
