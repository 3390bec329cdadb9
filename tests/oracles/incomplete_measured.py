"""Incomplete rows with measured variables in the slow, obvious way: every configuration, with its covariance matrix."""

from __future__ import annotations

import math

import numpy as np

from oracles.incomplete_rows import completions


def joint_normal(parents, levels, regressions, codes, chosen, values):
    """The mean and the covariance of the measured variables in a state of the discrete ones.

    A variable that was set has its value for a mean, and no variance. ``regressions[v]`` maps a state of the discrete
    parents to (intercept, {parent: coefficient}, sd).
    """
    measured = [v for v in range(len(parents)) if v not in levels]
    mean, matrix = {}, {}
    left = list(measured)
    while left:
        v = next(v for v in left if chosen[v] or not any(u in left for u in parents[v]))
        left.remove(v)
        if chosen[v]:
            mean[v] = values[v]
            matrix |= {(v, u): 0.0 for u in mean} | {(u, v): 0.0 for u in mean}
            continue
        intercept, coefficients, sd = regressions[v][tuple(int(codes[u]) for u in parents[v] if u in levels)]
        for u in list(mean):
            matrix[v, u] = matrix[u, v] = sum(b * matrix[w, u] for w, b in coefficients.items())
        mean[v] = intercept + sum(b * mean[w] for w, b in coefficients.items())
        matrix[v, v] = sd**2 + sum(
            b * c * matrix[w, x] for w, b in coefficients.items() for x, c in coefficients.items()
        )
    square = np.array([matrix[v, u] for v in measured for u in measured]).reshape(len(measured), len(measured))
    return np.array([mean[v] for v in measured]), square


def expected_moments(parents, levels, cpts, regressions, rows, chosen):
    """Counts, moments and the log-likelihood, as those of ``IncompleteMeasured``; NaN where a cell is missing.

    ``levels`` maps each discrete variable to its number of levels.
    """
    n = len(parents)
    measured = [v for v in range(n) if v not in levels]
    counts = {v: np.zeros(np.shape(cpts[v])) for v in levels}
    moments = {v: {} for v in measured}
    log_likelihood = 0.0
    for row, was_set in zip(rows, chosen, strict=True):
        codes = [int(row[v]) if v in levels and not np.isnan(row[v]) else -1 if v in levels else 0 for v in range(n)]
        every = []
        for full in completions(codes, [levels.get(v, 1) for v in range(n)]):
            weight = math.prod(cpts[v][(*(full[u] for u in parents[v]), full[v])] for v in levels if not was_set[v])
            mean, matrix = joint_normal(parents, levels, regressions, full, was_set, row)
            shown = [i for i, v in enumerate(measured) if not np.isnan(row[v]) and not was_set[v]]
            hidden = [i for i, v in enumerate(measured) if np.isnan(row[v])]
            x = np.array([row[measured[i]] for i in shown])
            own = matrix[np.ix_(shown, shown)]
            apart = x - mean[shown]
            weight *= math.exp(-0.5 * apart @ np.linalg.solve(own, apart)) if shown else 1.0
            weight /= math.sqrt(np.linalg.det(2 * math.pi * own)) if shown else 1.0
            filled = np.array([row[v] for v in measured])
            spread = np.zeros(matrix.shape)
            across = matrix[np.ix_(hidden, shown)]
            filled[hidden] = mean[hidden] + (across @ np.linalg.solve(own, apart) if shown else 0.0)
            rest = matrix[np.ix_(hidden, hidden)] - (across @ np.linalg.solve(own, across.T) if shown else 0.0)
            spread[np.ix_(hidden, hidden)] = rest
            every.append((full, weight, filled, spread))
        total = sum(weight for _, weight, _, _ in every)
        log_likelihood += math.log(total)
        for full, weight, filled, spread in every:
            share = weight / total
            for v in range(n):
                if was_set[v]:
                    continue
                if v in levels:
                    counts[v][(*(full[u] for u in parents[v]), full[v])] += share
                    continue
                state = tuple(full[u] for u in parents[v] if u in levels)
                members = [measured.index(u) for u in (*(u for u in parents[v] if u not in levels), v)]
                own, square = filled[members], spread[np.ix_(members, members)]
                rows_of, sums, products = moments[v].get(state, (0.0, 0.0, 0.0))
                moments[v][state] = (
                    rows_of + share,
                    sums + share * own,
                    products + share * (np.outer(own, own) + square),
                )
    return counts, moments, log_likelihood
