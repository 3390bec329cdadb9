"""Many graphs on the same variables, kept as an array and made one by one when they are looked at."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import overload

import numpy as np
from numpy.typing import NDArray

from dagscape.graphs.dag import Cpdag, Dag
from dagscape.graphs.equivalence import cpdags
from dagscape.graphs.validation import numbered


class DagList(Sequence[Dag]):
    """DAGs on the same variables, up to 64.

    Attributes
    ----------
    variables : tuple of str
        The names of the variables.
    parents : array of uint64, graphs × variables
        The parents of each variable in each graph, as sets. Not to be changed.
    """

    __slots__ = ("parents", "variables")

    def __init__(self, variables: Sequence[str], parents: NDArray[np.uint64]) -> None:
        """Take an array of graphs that are known to have no cycles."""
        self.variables = tuple(variables)
        self.parents = parents
        self.parents.flags.writeable = False

    @classmethod
    def from_edges(cls, variables: Sequence[str], graphs: Iterable[Iterable[tuple[str, str]]]) -> DagList:
        """The DAGs with the given edges, each a pair (parent, child); they are checked."""
        numbered(variables)
        dags = [Dag.from_edges(variables, [(parent, child) for parent, child in edges]) for edges in graphs]
        masks = np.array([dag.parent_masks for dag in dags], dtype=np.uint64).reshape(len(dags), len(variables))
        return cls(variables, masks)

    def to_edges(self) -> list[list[list[str]]]:
        """The edges of every DAG, as :meth:`from_edges` takes them: lists, texts and nothing else."""
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
        return Dag.trusted(self.variables, tuple(self.parents[index].tolist()))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DagList):
            return NotImplemented
        return self.variables == other.variables and np.array_equal(self.parents, other.parents)

    __hash__ = None  # type: ignore[assignment]

    def cpdags(self) -> CpdagList:
        """The equivalence classes of the DAGs."""
        return CpdagList(self.variables, *cpdags(self.parents))

    def __repr__(self) -> str:
        return f"DagList({len(self)} DAGs on {len(self.variables)} variables)"


class CpdagList(Sequence[Cpdag]):
    """CPDAGs on the same variables, up to 64: directed and undirected edges as arrays of sets, as in :class:`Cpdag`."""

    __slots__ = ("directed", "undirected", "variables")

    def __init__(
        self, variables: tuple[str, ...], directed: NDArray[np.uint64], undirected: NDArray[np.uint64]
    ) -> None:
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
        masks = (tuple(array[index].tolist()) for array in (self.directed, self.undirected))
        return Cpdag.trusted(self.variables, *masks)

    def __repr__(self) -> str:
        return f"CpdagList({len(self)} CPDAGs on {len(self.variables)} variables)"
