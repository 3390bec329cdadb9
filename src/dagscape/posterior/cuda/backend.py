"""The records of sums on a GPU."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from dagscape.core import kernels
from dagscape.core.errors import BackendUnavailable, TooLarge, argument
from dagscape.core.requirements import TaskOption
from dagscape.core.resources import format_bytes, parse_bytes
from dagscape.core.wording import plural
from dagscape.posterior.accuracy import dag_sum_error, dag_total_error, needs_no_backward_pass, weight_error
from dagscape.posterior.contract import Job, ScoresTooWide, Sum, SumBackend, SumFunction, log_of
from dagscape.posterior.cuda import device
from dagscape.posterior.cuda.dag_sum import LEAST_VARIABLES as LEAST_DAG_VARIABLES
from dagscape.posterior.cuda.dag_sum import dag_sum, dag_sum_bytes
from dagscape.posterior.cuda.order_sum import LEAST_VARIABLES as LEAST_ORDER_VARIABLES
from dagscape.posterior.cuda.order_sum import order_sum, order_sum_bytes
from dagscape.posterior.cuda.seconds import MEASURED_GPU, seconds_elsewhere, seconds_here
from dagscape.posterior.sum_plan import Automatic, Elsewhere, SumPlan, SumSize
from dagscape.posterior.timing import arranging_seconds
from dagscape.posterior.weights import FamilyWeights, dense_weights
from dagscape.scores.tables.enumerable_scores import EnumerableScores
from dagscape.scores.tables.family_arrays import families_by_size
from dagscape.scores.tables.lattice import set_count

# Exponents are 32-bit integers: sums of those of up to 30 variables stay within a quarter of their range.
_WIDEST_DAGS = 4e6

# Usual GPUs: the gigabytes in their names, and the GiB that sums can use.
_GPUS = {16: 15, 24: 23, 40: 39, 80: 79, 141: 139}

_SUMMARY = "an NVIDIA GPU"
_FALLBACK = "cpu"

# With fewer variables, any processor takes less than a second, which is about what a GPU takes to start.
_AUTOMATIC = Automatic(device.installed, least_variables=17, least_seconds=1.0)


def _assumed(gpu_memory: int | str | None) -> int | None:
    """Return the memory of a GPU that is elsewhere, in bytes; None for the GPU that is here."""
    if gpu_memory is not None:
        return parse_bytes(gpu_memory, option="gpu_memory")
    if missing := device.missing():
        raise BackendUnavailable(
            f"{argument('backend', 'cuda')} cannot be used here: {missing}; "
            f"to plan for a GPU that is elsewhere, add its memory, such as {argument('gpu_memory', '80GiB')}"
        )
    return None


_ELSEWHERE = Elsewhere(
    "gpu_memory",
    TaskOption(
        f"Plan for a GPU with this memory, such as 80GiB; the time is that of an {MEASURED_GPU}.",
        default="that of the GPU that is here",
    ),
    assumed=_assumed,
    usual=tuple((f"a GPU with {gigabytes} GB", usable << 30) for gigabytes, usable in _GPUS.items()),
)


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
    # Each order of the variables is part of this many orders with the padding.
    padded_orders = math.perm(weights.n, weights.padding)
    mantissa, more = math.frexp(found.mantissa / padded_orders)
    error = found.error + weight_error(weights.n, log_of(found.mantissa, found.exponent))
    return Sum(mantissa, found.exponent + more, found.edges, None, None, error)


def _few_families(n: int, max_parents: int) -> bool:
    """Whether the families with up to ``max_parents`` parents take less memory as a list than all sets of parents."""
    return set_count(n, max_parents) < 1 << (n - 1)


def _dag_weights(scores: EnumerableScores, n: int, prior_only: bool, _threads: int, _limit: int) -> FamilyWeights:
    if not _few_families(n, scores.max_parents):
        return dense_weights(scores, n, prior_only)
    return FamilyWeights.relative(families_by_size(scores, n, prior_only=prior_only), scores.max_parents)


def _dag_table(n: int, max_parents: int) -> int:
    return n * set_count(n, max_parents) if _few_families(n, max_parents) else n << (n - 1)


def _order_weights(scores: EnumerableScores, n: int, prior_only: bool, _threads: int, _limit: int) -> FamilyWeights:
    weights = FamilyWeights.relative(families_by_size(scores, n, prior_only=prior_only), scores.max_parents)
    weights = replace(weights, padding=n - scores.n)
    if sum(weights.spans(scores.unit)) >= kernels.WIDEST_TILED:
        raise ScoresTooWide(
            f"the scores span more than {kernels.WIDEST_TILED:,.0f} nats, the limit of sums over orders with "
            f"{argument('backend', 'cuda')}: use fewer rows, or {argument('backend', _FALLBACK)}"
        )
    return weights


def _order_table(n: int, max_parents: int) -> int:
    return n * set_count(n, max_parents)


@dataclass(frozen=True, slots=True)
class _Sums:
    """What a plan needs to know about the sums over DAGs, or over orders."""

    over: str
    run: SumFunction
    arrange: Callable[[EnumerableScores, int, bool, int, int], FamilyWeights]
    table: Callable[[int, int], int]
    gpu_bytes: Callable[[int, int], int]
    least_variables: int

    def plan(self, size: SumSize, gpu_memory: int | None) -> SumPlan:
        """Return what a sum needs on a GPU with this memory, or on the GPU that is here."""
        n, max_parents = max(size.n, self.least_variables), size.max_parents
        weights, needed = self.table(n, max_parents), self.gpu_bytes(n, max_parents)
        free = device.free_memory() if gpu_memory is None else gpu_memory
        lacking = (
            f"sums over {self.over} of {plural(size.n, 'variable')} need {format_bytes(needed)} of GPU memory; "
            f"{format_bytes(free)} are free"
        )

        def seconds() -> float:
            if gpu_memory is not None:
                return seconds_elsewhere(n, max_parents, self.over)
            return seconds_here(n, max_parents, self.over, self.run) + arranging_seconds(self.arrange, weights)

        measured = "" if gpu_memory is None else f"; the time is that of an {MEASURED_GPU}"
        return SumPlan(
            memory=8 * weights,
            seconds=seconds,
            where="on a GPU",
            note=f"{format_bytes(needed)} of GPU memory{measured}",
            refusal=lacking if needed > free else "",
            remedy=f"use fewer variables, or {argument('backend', _FALLBACK)}",
            error=TooLarge,
        )


_OVER_DAGS = _Sums(
    "dags", _sum_over_dags, _dag_weights, _dag_table, lambda n, _max_parents: dag_sum_bytes(n), LEAST_DAG_VARIABLES
)
_OVER_ORDERS = _Sums("orders", _sum_over_orders, _order_weights, _order_table, order_sum_bytes, LEAST_ORDER_VARIABLES)

CUDA = (
    SumBackend(
        over="dags",
        name="cuda",
        summary=_SUMMARY,
        run=_sum_over_dags,
        paths=False,
        arrange=_dag_weights,
        table=_dag_table,
        planned=_OVER_DAGS.plan,
        engine=device.gpu_name,
        ancestors=True,
        proved=False,
        precision="double",
        widest=_WIDEST_DAGS,
        least_variables=LEAST_DAG_VARIABLES,
        most_variables=30,
        # The largest sums that fit on a GPU take a minute or two.
        resumable=False,
        missing=device.missing,
        fallback=_FALLBACK,
        automatic=_AUTOMATIC,
        elsewhere=_ELSEWHERE,
    ),
    SumBackend(
        over="orders",
        name="cuda",
        summary=_SUMMARY,
        run=_sum_over_orders,
        paths=False,
        arrange=_order_weights,
        table=_order_table,
        planned=_OVER_ORDERS.plan,
        engine=device.gpu_name,
        ancestors=False,
        proved=True,
        precision="40 bits",
        widest=kernels.WIDEST_SCORE,
        least_variables=LEAST_ORDER_VARIABLES,
        most_variables=40,
        # The largest sums that fit on a GPU take a minute or two.
        resumable=False,
        missing=device.missing,
        fallback=_FALLBACK,
        automatic=_AUTOMATIC,
        elsewhere=_ELSEWHERE,
    ),
)
