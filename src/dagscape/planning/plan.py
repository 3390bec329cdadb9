"""Plans: the memory and time of each step of a job, and an alternative if the job does not fit."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

from dagscape.core.checks import check_choice
from dagscape.core.errors import InvalidData, Spelling, argument, function, python_spelling, spelled
from dagscape.core.requirements import Requirements
from dagscape.core.resources import available_memory, format_bytes, memory_limit, share_of, thread_count
from dagscape.core.wording import format_seconds, plural, visible
from dagscape.planning.advice import RefusedJob, advice_for, sampled_instead
from dagscape.planning.averages import average_of
from dagscape.planning.jobs import Job, job_of
from dagscape.planning.registry import METHODS, TASKS
from dagscape.results.base import Result, provenance_of
from dagscape.results.decoding import MOST_BITS, Count, NotNegative

if TYPE_CHECKING:
    import pandas as pd

# The largest number that is read back from a file.
_MOST_MEMORY = 2**MOST_BITS - 1

# What is averaged over settings, and the options for a plan of one of its sums.
AVERAGED = "posterior"
_ONE_SUM = ("backend", "ranks", "gpu_memory")

# A job that takes longer may be worth another method.
_LONG_SECONDS = 3600.0


@dataclass(frozen=True, slots=True)
class PlanStep:
    """One step of a job.

    Attributes
    ----------
    name : str
        What is computed.
    work : str
        The amount of work, in words.
    memory : int
        Peak memory, in bytes; 2^14000 - 1 if it is more.
    seconds : float
        Estimated time, from a short trial on this machine.
    refusal : str
        Why the method cannot do the job with any amount of memory; empty if it can.
    at_most : bool
        Whether the time is an upper bound: that of chains is often a tenth, which only the data can tell.
    """

    name: str
    work: str
    memory: Count
    seconds: NotNegative
    refusal: str = ""
    at_most: bool = False

    @property
    def time(self) -> str:
        """The estimated time, in words."""
        words = format_seconds(self.seconds)
        return f"up to {words}" if self.at_most and words[0].isdigit() else words


@dataclass(frozen=True, slots=True, eq=False)
class Plan(Result):
    """The memory and time that a job will need.

    Attributes
    ----------
    steps : tuple of PlanStep
        The steps, in order.
    memory_limit : int
        How many bytes the job may use.
    advice : str
        What would make the job fit, with the least trouble first, if it does not; what else there is, if a posterior
        takes more than an hour; otherwise empty.
    largest : mapping of str to int
        For a posterior: the largest number of variables that fits, by back end: here, where the sum is planned, and on
        the GPU that is here, if there is one.
    memory_available : int
        How many bytes were available when the plan was made, if the limit is a share of them; 0 if it was given.
    facts : tuple of str
        What follows from the data and the score for all networks, in sentences.
    instead : PlanStep or None
        The chains that :func:`dagscape.posterior` runs in place of a sum that does not fit or takes more than an hour,
        if they fit; ``memory``, ``seconds`` and ``fits`` are then theirs.
    """

    kind: ClassVar[str] = "plan"
    derived: ClassVar[tuple[str, ...]] = ("memory", "seconds", "fits", "refusal")

    steps: tuple[PlanStep, ...]
    memory_limit: Count
    advice: str = ""
    largest: Mapping[str, Count] = field(default_factory=dict)
    memory_available: Count = 0
    facts: tuple[str, ...] = ()
    instead: PlanStep | None = None

    def _check(self) -> None:
        super(Plan, self)._check()
        if not self.steps:
            raise InvalidData("steps is empty; it must have at least one step")

    @property
    def memory(self) -> int:
        """Peak memory of all steps, in bytes."""
        return max(step.memory for step in self._running)

    @property
    def seconds(self) -> float:
        """Estimated time of the whole job."""
        return sum(step.seconds for step in self._running)

    @property
    def refusal(self) -> str:
        """Why a method cannot do the job with any amount of memory; empty if it can."""
        return _refusal(self._running)

    @property
    def _running(self) -> tuple[PlanStep, ...]:
        """The steps of what runs."""
        return self.steps if self.instead is None else (self.instead,)

    @property
    def shown_steps(self) -> tuple[PlanStep, ...]:
        """All steps, and what runs in their place."""
        return self.steps if self.instead is None else (*self.steps, self.instead)

    @property
    def fits(self) -> bool:
        """Whether the job can run within the memory limit."""
        return not self.refusal and self.memory <= self.memory_limit

    def to_frame(self) -> pd.DataFrame:
        """Return the steps, one per row, and what runs in their place."""
        import pandas as pd

        return pd.DataFrame(
            [{"step": s.name, "work": s.work, "memory": s.memory, "seconds": s.seconds} for s in self.shown_steps]
        )

    @property
    def verdict(self) -> str:
        """Whether the job fits, in a sentence."""
        available = f" of {format_bytes(self.memory_available)} available now" if self.memory_available else ""
        limit = f"the limit is {format_bytes(self.memory_limit)}{available}"
        if self.instead is None:
            return f"It fits: {limit}." if self.fits else f"It does not fit: {self.refusal or limit}."
        refusal = _refusal(self.steps)
        slow = not refusal and all(step.memory <= self.memory_limit for step in self.steps)
        why = "takes too long" if slow else f"does not fit{f' ({refusal})' if refusal else ''}"
        return f"The exact sum {why}; posterior runs chains, which fit: {limit}."

    @property
    def sentences(self) -> tuple[str, ...]:
        """What follows from the data and the score, the largest sums that fit, and the advice."""
        largest = ", ".join(f"{plural(n, 'variable')} ({name})" for name, n in self.largest.items())
        return (
            *(f"{fact}." for fact in self.facts),
            *([f"The largest sums that fit: {largest}."] if largest else []),
            *([f"Advice: {self.advice}."] if self.advice else []),
        )

    def _table_html(self) -> str:
        frame = self.to_frame()
        frame["memory"] = [format_bytes(step.memory) for step in self.shown_steps]
        frame["time"] = [step.time for step in self.shown_steps]
        steps = frame.drop(columns="seconds").to_html(index=False, justify="left")
        sentences = (f"<p>{html.escape(sentence)}</p>" for sentence in self.sentences)
        return "\n".join([steps, f"<p><strong>{html.escape(self.verdict)}</strong></p>", *sentences])

    def __repr__(self) -> str:
        time = format_seconds(self.seconds)
        limit = format_bytes(self.memory_limit)
        verdict = self.refusal or f"{'fits' if self.fits else 'does not fit'} {limit}"
        if self.instead is not None:
            verdict = f"chains in place of the exact sum; {verdict}"
        about = "up to" if any(step.at_most for step in self._running) else "about"
        return visible(
            f"Plan({format_bytes(self.memory)}, {f'{about} ' if time[0].isdigit() else ''}{time}; {verdict})"
        )


def plan(
    data: Any,
    task: str = "scores",
    *,
    q_matrix: Any = None,
    threads: int | None = None,
    max_memory: int | str | None = None,
    **options: Any,
) -> Plan:
    """Estimate the memory and time that a job will need.

    Memory is computed; time is extrapolated from short trials on this machine. A function refuses what its plan says
    does not fit. In place of a sum over DAGs that does not fit or takes more than an hour,
    :func:`dagscape.posterior` runs chains: ``instead`` has what they need.

    Parameters
    ----------
    data : Dataset, data frame or answers
        What the task takes, as for its function; for a task that takes scores, the data to score.
    task : str
        What to compute: ``"scores"``, the local scores; with them ``"posterior"`` (the exact sum),
        ``"feature-probability"``, ``"sample-dags"``, ``"optimal"``, ``"best"`` or ``"modes"``; ``"chain"``,
        ``"learn"``, ``"mmpc"``, ``"bootstrap"`` or ``"sensitivity"``; or, from the answers of students, ``"student"``
        (:func:`dagscape.command`), ``"parm"`` or ``"bootstrap-skills"``. A posterior is planned as that of data,
        which is averaged over settings and ways of cutting numbers, unless that takes more than an hour; what else
        takes scores, under one setting, and so is a sum that runs elsewhere.
        The memory for a long list of networks cannot be predicted and is not included.
    q_matrix : data frame, array or path, optional
        Which skills each item needs, for a task that takes answers.
    threads, max_memory
        As in :func:`dagscape.local_scores`.
    **options
        Options of :func:`dagscape.local_scores` (``score``, ``ess``, ``max_parents`` and so on), and options of the
        function that change what it needs: the ``method`` of a search and its options, ``samples``, ``workers``,
        ``restarts``, ``chains``, ``draws``, ``max_seconds``, the values of a study of sensitivity. For a posterior:
        ``over``; ``ancestors``, which cost more over orders; ``backend`` (``"cpu"``, the default, ``"cuda"`` or
        ``"mpi"``); ``ranks``, the number of MPI ranks, each on a machine like this one, with the given threads and
        memory limit; and ``gpu_memory``, such as ``"80GiB"``, for a GPU that is not here.

    Returns
    -------
    Plan
        The steps with their memory and time; whether the job fits; and if not, what would make it fit.

    Examples
    --------
    >>> import dagscape as ds
    >>> planned = ds.plan(ds.load_dataset("tic-tac-toe"), "posterior")
    >>> [step.name for step in planned.steps], planned.fits
    (['local scores', 'sum over dags'], True)
    >>> votes = ds.load_dataset("votes")
    >>> shared = ds.plan(votes, "posterior", over="orders", max_parents=4, ranks=8, max_memory="8GiB")
    >>> shared.steps[1].name, shared.largest["cpu"], shared.largest["mpi"]
    ('sum over orders on 8 ranks', 29, 32)
    >>> study = ds.plan(votes, "bootstrap", method="ges", samples=100, workers=2)
    >>> study.steps[0].work
    '100 samples, 2 at a time, each with this memory; 17 variables, 435 rows'
    """
    return spelled_plan(
        data, task, python_spelling, q_matrix=q_matrix, threads=threads, max_memory=max_memory, **options
    )


def spelled_plan(
    data: Any,
    task: str,
    spelling: Spelling,
    *,
    q_matrix: Any = None,
    threads: int | None = None,
    max_memory: int | str | None = None,
    **options: Any,
) -> Plan:
    """Do the work of :func:`plan`, with the arguments in its advice as ``spelling`` writes them."""
    check_choice(task, [name for name, record in TASKS.items() if record.planned], "task")
    threads = thread_count(threads)
    available = available_memory() if max_memory is None else 0
    limit = share_of(available) if max_memory is None else memory_limit(max_memory)
    average = None
    # What is to run elsewhere is planned as one sum, whatever it is part of.
    if task == AVERAGED and q_matrix is None and not any(options.get(name) for name in _ONE_SUM):
        data, average = average_of(data, options, threads, limit)
    job = job_of(TASKS[task], data, q_matrix, options)
    needs = [step.requirements(threads, limit) for step in job.steps]
    steps = [
        _step(needed, step.seconds(threads, limit), spelling) for needed, step in zip(needs, job.steps, strict=True)
    ]
    failed = [needed for needed in needs if not needed.fits(limit)]
    refused = _refused(job, threads, limit)
    instead = None
    if refused is not None and (not needs[-1].fits(limit) or steps[-1].seconds > _LONG_SECONDS):
        instead = _chains_instead(job, refused, spelling)
        refused = replace(refused, sampled=instead is not None)
    advice = _advice(refused, failed, sum(step.seconds for step in steps))
    return Plan(
        variables=job.variables,
        provenance=provenance_of("plan", {**job.parameters, **job.steps[-1].settings}, {}, threads),
        steps=tuple(steps) if average is None else average.of_steps(steps),
        memory_limit=limit,
        advice=spelled(advice, spelling),
        largest=job.steps[-1].largest(threads, limit),
        memory_available=available,
        facts=() if job.scoring is None else job.scoring.info.remarks,
        instead=instead,
    )


def _refused(job: Job, threads: int, limit: int) -> RefusedJob | None:
    """Return what advice needs to know about a job; None if there is none but the remedies of its steps."""
    last, scoring = job.steps[-1], job.scoring
    if scoring is None or last.task.name not in {"scores", *METHODS}:
        return None
    required = max(map(len, scoring.constraints.required), default=0)
    asked = (scoring.data, last.task.name, last.settings, job.score_options)
    return RefusedJob(*asked, threads, limit, scoring.max_parents, required)


def _chains_instead(job: Job, refused: RefusedJob, spelling: Spelling) -> PlanStep | None:
    """Return the chains that run in place of a sum, if the task does that and they fit."""
    chains, threads, limit = TASKS["chain"], refused.threads, refused.limit
    if not refused.runs_chains():
        return None
    needs = chains.requirements(job.scoring, threads, limit)
    return _step(needs, chains.seconds(job.scoring, threads, limit), spelling) if needs.fits(limit) else None


def _advice(refused: RefusedJob | None, failed: Sequence[Requirements], seconds: float) -> str:
    """Return what would make a job fit, or what is quicker if it takes hours; empty if it does fit."""
    if not failed and seconds <= _LONG_SECONDS:
        return ""
    if refused is None:
        return failed[0].remedy if failed else ""
    if failed:
        return advice_for(refused)
    if refused.sampled:
        return f"{function('posterior')} with {argument('method', 'exact')} sums nevertheless"
    quicker = sampled_instead(refused)
    return f"if that is too long, {quicker}" if quicker else ""


def _refusal(steps: Sequence[PlanStep]) -> str:
    return next((step.refusal for step in steps if step.refusal), "")


def _step(needs: Requirements, seconds: float, spelling: Spelling) -> PlanStep:
    work, refusal = spelled(needs.work, spelling), spelled(needs.refusal, spelling)
    return PlanStep(needs.step, work, min(needs.memory, _MOST_MEMORY), seconds, refusal, needs.at_most)
