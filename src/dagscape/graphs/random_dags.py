"""Random DAGs: consistent with a random order, or uniform over all DAGs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache

import numpy as np

from dagscape.core.checks import is_whole
from dagscape.core.constraints import Number, OrNone, Whole
from dagscape.core.errors import InvalidOption
from dagscape.core.masks import mask_of
from dagscape.core.randomness import Seed, random_generator
from dagscape.graphs.dag import Dag

_MOST_UNIFORM = 120


def random_dag(
    variables: int | Sequence[str],
    expected_parents: float | None = None,
    *,
    max_parents: int | None = None,
    seed: Seed = None,
) -> Dag:
    """Return a random DAG that is consistent with a random order of the variables.

    Parameters
    ----------
    variables : int or sequence of str
        The variables, or their number (then named ``X0``, ``X1``, …).
    expected_parents : float, optional
        The average number of parents of a variable, at most (n − 1)/2; each pair of variables is joined with the same
        probability. Default: 1.5, or (n − 1)/2 if that is less.
    max_parents : int, optional
        The maximal number of parents of a variable; a random subset is kept if there are more. Default: no limit.
    seed : int or numpy Generator, optional
        Where the randomness comes from.

    Examples
    --------
    >>> import dagscape as ds
    >>> ds.random_dag(4, seed=1) == ds.random_dag(4, seed=1)
    True
    """
    names = _names(variables)
    n = len(names)
    most = (n - 1) / 2
    expected = min(1.5, most) if expected_parents is None else expected_parents
    Number(0, most, said=f"between 0 and {most}").check(expected, "expected_parents")
    OrNone(Whole(0)).check(max_parents, "max_parents")
    probability = expected / most if n > 1 else 0.0
    random = random_generator(seed)
    order = random.permutation(n).tolist()
    parents = [0] * n
    for place, child in enumerate(order):
        chosen = [parent for parent in order[:place] if random.random() < probability]
        if max_parents is not None and len(chosen) > max_parents:
            chosen = random.choice(chosen, max_parents, replace=False).tolist()
        parents[child] = mask_of(chosen)
    return Dag(names, tuple(parents))


def uniform_dag(variables: int | Sequence[str], *, seed: Seed = None) -> Dag:
    """Return a DAG drawn uniformly from all DAGs on the variables [kuipers2015]_.

    The DAG is drawn layer by layer. The first layer has the variables without parents; each later layer has the
    variables with all parents in earlier layers, and at least one in the previous layer. The size of each layer is
    drawn by exact counts of DAGs. These have about n²/2 bits, so that 100 variables take seconds.

    Examples
    --------
    >>> import dagscape as ds
    >>> ds.uniform_dag(5, seed=0).n
    5
    """
    names = _names(variables)
    n = len(names)
    if n > _MOST_UNIFORM:
        raise InvalidOption(f"a uniform DAG of {n} variables would take too long; the limit is {_MOST_UNIFORM}")
    random = random_generator(seed)
    layers = []
    left, above = n, 0
    while left:
        weights = [_ways(left, size, above) for size in range(1, left + 1)]
        above = 1 + _pick(weights, random)
        layers.append(above)
        left -= above
    order = random.permutation(n).tolist()
    parents = [0] * n
    earlier: list[int] = []
    last: list[int] = []
    at = 0
    for size in layers:
        layer = order[at : at + size]
        for child in layer:
            parents[child] = _random_subset(earlier, random) | _nonempty_subset(last, random)
        earlier, last = earlier + last, layer
        at += size
    return Dag(names, tuple(parents))


@cache
def _sourced(n: int, sources: int) -> int:
    """Return the number of DAGs on n variables of which exactly ``sources`` have no parents."""
    if n == sources:
        return 1
    left = n - sources
    return math.comb(n, sources) * sum(_ways(left, size, sources) for size in range(1, left + 1))


def _ways(left: int, size: int, above: int) -> int:
    """Return the weight of a layer of ``size`` variables, with ``left`` to place and ``above`` in the last layer."""
    if above == 0:
        return _sourced(left, size)
    # Each has a parent in the last layer; the variables of later layers may have any parents in it.
    return math.prod([(1 << above) - 1] * size) * (1 << above * (left - size)) * _sourced(left, size)


def _pick(weights: Sequence[int], random: np.random.Generator) -> int:
    """Return a random index, with a probability exactly proportional to its weight."""
    target = _below(sum(weights), random)
    for number, weight in enumerate(weights):
        if target < weight:
            return number
        target -= weight
    raise AssertionError


def _below(limit: int, random: np.random.Generator) -> int:
    """Return a random integer below a limit of any size, uniformly."""
    size = limit.bit_length()
    while True:
        value = int.from_bytes(random.bytes((size + 7) // 8), "little") >> (-size % 8)
        if value < limit:
            return value


def _random_subset(members: Sequence[int], random: np.random.Generator) -> int:
    return mask_of(member for member in members if random.random() < 0.5)


def _nonempty_subset(members: Sequence[int], random: np.random.Generator) -> int:
    while members:
        if chosen := _random_subset(members, random):
            return chosen
    return 0


def _names(variables: int | Sequence[str]) -> tuple[str, ...]:
    if isinstance(variables, Sequence):
        return tuple(variables)
    if not is_whole(variables, at_least=1):
        raise InvalidOption(f"a graph needs at least one variable, not {variables!r}")
    return tuple(f"X{i}" for i in range(variables))
