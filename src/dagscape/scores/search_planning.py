"""The time of a search over all sets of variables, from a small one of the same kind, here and now."""

from __future__ import annotations

import time

import numpy as np

from dagscape import kernels
from dagscape.scores.family_arrays import search_layout
from dagscape.scores.lattice import set_count

# Sizes that take a few hundredths of a second.
_TRIAL_DENSE = 16
_TRIAL_TILED = 19
_TRIAL_BITS = 30
_NEVER_MORE = 500


def walk_seconds(n: int, max_parents: int, threads: int) -> float:
    """About how long it takes to sort the families, and to walk over all sets of the variables once."""
    tiled = search_layout(n, max_parents, n * set_count(n - 1, max_parents)) == "size"
    trial = min(n, _TRIAL_TILED if tiled else _TRIAL_DENSE)
    seconds = _trial_seconds(trial, min(max_parents, trial - 1), tiled, threads)
    return seconds * 2.0 ** min(n - trial, _NEVER_MORE) * (n / trial) ** (1 if tiled else 2)


def _trial_seconds(n: int, max_parents: int, tiled: bool, threads: int) -> float:
    columns = set_count(n, max_parents) if tiled else 1 << (n - 1)
    # In tiles a child may seem to be its own parent here: nobody asks for the networks, and the time is the same.
    values = np.random.default_rng(n).integers(-(20 << _TRIAL_BITS), 0, (n, columns))
    families = kernels.Families.by_size(values, max_parents) if tiled else kernels.Families.by_mask(values)
    times = []
    for _ in range(2):
        start = time.perf_counter()
        kernels.BestNetworks(families, True, threads, 1, None)
        times.append(time.perf_counter() - start)
    return min(times)


def described_walk(n: int, max_parents: int) -> str:
    """The walk in words.

    >>> described_walk(20, 4), described_walk(10, 9)
    ('2^20 sets, up to 4 parents', '2^10 sets')
    """
    return f"2^{n} sets" + (f", up to {max_parents} parents" if max_parents < n - 1 else "")
