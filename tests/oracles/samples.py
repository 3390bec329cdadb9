"""How often samples of networks should occur, from the weights of all DAGs, and how far they may be off."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np

import dagscape as ds
from oracles.posterior import orders_of, possible_dags

# Cells in which fewer samples are expected are taken together.
LEAST_EXPECTED = 5


def dag_probabilities(scores: ds.LocalScores, over: str) -> dict[tuple[int, ...], float]:
    """The posterior probability of every possible DAG, by its sets of parents."""
    found = {
        dag.parent_masks: log_weight + math.log(orders_of(parents) if over == "orders" else 1)
        for dag, log_weight, parents in possible_dags(scores)
    }
    highest = max(found.values())
    weights = {dag: math.exp(log_weight - highest) for dag, log_weight in found.items()}
    total = math.fsum(weights.values())
    return {dag: weight / total for dag, weight in weights.items()}


def chi_square_deviate(drawn: ds.SampledNetworks, probabilities: dict[tuple[int, ...], float]) -> float:
    """The chi-square statistic of a sample, as a standard normal deviate (by Wilson and Hilferty)."""
    different, numbers = np.unique(drawn.networks.parents[:, :, 0], axis=0, return_counts=True)
    counts = Counter(dict(zip(map(tuple, different.tolist()), numbers.tolist(), strict=True)))
    assert set(counts) <= set(probabilities)
    expected = np.array([*probabilities.values()]) * len(drawn)
    observed = np.array([counts[dag] for dag in probabilities])
    few = expected < LEAST_EXPECTED
    expected = np.append(expected[~few], expected[few].sum())
    observed = np.append(observed[~few], observed[few].sum())
    kept = expected > 0
    statistic = float(((observed[kept] - expected[kept]) ** 2 / expected[kept]).sum())
    freedom = int(kept.sum()) - 1
    if freedom == 0:
        return 0.0
    spread = 2 / (9 * freedom)
    return ((statistic / freedom) ** (1 / 3) - (1 - spread)) / math.sqrt(spread)


def deviations(shares: np.ndarray, probabilities: np.ndarray, samples: int) -> np.ndarray:
    """How many Monte Carlo errors shares of samples are off; a probability of 0 or 1 has none, and must be hit."""
    errors = np.sqrt(probabilities * (1 - probabilities) / samples)
    # One sample more or less is no deviation where hardly any is expected.
    return np.maximum(np.abs(shares - probabilities) - 1 / samples, 0) / np.maximum(errors, 1e-12)
