"""The local scores of all families up to a number of parents, stored as functions over the lattice of sets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dagscape.scores.arithmetic.fixed_point import IMPOSSIBLE, Unit, check_range, largest_of
from dagscape.scores.tables.enumerable_scores import EnumerableScores
from dagscape.scores.tables.family_terms import FamilyTerms, added
from dagscape.scores.tables.lattice import (
    Members,
    SetIndex,
    member_sums,
    parent_sets,
    ranks_with,
    set_count,
    with_member,
)

if TYPE_CHECKING:
    from dagscape.results.base import Provenance
    from dagscape.results.score_info import ScoreInfo
    from dagscape.scores.constraints import EdgeConstraints


class LatticeScores(EnumerableScores):
    """Local scores stored as functions over the lattice of sets: local_score(i, G) = J(G ∪ {i}) − J'(G) + c(|G|).

    :func:`dagscape.local_scores` returns them. One number per set serves all families that involve the set.
    """

    def __init__(
        self,
        variables: tuple[str, ...],
        max_parents: int,
        unit: Unit,
        rounding: float,
        tables: Sequence[NDArray[np.int64]],
        joint_table: Sequence[int],
        base_table: Sequence[int],
        size_terms: NDArray[np.int64],
        prior_terms: NDArray[np.int64],
        constraints: EdgeConstraints,
        info: ScoreInfo,
        provenance: Provenance,
        max_size: int | None = None,
        family_terms: FamilyTerms | None = None,
    ) -> None:
        """Store the tables of :func:`dagscape.local_scores`.

        Parameters
        ----------
        variables, max_parents, unit, rounding, info, provenance
            See the attributes.
        tables : sequence of arrays
            Functions over the sets of at most ``max_parents + 1`` variables, as :class:`SetIndex` numbers them.
        joint_table, base_table : sequence of int
            For each child, the indices of the tables of J and J'.
        size_terms : array of int
            The term of each number of parents: the structure prior and the code length.
        prior_terms : array of int
            The part of ``size_terms`` that is the structure prior.
        constraints : EdgeConstraints
            The constraints that make families impossible.
        max_size : int, optional
            The size of the largest sets of the tables. Default: ``max_parents + 1``.
        family_terms : FamilyTerms, optional
            The part of the structure prior that depends on who the parents are, with a table of all families.
        """
        self.variables = variables
        self.max_parents = max_parents
        self.unit = unit
        self.rounding = rounding
        self.complete = True
        self.info = info
        self.provenance = provenance
        self.index = SetIndex(len(variables), min(max_size or max_parents + 1, len(variables)))
        self.tables = tuple(tables)
        self.joint_table = tuple(joint_table)
        self.base_table = tuple(base_table)
        self.size_terms = size_terms
        self._prior_terms = prior_terms
        self._family_terms = family_terms
        self.constraints = constraints
        for array in (*self.tables, size_terms, prior_terms):
            array.flags.writeable = False
        self._check_range()

    def _check_range(self) -> None:
        """Refuse tables from which the score of a family could overflow."""
        largest = [largest_of(table) for table in self.tables]
        tables = max(
            largest[joint] + largest[base] for joint, base in zip(self.joint_table, self.base_table, strict=True)
        )
        terms = max(largest_of(self.size_terms), largest_of(self._prior_terms))
        named = 0 if self._family_terms is None else self._family_terms.largest(self.max_parents)
        check_range(tables + terms + named, self.n, self.unit)

    @property
    def unconstrained(self) -> bool:
        """Whether no family is impossible."""
        terms = self._family_terms
        return self.constraints.empty and (terms is None or terms.listed is None or IMPOSSIBLE not in terms.listed)

    @property
    def prior_terms(self) -> NDArray[np.int64]:
        """The part of the log prior of a family that depends on its number of parents, in units, for each number."""
        return self._prior_terms

    @property
    def family_terms(self) -> FamilyTerms | None:
        """The part of the log prior that depends on who the parents are; None if there is none."""
        return self._family_terms

    def prior_row(self, child: int, row: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the structure prior in place of the scores of :meth:`score_row`, for possible families."""
        sizes = np.bitwise_count(np.arange(len(row), dtype=np.uint64)).astype(np.int64)
        terms = self._prior_terms[np.minimum(sizes, self.max_parents)]
        if self._family_terms is not None:
            terms = added(terms, self._terms_row(child))
        return np.where(row == IMPOSSIBLE, IMPOSSIBLE, terms)

    def prior_by_size(self, child: int, listed: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the structure prior in place of the scores of :meth:`scores_by_size`, for possible families."""
        terms = self._prior_terms[member_sums(self.n, self.max_parents, np.ones(self.n, dtype=np.int64))]
        if self._family_terms is not None:
            terms = added(terms, self._family_terms.by_size(child, self.max_parents))
        return np.where(listed == IMPOSSIBLE, IMPOSSIBLE, terms)

    def _terms_row(self, child: int) -> NDArray[np.int64]:
        """Return the terms of :attr:`family_terms` of all 2^(n-1) parent sets, as :meth:`score_row`."""
        terms = np.zeros(1 << (self.n - 1), dtype=np.int64)
        if self._family_terms is not None:
            columns = self._columns_by_size(child)
            without = columns < len(terms)
            terms[columns[without]] = self._family_terms.by_size(child, self.max_parents)[without]
        return terms

    def score_row(self, child: int) -> NDArray[np.int64]:
        """Return the scores, in units, of all 2^(n-1) parent sets of a child, by bit mask without the child's bit."""
        if self.index.max_size >= self.n:
            return self._row_of_all_sets(child)
        columns = self._columns_by_size(child)
        without = columns < 1 << (self.n - 1)
        row = np.full(1 << (self.n - 1), IMPOSSIBLE)
        row[columns[without]] = self.scores_by_size(child)[without]
        return row

    def _bits(self, child: int) -> NDArray[np.int64]:
        """Return the bits of the variables in the columns of :meth:`score_row`; that of the child comes after them."""
        bits = np.empty(self.n, dtype=np.int64)
        bits[[v for v in range(self.n) if v != child] + [child]] = np.left_shift(1, np.arange(self.n))
        return bits

    def _columns_by_size(self, child: int) -> NDArray[np.int64]:
        """Return the columns of the sets of :meth:`scores_by_size`; sets with the child have none, and come after."""
        return member_sums(self.n, self.max_parents, self._bits(child))

    def _row_of_all_sets(self, child: int) -> NDArray[np.int64]:
        """Return the row from tables of all sets, by mask, where all differences can be computed at once."""
        bits = self._bits(child)
        joint = self.tables[self.joint_table[child]].reshape(-1, 2, 1 << child)[:, 1].ravel()
        base = self.tables[self.base_table[child]].reshape(-1, 2, 1 << child)[:, 0].ravel()
        sets = np.arange(len(base), dtype=np.int64)
        sizes = np.bitwise_count(sets)
        required = sum(bits[parent].item() for parent in self.constraints.required[child])
        forbidden = sum(bits[parent].item() for parent in self.constraints.forbidden[child])
        possible = (joint != IMPOSSIBLE) & (base != IMPOSSIBLE) & (sizes <= self.max_parents)
        if required or forbidden:
            possible &= sets & (required | forbidden) == required
        row: NDArray[np.int64] = joint - base
        row += self.size_terms[np.minimum(sizes, self.max_parents)]
        np.copyto(row, IMPOSSIBLE, where=~possible)
        return row if self._family_terms is None else added(row, self._terms_row(child))

    def scores_by_size(self, child: int) -> NDArray[np.int64]:
        """Return the scores, in units, of all sets of at most ``max_parents`` variables, by size, then by mask.

        Those with the child itself are impossible.
        """
        if self.index.max_size >= self.n:
            return self._all_sets_by_size(child)
        # The tables hold sets in the same order, so all families of one size can be computed at once.
        joint, base = self.tables[self.joint_table[child]], self.tables[self.base_table[child]]
        listed = np.empty(set_count(self.n, self.max_parents), dtype=np.int64)
        possible = self._allowed_by_size(child)
        for size, places in enumerate(ranks_with(self.n, self.max_parents, child)):
            of_size = self.index.of_size(size)
            below, found = base[of_size], listed[of_size]
            np.take(joint[self.index.of_size(size + 1)], places, out=found, mode="clip")
            possible[of_size] &= (found != IMPOSSIBLE) & (below != IMPOSSIBLE)
            found -= below
            found += self.size_terms[size]
        np.copyto(listed, IMPOSSIBLE, where=~possible)
        if self._family_terms is None:
            return listed
        return added(listed, self._family_terms.by_size(child, self.max_parents))

    def _all_sets_by_size(self, child: int) -> NDArray[np.int64]:
        """Return the scores by size from tables of all sets, which are by mask."""
        columns = self._columns_by_size(child)
        without = columns < 1 << (self.n - 1)
        listed = np.full(len(columns), IMPOSSIBLE)
        listed[without] = self._row_of_all_sets(child)[columns[without]]
        return listed

    def _allowed_by_size(self, child: int) -> NDArray[np.bool_]:
        """Return which sets the child may have as parents, in the order of :meth:`scores_by_size`."""
        excluded, required = np.zeros(self.n, dtype=np.int16), np.zeros(self.n, dtype=np.int16)
        excluded[[child, *self.constraints.forbidden[child]]] = 1
        required[[*self.constraints.required[child]]] = 1
        allowed: NDArray[np.bool_] = member_sums(self.n, self.max_parents, excluded) == 0
        if required.any():
            allowed &= member_sums(self.n, self.max_parents, required) == required.sum()
        return allowed

    @property
    def nbytes(self) -> int:
        """The memory of the scores, in bytes."""
        terms = 0 if self._family_terms is None else self._family_terms.nbytes
        return sum(table.nbytes for table in self.tables) + terms

    @property
    def family_count(self) -> int:
        """The number of families, impossible ones included."""
        return self.n * set_count(self.n - 1, self.max_parents)

    def exact_scores(self, child: int, sets: Members) -> NDArray[np.int64]:
        """Return the scores, in units, of a child with parent sets of one size, or ``IMPOSSIBLE``."""
        joint = self.tables[self.joint_table[child]][self.index.rank(with_member(sets, child))]
        base = self.tables[self.base_table[child]][self.index.rank(sets)]
        possible = (joint != IMPOSSIBLE) & (base != IMPOSSIBLE) & self.constraints.allowed(child, sets)
        scores = np.full(len(sets), IMPOSSIBLE)
        scores[possible] = joint[possible] - base[possible] + self.size_terms[sets.shape[1]]
        if self._family_terms is None:
            return scores
        return added(scores, self._family_terms.of_sets(child, sets, self.max_parents))

    def family_sets(self, child: int) -> Iterator[Members]:
        """Iterate over the child's parent sets: one array per size, smallest first."""
        return (parent_sets(self.n, child, size) for size in range(self.max_parents + 1))
