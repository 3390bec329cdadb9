"""The tiled sum over orders on 2^k ranks [chen2016]_.

Rank r holds F(S), and later R(S), as packed numbers, of the 2^(n-k) sets S whose top k variables are the bits of r, and
builds A_i for them from the list of families. F(S) depends on the sets with one variable less: for each of its bits, a
rank needs those of the rank without it. For R(S), it needs those of the ranks with one more bit. They travel in blocks:
while a rank computes one block, the next one arrives, and the last one leaves. Rank r can start after popcount(r)
steps, when its first block has come in, and from then on all ranks work at the same time: the pipeline of section
4.3.2.2. At the end, Γ is added up over the ranks in the same binary tree as within a rank. Only packed numbers travel,
and no sum depends on the number of ranks; so neither do the bits of the result.

Departures from the dissertation: A and Γ need no messages (its algorithms 4.2 to 4.5), because every rank has all
families. R(S) is indexed by the set that is placed, so that it takes the place of F(S) on the same rank. Blocks follow
each other by number, in which order the kernel adds up Γ, and not by popcount: subsets come first in both orders.

Cost: rank r sends (k - popcount(r)) 2^(n-k) numbers forwards and popcount(r) 2^(n-k) numbers backwards, of 8 bytes; all
ranks but 0 send the Γ of all families once.

Notation: the dissertation's p = 2^k processors are the ranks, its hypercubes are the blocks, and its ω[1, k] is r.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from dagscape.core import kernels
from dagscape.core.errors import InvalidData
from dagscape.core.wording import plural
from dagscape.posterior.contract import Job, KernelProgress
from dagscape.posterior.mpi.messages import Messages
from dagscape.posterior.mpi.team import Stopped, Team
from dagscape.posterior.order_blocks import BlockCheckpoints, Position

if TYPE_CHECKING:
    from mpi4py import MPI

Packed = NDArray[np.int64]
Value = TypeVar("Value")

# Blocks, which are messages, have 1 MiB to 8 MiB: smaller ones cost more time than they take, and larger ones memory.
_BLOCK_BITS = range(17, 21)

# Blocks are as large as they can be if there are this many for each step of the pipeline, which is filled and emptied
# twice.
_BLOCKS_PER_STEP = 32

# How many blocks may be under way from one rank to another.
_BUFFERS = 2

# The smallest tile of the kernel.
_TILE_BITS = kernels.LEAST_TILED

# A backward block takes about this many times as long as a forward block.
_BACKWARD_UNITS = 2
_STEPS_PER_UNIT = 1000


@dataclass(frozen=True, slots=True)
class OrderSumJob:
    """What a rank needs to know about a sum, other than the weights."""

    n: int
    families: int
    max_parents: int
    job: Job

    def follow(self, team: Team) -> None:
        """Take part in the sum on a rank other than 0."""
        values = np.empty((self.n, self.families), dtype=np.int64)
        team.data.Bcast(values, root=0)
        RankSum(team, self, values).run(None)


@dataclass(frozen=True, slots=True)
class Found:
    """The result of a sum, and the relative difference of its total from R(∅)."""

    mantissa: float
    exponent: float
    edges: NDArray[np.float64]
    disagreement: float = 0.0


def order_sum(team: Team, values: NDArray[np.int64], max_parents: int, job: Job) -> Found:
    """Return the total and the edges of a sum; called on rank 0, while the others follow."""
    n, families = values.shape
    assert team.size <= most_ranks(n)
    command = OrderSumJob(n, families, max_parents, replace(job, progress=None))

    def part() -> Found:
        team.data.Bcast(values, root=0)
        found = RankSum(team, command, values).run(job.progress)
        assert found is not None
        return found

    return team.sum_together(command, part)


def most_ranks(n: int) -> int:
    """Return how many ranks can share a sum: each has at least one tile.

    >>> most_ranks(14)
    16
    """
    return 1 << (n - _TILE_BITS)


def too_many_ranks(n: int, ranks: int) -> str:
    """Return a sentence if there are more ranks than can share a sum; otherwise an empty string."""
    if ranks <= (most := most_ranks(n)):
        return ""
    return f"sums over orders of {plural(n, 'variable')} take up to {plural(most, 'rank')}; there are {ranks}"


def block_bits_of(n: int, ranks: int) -> int:
    """Return how many variables the sets of a block differ in. A single rank has one block, since it sends none."""
    steps = ranks.bit_length()
    own = n - (steps - 1)
    if ranks == 1:
        return own
    filling = own - (_BLOCKS_PER_STEP * steps - 1).bit_length()
    return min(own, max(_BLOCK_BITS[0], min(filling, _BLOCK_BITS[-1])))


def buffer_bytes(n: int, ranks: int) -> int:
    """Return how many bytes the blocks that come in need, on the rank that needs most."""
    bits = ranks.bit_length() - 1
    return bits * _BUFFERS * 8 << block_bits_of(n, ranks)


def bytes_sent(n: int, ranks: int) -> int:
    """Return how many bytes of numbers each rank sends, forwards and backwards together."""
    bits = ranks.bit_length() - 1
    return bits * 8 << (n - bits)


class RankSum:
    """The part of one rank in a sum.

    Attributes
    ----------
    sent_forwards, sent_backwards, sent_shares : int
        The bytes that this rank has sent: of F, of R, and of Γ.
    """

    def __init__(self, team: Team, command: OrderSumJob, values: NDArray[np.int64]) -> None:
        self._team, self._job = team, command.job
        self._bits = [1 << i for i in range(team.size.bit_length() - 1)]
        # First of all: if anything fails, all ranks must agree on which messages are under way.
        self._messages = Messages(team, [team.rank ^ bit for bit in self._bits])
        self._block_bits = block_bits_of(command.n, team.size)
        self._edges = np.zeros((command.n, command.n))
        packed = np.empty((1 << command.n) // team.size, dtype=np.int64)
        self._blocks = packed.reshape(-1, 1 << self._block_bits)
        unit_bits = self._job.unit_bits
        self._kernel = kernels.TiledOrderSum(values, command.max_parents, unit_bits, packed, team.size, team.rank)
        checkpoint = self._job.checkpoint and self._job.checkpoint.of_rank(team.rank, team.size)
        self._saved = BlockCheckpoints(checkpoint, self._kernel, self._blocks, self._job.threads)
        self.sent_forwards = self.sent_backwards = self.sent_shares = 0

    def run(self, progress: KernelProgress) -> Found | None:
        """Do the work of this rank; return the result on rank 0, and None or no more than the total on others."""
        count, threads = len(self._blocks), self._job.threads
        known = self._restored_positions()
        done = known[self._team.rank]
        units = 1 if self._job.total_alone else 1 + _BACKWARD_UNITS
        report = _Reporter(progress, count * units, self._messages.advance)
        report.skip(done.forwards + _BACKWARD_UNITS * done.backwards)
        below = [self._team.rank ^ bit for bit in self._bits if self._team.rank & bit]
        above = [self._team.rank ^ bit for bit in self._bits if not self._team.rank & bit]

        def forward(block: int, received: list[Packed]) -> None:
            self._kernel.forward(self._block_bits, block, received, threads, report.of_block(1))
            # No rank has R before all have saved F: a rank sends its last block after that.
            (self._saved.save if block + 1 == count else self._saved.after)(Position(block + 1))

        self.sent_forwards = self._pass(
            range(count), done.forwards, below, {rank: known[rank].forwards for rank in above}, forward
        )
        self._saved.total = total = self._total(above, below, done)
        if total == 0 or self._job.total_alone:
            mantissa, exponent = self._kernel.total(total)
            return Found(mantissa, exponent, self._edges)

        def backward(block: int, received: list[Packed]) -> None:
            step = report.of_block(_BACKWARD_UNITS)
            self._kernel.backward(self._block_bits, block, received, total, threads, step)
            self._saved.after(Position(count, count - block))

        self.sent_backwards = self._pass(
            range(count - 1, -1, -1), done.backwards, above, {rank: known[rank].backwards for rank in below}, backward
        )
        if not self._merge_shares():
            return None
        mantissa, exponent, disagreement = self._kernel.finish(self._edges)
        return Found(mantissa, exponent, self._edges, disagreement)

    def _restored_positions(self) -> list[Position]:
        """Restore the checkpoints of all ranks, and return how far they are.

        Once a rank has R, it has lost F. If another one has lost its files since, and needs that, all start anew.
        """
        if self._job.checkpoint is None:
            return [Position()] * self._team.size
        found = self._unless_refused(self._saved.position)
        known = [Position(*other) for other in self._team.data.allgather(tuple(found))]
        all_have_f = all(other.forwards == len(self._blocks) for other in known)
        no_rank_has_r = not any(other.backwards for other in known)
        if not (all_have_f or no_rank_has_r):
            known = [Position()] * self._team.size
        self._unless_refused(lambda: self._saved.restore(known[self._team.rank]))
        return known

    def _unless_refused(self, read: Callable[[], Value]) -> Value:
        """Read a part of the checkpoints on all ranks; if one refuses its own, rank 0 raises the error for all."""
        problem = ""
        try:
            value = read()
        except InvalidData as error:
            problem = str(error)
        if refusal := self._messages.first_text(problem):
            raise InvalidData(refusal) if self._team.rank == 0 else Stopped
        return value

    def _pass(
        self,
        order: Sequence[int],
        done: int,
        sources: Sequence[int],
        targets: Mapping[int, int],
        compute: Callable[[int, list[Packed]], None],
    ) -> int:
        """Compute blocks in order, each from those that come in, and send them on; return the number of bytes sent.

        The first ``done`` blocks are there already, and each target has some of them.
        """
        buffers = np.empty((_BUFFERS, len(sources), self._blocks.shape[1]), dtype=np.int64)
        sent = 0

        def expect(slot: int) -> list[MPI.Request]:
            return [
                self._messages.expect(buffer, source) for buffer, source in zip(buffers[slot], sources, strict=True)
            ]

        coming = [expect(slot) for slot in range(min(_BUFFERS, len(order) - done))]
        for step, block in enumerate(order):
            slot = (step - done) % _BUFFERS
            if step >= done:
                self._messages.wait(coming[slot])
                compute(block, list(buffers[slot]))
            for target in (target for target, there in targets.items() if step >= there):
                self._messages.send(self._blocks[block], target)
                sent += self._blocks[block].nbytes
            if done <= step < len(order) - _BUFFERS:
                coming[slot] = expect(slot)
        self._messages.complete()
        return sent

    def _total(self, above: Sequence[int], below: Sequence[int], done: Position) -> int:
        """Return the total, packed, which the last rank knows, on all ranks."""
        total = np.array([self._saved.total]) if done.backwards else self._blocks[-1, -1:].copy()
        if above:
            self._messages.wait([self._messages.expect(total, above[0])])
        for rank in below:
            # A rank takes it from the one with the lowest bit that it lacks.
            lacking = ~rank & (self._team.size - 1)
            if self._team.rank ^ rank == lacking & -lacking:
                self._messages.send(total, rank)
        self._messages.complete()
        return int(total[0])

    def _merge_shares(self) -> bool:
        """Add up Γ over the ranks, in the tree of the kernel; return whether this rank has the result."""
        for bit in self._bits:
            shares = self._kernel.shares()
            if self._team.rank & bit:
                self._messages.send(shares, self._team.rank ^ bit)
                self._messages.complete()
                self.sent_shares = shares.nbytes
                return False
            partner = np.empty_like(shares)
            self._messages.wait([self._messages.expect(partner, self._team.rank ^ bit)])
            self._kernel.merge(partner)
        return True


class _Reporter:
    """Passes on the progress of the blocks of a rank, and lets messages advance meanwhile."""

    def __init__(self, progress: KernelProgress, units: int, advance: Callable[[], None]) -> None:
        self._progress = progress
        self._advance = advance
        self._done = 0
        self._total = units * _STEPS_PER_UNIT

    def skip(self, units: int) -> None:
        """Count units that are done already."""
        self._done += units * _STEPS_PER_UNIT

    def of_block(self, units: int) -> Callable[[int, int], None]:
        """Return the progress function of the next block, which takes a number of units."""
        before, share = self._done, units * _STEPS_PER_UNIT
        self._done += share

        def report(done: int, total: int) -> None:
            self._advance()
            if self._progress is not None:
                self._progress(before + share * done // max(total, 1), self._total)

        report(0, 1)
        return report
