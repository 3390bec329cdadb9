"""The estimated time of a sum, extrapolated from a small sum of the same kind."""

from __future__ import annotations

import time

import numpy as np

from dagscape.core.requirements import ProblemSize
from dagscape.posterior.backends import find_backend
from dagscape.posterior.contract import Job, SumBackend
from dagscape.posterior.cuda.seconds import card_seconds
from dagscape.posterior.mpi.order_sum import block_bits_of
from dagscape.posterior.places import planned_place
from dagscape.posterior.weights import FamilyWeights, is_tiled
from dagscape.scores.arithmetic.fixed_point import IMPOSSIBLE
from dagscape.scores.tables.lattice import SetIndex, parent_sets, set_count

# The numbers of variables of trials, which take at most a tenth of a second.
_TRIAL_DAGS = 16
_TRIAL_ORDERS = 17
_TRIAL_TILED = 19
_TRIAL_PATHS = 10
_TRIAL_BITS = 30
_NEVER_MORE = 500
_MOST_TIMED = 600

# The time to convert a few scores, which matters only for small sums.
_PREPARATION_SECONDS = 0.003

# Of the time of a sum over orders, the share of the forward pass.
_FORWARD = 1 / 3

# A plan cannot measure the network between machines that are elsewhere: 10 Gbit/s, in bytes per second.
NETWORK_RATE = 1.25e9


def sum_seconds(
    size: ProblemSize,
    threads: int,
    limit: int,  # noqa: ARG001 (as all methods take it)
    *,
    over: str = "dags",
    backend: str | None = None,
    ranks: int | None = None,
    card_memory: int | str | None = None,
) -> float:
    """Return the estimated time of a sum: on machines like this one, or on a card like the one that was measured."""
    n, max_parents = size.n, size.max_parents
    place = planned_place(over, backend, ranks, card_memory)
    if place.backend.device is not None:
        return card_seconds(min(n, _MOST_TIMED), max_parents, over)
    alone = _host_seconds(n, max_parents, threads, over)
    used = place.ranks_of(n, max_parents)
    return rank_seconds(alone, n, used) if used > 1 else alone


def rank_seconds(alone: float, n: int, ranks: int) -> float:
    """Return the time of a tiled sum on several ranks, if one takes ``alone`` seconds.

    The ranks compute block by block. The last one starts when its first block has come in, after log2(ranks) steps. A
    step takes as long as the computation of a block, or as long as the messages, which travel meanwhile.

    >>> [round(rank_seconds(1000.0, 30, ranks), 1) for ranks in (64, 4096)]
    [16.4, 1.7]
    """
    bits = ranks.bit_length() - 1
    block_bits = block_bits_of(n, ranks)
    blocks = 2.0 ** (n - bits - block_bits)
    step = alone / (ranks * blocks)
    # The first rank sends all its blocks forwards to all neighbours, and the last one backwards.
    messages = bits * 2.0 ** (block_bits + 3) / NETWORK_RATE
    return (blocks + bits) * (max(_FORWARD * step, messages) + max((1 - _FORWARD) * step, messages))


def _host_seconds(n: int, max_parents: int, threads: int, over: str) -> float:
    tiled = over == "orders" and is_tiled(n, max_parents)
    trial = min(n, _TRIAL_DAGS if over == "dags" else _TRIAL_TILED if tiled else _TRIAL_ORDERS)
    seconds = _trial_seconds(trial, min(max_parents, trial - 1), find_backend(over), Job(_TRIAL_BITS, threads))
    more = min(n - trial, _NEVER_MORE)
    by_sets = 2.0**more * (n / trial) ** (1 if tiled else 2)
    # Over DAGs, about half of the trial's time is spent on pairs of sets, the rest on sets and variables.
    return seconds * ((3.0**more + by_sets) / 2 if over == "dags" else by_sets) + _PREPARATION_SECONDS


def path_seconds(n: int, threads: int) -> float:
    """Return the estimated time of a sum over DAGs that also computes paths through a third variable."""
    backend, trial = find_backend("dags", paths=True), min(n, _TRIAL_PATHS)
    seconds = _trial_seconds(trial, trial - 1, backend, Job(_TRIAL_BITS, threads, wanted="paths"))
    return seconds * 4.0 ** min(n - trial, _NEVER_MORE) + _PREPARATION_SECONDS


def _trial_seconds(n: int, max_parents: int, backend: SumBackend, job: Job) -> float:
    weights = _random_weights(max(n, 2), max_parents, backend.over)
    times = []
    for _ in range(2):
        start = time.perf_counter()
        backend.run(weights, job)
        times.append(time.perf_counter() - start)
    return min(times)


def _random_weights(n: int, max_parents: int, over: str) -> FamilyWeights:
    random = np.random.default_rng(n)
    if over != "orders" or not is_tiled(n, max_parents):
        return FamilyWeights(random.integers(-(20 << _TRIAL_BITS), 0, (n, 1 << (n - 1))), 0, None)
    values = np.full((n, set_count(n, max_parents)), IMPOSSIBLE)
    index = SetIndex(n, max_parents)
    for child in range(n):
        for size in range(max_parents + 1):
            places = index.rank(parent_sets(n, child, size))
            values[child, places] = random.integers(-(20 << _TRIAL_BITS), 0, len(places))
    return FamilyWeights(values, 0, max_parents)
