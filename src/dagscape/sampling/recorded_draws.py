"""What a Markov chain has drawn so far: networks, their scores, and averages of edges over all steps, in batches."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagscape.graphs.words import Words
from dagscape.running.checkpoints import Checkpoint

# Batches: many for few variables, since each is a matrix.
_MANY_BATCHES, _FEW_BATCHES, _MANY_VARIABLES = 50, 20, 200


def most_batches(n: int) -> int:
    """Return the largest number of batches of a chain: an even number."""
    return _MANY_BATCHES if n <= _MANY_VARIABLES else _FEW_BATCHES


@dataclass(slots=True)
class Batch:
    """The average of edges over some draws."""

    draws: int
    sums: NDArray[np.float64]

    def joined(self, other: Batch) -> Batch:
        """Return both as one."""
        return Batch(self.draws + other.draws, self.sums + other.sums)


@dataclass(slots=True, kw_only=True)
class RecordedDraws(ABC):
    """The draws of a chain, which a subclass makes, and saves with what it needs to go on."""

    checkpoint: Checkpoint | None = None
    words: list[Words] = field(default_factory=list)
    exact: list[NDArray[np.int64]] = field(default_factory=list)
    batches: list[Batch] = field(default_factory=list)
    place: Mapping[str, Any] | None = None

    @abstractmethod
    def extend(self, draws: int, stopped: Callable[[], bool]) -> None:
        """Draw a batch of networks more, unless the chain is stopped before it is complete."""

    @abstractmethod
    def restore(self) -> None:
        """Go on from a checkpoint, if there is one."""

    @property
    def draws(self) -> int:
        """The number of draws so far."""
        return sum(len(words) for words in self.words)

    def next_batch(self, usual: int) -> int:
        """Return the number of draws of the next batch: as many as the first has, which may have been joined."""
        return max(usual, self.batches[0].draws if self.batches else 0)

    def record(self, words: Words, exact: NDArray[np.int64], sums: NDArray[np.float64]) -> None:
        """Add a batch: networks, their scores, and the sum over them of averages of edges."""
        self.words.append(words)
        self.exact.append(exact)
        self.batches.append(Batch(len(words), sums))
        if len(self.batches) == most_batches(words.shape[1]):
            pairs = zip(self.batches[::2], self.batches[1::2], strict=True)
            self.batches = [first.joined(second) for first, second in pairs]

    def save(self) -> None:
        """Save the last complete batch, and where the chain was then."""
        if self.checkpoint is None or self.place is None:
            return
        self.checkpoint.save(
            {
                **self.place,
                "words": np.concatenate(self.words),
                "exact": np.concatenate(self.exact),
                "batch_draws": [batch.draws for batch in self.batches],
                "batch_sums": np.stack([batch.sums for batch in self.batches]),
            }
        )

    def restore_draws(self, state: Mapping[str, Any]) -> None:
        """Take over the draws of a saved state."""
        self.words, self.exact = [state["words"]], [state["exact"]]
        draws = zip(state["batch_draws"], state["batch_sums"], strict=True)
        self.batches = [Batch(int(count), sums) for count, sums in draws]
