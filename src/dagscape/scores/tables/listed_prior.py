"""The structure prior of a list of families."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dagscape.scores.arithmetic.fixed_point import IMPOSSIBLE, Unit
from dagscape.scores.arithmetic.rounding import term_rounding
from dagscape.scores.priors import UNIFORM, StructurePrior
from dagscape.scores.tables.family_terms import terms_on_demand
from dagscape.scores.tables.lattice import Members

# The scores of one child, in units, by the numbers of its parents, increasing.
ExactFamilies = dict[tuple[int, ...], int]


@dataclass(frozen=True, slots=True)
class PriorOfFamilies:
    """The log prior of listed families.

    Attributes
    ----------
    exact : tuple of dict
        For each variable, the log prior of its families, in units, or ``IMPOSSIBLE``.
    rounding : float
        A bound on the rounding error of the log prior of a network, in nats.
    """

    exact: tuple[ExactFamilies, ...]
    rounding: float

    def of_sets(self, child: int, sets: Members) -> NDArray[np.int64]:
        """Return the log prior of a child with parent sets of one size; ``IMPOSSIBLE`` if not listed."""
        listed = self.exact[child]
        return np.array([listed.get(tuple(row), IMPOSSIBLE) for row in sets.tolist()], dtype=np.int64)


def prior_bound(prior: StructurePrior, n: int, max_parents: int) -> float:
    """Return a bound on the log prior of a family, in nats."""
    sizes = max(abs(prior.log_weight(n, parents)) for parents in range(max_parents + 1))
    return sizes + prior.bound(max_parents)


def prior_of_families(
    prior: StructurePrior, families: Sequence[ExactFamilies], unit: Unit, max_parents: int
) -> PriorOfFamilies | None:
    """Return the log prior of listed families; None if it is uniform."""
    if prior.name == UNIFORM.name:
        return None
    n, impossible = len(families), {*prior.impossible}
    terms = terms_on_demand(prior, unit, n, max_parents)
    sizes = [prior.log_weight(n, parents) for parents in range(max_parents + 1)]
    units = unit.to_ints(sizes).tolist()

    def of(child: int, parents: tuple[int, ...]) -> int:
        if any((parent, child) in impossible for parent in parents):
            return IMPOSSIBLE
        row = np.array([parents], dtype=np.int64).reshape(1, -1)
        return sum_of(units[len(parents)], 0 if terms is None else int(terms.of_sets(child, row, max_parents)[0]))

    exact = tuple({parents: of(child, parents) for parents in listed} for child, listed in enumerate(families))
    return PriorOfFamilies(exact, n * term_rounding(unit, sizes) + (0.0 if terms is None else terms.rounding))


def sum_of(score: int, term: int) -> int:
    """Return the sum of two numbers of units; ``IMPOSSIBLE`` if one of them is."""
    return IMPOSSIBLE if IMPOSSIBLE in (score, term) else score + term
