"""Isotonic regression on the states of some skills, by the max-min formula over all upper and lower sets."""

from __future__ import annotations

from itertools import chain, combinations


def isotonic_by_formula(shares: list[float], weights: list[float]) -> list[float]:
    """x_s = max over upper sets U with s of min over lower sets L with s of the weighted mean of the states in both."""
    states = range(len(shares))
    subsets = [set(some) for some in chain.from_iterable(combinations(states, size) for size in range(len(shares) + 1))]
    upper = [some for some in subsets if all(t in some for s in some for t in states if s & t == s)]
    lower = [set(states) - some for some in upper]

    def mean(some: set[int]) -> float:
        return sum(weights[s] * shares[s] for s in some) / sum(weights[s] for s in some)

    return [max(min(mean(u & w) for w in lower if s in w) for u in upper if s in u) for s in states]
