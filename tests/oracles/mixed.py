"""Scores of mixed data by their definitions: indicator columns, covariances and determinants, with many digits."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence

import numpy as np


def embedded(values: np.ndarray, levels: Sequence[int], members: Sequence[int], left_out: Mapping[int, int]):
    """The columns of some variables: numbers, and indicators of observed levels apart from one."""
    columns = []
    for v in members:
        if not levels[v]:
            columns.append([values[:, v]])
            continue
        observed = [k for k in range(levels[v]) if (values[:, v] == k).any()]
        columns.append([(values[:, v] == k).astype(float) for k in observed if k != left_out.get(v, observed[0])])
    return columns


def degenerate_bic(
    values: np.ndarray, levels: Sequence[int], members: Sequence[int], penalty: float = 1.0, left_out: Mapping = {}
) -> float:
    """J of a set as published, in doubles."""
    columns = [column for block in embedded(values, levels, members, left_out) for column in block]
    m, d = len(values), len(columns)
    if not d:
        return 0.0
    covariance = np.atleast_2d(np.cov(np.array(columns), bias=True))
    return -m / 2 * np.linalg.slogdet(covariance)[1] - penalty * math.log(m) / 2 * d * (d + 1) / 2


def exact_covariance(columns: Sequence[np.ndarray]):
    """The maximum-likelihood covariance of columns, with 50 digits."""
    from mpmath import mp

    with mp.workdps(50):
        m = len(columns[0])
        numbers = [[mp.mpf(float(x)) for x in column] for column in columns]
        means = [mp.fsum(column) / m for column in numbers]
        found = mp.matrix(len(columns), len(columns))
        for a, b in itertools.product(range(len(columns)), repeat=2):
            pairs = zip(numbers[a], numbers[b], strict=True)
            found[a, b] = mp.fsum((x - means[a]) * (y - means[b]) for x, y in pairs) / m
        return found, means


def log_determinant(matrix):
    """The log of a determinant: mpmath takes matrices of very different entries for singular ones."""
    from mpmath import mp

    with mp.workdps(50):
        size = matrix.rows
        roots = [mp.sqrt(matrix[a, a]) for a in range(size)]
        even = mp.matrix(size, size)
        for a, b in itertools.product(range(size), repeat=2):
            even[a, b] = matrix[a, b] / (roots[a] * roots[b])
        return mp.log(mp.det(even)) + 2 * mp.fsum(mp.log(root) for root in roots)


def exact_degenerate_bic(
    values: np.ndarray, levels: Sequence[int], members: Sequence[int], penalty: float = 1.0, left_out: Mapping = {}
):
    """J of a set as published, with 50 digits."""
    from mpmath import mp

    columns = [column for block in embedded(values, levels, members, left_out) for column in block]
    with mp.workdps(50):
        m, d = len(values), len(columns)
        if not d:
            return mp.mpf(0)
        log = log_determinant(exact_covariance(columns)[0])
        return -mp.mpf(m) / 2 * log - mp.mpf(penalty) * mp.log(m) / 2 * d * (d + 1) / 2


def exact_degenerate_bge(
    values: np.ndarray,
    levels: Sequence[int],
    members: Sequence[int],
    freedom: float,
    alpha_mu: float,
    left_out: Mapping = {},
):
    """J of a set as a marginal likelihood, with 50 digits; ``freedom`` is alpha_w minus the number of columns."""
    from mpmath import mp

    blocks = embedded(values, levels, members, left_out)
    columns = [column for block in blocks for column in block]
    with mp.workdps(50):
        m, d = len(values), len(columns)
        total = mp.mpf(0)
        if not d:
            return total
        alpha_mu, freedom = mp.mpf(alpha_mu), mp.mpf(freedom)
        t = alpha_mu * (freedom - 1) / (alpha_mu + 1)
        posterior = exact_covariance(columns)[0] * m
        begin = 0
        for block in blocks:
            prior = exact_covariance(block)[0] * m / (m - 1) * t
            total += (freedom + d) / 2 * log_determinant(prior)
            for a, b in itertools.product(range(len(block)), repeat=2):
                posterior[begin + a, begin + b] += prior[a, b]
            begin += len(block)
        total += mp.mpf(d) / 2 * mp.log(alpha_mu / (m + alpha_mu)) - mp.mpf(d) * m / 2 * mp.log(mp.pi)
        for j in range(d):
            total += mp.loggamma((m + freedom + d - j) / 2) - mp.loggamma((freedom + d - j) / 2)
        return total - (m + freedom + d) / 2 * log_determinant(posterior)
