"""Local scores whose families can all be enumerated, as exact methods require."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator
from typing import cast

import numpy as np
from numpy.typing import NDArray

from dagscape.core.constraints import OrNone, Whole
from dagscape.core.errors import IncompleteScores, InvalidOption, function, type_of
from dagscape.core.resources import format_bytes
from dagscape.core.wording import plural
from dagscape.scores.arithmetic.fixed_point import IMPOSSIBLE
from dagscape.scores.arithmetic.rounding import term_rounding
from dagscape.scores.tables.families import FamilyList
from dagscape.scores.tables.family_terms import FamilyTerms, added
from dagscape.scores.tables.lattice import Members, SetIndex, set_count
from dagscape.scores.tables.local_scores import LocalScores

TOP = Whole(1)


class EnumerableScores(LocalScores):
    """The local scores of all families that a network may have.

    There are two subclasses: :class:`~dagscape.LatticeScores`, computed from data by :func:`dagscape.local_scores`, and
    :class:`~dagscape.FamilyTable`, a list of families read from a file or supplied by the user.

    Attributes
    ----------
    complete : bool or None
        Whether every family of up to ``max_parents`` parents is included (``None``: unknown). If families are missing,
        sums over networks are wrong.
    """

    complete: bool | None

    @property
    @abstractmethod
    def family_count(self) -> int:
        """The number of families, impossible ones included."""

    @abstractmethod
    def family_sets(self, child: int) -> Iterator[Members]:
        """Iterate over the child's parent sets: one array per size, smallest first."""

    def score_row(self, child: int) -> NDArray[np.int64]:
        """Return the scores, in units, of all 2^(n-1) parent sets of a child, by bit mask without the child's bit."""
        row = np.full(1 << (self.n - 1), IMPOSSIBLE)
        for sets in self.family_sets(child):
            row[_columns(child, sets)] = self.exact_scores(child, sets)
        return row

    def scores_by_size(self, child: int) -> NDArray[np.int64]:
        """Return the scores, in units, of all sets of at most ``max_parents`` variables, by size, then by mask.

        Those with the child itself are impossible.
        """
        listed = np.full(set_count(self.n, self.max_parents), IMPOSSIBLE)
        index = SetIndex(self.n, self.max_parents)
        for sets in self.family_sets(child):
            listed[index.rank(sets)] = self.exact_scores(child, sets)
        return listed

    @property
    @abstractmethod
    def unconstrained(self) -> bool:
        """Whether no family is impossible."""

    @property
    def prior_terms(self) -> NDArray[np.int64]:
        """The part of the log prior of a family that depends on its number of parents, in units, for each number."""
        return np.zeros(self.max_parents + 1, dtype=np.int64)

    @property
    def family_terms(self) -> FamilyTerms | None:
        """The part of the log prior that depends on who the parents are; None if there is none."""
        return None

    @property
    def prior_rounding(self) -> float:
        """Like ``rounding``, but for the structure prior alone."""
        terms = self.unit.to_floats(self.prior_terms).tolist()
        if self.info.structure_prior != "uniform":
            # A term that was rounded to 0 is at most half a unit.
            terms = [*terms, math.ldexp(0.5, -self.unit.bits)]
        named = 0.0 if self.family_terms is None else self.family_terms.rounding
        return self.n * term_rounding(self.unit, terms) + named

    def prior_of_sets(self, child: int, sets: Members) -> NDArray[np.int64]:
        """Return the structure prior of a child with parent sets of one size, in units."""
        terms = np.full(len(sets), self.prior_terms[sets.shape[1]])
        if self.family_terms is None:
            return terms
        return added(terms, self.family_terms.of_sets(child, sets, self.max_parents))

    def prior_row(self, child: int, row: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the structure prior in place of the scores of :meth:`score_row`, for possible families."""
        terms = np.zeros(len(row), dtype=np.int64)
        for sets in self.family_sets(child):
            terms[_columns(child, sets)] = self.prior_of_sets(child, sets)
        return np.where(row == IMPOSSIBLE, IMPOSSIBLE, terms)

    def prior_by_size(self, child: int, listed: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the structure prior in place of the scores of :meth:`scores_by_size`, for possible families."""
        terms, index = np.zeros(len(listed), dtype=np.int64), SetIndex(self.n, self.max_parents)
        for sets in self.family_sets(child):
            terms[index.rank(sets)] = self.prior_of_sets(child, sets)
        return np.where(listed == IMPOSSIBLE, IMPOSSIBLE, terms)

    def families(self, child: str | int, top: int | None = None) -> FamilyList:
        """Return the possible families of a child, best first.

        Parameters
        ----------
        child : str or int
            A variable, by name or by number.
        top : int, optional
            How many of the best to return. Default: all.
        """
        OrNone(TOP).check(top, "top")
        number = self._number(child)
        sets: list[Members] = []
        exact: list[NDArray[np.int64]] = []
        for block in self.family_sets(number):
            scores = self.exact_scores(number, block)
            # At most `top` families of each size can be among the best.
            keep = np.flatnonzero(scores != IMPOSSIBLE)
            if top is not None and len(keep) > top:
                keep = np.sort(keep[np.argsort(-scores[keep], kind="stable")[:top]])
            sets.append(block[keep])
            exact.append(scores[keep])
        found = FamilyList(self.variables, number, sets, np.concatenate(exact), self.unit)
        return found if top is None else found.first(top)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({plural(self.n, 'variable')}, {plural(self.family_count, 'family', 'families')} "
            f"of up to {plural(self.max_parents, 'parent')}, {format_bytes(self.nbytes)})"
        )


def _columns(child: int, sets: Members) -> NDArray[np.int64]:
    """Return the columns of parent sets in :meth:`EnumerableScores.score_row`."""
    columns: NDArray[np.int64] = np.left_shift(np.int64(1), sets - (sets > child)).sum(axis=1)
    return columns


def check_scores(scores: object) -> None:
    """Raise an error unless the scores are those of all families; users often pass data or scores on demand."""
    if not isinstance(scores, LocalScores):
        raise InvalidOption(
            f"is {type_of(scores)}; compute local scores first, with {function('local_scores')}",
            option="scores",
        )
    if not isinstance(scores, EnumerableScores):
        raise InvalidOption(
            "are computed on demand, but this method needs the scores of all families: "
            f"compute them with {function('local_scores')}",
            option="scores",
        )


def enumerable(scores: LocalScores) -> EnumerableScores:
    """Return the scores if they are those of all families; otherwise raise an error."""
    check_scores(scores)
    return cast("EnumerableScores", scores)


def incomplete_scores(scores: EnumerableScores, consequence: str) -> IncompleteScores | None:
    """Return a warning of the consequence if families may be missing from the scores."""
    if scores.complete is True:
        return None
    known = "are missing" if scores.complete is False else "may be missing"
    return IncompleteScores(f"families {known} from the scores{consequence}")
