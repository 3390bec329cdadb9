"""Incomplete tables by their definitions: the node-average likelihood of a family, straight from the rows."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Sequence

import numpy as np

from oracles.gaussian import student_predictions
from oracles.local_scores import bdeu


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
    if levels[child] and parents and len(complete) < 5 * parameters:
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
        fewest = 5 * (len(measured) + 1) if parents else 2
        if len(members) < fewest:
            return -math.inf
        y = np.array([row[child] for row in members])
        design = np.column_stack([np.ones(len(members)), *([row[u] for row in members] for u in measured)])
        coefficients, *_ = np.linalg.lstsq(design, y, rcond=None)
        variance = float(((y - design @ coefficients) ** 2).mean())
        total += -len(members) / 2 * (math.log(2 * math.pi * variance) + 1)
    return total / len(complete) - penalty


def all_dags(n: int) -> list[tuple[tuple[int, ...], ...]]:
    """All DAGs of few variables, as the parents of each."""
    choices = [
        [parents for size in range(n) for parents in itertools.combinations([u for u in range(n) if u != v], size)]
        for v in range(n)
    ]
    return [dag for dag in itertools.product(*choices) if _is_acyclic(dag)]


def _is_acyclic(dag: Sequence[Sequence[int]]) -> bool:
    left = set(range(len(dag)))
    while left:
        free = {v for v in left if not left & set(dag[v])}
        if not free:
            return False
        left -= free
    return True


def edges_of_weights(n: int, weights: dict[tuple[tuple[int, ...], ...], float]) -> np.ndarray:
    """The probability of each edge, from logs of weights of all DAGs."""
    highest = max(weights.values())
    edges, total = np.zeros((n, n)), 0.0
    for dag, log in weights.items():
        weight = math.exp(log - highest)
        total += weight
        for child, parents in enumerate(dag):
            edges[list(parents), child] += weight
    return edges / total


def edges_over_completions(
    rows: np.ndarray, levels: Sequence[int], ess: float, penalty: float = 0.0
) -> tuple[np.ndarray, list[np.ndarray]]:
    """The probability of each edge, and of each level of each missing cell: a sum over all DAGs and all completions.

    The score is BDeu, and each edge costs ``penalty`` nats.
    """
    n, holes = rows.shape[1], np.argwhere(np.isnan(rows))
    dags = all_dags(n)
    logs: dict[tuple[tuple[int, ...], ...], list[float]] = {dag: [] for dag in dags}
    fillings = list(itertools.product(*(range(levels[v]) for _, v in holes)))
    for filling in fillings:
        table = rows.copy()
        table[tuple(holes.T)] = filling
        codes = table.astype(int).tolist()
        known: dict[tuple[int, tuple[int, ...]], float] = {}
        for dag in dags:
            total = 0.0
            for family in enumerate(dag):
                if family not in known:
                    known[family] = bdeu(codes, levels, *family, ess) - penalty * len(family[1])
                total += known[family]
            logs[dag].append(total)
    edges = edges_of_weights(n, {dag: float(np.logaddexp.reduce(found)) for dag, found in logs.items()})
    of_fillings = np.logaddexp.reduce(np.array([logs[dag] for dag in dags]), axis=0)
    shares = np.exp(of_fillings - of_fillings.max())
    shares /= shares.sum()
    cells = [
        np.bincount([filling[i] for filling in fillings], weights=shares, minlength=levels[v])
        for i, (_, v) in enumerate(holes)
    ]
    return edges, cells


def edges_over_numbers(
    rows: np.ndarray, grid: np.ndarray, alpha_mu: float = 1.0
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The probability of each edge under BGe, the mean of each missing cell, and its deviation: a sum over a grid.

    The prior has the means and variances of the observed cells, and two degrees of freedom more than variables. The
    grid of each missing cell is in standard deviations from the mean of its column.
    """
    n, holes = rows.shape[1], np.argwhere(np.isnan(rows))
    means, variances = np.nanmean(rows, axis=0), np.nanvar(rows, axis=0, ddof=1)
    prior = alpha_mu / (alpha_mu + 1) * variances
    dags = all_dags(n)
    weights: dict[tuple[tuple[int, ...], ...], list[float]] = {dag: [] for dag in dags}
    points = list(itertools.product(*(means[v] + np.sqrt(variances[v]) * grid for _, v in holes)))
    for point in points:
        table = rows.copy()
        table[tuple(holes.T)] = point
        sets = {(): 0.0}
        for size in range(1, n + 1):
            for members in itertools.combinations(range(n), size):
                chosen = list(members)
                sets[members] = student_predictions(table[:, chosen], prior[chosen], 2.0, alpha_mu, means[chosen])
        for dag in dags:
            families = [(tuple(sorted((v, *own))), own) for v, own in enumerate(dag)]
            weights[dag].append(sum(sets[family] - sets[own] for family, own in families))
    edges = edges_of_weights(n, {dag: float(np.logaddexp.reduce(found)) for dag, found in weights.items()})
    of_points = np.logaddexp.reduce(np.array([weights[dag] for dag in dags]), axis=0)
    shares = np.exp(of_points - of_points.max())
    shares /= shares.sum()
    cells = np.array(points)
    average = shares @ cells
    return edges, average, np.sqrt(shares @ (cells - average) ** 2)


def cells_given_dag(
    rows: np.ndarray, levels: Sequence[int], ess: float, dag: Sequence[Sequence[int]]
) -> list[np.ndarray]:
    """The probability of each level of each missing cell given a DAG: a sum over all completions, by BDeu."""
    holes = np.argwhere(np.isnan(rows))
    fillings = list(itertools.product(*(range(levels[v]) for _, v in holes)))
    logs = []
    for filling in fillings:
        table = rows.copy()
        table[tuple(holes.T)] = filling
        codes = table.astype(int).tolist()
        logs.append(sum(bdeu(codes, levels, child, list(parents), ess) for child, parents in enumerate(dag)))
    shares = np.exp(np.array(logs) - max(logs))
    shares /= shares.sum()
    return [
        np.bincount([filling[i] for filling in fillings], weights=shares, minlength=levels[v])
        for i, (_, v) in enumerate(holes)
    ]


def numbers_given_dag(rows: np.ndarray, grid: np.ndarray, dag: Sequence[Sequence[int]]) -> tuple[float, float]:
    """The mean and the deviation of one missing cell given a DAG, under BGe, from a sum over a grid."""
    ((row, column),) = np.argwhere(np.isnan(rows))
    means, variances = np.nanmean(rows, axis=0), np.nanvar(rows, axis=0, ddof=1)
    points = means[column] + np.sqrt(variances[column]) * grid
    logs = []
    for point in points:
        table = rows.copy()
        table[row, column] = point
        total = 0.0
        for child, parents in enumerate(dag):
            for members, sign in (([child, *parents], 1), (list(parents), -1)):
                if members:
                    arguments = (table[:, members], variances[members] / 2, 2.0, 1.0, means[members])
                    total += sign * student_predictions(*arguments)
        logs.append(total)
    shares = np.exp(np.array(logs) - max(logs))
    shares /= shares.sum()
    mean = float(shares @ points)
    return mean, float(np.sqrt(shares @ (points - mean) ** 2))
