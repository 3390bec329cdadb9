"""Incomplete rows in the slow, obvious way: by adding up all ways to complete them."""

from __future__ import annotations

import math
from itertools import product

import numpy as np


def completions(codes, arities):
    """Every way to fill in the cells of a row that are -1."""
    return product(*([code] if code >= 0 else range(arity) for code, arity in zip(codes, arities, strict=True)))


def row_probability(parents, cpts, row, chosen):
    """The probability of a complete row; what was set counts as 1. ``parents`` are lists of numbers."""
    return math.prod(cpts[v][(*(row[u] for u in parents[v]), row[v])] for v in range(len(parents)) if not chosen[v])


def expected_counts(parents, cpts, arities, codes, weights, chosen=None):
    """The expected counts of all tables, and the log-likelihood of what the rows show."""
    counts, log_likelihood = [np.zeros(np.shape(cpt)) for cpt in cpts], 0.0
    for number, (row, weight) in enumerate(zip(codes, weights, strict=True)):
        was_set = [False] * len(arities) if chosen is None else chosen[number]
        every = [(full, row_probability(parents, cpts, full, was_set)) for full in completions(row, arities)]
        total = sum(probability for _, probability in every)
        log_likelihood += weight * math.log(total)
        for full, probability in every:
            for v in range(len(arities)):
                if not was_set[v]:
                    counts[v][(*(full[u] for u in parents[v]), full[v])] += weight * probability / total
    return counts, log_likelihood
