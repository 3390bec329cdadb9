"""The records of sums on a GPU."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

from dagscape.core import kernels
from dagscape.core.errors import argument
from dagscape.posterior.accuracy import dag_sum_error, dag_total_error, needs_no_backward_pass, weight_error
from dagscape.posterior.contract import Device, Job, ScoresTooWide, Sum, SumBackend, log_of
from dagscape.posterior.cuda import device
from dagscape.posterior.cuda.dag_sum import LEAST_VARIABLES as LEAST_DAG_VARIABLES
from dagscape.posterior.cuda.dag_sum import dag_sum, dag_sum_bytes
from dagscape.posterior.cuda.order_sum import LEAST_VARIABLES as LEAST_ORDER_VARIABLES
from dagscape.posterior.cuda.order_sum import order_sum, order_sum_bytes
from dagscape.posterior.weights import FamilyWeights, dense_weights
from dagscape.scores.tables.enumerable_scores import EnumerableScores
from dagscape.scores.tables.family_arrays import families_by_size
from dagscape.scores.tables.lattice import set_count

# Smaller sums take less time on a processor than a GPU takes to start.
_PREFERRED_DAGS = 19
_PREFERRED_ORDERS = 24

# Exponents are 32-bit integers: sums of those of up to 30 variables stay within a quarter of their range.
_WIDEST_DAGS = 4e6

_on_card = partial(Device, device.missing, device.card_name, device.free_memory)


def _sum_over_dags(weights: FamilyWeights, job: Job) -> Sum:
    masks = None if weights.max_parents is None else weights.sets(0)
    alone = needs_no_backward_pass(weights.n, job.wanted)
    found = dag_sum(weights.values, job.unit_bits, job.progress, masks, total_alone=alone)
    log_total = log_of(found.mantissa, found.exponent)
    if alone:
        error = dag_total_error(weights.n, found.condition, log_total)
    else:
        error = dag_sum_error(weights.n, found.disagreement, found.condition, log_total)
    return Sum(found.mantissa, found.exponent, found.edges, found.ancestors, None, error, found.condition)


def _sum_over_orders(weights: FamilyWeights, job: Job) -> Sum:
    assert weights.max_parents is not None
    values, most = weights.values, weights.max_parents
    found = order_sum(values, most, job.unit_bits, job.progress, total_alone=job.total_alone)
    # Each order of the variables is part of this many orders with the companions.
    with_companions = math.perm(weights.n, weights.companions)
    mantissa, more = math.frexp(found.mantissa / with_companions)
    error = found.error + weight_error(weights.n, log_of(found.mantissa, found.exponent))
    return Sum(mantissa, found.exponent + more, found.edges, None, None, error)


def _few_families(n: int, max_parents: int) -> bool:
    """Whether the families with up to ``max_parents`` parents take less room as a list than all sets of parents."""
    return set_count(n, max_parents) < 1 << (n - 1)


def _dag_weights(scores: EnumerableScores, n: int, prior_only: bool) -> FamilyWeights:
    if not _few_families(n, scores.max_parents):
        return dense_weights(scores, n, prior_only)
    return FamilyWeights.relative(families_by_size(scores, n, prior_only=prior_only), scores.max_parents)


def _dag_table(n: int, max_parents: int) -> int:
    return n * set_count(n, max_parents) if _few_families(n, max_parents) else n << (n - 1)


def _order_weights(scores: EnumerableScores, n: int, prior_only: bool) -> FamilyWeights:
    weights = FamilyWeights.relative(families_by_size(scores, n, prior_only=prior_only), scores.max_parents)
    weights = replace(weights, companions=n - scores.n)
    if sum(weights.spans(scores.unit)) >= kernels.WIDEST_TILED:
        raise ScoresTooWide(
            f"the scores span more than {kernels.WIDEST_TILED:,.0f} nats, the limit of sums over orders with "
            f"{argument('backend', 'cuda')}: use fewer rows, or {argument('backend', 'cpu')}"
        )
    return weights


CUDA = (
    SumBackend(
        over="dags",
        name="cuda",
        run=_sum_over_dags,
        paths=False,
        arrange=lambda scores, n, prior_only, threads, limit: _dag_weights(scores, n, prior_only),
        table=_dag_table,
        memory_of_sum=lambda n, max_parents, threads: 8 * _dag_table(n, max_parents),
        ancestors=True,
        proved=False,
        precision="double",
        widest=_WIDEST_DAGS,
        least_variables=LEAST_DAG_VARIABLES,
        most_variables=30,
        # The largest sums that fit on a card take a minute or two.
        resumable=False,
        device=_on_card(lambda n, max_parents: dag_sum_bytes(n), _PREFERRED_DAGS),
    ),
    SumBackend(
        over="orders",
        name="cuda",
        run=_sum_over_orders,
        paths=False,
        arrange=lambda scores, n, prior_only, threads, limit: _order_weights(scores, n, prior_only),
        table=lambda n, max_parents: n * set_count(n, max_parents),
        memory_of_sum=lambda n, max_parents, threads: 8 * n * set_count(n, max_parents),
        ancestors=False,
        proved=True,
        precision="40 bits",
        widest=kernels.WIDEST_SCORE,
        least_variables=LEAST_ORDER_VARIABLES,
        most_variables=40,
        # The largest sums that fit on a card take a minute or two.
        resumable=False,
        device=_on_card(order_sum_bytes, _PREFERRED_ORDERS),
    ),
)
