"""The sums, as data: what each can do, how accurate it is, and what memory it takes.

A back end of a sum is a record in :data:`BACKENDS`, by what is summed over and by its name; everything else asks the
record.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from dagscape import kernels
from dagscape.errors import DagscapeError, InvalidData, InvalidOption, argument
from dagscape.posterior.accuracy import dag_sum_error, order_sum_error, tiled_order_sum_error
from dagscape.posterior.weights import (
    FamilyWeights,
    dense_memory,
    dense_weights,
    is_tiled,
    order_weights,
    path_memory,
    tiled_memory,
)
from dagscape.scores.enumerable_scores import EnumerableScores
from dagscape.scores.lattice import set_count

KernelProgress = Callable[[int, int], None] | None


@dataclass(frozen=True, slots=True)
class Sum:
    """What a kernel says about one sum.

    Attributes
    ----------
    mantissa, exponent : float
        The total is mantissa · 2^exponent, relative to the best families (``FamilyWeights.offset``).
    edges, ancestors, paths : array or None
        Probabilities.
    error : float
        The error of probabilities, and the relative error of the total; without the rounding of scores.
    condition : float
        The sum of the absolute values of the last terms, relative to the total; NaN where there are none.
    """

    mantissa: float
    exponent: float
    edges: NDArray[np.float64]
    ancestors: NDArray[np.float64] | None
    paths: NDArray[np.float64] | None
    error: float
    condition: float = math.nan

    @property
    def log_total(self) -> float:
        """Ln of the total; minus infinity where nothing is left of it."""
        return _log(self.mantissa, self.exponent)

    @property
    def cancelled(self) -> bool:
        """Whether there are structures, but rounding errors are larger than their total."""
        return self.mantissa <= 0 and not math.isnan(self.condition)

    def ratio(self, other: Sum) -> float:
        """The ratio of this total to another, relative to the same families: exponents are subtracted as integers."""
        if self.mantissa <= 0:
            return 0.0
        return math.ldexp(self.mantissa / other.mantissa, int(max(self.exponent - other.exponent, -2000.0)))

    def largest_ratio(self, other: Sum) -> float:
        """What the ratio of a total of which nothing is left may be at most: that of its terms' absolute values."""
        if self.mantissa == 0:
            return 1.0
        return min(1.0, -self.condition * replace(self, mantissa=-self.mantissa).ratio(other))


# From the weights, the bits of their unit, the number of threads, and the progress of the kernel.
SumFunction = Callable[[FamilyWeights, int, int, KernelProgress], Sum]


@dataclass(frozen=True, slots=True)
class SumBackend:
    """A way to sum over all structures of a kind.

    Attributes
    ----------
    over, name : str
        What is summed over, and the name of the back end.
    run : callable
        The sum itself.
    run_with_paths : callable or None
        The sum that also finds paths by way of a third variable, where there is one.
    arrange : callable
        ``arrange(scores, n, prior_only)``: the weights of all families as the sum takes them.
    table : callable
        ``table(n, max_parents)``: how many weights that makes.
    memory_of_sum : callable
        ``memory_of_sum(n, max_parents, threads)``: bytes that the sum takes, weights included.
    ancestors : bool
        Whether it finds ancestor relations.
    proved : bool
        Whether the error that it states is a proved bound, or an estimate.
    precision : str
        What numbers are kept in.
    widest : float
        The range of the scores of one variable, in nats, that it holds.
    least_variables, most_variables : int
        For how many variables it works; where there are fewer, isolated companions join them.
    """

    over: str
    name: str
    run: SumFunction
    run_with_paths: SumFunction | None
    arrange: Callable[[EnumerableScores, int, bool], FamilyWeights]
    table: Callable[[int, int], int]
    memory_of_sum: Callable[[int, int, int], int]
    ancestors: bool
    proved: bool
    precision: str
    widest: float
    least_variables: int
    most_variables: int

    def weights(self, scores: EnumerableScores, *, prior_only: bool = False) -> FamilyWeights:
        """The weights of all families for this sum; without the data, those of the structure prior alone."""
        weights = self.arrange(scores, max(scores.n, self.least_variables), prior_only)
        if max(weights.spans(scores.unit)) > self.widest:
            raise InvalidData(
                f"the scores of a variable span more than {self.widest:.0e} nats, the limit of sums: "
                "write -inf for impossible families"
            )
        return weights

    def memory(
        self, n: int, max_parents: int, threads: int, *, with_paths: bool = False, weight_tables: int = 1
    ) -> int:
        """Bytes that a sum takes, with paths or without, and with this many tables of weights."""
        n = max(n, self.least_variables)
        needed = self.memory_of_sum(n, max_parents, threads) + 8 * (weight_tables - 1) * self.table(n, max_parents)
        return needed + path_memory(n, threads) if with_paths else needed


def _sum_over_dags(
    weights: FamilyWeights, unit_bits: int, threads: int, progress: KernelProgress, *, with_paths: bool
) -> Sum:
    n = weights.n
    edges, ancestors = np.empty((n, n)), np.empty((n, n))
    paths = np.empty((n, n, n) if with_paths else (0, 0, 0))
    mantissa, exponent, disagreement, condition = kernels.dag_sum(
        weights.values, unit_bits, edges, ancestors, paths, threads, progress
    )
    error = dag_sum_error(n, disagreement, condition, _log(mantissa, exponent))
    return Sum(mantissa, exponent, edges, ancestors, paths if with_paths else None, error, condition)


def _sum_over_orders(weights: FamilyWeights, unit_bits: int, threads: int, progress: KernelProgress) -> Sum:
    n = weights.n
    edges = np.empty((n, n))
    if weights.max_parents is None:
        mantissa, exponent, _ = kernels.order_sum(weights.values, unit_bits, edges, threads, progress)
        error = order_sum_error(n, _log(mantissa, exponent))
    else:
        mantissa, exponent, _ = kernels.tiled_order_sum(
            weights.values, weights.max_parents, unit_bits, edges, threads, progress
        )
        error = tiled_order_sum_error(n, weights.max_parents, _log(mantissa, exponent))
    return Sum(mantissa, exponent, edges, None, None, error)


def _order_memory(n: int, max_parents: int, threads: int) -> int:
    return tiled_memory(n, max_parents, threads) if is_tiled(n, max_parents) else dense_memory(n, threads)


def _order_table(n: int, max_parents: int) -> int:
    return n * set_count(n, max_parents) if is_tiled(n, max_parents) else n << (n - 1)


_CPU = (
    SumBackend(
        over="dags",
        name="cpu",
        run=partial(_sum_over_dags, with_paths=False),
        run_with_paths=partial(_sum_over_dags, with_paths=True),
        arrange=dense_weights,
        table=lambda n, max_parents: n << (n - 1),
        memory_of_sum=lambda n, max_parents, threads: dense_memory(n, threads),
        ancestors=True,
        proved=False,
        precision="double",
        widest=1e9,
        # Two variables are the lanes of vectors.
        least_variables=2,
        most_variables=40,
    ),
    SumBackend(
        over="orders",
        name="cpu",
        run=_sum_over_orders,
        run_with_paths=None,
        arrange=order_weights,
        table=_order_table,
        memory_of_sum=_order_memory,
        ancestors=False,
        proved=True,
        precision="double, or 40 bits where parents are few",
        widest=1e9,
        least_variables=1,
        most_variables=40,
    ),
)

BACKENDS: dict[tuple[str, str], SumBackend] = {(record.over, record.name): record for record in _CPU}

# What can be summed over.
SUMMED_OVER = tuple(dict.fromkeys(over for over, _ in BACKENDS))

# The names that ``backend`` may have.
BACKEND_NAMES = ("auto", *dict.fromkeys(name for _, name in BACKENDS))


def find_backend(over: str, backend: str = "auto", *, paths: bool = False) -> SumBackend:
    """The back end of a name; ``"auto"`` is the first that can do what is asked."""
    if over not in SUMMED_OVER:
        raise InvalidOption(f"is {over!r}; it must be one of {', '.join(map(repr, SUMMED_OVER))}", option="over")
    known = [record for record in BACKENDS.values() if record.over == over]
    named = [record for record in known if backend in ("auto", record.name)]
    if not named:
        names = ", ".join(repr(name) for name in ("auto", *(record.name for record in known)))
        raise InvalidOption(f"is {backend!r}; for sums over {over} it must be one of {names}", option="backend")
    if not paths:
        return named[0]
    if able := [record for record in named if record.run_with_paths]:
        return able[0]
    elsewhere = next(record for record in BACKENDS.values() if record.run_with_paths)
    if elsewhere.over != over:
        raise InvalidOption(f"sums over {over} have no path relations: use {argument('over', elsewhere.over)}")
    raise InvalidOption(
        f"sums over {over} with {argument('backend', backend)} have no path relations: "
        f"use {argument('backend', elsewhere.name)}"
    )


def check_total(found: Sum) -> None:
    """Refuse a sum over nothing, and one of which rounding errors have left nothing."""
    if found.cancelled:
        raise DagscapeError(
            f"the sum lost all its digits to cancellation: use {argument('over', 'orders')}, where nothing cancels"
        )
    if found.log_total == -math.inf:
        raise InvalidData("every structure has an impossible family: there is nothing to sum")


def _log(mantissa: float, exponent: float) -> float:
    return math.log(mantissa) + exponent * math.log(2) if mantissa > 0 else -math.inf
