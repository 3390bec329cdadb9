r"""Networks and rows drawn from the prior of BDeu scores: the data for which posteriors are calibrated by definition.

*Structure*: every DAG with at most k parents of each variable has the same probability. Such a DAG is drawn layer by
layer: the first layer has the variables without parents, each later one those with all parents in earlier layers and at
least one in the last. A variable with e variables in earlier layers and l in the last has
:math:`s(e + l) - s(e)` sets of parents, with s(x) the number of sets of at most k of x, so that

.. math:: f(u, l, e) = \sum_{j=1}^{u} \binom{u}{j} (s(e + l) - s(e))^j f(u - j, j, e + l)

DAGs complete u variables that are left. These counts are exact integers.

*Tables*: each row of a table with r levels and q states of the parents is drawn from the Dirichlet distribution with
all parameters equal to ess / (r q).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np

import dagscape as ds


@dataclass(frozen=True)
class Drawn:
    """A network from the prior, and rows of it."""

    network: ds.Network
    data: ds.Dataset


def drawn(n: int, rows: int, max_parents: int, ess: float, rng: np.random.Generator) -> Drawn:
    """Draw a structure, tables of two or three levels, and rows."""
    dag = bounded_dag(n, max_parents, rng)
    levels = {name: [str(k) for k in range(rng.integers(2, 4))] for name in dag.variables}
    tables = {}
    for name in dag.variables:
        states = [len(levels[parent]) for parent in dag.parents(name)]
        size = len(levels[name])
        tables[name] = rng.dirichlet(np.full(size, ess / (size * math.prod(states))), size=states)
    network = ds.Network(dag, levels, tables)
    return Drawn(network, network.sample(rows, seed=rng))


def bounded_dag(n: int, max_parents: int, rng: np.random.Generator) -> ds.Dag:
    """Draw a DAG uniformly from those with at most so many parents of each variable."""
    order = rng.permutation(n).tolist()
    names = [f"v{i}" for i in range(n)]
    parents: dict[int, list[int]] = {}
    earlier: list[int] = []
    last: list[int] = []
    while len(order) > 0:
        ways = [_ways(len(order), size, len(last), len(earlier), max_parents) for size in range(1, len(order) + 1)]
        size = 1 + _pick(ways, rng)
        layer, order = order[:size], order[size:]
        for child in layer:
            parents[child] = _set_of_parents(earlier, last, max_parents, rng)
        earlier, last = earlier + last, layer
    return ds.Dag.from_edges(names, [(names[u], names[v]) for v, found in parents.items() for u in found])


@cache
def _sets(size: int, most: int) -> int:
    return sum(math.comb(size, k) for k in range(most + 1))


@cache
def _choices(last: int, earlier: int, most: int) -> int:
    """The number of sets of parents of a variable of the next layer."""
    return _sets(earlier + last, most) - (_sets(earlier, most) if last else 0)


@cache
def _ways(left: int, size: int, last: int, earlier: int, most: int) -> int:
    """The number of ways to complete a DAG whose next layer has some size."""
    rest = left - size
    then = sum(_ways(rest, after, size, earlier + last, most) for after in range(1, rest + 1)) if rest else 1
    return math.comb(left, size) * _choices(last, earlier, most) ** size * then


def _pick(weights: list[int], rng: np.random.Generator) -> int:
    """Draw a place by large integers as weights."""
    total = sum(weights)
    at = int.from_bytes(rng.bytes(total.bit_length() // 8 + 9), "little") % total
    for place, weight in enumerate(weights):
        at -= weight
        if at < 0:
            return place
    raise AssertionError


def _set_of_parents(earlier: list[int], last: list[int], most: int, rng: np.random.Generator) -> list[int]:
    """Draw a set with a member of the last layer uniformly; the first layer has no parents."""
    if not last:
        return []
    sizes = [(k, j) for k in range(most + 1) for j in range(1, most + 1 - k)]
    ways = [math.comb(len(earlier), k) * math.comb(len(last), j) for k, j in sizes]
    k, j = sizes[_pick(ways, rng)]
    return [*_choice(earlier, k, rng), *_choice(last, j, rng)]


def _choice(members: list[int], size: int, rng: np.random.Generator) -> list[int]:
    return rng.permutation(members)[:size].astype(int).tolist()
