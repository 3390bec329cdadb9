"""Which families of a network an answer depends on, whatever the variables are.

A family is a variable with its parents. Of the families, only those of the targets, of the observed variables and of
their ancestors matter: all others are *barren*, and sum (or integrate) to 1. Of these, only those that are connected to
a target through variables that are not observed depend on the targets; the others are a constant factor
[koller2009]_. A variable that was set by an intervention is observed, but its own family is left out [cooper1999]_.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from functools import reduce

from dagscape.core.masks import bits


def relevant_families(
    parents: Sequence[int], targets: int, observed: int, chosen: int, single: int | None = None
) -> tuple[int, ...]:
    """Return the variables whose families enter an answer, in increasing order; all sets are bit masks.

    Parameters
    ----------
    parents : sequence of int
        The parents of each variable.
    targets, observed : int
        The variables in question, and those whose value is known.
    chosen : int
        The observed variables that were set by an intervention.
    single : int, optional
        The variables that have one value only, and connect nothing. With it, families that are not connected to a
        target are left out.

    Examples
    --------
    >>> chain = [0, 0b001, 0b010, 0b100]
    >>> relevant_families(chain, 0b0010, 0b0101, 0), relevant_families(chain, 0b0100, 0b0011, 0, 0)
    ((0, 1, 2), (2,))
    """
    families = tuple(v for v in bits(_ancestors(parents, targets | observed, chosen)) if not chosen >> v & 1)
    if single is None:
        return families
    open_ = ~((observed | single) & ~targets)
    reached, grown = 0, targets
    while grown != reached:
        reached = grown
        grown |= union_of(scope for v in families if (scope := (parents[v] | 1 << v) & open_) & reached)
    return tuple(v for v in families if (parents[v] | 1 << v) & open_ & reached)


def _ancestors(parents: Sequence[int], needed: int, chosen: int) -> int:
    """Return a set of variables and their ancestors; a variable that was set has none."""
    relevant, waiting = 0, needed
    while waiting:
        variable = (waiting & -waiting).bit_length() - 1
        relevant |= 1 << variable
        if not chosen >> variable & 1:
            waiting |= parents[variable]
        waiting &= ~relevant
    return relevant


def union_of(sets: Iterable[int]) -> int:
    """Return the union of sets.

    Examples
    --------
    >>> union_of([0b001, 0b100])
    5
    """
    return reduce(operator.or_, sets, 0)
