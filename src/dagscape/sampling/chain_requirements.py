"""Memory and time of Markov chains over networks, and whether all families can be listed."""

from __future__ import annotations

from typing import Any

from dagscape.core.constraints import Whole
from dagscape.core.errors import argument
from dagscape.core.requirements import ProblemSize, Requirements, TaskOption
from dagscape.core.wording import plural
from dagscape.graphs.words import word_count
from dagscape.sampling.chain_lists import complete_memory
from dagscape.sampling.recorded_draws import most_batches
from dagscape.sampling.running_chains import BURN_IN
from dagscape.scores.requirements import nominal_seconds, scoring_seconds
from dagscape.scores.scoring_job import ScoringJob, with_fewer_parents
from dagscape.scores.tables.enumerable_scores import EnumerableScores
from dagscape.scores.tables.lattice import set_count
from dagscape.scores.tables.local_scores import LocalScores
from dagscape.search.trial import learning_seconds

DEFAULT_CHAINS = 4
DEFAULT_DRAWS = 1000

CHAIN_OPTIONS = {
    "chains": TaskOption("The number of chains.", Whole(1), str(DEFAULT_CHAINS)),
    "draws": TaskOption("The networks kept of each chain.", Whole(2), str(DEFAULT_DRAWS)),
}

# All families are listed up to so many of them, if they take no longer to score, on one thread, than so many seconds.
_MOST_FAMILIES = 60_000_000
_MOST_SECONDS = 300.0

# If users set no limit on parents, and not all families can be listed, these are tried; scoring takes a minute at most.
USUAL_LIMITS = (4, 3, 2)
_USUAL_SECONDS = 60.0

# Scores and lists of all families must leave the rest of the memory to the networks.
_SHARE_FOR_FAMILIES = 0.75

_USUAL_THIN = 10
# The families at which sweeps become slow, so that fewer of them lie between two draws.
_MANY_FAMILIES = 500_000

# Seconds of a sweep: for each family that it looks at, and for each variable.
_SECONDS_PER_FAMILY = 1e-8
_SECONDS_PER_VARIABLE = 4e-6
_FAMILIES_OF_CANDIDATES = 1000

# The options of the search for a first network: a short one will do.
FIRST_SEARCH: dict[str, Any] = {"method": "order", "patience": 1, "exact": False}

Size = ProblemSize | ScoringJob | LocalScores


def _size(size: Size) -> tuple[int, int]:
    return (size.data.n, size.max_parents) if isinstance(size, ScoringJob) else (size.n, size.max_parents)


def lists_are_complete(scores: EnumerableScores | None, job: ScoringJob | None, limit: int) -> bool:
    """Whether all families are listed, rather than those of candidates: if they fit, and can be scored in time."""
    given = scores if scores is not None else job
    if given is None:
        return False
    return _listed(given, limit)


def _listed(given: Size, limit: int) -> bool:
    """Whether all families of a problem are listed; those of data are scored first, and their tables stay."""
    n, max_parents = _size(given)
    if not _fits(n, max_parents, limit):
        return False
    if not isinstance(given, ScoringJob):
        return not isinstance(given, LocalScores) or isinstance(given, EnumerableScores)
    # Of one thread, since networks must not depend on the number of threads.
    together = given.memory(1) + complete_memory(n, max_parents)
    return together <= _SHARE_FOR_FAMILIES * limit and nominal_seconds(given) <= _MOST_SECONDS


def with_usual_limit(job: ScoringJob, limit: int) -> ScoringJob:
    """Return scoring without a given limit on parents with the largest usual one for which all families can be listed.

    If all can be listed as it is, or not even the families of two parents, there is none.
    """
    given = job.max_parents < job.data.n - 1 and "max_parents" not in job.chosen
    if given or _listed(job, limit):
        return job
    needed = max(map(len, job.constraints.required))
    for most in USUAL_LIMITS:
        if needed <= most < job.max_parents:
            limited = with_fewer_parents(job, most)
            if _listed(limited, limit) and nominal_seconds(limited) <= _USUAL_SECONDS:
                return limited
    return job


def _fits(n: int, max_parents: int, limit: int) -> bool:
    families = n * set_count(n - 1, max_parents, most=_MOST_FAMILIES)
    return families <= _MOST_FAMILIES and complete_memory(n, max_parents) <= limit / 2


def default_thin(listed: int) -> int:
    """Return the number of sweeps between two draws."""
    return max(min(_USUAL_THIN, _USUAL_THIN * _MANY_FAMILIES // max(listed, 1)), 1)


def chain_requirements(
    size: Size,
    threads: int,
    limit: int,
    *,
    chains: int | None = DEFAULT_CHAINS,
    draws: int | None = DEFAULT_DRAWS,
) -> Requirements:
    """Return what chains need: scores, lists of families, the networks they draw, and averages of edges."""
    if isinstance(size, ScoringJob):
        size = with_usual_limit(size, limit)
    n, max_parents = _size(size)
    count, kept = chains or DEFAULT_CHAINS, draws or DEFAULT_DRAWS
    complete = _listed(size, limit)
    lists = complete_memory(n, max_parents) if complete else 0
    if isinstance(size, ScoringJob):
        lists += size.memory(threads) if complete else size.functions.family_memory(threads)
    networks = int(kept / (1 - BURN_IN)) * n * word_count(n) * 8
    # The kernel has a matrix of its own, and one of the chances of hub moves.
    matrices = (most_batches(n) + 3) * 8 * n * n
    which = "all families" if complete else "candidate families"
    return Requirements(
        step="chains",
        work=f"{plural(count, 'chain')} with {plural(kept, 'network')} each, {which}",
        memory=lists + count * (networks + matrices),
        subject=f"{plural(count, 'chain')} of networks of {plural(n, 'variable')}",
        remedy=f"raise the limit, or use fewer {argument('draws')} or {argument('chains')}",
        at_most=True,
    )


def chain_seconds(
    size: Size,
    threads: int,
    limit: int,
    *,
    chains: int | None = DEFAULT_CHAINS,
    draws: int | None = DEFAULT_DRAWS,
) -> float:
    """Return an upper bound on the time of chains, roughly: that with data for which all families matter.

    Few data are so: zoo under the uniform prior takes half of it, most others a tenth or less. With data, the time
    includes scoring and the search for a first network.
    """
    if isinstance(size, ScoringJob):
        size = with_usual_limit(size, limit)
    n, max_parents = _size(size)
    count, kept = chains or DEFAULT_CHAINS, draws or DEFAULT_DRAWS
    complete = _listed(size, limit)
    families = n * set_count(n - 1, max_parents) if complete else _FAMILIES_OF_CANDIDATES * n
    sweep = _SECONDS_PER_VARIABLE * n + _SECONDS_PER_FAMILY * families
    sweeps = default_thin(families) * kept / (1 - BURN_IN)
    seconds = sweep * sweeps * -(-count // max(min(threads, count), 1))
    if isinstance(size, ScoringJob):
        seconds += scoring_seconds(size, threads, limit) if complete else 0.0
        seconds += learning_seconds(size, threads, limit, **FIRST_SEARCH)
    return seconds
