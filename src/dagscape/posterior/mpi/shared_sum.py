"""What a sum over orders on many machines does and needs."""

from __future__ import annotations

from dataclasses import replace

from dagscape.core.constraints import Whole
from dagscape.core.errors import InvalidOption, argument
from dagscape.core.requirements import FEW_PARENTS
from dagscape.core.resources import format_bytes
from dagscape.posterior.accuracy import tiled_order_sum_error
from dagscape.posterior.contract import Job, Sum, check_agreement, log_of
from dagscape.posterior.cpu.backend import CPU
from dagscape.posterior.mpi import order_sum
from dagscape.posterior.mpi.memory import rank_memory
from dagscape.posterior.mpi.seconds import rank_seconds
from dagscape.posterior.mpi.team import check_ranks, team, usable_ranks
from dagscape.posterior.sum_plan import SumPlan, SumSize
from dagscape.posterior.weights import FamilyWeights, is_tiled

_CPU = next(record for record in CPU if record.over == "orders")


def sum_over_orders(weights: FamilyWeights, job: Job) -> Sum:
    """Sum on all ranks, or on rank 0 alone."""
    if weights.max_parents is None or team().size == 1:
        # Few variables, so many families that they do not fit into tiles, or one rank: rank 0 does it alone.
        return _CPU.run(weights, job)
    found = order_sum.order_sum(team(), weights.values, weights.max_parents, job)
    error = tiled_order_sum_error(weights.n, weights.max_parents, log_of(found.mantissa, found.exponent))
    check_agreement(found.disagreement, error)
    return Sum(found.mantissa, found.exponent, found.edges, None, None, error)


def planned(size: SumSize, assumed: int | None) -> SumPlan:
    """Return what a sum needs: on ranks that each have a machine of their own, or on those of this program."""
    if assumed is None:
        check_ranks(team().size)
    ranks, on_machine = (team().size, team().node_ranks) if assumed is None else (assumed, 1)
    alone = _CPU.planned(size, None)
    if ranks == 1 or not is_tiled(size.n, size.max_parents):
        return replace(alone, note=_why_not_shared(size) if ranks > 1 else "")
    most = order_sum.most_ranks(size.n)
    used = min(ranks, most)
    return SumPlan(
        memory=on_machine * rank_memory(size.n, size.max_parents, size.threads, used),
        seconds=lambda: rank_seconds(alone.seconds(), size.n, used),
        where=f"on {ranks} ranks",
        note=f"each rank sends {format_bytes(order_sum.bytes_sent(size.n, used))}",
        refusal=order_sum.too_many_ranks(size.n, ranks),
        remedy=f"start {most} (mpirun -n {most}), or use {argument('backend', _CPU.name)}",
    )


def _why_not_shared(size: SumSize) -> str:
    """Return why several ranks do not share a sum that is not tiled."""
    if not is_tiled(size.n, min(size.max_parents, FEW_PARENTS)):
        return "one rank computes sums of few variables alone"
    limit = "a limit" if size.max_parents >= size.n - 1 else "a lower limit"
    return f"ranks do not help without {limit} on parents, such as {argument('max_parents', FEW_PARENTS)}"


def assumed_ranks(ranks: int | None) -> int:
    """Check the number of ranks that a plan assumes."""
    if ranks is None:
        raise InvalidOption(f"is 'mpi', which needs the number of ranks: add {argument('ranks')}", option="backend")
    Whole(1).check(ranks, "ranks")
    if (usable := usable_ranks(int(ranks))) != ranks:
        raise InvalidOption(f"is {ranks}; it must be a power of two: use {argument('ranks', usable)}", option="ranks")
    return usable
