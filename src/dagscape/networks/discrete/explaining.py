r"""The most probable explanation: one value for each variable, given what is observed [koller2009]_.

The problem: find the values x of all variables that agree with the evidence and maximise

    P(x) = Π_v P(x_v | x_pa(v)).

Eliminating one variable at a time, as for probabilities (:mod:`dagscape.networks.discrete.elimination`), with the
maximum in place of the sum, finds the maximum; going back through the eliminated variables in reverse finds values that
attain it. The cost is that of a query about the largest part of the network: exponential in its treewidth. The most
probable values *together* are not the most probable values of each variable alone.

*Ties.* Probabilities are multiplied as integers: each logarithm is rounded once, to a unit that is as fine as 64 bits
allow, so that sums do not depend on the order of elimination, and explanations of the same factors tie exactly. Of
several explanations, the one with the earlier level of the first variable in which they differ is returned. If no
maximum in going back ties, there is only one explanation. Otherwise variables are fixed one after the other, in their
order, each at its first level with which the maximum is still attained: one elimination for each.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dagscape.core.masks import bits, mask_of
from dagscape.core.resources import check_memory
from dagscape.networks.discrete.elimination import Tables
from dagscape.networks.discrete.elimination_order import elimination_order
from dagscape.networks.relevance import union_of

Integers = NDArray[np.int64]

# The logarithm 0 stands for: less than any that is possible, and more than the smallest sum of two of itself.
_IMPOSSIBLE = -(2**62)
_MOST_BITS = 52
# No double is closer to 0 than the exponential of this.
_SMALLEST_LOG = 745.2

# A product, and the two factors that enter it last.
_BYTES_PER_CELL = 24


class _Factor(NamedTuple):
    """Logarithms over a set of variables, with an axis for each, in the order of their numbers."""

    scope: int
    values: Integers


class Explanation(NamedTuple):
    """The level of each variable, and whether no other explanation is as probable."""

    codes: dict[int, int]
    unique: bool


@dataclass(frozen=True, slots=True)
class _Eliminated:
    """A variable, with the largest logarithm for each of its levels and those of the variables of the scope."""

    variable: int
    factor: _Factor


def explain(tables: Tables, evidence: Mapping[int, int], max_memory: int | str | None = None) -> dict[int, int] | None:
    """Return the code of each variable in the most probable explanation; None if the evidence is impossible.

    Parameters
    ----------
    tables : Tables
        The tables of the network.
    evidence : mapping of int to int
        The codes of observed variables.
    max_memory : int or str, optional
        The memory limit.

    Examples
    --------
    >>> wet = Tables([0, 0b01], [np.array([0.6, 0.4]), np.array([[0.5, 0.5], [0.1, 0.9]])])
    >>> explain(wet, {}), explain(wet, {0: 0})
    ({0: 1, 1: 1}, {0: 0, 1: 0})
    """
    factors = _logarithms(tables)
    known = dict(evidence)
    found = _maximum(factors, tables.arities, known, max_memory)
    if found is None:
        return None
    if found.unique:
        return {v: found.codes[v] for v in range(len(factors))}
    best = _value(factors, found.codes)
    for variable, arity in enumerate(tables.arities):
        for code in range(arity) if variable not in known else ():
            tried = _maximum(factors, tables.arities, {**known, variable: code}, max_memory)
            if tried is not None and _value(factors, tried.codes) == best:
                known[variable] = code
                if tried.unique:
                    return {v: tried.codes[v] for v in range(len(factors))}
                break
    return known


def _logarithms(tables: Tables) -> list[_Factor]:
    """Return the tables as integers, with the axes in the order of the numbers of the variables."""
    n = len(tables.cpts)
    unit_bits = min(_MOST_BITS, 61 - math.ceil(math.log2(_SMALLEST_LOG * max(n, 1))))
    found = []
    for variable, table in enumerate(tables.cpts):
        scope = [*bits(tables.parents[variable]), variable]
        with np.errstate(divide="ignore"):
            logs = np.rint(np.ldexp(np.log(table), unit_bits))
        whole = np.where(np.isfinite(logs), logs, _IMPOSSIBLE).astype(np.int64)
        found.append(_Factor(mask_of(scope), whole.transpose(sorted(range(len(scope)), key=scope.__getitem__))))
    return found


def _value(factors: Sequence[_Factor], codes: Mapping[int, int]) -> int:
    """Return the logarithm of an explanation that is possible."""
    return sum(int(factor.values[tuple(codes[v] for v in bits(factor.scope))]) for factor in factors)


def _maximum(
    factors: Sequence[_Factor], arities: Sequence[int], known: Mapping[int, int], max_memory: int | str | None
) -> Explanation | None:
    """Return some explanation with the largest probability, given known codes; None if all have probability 0."""
    fixed = mask_of(known)
    waiting = [_restricted(factor, known) for factor in factors]
    free = union_of(factor.scope for factor in waiting) & ~fixed
    order, sizes = elimination_order([factor.scope for factor in waiting], free, arities)
    check_memory(
        _BYTES_PER_CELL * max([1, *sizes]),
        max_memory,
        f"the tables of exact inference, of up to {max([1, *sizes]):.3g} probabilities,",
        "give the values of more variables, or use a network with fewer parents",
    )
    eliminated: list[_Eliminated] = []
    for variable in order:
        used = [factor for factor in waiting if factor.scope >> variable & 1]
        waiting = [factor for factor in waiting if not factor.scope >> variable & 1]
        product = _product(used, arities)
        eliminated.append(_Eliminated(variable, product))
        axis = (product.scope & ((1 << variable) - 1)).bit_count()
        waiting.append(_Factor(product.scope & ~(1 << variable), product.values.max(axis=axis)))
    if _product(waiting, arities).values == _IMPOSSIBLE:
        return None
    return _traced_back(eliminated, known)


def _traced_back(eliminated: Sequence[_Eliminated], known: Mapping[int, int]) -> Explanation:
    codes, unique = dict(known), True
    for variable, (scope, values) in ((step.variable, step.factor) for step in reversed(eliminated)):
        logs = values[tuple(slice(None) if v == variable else codes[v] for v in bits(scope))]
        codes[variable] = int(logs.argmax())
        unique = unique and np.count_nonzero(logs == logs.max()) == 1
    return Explanation(codes, bool(unique))


def _restricted(factor: _Factor, known: Mapping[int, int]) -> _Factor:
    scope = tuple(bits(factor.scope))
    values = factor.values[tuple(known.get(v, slice(None)) for v in scope)]
    return _Factor(mask_of(v for v in scope if v not in known), values)


def _product(factors: Sequence[_Factor], arities: Sequence[int]) -> _Factor:
    """Add logarithms; what is impossible stays so."""
    union = union_of(factor.scope for factor in factors)
    total = np.zeros([1] * union.bit_count(), dtype=np.int64)
    for scope, values in sorted(factors, key=lambda factor: factor.values.size):
        shape = [arities[v] if scope >> v & 1 else 1 for v in bits(union)]
        added = values.reshape(shape)
        # Probabilities may exceed 1 by rounding, so that a sum with what is impossible may exceed it, too.
        impossible = (total == _IMPOSSIBLE) | (added == _IMPOSSIBLE)
        total = np.where(impossible, _IMPOSSIBLE, total + added)
    return _Factor(union, total)
