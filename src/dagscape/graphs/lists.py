"""Lists of graphs on the same variables, stored as arrays; each graph is created on access."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import overload

import numpy as np
from numpy.typing import NDArray

from dagscape.core.errors import InvalidData
from dagscape.core.wording import plural
from dagscape.graphs.dag import Cpdag, Dag
from dagscape.graphs.equivalence import class_keys, cpdags
from dagscape.graphs.validation import check_graph_memory, numbered
from dagscape.graphs.words import Words, acyclic, checked_graphs, pack, unpack, with_words, word_count


class DagList(Sequence[Dag]):
    """DAGs on the same variables.

    Attributes
    ----------
    variables : tuple of str
        The names of the variables.
    parents : array of uint64, graphs × variables × words
        The parents of each variable in each graph, as sets: variable *u* is bit *u* mod 64 of word *u* div 64.
        Read-only.

    Examples
    --------
    >>> import dagscape as ds
    >>> dags = DagList.from_dags([ds.random_dag(100, seed=seed) for seed in range(3)])
    >>> dags
    DagList(3 DAGs on 100 variables)
    >>> dags[1] == ds.random_dag(100, seed=1), dags.cpdags()[1] == dags[1].to_cpdag()
    (True, True)
    """

    __slots__ = ("parents", "variables")

    def __init__(self, variables: Sequence[str], parents: Words) -> None:
        """Store an array of graphs without checks; they must be acyclic. Up to 64 variables need no third axis."""
        self.variables = tuple(variables)
        self.parents = with_words(parents)
        self.parents.flags.writeable = False

    @classmethod
    def from_dags(cls, dags: Iterable[Dag]) -> DagList:
        """Return a list of at least one DAG, all on the same variables in the same order."""
        given = list(dags)
        if len({dag.variables for dag in given}) != 1:
            raise InvalidData("a list needs at least one DAG, and all on the same variables in the same order")
        return cls(given[0].variables, pack([dag.parent_masks for dag in given], given[0].n))

    @classmethod
    def from_edges(cls, variables: Sequence[str], graphs: Iterable[Iterable[tuple[str, str]]]) -> DagList:
        """Return the DAGs with the given edges, each a pair (parent, child); cycles are refused."""
        number = numbered(variables)
        bit = {name: 1 << place for name, place in number.items()}
        lists = list(map(list, graphs))
        check_graph_memory(len(number), len(lists))
        masks = []
        for edges in lists:
            parents = [0] * len(number)
            try:
                for parent, child in edges:
                    parents[number[child]] |= bit[parent]
            except (KeyError, TypeError, ValueError):
                # It says what is wrong with the edges.
                Dag.from_edges(variables, edges)
                raise
            masks.append(parents)
        packed = pack(masks, len(number))
        for wrong in np.flatnonzero(~acyclic(packed))[:1].tolist():
            Dag(tuple(variables), tuple(masks[wrong]))
        return cls(variables, packed)

    @classmethod
    def from_parents(cls, variables: Sequence[str], parents: Words) -> DagList:
        """Return the DAGs with the given sets of parents, as :attr:`parents` has them; cycles are refused."""
        count = len(numbered(variables))
        if parents.shape[1:] != (count, word_count(count)):
            raise InvalidData(
                f"the sets of parents have the shape {parents.shape}; with {plural(count, 'variable')} it must be "
                f"graphs × {count} × {word_count(count)}"
            )
        packed = checked_graphs(parents)
        for wrong in np.flatnonzero(~acyclic(packed))[:1].tolist():
            Dag(tuple(variables), unpack(packed[wrong]))
        return cls(variables, packed)

    def to_edges(self) -> list[list[list[str]]]:
        """Return the edges of every DAG, as :meth:`from_edges` takes them: lists of strings."""
        return [[[parent, child] for parent, child in dag.edges] for dag in self]

    def __len__(self) -> int:
        return len(self.parents)

    @overload
    def __getitem__(self, index: int) -> Dag: ...
    @overload
    def __getitem__(self, index: slice) -> DagList: ...
    def __getitem__(self, index: int | slice) -> Dag | DagList:
        if isinstance(index, slice):
            return DagList(self.variables, self.parents[index])
        return Dag.trusted(self.variables, unpack(self.parents[index]))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DagList):
            return NotImplemented
        return self.variables == other.variables and np.array_equal(self.parents, other.parents)

    def edge_counts(self) -> NDArray[np.int64]:
        """Return the number of edges of each DAG."""
        counts: NDArray[np.int64] = np.bitwise_count(self.parents).sum(axis=(1, 2), dtype=np.int64)
        return counts

    def distinct(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return the indices of the different DAGs, where each occurs first, and for every DAG its place among them.

        Examples
        --------
        >>> dags = DagList("ab", np.array([[0, 1], [0, 0], [0, 1]], dtype=np.uint64))
        >>> first, places = dags.distinct()
        >>> first.tolist(), places.tolist()
        ([0, 1], [0, 1, 0])
        """
        found: dict[bytes, int] = {}
        places = np.array([found.setdefault(graph.tobytes(), len(found)) for graph in self.parents], dtype=np.intp)
        first = np.unique(places, return_index=True)[1]
        return first, places

    def cpdags(self) -> CpdagList:
        """Return the equivalence classes of the DAGs."""
        return CpdagList(self.variables, *cpdags(self.parents))

    def class_keys(self) -> Words:
        """Return the keys of the equivalence classes, as in :func:`dagscape.graphs.equivalence.class_keys`."""
        return class_keys(self.parents)

    def __repr__(self) -> str:
        return f"DagList({plural(len(self), 'DAG')} on {plural(len(self.variables), 'variable')})"


class CpdagList(Sequence[Cpdag]):
    """CPDAGs on the same variables.

    Attributes
    ----------
    variables : tuple of str
        The names of the variables.
    directed, undirected : array of uint64, graphs × variables × words
        The edges as in :class:`Cpdag`, the sets as in :class:`DagList`.
    """

    __slots__ = ("directed", "undirected", "variables")

    def __init__(self, variables: tuple[str, ...], directed: Words, undirected: Words) -> None:
        self.variables = variables
        self.directed = directed
        self.undirected = undirected

    def __len__(self) -> int:
        return len(self.directed)

    @overload
    def __getitem__(self, index: int) -> Cpdag: ...
    @overload
    def __getitem__(self, index: slice) -> CpdagList: ...
    def __getitem__(self, index: int | slice) -> Cpdag | CpdagList:
        if isinstance(index, slice):
            return CpdagList(self.variables, self.directed[index], self.undirected[index])
        return Cpdag.trusted(self.variables, unpack(self.directed[index]), unpack(self.undirected[index]))

    def __repr__(self) -> str:
        return f"CpdagList({plural(len(self), 'CPDAG')} on {plural(len(self.variables), 'variable')})"
