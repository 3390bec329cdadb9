"""Diagnostics of Markov chains by their definitions, for one feature at a time: lists of draws, one for each chain."""

from __future__ import annotations

import math
from itertools import pairwise
from statistics import NormalDist, fmean, median, variance


def halves(chains: list[list[float]]) -> list[list[float]]:
    """Both halves of every chain; the draw in the middle is left out."""
    found = []
    for chain in chains:
        half = len(chain) // 2
        found += [chain[:half], chain[len(chain) - half :]]
    return found


def plain_r_hat(chains: list[list[float]]) -> float:
    """The square root of the estimated variance over that within chains, of split chains."""
    split = halves(chains)
    draws = len(split[0])
    within = fmean(variance(chain) for chain in split)
    between = variance([fmean(chain) for chain in split])
    if within == 0:
        return 1.0 if between == 0 else math.inf
    return math.sqrt(((draws - 1) / draws * within + between) / within)


def rank_r_hat(chains: list[list[float]]) -> float:
    """The larger R-hat of normal scores of the ranks, and of those of the distances from the median."""
    split = halves(chains)
    middle = median([value for chain in split for value in chain])
    folded = [[abs(value - middle) for value in chain] for chain in split]
    return max(_unsplit_r_hat(_normal_scores(each)) for each in (split, folded))


def _unsplit_r_hat(split: list[list[float]]) -> float:
    whole = [[*split[i], *split[i + 1]] for i in range(0, len(split), 2)]
    return plain_r_hat(whole)


def _normal_scores(chains: list[list[float]]) -> list[list[float]]:
    every = sorted(value for chain in chains for value in chain)

    def score(value: float) -> float:
        below, there = sum(v < value for v in every), sum(v == value for v in every)
        rank = below + (there + 1) / 2
        return NormalDist().inv_cdf((rank - 3 / 8) / (len(every) + 1 / 4))

    return [[score(value) for value in chain] for chain in chains]


def effective_size(chains: list[list[float]]) -> float:
    """The number of draws over the autocorrelation time, by Geyer's initial monotone sequence."""
    split = halves(chains)
    count, draws = len(split), len(split[0])
    means = [fmean(chain) for chain in split]

    def covariance(lag: int) -> float:
        each = [
            sum((chain[t] - mean) * (chain[t + lag] - mean) for t in range(draws - lag)) / draws
            for chain, mean in zip(split, means, strict=True)
        ]
        return fmean(each)

    within = covariance(0) * draws / (draws - 1)
    total = within * (draws - 1) / draws + variance(means)
    if total == 0:
        return float(count * draws)
    correlation = [1.0] + [1 - (within - covariance(lag)) / total for lag in range(1, draws)]
    time, previous = -1.0, math.inf
    for lag in range(0, draws - 1, 2):
        pair = correlation[lag] + correlation[lag + 1]
        if pair <= 0:
            break
        previous = min(previous, pair)
        time += 2 * previous
    return count * draws / max(time, 1 / math.log10(count * draws))


def batch_error(chains: list[list[float]], batches: int) -> float:
    """The larger of the errors from batch means and from the means of chains; the batches divide the chains evenly."""
    size = len(chains[0]) // batches
    means = [[fmean(chain[i : i + size]) for i in range(0, len(chain), size)] for chain in chains]
    away = [[mean - fmean(each) for mean in each] for each in means]
    neighbours = sum(one * other for each in away for one, other in pairwise(each))
    correlation = max(neighbours / sum(mean**2 for each in away for mean in each), 0.0)
    found = fmean(map(variance, means)) * (1 + 2 * correlation) / (batches * len(chains))
    if len(chains) > 1:
        found = max(found, variance([fmean(chain) for chain in chains]) / len(chains))
    return math.sqrt(found)
