"""A model of sums on more ranks than there are processors here, as in section 4.4 of [chen2016].

The time of a sum is what the ranks share, what each of them does in full whatever their number, and messages. The first
two come from the processor's times of 1 to 8 ranks: busy(ranks) = shared / ranks + full. Each pass has as many steps as
there are blocks and, to fill the pipeline, as there are bits in a rank. A step takes the time of its block, or of its
messages if that is longer, because they travel at the same time
(:func:`dagscape.posterior.mpi.seconds.rank_seconds`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from dagscape.posterior.backends import BACKENDS
from dagscape.posterior.mpi.seconds import NETWORK_RATE, rank_seconds

# Seconds per message between machines: assumed, like the rate, since there is only one machine here.
LATENCY = 20e-6

# Each rank has at least a block of this many sets.
_LEAST_BITS = 10


@dataclass(frozen=True, slots=True)
class Model:
    """The time of a sum on ranks with a processor each.

    Attributes
    ----------
    n, max_parents : int
        The sum.
    shared, full : float
        Seconds of what the ranks share, and of what each of them does.
    """

    n: int
    max_parents: int
    shared: float
    full: float

    @classmethod
    def fitted(cls, n: int, max_parents: int, busy: Mapping[int, float]) -> Model:
        """Fit it to the processor's times of the slowest rank, by the number of ranks (at least two of them)."""
        ranks = np.array(list(busy), dtype=np.float64)
        shared, full = np.polyfit(1 / ranks, list(busy.values()), 1)
        return cls(n, max_parents, float(shared), max(float(full), 0.0))

    def for_variables(self, n: int) -> Model:
        """Return the model of more variables: n 2^n terms are shared, and families are not."""
        terms = n * 2.0**n / (self.n * 2.0**self.n)
        families = _families(n, self.max_parents) / _families(self.n, self.max_parents)
        return Model(n, self.max_parents, self.shared * terms, self.full * families)

    def seconds(self, ranks: int) -> float | None:
        """Return the predicted seconds; None if there are more ranks than the sum can be split into."""
        bits = ranks.bit_length() - 1
        if bits > self.n - _LEAST_BITS:
            return None
        shares = bits * (LATENCY + 8 * _families(self.n, self.max_parents) / NETWORK_RATE)
        return (rank_seconds(self.shared, self.n, ranks) if bits else self.shared) + self.full + shares


def _families(n: int, max_parents: int) -> int:
    """Return the number of families, as the kernel lists them: all sets of parents, for each variable."""
    return BACKENDS["orders", "cpu"].table(n, max_parents)
