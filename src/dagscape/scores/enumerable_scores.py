"""Local scores of which all families can be listed: what exact methods need."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from dagscape.checks import is_whole
from dagscape.errors import IncompleteScores, InvalidOption, function
from dagscape.resources import format_bytes
from dagscape.scores.families import FamilyList
from dagscape.scores.fixed_point import IMPOSSIBLE
from dagscape.scores.lattice import Members
from dagscape.scores.local_scores import LocalScores
from dagscape.scores.rounding import term_rounding


class EnumerableScores(LocalScores):
    """The local score of every family that a network may have.

    It comes in two forms: :class:`~dagscape.LatticeScores`, computed from data by :func:`dagscape.local_scores`, and
    :class:`~dagscape.FamilyTable`, a list of families read from a file or supplied by the user.

    Attributes
    ----------
    complete : bool or None
        Whether every family of up to ``max_parents`` parents is there (``None``: unknown). Sums over networks are wrong
        where families are missing.
    """

    complete: bool | None

    @property
    @abstractmethod
    def family_count(self) -> int:
        """The number of families, impossible ones included."""

    @abstractmethod
    def family_sets(self, child: int) -> Iterator[Members]:
        """The child's parent sets, an array for each size, smallest first."""

    def score_row(self, child: int) -> NDArray[np.int64]:
        """Scores, in units, of all 2^(n-1) sets of parents of a child, by bit mask with the child's bit taken out."""
        row = np.full(1 << (self.n - 1), IMPOSSIBLE)
        for sets in self.family_sets(child):
            places = np.left_shift(np.int64(1), sets - (sets > child)).sum(axis=1)
            row[places] = self.exact_scores(child, sets)
        return row

    @property
    @abstractmethod
    def unconstrained(self) -> bool:
        """Whether the prior of a family depends on its number of parents alone: none is ruled out."""

    @property
    def prior_terms(self) -> NDArray[np.int64]:
        """What the structure prior gives a family for its number of parents, in units."""
        return np.zeros(self.max_parents + 1, dtype=np.int64)

    @property
    def prior_rounding(self) -> float:
        """As ``rounding``, for the structure prior alone."""
        return self.n * term_rounding(self.unit, self.unit.to_floats(self.prior_terms).tolist())

    def prior_row(self, row: NDArray[np.int64]) -> NDArray[np.int64]:
        """The structure prior in place of the scores of :meth:`score_row`, for the families that are possible."""
        sizes = np.bitwise_count(np.arange(len(row), dtype=np.uint64)).astype(np.int64)
        terms = self.prior_terms[np.minimum(sizes, self.max_parents)]
        return np.where(row == IMPOSSIBLE, IMPOSSIBLE, terms)

    def families(self, child: str | int, top: int | None = None) -> FamilyList:
        """The possible families of a child, best first.

        Parameters
        ----------
        child : str or int
            A variable, by name or by number.
        top : int, optional
            How many of the best to keep; all by default.
        """
        if top is not None and not is_whole(top, at_least=1):
            raise InvalidOption(f"is {top!r}; it must be an integer of at least 1", option="top")
        number = self._number(child)
        sets: list[Members] = []
        exact: list[NDArray[np.int64]] = []
        for block in self.family_sets(number):
            scores = self.exact_scores(number, block)
            # Where only the best are wanted, more than that of one size can never be among them.
            keep = np.flatnonzero(scores != IMPOSSIBLE)
            if top is not None and len(keep) > top:
                keep = np.sort(keep[np.argsort(-scores[keep], kind="stable")[:top]])
            sets.append(block[keep])
            exact.append(scores[keep])
        found = FamilyList(self.variables, number, sets, np.concatenate(exact), self.unit)
        return found if top is None else found.first(top)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({self.n} variables, {self.family_count:,} families of up to {self.max_parents} "
            f"parents, {format_bytes(self.nbytes)})"
        )


def check_scores(scores: object) -> None:
    """Refuse what does not hold the scores of all families: data, most often, or scores on demand."""
    if not isinstance(scores, LocalScores):
        raise InvalidOption(
            f"is a {type(scores).__name__}; compute local scores first, with {function('local_scores')}",
            option="scores",
        )
    if not isinstance(scores, EnumerableScores):
        raise InvalidOption(
            "computes families on demand, but this method needs the scores of all families: "
            f"compute them with {function('local_scores')}",
            option="scores",
        )


def warn_if_incomplete(scores: EnumerableScores, consequence: str, stacklevel: int) -> None:
    """Say what it means that families are missing from the scores, if they are; levels are counted from the caller."""
    if scores.complete is not True:
        known = "are missing" if scores.complete is False else "may be missing"
        warnings.warn(IncompleteScores(f"families {known} from the scores{consequence}"), stacklevel=stacklevel + 1)
