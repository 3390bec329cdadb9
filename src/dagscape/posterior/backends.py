"""The table of back ends: what each sum can do, how accurate it is, and how much memory it needs.

Each back end is a record in :data:`BACKENDS`, keyed by what it sums over and by its name. All other code reads the
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
from dagscape.checks import check_choice, is_one_of
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
    """The result of one sum.

    Attributes
    ----------
    mantissa, exponent : float
        The total is mantissa · 2^exponent, relative to the best families (``FamilyWeights.offset``).
    edges, ancestors, paths : array or None
        The probabilities.
    error : float
        The error of the probabilities and the relative error of the total, without the rounding of scores.
    condition : float
        The sum of the absolute values of the last terms, relative to the total; NaN if there are none.
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
        """The natural log of the total; minus infinity if the total is not positive."""
        return _log(self.mantissa, self.exponent)

    @property
    def cancelled(self) -> bool:
        """Whether rounding errors exceed the total, although there are structures."""
        return self.mantissa <= 0 and not math.isnan(self.condition)

    def ratio(self, other: Sum) -> float:
        """Return the ratio of this total to another of the same families; exponents are subtracted as integers."""
        if self.mantissa <= 0:
            return 0.0
        return math.ldexp(self.mantissa / other.mantissa, int(max(self.exponent - other.exponent, -2000.0)))

    def largest_ratio(self, other: Sum) -> float:
        """Return a bound on the ratio of a cancelled total: the ratio of the absolute values of its terms."""
        if self.mantissa == 0:
            return 1.0
        return min(1.0, -self.condition * replace(self, mantissa=-self.mantissa).ratio(other))


# The arguments: the weights, the bits of their unit, the number of threads, and a progress callback.
SumFunction = Callable[[FamilyWeights, int, int, KernelProgress], Sum]


@dataclass(frozen=True, slots=True)
class SumBackend:
    """An implementation of a sum over all structures.

    Attributes
    ----------
    over, name : str
        What is summed over, and the name of the back end.
    run : callable
        The sum.
    run_with_paths : callable or None
        The sum that also computes paths through a third variable, if the back end has one.
    arrange : callable
        ``arrange(scores, n, prior_only, threads, limit)``: the weights of all families in the layout of the sum.
    table : callable
        ``table(n, max_parents)``: the number of weights.
    memory_of_sum : callable
        ``memory_of_sum(n, max_parents, threads)``: the bytes that the sum needs, including the weights.
    ancestors : bool
        Whether it computes ancestor relations.
    proved : bool
        Whether its error is a proved bound rather than an estimate.
    precision : str
        The precision of its numbers.
    widest : float
        The largest range of the scores of one variable that it supports, in nats.
    least_variables, most_variables : int
        The numbers of variables that it supports. If there are fewer, isolated companions are added.
    """

    over: str
    name: str
    run: SumFunction
    run_with_paths: SumFunction | None
    arrange: Callable[[EnumerableScores, int, bool, int, int], FamilyWeights]
    table: Callable[[int, int], int]
    memory_of_sum: Callable[[int, int, int], int]
    ancestors: bool
    proved: bool
    precision: str
    widest: float
    least_variables: int
    most_variables: int

    def weights(self, scores: EnumerableScores, threads: int, limit: int, *, prior_only: bool = False) -> FamilyWeights:
        """Return the weights of all families, or with ``prior_only`` those of the structure prior alone.

        Raise an error if the range of the scores calls for a layout that does not fit within ``limit`` bytes.
        """
        weights = self.arrange(scores, max(scores.n, self.least_variables), prior_only, threads, limit)
        if max(weights.spans(scores.unit)) > self.widest:
            raise InvalidData(
                f"the scores of a variable span more than {self.widest:.0e} nats, the limit of sums: "
                "write -inf for impossible families"
            )
        return weights

    def memory(
        self, n: int, max_parents: int, threads: int, *, with_paths: bool = False, weight_tables: int = 1
    ) -> int:
        """Return how many bytes a sum needs, with or without paths, and with this many tables of weights."""
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
        arrange=lambda scores, n, prior_only, threads, limit: dense_weights(scores, n, prior_only),
        table=lambda n, max_parents: n << (n - 1),
        memory_of_sum=lambda n, max_parents, threads: dense_memory(n, threads),
        ancestors=True,
        proved=False,
        precision="double",
        widest=kernels.WIDEST_SCORE,
        # The kernel uses two variables as the lanes of its vectors.
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
        precision="double, or 40 bits if there are few parents",
        widest=kernels.WIDEST_SCORE,
        least_variables=1,
        most_variables=40,
    ),
)

BACKENDS: dict[tuple[str, str], SumBackend] = {(record.over, record.name): record for record in _CPU}

# The values of ``over``.
SUMMED_OVER = tuple(dict.fromkeys(over for over, _ in BACKENDS))

# The values of ``backend``.
BACKEND_NAMES = ("auto", *dict.fromkeys(name for _, name in BACKENDS))


def find_backend(over: str, backend: str = "auto", *, paths: bool = False) -> SumBackend:
    """Return the back end with a name; ``"auto"`` is the first that can do the job."""
    check_choice(over, SUMMED_OVER, "over")
    known = [record for record in BACKENDS.values() if record.over == over]
    named = [record for record in known if is_one_of(backend, ("auto", record.name))]
    if not named:
        # No suggestion: 'gpu' is similar to 'cpu', and not meant so.
        names = ", ".join(map(repr, ["auto", *(record.name for record in known)]))
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
    """Raise an error if there is nothing to sum, or if all digits were lost to cancellation."""
    if found.cancelled:
        raise DagscapeError(
            f"the sum lost all its digits to cancellation: use {argument('over', 'orders')}, where nothing cancels"
        )
    if found.log_total == -math.inf:
        raise InvalidData("every structure has an impossible family: there is nothing to sum")


def _log(mantissa: float, exponent: float) -> float:
    return math.log(mantissa) + exponent * math.log(2) if mantissa > 0 else -math.inf
