"""Little's test row by row, with slow EM that treats every row alone."""

from __future__ import annotations

import numpy as np


def little(rows, iterations=300):
    """d² and its degrees of freedom; rows without any number do not count."""
    rows = [row for row in rows if not np.isnan(row).all()]
    n = len(rows[0])
    mean = np.array([np.nanmean([row[i] for row in rows]) for i in range(n)])
    matrix = np.diag([np.nanvar([row[i] for row in rows]) for i in range(n)])
    for _ in range(iterations):
        filled, spread = [], np.zeros((n, n))
        for row in rows:
            seen, hidden = ~np.isnan(row), np.isnan(row)
            slopes = matrix[hidden][:, seen] @ np.linalg.inv(matrix[seen][:, seen])
            whole = np.array(row)
            whole[hidden] = mean[hidden] + slopes @ (row[seen] - mean[seen])
            filled.append(whole)
            left = np.zeros((n, n))
            left[np.ix_(hidden, hidden)] = matrix[hidden][:, hidden] - slopes @ matrix[seen][:, hidden]
            spread += left
        mean = np.mean(filled, axis=0)
        matrix = (sum(np.outer(row - mean, row - mean) for row in filled) + spread) / len(rows)
    groups = {}
    for row in rows:
        groups.setdefault(tuple(~np.isnan(row)), []).append(row)
    statistic = 0.0
    for seen, own in groups.items():
        marks = np.array(seen)
        apart = np.mean([row[marks] for row in own], axis=0) - mean[marks]
        statistic += len(own) * apart @ np.linalg.inv(matrix[marks][:, marks]) @ apart
    return statistic, sum(sum(seen) for seen in groups) - n
