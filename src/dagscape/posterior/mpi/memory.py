"""The memory of ranks, and the question whether all machines have enough of it."""

from __future__ import annotations

from dataclasses import dataclass

from dagscape.core import kernels
from dagscape.core.errors import TooLarge, argument
from dagscape.core.resources import format_bytes, memory_limit
from dagscape.core.wording import plural
from dagscape.posterior.mpi.order_sum import buffer_bytes
from dagscape.posterior.mpi.team import Team, team
from dagscape.posterior.sum_plan import SumSize
from dagscape.posterior.weights import is_tiled


def rank_memory(n: int, max_parents: int, threads: int, ranks: int) -> int:
    """Return how many bytes one rank needs."""
    needed = int(kernels.tiled_order_sum_bytes(n, max_parents, threads, wide=True, ranks=ranks))
    return needed + buffer_bytes(n, ranks)


def check_machines(size: SumSize, max_memory: int | str | None) -> None:
    """Raise an error if a machine other than that of rank 0 has too little memory for a sum."""
    ranks = team()
    if ranks.size == 1 or not is_tiled(size.n, size.max_parents):
        return
    check = _MemoryCheck(rank_memory(size.n, size.max_parents, size.threads, ranks.size), max_memory)
    ranks.send(check)
    if lacking := check.answers(ranks):
        raise TooLarge(f"sums over orders of {plural(size.n, 'variable')}: {lacking[0]}: start fewer ranks per machine")


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
