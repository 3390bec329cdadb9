"""Plans: the memory and time of each step of a job, and an alternative if the job does not fit."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from dagscape.checks import check_choice
from dagscape.data.dataset import Dataset
from dagscape.data.values import Frame, as_dataset
from dagscape.decoding import MOST_BITS, Count, NotNegative
from dagscape.errors import InvalidData, InvalidOption, Spelling, argument, function, python_spelling, spelled
from dagscape.methods import FEW_PARENTS, Requirements, provenance_of
from dagscape.registry import METHODS
from dagscape.resources import format_bytes, memory_limit, thread_count
from dagscape.results import Result
from dagscape.scores.requirements import scoring_requirements, scoring_seconds
from dagscape.scores.scoring_job import prepare
from dagscape.scores.search_planning import SearchSize
from dagscape.wording import format_seconds

if TYPE_CHECKING:
    import pandas as pd

TASKS = ("scores", *METHODS)

# Limits on the number of parents to try for advice, highest first.
_FEWER_PARENTS = (5, 4, 3, 2)

# Plans advise up to 4096 machines.
_MOST_RANK_BITS = 12

# The largest number that is read back from a file.
_MOST_MEMORY = 2**MOST_BITS - 1


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
    """

    name: str
    work: str
    memory: Count
    seconds: NotNegative
    refusal: str = ""


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
        A method and settings that fit, if the job does not; otherwise empty.
    largest : mapping of str to int
        For a posterior: the largest number of variables that fits, by back end: here, where the sum is planned, and on
        the card that is here, if there is one.
    """

    kind: ClassVar[str] = "plan"
    derived: ClassVar[tuple[str, ...]] = ("memory", "seconds", "fits", "refusal")

    steps: tuple[PlanStep, ...]
    memory_limit: Count
    advice: str = ""
    largest: Mapping[str, Count] = field(default_factory=dict)

    def _check(self) -> None:
        super(Plan, self)._check()
        if not self.steps:
            raise InvalidData("steps is empty; it must have at least one step")

    @property
    def memory(self) -> int:
        """Peak memory of all steps, in bytes."""
        return max(step.memory for step in self.steps)

    @property
    def seconds(self) -> float:
        """Estimated time of the whole job."""
        return sum(step.seconds for step in self.steps)

    @property
    def refusal(self) -> str:
        """Why a method cannot do the job with any amount of memory; empty if it can."""
        return next((step.refusal for step in self.steps if step.refusal), "")

    @property
    def fits(self) -> bool:
        """Whether the job can run within the memory limit."""
        return not self.refusal and self.memory <= self.memory_limit

    def to_frame(self) -> pd.DataFrame:
        """Return the steps, one per row."""
        import pandas as pd

        return pd.DataFrame(
            [{"step": s.name, "work": s.work, "memory": s.memory, "seconds": s.seconds} for s in self.steps]
        )

    def __repr__(self) -> str:
        time = format_seconds(self.seconds)
        limit = format_bytes(self.memory_limit)
        verdict = self.refusal or f"{'fits' if self.fits else 'does not fit'} {limit}"
        return f"Plan({format_bytes(self.memory)}, {'about ' if time[0].isdigit() else ''}{time}; {verdict})"


def plan(
    data: Dataset | Frame,
    task: str = "scores",
    *,
    threads: int | None = None,
    max_memory: int | str | None = None,
    **options: Any,
) -> Plan:
    """Estimate the memory and time that a job will need.

    Memory is computed; time is extrapolated from short trials on this machine.

    Parameters
    ----------
    data : Dataset or data frame
        The data; a frame is taken as by :meth:`Dataset.from_frame`.
    task : {"scores", "posterior", "optimal", "best", "modes"}
        What to compute: the local scores, or also the result of a method. The memory for a long list of networks
        cannot be predicted and is not included.
    threads, max_memory
        As in :func:`dagscape.local_scores`.
    **options
        Options of :func:`dagscape.local_scores` (``score``, ``ess``, ``max_parents`` and so on), and options that
        change what the method needs. For a posterior: ``over``; ``backend`` (``"cpu"``, the default, ``"cuda"`` or
        ``"mpi"``); ``ranks``, the number of MPI ranks, each on a machine like this one, with the given threads and
        memory limit; and ``card_memory``, such as ``"80GiB"``, for a card that is not here.

    Returns
    -------
    Plan
        The steps with their memory and time; whether the job fits; and if not, a method and settings that do.

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
    """
    return spelled_plan(data, task, python_spelling, threads=threads, max_memory=max_memory, **options)


def spelled_plan(
    data: Dataset | Frame,
    task: str,
    spelling: Spelling,
    *,
    threads: int | None = None,
    max_memory: int | str | None = None,
    **options: Any,
) -> Plan:
    """Do the work of :func:`plan`, with the arguments in its advice as ``spelling`` writes them."""
    check_choice(task, TASKS, "task")
    settings = _method_options(task, options)
    data = as_dataset(data)
    job = prepare(data, **options)
    threads, limit = thread_count(threads), memory_limit(max_memory)
    steps = [_step(scoring_requirements(job, threads, limit), scoring_seconds(job, threads), spelling)]
    largest: dict[str, int] = {}
    if task in METHODS:
        method, size = METHODS[task], SearchSize.complete(data.n, job.max_parents)
        needs = method.requirements(size, threads, limit, **settings)
        steps.append(_step(needs, method.seconds(size, threads, limit, **settings), spelling))
        largest = method.largest(size, threads, limit, **settings) if method.largest is not None else {}
    refused = any(step.refusal or step.memory > limit for step in steps)
    return Plan(
        variables=data.variables,
        provenance=provenance_of("plan", job.info.to_dict() | settings, {}, threads),
        steps=tuple(steps),
        memory_limit=limit,
        advice=spelled(_advice(data, task, settings, options, threads, limit), spelling) if refused else "",
        largest=largest,
    )


def _method_options(task: str, options: dict[str, Any]) -> dict[str, Any]:
    """Remove the options that change what the method needs from ``options``, and check them."""
    known = METHODS[task].options if task in METHODS else {}
    settings = {name: options.pop(name, values[0]) for name, values in known.items()}
    for name, value in settings.items():
        check_choice(value, known[name], name)
    places = METHODS[task].places if task in METHODS else ()
    settings |= {name: options.pop(name) for name in places if options.get(name) is not None}
    for method in METHODS.values():
        for name in (*method.options, *method.places):
            if options.get(name) is not None:
                raise InvalidOption(f"is an option of the task {method.name!r}, not of {task!r}", option=name)
            options.pop(name, None)
    return settings


def _step(needs: Requirements, seconds: float, spelling: Spelling) -> PlanStep:
    work, refusal = spelled(needs.work, spelling), spelled(needs.refusal, spelling)
    return PlanStep(needs.step, work, min(needs.memory, _MOST_MEMORY), seconds, refusal)


def _advice(
    data: Dataset, task: str, settings: Mapping[str, Any], options: Mapping[str, Any], threads: int, limit: int
) -> str:
    """Return a method and settings that fit, as close as possible to the request."""
    asked = prepare(data, **options).max_parents
    limits_on_parents = (asked, *(most for most in _FEWER_PARENTS if most < asked))
    jobs = {most: prepare(data, **{**options, "max_parents": most}) for most in limits_on_parents}
    for (name, chosen), (most, job) in itertools.product(_candidates(task, settings, data.n), jobs.items()):
        needs = [scoring_requirements(job, threads, limit)]
        if name in METHODS:
            size = SearchSize.complete(data.n, most)
            needs.append(METHODS[name].requirements(size, threads, limit, **chosen))
        if all(need.fits(limit) for need in needs):
            described = _described(name, chosen | ({} if most == asked else {"max_parents": most}))
            if name == task:
                return described
            fewer = _fewer_variables(data, task, settings, options, threads, limit)
            more = _more_machines(task, settings, SearchSize.complete(data.n, asked), threads, limit)
            return f"no settings of {_function(task)} fit, but {described}{fewer}{more}"
    return (
        f"no exact method fits {data.n} variables within {format_bytes(limit)}; "
        "family_scores in Python computes scores on demand"
        + _fewer_variables(data, task, settings, options, threads, limit)
        + _more_machines(task, settings, SearchSize.complete(data.n, asked), threads, limit)
    )


def _fewer_variables(
    data: Dataset, task: str, settings: Mapping[str, Any], options: Mapping[str, Any], threads: int, limit: int
) -> str:
    """Say how many of the variables the requested method can take: as requested, and with few parents."""
    asked = options.get("max_parents") or data.n
    score = {name: options[name] for name in ("score", "ess") if name in options}
    choice = f"leave out variables with {function('Dataset.select')}"

    def most(chosen: Mapping[str, Any], max_parents: int) -> int:
        return _most_variables(data, task, chosen, score | {"max_parents": max_parents}, threads, limit)

    as_asked = most(settings, asked)
    few = min(asked, FEW_PARENTS)
    others = [chosen for name, chosen in _candidates(task, settings, data.n) if name == task]
    best = max(others, key=lambda chosen: most(chosen, few))
    if (with_few := most(best, few)) > as_asked:
        changed = {name: value for name, value in best.items() if value != settings.get(name)}
        changed |= {"max_parents": few} if few < asked else {}
        arguments = ", ".join(argument(name, value) for name, value in changed.items())
        fits = f"; {_function(task)} fits up to {with_few} variables with {arguments}"
        as_requested = f", and as requested it fits up to {as_asked} variables" if as_asked else ""
        return f"{fits}{as_requested}: {choice}"
    return f"; {_function(task)} fits up to {as_asked} variables: {choice}" if as_asked else ""


def _more_machines(task: str, settings: Mapping[str, Any], size: SearchSize, threads: int, limit: int) -> str:
    """Say on how many machines like this one the requested sum fits, if it can use several."""
    if task not in METHODS or "ranks" not in METHODS[task].places or settings.get("over") != "orders":
        return ""
    for ranks in (2**bits for bits in range(1, _MOST_RANK_BITS + 1)):
        needs = METHODS[task].requirements(size, threads, limit, over="orders", ranks=ranks)
        if needs.fits(limit):
            return f"; on {ranks} machines like this one it fits, with {argument('ranks', ranks)}"
    return ""


def _most_variables(
    data: Dataset, task: str, settings: Mapping[str, Any], score: Mapping[str, Any], threads: int, limit: int
) -> int:
    """Return how many of the first variables a method can take with these settings; 0 if it cannot take two.

    The score has no constraints: they may name variables that are left out, and do not change what is needed.
    """
    for n in range(data.n - 1, 1, -1):
        most = min(score["max_parents"], n - 1)
        size = SearchSize.complete(n, most)
        if task in METHODS and not METHODS[task].requirements(size, threads, limit, **settings).fits(limit):
            continue
        job = prepare(data.select(data.variables[:n]), **{**score, "max_parents": most})
        if scoring_requirements(job, threads, limit).fits(limit):
            return n
    return 0


def _candidates(task: str, settings: Mapping[str, Any], n: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Iterate over methods with settings: the requested ones first, then other settings, then other methods."""
    yield task, dict(settings)
    if task == "scores":
        return
    others = (name for name, other in METHODS.items() if other.most_advised is None or n <= other.most_advised)
    for name in (task, *(other for other in others if other != task)):
        known = METHODS[name].options
        # What does not fit elsewhere may fit on the processors of this machine.
        here = {"backend": "cpu"} if name == task and any(key in settings for key in METHODS[name].places) else {}
        for values in itertools.product(*known.values()):
            yield name, dict(zip(known, values, strict=True)) | here


def _described(name: str, settings: Mapping[str, Any]) -> str:
    """Say that a method fits with some settings; those at their defaults are left out."""
    known = METHODS[name].options if name in METHODS else {}
    changed = {key: value for key, value in settings.items() if value != known.get(key, (None,))[0]}
    arguments = ", ".join(argument(key, value) for key, value in changed.items())
    return f"{_function(name)} fits" + (f" with {arguments}" if arguments else "")


def _function(name: str) -> str:
    return function(METHODS[name].function.__name__ if name in METHODS else "local_scores")
