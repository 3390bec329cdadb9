"""What a posterior of data takes: an average over settings, and over ways of cutting numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from dagscape.core.resources import Budget
from dagscape.core.wording import plural
from dagscape.data.discrete.automatic_cuts import AutomaticCuts, tell_cuts
from dagscape.data.discrete.common_cuts import ComparedCuts
from dagscape.data.discrete.dataset import Dataset
from dagscape.data.values import as_cuts, is_source
from dagscape.posterior.evidence import averaged_grids
from dagscape.posterior.grids import lasting_options
from dagscape.scores.choice import AUTO_SCORE, DISCRETE_SCORE
from dagscape.scores.registry import find_score
from dagscape.scores.scoring_job import scoring_options
from dagscape.studies.automatic_ways import affordable_ways
from dagscape.studies.averaged_posterior import sums_of_average

if TYPE_CHECKING:
    from dagscape.planning.plan import PlanStep

# Averages that take longer are not made: one setting has to do.
_LONGEST = 3600.0


@dataclass(frozen=True, slots=True)
class Average:
    """How often a posterior of data is scored and summed.

    Attributes
    ----------
    settings, ways : int
        The settings that are averaged over, and the ways of cutting among them.
    scorings : int
        How often the data are scored.
    """

    settings: int
    ways: int
    scorings: int

    @property
    def sums(self) -> int:
        """About how many sums there are."""
        return round(sums_of_average(self.settings, self.ways))

    def of_steps(self, steps: Sequence[PlanStep]) -> tuple[PlanStep, ...]:
        """Return the steps of an average, given those of one setting; these, if all takes more than an hour."""
        scoring, summing = steps
        over = f"an average over {plural(self.settings, 'setting')}"
        found = (
            replace(scoring, work=f"{scoring.work}; {self.scorings} scorings", seconds=self.scorings * scoring.seconds),
            replace(summing, work=f"{summing.work}; {self.sums} sums for {over}", seconds=self.sums * summing.seconds),
        )
        return found if sum(step.seconds for step in found) <= _LONGEST else tuple(steps)


def average_of(data: Any, options: Mapping[str, Any], threads: int, limit: int) -> tuple[Dataset | Any, Average | None]:
    """Return what a posterior of data is computed from, and over what it is averaged; None if there is one setting.

    Parameters
    ----------
    data : object
        What a plan is about: data, a frame, a path, or a table whose numbers may be cut in several ways.
    options : mapping
        The options of the plan.
    threads, limit : int
        The threads and the memory that may be used.
    """
    scoring = lasting_options({name: value for name, value in options.items() if name in scoring_options()})
    score = str(scoring.get("score", DISCRETE_SCORE)).lower()
    if is_source(data) and score != AUTO_SCORE and find_score(score).data_type is Dataset:
        data = as_cuts(data)
        if isinstance(data, Dataset):
            tell_cuts(data)
    cuts: ComparedCuts | None = None
    if isinstance(data, AutomaticCuts):
        cuts = affordable_ways(data, scoring, options.get("over", "dags"), Budget.of(threads, limit))
        data = data.one
        tell_cuts(data if cuts is None else cuts)
    grids = averaged_grids(data if cuts is None else cuts, scoring)
    settings = sum(len(grid.jobs) for grid in grids)
    average = Average(settings, len({grid.way for grid in grids}), len(grids))
    return data, average if settings > 1 else None
