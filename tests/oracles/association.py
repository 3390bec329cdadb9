"""Joint distributions by enumeration, and measures of association by their definitions: slow and obvious."""

from __future__ import annotations

import itertools
import math

import numpy as np


def pair_joint(network, u, v):
    """P(u, v) of a network: the sum over all states of all variables."""
    names = network.variables
    sizes = [len(network.levels[name]) for name in names]
    found = np.zeros((len(network.levels[u]), len(network.levels[v])))
    for state in itertools.product(*map(range, sizes)):
        code = dict(zip(names, state, strict=True))
        chance = 1.0
        for name in names:
            parents = network.dag.parents(name)
            chance *= network.cpts[name][(*(code[parent] for parent in parents), code[name])]
        found[code[u], code[v]] += chance
    return found


def pairs_of_draws(joint):
    """Concordant minus discordant pairs of two independent draws, over the geometric mean of those that differ."""
    cells = [(i, j, joint[i, j]) for i in range(joint.shape[0]) for j in range(joint.shape[1])]
    concordant = discordant = first = second = 0.0
    for (i, j, p), (k, l, q) in itertools.product(cells, cells):  # noqa: E741
        concordant += p * q * ((i - k) * (j - l) > 0)
        discordant += p * q * ((i - k) * (j - l) < 0)
        first += p * q * (i != k)
        second += p * q * (j != l)
    return (concordant - discordant) / math.sqrt(first * second)


def cramers_v(joint):
    """√(φ² / (min(r, c) - 1)) over levels that occur."""
    rows = [i for i in range(joint.shape[0]) if joint[i].sum()]
    columns = [j for j in range(joint.shape[1]) if joint[:, j].sum()]
    if min(len(rows), len(columns)) < 2:
        return 0.0
    squared = 0.0
    for i, j in itertools.product(rows, columns):
        expected = joint[i].sum() * joint[:, j].sum()
        squared += (joint[i, j] - expected) ** 2 / expected
    return math.sqrt(squared / (min(len(rows), len(columns)) - 1))
