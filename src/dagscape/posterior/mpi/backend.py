"""The record of the sum over orders on many machines."""

from __future__ import annotations

from dataclasses import dataclass, replace

from dagscape.core import kernels
from dagscape.core.errors import TooLarge, argument
from dagscape.core.resources import format_bytes, memory_limit
from dagscape.core.wording import plural
from dagscape.posterior.accuracy import tiled_order_sum_error
from dagscape.posterior.contract import Job, Ranks, Sum, check_agreement, log_of
from dagscape.posterior.cpu import CPU
from dagscape.posterior.mpi import library, order_sum
from dagscape.posterior.mpi.team import Team, check_ranks, team, work_together
from dagscape.posterior.weights import FamilyWeights, is_tiled

_CPU = next(record for record in CPU if record.over == "orders")


def _sum_over_orders(weights: FamilyWeights, job: Job) -> Sum:
    if weights.max_parents is None or team().size == 1:
        # Few variables, so many families that they do not fit into tiles, or one rank: rank 0 does it alone.
        return _CPU.run(weights, job)
    found = order_sum.order_sum(team(), weights.values, weights.max_parents, job)
    error = tiled_order_sum_error(weights.n, weights.max_parents, log_of(found.mantissa, found.exponent))
    check_agreement(found.disagreement, error)
    return Sum(found.mantissa, found.exponent, found.edges, None, None, error)


def rank_memory(n: int, max_parents: int, threads: int, ranks: int) -> int:
    """Return how many bytes one rank needs."""
    needed = int(kernels.tiled_order_sum_bytes(n, max_parents, threads, wide=True, ranks=ranks))
    return needed + order_sum.buffer_bytes(n, ranks)


def _node_memory(n: int, max_parents: int, threads: int) -> int:
    """Return how many bytes the ranks on this machine need."""
    if not is_tiled(n, max_parents) or library.missing():
        return _CPU.memory_of_sum(n, max_parents, threads)
    here = team()
    ranks = min(here.size, 1 << (n - kernels.LEAST_TILED))
    return here.node_ranks * rank_memory(n, max_parents, threads, ranks)


@dataclass(frozen=True, slots=True)
class _MemoryCheck:
    """The question whether the other machines have enough memory."""

    needed: int
    max_memory: int | str | None

    def follow(self, team: Team) -> None:
        """Answer for this machine, on its first rank."""
        self.answers(team)

    def answers(self, team: Team) -> list[str]:
        """Return, on rank 0, what machines lack."""
        needed = team.node_ranks * self.needed
        limit = memory_limit(self.max_memory) if team.first_of_node and team.rank else needed
        lacking = (
            f"{plural(team.node_ranks, 'rank')} on {team.host} need {format_bytes(needed)}; "
            f"the limit is {format_bytes(limit)} ({argument('max_memory')})"
        )
        return [answer for answer in team.data.gather(lacking if needed > limit else "") or () if answer]


def _check_size(n: int, max_parents: int) -> None:
    ranks = library.load().COMM_WORLD.size
    check_ranks(ranks)
    if is_tiled(n, max_parents):
        order_sum.check_size(n, ranks)


def _check_memory(n: int, max_parents: int, threads: int, max_memory: int | str | None) -> None:
    ranks = team()
    if ranks.size == 1 or not is_tiled(n, max_parents):
        return
    check = _MemoryCheck(rank_memory(n, max_parents, threads, ranks.size), max_memory)
    ranks.send(check)
    if lacking := check.answers(ranks):
        raise TooLarge(f"sums over orders of {plural(n, 'variable')}: {lacking[0]}: start fewer ranks per machine")


MPI = (
    replace(
        _CPU,
        name="mpi",
        run=_sum_over_orders,
        memory_of_sum=_node_memory,
        ranks=Ranks(
            missing=library.missing,
            describe=library.describe,
            threads=lambda: team().threads,
            check_size=_check_size,
            check_memory=_check_memory,
            work=work_together,
        ),
    ),
)
