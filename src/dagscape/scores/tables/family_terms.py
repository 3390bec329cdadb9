"""The part of a structure prior that depends on who the parents are, not only on how many, in units."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from dagscape.core.errors import InvalidData
from dagscape.scores.arithmetic.fixed_point import IMPOSSIBLE, Unit, largest_of
from dagscape.scores.prior_parts import FamilyWeights, ListedWeights
from dagscape.scores.priors import StructurePrior
from dagscape.scores.tables.lattice import Members, SetIndex, member_sums, parent_sets, set_count

Weights = Callable[[int, Members], NDArray[np.int64]]


@dataclass(frozen=True, slots=True)
class FamilyTerms:
    """Terms of families beside those of their sizes.

    Attributes
    ----------
    edges : array of int
        The term of the edge from u to v in every family of v: ``edges[u, v]``.
    listed : array of int or None
        The terms of all families, for each child by size, then by mask, as :class:`SetIndex` numbers sets that are not
        all sets; ``IMPOSSIBLE`` for impossible families. None if there are none.
    weights : callable or None
        ``weights(child, sets)``: the terms of families, in place of ``listed``, if these are not enumerated.
    rounding : float
        A bound on the rounding error of all terms of a network, in nats.
    """

    edges: NDArray[np.int64]
    listed: NDArray[np.int64] | None
    weights: Weights | None
    rounding: float

    @property
    def n(self) -> int:
        """The number of variables."""
        return len(self.edges)

    @property
    def nbytes(self) -> int:
        """The memory of the terms, in bytes."""
        return self.edges.nbytes + (0 if self.listed is None else self.listed.nbytes)

    def largest(self, max_parents: int) -> int:
        """Return a bound on the absolute values of listed terms."""
        sizes = np.sort(np.abs(self.edges), axis=0)[::-1][:max_parents].astype(object)
        return int(max(sizes.sum(axis=0), default=0)) + (0 if self.listed is None else largest_of(self.listed))

    def of_sets(self, child: int, sets: Members, max_parents: int) -> NDArray[np.int64]:
        """Return the terms of a child with parent sets of one size, or ``IMPOSSIBLE``."""
        terms: NDArray[np.int64] = self.edges[sets, child].sum(axis=1, dtype=np.int64)
        if self.listed is not None:
            terms = added(terms, self.listed[child, _index(self.n, max_parents).rank(sets)])
        return terms if self.weights is None else added(terms, self.weights(child, sets))

    def by_size(self, child: int, max_parents: int) -> NDArray[np.int64]:
        """Return the terms of all sets of at most ``max_parents`` variables, by size, then by mask."""
        terms = member_sums(self.n, max_parents, self.edges[:, child])
        return terms if self.listed is None else added(terms, self.listed[child])


def added(scores: NDArray[np.int64], terms: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return scores plus terms; where either is ``IMPOSSIBLE``, so is the sum."""
    impossible = (scores == IMPOSSIBLE) | (terms == IMPOSSIBLE)
    return np.where(impossible, IMPOSSIBLE, np.where(impossible, 0, scores) + np.where(impossible, 0, terms))


def terms_on_demand(prior: StructurePrior, unit: Unit, n: int, max_parents: int) -> FamilyTerms | None:
    """Return the terms of a prior, where weights of families are looked up when they are needed."""
    if prior.by_size:
        return None
    edges = _edge_terms(prior, unit, n)
    rounding = prior.rounding(unit, n, max_parents)
    if not prior.families:
        return FamilyTerms(edges, None, None, rounding)

    def weights(child: int, sets: Members) -> NDArray[np.int64]:
        terms = [unit.to_ints(part.of_sets(child, sets)) for part in prior.families]
        return _sum(terms)

    return FamilyTerms(edges, None, weights, rounding)


def listed_terms(prior: StructurePrior, unit: Unit, n: int, max_parents: int) -> FamilyTerms | None:
    """Return the terms of a prior, with the weights of all families in a table."""
    if prior.by_size:
        return None
    tables = [_table(weights, unit, n, max_parents) for weights in prior.families]
    listed = _sum(tables) if tables else None
    return FamilyTerms(_edge_terms(prior, unit, n), listed, None, prior.rounding(unit, n, max_parents))


def check_possible(terms: FamilyTerms, rows: Callable[[int], NDArray[np.int64]], names: Sequence[str]) -> None:
    """Refuse a prior that leaves a variable without a possible family; ``rows(child)`` has the scores of all."""
    if terms.listed is None:
        return
    for child, name in enumerate(names):
        if (terms.listed[child] == IMPOSSIBLE).any() and (rows(child) == IMPOSSIBLE).all():
            raise InvalidData(f"{name!r} has no possible family: the structure prior and constraints rule out all")


@cache
def _index(n: int, max_parents: int) -> SetIndex:
    return SetIndex(n, max_parents)


def _edge_terms(prior: StructurePrior, unit: Unit, n: int) -> NDArray[np.int64]:
    if prior.odds is None:
        return np.zeros((n, n), dtype=np.int64)
    return unit.to_ints(prior.finite_odds.ravel().tolist()).reshape(n, n)


def _table(weights: FamilyWeights, unit: Unit, n: int, max_parents: int) -> NDArray[np.int64]:
    index = _index(n, max_parents)
    table = np.zeros((n, set_count(n, max_parents)), dtype=np.int64)
    if isinstance(weights, ListedWeights):
        for (child, parents), weight in weights.listed.items():
            if len(parents) <= max_parents:
                table[child, index.rank(np.array([parents], dtype=np.int64))] = unit.to_int(weight)
        return table
    for child in range(n):
        for size in range(max_parents + 1):
            sets = parent_sets(n, child, size)
            table[child, index.rank(sets)] = unit.to_ints(weights.of_sets(child, sets))
    return table


def _sum(tables: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    total = tables[0]
    for table in tables[1:]:
        total = added(total, table)
    return total
