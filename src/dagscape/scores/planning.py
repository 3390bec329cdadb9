"""What a job will take, before it starts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from dagscape.resources import format_bytes, thread_count
from dagscape.results import Result, decoded_field, records_field
from dagscape.scores.lattice import set_count
from dagscape.scores.scoring_job import ScoringJob

if TYPE_CHECKING:
    import pandas as pd

# Seconds of trial scoring for each function: enough to tell a second from a minute from a day.
_TRIAL_SECONDS = 0.3
_TRIED_FUNCTIONS = 4

# More sets than could be scored in the age of the universe.
_NEVER_SETS = 2**70


@dataclass(frozen=True, slots=True)
class PlanStep:
    """One step of a job.

    Attributes
    ----------
    name : str
        What is done.
    work : str
        How much of it, in words.
    memory : int
        Bytes it takes at its peak.
    seconds : float
        About how long it takes, from a short trial on this machine.
    """

    name: str
    work: str
    memory: int
    seconds: float


@dataclass(frozen=True, slots=True, eq=False)
class Plan(Result):
    """Memory and time a job will need.

    Attributes
    ----------
    steps : tuple of PlanStep
        The steps, in order.
    memory_limit : int
        The most bytes the job may take.
    """

    kind: ClassVar[str] = "plan"

    steps: tuple[PlanStep, ...] = records_field(PlanStep)
    memory_limit: int = decoded_field(int)

    @property
    def memory(self) -> int:
        """The most bytes that any step takes."""
        return max(step.memory for step in self.steps)

    @property
    def seconds(self) -> float:
        """About how long the job takes."""
        return sum(step.seconds for step in self.steps)

    @property
    def fits(self) -> bool:
        """Whether the job stays within the memory limit."""
        return self.memory <= self.memory_limit

    def to_frame(self) -> pd.DataFrame:
        """The steps, one in a row."""
        import pandas as pd

        return pd.DataFrame(
            [{"step": s.name, "work": s.work, "memory": s.memory, "seconds": s.seconds} for s in self.steps]
        )

    def __repr__(self) -> str:
        verdict = "fits" if self.fits else "does not fit"
        limit = format_bytes(self.memory_limit)
        return f"Plan({format_bytes(self.memory)}, about {self.seconds:.3g} s; {verdict} {limit})"


def plan_scores(job: ScoringJob, threads: int) -> PlanStep:
    """Memory and time of :func:`dagscape.local_scores`, from scoring a random part of the lattice for a moment."""
    seconds = math.inf
    if job.sets < _NEVER_SETS:
        tried = job.functions[:_TRIED_FUNCTIONS]
        per_set = sum(job.kernel(function).seconds_per_set(_TRIAL_SECONDS) for function in tried) / len(tried)
        seconds = per_set * job.sets * len(job.functions) / min(threads, thread_count(None))
    families = job.data.n * set_count(job.data.n - 1, job.max_parents)
    work = f"{job.sets:,} sets of up to {job.max_size} variables, for {families:,} families"
    if len(job.functions) > 1:
        work += f", {len(job.functions)} times"
    return PlanStep("local scores", work, job.memory(threads), seconds)
