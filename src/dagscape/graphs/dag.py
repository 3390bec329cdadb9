"""Directed acyclic graphs, and their Markov equivalence classes as CPDAGs: immutable, hashable, of any size.

Both are in one module because each refers to the other: a DAG to its class, a class to its members. The algorithms work
on sets and are in the other modules of this package.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dagscape.core.checks import check_names
from dagscape.core.errors import InvalidData, InvalidOption, did_you_mean
from dagscape.core.masks import bits, mask_of, transposed
from dagscape.core.references import loaded
from dagscape.core.wording import plural, visible
from dagscape.drawing.display import NOTEBOOK_SVG
from dagscape.graphs.class_size import class_size
from dagscape.graphs.conversion import (
    adjacency_of,
    edge_masks,
    mixed_networkx_graph,
    named_edges,
    names_and_edges,
    networkx_graph,
    parents_of_adjacency,
    sets_or_edges,
)
from dagscape.graphs.equivalence import cpdag_masks, is_cpdag
from dagscape.graphs.orientation import class_members, consistent_extension
from dagscape.graphs.parent_sets import (
    ancestor_masks,
    ancestors_of,
    d_connected,
    directed_cycle,
    skeleton,
    topological_order,
    v_structures,
)
from dagscape.graphs.validation import check_collection, check_masks, check_order

if TYPE_CHECKING:
    import networkx as nx


@dataclass(frozen=True, slots=True, repr=False, init=False)
class Dag:
    """A directed acyclic graph.

    Parameters
    ----------
    variables : sequence of str
        The names of the variables.
    parent_masks : iterable of pairs of str, or of int
        The edges, each a pair (parent, child), as in :meth:`from_edges`; or the parents of each variable as a set: bit
        *u* of ``parent_masks[v]`` is the edge *u* → *v*. Default: no edges.

    Attributes
    ----------
    variables : tuple of str
        The names of the variables.
    parent_masks : tuple of int
        The parents of each variable, as sets.

    Examples
    --------
    >>> import dagscape as ds
    >>> dag = ds.Dag(["rain", "sprinkler", "wet"], [("rain", "wet"), ("sprinkler", "wet")])
    >>> dag
    Dag(3 variables, 2 edges: rain -> wet, sprinkler -> wet)
    >>> dag.v_structures()
    (('rain', 'wet', 'sprinkler'),)
    >>> dag.d_separated("rain", "sprinkler"), dag.d_separated("rain", "sprinkler", ["wet"])
    (True, False)
    """

    variables: tuple[str, ...]
    parent_masks: tuple[int, ...]

    def __init__(self, variables: Sequence[str], parent_masks: Iterable[tuple[str, str]] | Iterable[int] = ()) -> None:
        names = tuple(variables)
        object.__setattr__(self, "variables", names)
        object.__setattr__(self, "parent_masks", sets_or_edges(names, parent_masks))
        if len(self.order_numbers()) < self.n:
            cycle = directed_cycle(self.parent_masks)
            raise InvalidData(f"the graph has a directed cycle: {' -> '.join(self.variables[v] for v in cycle)}")

    @classmethod
    def trusted(cls, variables: tuple[str, ...], parent_masks: tuple[int, ...]) -> Dag:
        """Return a DAG without checks; the edges must have no cycle."""
        dag = object.__new__(cls)
        object.__setattr__(dag, "variables", variables)
        object.__setattr__(dag, "parent_masks", parent_masks)
        return dag

    @classmethod
    def from_edges(cls, variables: Sequence[str], edges: Iterable[tuple[str, str]] = ()) -> Dag:
        """Return the DAG with the given edges, each a pair (parent, child)."""
        return cls(tuple(variables), edge_masks(variables, edges))

    @classmethod
    def from_parents(cls, parents: Mapping[str, Collection[str]]) -> Dag:
        """Return the DAG in which each key has the given parents; every variable must be a key."""
        for child, above in parents.items():
            check_collection(above, f"the parents of {child!r}")
        return cls.from_edges(list(parents), [(parent, child) for child in parents for parent in parents[child]])

    @classmethod
    def from_adjacency(cls, matrix: ArrayLike, variables: Sequence[str] | None = None) -> Dag:
        """Return the DAG with an edge *u* → *v* where ``matrix[u, v]`` is not zero.

        The names default to the labels of a data frame, or else to ``X0``, ``X1``, ….
        """
        return cls(*parents_of_adjacency(matrix, variables))

    @classmethod
    def from_networkx(cls, graph: nx.DiGraph[Any]) -> Dag:
        """Return the DAG of a networkx graph; ``str`` turns nodes into names."""
        return cls.from_edges(*names_and_edges(graph))

    @property
    def n(self) -> int:
        """The number of variables."""
        return len(self.variables)

    @property
    def edge_count(self) -> int:
        """The number of edges."""
        return sum(mask.bit_count() for mask in self.parent_masks)

    @property
    def edges(self) -> tuple[tuple[str, str], ...]:
        """The edges (parent, child), by child, then by parent."""
        return named_edges(self.variables, self.parent_masks)

    def number(self, variable: str) -> int:
        """Return the number of a variable."""
        try:
            return self.variables.index(variable)
        except ValueError:
            similar = did_you_mean(variable, self.variables)
            raise InvalidOption(f"{variable!r} is not a variable of the graph{similar}") from None

    def names(self, mask: int) -> tuple[str, ...]:
        """Return the names of the members of a set."""
        return tuple(self.variables[member] for member in bits(mask))

    def has_edge(self, parent: str, child: str) -> bool:
        """Whether the graph has the edge parent → child."""
        return bool(self.parent_masks[self.number(child)] >> self.number(parent) & 1)

    def parents(self, variable: str) -> tuple[str, ...]:
        """Return the parents of a variable, in the order of the variables."""
        return self.names(self.parent_masks[self.number(variable)])

    def children(self, variable: str) -> tuple[str, ...]:
        """Return the children of a variable."""
        return self.names(transposed(self.parent_masks)[self.number(variable)])

    def ancestors(self, variable: str) -> tuple[str, ...]:
        """Return all variables from which a directed path leads to this one."""
        return self.names(ancestors_of(self.parent_masks, 1 << self.number(variable)))

    def descendants(self, variable: str) -> tuple[str, ...]:
        """Return all variables to which a directed path leads from this one."""
        return self.names(ancestors_of(transposed(self.parent_masks), 1 << self.number(variable)))

    def markov_blanket(self, variable: str) -> tuple[str, ...]:
        """Return the parents, the children and the children's other parents.

        Given these, the variable is independent of all others.
        """
        number = self.number(variable)
        children = transposed(self.parent_masks)[number]
        blanket = self.parent_masks[number] | children
        for child in bits(children):
            blanket |= self.parent_masks[child]
        return self.names(blanket & ~(1 << number))

    def ancestor_masks(self) -> tuple[int, ...]:
        """Return the ancestors of every variable, as sets."""
        return ancestor_masks(self.parent_masks)

    def order_numbers(self) -> tuple[int, ...]:
        """Return the topological order that places the smallest possible variable first, as numbers."""
        return topological_order(self.parent_masks)

    def topological_order(self) -> tuple[str, ...]:
        """Return the variables, parents before children; of several such orders, the one with the earliest first."""
        return tuple(self.variables[number] for number in self.order_numbers())

    def skeleton_masks(self) -> tuple[int, ...]:
        """Return the neighbours of every variable, whatever the direction of the edge, as sets."""
        return skeleton(self.parent_masks)

    def v_structures(self) -> tuple[tuple[str, str, str], ...]:
        """Return the triples (a, child, b) in which a → child ← b, and a and b are not adjacent; a before b."""
        name = self.variables
        return tuple((name[a], name[child], name[b]) for a, child, b in self.v_structure_numbers())

    def v_structure_numbers(self) -> Iterator[tuple[int, int, int]]:
        """Return the v-structures as triples of numbers (a, child, b), a < b, by child."""
        return v_structures(self.parent_masks)

    def d_separated(self, x: str | Collection[str], y: str | Collection[str], given: Collection[str] = ()) -> bool:
        """Whether two variables, or sets of them, are d-separated by a third set.

        Parameters
        ----------
        x, y : str or collection of str
            The variables to separate.
        given : collection of str
            The variables that are known. Default: none.
        """
        sources, targets = (mask_of(map(self.number, [s] if isinstance(s, str) else s)) for s in (x, y))
        known = mask_of(map(self.number, [given] if isinstance(given, str) else given))
        if sources & targets or (sources | targets) & known:
            raise InvalidOption("the sets of variables for d-separation must not overlap")
        return not d_connected(self.parent_masks, sources, known) & targets

    def with_edge(self, parent: str, child: str) -> Dag:
        """Return the graph with an additional edge."""
        return self._changed({self.number(child): self.parent_masks[self.number(child)] | 1 << self.number(parent)})

    def without_edge(self, parent: str, child: str) -> Dag:
        """Return the graph without an edge that it has."""
        if not self.has_edge(parent, child):
            raise InvalidOption(f"the graph has no edge {parent!r} -> {child!r} to remove")
        return self._changed({self.number(child): self.parent_masks[self.number(child)] & ~(1 << self.number(parent))})

    def with_parents(self, child: str, parents: Collection[str]) -> Dag:
        """Return the graph with the parents of one variable replaced."""
        check_collection(parents, "parents")
        return self._changed({self.number(child): mask_of(map(self.number, parents))})

    def _changed(self, parents: Mapping[int, int]) -> Dag:
        return Dag(self.variables, tuple(parents.get(v, mask) for v, mask in enumerate(self.parent_masks)))

    def reordered(self, variables: Sequence[str]) -> Dag:
        """Return the same graph with its variables in another order."""
        check_order(self.variables, variables)
        return Dag.from_edges(variables, self.edges)

    def subgraph(self, variables: Sequence[str]) -> Dag:
        """Return the subgraph induced by some of the variables."""
        kept = {variable: self.number(variable) for variable in variables}
        return Dag.from_edges(list(kept), [(p, c) for p, c in self.edges if p in kept and c in kept])

    def to_parents(self) -> dict[str, tuple[str, ...]]:
        """Return the parents of every variable by name, as :meth:`from_parents` takes them."""
        return {variable: self.names(mask) for variable, mask in zip(self.variables, self.parent_masks, strict=True)}

    def to_adjacency(self) -> NDArray[np.bool_]:
        """Return the adjacency matrix: ``[u, v]`` is true for the edge *u* → *v*."""
        return adjacency_of(self.parent_masks)

    def to_networkx(self) -> nx.DiGraph[str]:
        """Return the graph as a networkx ``DiGraph`` (extra ``networkx``)."""
        return networkx_graph(self.variables, self.edges)

    @property
    def directed(self) -> tuple[int, ...]:
        """The parents of each variable, as in a :class:`Cpdag`: every edge is directed."""
        return self.parent_masks

    @property
    def undirected(self) -> tuple[int, ...]:
        """The neighbours of each variable by undirected edges, as in a :class:`Cpdag`: none."""
        return (0,) * self.n

    def to_cpdag(self) -> Cpdag:
        """Return the equivalence class of the graph, as a CPDAG."""
        return Cpdag.trusted(self.variables, *cpdag_masks(self.parent_masks))

    def _repr_svg_(self) -> str | None:
        picture: str | None = loaded(NOTEBOOK_SVG)(self)
        return picture

    def __repr__(self) -> str:
        shown = ", ".join(f"{parent} -> {child}" for parent, child in self.edges[:8])
        more = ", …" if self.edge_count > 8 else ""
        size = f"{plural(self.n, 'variable')}, {plural(self.edge_count, 'edge')}"
        return visible(f"Dag({size}{': ' if shown else ''}{shown}{more})")


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
        object.__setattr__(self, "variables", tuple(self.variables))
        object.__setattr__(self, "directed", tuple(map(int, self.directed)))
        object.__setattr__(self, "undirected", tuple(map(int, self.undirected)))
        check_names(self.variables)
        check_masks(self.variables, self.directed)
        check_masks(self.variables, self.undirected)
        if not is_cpdag(self.directed, self.undirected):
            raise InvalidData(
                "these edges are not the CPDAG of any DAG: make one with Dag.to_cpdag(), or complete a pattern "
                "with Cpdag.from_pattern()"
            )

    @classmethod
    def trusted(cls, variables: tuple[str, ...], directed: tuple[int, ...], undirected: tuple[int, ...]) -> Cpdag:
        """Return a CPDAG without checks; the edges must be those of a DAG's class."""
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
        """Return the CPDAG with the given edges."""
        return cls(tuple(variables), *_edge_masks(variables, directed, undirected))

    @classmethod
    def from_pattern(
        cls,
        variables: Sequence[str],
        directed: Iterable[tuple[str, str]] = (),
        undirected: Iterable[tuple[str, str]] = (),
    ) -> Cpdag:
        """Return the class of the DAGs that extend a partially directed graph without new v-structures.

        The pattern may direct fewer edges than the class compels, or more: edges that the class does not compel become
        undirected. Raises InvalidData if no DAG extends the pattern.
        """
        names = tuple(variables)
        extension = consistent_extension(*_edge_masks(names, directed, undirected))
        if extension is None:
            raise InvalidData("no DAG extends the pattern without a new v-structure or a directed cycle")
        return cls.trusted(names, *cpdag_masks(extension))

    @property
    def n(self) -> int:
        """The number of variables."""
        return len(self.variables)

    @property
    def directed_edges(self) -> tuple[tuple[str, str], ...]:
        """The directed edges (parent, child), by child, then by parent."""
        return named_edges(self.variables, self.directed)

    @property
    def undirected_edges(self) -> tuple[tuple[str, str], ...]:
        """The undirected edges, each once, the earlier variable first."""
        return tuple(
            (name, self.variables[other])
            for number, name in enumerate(self.variables)
            for other in bits(self.undirected[number] >> (number + 1) << (number + 1))
        )

    def size(self) -> int:
        """Return the number of DAGs in the class, in polynomial time [wienobst2021]_."""
        return class_size(self.undirected)

    def members(self) -> Iterator[Dag]:
        """Iterate over the DAGs of the class, in a fixed order."""
        return (Dag.trusted(self.variables, parents) for parents in class_members(self.directed, self.undirected))

    def __contains__(self, dag: object) -> bool:
        dag = getattr(dag, "dag", dag)
        return isinstance(dag, Dag) and dag.variables == self.variables and dag.to_cpdag() == self

    def to_dag(self) -> Dag:
        """Return one member of the class, always the same; it need not be the first of :meth:`members`."""
        extension = consistent_extension(self.directed, self.undirected)
        assert extension is not None, "a CPDAG has a member"
        return Dag.trusted(self.variables, extension)

    def skeleton_masks(self) -> tuple[int, ...]:
        """Return the neighbours of every variable, whatever the kind of the edge, as sets."""
        children = transposed(self.directed)
        return tuple(a | b | c for a, b, c in zip(self.directed, children, self.undirected, strict=True))

    def reordered(self, variables: Sequence[str]) -> Cpdag:
        """Return the same class with its variables in another order."""
        check_order(self.variables, variables)
        return Cpdag.trusted(tuple(variables), *_edge_masks(variables, self.directed_edges, self.undirected_edges))

    def to_adjacency(self) -> NDArray[np.bool_]:
        """Return the adjacency matrix: ``[u, v]`` is true for *u* → *v*; undirected edges are in both directions."""
        return adjacency_of([a | b for a, b in zip(self.directed, self.undirected, strict=True)])

    def to_networkx(self) -> nx.DiGraph[Any]:
        """Return a networkx ``DiGraph`` with the edge attribute ``directed`` (extra ``networkx``).

        Undirected edges are in both directions.
        """
        return mixed_networkx_graph(self.variables, self.directed_edges, self.undirected_edges)

    def _repr_svg_(self) -> str | None:
        picture: str | None = loaded(NOTEBOOK_SVG)(self)
        return picture

    def __repr__(self) -> str:
        edges = [f"{u} -> {v}" for u, v in self.directed_edges] + [f"{u} - {v}" for u, v in self.undirected_edges]
        shown = ": " + ", ".join(edges[:8]) + (", …" if len(edges) > 8 else "") if edges else ""
        return visible(
            f"Cpdag({plural(self.n, 'variable')}, {len(self.directed_edges)} directed and "
            f"{plural(len(self.undirected_edges), 'undirected edge')}{shown})"
        )


def _edge_masks(
    variables: Sequence[str], directed: Iterable[tuple[str, str]], undirected: Iterable[tuple[str, str]]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    lines = edge_masks(variables, undirected, "-")
    return edge_masks(variables, directed), tuple(a | b for a, b in zip(lines, transposed(lines), strict=True))
