"""Completed partially directed acyclic graphs: one for each Markov equivalence class of DAGs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dagscape.drawing.draw import svg
from dagscape.errors import InvalidData
from dagscape.graphs.dag import Dag, check_masks, check_order, check_variables, numbered
from dagscape.masks import bits, transposed

if TYPE_CHECKING:
    import networkx as nx


@dataclass(frozen=True, slots=True, repr=False)
class Cpdag:
    """An equivalence class of DAGs: directed where all members agree, undirected where they do not.

    Parameters
    ----------
    variables : tuple of str
        The names of the variables.
    directed : tuple of int
        For each variable the parents on which all members agree, as a set.
    undirected : tuple of int
        For each variable the neighbours by undirected edges, as a set.

    Examples
    --------
    >>> import dagscape as ds
    >>> chain = ds.Dag.from_edges(["a", "b", "c"], [("a", "b"), ("b", "c")])
    >>> chain.to_cpdag()
    Cpdag(3 variables, 0 directed and 2 undirected edges: a - b, b - c)
    >>> chain.to_cpdag().size()
    3
    """

    variables: tuple[str, ...]
    directed: tuple[int, ...]
    undirected: tuple[int, ...]

    def __post_init__(self) -> None:
        from dagscape.graphs.equivalence import is_cpdag

        object.__setattr__(self, "variables", tuple(self.variables))
        object.__setattr__(self, "directed", tuple(map(int, self.directed)))
        object.__setattr__(self, "undirected", tuple(map(int, self.undirected)))
        check_variables(self.variables)
        check_masks(self.variables, self.directed)
        check_masks(self.variables, self.undirected)
        if not is_cpdag(self.directed, self.undirected):
            raise InvalidData(
                "these edges are not the CPDAG of any DAG: make one with Dag.to_cpdag(), or complete a pattern "
                "with Cpdag.from_pattern()"
            )

    @classmethod
    def trusted(cls, variables: tuple[str, ...], directed: tuple[int, ...], undirected: tuple[int, ...]) -> Cpdag:
        """The CPDAG of edges that come from a DAG: nothing is checked."""
        cpdag = object.__new__(cls)
        for name, value in (("variables", variables), ("directed", directed), ("undirected", undirected)):
            object.__setattr__(cpdag, name, value)
        return cpdag

    @classmethod
    def from_edges(
        cls,
        variables: Sequence[str],
        directed: Iterable[tuple[str, str]] = (),
        undirected: Iterable[tuple[str, str]] = (),
    ) -> Cpdag:
        """The CPDAG with the given edges."""
        return cls(tuple(variables), *_edge_masks(variables, directed, undirected))

    @classmethod
    def from_pattern(
        cls,
        variables: Sequence[str],
        directed: Iterable[tuple[str, str]] = (),
        undirected: Iterable[tuple[str, str]] = (),
    ) -> Cpdag:
        """The class of the DAGs that extend a partially directed graph without new v-structures.

        The directed edges of the pattern need not be all that are compelled, and may be more: what the class leaves
        open becomes undirected. Where no DAG extends it, that is an error.
        """
        from dagscape.graphs.equivalence import consistent_extension

        names = tuple(variables)
        extension = consistent_extension(*_edge_masks(names, directed, undirected))
        if extension is None:
            raise InvalidData("no DAG extends the pattern without a new v-structure or a directed cycle")
        return Dag(names, extension).to_cpdag()

    @property
    def n(self) -> int:
        """The number of variables."""
        return len(self.variables)

    @property
    def directed_edges(self) -> tuple[tuple[str, str], ...]:
        """The directed edges (parent, child), by child, then by parent."""
        return tuple(
            (self.variables[parent], child)
            for child, mask in zip(self.variables, self.directed, strict=True)
            for parent in bits(mask)
        )

    @property
    def undirected_edges(self) -> tuple[tuple[str, str], ...]:
        """The undirected edges, each once, the earlier variable first."""
        return tuple(
            (name, self.variables[other])
            for number, name in enumerate(self.variables)
            for other in bits(self.undirected[number] >> (number + 1) << (number + 1))
        )

    def size(self) -> int:
        """The number of DAGs in the class, in polynomial time [wienobst2021]_."""
        from dagscape.graphs.class_size import class_size

        return class_size(self)

    def members(self) -> Iterator[Dag]:
        """The DAGs of the class, one after the other, in a fixed order."""
        from dagscape.graphs.equivalence import class_members

        return class_members(self)

    def __contains__(self, dag: object) -> bool:
        dag = getattr(dag, "dag", dag)
        return isinstance(dag, Dag) and dag.variables == self.variables and dag.to_cpdag() == self

    def to_dag(self) -> Dag:
        """One member of the class."""
        from dagscape.graphs.equivalence import consistent_extension

        extension = consistent_extension(self.directed, self.undirected)
        assert extension is not None, "a CPDAG has a member"
        return Dag(self.variables, extension)

    def skeleton_masks(self) -> tuple[int, ...]:
        """The neighbours of every variable, whatever the kind of the edge, as sets."""
        children = transposed(self.directed)
        return tuple(a | b | c for a, b, c in zip(self.directed, children, self.undirected, strict=True))

    def reordered(self, variables: Sequence[str]) -> Cpdag:
        """The same class with its variables in another order."""
        check_order(self.variables, variables)
        return Cpdag.from_edges(variables, self.directed_edges, self.undirected_edges)

    def to_adjacency(self) -> NDArray[np.bool_]:
        """The adjacency matrix: ``[u, v]`` is true for *u* → *v*; for an undirected edge ``[v, u]`` is as well."""
        matrix = np.zeros((self.n, self.n), dtype=np.bool_)
        for child in range(self.n):
            matrix[list(bits(self.directed[child] | self.undirected[child])), child] = True
        return matrix

    def to_networkx(self) -> nx.DiGraph[Any]:
        """A networkx ``DiGraph`` with the edge attribute ``directed``; an undirected edge stands in both directions."""
        import networkx as nx

        graph: nx.DiGraph[Any] = nx.DiGraph()
        graph.add_nodes_from(self.variables)
        graph.add_edges_from(self.directed_edges, directed=True)
        both = [edge for u, v in self.undirected_edges for edge in ((u, v), (v, u))]
        graph.add_edges_from(both, directed=False)
        return graph

    def _repr_svg_(self) -> str:
        return svg(self)

    def __repr__(self) -> str:
        edges = [f"{u} -> {v}" for u, v in self.directed_edges] + [f"{u} - {v}" for u, v in self.undirected_edges]
        shown = ": " + ", ".join(edges[:8]) + (", …" if len(edges) > 8 else "") if edges else ""
        return (
            f"Cpdag({self.n} variables, {len(self.directed_edges)} directed and "
            f"{len(self.undirected_edges)} undirected edges{shown})"
        )


def _edge_masks(
    variables: Sequence[str], directed: Iterable[tuple[str, str]], undirected: Iterable[tuple[str, str]]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    number = numbered(variables)
    arrows, lines = [0] * len(number), [0] * len(number)
    for kind, edges in (("->", directed), ("-", undirected)):
        for u, v in edges:
            for name in (u, v):
                if name not in number:
                    raise InvalidData(f"the edge {u!r} {kind} {v!r} names {name!r}, which is not a variable")
            if kind == "->":
                arrows[number[v]] |= 1 << number[u]
            else:
                lines[number[v]] |= 1 << number[u]
                lines[number[u]] |= 1 << number[v]
    return tuple(arrows), tuple(lines)
