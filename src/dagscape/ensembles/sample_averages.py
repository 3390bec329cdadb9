"""Averages over sampled networks, each with its Monte Carlo error (:mod:`dagscape.ensembles.monte_carlo`).

Samples repeat networks, so features are computed for different networks only; ``places`` are the indices of the samples
among them. What no sample has is not computed either, so that the cost follows the number of pairs of variables that
some network joins, not the number of all pairs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagscape.ensembles.monte_carlo import (
    Floats,
    batch_means,
    batch_starts,
    binomial_errors,
    chain_errors,
    chain_share_errors,
    independent_errors,
)
from dagscape.graphs.words import Words, members_of_any

Indices = NDArray[np.intp]
MeansAndErrors = tuple[Floats, Floats]

# Numbers that are processed at a time.
_NUMBERS = 1 << 22


@dataclass(frozen=True, slots=True)
class Draws:
    """How samples were drawn, as far as errors depend on it.

    Attributes
    ----------
    chains, draws : int
        The number of chains, and of the samples of each; samples are in the order of the chains.
    independent : bool
        Whether samples are independent of each other. Otherwise each chain is a Markov chain.
    scores_size : float
        The effective size of the scores of chains.
    """

    chains: int
    draws: int
    independent: bool
    scores_size: float

    @property
    def total(self) -> int:
        """The number of all samples."""
        return self.chains * self.draws

    def of_chains(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return values of samples, samples × features, as chains × draws × features."""
        return values.reshape(self.chains, self.draws, *values.shape[1:])

    def share_errors(self, shares: Floats, batches: Floats, means: Floats) -> Floats:
        """Return the errors of probabilities, from their batch means and the means of the chains."""
        if self.independent:
            return binomial_errors(shares, self.total)
        return chain_share_errors(batches, means, draws=self.total, scores_size=self.scores_size)

    def of_indicators(self, indicators: NDArray[Any]) -> MeansAndErrors:
        """Return the averages of 0/1 values, samples × features, and their errors."""
        values = self.of_chains(indicators)
        counts = values.sum(axis=1, dtype=np.int64)
        means, shares = counts / self.draws, counts.sum(axis=0) / self.total
        batches = shares[np.newaxis, np.newaxis] if self.independent else batch_means(values)
        return shares, self.share_errors(shares, batches, means)

    def of_numbers(self, values: Floats) -> MeansAndErrors:
        """Return the averages of numbers, samples × features, and their errors; 0/1 values are probabilities."""
        means = values.mean(axis=0)
        if self.independent:
            errors = independent_errors(values)
        else:
            chains = self.of_chains(values)
            errors = chain_errors(batch_means(chains), chains.mean(axis=1))
        indicators = ((values == 0) | (values == 1)).all(axis=0)
        if indicators.any():
            errors = np.where(indicators, self.of_indicators(values)[1], errors)
        return means, errors

    @property
    def unseen_error(self) -> float:
        """The error of the probability of what no sample has."""
        return float(self.of_indicators(np.zeros((self.total, 1)))[1][0])


def set_members(sets: Words, places: Indices) -> Iterator[tuple[int, list[int], NDArray[np.uint8]]]:
    """Yield each variable v, what its sets contain in some graph, and, samples × members, whether they do in each.

    Parameters
    ----------
    sets : array of uint64, graphs × variables × words
        A set for each variable of each different graph, such as its parents.
    places : array of int
        The graph of each sample.
    """
    for v in range(sets.shape[1]):
        own = np.ascontiguousarray(sets[:, v])
        members = members_of_any(own)
        if not members:
            continue
        octets = own.astype("<u8", copy=False).view(np.uint8)
        numbers = np.array(members)
        held = octets[:, numbers // 8] >> (numbers % 8).astype(np.uint8) & np.uint8(1)
        yield v, members, held.take(places, axis=0)


def set_shares(sets: Words, places: Indices, draws: Draws) -> MeansAndErrors:
    """Return at ``[u, v]`` the share of samples in which the set of v contains u, and the errors of these shares.

    The parameters are those of :func:`set_members`.
    """
    n = sets.shape[1]
    shares = np.zeros((n, n))
    errors = np.full((n, n), draws.unseen_error)
    np.fill_diagonal(errors, 0.0)
    for v, members, held in set_members(sets, places):
        shares[members, v], errors[members, v] = draws.of_indicators(held)
    return shares, errors


def batched_shares(means: Floats, batches: Floats, draws: Draws) -> MeansAndErrors:
    """Return probabilities and errors from averages over all steps of chains.

    Parameters
    ----------
    means : array, chains × variables × variables
        The averages of each chain.
    batches : array, chains × batches × variables × variables
        Their batch means.
    draws : Draws
        How samples were drawn.
    """
    shares = means.mean(axis=0)
    errors = np.empty_like(shares)
    width = max(1, _NUMBERS // max(1, batches[..., 0, :].size))
    for at in range(0, len(shares), width):
        rows = slice(at, at + width)
        errors[rows] = chain_share_errors(batches[..., rows, :], means[:, rows], scores_size=draws.scores_size)
    np.fill_diagonal(errors, 0.0)
    return shares, errors


def label_shares(samples: Indices, labels: Indices, count: int, draws: Draws) -> MeansAndErrors:
    """Return the share of samples with each label, and the errors of these shares.

    Parameters
    ----------
    samples, labels : array of int
        Which sample has which label; a sample may have several labels, or none.
    count : int
        The number of labels.
    draws : Draws
        How samples were drawn.
    """
    if draws.independent:
        shares = np.bincount(labels, minlength=count) / draws.total
        return shares, binomial_errors(shares, draws.total)
    starts = batch_starts(draws.draws)
    batches = len(starts) - 1
    chain, draw = np.divmod(samples, draws.draws)
    batch = chain * batches + np.searchsorted(starts, draw, side="right") - 1
    width = max(1, _NUMBERS // (draws.chains * batches))
    found = []
    for first in range(0, count, width):
        size = min(width, count - first)
        inside = (labels >= first) & (labels < first + size)
        cells = batch[inside] * size + labels[inside] - first
        counts = np.bincount(cells, minlength=draws.chains * batches * size).reshape(draws.chains, batches, size)
        means, shares = counts.sum(axis=1) / draws.draws, counts.sum(axis=(0, 1)) / draws.total
        found.append((shares, draws.share_errors(shares, counts / np.diff(starts)[:, np.newaxis], means)))
    shares, errors = (np.concatenate(each) for each in zip(*found, strict=True)) if found else (np.empty(0),) * 2
    return shares, errors


def number_means(values: Sequence[Any], places: Indices, draws: Draws) -> MeansAndErrors:
    """Return the average of numbers or arrays of one shape, one for each different graph, and the errors."""
    table = np.array(values, dtype=np.float64)
    shape = table.shape[1:]
    table = table.reshape(len(table), -1)
    width = max(1, _NUMBERS // draws.total)
    blocks = [draws.of_numbers(table[places, at : at + width]) for at in range(0, table.shape[1], width)]
    if not blocks:
        return np.empty(shape), np.empty(shape)
    means, errors = (np.concatenate(each).reshape(shape) for each in zip(*blocks, strict=True))
    return means, errors
