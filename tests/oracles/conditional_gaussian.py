"""Conditional Gaussian scores by their definitions: cell by cell, with 50 digits, or by regressions."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import numpy as np

import dagscape as ds
from oracles.gaussian import bge


def exact_mean(column: np.ndarray):
    """The mean of a column with 50 digits."""
    from mpmath import mp

    with mp.workdps(50):
        return mp.fsum(mp.mpf(float(x)) for x in column) / len(column)


def exact_variance(column: np.ndarray):
    """The sample variance of a column with 50 digits."""
    from mpmath import mp

    with mp.workdps(50):
        mean = exact_mean(column)
        return mp.fsum((mp.mpf(float(x)) - mean) ** 2 for x in column) / (len(column) - 1)


def cells(values: np.ndarray, discrete: list[int]) -> dict[tuple[float, ...], np.ndarray]:
    """The rows of each observed joint state of some discrete columns."""
    found: dict[tuple[float, ...], list[np.ndarray]] = {}
    for row in values:
        found.setdefault(tuple(row[discrete]), []).append(row)
    return {state: np.array(rows) for state, rows in found.items()}


def conditional_gaussian(
    data: ds.MixedData,
    members: list[int],
    *,
    ess: float = 1.0,
    alpha_mu: float = 1.0,
    freedom: float = 2.0,
    nu: float | None = None,
    scale: str = "standardize",
    rows: np.ndarray | None = None,
):
    """J of a set: BDeu of its discrete variables, and BGe of its measured ones in each cell.

    ``freedom`` is alpha_w − n. ``rows`` are those that it is fitted to; the prior comes from all of them.
    """
    from mpmath import mp

    with mp.workdps(50):
        t = mp.mpf(alpha_mu) * (freedom - 1) / (alpha_mu + 1)
        discrete = [v for v in members if data.level_counts[v]]
        measured = [v for v in members if not data.level_counts[v]]
        every = range(data.n)
        prior = [t * exact_variance(data.values[:, v]) if scale == "standardize" else t for v in every]
        means = [exact_mean(data.values[:, v]) if nu is None else mp.mpf(nu) for v in every]
        states = math.prod(data.level_counts[v] for v in discrete)
        total = mp.mpf(0)
        alpha = mp.mpf(ess) / states
        for own in cells(data.values if rows is None else data.values[rows], discrete).values():
            total += mp.loggamma(len(own) + alpha) - mp.loggamma(alpha)
            total += bge(own, measured, prior, freedom, alpha_mu, means)
        return total


def exact_conditional_bic(data: ds.MixedData, members: list[int]):
    """J of a set with 50 digits, from the determinants of exact scatter matrices; minus infinity if a cell is small."""
    from mpmath import mp

    with mp.workdps(50):
        discrete = [v for v in members if data.level_counts[v]]
        measured = [v for v in members if not data.level_counts[v]]
        d, half_log = len(measured), mp.log(data.m) / 2
        states = math.prod(data.level_counts[v] for v in discrete)
        total = -half_log * states * (1 + mp.mpf(d * (d + 3)) / 2)
        for own in cells(data.values, discrete).values():
            rows = len(own)
            total += rows * mp.log(rows)
            if d and rows < d + 1:
                return -mp.inf
            for p in range(d):
                total -= mp.mpf(rows) / 2 * (mp.log(2 * mp.pi) - mp.log(rows - p - 1)) + mp.mpf(rows - p - 1) / 2
            if d:
                total -= mp.mpf(rows) / 2 * mp.log(_scatter_determinant(own[:, measured]))
        return total


def _scatter_determinant(values: np.ndarray):
    """The determinant of the scatter matrix of some columns, from fractions."""
    from mpmath import mp

    rows, d = values.shape
    exact = [[Fraction(float(x)) for x in column] for column in values.T]
    means = [sum(column, Fraction(0)) / rows for column in exact]
    matrix = [
        [sum((x - means[i]) * (y - means[j]) for x, y in zip(exact[i], exact[j], strict=True)) for j in range(d)]
        for i in range(d)
    ]
    determinant = Fraction(1)
    for step in range(d):
        determinant *= matrix[step][step]
        for row in matrix[step + 1 :]:
            factor = row[step] / matrix[step][step]
            row[:] = [entry - factor * pivot for entry, pivot in zip(row, matrix[step], strict=True)]
    return mp.mpf(determinant.numerator) / determinant.denominator


def conditional_bic(data: ds.MixedData, child: int, parents: list[int]) -> float:
    """The score of a family: regressions in each cell, or counts, minus ln(m)/2 for each parameter."""
    m = data.m
    discrete = [v for v in parents if data.level_counts[v]]
    measured = [v for v in parents if not data.level_counts[v]]
    states = math.prod(data.level_counts[v] for v in discrete)
    total = 0.0
    for own in cells(data.values, discrete).values():
        if data.level_counts[child]:
            counts = Counter(own[:, child].tolist())
            total += sum(count * math.log(count / len(own)) for count in counts.values())
            continue
        rows, p = len(own), len(measured)
        if rows < p + 2:
            return -math.inf
        design = np.column_stack([np.ones(rows), *(own[:, u] for u in measured)])
        coefficients, *_ = np.linalg.lstsq(design, own[:, child], rcond=None)
        squares = float(((own[:, child] - design @ coefficients) ** 2).sum())
        variance = squares / (rows - p - 1)
        total -= rows / 2 * math.log(2 * math.pi * variance) + squares / (2 * variance)
    parameters = (data.level_counts[child] - 1 if data.level_counts[child] else len(measured) + 2) * states
    return total - math.log(m) / 2 * parameters
