"""Memory and time of a whole job, step by step."""

from __future__ import annotations

from typing import Unpack

from dagscape import kernels
from dagscape.best.planning import plan_best
from dagscape.data.dataset import Dataset
from dagscape.errors import InvalidOption
from dagscape.modes.planning import plan_modes
from dagscape.posterior.planning import plan_sum
from dagscape.posterior.summing import SUMS
from dagscape.resources import memory_limit, thread_count
from dagscape.results import Provenance
from dagscape.scores.planning import Plan, plan_scores
from dagscape.scores.scoring_job import ScoreOptions, prepare
from dagscape.version import __version__

TASKS = ("scores", "posterior", "best", "modes")


def plan(
    data: Dataset,
    task: str = "scores",
    *,
    over: str = "dags",
    threads: int | None = None,
    max_memory: int | str | None = None,
    **options: Unpack[ScoreOptions],
) -> Plan:
    """The memory and time that a job will need.

    Memory is computed; time comes from short trials, here and now.

    Parameters
    ----------
    data : Dataset
        The data.
    task : {"scores", "posterior", "best", "modes"}
        To compute the local scores, or from them the posterior, the best network or the bound of a search for modes as
        well. A list of many networks takes more, which none can tell beforehand.
    over : {"dags", "orders"}
        What the posterior sums over.
    threads, max_memory
        As in :func:`dagscape.local_scores`.
    **options
        What shapes the scores, as in :func:`dagscape.local_scores`: ``score``, ``ess``, ``max_parents`` and so on.

    Examples
    --------
    >>> import dagscape as ds
    >>> planned = ds.plan(ds.load_dataset("tic-tac-toe"), "posterior")
    >>> [step.name for step in planned.steps], planned.fits
    (['local scores', 'sum over dags'], True)
    """
    if task not in TASKS:
        raise InvalidOption(f"task is {task!r}; it must be one of {', '.join(map(repr, TASKS))}")
    if over not in SUMS:
        raise InvalidOption(f"over is {over!r}; it must be one of {', '.join(map(repr, SUMS))}")
    job = prepare(data, **options)
    threads = thread_count(threads)
    steps = [plan_scores(job, threads)]
    parameters = job.info.to_dict()
    if task == "posterior":
        steps.append(plan_sum(data.n, job.max_parents, over, threads))
        parameters |= {"over": over}
    if task == "best":
        steps.append(plan_best(data.n, job.max_parents, threads))
    if task == "modes":
        steps.append(plan_modes(data.n, job.max_parents, threads, memory_limit(max_memory)))
    return Plan(
        variables=data.variables,
        provenance=Provenance(__version__, "plan", parameters, backend=f"{kernels.name}, {threads} threads"),
        steps=tuple(steps),
        memory_limit=memory_limit(max_memory),
    )
