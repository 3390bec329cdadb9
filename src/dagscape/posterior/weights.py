"""Local scores as the sums need them: one number for each variable and each set of possible parents."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dagscape import kernels
from dagscape.errors import InvalidOption
from dagscape.scores.enumerable_scores import EnumerableScores
from dagscape.scores.family_arrays import can_be_tiled, families_by_mask, families_by_size, suits_tiles
from dagscape.scores.fixed_point import IMPOSSIBLE, Unit
from dagscape.scores.lattice import combinations

# What the exponents of tiles can hold, in nats; wider scores are summed with everything in memory.
_WIDEST_TILED = 5e6
_MOST_DENSE = 22


@dataclass(frozen=True, slots=True)
class FamilyWeights:
    """The weights of all families, in units, as an array of variables × sets.

    Attributes
    ----------
    values : array of int64
        Relative to the best family of each variable, which is 0; ``IMPOSSIBLE`` stands where no such family is.
    offset : int
        The weights of the best families, added up: what every structure's weight is relative to.
    max_parents : int or None
        Where it is a number, the sets are those of at most so many of all variables, by size and then by mask;
        otherwise they are all sets of the other variables, by mask with the variable's own bit taken out.
    """

    values: NDArray[np.int64]
    offset: int
    max_parents: int | None

    @classmethod
    def relative(cls, values: NDArray[np.int64], max_parents: int | None) -> FamilyWeights:
        """The weights relative to the best of each variable: integers, so nothing is lost. The array is changed."""
        offset = 0
        for row in values:
            possible = row != IMPOSSIBLE
            best = int(row[possible].max())
            np.subtract(row, best, out=row, where=possible)
            offset += best
        return cls(values, offset, max_parents)

    @property
    def n(self) -> int:
        """The number of variables, a companion included."""
        return len(self.values)

    def sets(self, child: int) -> NDArray[np.uint64]:
        """The sets that the columns of a variable's row stand for, as bit masks of all variables."""
        if self.max_parents is not None:
            return _masks_up_to(self.n, self.max_parents)
        places = np.arange(1 << (self.n - 1), dtype=np.uint64)
        below = places & np.uint64((1 << child) - 1)
        return below | (places ^ below) << np.uint64(1)

    def spans(self, unit: Unit) -> list[float]:
        """The range of the possible weights of each variable, in nats."""
        return [-unit.to_float(int(row[row != IMPOSSIBLE].min())) for row in self.values]

    def with_values(self, values: NDArray[np.int64]) -> FamilyWeights:
        """Other weights of the same families."""
        return replace(self, values=values)


def is_tiled(n: int, max_parents: int) -> bool:
    """Whether a sum over orders goes by tiles: where families are few, or take less memory than all sets."""
    if not can_be_tiled(n, max_parents):
        return False
    return suits_tiles(n, max_parents) or tiled_memory(n, max_parents, 1) < dense_memory(n, 1)


def dense_weights(scores: EnumerableScores, n: int, prior_only: bool) -> FamilyWeights:
    """The weights of all families by mask, for n variables: isolated companions join where there are fewer."""
    return FamilyWeights.relative(families_by_mask(scores, n, prior_only=prior_only), None)


def order_weights(scores: EnumerableScores, n: int, prior_only: bool) -> FamilyWeights:
    """The weights of all families for a sum over orders: by size where it goes by tiles, and otherwise by mask."""
    if is_tiled(n, scores.max_parents):
        weights = FamilyWeights.relative(families_by_size(scores, prior_only=prior_only), scores.max_parents)
        if sum(weights.spans(scores.unit)) < _WIDEST_TILED:
            return weights
        if n > _MOST_DENSE:
            raise InvalidOption(
                f"the scores span more than {_WIDEST_TILED:,.0f} nats, which sums over orders hold for up to "
                f"{_MOST_DENSE} variables only: use fewer rows"
            )
    return dense_weights(scores, n, prior_only)


def _masks_up_to(n: int, max_parents: int) -> NDArray[np.uint64]:
    by_size = [
        np.left_shift(np.uint64(1), combinations(n, size).astype(np.uint64)).sum(axis=1, dtype=np.uint64)
        for size in range(max_parents + 1)
    ]
    return np.concatenate(by_size)


def path_memory(n: int, threads: int) -> int:
    """Bytes that paths take beside the sum over DAGs."""
    return int(kernels.dag_sum_bytes(n, threads, paths=True)) - int(kernels.dag_sum_bytes(n, threads))


def dense_memory(n: int, threads: int) -> int:
    """Bytes that a sum takes which keeps all sets of parents."""
    return int(max(kernels.dag_sum_bytes(n, threads), kernels.order_sum_bytes(n, threads)))


def tiled_memory(n: int, max_parents: int, threads: int) -> int:
    """Bytes that a sum over orders in tiles takes."""
    return int(kernels.tiled_order_sum_bytes(n, max_parents, threads))
