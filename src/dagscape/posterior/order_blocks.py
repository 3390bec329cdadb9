"""The tiled sum over orders in blocks, with checkpoints between them.

F of the blocks that are done is in one file and R in another, so that a checkpoint writes each block once, and no
checkpoint destroys what an earlier one needs. The digests of all blocks are in the state.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dagscape.core import kernels
from dagscape.core.errors import InvalidData
from dagscape.running.checkpoints import Checkpoint

Packed = NDArray[np.int64]


class Position(NamedTuple):
    """How many blocks have F, from the first on, and how many have R, from the last on."""

    forwards: int = 0
    backwards: int = 0


class BlockCheckpoints:
    """The checkpoints of the blocks of one rank.

    Parameters
    ----------
    checkpoint : Checkpoint or None
        Where they are saved; nothing is saved if there is none.
    kernel : TiledOrderSum
        The sum.
    blocks : array of int64
        The packed numbers of the kernel, as an array of blocks.
    threads : int
        How many threads compute digests.

    Attributes
    ----------
    total : int
        F(V), packed, which R overwrites; known once a block has R.
    """

    def __init__(
        self, checkpoint: Checkpoint | None, kernel: kernels.TiledOrderSum, blocks: Packed, threads: int
    ) -> None:
        self._checkpoint = checkpoint
        self._kernel = kernel
        self._blocks = blocks
        self._saved = Position()
        self._state: Mapping[str, Any] = {}
        self.total = 0
        if checkpoint is not None:
            shape = (len(blocks), int(blocks.shape[1]))
            self._forward = checkpoint.blocks("forward", shape, threads)
            self._backward = checkpoint.blocks("backward", shape, threads)
            self._forward_digests, self._backward_digests = self._forward.no_digests(), self._backward.no_digests()

    def position(self) -> Position:
        """Return how far the last checkpoint is."""
        if self._checkpoint is None or (state := self._checkpoint.load()) is None:
            return Position()
        self._state = state
        with self._checkpoint.reading():
            found = Position(state["forwards"], state["backwards"])
            count = len(self._blocks)
            if not (0 <= found.forwards <= count and 0 <= found.backwards <= (count if found.forwards == count else 0)):
                raise InvalidData(f"it has {found.forwards} and {found.backwards} of {count} blocks")
        return found

    def restore(self, position: Position) -> None:
        """Restore what was saved up to that position, after comparing it with its digests."""
        if self._checkpoint is None or not any(position):
            return
        first_back = len(self._blocks) - position.backwards
        with self._checkpoint.reading():
            self._forward_digests = self._state["forward_digests"]
            self._backward_digests = self._state["backward_digests"]
            self._forward.read(self._blocks[: min(position.forwards, first_back)], 0, self._forward_digests)
            self._backward.read(self._blocks[first_back:], first_back, self._backward_digests)
            if position.backwards:
                self._kernel.restore(self._state["shares"])
                self.total = self._state["total"]
        self._saved = position

    def after(self, position: Position) -> None:
        """Save the blocks that were done since the last checkpoint, if it is time for one."""
        if self._checkpoint is not None and self._checkpoint.is_due:
            self.save(position)

    def save(self, position: Position) -> None:
        """Save the blocks that were done since the last checkpoint."""
        if self._checkpoint is None:
            return
        saved, count = self._saved, len(self._blocks)
        first_back = count - position.backwards
        # F of blocks that have R already is needed no more.
        new_forward = self._blocks[saved.forwards : min(position.forwards, first_back)]
        self._forward.write(new_forward, saved.forwards, self._forward_digests)
        new_backward = self._blocks[first_back : count - saved.backwards]
        self._backward.write(new_backward, first_back, self._backward_digests)
        state = {
            "forwards": position.forwards,
            "backwards": position.backwards,
            "forward_digests": self._forward_digests,
            "backward_digests": self._backward_digests,
        }
        if position.backwards:
            state |= {"shares": self._kernel.state(), "total": self.total}
        self._checkpoint.save(state)
        self._saved = position
