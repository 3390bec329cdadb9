"""Orders of elimination: how large the products are that :mod:`dagscape.networks.discrete.elimination` makes.

Finding the best order is NP-hard. Two greedy rules find good ones [koller2009]_: eliminate next the variable whose
product is smallest (min-weight), or the one that joins the fewest pairs of variables that were not in a common factor
(min-fill). Ties go to the smaller product, then to the lower number. Where the products of min-weight are large, that
rule is used whose products have fewer cells in total.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dagscape.core.masks import bits

# The other rule is not tried if all products together have so few cells: it could not save anything.
_SMALL_TOTAL = 2**18


class Elimination(NamedTuple):
    """An order of elimination, and how large its products are.

    Attributes
    ----------
    order : list of int
        The variables.
    sizes : list of int
        For each of them, the number of cells of the product that it is summed out of.
    """

    order: list[int]
    sizes: list[int]


def elimination_order(scopes: Sequence[int], variables: int, arities: Sequence[int]) -> Elimination:
    """Return a good order to eliminate variables in: that of min-weight or, if it is better, of min-fill.

    Parameters
    ----------
    scopes : sequence of int
        The sets of variables of the factors.
    variables : int
        The set of variables to eliminate.
    arities : sequence of int
        The number of levels of every variable.

    Examples
    --------
    >>> elimination_order([0b011, 0b110, 0b1100], 0b1110, [2, 9, 2, 2])
    Elimination(order=[3, 2, 1], sizes=[4, 18, 18])
    """
    lightest = _greedy_order(scopes, variables, arities, fill=False)
    if sum(lightest.sizes) <= _SMALL_TOTAL:
        return lightest
    sparsest = _greedy_order(scopes, variables, arities, fill=True)
    return sparsest if sum(sparsest.sizes) < sum(lightest.sizes) else lightest


def _greedy_order(scopes: Sequence[int], variables: int, arities: Sequence[int], *, fill: bool) -> Elimination:
    neighbours = _neighbours(scopes)

    def cost(variable: int) -> tuple[int, ...]:
        around = neighbours.get(variable, 0)
        weight = cells_of(around | 1 << variable, arities)
        if not fill:
            return weight, variable
        absent = sum((around & ~neighbours[v] & ~(1 << v)).bit_count() for v in bits(around))
        return absent, weight, variable

    costs = {variable: cost(variable) for variable in bits(variables)}
    chosen = Elimination([], [])
    while costs:
        variable = min(costs, key=costs.__getitem__)
        weight = costs.pop(variable)[-2]
        around = _join(neighbours, variable)
        chosen.order.append(variable)
        chosen.sizes.append(weight)
        changed = around
        if fill:
            # New edges between the neighbours also change the counts of those next to both ends.
            for v in bits(around):
                changed |= neighbours[v]
        for v in bits(changed):
            if v in costs:
                costs[v] = cost(v)
    return chosen


def _neighbours(scopes: Sequence[int]) -> dict[int, int]:
    """Return the variables that share a factor with each variable."""
    neighbours: dict[int, int] = {}
    for scope in scopes:
        for variable in bits(scope):
            neighbours[variable] = neighbours.get(variable, 0) | scope & ~(1 << variable)
    return neighbours


def _join(neighbours: dict[int, int], variable: int) -> int:
    """Eliminate a variable: join its neighbours, and return them."""
    around = neighbours.pop(variable, 0)
    for v in bits(around):
        neighbours[v] = (neighbours[v] | around) & ~(1 << v) & ~(1 << variable)
    return around


def cells_of(scope: int, arities: Sequence[int]) -> int:
    """Return the number of cells of a factor over a set of variables.

    Examples
    --------
    >>> cells_of(0b101, [2, 3, 4])
    8
    """
    cells = 1
    while scope:
        lowest = scope & -scope
        cells *= arities[lowest.bit_length() - 1]
        scope ^= lowest
    return cells
