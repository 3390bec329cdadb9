"""Monte Carlo errors of averages over samples, and diagnostics of Markov chains.

Values are arrays of *chains × draws × features*, or batch means, *chains × batches × features*. Features may have any
number of axes.

*Independent samples.* Of N samples, k have a feature. With p = (k + 1) / (N + 2), the error is √(p (1 - p) / N), so
that a feature that was never seen has an error as well: about 1 / N.

*Chains.* Each chain is divided into batches of consecutive draws: √draws of them, but at least 10 if there are as many
draws. The error of an average is the larger of

- the batch-means error: √(s² (1 + 2 r) / number of batches), where s² is the variance of the batch means of a chain,
  averaged over chains, and r the correlation of neighbouring batch means, if positive: batches that are not much longer
  than the memory of a chain would otherwise hide a part of the error;
- the error from the spread of the chains: √(t² / number of chains), where t² is the variance of their means.

Chains can miss what independent samples, as many as the effective size N of the scores, can miss: about 1 / N, the
error of a feature that was never seen. Nothing in the batches tells of it, so the squares of both errors are added. The
error of a probability is at least the smoothed error of independent samples above, with the effective sample size that
follows from the batches and the spread: N = p (1 - p) / error², at most the number of draws.

*Diagnostics.* The split R-hat compares the variance between halves of chains with that within them; it is near 1 if the
chains have forgotten where they started. Of real numbers, ranks are transformed to normal scores, and so are the
distances from the median, and the larger R-hat counts [vehtari2021]_. The effective size is the number of independent
draws with the same error, from the autocorrelations of all chains, by Geyer's initial monotone sequence, as there.

Notation: the paper's M chains of N draws are ``chains`` and ``draws``; B and W are ``between`` and ``within``.
"""

from __future__ import annotations

import math
from itertools import pairwise
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# Fewer batches than this say little about their variance.
FEWEST_BATCHES = 10

# The fewest draws of a chain whose halves have a variance.
FEWEST_DRAWS = 4
# Effective occurrences, or their absence, below which the size of a feature is that of the scores.
_LEAST_SEEN = 0.5


def batch_starts(draws: int) -> NDArray[np.intp]:
    """Return where the batches of a chain begin, and the number of draws at the end.

    >>> batch_starts(25).tolist()
    [0, 2, 5, 7, 10, 12, 15, 17, 20, 22, 25]
    >>> len(batch_starts(10_000)) - 1
    100
    """
    batches = min(draws, max(FEWEST_BATCHES, math.isqrt(draws)))
    return np.arange(batches + 1) * draws // batches


def batch_means(values: NDArray[Any]) -> Floats:
    """Return the means of batches: chains × batches × features, from chains × draws × features.

    >>> batch_means(np.arange(40).reshape(2, 20))[1].tolist()
    [20.5, 22.5, 24.5, 26.5, 28.5, 30.5, 32.5, 34.5, 36.5, 38.5]
    """
    starts = batch_starts(values.shape[1])
    found = np.empty((len(values), len(starts) - 1, *values.shape[2:]))
    # Sums of small integers are several times faster as integers.
    sums = np.float64 if values.dtype.kind == "f" else np.int64
    for batch, (first, end) in enumerate(pairwise(starts.tolist())):
        found[:, batch] = values[:, first:end].sum(axis=1, dtype=sums) / (end - first)
    return found


def binomial_errors(shares: Any, size: Any) -> Floats:
    """Return the errors of shares among independent samples, smoothed: no share has the error 0.

    >>> binomial_errors([0.0, 0.5], 98).round(4).tolist()
    [0.0101, 0.0505]
    """
    smoothed = (np.asarray(shares, dtype=np.float64) * size + 1) / (size + 2)
    errors: Floats = np.sqrt(smoothed * (1 - smoothed) / size)
    return errors


def independent_errors(values: NDArray[Any]) -> Floats:
    """Return the standard errors of the means of independent numbers, samples × features; 0 for a single sample."""
    size = len(values)
    errors: Floats = values.std(axis=0, ddof=1, dtype=np.float64) / math.sqrt(size) if size > 1 else 0.0 * values[0]
    return errors


def chain_errors(batches: Floats, means: Floats | None = None) -> Floats:
    """Return the errors of averages over chains: the larger of those from batch means and from the spread of chains.

    Parameters
    ----------
    batches : array, chains × batches × features
        The means of consecutive draws.
    means : array, chains × features, optional
        The means of the chains. Default: those of the batches.
    """
    chains, count = batches.shape[:2]
    found = np.zeros(batches.shape[2:])
    if count > 1:
        away = batches - batches.mean(axis=1, keepdims=True)
        squares = (away**2).sum(axis=(0, 1))
        neighbours = np.maximum((away[:, 1:] * away[:, :-1]).sum(axis=(0, 1)), 0.0)
        # The sum of squares over chains × (count - 1) is s², and the quotient of the two sums is r.
        found = (squares + 2 * neighbours) / (chains * (count - 1)) / (chains * count)
    if chains > 1:
        spread = (batches.mean(axis=1) if means is None else means).var(axis=0, ddof=1) / chains
        found = np.maximum(found, spread)
    errors: Floats = np.sqrt(found)
    return errors


def chain_share_errors(
    batches: Floats, means: Floats | None = None, *, draws: int | None = None, scores_size: float = 1.0
) -> Floats:
    """Return the errors of probabilities from chains, by the rule of this module.

    Parameters
    ----------
    batches, means
        As in :func:`chain_errors`.
    draws : int, optional
        The number of draws of all chains, which the effective size does not exceed. Default: any size, as for averages
        of conditional probabilities.
    scores_size : float
        The effective size of the scores.

    Examples
    --------
    >>> never, always = np.zeros((4, 10, 1)), np.ones((4, 10, 1))
    >>> chain_share_errors(never, draws=1000, scores_size=98.0).round(4).tolist()
    [0.0101]
    >>> stuck = np.concatenate([never, always])
    >>> chain_share_errors(stuck, draws=1000, scores_size=98.0).round(4).tolist()
    [0.1892]
    """
    errors = chain_errors(batches, means)
    shares = (batches.mean(axis=1) if means is None else means).mean(axis=0)
    most = math.inf if draws is None else draws
    spread = shares * (1 - shares)
    with np.errstate(divide="ignore", invalid="ignore"):
        size = spread / errors**2
    # Of what nearly always or hardly ever occurs, the errors say nothing about the size: they may be rounding errors.
    told = (errors > 0) & (spread * max(scores_size, 1.0) > _LEAST_SEEN)
    size = np.clip(np.where(told, size, scores_size), 1.0, most)
    floor = np.where(np.isfinite(size), binomial_errors(shares, np.where(np.isfinite(size), size, 1.0)), 0.0)
    unseen = binomial_errors(0.0, max(scores_size, 1.0))
    return np.maximum(np.hypot(errors, unseen), floor)


def split_r_hat(values: NDArray[Any], *, ranks: bool = True) -> Any:
    """Return the split R-hat of chains.

    Parameters
    ----------
    values : array, chains × draws × features
        The draws, at least four of each chain.
    ranks : bool
        Whether to transform ranks to normal scores, as for real numbers. False for 0/1 values.

    Returns
    -------
    float, or array of the shape of the features
        1 if all values are equal; infinity if halves of chains are constant, but not all equal.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> round(split_r_hat(rng.normal(size=(4, 1000))), 3)
    1.002
    >>> split_r_hat(np.array([[0, 0, 0, 0], [1, 1, 1, 1]]), ranks=False)
    inf
    """
    halves = _halves(np.asarray(values, dtype=np.float64))
    if not ranks:
        return _plain(_r_hat(halves.mean(axis=1), halves.var(axis=1, ddof=1), halves.shape[1]))
    median = np.median(halves, axis=(0, 1))
    found = [_normal_scores(each) for each in (halves, np.abs(halves - median))]
    each = [_r_hat(z.mean(axis=1), z.var(axis=1, ddof=1), z.shape[1]) for z in found]
    return _plain(np.maximum(*each))


def effective_size(values: NDArray[Any]) -> Any:
    """Return the effective number of draws for the mean.

    Parameters
    ----------
    values : array, chains × draws × features
        The draws, at least four of each chain.

    Returns
    -------
    float, or array of the shape of the features
        The number of draws if all values are equal, because then nothing is known about their correlation.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> 3500 < effective_size(rng.normal(size=(4, 1000))) < 4500
    True
    >>> effective_size(rng.normal(size=(4, 1000)).cumsum(axis=1)) < 40
    True
    """
    halves = _halves(np.asarray(values, dtype=np.float64))
    # Squares of numbers up to 1 do not overflow.
    halves = halves / max(float(np.abs(halves).max(initial=0.0)), 1e-300)
    chains, draws = halves.shape[:2]
    total = chains * draws
    covariances = _autocovariances(halves).mean(axis=0)
    within = covariances[0] * draws / (draws - 1)
    variance = covariances[0] + halves.mean(axis=1).var(axis=0, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        correlations = 1 - (within - covariances) / variance
    correlations[0] = 1.0
    # Sums of neighbours, which decrease; the sequence ends where they are not positive.
    even = draws - draws % 2
    pairs = correlations[0:even:2] + correlations[1:even:2]
    positive = np.logical_and.accumulate(pairs > 0, axis=0)
    monotone = np.minimum.accumulate(np.where(positive, pairs, 0.0), axis=0)
    time = np.maximum(2 * monotone.sum(axis=0) - 1, 1 / math.log10(total))
    return _plain(np.where(variance > 0, total / time, float(total)))


def _halves(values: Floats) -> Floats:
    """Return the first and the last halves of chains; a draw in the middle is left out."""
    half = values.shape[1] // 2
    return np.concatenate([values[:, :half], values[:, values.shape[1] - half :]])


def _r_hat(means: Floats, variances: Floats, draws: int) -> Floats:
    within = variances.mean(axis=0)
    between = means.var(axis=0, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Floats = np.sqrt((draws - 1) / draws + between / within)
    # Where all halves are constant, they agree or they do not.
    return np.where(within > 0, found, np.where(between > 0, math.inf, 1.0))


def _normal_scores(values: Floats) -> Floats:
    """Return the ranks of values among all draws, with ties at their average, as quantiles of the normal law."""
    flat = values.reshape(values.shape[0] * values.shape[1], -1)
    scores = np.empty_like(flat)
    inverse = NormalDist().inv_cdf
    for column in range(flat.shape[1]):
        _, places, counts = np.unique(flat[:, column], return_inverse=True, return_counts=True)
        ranks = np.cumsum(counts) - (counts - 1) / 2
        quantiles = (ranks - 3 / 8) / (len(flat) + 1 / 4)
        scores[:, column] = np.array([inverse(quantile) for quantile in quantiles.tolist()])[places]
    return scores.reshape(values.shape)


def _autocovariances(values: Floats) -> Floats:
    """Return the autocovariances of chains at all lags: chains × lags × features."""
    draws = values.shape[1]
    # Zeros keep the end of a chain from meeting its beginning.
    size = 1 << (2 * draws - 1).bit_length()
    spectrum = np.fft.rfft(values - values.mean(axis=1, keepdims=True), size, axis=1)
    found: Floats = np.fft.irfft(np.abs(spectrum) ** 2, size, axis=1)[:, :draws] / draws
    return found


def _plain(found: Floats) -> Any:
    return found if found.ndim else float(found)
