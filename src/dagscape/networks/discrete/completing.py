"""Incomplete rows completed in all likely ways: whole rows whose counts are the expected counts of every family.

Expected counts of the families of one network are sums over its cliques. A search asks for those of any family. So each
row is replaced by whole rows with weights that sum to its own: if its holes have few joint states, by all of them, with
their probabilities given what the row shows; otherwise by exact draws, whose counts are right on average. Weights are
whole numbers of 1/:data:`COPIES`, so that scores of expected counts are exact integers like all others; shares are
rounded so that those of a row still sum to it (largest remainders).

*Cost.* A row with *c* joint states of its holes becomes up to *c* rows, c at most :data:`MOST_STATES`, or
:data:`DRAWS` rows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dagscape.core.masks import bits
from dagscape.data.tables.weights import MAX_ROWS
from dagscape.networks.discrete.evidence import UNOBSERVED
from dagscape.networks.discrete.families import table_entries
from dagscape.networks.discrete.incomplete import Floats, IncompleteCounter, IncompleteRows, Integers

# A row weighs so many units; a power of two.
COPIES = 256
# The most joint states of the holes of a row that are enumerated, and the draws of rows with more.
MOST_STATES = 64
DRAWS = 16


class CompletedRows(NamedTuple):
    """Whole rows.

    Attributes
    ----------
    codes : array of int, rows × variables
        The codes.
    weights : array of int
        How much each row weighs, in units of 1 / copies.
    chosen : array of bool, rows × variables, or None
        Whether the variable was set by an intervention.
    copies : int
        The units of one row.
    """

    codes: Integers
    weights: Integers
    chosen: NDArray[np.bool_] | None
    copies: int


def completed_rows(counter: IncompleteCounter, cpts: Sequence[Floats], rng: np.random.Generator) -> CompletedRows:
    """Complete rows under some tables.

    Examples
    --------
    >>> rows = IncompleteRows(np.array([[0, -1], [1, 1]]), np.array([2, 1]))
    >>> counter = IncompleteCounter([0, 0b01], [2, 2], rows)
    >>> tables = [np.array([0.5, 0.5]), np.array([[0.75, 0.25], [0.5, 0.5]])]
    >>> found = completed_rows(counter, tables, np.random.default_rng(0))
    >>> found.codes.tolist(), (found.weights / found.copies).tolist()
    ([[0, 0], [0, 1], [1, 1]], [1.5, 0.5, 1.0])
    """
    rows = counter.rows
    copies = COPIES
    while copies > 1 and copies * int(rows.weights.sum()) > MAX_ROWS:
        copies //= 2
    log_states = np.where(rows.holes, np.log(counter.arities), 0.0).sum(axis=1)
    few = log_states <= math.log(MOST_STATES) + 1e-9
    every = _enumerated(counter, _part(rows, few), cpts, copies)
    drawn = _drawn(counter, _part(rows, ~few), cpts, copies, rng)
    chosen = None if every.chosen is None or drawn.chosen is None else np.concatenate([every.chosen, drawn.chosen])
    return CompletedRows(
        np.concatenate([every.codes, drawn.codes]), np.concatenate([every.weights, drawn.weights]), chosen, copies
    )


def _part(rows: IncompleteRows, kept: NDArray[np.bool_]) -> IncompleteRows:
    return IncompleteRows(rows.codes[kept], rows.weights[kept], None if rows.chosen is None else rows.chosen[kept])


def _enumerated(counter: IncompleteCounter, rows: IncompleteRows, cpts: Sequence[Floats], copies: int) -> CompletedRows:
    """Return rows with all states of their holes."""
    codes, origin = rows.codes, np.arange(len(rows.codes))
    for v, arity in enumerate(counter.arities):
        missing = codes[:, v] == UNOBSERVED
        if missing.any():
            times = np.where(missing, arity, 1)
            repeated = np.repeat(np.arange(len(codes)), times)
            first = np.repeat(np.cumsum(times) - times, times)
            codes, origin = codes[repeated], origin[repeated]
            codes[:, v] = np.where(missing[repeated], np.arange(len(repeated)) - first, codes[:, v])
    chosen = None if rows.chosen is None else rows.chosen[origin]
    if not len(codes):
        return CompletedRows(codes, np.empty(0, dtype=np.int64), chosen, copies)
    logs = np.zeros(len(codes))
    with np.errstate(divide="ignore"):
        for v, parents in enumerate(counter.parents):
            own = np.log(table_entries(cpts[v], codes, list(bits(parents)), v, counter.arities))
            logs += own if chosen is None else np.where(chosen[:, v], 0.0, own)
    starts = np.flatnonzero(np.diff(origin, prepend=-1))
    shares = np.exp(logs - np.maximum.reduceat(logs, starts)[origin])
    shares /= np.add.reduceat(shares, starts)[origin]
    weights = _whole(shares * (copies * rows.weights)[origin], origin, starts, copies * rows.weights)
    kept = weights > 0
    return CompletedRows(codes[kept], weights[kept], None if chosen is None else chosen[kept], copies)


def _whole(shares: Floats, origin: Integers, starts: NDArray[np.intp], totals: Integers) -> Integers:
    """Return whole numbers near the shares of each row, which sum to its total: the largest remainders round up."""
    whole = np.floor(shares).astype(np.int64)
    lacking = totals - np.add.reduceat(whole, starts)
    order = np.lexsort([-(shares - whole), origin])
    rank = np.arange(len(shares)) - starts[origin[order]]
    whole[order] += rank < lacking[origin[order]]
    return whole


def _drawn(
    counter: IncompleteCounter, rows: IncompleteRows, cpts: Sequence[Floats], copies: int, rng: np.random.Generator
) -> CompletedRows:
    """Return several draws of each row."""
    draws = min(DRAWS, copies) if len(rows.codes) else 0
    part = IncompleteCounter(counter.parents, counter.arities, rows) if draws else None
    codes = [rows.codes[:0], *(part.draw(cpts, rng) for _ in range(draws) if part is not None)]
    weights = np.tile(rows.weights * (copies // max(draws, 1)), draws)
    chosen = None if rows.chosen is None else np.tile(rows.chosen, (draws, 1)).reshape(-1, rows.chosen.shape[1])
    return CompletedRows(np.concatenate(codes), weights, chosen, copies)
