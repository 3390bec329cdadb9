"""Slow, obvious versions of tests of independence in measured and mixed tables, row by row, by least squares."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import stats

from oracles.independence import g2_test

Column = Sequence[Any]


def residuals(response: Any, regressors: Sequence[Any]) -> Any:
    """What a linear regression with an intercept leaves of a column."""
    design = np.column_stack([np.ones(len(response)), *regressors])
    return response - design @ np.linalg.lstsq(design, response, rcond=None)[0]


def fisher_z(values: Any, first: int, second: int, given: Sequence[int]) -> float | None:
    """The p-value of Fisher's z test; None if there are too few rows."""
    freedom = len(values) - len(given) - 3
    if freedom < 1:
        return None
    x, y = (residuals(values[:, i], [values[:, j] for j in given]) for i in (first, second))
    return float(2 * stats.norm.sf(math.sqrt(freedom) * abs(math.atanh(np.corrcoef(x, y)[0, 1]))))


def states(columns: Sequence[Column], rows: Sequence[int]) -> dict[tuple[Any, ...], list[int]]:
    """The rows of each joint state."""
    found: dict[tuple[Any, ...], list[int]] = {}
    for row in rows:
        found.setdefault(tuple(column[row] for column in columns), []).append(row)
    return found


def mixed_test(
    columns: Sequence[Column],
    discrete: Sequence[bool],
    first: int,
    second: int,
    given: Sequence[int],
    rows_per_cell: int,
) -> tuple[float, int] | None:
    """The statistic of the likelihood-ratio test and its degrees of freedom; None if there are too few rows.

    Columns must not be linearly dependent in any state.
    """
    of_set = [columns[i] for i in given if discrete[i]]
    measured = [np.asarray(columns[i], dtype=float) for i in given if not discrete[i]]
    tested = [i for i in (first, second) if discrete[i]]
    k = len(measured) + 2 - len(tested)
    levels = math.prod(len(set(columns[i])) for i in (*tested, *given) if discrete[i])
    m = len(columns[0])
    if m < rows_per_cell * levels * (k + 1):
        return None
    fewest = max(rows_per_cell * (k + 1), k + 2)
    parts: list[tuple[float, int]] = []
    left_out = False
    x, y = columns[first], columns[second]
    for rows in states(of_set, range(m)).values():
        if len(tested) == 1:
            label, response = (x, y) if discrete[first] else (y, x)
            groups = list(states([label], rows).values())
            large = [group for group in groups if len(group) >= fewest]
            left_out |= len(large) < len(groups)
            parts.append(_regressions(np.asarray(response, dtype=float), measured, large))
        elif min(map(len, states([x, y] if tested and measured else [], rows).values())) >= (fewest if k else 0):
            pair = _labels(x, y, measured, rows) if tested else _measured_pair(x, y, measured, rows)
            parts.append(pair)
        else:
            left_out = True
    freedom = sum(part[1] for part in parts)
    if left_out and freedom == 0:
        return None
    return sum(part[0] for part in parts), freedom


def _measured_pair(x: Any, y: Any, measured: Sequence[Any], rows: list[int]) -> tuple[float, int]:
    left = [residuals(np.asarray(column)[rows], [z[rows] for z in measured]) for column in (x, y)]
    r = np.corrcoef(*left)[0, 1]
    return -(len(rows) - len(measured) - 2.5) * math.log(1 - r * r), 1


def _regression(response: Any, measured: Sequence[Any], rows: list[int]) -> float:
    """Twice the largest log-likelihood of a regression, without constants."""
    left = residuals(response[rows], [z[rows] for z in measured])
    return -len(rows) * math.log((left @ left) / len(rows))


def _regressions(response: Any, measured: Sequence[Any], groups: list[list[int]]) -> tuple[float, int]:
    if len(groups) < 2:
        return 0.0, 0
    apart = sum(_regression(response, measured, group) for group in groups)
    together = _regression(response, measured, [row for group in groups for row in group])
    freedom = (len(groups) - 1) * (len(measured) + 2)
    sizes = [len(group) for group in groups]
    mean = sum(_mean(n, len(measured)) for n in sizes) - _mean(sum(sizes), len(measured))
    return (apart - together) * freedom / mean, freedom


def _mean(n: int, regressors: int) -> float:
    """The mean of what :func:`_regression` returns if errors are normal with variance 1: that of a log of χ²."""
    freedom = n - regressors - 1
    # Up to 300 degrees: by the recurrence of digamma, from 1 or 1/2.
    log_chi_square = math.log(2) - np.euler_gamma - (0 if freedom % 2 == 0 else 2 * math.log(2))
    log_chi_square += math.fsum(2 / k for k in range(2 - freedom % 2, freedom, 2))
    return -n * (log_chi_square - math.log(n))


def _normal(measured: Sequence[Any], groups: Sequence[list[int]]) -> float:
    """Twice the largest log-likelihood of normal distributions, one in each group, without constants."""
    return -math.fsum(
        len(group) * np.linalg.slogdet(np.cov([z[group] for z in measured], bias=True).reshape(len(measured), -1))[1]
        for group in groups
    )


def _labels(x: Column, y: Column, measured: Sequence[Any], rows: list[int]) -> tuple[float, int]:
    table = [(x[row], y[row]) for row in rows]
    statistic, freedom, _ = g2_test(table, 0, 1, [])
    if measured and freedom:
        k = len(measured)
        both, by_x, by_y = (list(states(c, rows).values()) for c in ([x, y], [x], [y]))
        statistic += _normal(measured, both) - _normal(measured, by_x) - _normal(measured, by_y)
        statistic += _normal(measured, [rows])
        freedom += (k + k * (k + 1) // 2) * max(len(both) - len(by_x) - len(by_y) + 1, 0)
    return statistic, freedom
