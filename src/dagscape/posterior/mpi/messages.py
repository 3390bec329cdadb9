"""Messages between the ranks of a sum: arrays that travel while a rank computes.

Between two ranks, messages arrive in the order in which they were sent, so one tag is enough, and a count of the
messages tells which are still under way when a sum is stopped.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dagscape.posterior.mpi.team import Nap, Team

if TYPE_CHECKING:
    from mpi4py import MPI

_BLOCKS, _COUNTS = 1, 2

# Bytes; what is longer is cut off.
_LONGEST_TEXT = 4096


class Messages:
    """The messages of one rank in one sum.

    Parameters
    ----------
    team : Team
        All ranks.
    neighbours : sequence of int
        The ranks with which this one exchanges messages.
    """

    def __init__(self, team: Team, neighbours: Sequence[int]) -> None:
        self._team = team
        self._comm = team.data
        self._neighbours = neighbours
        self._sending: deque[MPI.Request] = deque()
        self._sent: Counter[int] = Counter()
        self._expected: dict[int, list[MPI.Request]] = {rank: [] for rank in neighbours}
        team.discard_messages = self._discard

    def send(self, array: NDArray[Any], target: int) -> None:
        """Start to send an array, which must not change until :meth:`complete`."""
        self._sent[target] += 1
        self._sending.append(self._comm.Isend(array, target, _BLOCKS))

    def expect(self, array: NDArray[Any], source: int) -> MPI.Request:
        """Start to receive an array."""
        request: MPI.Request = self._comm.Irecv(array, source, _BLOCKS)
        self._expected[source].append(request)
        return request

    def wait(self, requests: Sequence[MPI.Request]) -> None:
        """Wait for arrays that are expected."""
        nap, pending = Nap(), list(requests)
        while True:
            pending = [request for request in pending if not request.Test()]
            if not pending:
                return
            self.advance()
            nap.take()

    def first_text(self, text: str) -> str:
        """Return a text of some rank that is not empty, on all ranks; empty if all are. Every rank must call this.

        Neighbours differ in one bit of their numbers, so after a round with each of them, all ranks have met.
        """
        for rank in self._neighbours:
            own = np.zeros(_LONGEST_TEXT, dtype=np.uint8)
            encoded = np.frombuffer(text.encode()[:_LONGEST_TEXT], dtype=np.uint8)
            own[: encoded.size] = encoded
            other = np.empty_like(own)
            expected = self.expect(other, rank)
            self.send(own, rank)
            self.wait([expected])
            self.complete()
            text = text or other.tobytes().rstrip(b"\0").decode(errors="ignore")
        return text

    def complete(self) -> None:
        """Wait until all arrays are sent."""
        nap = Nap()
        while True:
            self.advance()
            if not self._sending:
                return
            nap.take()

    def advance(self) -> None:
        """Give MPI an opportunity to move messages, and leave if the sum is to be stopped."""
        self._team.look_up()
        while self._sending and self._sending[0].Test():
            self._sending.popleft()

    def _discard(self) -> None:
        """Receive what the neighbours have sent in vain, so that nothing is left for the next sum."""
        counts = [np.array([self._sent[rank]], dtype=np.int64) for rank in self._neighbours]
        told = [self._comm.Isend(count, rank, _COUNTS) for count, rank in zip(counts, self._neighbours, strict=True)]
        for rank in self._neighbours:
            count = np.zeros(1, dtype=np.int64)
            _finish(self._comm.Irecv(count, rank, _COUNTS))
            expected, sent = self._expected[rank], int(count[0])
            for request in expected[sent:]:
                request.Cancel()
            for request in expected:
                _finish(request)
            for _ in range(sent - len(expected)):
                self._receive_in_vain(rank)
        for request in (*told, *self._sending):
            _finish(request)
        self._sending.clear()

    def _receive_in_vain(self, rank: int) -> None:
        nap, status = Nap(), self._team.mpi.Status()
        while not self._comm.Iprobe(rank, _BLOCKS, status):
            nap.take()
        _finish(self._comm.Irecv(bytearray(status.Get_count(self._team.mpi.BYTE)), rank, _BLOCKS))


def _finish(request: MPI.Request) -> None:
    nap = Nap()
    while not request.Test():
        nap.take()
