"""Moves of a local search from a DAG to its neighbours: add, remove or reverse an edge.

:class:`Move` and :func:`legal_moves` work on immutable DAGs. A search that makes many moves uses an
:class:`EditableDag`, which maintains the ancestors of all variables in a kernel
(``native/include/dagscape/search/editable_dag.hpp``). It can tell whether a move is legal without a search of the
graph.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dagscape.core import kernels
from dagscape.core.errors import InvalidData, InvalidOption
from dagscape.core.masks import bits
from dagscape.core.wording import plural
from dagscape.graphs.dag import Dag
from dagscape.graphs.parent_sets import ancestors_of, directed_cycle


@dataclass(frozen=True, slots=True)
class Move:
    """One change of a DAG.

    Attributes
    ----------
    kind : {"add", "remove", "reverse"}
        The change to the edge.
    parent, child : int
        The edge parent → child that is added, removed, or reversed to child → parent.
    """

    kind: Literal["add", "remove", "reverse"]
    parent: int
    child: int

    def apply(self, dag: Dag, *, check: bool = True) -> Dag:
        """Return the DAG after the move.

        Parameters
        ----------
        dag : Dag
            The DAG before the move.
        check : bool
            Whether to check that the move is legal; the moves of :func:`legal_moves` need no check. Default: True.

        Examples
        --------
        >>> import dagscape as ds
        >>> Move("reverse", 0, 1).apply(ds.Dag.from_edges("ab", [("a", "b")]))
        Dag(2 variables, 1 edge: b -> a)
        """
        parents = list(dag.parent_masks)
        if check and (self.kind == "add") == bool(parents[self.child] >> self.parent & 1):
            raise _refusal(dag, self.kind, self.parent, self.child)
        if self.kind == "add":
            parents[self.child] |= 1 << self.parent
        else:
            parents[self.child] &= ~(1 << self.parent)
        if self.kind == "reverse":
            parents[self.parent] |= 1 << self.child
        if check and self._closes_cycle(parents):
            cycle = " -> ".join(dag.variables[v] for v in directed_cycle(parents))
            raise InvalidData(f"the graph has a directed cycle: {cycle}")
        return Dag.trusted(dag.variables, tuple(parents))

    def _closes_cycle(self, parents: list[int]) -> bool:
        """Whether the new edge is part of a cycle."""
        if self.kind == "remove":
            return False
        child = self.child if self.kind == "add" else self.parent
        return bool(ancestors_of(parents, 1 << child) >> child & 1)


class EditableDag:
    """A mutable DAG that tracks which changes are legal.

    It is designed for local search: with a thousand variables, listing the legal additions to a variable and checking a
    reversal take microseconds. A change updates only the ancestors that it affects. Variables are given by number.

    Parameters
    ----------
    dag : Dag
        The initial DAG. It is not changed.

    Examples
    --------
    >>> import dagscape as ds
    >>> graph = EditableDag(ds.Dag.from_edges("abc", [("a", "b"), ("b", "c")]))
    >>> graph.can_add(0, 2), graph.can_add(2, 0)
    (True, False)
    >>> graph.add(0, 2)
    >>> graph.parents(2), graph.can_reverse(0, 1), graph.can_reverse(0, 2)
    ((0, 1), True, False)
    >>> graph.to_dag()
    Dag(3 variables, 3 edges: a -> b, a -> c, b -> c)
    """

    __slots__ = ("_kernel", "_parents", "variables")

    def __init__(self, dag: Dag) -> None:
        self.variables = dag.variables
        self._parents = list(dag.parent_masks)
        self._kernel = kernels.EditableDag(dag.n)
        # Parents first: the child then has no descendants to update.
        for child in dag.order_numbers():
            for parent in bits(dag.parent_masks[child]):
                self._kernel.add(parent, child)

    @property
    def n(self) -> int:
        """The number of variables."""
        return len(self.variables)

    @property
    def parent_masks(self) -> tuple[int, ...]:
        """The parents of each variable as sets, as in a :class:`Dag`."""
        return tuple(self._parents)

    def parents(self, child: int) -> tuple[int, ...]:
        """Return the parents of a variable, in increasing order."""
        return tuple(bits(self._parents[child]))

    def has_edge(self, parent: int, child: int) -> bool:
        """Whether the graph has the edge parent → child."""
        return bool(self._parents[child] >> parent & 1)

    def has_path(self, source: int, target: int) -> bool:
        """Whether a directed path leads from one variable to another."""
        return self._kernel.has_path(source, target)

    def can_add(self, parent: int, child: int) -> bool:
        """Whether the edge parent → child can be added: it is new, and closes no cycle."""
        return self._kernel.can_add(parent, child)

    def can_reverse(self, parent: int, child: int) -> bool:
        """Whether the graph has the edge parent → child, and it can be reversed without closing a cycle."""
        return self._kernel.can_reverse(parent, child)

    def additions(self, child: int) -> NDArray[np.bool_]:
        """Return, for each variable, whether it can become an additional parent of this one."""
        legal = np.empty(self.n, dtype=np.bool_)
        self._kernel.additions(child, legal)
        return legal

    def reversals(self, child: int) -> NDArray[np.bool_]:
        """Return, for each variable, whether it is a parent of this one and the edge can be reversed."""
        legal = np.empty(self.n, dtype=np.bool_)
        self._kernel.reversals(child, legal)
        return legal

    def add(self, parent: int, child: int) -> None:
        """Add the edge parent → child."""
        if not self._kernel.add(parent, child):
            raise _refusal(self, "add", parent, child)
        self._parents[child] |= 1 << parent

    def remove(self, parent: int, child: int) -> None:
        """Remove the edge parent → child."""
        if not self._kernel.remove(parent, child):
            raise _refusal(self, "remove", parent, child)
        self._parents[child] ^= 1 << parent

    def reverse(self, parent: int, child: int) -> None:
        """Reverse the edge parent → child to child → parent."""
        if not self._kernel.reverse(parent, child):
            raise _refusal(self, "reverse", parent, child)
        self._parents[child] ^= 1 << parent
        self._parents[parent] |= 1 << child

    def apply(self, move: Move) -> None:
        """Apply a move."""
        {"add": self.add, "remove": self.remove, "reverse": self.reverse}[move.kind](move.parent, move.child)

    def to_dag(self) -> Dag:
        """Return the current DAG."""
        return Dag.trusted(self.variables, self.parent_masks)

    def __repr__(self) -> str:
        return f"EditableDag({plural(self.n, 'variable')}, {plural(sum(map(int.bit_count, self._parents)), 'edge')})"


def legal_moves(dag: Dag | EditableDag, max_parents: int | None = None) -> Iterator[Move]:
    """Iterate over all moves that lead to another DAG, by child, then by parent.

    Parameters
    ----------
    dag : Dag or EditableDag
        The DAG before the move; it must not change during the iteration.
    max_parents : int, optional
        The maximal number of parents of a variable after the move.

    Examples
    --------
    >>> import dagscape as ds
    >>> dag = ds.Dag.from_edges("abc", [("a", "b"), ("b", "c")])
    >>> [(move.kind, move.parent, move.child) for move in legal_moves(dag)]
    [('remove', 0, 1), ('reverse', 0, 1), ('add', 0, 2), ('remove', 1, 2), ('reverse', 1, 2)]
    """
    graph = EditableDag(dag) if isinstance(dag, Dag) else dag
    limit = graph.n if max_parents is None else max_parents
    above = graph.parent_masks
    sizes = [mask.bit_count() for mask in above]
    for child in range(graph.n):
        added = np.flatnonzero(graph.additions(child)).tolist() if sizes[child] < limit else []
        for parent in sorted([*added, *bits(above[child])]):
            if not above[child] >> parent & 1:
                yield Move("add", parent, child)
                continue
            yield Move("remove", parent, child)
            if sizes[parent] < limit and graph.can_reverse(parent, child):
                yield Move("reverse", parent, child)


def _refusal(graph: Dag | EditableDag, kind: str, parent: int, child: int) -> InvalidOption:
    edge = f"{graph.variables[parent]!r} -> {graph.variables[child]!r}"
    there = bool(graph.parent_masks[child] >> parent & 1)
    if kind == "add":
        reason = "the graph already has it" if there else "it would close a directed cycle"
        return InvalidOption(f"the edge {edge} cannot be added: {reason}")
    verb = {"remove": "removed", "reverse": "reversed"}[kind]
    reason = "it would close a directed cycle with another path" if there else "the graph does not have it"
    return InvalidOption(f"the edge {edge} cannot be {verb}: {reason}")
