"""Memory and time of scoring a data set."""

from __future__ import annotations

import math

from dagscape.core.errors import argument
from dagscape.core.requirements import LARGE_MACHINE, MANY_VARIABLES, Requirements, fitting_parents
from dagscape.core.resources import format_bytes, thread_count
from dagscape.core.wording import plural
from dagscape.scores.scoring_job import ScoringJob
from dagscape.scores.tables.lattice import set_count

# Seconds of trial scoring per function: enough to distinguish seconds, minutes and days.
_TRIAL_SECONDS = 0.3
_TRIED_FUNCTIONS = 4

# The parts of the lattice on which the work of a function is counted, which takes milliseconds.
_COUNTED_PARTS = 8
# Seconds for each visit of a row, rounded up, by the size of the largest set: sets of few variables have large cells,
# which take less time.
_SECONDS_PER_SHALLOW_VISIT = {1: 1.2e-9, 2: 1.2e-9, 3: 1.2e-9, 4: 2e-9}
_SECONDS_PER_VISIT = 6e-9

# Seconds for each call of a function that weighs families, as the structure prior.
_SECONDS_PER_CALL = 3e-6

# Amounts of work of more digits say less than their size.
_UNREADABLE = 10**15

# More sets than anyone could ever score.
_NEVER_SETS = 2**70


def scoring_requirements(job: ScoringJob, threads: int, limit: int) -> Requirements:
    """Return the memory of :func:`dagscape.local_scores`."""
    families = job.data.n * set_count(job.data.n - 1, job.max_parents)
    sets = f"{plural(job.sets, 'set', unreadable=_UNREADABLE)} of up to {plural(job.max_size, 'variable')}"
    work = f"{sets}, for {plural(families, 'family', 'families', unreadable=_UNREADABLE)}"
    if job.functions.count > 1:
        work += f", {job.functions.count} times"
    memory = job.memory(threads)
    return Requirements(
        step="local scores",
        work=work,
        memory=memory,
        subject=f"the scores of {plural(job.data.n, 'variable')} with up to {plural(job.max_parents, 'parent')}",
        remedy=_remedy(job, memory, threads, limit),
    )


def _remedy(job: ScoringJob, memory: int, threads: int, limit: int) -> str:
    """Return what to do if scores do not fit: a lower limit on parents, or what needs no scores of all families."""
    more = "raise the limit" if memory < LARGE_MACHINE else ""

    def needed(max_parents: int) -> int:
        # The rest is work space, which fewer parents do not make smaller.
        others = memory - 8 * job.sets * job.functions.count
        return others + 8 * set_count(job.data.n, max_parents + 1) * job.functions.count

    fewer = fitting_parents(job.max_parents, lambda most: needed(most) <= limit)
    if fewer is not None:
        lower = f"score with {argument('max_parents', fewer)}, which needs {format_bytes(needed(fewer))}"
        remedy = ", or ".join(filter(None, (more, lower)))
    else:
        remedy = "raise the limit" + (f", or use fewer {argument('threads')}" if threads > 1 else "")
    return remedy if more else f"{remedy}; {MANY_VARIABLES}"


def scoring_seconds(job: ScoringJob, threads: int, limit: int) -> float:  # noqa: ARG001 (as all tasks take it)
    """Return the estimated time of scoring, from a short trial on a random part of the lattice."""
    if job.sets >= _NEVER_SETS:
        return math.inf
    tried = [job.functions.lattice_kernel(i, job.unit) for i in range(min(job.functions.count, _TRIED_FUNCTIONS))]
    per_set = sum(kernel.seconds_per_set(_TRIAL_SECONDS) for kernel in tried) / len(tried)
    return per_set * job.sets * job.functions.count / min(threads, thread_count(None)) + _calling_seconds(job)


def nominal_seconds(job: ScoringJob) -> float:
    """Return about how long scoring takes on one thread of a usual machine, from the number of visits of rows.

    Other than :func:`scoring_seconds`, it is the same on every machine and in every run: results may depend on it.
    """
    if job.sets >= _NEVER_SETS:
        return math.inf
    tried = [job.functions.lattice_kernel(i, job.unit) for i in range(min(job.functions.count, _TRIED_FUNCTIONS))]
    per_set = sum(kernel.visits_per_set(_COUNTED_PARTS) for kernel in tried) / len(tried)
    per_visit = _SECONDS_PER_SHALLOW_VISIT.get(job.max_size, _SECONDS_PER_VISIT)
    return per_visit * per_set * job.sets * job.functions.count + _calling_seconds(job)


def _calling_seconds(job: ScoringJob) -> float:
    """Return about how long functions of the structure prior take for all families."""
    families = job.data.n * set_count(job.data.n - 1, job.max_parents)
    return _SECONDS_PER_CALL * job.prior.functions * families if job.prior.functions else 0.0
