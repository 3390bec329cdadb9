"""The tiled sum over orders in blocks, with checkpoints between them.

F of the blocks that are done is in one file and R in another, so that a checkpoint writes each block once, and no
checkpoint destroys what an earlier one needs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dagscape.core import kernels
from dagscape.posterior.checkpoints import Checkpoint, State, WordFile

Words = NDArray[np.int64]


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
        The words of the kernel, as an array of blocks.

    Attributes
    ----------
    total : int
        The word of F(V), which R overwrites; known once a block has R.
    """

    def __init__(self, checkpoint: Checkpoint | None, kernel: kernels.TiledOrderSum, blocks: Words) -> None:
        self._checkpoint = checkpoint
        self._kernel = kernel
        self._blocks = blocks
        self._state: State = {}
        self._saved = Position()
        self.total = 0

    def position(self) -> Position:
        """Return how far the last checkpoint is."""
        if self._checkpoint is None or (state := self._checkpoint.load()) is None:
            return Position()
        self._state = state
        with self._checkpoint.reading():
            return Position(int(state["forwards"]), int(state["backwards"]))

    def restore(self, position: Position) -> None:
        """Restore what was saved up to that position."""
        if self._checkpoint is None or not any(position):
            return
        first_back = len(self._blocks) - position.backwards
        with self._checkpoint.reading():
            self._forward_file.read(self._part(0, min(position.forwards, first_back)), 0)
            if position.backwards:
                self._backward_file.read(self._part(first_back, len(self._blocks)), self._place(first_back))
                self._kernel.restore(self._state["shares"])
                self.total = int(self._state["total"])
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
        self._forward_file.write(
            self._part(saved.forwards, min(position.forwards, first_back)), self._place(saved.forwards)
        )
        self._backward_file.write(self._part(first_back, count - saved.backwards), self._place(first_back))
        state = {"forwards": np.array(position.forwards), "backwards": np.array(position.backwards)}
        if position.backwards:
            state |= {"shares": self._kernel.state(), "total": np.array(self.total)}
        self._checkpoint.save(state)
        self._saved = position

    @property
    def _forward_file(self) -> WordFile:
        assert self._checkpoint is not None
        return self._checkpoint.words("forward", self._blocks.size)

    @property
    def _backward_file(self) -> WordFile:
        assert self._checkpoint is not None
        return self._checkpoint.words("backward", self._blocks.size)

    def _part(self, first: int, end: int) -> Words:
        """Return the words of some blocks."""
        return self._blocks[first:end].reshape(-1)

    def _place(self, block: int) -> int:
        return block * int(self._blocks.shape[1])
