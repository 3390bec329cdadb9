"""Sums over all DAGs, or over all orders, and the posterior probabilities that they give.

Over DAGs: [tian2009]_, with all ancestor relations from the same pass (``native/include/dagscape/dag_sum.hpp``). Over
orders: [koivisto2004]_ and [koivisto2006]_ (``native/include/dagscape/order_sum.hpp``).

Notation: Tian & He's H, RR, A and B are the kernels' H, RR, A and B; their K_v(U) is q_v(U) / (A_v(U) H(U)).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dagscape import kernels
from dagscape.errors import DagscapeError, InvalidData, InvalidOption
from dagscape.methods import provenance_of
from dagscape.posterior.prior_total import log_prior_total
from dagscape.posterior.requirements import sum_requirements
from dagscape.posterior.result import Posterior
from dagscape.posterior.weights import FamilyWeights, family_weights
from dagscape.progress import ProgressListener, ProgressOption, kernel_callback, listening
from dagscape.resources import memory_limit, thread_count
from dagscape.scores.fixed_point import Unit
from dagscape.scores.local_scores import LocalScores, check_scores, warn_if_incomplete

_EPSILON = float(np.finfo(np.float64).eps)
# Sums in tiles keep 40 bits.
_WORD_EPSILON = 2.0**-39

KernelProgress = Callable[[int, int], None] | None


@dataclass(frozen=True, slots=True)
class Sum:
    """What a kernel says about one sum; its total is relative to the best families (``FamilyWeights.offset``)."""

    log_total: float
    edges: NDArray[np.float64]
    ancestors: NDArray[np.float64] | None
    paths: NDArray[np.float64] | None
    error: float


def _sum_over_dags(
    weights: FamilyWeights, unit_bits: int, with_paths: bool, threads: int, progress: KernelProgress
) -> Sum:
    n = weights.n
    edges, ancestors = np.empty((n, n)), np.empty((n, n))
    paths = np.empty((n, n, n) if with_paths else (0, 0, 0))
    mantissa, exponent, disagreement, condition = kernels.dag_sum(
        weights.values, unit_bits, edges, ancestors, paths, threads, progress
    )
    # Terms are off by a rounding error for each factor; the three ways to the total show what became of it on the way.
    error = 4 * disagreement + _EPSILON * (condition + 1) * (n + 4)
    return Sum(_log(mantissa, exponent), edges, ancestors, paths if with_paths else None, error)


def _sum_over_orders(
    weights: FamilyWeights, unit_bits: int, with_paths: bool, threads: int, progress: KernelProgress
) -> Sum:
    if with_paths:
        raise InvalidOption("sums over orders have no path relations: use over='dags'")
    n = weights.n
    edges = np.empty((n, n))
    if weights.max_parents is None:
        mantissa, exponent, disagreement = kernels.order_sum(weights.values, unit_bits, edges, threads, progress)
        rounding = 8 * n * _EPSILON
    else:
        mantissa, exponent, disagreement = kernels.tiled_order_sum(
            weights.values, weights.max_parents, unit_bits, edges, threads, progress
        )
        rounding = _WORD_EPSILON
    return Sum(_log(mantissa, exponent), edges, None, None, 4 * disagreement + n * rounding)


SUMS: dict[str, Callable[[FamilyWeights, int, bool, int, KernelProgress], Sum]] = {
    "dags": _sum_over_dags,
    "orders": _sum_over_orders,
}


def posterior(
    scores: LocalScores,
    over: str = "dags",
    *,
    via: str | Iterable[tuple[str, str, str]] | None = None,
    prior: bool = False,
    threads: int | None = None,
    max_memory: int | str | None = None,
    progress: ProgressOption = None,
) -> Posterior:
    """The exact posterior probability of every edge, and of every ancestor relation.

    Parameters
    ----------
    scores : LocalScores
        The local scores; sums over a table from which families are missing are too small, and warn.
    over : {"dags", "orders"}
        Sum over DAGs with the structure prior of the scores, or over orders of the variables, which is much cheaper
        but favours DAGs that agree with many orders, and treats equivalent DAGs differently.
    via : "all" or iterable of (source, middle, target), optional
        Also find the probabilities of paths from one variable by way of another to a third. The work, (4/3)^n times
        that of the rest, is the same for one as for all, and all are found.
    prior : bool
        Leave out the data: the probabilities are those of the structure prior alone, to compare with.
    threads : int, optional
        How many threads to use; all processors by default. The result does not depend on it.
    max_memory : int or str, optional
        The most memory to take, such as ``"8GiB"``; most of what is available by default.
    progress : bool or callable, optional
        True shows a bar on standard error; a callable is called with a :class:`~dagscape.progress.Progress`.

    Returns
    -------
    Posterior
        The probabilities, the totals, and how accurate they are.

    Examples
    --------
    >>> import dagscape as ds
    >>> post = ds.posterior(ds.local_scores(ds.load_dataset("tic-tac-toe")))
    >>> round(post.edge("Class", "middle-middle-square"), 4), round(post.edge("top-left-square", "Class"), 4)
    (1.0, 0.4955)
    >>> round(post.ancestor("top-left-square", "middle-middle-square"), 4)
    0.75
    """
    threads = thread_count(threads)
    check_sum(scores, over, threads, max_memory, with_paths=via is not None)
    with_paths = _wants_paths(via, scores.variables)
    start = time.perf_counter()
    with listening(progress) as listener:
        weights = family_weights(scores, over, prior_only=prior)
        found = sum_weights(
            weights,
            scores.unit,
            over,
            threads,
            listener,
            f"Summing over {over}",
            with_paths=with_paths,
        )
        log_total = found.log_total + scores.unit.to_float(weights.offset)
        if prior:
            log_prior = log_total
        elif scores.unconstrained:
            log_prior = log_prior_total(scores.n, scores.unit.to_floats(scores.prior_terms).tolist(), over)
        else:
            bare = family_weights(scores, over, prior_only=True)
            without_data = sum_weights(bare, scores.unit, over, threads, listener, "Summing without data")
            log_prior = without_data.log_total + scores.unit.to_float(bare.offset)
    check_not_empty(found)
    n = scores.n
    return Posterior(
        variables=scores.variables,
        score_info=scores.info,
        provenance=provenance_of(
            "posterior",
            {"over": over, "prior": prior, "scores": scores.info.to_dict()},
            {"sums": time.perf_counter() - start},
            threads,
        ),
        over=over,
        edges=_clipped(found.edges[:n, :n], found.error),
        ancestors=None if found.ancestors is None else _clipped(found.ancestors[:n, :n], found.error),
        paths=None if found.paths is None else _clipped(found.paths[:n, :n, :n], found.error),
        log_total=log_total,
        log_prior_total=log_prior,
        error=found.error,
    )


def check_not_empty(found: Sum) -> None:
    """Refuse a sum over nothing."""
    if found.log_total == -math.inf:
        raise InvalidData("no structure has all families possible: there is nothing to sum")


def check_sum(
    scores: LocalScores,
    over: str,
    threads: int,
    max_memory: int | str | None,
    *,
    with_paths: bool = False,
    weights: int = 1,
) -> None:
    """Refuse a sum that cannot be, or that would take too much memory, and warn where families are missing."""
    if over not in SUMS:
        raise InvalidOption(f"over is {over!r}; it must be one of {', '.join(map(repr, SUMS))}")
    check_scores(scores)
    limit = memory_limit(max_memory)
    sum_requirements(scores, threads, limit, over=over, with_paths=with_paths, weights=weights).check(limit)
    warn_if_incomplete(scores, ": probabilities are those among the structures that are left", stacklevel=3)


def sum_weights(
    weights: FamilyWeights,
    unit: Unit,
    over: str,
    threads: int,
    listener: ProgressListener | None,
    task: str,
    *,
    with_paths: bool = False,
) -> Sum:
    """Run one sum; its total is minus infinity where no structure is possible."""
    return SUMS[over](weights, unit.bits, with_paths, threads, kernel_callback(task, listener, 0, 0))


def _wants_paths(via: str | Iterable[tuple[str, str, str]] | None, variables: Sequence[str]) -> bool:
    """Whether paths are asked for, by words that make sense."""
    if via is None or via == "all":
        return via == "all"
    triples = [via] if isinstance(via, str) else list(via)
    for triple in triples:
        known = isinstance(triple, Sequence) and not isinstance(triple, str) and set(triple) <= set(variables)
        if not known or len(triple) != 3:
            raise InvalidOption(
                f"via holds {triple!r}; it must be 'all', or triples (source, middle, target) of variables"
            )
    return bool(triples)


def _log(mantissa: float, exponent: float) -> float:
    return math.log(mantissa) + exponent * math.log(2) if mantissa > 0 else -math.inf


def _clipped(probabilities: NDArray[np.float64], error: float) -> NDArray[np.float64]:
    """Probabilities within [0, 1]: they may be outside by the error, and by no more."""
    if not (np.all(probabilities >= -error) and np.all(probabilities <= 1 + error)):
        worst = float(np.max(np.abs(probabilities - 0.5)) - 0.5)
        raise DagscapeError(f"a probability is outside [0, 1] by {worst:.2g}, more than the error {error:.2g}")
    return np.clip(probabilities, 0.0, 1.0)
