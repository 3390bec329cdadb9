"""Local scores in the layouts of the sums: one number for each variable and each set of possible parents."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dagscape.core import kernels
from dagscape.core.errors import InvalidOption
from dagscape.core.resources import check_within
from dagscape.posterior.order_weights import OrderLogs
from dagscape.scores.arithmetic.fixed_point import IMPOSSIBLE, Unit
from dagscape.scores.tables.enumerable_scores import EnumerableScores
from dagscape.scores.tables.family_arrays import can_be_tiled, families_by_mask, families_by_size, suits_tiles
from dagscape.scores.tables.lattice import member_sums

# The largest range of the exponents of tiles, in nats; wider scores need a dense sum.
_WIDEST_TILED: float = kernels.WIDEST_TILED
_MAX_DENSE = 22


@dataclass(frozen=True, slots=True)
class FamilyWeights:
    """The weights of all families, in units, as an array of variables × sets.

    Attributes
    ----------
    values : array of int64
        The weights, relative to the best family of each variable, which has 0; ``IMPOSSIBLE`` for impossible families.
    offset : int
        The sum of the weights of the best families, to which the weights of structures are relative.
    max_parents : int or None
        If it is a number, the sets are those of at most ``max_parents`` of all variables, by size, then by mask.
        Otherwise they are all sets of the other variables, by mask without the variable's own bit.
    padding : int
        How many of the last variables are padding: isolated variables that a sum over orders must not count.
    orders : OrderLogs or None
        The weights of orders; None if all are 1.
    """

    values: NDArray[np.int64]
    offset: int
    max_parents: int | None
    padding: int = 0
    orders: OrderLogs | None = None

    @classmethod
    def relative(cls, values: NDArray[np.int64], max_parents: int | None) -> FamilyWeights:
        """Make weights relative to the best of each variable, in place. They are integers, so this is exact."""
        offset = 0
        for row in values:
            best = int(row.max())
            if best == IMPOSSIBLE:
                continue
            np.subtract(row, best, out=row, where=row != IMPOSSIBLE)
            offset += best
        return cls(values, offset, max_parents)

    @property
    def n(self) -> int:
        """The number of variables, including padding."""
        return len(self.values)

    def sets(self, child: int) -> NDArray[np.uint64]:
        """Return the sets of the columns of a variable's row, as bit masks of all variables."""
        if self.max_parents is not None:
            return _masks_up_to(self.n, self.max_parents)
        columns = np.arange(1 << (self.n - 1), dtype=np.uint64)
        below = columns & np.uint64((1 << child) - 1)
        return below | (columns ^ below) << np.uint64(1)

    def spans(self, unit: Unit) -> list[float]:
        """Return the range of the possible weights of each variable, in nats."""
        return [-unit.to_float(int(row[row != IMPOSSIBLE].min(initial=0))) for row in self.values]

    def digest(self, use: str) -> str:
        """Return a digest of the weights and of what they are used for."""
        digest = hashlib.sha256(f"{use} {self.max_parents} {self.values.shape}".encode())
        digest.update(self.values.data.cast("B"))
        if self.orders is not None:
            digest.update(f"orders {self.orders.unit.bits}".encode())
            digest.update(self.orders.values.data.cast("B"))
        return digest.hexdigest()

    def dense(self) -> FamilyWeights:
        """Return the weights of all sets by mask, where sets of more parents are impossible."""
        if self.max_parents is None:
            return self
        values = np.full((self.n, 1 << (self.n - 1)), IMPOSSIBLE, dtype=np.int64)
        sets = self.sets(0)
        for child, row in enumerate(self.values):
            others = sets >> np.uint64(child) & np.uint64(1) == 0
            below = sets[others] & np.uint64((1 << child) - 1)
            values[child, below | (sets[others] ^ below) >> np.uint64(1)] = row[others]
        return replace(self, values=values, max_parents=None)

    def with_orders(self, orders: OrderLogs | None) -> FamilyWeights:
        """Return the weights of all sets by mask, with those of orders, if there are any."""
        return self if orders is None else replace(self.dense(), orders=orders)

    def log_offset(self, unit: Unit) -> float:
        """Return the log weight, in nats, to which those of structures and orders are relative."""
        return unit.to_float(self.offset) + (0.0 if self.orders is None else self.orders.offset)

    def with_values(self, values: NDArray[np.int64]) -> FamilyWeights:
        """Return other weights of the same families."""
        return replace(self, values=values)


def is_tiled(n: int, max_parents: int) -> bool:
    """Whether a sum over orders is tiled: if there are few families, or if tiles need less memory than all sets."""
    if not can_be_tiled(n, max_parents):
        return False
    return suits_tiles(n, max_parents) or kernels.tiled_order_sum_bytes(n, max_parents, 1) < dense_memory(n, 1)


def dense_weights(scores: EnumerableScores, n: int, prior_only: bool) -> FamilyWeights:
    """Return the weights of all families by mask, padded with isolated variables to ``n`` variables."""
    return FamilyWeights.relative(families_by_mask(scores, n, prior_only=prior_only), None)


def order_weights(scores: EnumerableScores, n: int, prior_only: bool, threads: int, limit: int) -> FamilyWeights:
    """Return the weights of all families for a sum over orders: by size for a sum by tiles, otherwise by mask."""
    if is_tiled(n, scores.max_parents):
        weights = FamilyWeights.relative(families_by_size(scores, prior_only=prior_only), scores.max_parents)
        if sum(weights.spans(scores.unit)) < _WIDEST_TILED:
            return weights
        wide = f"scores that span more than {_WIDEST_TILED:,.0f} nats"
        if n > _MAX_DENSE:
            raise InvalidOption(f"sums over orders of {wide} take up to {_MAX_DENSE} variables: use fewer rows")
        what = f"sums over orders of {n} variables with {wide}"
        check_within(dense_memory(n, threads), limit, what, "raise the limit, or use fewer rows")
    return dense_weights(scores, n, prior_only)


def _masks_up_to(n: int, max_parents: int) -> NDArray[np.uint64]:
    return member_sums(n, max_parents, np.left_shift(np.uint64(1), np.arange(n, dtype=np.uint64)))


def path_memory(n: int, threads: int) -> int:
    """Return how many bytes paths need in addition to the sum over DAGs."""
    return int(kernels.dag_sum_bytes(n, threads, paths=True)) - int(kernels.dag_sum_bytes(n, threads))


def dense_memory(n: int, threads: int) -> int:
    """Return how many bytes a dense sum needs, which stores all sets of parents."""
    return int(max(kernels.dag_sum_bytes(n, threads), kernels.order_sum_bytes(n, threads)))


def order_ancestors_memory(n: int, threads: int) -> int:
    """Return how many bytes the ancestor relations of a sum over orders need, beside the sum itself."""
    return int(kernels.order_ancestors_bytes(n, threads))


def tiled_memory(n: int, max_parents: int, threads: int) -> int:
    """Return how many bytes a tiled sum over orders needs, whatever the range of the scores."""
    return int(kernels.tiled_order_sum_bytes(n, max_parents, threads, wide=True))
