"""Weights of orders, for sums over them: ln q_v(U) for every variable v and every set U of variables before it.

The order-modular prior of an order and a DAG that agrees with it is the product of q_v(U_v) ρ_v(G_v) over the variables
[koivisto2004]_; ρ is the structure prior.
"""

from __future__ import annotations

import hashlib
import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagscape.core import kernels
from dagscape.core.errors import InvalidOption, brief
from dagscape.core.resources import check_within
from dagscape.data.tables.frames import is_frame
from dagscape.data.values import Frame
from dagscape.scores.arithmetic.fixed_point import IMPOSSIBLE, Unit
from dagscape.scores.constraints import VariableNumbers
from dagscape.scores.prior_parts import LARGEST_WEIGHT, as_number, pair_matrix
from dagscape.scores.tables.family_terms import added

OPTION = "order_weights"

# A callable is called n 2^(n-1) times.
MOST_CALLED = 16

OrderWeightsOption = (
    NDArray[Any] | Frame | Mapping[tuple[str, str], float] | Callable[[str, tuple[str, ...]], float] | None
)


@dataclass(frozen=True, slots=True)
class OrderLogs:
    """The logs of the weights of orders.

    Attributes
    ----------
    name : str
        What the weights are, with a digest.
    values : array of int64
        For each variable, by the mask of the variables before it without its own bit, the log of the weight in units,
        relative to the largest of the variable; ``IMPOSSIBLE`` for the weight 0.
    unit : Unit
        The unit.
    offset : float
        The sum of the logs of the largest weights, in nats.
    rounding : float
        A bound on the rounding error of the log weight of an order, in nats.
    """

    name: str
    values: NDArray[np.int64]
    unit: Unit
    offset: float
    rounding: float


def order_logs(given: OrderWeightsOption, variables: Sequence[str], threads: int, limit: int) -> OrderLogs | None:
    """Return the checked weights of all orders; None if all are 1.

    Parameters
    ----------
    given : array, data frame, mapping, callable or None
        As ``order_weights`` of :func:`dagscape.posterior`.
    variables : sequence of str
        The names of the variables.
    threads, limit : int
        The threads of the sum, and the limit on memory, in bytes.
    """
    if given is None:
        return None
    n = len(variables)
    called = callable(given)
    if not called and not isinstance(given, np.ndarray | Mapping) and not is_frame(given):
        raise InvalidOption(
            f"is {brief(given)}; it must be a NumPy array, a data frame, a mapping or a callable", option=OPTION
        )
    if called and n > MOST_CALLED:
        raise InvalidOption(
            f"is a callable, which would be called for {n << (n - 1):,} sets; with more than {MOST_CALLED} variables, "
            "use a matrix of log weights",
            option=OPTION,
        )
    # The values, and a copy of one row at a time.
    needed = int(kernels.order_sum_bytes(n, threads)) + 8 * (n + 2 << n - 1)
    check_within(needed, limit, f"sums over orders of {n} variables with weights", "raise the limit")
    values, unit, rounding, kind = _called(given, variables) if called else _paired(given, variables)
    offset = 0
    for row in values:
        if (best := int(row.max())) != IMPOSSIBLE:
            np.subtract(row, best, out=row, where=row != IMPOSSIBLE)
            offset += best
    digest = hashlib.sha256(f"{unit.bits} {offset}".encode() + values.tobytes()).hexdigest()[:8]
    return OrderLogs(f"{kind} (sha {digest})", values, unit, unit.to_float(offset), rounding)


_Found = tuple[NDArray[np.int64], Unit, float, str]


def _paired(given: Any, variables: Sequence[str]) -> _Found:
    """Return the logs that add up from those of pairs; each is rounded once."""
    number = VariableNumbers(variables, {})
    matrix = pair_matrix(given, number, OPTION, "log weights of orders", "earlier variables", "later variables")
    for before, after in np.argwhere((matrix != -np.inf) & ~(np.abs(matrix) <= LARGEST_WEIGHT)).tolist():
        _refuse(matrix[before, after], f"{variables[before]!r} before {variables[after]!r}")
    n, finite = len(variables), np.where(matrix == -np.inf, 0.0, matrix)
    unit = Unit.for_scores_up_to(float(np.abs(finite).sum(axis=0).max()), n)
    terms = unit.to_ints(matrix.ravel().tolist()).reshape(n, n)
    values = np.empty((n, 1 << (n - 1)), dtype=np.int64)
    for after in range(n):
        values[after, 0], filled = 0, 1
        for before in (u for u in range(n) if u != after):
            values[after, filled : 2 * filled] = added(values[after, :filled], terms[before, after : after + 1])
            filled *= 2
    # Of each pair, one comes before the other.
    return values, unit, math.ldexp(n * (n - 1) / 4, -unit.bits), "pairs"


def _called(function: Any, variables: Sequence[str]) -> _Found:
    """Return the logs that a function gives for each variable and each set."""
    n = len(variables)
    logs = np.empty((n, 1 << (n - 1)))
    for v, name in enumerate(variables):
        others = [*variables[:v], *variables[v + 1 :]]
        for mask in range(1 << (n - 1)):
            before = tuple(itertools.compress(others, map(int, reversed(f"{mask:b}"))))
            what = f"{name!r} after {list(before)}"
            weight = as_number(function(name, before), what, OPTION)
            if not (weight == -math.inf or abs(weight) <= LARGEST_WEIGHT):
                _refuse(weight, what)
            logs[v, mask] = weight
    unit = Unit.for_scores_up_to(float(np.abs(logs[logs != -np.inf]).max(initial=0.0)), n)
    values = unit.to_ints(logs.ravel().tolist()).reshape(logs.shape)
    return values, unit, math.ldexp(n / 2, -unit.bits), getattr(function, "__qualname__", "callable").rpartition(".")[2]


def _refuse(weight: float, what: str) -> None:
    raise InvalidOption(
        f"gives {what} the log weight {weight:g}; it must be a number between {-LARGEST_WEIGHT:g} and "
        f"{LARGEST_WEIGHT:g}, or -inf for orders that have no probability",
        option=OPTION,
    )
