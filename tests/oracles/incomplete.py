"""Incomplete tables by their definitions: the node-average likelihood of a family, straight from the rows."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np


def node_average_likelihood(
    rows: Sequence[Sequence[float]],
    levels: Sequence[int],
    child: int,
    parents: Sequence[int],
    exponent: float,
    free: Sequence[bool] | None = None,
) -> float:
    """The average log-likelihood of a family over the rows complete for it, minus its penalty.

    ``levels`` is 0 for a measured variable, a missing cell is NaN, and ``free`` are the rows in which no experiment set
    the child.
    """
    free = [True] * len(rows) if free is None else free
    family = [child, *parents]
    fitted = [row for row, is_free in zip(rows, free, strict=True) if is_free]
    complete = [row for row in fitted if not any(math.isnan(row[v]) for v in family)]
    discrete = [u for u in parents if levels[u]]
    measured = [u for u in parents if not levels[u]]
    states = math.prod(levels[u] for u in discrete)
    parameters = (levels[child] - 1) * states if levels[child] else states * (len(measured) + 2)
    penalty = len(fitted) ** -exponent / len(levels) * parameters
    if not complete or (levels[child] and measured):
        return -math.inf
    cells: dict[tuple[float, ...], list[Sequence[float]]] = {}
    for row in complete:
        cells.setdefault(tuple(row[u] for u in discrete), []).append(row)
    total = 0.0
    for members in cells.values():
        if levels[child]:
            counts = Counter(row[child] for row in members)
            total += sum(count * math.log(count / len(members)) for count in counts.values())
            continue
        fewest = 5 * (len(measured) + 1) if measured else 2
        if len(members) < fewest:
            return -math.inf
        y = np.array([row[child] for row in members])
        design = np.column_stack([np.ones(len(members)), *([row[u] for row in members] for u in measured)])
        coefficients, *_ = np.linalg.lstsq(design, y, rcond=None)
        variance = float(((y - design @ coefficients) ** 2).mean())
        total += -len(members) / 2 * (math.log(2 * math.pi * variance) + 1)
    return total / len(complete) - penalty
