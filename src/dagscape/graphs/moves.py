"""The steps of a search from one DAG to its neighbours: add, remove or turn an edge."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from dagscape.graphs.dag import Dag
from dagscape.masks import bits


@dataclass(frozen=True, slots=True)
class Move:
    """One change of a DAG.

    Attributes
    ----------
    kind : {"add", "remove", "reverse"}
        What happens to the edge.
    parent, child : int
        The edge parent → child that is added, removed, or turned into child → parent.
    """

    kind: Literal["add", "remove", "reverse"]
    parent: int
    child: int

    def apply(self, dag: Dag) -> Dag:
        """The DAG after the move."""
        parents = list(dag.parent_masks)
        if self.kind == "add":
            parents[self.child] |= 1 << self.parent
        else:
            parents[self.child] &= ~(1 << self.parent)
        if self.kind == "reverse":
            parents[self.parent] |= 1 << self.child
        return Dag(dag.variables, tuple(parents))


def legal_moves(dag: Dag, max_parents: int | None = None) -> Iterator[Move]:
    """All moves that lead to another DAG, by child, then by parent.

    Parameters
    ----------
    dag : Dag
        Where to start.
    max_parents : int, optional
        The most parents a variable may have after the move.

    Examples
    --------
    >>> import dagscape as ds
    >>> dag = ds.Dag.from_edges("abc", [("a", "b"), ("b", "c")])
    >>> [(move.kind, move.parent, move.child) for move in legal_moves(dag)]
    [('remove', 0, 1), ('reverse', 0, 1), ('add', 0, 2), ('remove', 1, 2), ('reverse', 1, 2)]
    """
    limit = dag.n if max_parents is None else max_parents
    ancestors = dag.ancestor_masks()
    sizes = [mask.bit_count() for mask in dag.parent_masks]
    for child in range(dag.n):
        for parent in range(dag.n):
            if dag.parent_masks[child] >> parent & 1:
                yield Move("remove", parent, child)
                # Another way from parent to child would close a cycle with the turned edge.
                others = dag.parent_masks[child] & ~(1 << parent)
                detour = any(ancestors[other] >> parent & 1 for other in bits(others))
                if not detour and sizes[parent] < limit:
                    yield Move("reverse", parent, child)
            elif parent != child and sizes[child] < limit and not ancestors[parent] >> child & 1:
                yield Move("add", parent, child)
