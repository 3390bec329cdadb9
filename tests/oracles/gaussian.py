"""Scores of continuous data by their definitions: regressions, and BGe with many digits and row by row."""

from __future__ import annotations

import itertools
import math

import numpy as np


def gaussian_bic(values: np.ndarray, child: int, parents: list[int]) -> float:
    """The log-likelihood of a regression with intercept, with the unbiased variance, minus ln(m)/2 per parameter."""
    m, p = len(values), len(parents)
    design = np.column_stack([np.ones(m), *(values[:, u] for u in parents)])
    coefficients, *_ = np.linalg.lstsq(design, values[:, child], rcond=None)
    residuals = values[:, child] - design @ coefficients
    variance = float(residuals @ residuals) / (m - p - 1)
    likelihood = -m / 2 * math.log(2 * math.pi * variance) - float(residuals @ residuals) / (2 * variance)
    return likelihood - math.log(m) / 2 * (p + 2)


def bge(values: np.ndarray, members: list[int], prior: np.ndarray, freedom: float, alpha_mu: float, nu: np.ndarray):
    """J of a set by its formula, with 50 digits; ``freedom`` is alpha_w - n, and ``prior`` the diagonal of T."""
    from mpmath import mp

    with mp.workdps(50):
        m, size = len(values), len(members)
        if size == 0:
            return mp.mpf(0)
        columns = [[mp.mpf(float(x)) for x in values[:, i]] for i in members]
        means = [mp.fsum(column) / m for column in columns]
        shifts = [mean - mp.mpf(nu[i]) for mean, i in zip(means, members, strict=True)]
        weight = mp.mpf(m) * alpha_mu / (m + mp.mpf(alpha_mu))
        r = mp.matrix(size, size)
        for a in range(size):
            for b in range(size):
                r[a, b] = mp.fsum((x - means[a]) * (y - means[b]) for x, y in zip(columns[a], columns[b], strict=True))
                r[a, b] += weight * shifts[a] * shifts[b] + (mp.mpf(prior[members[a]]) if a == b else 0)
        total = mp.mpf(size) / 2 * mp.log(alpha_mu / (m + mp.mpf(alpha_mu))) - mp.mpf(size) * m / 2 * mp.log(mp.pi)
        for j in range(size):
            total += mp.loggamma((m + mp.mpf(freedom) + size - j) / 2) - mp.loggamma((mp.mpf(freedom) + size - j) / 2)
        total += (mp.mpf(freedom) + size) / 2 * mp.fsum(mp.log(mp.mpf(prior[i])) for i in members)
        # The determinant of mpmath takes matrices of very different entries for singular ones.
        roots = [mp.sqrt(r[a, a]) for a in range(size)]
        even = mp.matrix(size, size)
        for a, b in itertools.product(range(size), repeat=2):
            even[a, b] = r[a, b] / (roots[a] * roots[b])
        log = mp.log(mp.det(even)) + 2 * mp.fsum(mp.log(root) for root in roots)
        return total - (m + mp.mpf(freedom) + size) / 2 * log


def student_predictions(
    values: np.ndarray, prior: np.ndarray, freedom: float, alpha_mu: float, nu: np.ndarray
) -> float:
    """The log marginal likelihood of all columns together, row by row: multivariate Student t distributions."""
    size = values.shape[1]
    mean, count, matrix, degrees = nu.astype(float), alpha_mu, np.diag(prior).astype(float), freedom + size
    total = 0.0
    for row in values:
        t_degrees = degrees - size + 1
        shape = matrix * (count + 1) / (count * t_degrees)
        shift = row - mean
        square = float(shift @ np.linalg.solve(shape, shift))
        total += math.lgamma((t_degrees + size) / 2) - math.lgamma(t_degrees / 2)
        total -= size / 2 * math.log(t_degrees * math.pi) + np.linalg.slogdet(shape)[1] / 2
        total -= (t_degrees + size) / 2 * math.log1p(square / t_degrees)
        matrix = matrix + count / (count + 1) * np.outer(shift, shift)
        mean = (count * mean + row) / (count + 1)
        count, degrees = count + 1, degrees + 1
    return total
