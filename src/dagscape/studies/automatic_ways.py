"""Whether the posterior of a table averages over ways of cutting its numbers, if its user does not say.

Which way is taken matters more than most settings (``benchmarks/cuts.py``), so an average is made without being asked
for where it takes no more than half a minute on one thread of a usual machine. That is reckoned from the numbers of
variables, rows and settings alone, and not measured: the same table has the same answer on every machine, if it has
the memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dagscape.core.resources import Budget
from dagscape.data.discrete.automatic_cuts import AutomaticCuts
from dagscape.data.discrete.common_cuts import ComparedCuts
from dagscape.posterior.evidence import averaged_grids
from dagscape.posterior.grids import Grid, grid_requirements
from dagscape.scores.requirements import nominal_seconds
from dagscape.studies.averaged_posterior import sums_of_average

AFFORDABLE_SECONDS = 30.0

# Steps of a sum in a second, on one thread of a usual machine.
_STEPS_PER_SECOND = 1e8

# Sums over more variables take longer, whatever is averaged over.
_MOST_VARIABLES = 24


def affordable_ways(
    cuts: AutomaticCuts,
    options: Mapping[str, Any],
    over: str,
    budget: Budget,
    *,
    with_paths: bool = False,
    max_seconds: float | None = None,
) -> ComparedCuts | None:
    """Return a table cut in the ways over which posteriors are averaged; None if that takes too much.

    Parameters
    ----------
    cuts : AutomaticCuts
        The table.
    options : mapping
        Options of :func:`dagscape.local_scores`.
    over, with_paths, max_seconds
        As in :func:`dagscape.posterior`.
    budget : Budget
        Threads and memory.
    """
    most = AFFORDABLE_SECONDS if max_seconds is None else min(max_seconds, AFFORDABLE_SECONDS)
    if cuts.n > _MOST_VARIABLES or _seconds_of_sum(cuts.n, over, with_paths) > most:
        return None
    found = cuts.in_ways()
    grids = averaged_grids(found, options)
    if not grid_requirements(grids, over, budget.threads, budget.limit).fits(budget.limit):
        return None
    return found if seconds_of_average(grids, over, with_paths=with_paths) <= most else None


def seconds_of_average(grids: Sequence[Grid], over: str, *, with_paths: bool = False) -> float:
    """Return about how long an average takes on one thread of a usual machine.

    Parameters
    ----------
    grids : sequence of Grid
        The settings.
    over, with_paths
        As in :func:`dagscape.posterior`.
    """
    jobs = [job for grid in grids for job in grid.jobs]
    sums = sums_of_average(len(jobs), len({grid.way for grid in grids}))
    # The scores of likely settings are computed twice.
    scoring = 2 * sum(nominal_seconds(grid.largest) for grid in grids)
    return scoring + sums * _seconds_of_sum(jobs[0].data.n, over, with_paths)


def _seconds_of_sum(n: int, over: str, with_paths: bool) -> float:
    """Return about how long a sum takes.

    >>> round(_seconds_of_sum(16, "dags", False), 2), round(_seconds_of_sum(16, "orders", False), 2)
    (0.43, 0.17)
    """
    steps = n**2 * 2.0**n if over == "orders" else 4.0**n if with_paths else 3.0**n
    return steps / _STEPS_PER_SECOND
