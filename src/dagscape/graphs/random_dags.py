"""Random DAGs: along a random order, or uniformly over all DAGs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache

import numpy as np

from dagscape.checks import is_between, is_whole
from dagscape.errors import InvalidOption
from dagscape.graphs.dag import Dag
from dagscape.masks import mask_of
from dagscape.randomness import Seed, random_generator

_MOST_UNIFORM = 120


def random_dag(
    variables: int | Sequence[str],
    expected_parents: float | None = None,
    *,
    max_parents: int | None = None,
    seed: Seed = None,
) -> Dag:
    """A random DAG along a random order of the variables.

    Parameters
    ----------
    variables : int or sequence of str
        The variables, or how many there are (named ``X0``, ``X1``, …).
    expected_parents : float, optional
        The number of parents a variable has on average, at most (n − 1)/2, by default 1.5; each pair of variables is
        joined with the same probability.
    max_parents : int, optional
        The most parents a variable may have; where there would be more, some are left out at random.
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
    if not is_between(expected, 0, most):
        raise InvalidOption(f"is {expected!r}; it must be between 0 and {most}", option="expected_parents")
    if max_parents is not None and not is_whole(max_parents, at_least=0):
        raise InvalidOption(f"is {max_parents!r}; it must be a whole number, 0 or more", option="max_parents")
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
    """A DAG drawn uniformly from all DAGs on the variables [kuipers2015]_.

    The variables without parents are drawn first, with the exact number of DAGs that begin with so many of them; then,
    among the others, those whose parents all lie in the layers before and that have one in the last; and so on. The
    numbers of DAGs have n²/2 bits, which takes seconds from 100 variables on.

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
    """The number of DAGs on n variables of which exactly these many have no parents, by choice of them."""
    if n == sources:
        return 1
    left = n - sources
    return math.comb(n, sources) * sum(_ways(left, size, sources) for size in range(1, left + 1))


def _ways(left: int, size: int, above: int) -> int:
    """The weight of ``size`` variables in the next layer, with ``left`` not placed and ``above`` in the last layer."""
    if above == 0:
        return _sourced(left, size)
    # Each has some of the last layer among its parents; the variables after them may have any of it.
    return math.prod([(1 << above) - 1] * size) * (1 << above * (left - size)) * _sourced(left, size)


def _pick(weights: Sequence[int], random: np.random.Generator) -> int:
    """A number with a chance in exact proportion to its weight."""
    target = _below(sum(weights), random)
    for number, weight in enumerate(weights):
        if target < weight:
            return number
        target -= weight
    raise AssertionError


def _below(limit: int, random: np.random.Generator) -> int:
    """A whole number below the limit, of any size, each equally likely."""
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
