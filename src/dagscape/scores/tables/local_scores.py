"""The interface of local scores, which is all that methods see of the data.

:class:`LocalScores` scores families. :class:`~dagscape.scores.tables.enumerable_scores.EnumerableScores` can also
enumerate them all, as exact methods require; :class:`~dagscape.scores.tables.on_demand.OnDemandScores` computes them
when requested.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from dagscape.core.checks import is_whole
from dagscape.core.errors import InvalidOption, argument, did_you_mean, type_of
from dagscape.core.wording import plural
from dagscape.graphs.comparison import HasDag
from dagscape.graphs.dag import Dag
from dagscape.scores.arithmetic.fixed_point import IMPOSSIBLE, Unit
from dagscape.scores.constraints import EdgeConstraints, edge_constraints, named_edges
from dagscape.scores.equivalence import members_score_alike
from dagscape.scores.tables.lattice import Members

if TYPE_CHECKING:
    from dagscape.results.base import Provenance
    from dagscape.results.score_info import ScoreInfo


class LocalScores(ABC):
    """Local scores: how well each set of parents explains a variable.

    Attributes
    ----------
    variables : tuple of str
        The names of the variables.
    max_parents : int
        The largest number of parents of a family.
    constraints : EdgeConstraints
        The parents that each variable must have, and those that it must not have.
    unit : Unit
        The unit of exact scores.
    rounding : float
        A bound on the rounding error of the exact (integer) score of a network, in nats. Scores as floats are rounded
        once more, to the nearest double.
    info : ScoreInfo
        The score, its options and the data.
    provenance : Provenance
        How the scores were computed.
    """

    variables: tuple[str, ...]
    max_parents: int
    constraints: EdgeConstraints
    unit: Unit
    rounding: float
    info: ScoreInfo
    provenance: Provenance

    @property
    def n(self) -> int:
        """The number of variables."""
        return len(self.variables)

    @property
    def score_equivalent(self) -> bool:
        """Whether Markov-equivalent networks have identical scores. Only then can classes be ranked."""
        return self.info.score_equivalent

    def without_constraints(self) -> Self:
        """Return the same scores without required and forbidden edges; they share memory with these.

        A variable that was set in every row still has no parents.

        Families that a list of families lacks stay impossible.

        Examples
        --------
        >>> import dagscape as ds
        >>> scores = ds.family_scores(ds.load_dataset("iris"), forbidden=[("class", "petal_width")])
        >>> scores.family("petal_width", ["class"])
        -inf
        >>> round(scores.without_constraints().family("petal_width", ["class"]), 4)
        -30.2238
        """
        if self.constraints.empty:
            return self
        return self.with_constraints(edge_constraints(self.variables, self.n, randomised=self.info.randomised))

    def with_constraints(self, constraints: EdgeConstraints) -> Self:
        """Return the same scores with other required and forbidden edges; they share memory with these."""
        other = copy(self)
        other.constraints = constraints
        other.info = replace(
            self.info,
            required=named_edges(self.variables, constraints.required),
            forbidden=named_edges(self.variables, constraints.forbidden),
            rule="",
            ruled_out=0,
            score_equivalent=constraints.empty and members_score_alike(self.info),
        )
        return other

    @property
    @abstractmethod
    def nbytes(self) -> int:
        """The memory of the scores, in bytes."""

    @abstractmethod
    def exact_scores(self, child: int, sets: Members) -> NDArray[np.int64]:
        """Return the scores, in units, of a child with parent sets of one size, or ``IMPOSSIBLE``."""

    def family(self, child: str | int, parents: Collection[str | int] = ()) -> float:
        """Return the local score of one family: a natural log, or minus infinity if the family is impossible.

        Parameters
        ----------
        child : str or int
            A variable, by name or by number.
        parents : collection of str or int
            Its parents, in any order.
        """
        return self.unit.to_float(self.family_exact(child, parents))

    def family_exact(self, child: str | int, parents: Collection[str | int] = ()) -> int:
        """Return the local score of one family as an integer number of units, for exact comparisons."""
        number, members = self._numbers(child, parents)
        return int(self.exact_scores(number, _row(members))[0])

    def scores_of(self, child: str | int, parent_sets: Iterable[Collection[str | int]]) -> NDArray[np.float64]:
        """Return the local scores of many families of one child, in the given order."""
        number = self._number(child)
        rows = [_row(self._numbers(number, parents)[1]) for parents in parent_sets]
        exact = np.empty(len(rows), dtype=np.int64)
        sizes = np.array([row.shape[1] for row in rows], dtype=np.int64)
        for size in np.unique(sizes):
            chosen = np.flatnonzero(sizes == size)
            exact[chosen] = self.exact_scores(number, np.concatenate([rows[i] for i in chosen]))
        return self.unit.to_floats(exact)

    def additions(self, child: str | int, parents: Collection[str | int] = ()) -> NDArray[np.float64]:
        """Return the local scores of a child with each other variable added to its parents.

        Parameters
        ----------
        child : str or int
            A variable, by name or by number.
        parents : collection of str or int
            Its parents before the addition.

        Returns
        -------
        array of float
            One score for each variable. It is NaN if the variable is not a candidate (the child itself, a parent
            already, a forbidden parent, or any variable if there are ``max_parents`` parents), and minus infinity if
            the larger family is impossible.

        Examples
        --------
        >>> import dagscape as ds
        >>> scores = ds.family_scores(ds.load_dataset("tic-tac-toe"))
        >>> found = scores.additions("Class", ["middle-middle-square"])
        >>> scores.variables[np.nanargmax(found)]
        'top-left-square'
        """
        number, members = self._numbers(child, parents)
        scores = np.full(self.n, np.nan)
        candidates = self._candidates(number, members)
        if len(candidates):
            scores[candidates] = self.unit.to_floats(self._exact_additions(number, members, candidates))
        return scores

    def additions_exact(
        self, child: str | int, parents: Collection[str | int] = (), *, among: NDArray[np.bool_] | None = None
    ) -> NDArray[np.int64]:
        """Return the scores of :meth:`additions` in units, with ``IMPOSSIBLE`` in place of NaN and minus infinity.

        Parameters
        ----------
        child, parents
            As in :meth:`additions`.
        among : array of bool, optional
            Which variables are candidates. Default: all.
        """
        number, members = self._numbers(child, parents)
        exact = np.full(self.n, IMPOSSIBLE)
        candidates = self._candidates(number, members)
        if among is not None:
            candidates = candidates[among[candidates]]
        if len(candidates):
            exact[candidates] = self._exact_additions(number, members, candidates)
        return exact

    def removals(self, child: str | int, parents: Collection[str | int]) -> NDArray[np.float64]:
        """Return the local scores of a child with each of its parents removed, in the order of the parents.

        Parameters
        ----------
        child : str or int
            A variable, by name or by number.
        parents : collection of str or int
            Its parents before the removal.

        Examples
        --------
        >>> import dagscape as ds
        >>> scores = ds.local_scores(ds.load_dataset("tic-tac-toe"))
        >>> scores.removals("Class", ["middle-middle-square", "top-left-square"]).round(3).tolist()
        [-620.849, -571.795]
        """
        return self.unit.to_floats(self.removals_exact(child, parents))

    def removals_exact(self, child: str | int, parents: Collection[str | int]) -> NDArray[np.int64]:
        """Return the scores of :meth:`removals` in units."""
        number, members = self._numbers(child, parents)
        if not members:
            return np.empty(0, dtype=np.int64)
        kept = [sorted({*members} - {member}) for member in members]
        return self.exact_scores(number, np.array(kept, dtype=np.int64).reshape(len(kept), -1))

    def _exact_additions(
        self, child: int, parents: tuple[int, ...], candidates: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return the scores, in units, of a child with each candidate added to its parents."""
        return self.exact_scores(child, with_candidates(parents, candidates))

    def _candidates(self, child: int, parents: tuple[int, ...]) -> NDArray[np.int64]:
        """Return the variables that can be added to the parents of a child."""
        if len(parents) >= self.max_parents:
            return np.empty(0, dtype=np.int64)
        allowed = np.ones(self.n, dtype=np.bool_)
        allowed[[child, *parents, *self.constraints.forbidden[child]]] = False
        return np.flatnonzero(allowed)

    def network(self, network: Dag | HasDag | Mapping[str, Collection[str]]) -> float:
        """Return the score of a network: a Dag, a Network, or a mapping from variables to their parents.

        Variables that a mapping omits have no parents. A mapping is not checked for directed cycles.
        """
        return self.unit.to_float(self.network_exact(network))

    def network_exact(self, network: Dag | HasDag | Mapping[str, Collection[str]]) -> int:
        """Return the score of a network as an integer number of units, for exact comparisons."""
        dag = getattr(network, "dag", network)
        parents = dag.to_parents() if isinstance(dag, Dag) else dag
        if not isinstance(parents, Mapping):
            raise InvalidOption(
                f"{type_of(network)} has no score: use a Dag, a Network, or a mapping from variables to parents"
            )
        for child in parents:
            self._number(child)
        exact = [self.family_exact(name, parents.get(name, ())) for name in self.variables]
        return IMPOSSIBLE if IMPOSSIBLE in exact else sum(exact)

    @cached_property
    def _number_of(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.variables)}

    def _number(self, variable: str | int) -> int:
        if isinstance(variable, str):
            if variable in self._number_of:
                return self._number_of[variable]
        elif is_whole(variable, at_least=0) and variable < self.n:
            return int(variable)
        raise InvalidOption(f"{variable!r} is not a variable{did_you_mean(variable, self.variables)}")

    def _numbers(self, child: str | int, parents: Collection[str | int]) -> tuple[int, tuple[int, ...]]:
        """Return the number of a child, and those of its parents in the given order."""
        number = self._number(child)
        if isinstance(parents, str):
            raise InvalidOption(f"is the string {parents!r}; it must be a collection of names", option="parents")
        members = tuple(self._number(parent) for parent in parents)
        if number in members:
            raise InvalidOption(f"{self.variables[number]!r} cannot be a parent of itself")
        if len(set(members)) < len(members):
            raise InvalidOption(f"the parents of {self.variables[number]!r} name a variable twice")
        if len(members) > self.max_parents:
            raise InvalidOption(
                f"{self.variables[number]!r} has {plural(len(members), 'parent')}, but {argument('max_parents')} is "
                f"{self.max_parents}"
            )
        return number, members


def with_candidates(parents: tuple[int, ...], candidates: NDArray[np.int64]) -> Members:
    """Return a set with each candidate added to it, one per row."""
    before = np.tile(np.array(parents, dtype=np.int64), (len(candidates), 1))
    return np.sort(np.column_stack([before, candidates]), axis=1)


def _row(members: Iterable[int]) -> Members:
    """Return one set as the only row of an array, members increasing."""
    return np.array([sorted(members)], dtype=np.int64).reshape(1, -1)
