"""Sums over all DAGs or all orders, and the posterior probabilities that follow from them.

Over DAGs, the algorithm is that of [tian2009]_, with all ancestor relations from the same pass
(``native/include/dagscape/sums/dag_sum.hpp``). Over orders, it is that of [koivisto2004]_ and [koivisto2006]_
(``native/include/dagscape/sums/order_sum.hpp``); ancestor relations over orders are sums over pairs of sets
(``native/include/dagscape/sums/order_ancestors.hpp``).

Notation: Tian & He's H, RR, A and B are the kernels' H, RR, A and B; their K_v(U) is q_v(U) / (A_v(U) H(U)).
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from dagscape.core.caveats import Caveats
from dagscape.core.checks import is_one_of
from dagscape.core.errors import DagscapeError, InvalidOption, did_you_mean
from dagscape.core.progress import ProgressListener, ProgressOption, listening
from dagscape.posterior.accuracy import lost_precision, score_error
from dagscape.posterior.contract import Wanted, check_total
from dagscape.posterior.order_weights import OrderLogs
from dagscape.posterior.prior_total import log_prior_total
from dagscape.posterior.result import Posterior
from dagscape.posterior.running import INCOMPLETE_SUM, PlannedSum, Prepared
from dagscape.results.base import provenance_of
from dagscape.running.checkpoints import DEFAULT_SECONDS
from dagscape.scores.parent_states import sparse_families
from dagscape.scores.tables.enumerable_scores import EnumerableScores, incomplete_scores


def planned_posterior(
    planned: PlannedSum,
    scores: EnumerableScores,
    *,
    with_paths: bool = False,
    with_ancestors: bool = False,
    prior: bool = False,
    orders: OrderLogs | None = None,
    progress: ProgressOption = None,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_seconds: float = DEFAULT_SECONDS,
) -> Posterior:
    """Do the work of :func:`dagscape.posterior` for a sum that was planned, perhaps before there were scores."""
    start = time.perf_counter()
    over, first = planned.backend.over, planned.arrange(scores, prior_only=prior).with_orders(orders)
    caveats = Caveats(scores.info.warnings)
    caveats.issue(incomplete_scores(scores, INCOMPLETE_SUM))
    with listening(progress) as listener, first.saving_to(checkpoint, checkpoint_seconds) as prepared:
        wanted: Wanted = "paths" if with_paths else "ancestors" if with_ancestors else "features"
        found = prepared.sum(f"Summing over {over}", wanted, listener)
        check_total(found)
        log_total = found.log_total + prepared.weights.log_offset(scores.unit)
        log_prior = log_total if prior else log_prior_of(scores, prepared, listener)
    n = scores.n
    of_scores = score_error((scores.prior_rounding if prior else scores.rounding) + (orders.rounding if orders else 0))
    caveats.issue(lost_precision(found.error + of_scores, of_scores, over))
    edges = _clipped(found.edges[:n, :n], found.error)
    caveats.issue(None if prior else sparse_families(scores.info, scores.variables, edges))
    return Posterior(
        variables=scores.variables,
        score_info=scores.info,
        provenance=provenance_of(
            "posterior",
            {
                "over": over,
                "via": with_paths,
                "ancestors": found.ancestors is not None,
                "prior": prior,
                "order_weights": None if orders is None else orders.name,
                "scores": scores.info.to_dict(),
            },
            {"sums": time.perf_counter() - start},
            prepared.threads,
            backend=prepared.backend.name,
            engine=prepared.backend.engine(),
        ),
        warnings=caveats.kept,
        over=over,
        edges=edges,
        ancestors=None if found.ancestors is None else _clipped(found.ancestors[:n, :n], found.error),
        paths=None if found.paths is None else _clipped(found.paths[:n, :n, :n], found.error),
        log_total=log_total,
        log_prior_total=log_prior,
        error=found.error + of_scores,
        prior=bool(prior),
    )


def log_prior_of(scores: EnumerableScores, prepared: Prepared, listener: ProgressListener | None) -> float:
    """Return the natural log of the total prior weight of all structures."""
    backend, orders = prepared.backend, prepared.weights.orders
    if scores.unconstrained and scores.family_terms is None and orders is None:
        return log_prior_total(scores.n, scores.unit.to_floats(scores.prior_terms).tolist(), backend.over)
    bare = backend.weights(scores, prepared.threads, prepared.limit, prior_only=True).with_orders(orders)
    found = prepared.sum("Summing without data", "log_total", listener, bare)
    return found.log_total + bare.log_offset(scores.unit)


def wants_paths(via: str | Iterable[tuple[str, str, str]] | None, variables: Sequence[str]) -> bool:
    """Check ``via`` and return whether paths are requested."""
    if via is None or is_one_of(via, ["all"]):
        return via is not None
    if isinstance(via, str) or not isinstance(via, Iterable):
        raise InvalidOption(f"is {via!r}; it must be 'all' or triples of variables", option="via")
    triples = list(via)
    for triple in triples:
        if isinstance(triple, str) or not isinstance(triple, Sequence) or len(triple) != 3 or len(set(triple)) < 3:
            raise InvalidOption(
                f"holds {triple!r}; a path must be a triple (source, middle, target) of different variables",
                option="via",
            )
        if unknown := [name for name in triple if name not in variables]:
            raise InvalidOption(
                f"names {unknown[0]!r}, which is not a variable{did_you_mean(unknown[0], variables)}", option="via"
            )
    return bool(triples)


def _clipped(probabilities: NDArray[np.float64], error: float) -> NDArray[np.float64]:
    """Clip probabilities to [0, 1]; they may exceed it by at most the error."""
    if not (np.all(probabilities >= -error) and np.all(probabilities <= 1 + error)):
        worst = float(np.max(np.abs(probabilities - 0.5)) - 0.5)
        raise DagscapeError(f"a probability is outside [0, 1] by {worst:.2g}, more than the error {error:.2g}")
    return np.clip(probabilities, 0.0, 1.0)
