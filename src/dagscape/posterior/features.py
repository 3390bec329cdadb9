"""The probability of modular features: edges that are present or absent, and given sets of parents.

A modular feature is a condition on each variable's parents. Its probability is the total weight of the structures that
satisfy the condition, divided by the total weight of all structures. Both are the same sum; the first omits the
families that violate the condition.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from dagscape.core.caveats import issue
from dagscape.core.errors import InvalidOption, LostPrecision, did_you_mean
from dagscape.core.estimates import Probability
from dagscape.core.progress import ProgressOption, listening
from dagscape.core.resources import Budget
from dagscape.graphs.validation import check_collection
from dagscape.posterior.accuracy import score_error
from dagscape.posterior.backends import on_all_processes
from dagscape.posterior.contract import Sum, check_total
from dagscape.posterior.order_weights import OrderWeightsOption, order_logs
from dagscape.posterior.running import INCOMPLETE_SUM, plan_sum
from dagscape.scores.arithmetic.fixed_point import IMPOSSIBLE
from dagscape.scores.constraints import Edge
from dagscape.scores.posteriors import check_posterior
from dagscape.scores.tables.enumerable_scores import EnumerableScores, check_scores, incomplete_scores


@on_all_processes
def feature_probability(
    scores: EnumerableScores,
    *,
    required: Iterable[Edge] = (),
    forbidden: Iterable[Edge] = (),
    parents: Mapping[str, Collection[str]] | None = None,
    over: str = "dags",
    order_weights: OrderWeightsOption = None,
    backend: str = "auto",
    threads: int | None = None,
    max_memory: int | str | None = None,
    progress: ProgressOption = None,
) -> Probability:
    """Compute the exact posterior probability of given edges, absent edges and sets of parents.

    Parameters
    ----------
    scores : EnumerableScores
        The local scores.
    required, forbidden : iterable of (parent, child)
        Edges that must be present, and edges that must be absent.
    parents : mapping, optional
        Variables whose parents must be exactly those given; an empty collection means no parents.
    over, order_weights, backend, threads, max_memory, progress
        As in :func:`dagscape.posterior`.

    Returns
    -------
    Probability
        A float with the attribute ``error``.

    Examples
    --------
    >>> import dagscape as ds
    >>> scores = ds.local_scores(ds.load_dataset("tic-tac-toe"))
    >>> both = [("Class", "middle-middle-square"), ("top-left-square", "middle-middle-square")]
    >>> round(ds.feature_probability(scores, required=both), 4)
    0.5
    >>> orphan = ds.feature_probability(scores, parents={"Class": []})
    >>> round(orphan, 4), orphan.error < 1e-12
    (0.0033, True)
    """
    budget = Budget.of(threads, max_memory)
    check_scores(scores)
    check_posterior(scores.info)
    weighted = order_weights is not None
    planned = plan_sum(scores, over, backend, budget, order_weights=weighted, weight_tables=2)
    orders = order_logs(order_weights, scores.variables, planned.threads, planned.limit)
    prepared = planned.arrange(scores).with_orders(orders)
    issue(incomplete_scores(scores, INCOMPLETE_SUM))
    weights = prepared.weights
    values = weights.values.copy()
    for child, allowed in _conditions(scores.variables, required, forbidden, parents or {}).items():
        values[child, ~allowed(weights.sets(child))] = IMPOSSIBLE
    with listening(progress) as listener:
        everything = prepared.sum("Summing over all structures", "total", listener)
        check_total(everything)
        kept = weights.with_values(values)
        part = prepared.sum("Summing over those with the feature", "total", listener, kept)
    return _share(part, everything, scores.rounding + (orders.rounding if orders else 0.0))


def _share(part: Sum, everything: Sum, rounding: float) -> Probability:
    """Return the share of a part in a total, both relative to the same families."""
    if part.cancelled:
        message = (
            "the sum over the structures with the feature lost all its digits to cancellation: "
            "only the error of the probability is meaningful"
        )
        issue(LostPrecision(message))
        return Probability(0.0, part.largest_ratio(everything))
    if part.mantissa == 0:
        return Probability(0.0, 0.0)
    share = part.ratio(everything)
    arithmetic = share * (part.error + everything.error)
    # Odds change by a factor of at most exp(2 · rounding); beyond 700 the factor would overflow.
    moved = min(score_error(rounding), share * math.expm1(min(2 * rounding, 700.0)))
    # The share may underflow: the error is at least the smallest positive number.
    return Probability(min(share, 1.0), max(arithmetic + moved, sys.float_info.min))


class _Condition:
    """A condition on the parents of one variable: some included, some excluded, or exactly a given set."""

    def __init__(self) -> None:
        self.included = 0
        self.excluded = 0
        self.exact: int | None = None

    def __call__(self, masks: NDArray[np.uint64]) -> NDArray[np.bool_]:
        allowed: NDArray[np.bool_] = (masks & np.uint64(self.included)) == self.included
        allowed &= (masks & np.uint64(self.excluded)) == 0
        if self.exact is not None:
            allowed &= masks == self.exact
        return allowed


def _conditions(
    variables: Sequence[str],
    required: Iterable[Edge],
    forbidden: Iterable[Edge],
    parents: Mapping[str, Collection[str]],
) -> dict[int, _Condition]:
    number = {name: i for i, name in enumerate(variables)}

    def bit(name: object, option: str) -> int:
        if not isinstance(name, str) or name not in number:
            raise InvalidOption(f"names {name!r}, which is not a variable{did_you_mean(name, number)}", option=option)
        return 1 << number[name]

    conditions: dict[int, _Condition] = {}
    for option, edges in (("required", required), ("forbidden", forbidden)):
        for edge in edges:
            if isinstance(edge, str) or not isinstance(edge, Sequence) or len(edge) != 2:
                raise InvalidOption(f"holds {edge!r}; an edge must be a pair (parent, child)", option=option)
            parent, child = bit(edge[0], option), bit(edge[1], option).bit_length() - 1
            condition = conditions.setdefault(child, _Condition())
            if option == "required":
                condition.included |= parent
            else:
                condition.excluded |= parent
    for child_name, above in parents.items():
        child = bit(child_name, "parents").bit_length() - 1
        check_collection(above, f"parents[{child_name!r}]")
        conditions.setdefault(child, _Condition()).exact = sum({bit(name, "parents") for name in above})
    return conditions
