"""The local scores of a set of variables: the only thing that exact engines see of the data.

:class:`LocalScores` is what a user holds. It comes in two forms: :class:`LatticeScores`, computed from data and kept as
functions over the lattice of sets, and :class:`~dagscape.scores.family_table.FamilyTable`, a list of families
read from a file or supplied by the user.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, overload

import numpy as np
from numpy.typing import NDArray

from dagscape.checks import is_whole
from dagscape.errors import IncompleteScores, InvalidOption, did_you_mean
from dagscape.graphs.comparison import HasDag
from dagscape.graphs.dag import Dag
from dagscape.resources import format_bytes
from dagscape.scores.fixed_point import IMPOSSIBLE, Unit
from dagscape.scores.lattice import Members, SetIndex, parent_sets, set_count, with_member
from dagscape.scores.rounding import term_rounding

if TYPE_CHECKING:
    import pandas as pd

    from dagscape.results import Provenance
    from dagscape.score_info import ScoreInfo
    from dagscape.scores.constraints import EdgeConstraints


@dataclass(frozen=True, slots=True)
class Family:
    """A child, a set of parents, and the local score of the two (natural log, higher is better)."""

    child: str
    parents: tuple[str, ...]
    score: float


class FamilyList(Sequence[Family]):
    """Families of one child, best first; ties by fewest parents, then by the order of the variables.

    Attributes
    ----------
    child : str
        The child.
    scores : array of float
        Their local scores.
    """

    def __init__(
        self,
        variables: Sequence[str],
        child: int,
        sets: Sequence[Members],
        exact: NDArray[np.int64],
        unit: Unit,
    ) -> None:
        """Sort the families of ``sets``, arrays of parents by increasing size, with ``exact`` scores in that order."""
        # A stable sort keeps tied families in the order in which they come: by size, then by mask.
        order = np.argsort(-exact, kind="stable")
        starts = np.cumsum([0, *map(len, sets)])
        self.child = variables[child]
        self.exact = exact[order]
        self.scores = unit.to_floats(self.exact)
        self._variables = variables
        self._sets = sets
        self._block = np.searchsorted(starts, order, side="right") - 1
        self._row = order - starts[self._block]

    def __len__(self) -> int:
        return len(self.exact)

    @overload
    def __getitem__(self, index: int) -> Family: ...
    @overload
    def __getitem__(self, index: slice) -> list[Family]: ...
    def __getitem__(self, index: int | slice) -> Family | list[Family]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        parents = self.members(index)
        return Family(self.child, tuple(self._variables[p] for p in parents), float(self.scores[index]))

    def first(self, count: int) -> FamilyList:
        """The best of these families."""
        shorter = copy(self)
        shorter.exact, shorter.scores = self.exact[:count], self.scores[:count]
        shorter._block, shorter._row = self._block[:count], self._row[:count]
        return shorter

    def members(self, index: int) -> tuple[int, ...]:
        """The numbers of the parents of one family."""
        return tuple(self._sets[self._block[index]][self._row[index]].tolist())

    def __repr__(self) -> str:
        best = f", best {self[0].parents} {self[0].score:.4f}" if len(self) else ""
        return f"FamilyList({self.child!r}: {len(self)} families{best})"

    def to_frame(self) -> pd.DataFrame:
        """A data frame with one family in a row."""
        import pandas as pd

        return pd.DataFrame({"child": self.child, "parents": [family.parents for family in self], "score": self.scores})


class LocalScores(ABC):
    """The local score of every family that a network may have.

    Attributes
    ----------
    variables : tuple of str
        The names of the variables.
    max_parents : int
        The most parents a family has.
    complete : bool or None
        Whether every family of up to ``max_parents`` parents is there (``None``: unknown). Sums over networks are wrong
        where families are missing.
    unit : Unit
        What an exact score counts.
    rounding : float
        A bound on how far the score of a network is from the exact one, in nats, because of rounding.
    provenance : Provenance
        How the scores were made.
    info : ScoreInfo
        What the scores are scores of.
    """

    variables: tuple[str, ...]
    max_parents: int
    complete: bool | None
    unit: Unit
    rounding: float
    provenance: Provenance
    info: ScoreInfo

    @property
    def n(self) -> int:
        """The number of variables."""
        return len(self.variables)

    @property
    def score_equivalent(self) -> bool:
        """Whether Markov-equivalent networks have identical scores; only then can classes be ranked."""
        return self.info.score_equivalent

    @property
    @abstractmethod
    def nbytes(self) -> int:
        """The memory that the scores take."""

    @property
    @abstractmethod
    def family_count(self) -> int:
        """The number of families, impossible ones included."""

    @abstractmethod
    def exact_scores(self, child: int, sets: Members) -> NDArray[np.int64]:
        """Scores, in units, of one child with parent sets of one size; ``IMPOSSIBLE`` where the family cannot be."""

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

    def family(self, child: str | int, parents: Collection[str | int] = ()) -> float:
        """The local score of one family: natural log, minus infinity where the family cannot be.

        Parameters
        ----------
        child : str or int
            A variable, by name or by number.
        parents : collection of str or int
            Its parents, in any order.
        """
        return self.unit.to_float(self.family_exact(child, parents))

    def family_exact(self, child: str | int, parents: Collection[str | int] = ()) -> int:
        """The local score of one family as an integer number of units, for exact comparisons."""
        number = self._number(child)
        return int(self.exact_scores(number, self._parent_row(number, parents))[0])

    def family_scores(self, child: str | int, parent_sets: Iterable[Collection[str | int]]) -> NDArray[np.float64]:
        """The local scores of many families of one child, in the order given."""
        number = self._number(child)
        rows = [self._parent_row(number, parents) for parents in parent_sets]
        exact = np.empty(len(rows), dtype=np.int64)
        sizes = np.array([row.shape[1] for row in rows], dtype=np.int64)
        for size in np.unique(sizes):
            chosen = np.flatnonzero(sizes == size)
            exact[chosen] = self.exact_scores(number, np.concatenate([rows[i] for i in chosen]))
        return self.unit.to_floats(exact)

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
            raise InvalidOption(f"top is {top!r}; it must be a whole number, 1 or more")
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

    def network(self, network: Dag | HasDag | Mapping[str, Collection[str]]) -> float:
        """The score of a network: a Dag, a Network, or each variable's parents (variables left out have none).

        A mapping is taken as it is: nothing checks that it has no directed cycle.
        """
        return self.unit.to_float(self.network_exact(network))

    def network_exact(self, network: Dag | HasDag | Mapping[str, Collection[str]]) -> int:
        """The score of a network as an integer number of units: identical for equivalent networks."""
        dag = getattr(network, "dag", network)
        parents = dag.to_parents() if isinstance(dag, Dag) else dag
        if not isinstance(parents, Mapping):
            raise InvalidOption(f"a {type(network).__name__} has no score: give a Dag, a Network, or parents by child")
        for child in parents:
            self._number(child)
        exact = [self.family_exact(name, parents.get(name, ())) for name in self.variables]
        return IMPOSSIBLE if IMPOSSIBLE in exact else sum(exact)

    def _number(self, variable: str | int) -> int:
        if isinstance(variable, str):
            if variable in self.variables:
                return self.variables.index(variable)
        elif is_whole(variable, at_least=0) and variable < self.n:
            return int(variable)
        raise InvalidOption(f"{variable!r} is not a variable{did_you_mean(variable, self.variables)}")

    def _parent_row(self, child: int, parents: Collection[str | int]) -> Members:
        if isinstance(parents, str):
            raise InvalidOption(f"parents is the text {parents!r}; it must be a collection of names")
        numbers = sorted(self._number(parent) for parent in parents)
        if child in numbers:
            raise InvalidOption(f"{self.variables[child]!r} cannot be a parent of itself")
        if len(set(numbers)) < len(numbers):
            raise InvalidOption(f"the parents of {self.variables[child]!r} name a variable twice")
        if len(numbers) > self.max_parents:
            raise InvalidOption(
                f"{self.variables[child]!r} has {len(numbers)} parents, but max_parents is {self.max_parents}"
            )
        return np.array([numbers], dtype=np.int64).reshape(1, -1)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({self.n} variables, {self.family_count:,} families of up to {self.max_parents} "
            f"parents, {format_bytes(self.nbytes)})"
        )


class LatticeScores(LocalScores):
    """Local scores kept as functions over the lattice of sets: local_score(i, G) = J(G ∪ {i}) − J'(G) + c(|G|).

    Made by :func:`dagscape.local_scores`. One number for each set serves all families that the set is part of.
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
    ) -> None:
        """Put the parts together.

        Parameters
        ----------
        variables, max_parents, unit, rounding, info, provenance
            As the attributes.
        tables : sequence of arrays
            Functions over the sets of at most ``max_parents + 1`` variables, as :class:`SetIndex` numbers them.
        joint_table, base_table : sequence of int
            For each child, which table measures its families, and which their parents.
        size_terms : array of int
            What a family gets for its number of parents alone: prior and code length.
        prior_terms : array of int
            The part of it that is the structure prior.
        constraints : EdgeConstraints
            Which families are impossible.
        """
        self.variables = variables
        self.max_parents = max_parents
        self.unit = unit
        self.rounding = rounding
        self.complete = True
        self.info = info
        self.provenance = provenance
        self.index = SetIndex(len(variables), min(max_parents + 1, len(variables)))
        self.tables = tuple(tables)
        self.joint_table = tuple(joint_table)
        self.base_table = tuple(base_table)
        self.size_terms = size_terms
        self._prior_terms = prior_terms
        self.constraints = constraints
        for array in (*self.tables, size_terms, prior_terms):
            array.flags.writeable = False

    @property
    def unconstrained(self) -> bool:
        """Whether the prior of a family depends on its number of parents alone: none is ruled out."""
        return self.constraints.empty

    @property
    def prior_terms(self) -> NDArray[np.int64]:
        """What the structure prior gives a family for its number of parents, in units."""
        return self._prior_terms

    def score_row(self, child: int) -> NDArray[np.int64]:
        """Scores, in units, of all 2^(n-1) sets of parents of a child, by bit mask with the child's bit taken out."""
        if self.index.max_size < self.n or not self.constraints.empty:
            return super().score_row(child)
        # All sets are there, by mask: the differences can be taken at once.
        places = np.arange(1 << (self.n - 1), dtype=np.int64)
        below = places & ((1 << child) - 1)
        sets = below | (places ^ below) << 1
        joint = self.tables[self.joint_table[child]][sets | 1 << child]
        base = self.tables[self.base_table[child]][sets]
        sizes = np.bitwise_count(places.astype(np.uint64)).astype(np.int64)
        return np.where(joint == IMPOSSIBLE, IMPOSSIBLE, joint - base + self.size_terms[sizes])

    @property
    def nbytes(self) -> int:
        """The memory that the scores take."""
        return sum(table.nbytes for table in self.tables)

    @property
    def family_count(self) -> int:
        """The number of families, impossible ones included."""
        return self.n * set_count(self.n - 1, self.max_parents)

    def exact_scores(self, child: int, sets: Members) -> NDArray[np.int64]:
        """Scores, in units, of one child with parent sets of one size; ``IMPOSSIBLE`` where the family cannot be."""
        joint = self.tables[self.joint_table[child]][self.index.rank(with_member(sets, child))]
        base = self.tables[self.base_table[child]][self.index.rank(sets)]
        possible = joint != IMPOSSIBLE
        if forbidden := self.constraints.forbidden[child]:
            possible &= ~np.isin(sets, list(forbidden)).any(axis=1)
        if required := self.constraints.required[child]:
            possible &= np.isin(sets, list(required)).sum(axis=1) == len(required)
        scores = np.full(len(sets), IMPOSSIBLE)
        scores[possible] = joint[possible] - base[possible] + self.size_terms[sets.shape[1]]
        return scores

    def family_sets(self, child: int) -> Iterator[Members]:
        """The child's parent sets, an array for each size, smallest first."""
        return (parent_sets(self.n, child, size) for size in range(self.max_parents + 1))


def check_scores(scores: object) -> None:
    """Refuse what is no table of local scores: data, most often."""
    if not isinstance(scores, LocalScores):
        raise InvalidOption(f"scores is a {type(scores).__name__}; make local scores first, with local_scores()")


def warn_if_incomplete(scores: LocalScores, consequence: str, stacklevel: int) -> None:
    """Say what it means that families are missing from the scores, if they are; levels are counted from the caller."""
    if scores.complete is not True:
        known = "are missing" if scores.complete is False else "may be missing"
        warnings.warn(f"families {known} from the scores{consequence}", IncompleteScores, stacklevel=stacklevel + 1)
