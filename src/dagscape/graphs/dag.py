"""Directed acyclic graphs with named variables: immutable, hashable, of any size."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dagscape.drawing.draw import svg
from dagscape.errors import InvalidData, InvalidOption
from dagscape.masks import bits, mask_of, transposed

if TYPE_CHECKING:
    import networkx as nx

    from dagscape.graphs.cpdag import Cpdag


@dataclass(frozen=True, slots=True, repr=False)
class Dag:
    """A directed acyclic graph.

    Parameters
    ----------
    variables : tuple of str
        The names of the variables.
    parent_masks : tuple of int
        The parents of each variable as a set: bit *u* of ``parent_masks[v]`` stands for the edge *u* → *v*.

    Examples
    --------
    >>> import dagscape as ds
    >>> dag = ds.Dag.from_edges(["rain", "sprinkler", "wet"], [("rain", "wet"), ("sprinkler", "wet")])
    >>> dag
    Dag(3 variables, 2 edges: rain -> wet, sprinkler -> wet)
    >>> dag.v_structures()
    (('rain', 'wet', 'sprinkler'),)
    >>> dag.d_separated("rain", "sprinkler"), dag.d_separated("rain", "sprinkler", ["wet"])
    (True, False)
    """

    variables: tuple[str, ...]
    parent_masks: tuple[int, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "variables", tuple(self.variables))
        object.__setattr__(self, "parent_masks", tuple(map(int, self.parent_masks)))
        check_variables(self.variables)
        check_masks(self.variables, self.parent_masks)
        if len(self.order_numbers()) < self.n:
            raise InvalidData(f"the graph has a directed cycle: {' -> '.join(self._cycle())}")

    @classmethod
    def trusted(cls, variables: tuple[str, ...], parent_masks: tuple[int, ...]) -> Dag:
        """The DAG of edges that are known to have no cycle: nothing is checked."""
        dag = object.__new__(cls)
        object.__setattr__(dag, "variables", variables)
        object.__setattr__(dag, "parent_masks", parent_masks)
        return dag

    @classmethod
    def from_edges(cls, variables: Sequence[str], edges: Iterable[tuple[str, str]] = ()) -> Dag:
        """The DAG with the given edges, each a pair (parent, child)."""
        number = numbered(variables)
        parents = [0] * len(number)
        for edge in edges:
            if isinstance(edge, str) or not isinstance(edge, Sequence) or len(edge) != 2:
                raise InvalidData(f"{edge!r} is not an edge: an edge is a pair (parent, child)")
            parent, child = edge
            for name in (parent, child):
                if name not in number:
                    raise InvalidData(f"the edge {parent!r} -> {child!r} names {name!r}, which is not a variable")
            parents[number[child]] |= 1 << number[parent]
        return cls(tuple(variables), tuple(parents))

    @classmethod
    def from_parents(cls, parents: Mapping[str, Collection[str]]) -> Dag:
        """The DAG in which each key has the given parents; every variable must be a key."""
        for child, above in parents.items():
            check_collection(above, f"the parents of {child!r}")
        return cls.from_edges(list(parents), [(parent, child) for child in parents for parent in parents[child]])

    @classmethod
    def from_adjacency(cls, matrix: ArrayLike, variables: Sequence[str] | None = None) -> Dag:
        """The DAG with an edge *u* → *v* where ``matrix[u, v]`` is not zero.

        Variables are called ``X0``, ``X1``, … if they are not named; a data frame's labels are their names.
        """
        if hasattr(matrix, "columns") and hasattr(matrix, "index"):
            matrix, variables = _labelled_matrix(matrix, variables)
        array = np.asarray(matrix)
        if array.dtype.kind not in "biuf" or (array.dtype.kind == "f" and np.isnan(array).any()):
            raise InvalidData("an adjacency matrix holds numbers or truth values, without gaps")
        if array.ndim != 2 or array.shape[0] != array.shape[1]:
            raise InvalidData(f"an adjacency matrix is square; this one has the shape {array.shape}")
        names = [f"X{i}" for i in range(len(array))] if variables is None else list(variables)
        if len(names) != len(array):
            raise InvalidData(f"the adjacency matrix has {len(array)} rows, but {len(names)} variables are named")
        parents = (mask_of(np.flatnonzero(array[:, child]).tolist()) for child in range(len(array)))
        return cls(tuple(names), tuple(parents))

    @classmethod
    def from_networkx(cls, graph: nx.DiGraph[Any]) -> Dag:
        """The DAG of a networkx graph; nodes become names by ``str``."""
        if not graph.is_directed():
            raise InvalidData("the networkx graph is not directed")
        nodes: list[Hashable] = list(graph.nodes)
        edges = [(str(parent), str(child)) for parent, child in graph.edges()]
        return cls.from_edges([str(node) for node in nodes], edges)

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
        return tuple(
            (self.variables[parent], child)
            for child, mask in zip(self.variables, self.parent_masks, strict=True)
            for parent in bits(mask)
        )

    def number(self, variable: str) -> int:
        """The number of a variable."""
        try:
            return self.variables.index(variable)
        except ValueError:
            raise InvalidOption(f"{variable!r} is not a variable of the graph") from None

    def names(self, mask: int) -> tuple[str, ...]:
        """The names of the members of a set."""
        return tuple(self.variables[member] for member in bits(mask))

    def has_edge(self, parent: str, child: str) -> bool:
        """Whether the edge parent → child is there."""
        return bool(self.parent_masks[self.number(child)] >> self.number(parent) & 1)

    def parents(self, variable: str) -> tuple[str, ...]:
        """The parents of a variable, in the order of the variables."""
        return self.names(self.parent_masks[self.number(variable)])

    def children(self, variable: str) -> tuple[str, ...]:
        """The children of a variable."""
        return self.names(transposed(self.parent_masks)[self.number(variable)])

    def ancestors(self, variable: str) -> tuple[str, ...]:
        """All variables from which a directed path leads to this one."""
        return self.names(self.ancestor_masks()[self.number(variable)])

    def descendants(self, variable: str) -> tuple[str, ...]:
        """All variables to which a directed path leads from this one."""
        return self.names(transposed(self.ancestor_masks())[self.number(variable)])

    def markov_blanket(self, variable: str) -> tuple[str, ...]:
        """Parents, children and the children's other parents: given these, no other says more about the variable."""
        number = self.number(variable)
        children = transposed(self.parent_masks)[number]
        blanket = self.parent_masks[number] | children
        for child in bits(children):
            blanket |= self.parent_masks[child]
        return self.names(blanket & ~(1 << number))

    def ancestor_masks(self) -> tuple[int, ...]:
        """The ancestors of every variable, as sets."""
        ancestors = [0] * self.n
        for variable in self.order_numbers():
            for parent in bits(self.parent_masks[variable]):
                ancestors[variable] |= ancestors[parent] | 1 << parent
        return tuple(ancestors)

    def order_numbers(self) -> tuple[int, ...]:
        """The topological order that always takes the smallest variable possible, as numbers."""
        children = transposed(self.parent_masks)
        waiting = list(self.parent_masks)
        ready = mask_of(v for v in range(self.n) if not waiting[v])
        order = []
        while ready:
            lowest = ready & -ready
            variable = lowest.bit_length() - 1
            ready ^= lowest
            order.append(variable)
            for child in bits(children[variable]):
                waiting[child] ^= lowest
                if not waiting[child]:
                    ready |= 1 << child
        return tuple(order)

    def topological_order(self) -> tuple[str, ...]:
        """The variables, parents before children; of several such orders, the one with the earliest variables first."""
        return tuple(self.variables[number] for number in self.order_numbers())

    def skeleton_masks(self) -> tuple[int, ...]:
        """The neighbours of every variable, whatever the direction of the edge, as sets."""
        children = transposed(self.parent_masks)
        return tuple(above | below for above, below in zip(self.parent_masks, children, strict=True))

    def v_structures(self) -> tuple[tuple[str, str, str], ...]:
        """The triples (a, child, b) in which a → child ← b, and a and b are not adjacent; a before b."""
        name = self.variables
        return tuple((name[a], name[child], name[b]) for a, child, b in self.v_structure_numbers())

    def v_structure_numbers(self) -> Iterator[tuple[int, int, int]]:
        """The v-structures as triples of numbers (a, child, b), a < b, by child."""
        return v_structures(self.parent_masks, self.skeleton_masks())

    def d_separated(self, x: str | Collection[str], y: str | Collection[str], given: Collection[str] = ()) -> bool:
        """Whether two variables, or sets of them, are d-separated by a third set.

        Parameters
        ----------
        x, y : str or collection of str
            The variables to separate.
        given : collection of str
            What is known.
        """
        sources, targets = (mask_of(map(self.number, [s] if isinstance(s, str) else s)) for s in (x, y))
        known = mask_of(map(self.number, [given] if isinstance(given, str) else given))
        if sources & targets or (sources | targets) & known:
            raise InvalidOption("the sets of variables in a question of d-separation must not overlap")
        return not self._reachable(sources, known) & targets

    def _reachable(self, sources: int, known: int) -> int:
        """All variables to which an active path leads from some source, given what is known."""
        children = transposed(self.parent_masks)
        ancestors = self.ancestor_masks()
        # A collider lets pass where it, or a descendant of it, is known.
        opened = known
        for variable in bits(known):
            opened |= ancestors[variable]
        upwards = seen_up = sources
        downwards = seen_down = 0
        while upwards or downwards:
            next_up = next_down = 0
            for variable in bits(upwards & ~known):
                next_up |= self.parent_masks[variable]
                next_down |= children[variable]
            for variable in bits(downwards & ~known):
                next_down |= children[variable]
            for variable in bits(downwards & opened):
                next_up |= self.parent_masks[variable]
            upwards, downwards = next_up & ~seen_up, next_down & ~seen_down
            seen_up |= upwards
            seen_down |= downwards
        return (seen_up | seen_down) & ~known

    def _cycle(self) -> list[str]:
        """A directed cycle: walk backwards among the variables that no order can place."""
        stuck = mask_of(range(self.n)) & ~mask_of(self.order_numbers())
        path = [next(bits(stuck))]
        while True:
            parent = next(bits(self.parent_masks[path[-1]] & stuck))
            if parent in path:
                cycle = [parent, *reversed(path[path.index(parent) :])]
                return [self.variables[v] for v in cycle]
            path.append(parent)

    def with_edge(self, parent: str, child: str) -> Dag:
        """The graph with one more edge."""
        return self._changed({self.number(child): self.parent_masks[self.number(child)] | 1 << self.number(parent)})

    def without_edge(self, parent: str, child: str) -> Dag:
        """The graph without an edge that it has."""
        if not self.has_edge(parent, child):
            raise InvalidOption(f"the graph has no edge {parent!r} -> {child!r} to leave out")
        return self._changed({self.number(child): self.parent_masks[self.number(child)] & ~(1 << self.number(parent))})

    def with_parents(self, child: str, parents: Collection[str]) -> Dag:
        """The graph in which one variable has other parents."""
        check_collection(parents, "parents")
        return self._changed({self.number(child): mask_of(map(self.number, parents))})

    def _changed(self, parents: Mapping[int, int]) -> Dag:
        return Dag(self.variables, tuple(parents.get(v, mask) for v, mask in enumerate(self.parent_masks)))

    def reordered(self, variables: Sequence[str]) -> Dag:
        """The same graph with its variables in another order."""
        check_order(self.variables, variables)
        return Dag.from_edges(variables, self.edges)

    def subgraph(self, variables: Sequence[str]) -> Dag:
        """The graph on some of the variables, with the edges between them."""
        kept = {variable: self.number(variable) for variable in variables}
        return Dag.from_edges(list(kept), [(p, c) for p, c in self.edges if p in kept and c in kept])

    def to_parents(self) -> dict[str, tuple[str, ...]]:
        """The parents of every variable by name, as :meth:`from_parents` takes them."""
        return {variable: self.names(mask) for variable, mask in zip(self.variables, self.parent_masks, strict=True)}

    def to_adjacency(self) -> NDArray[np.bool_]:
        """The adjacency matrix: ``[u, v]`` is true for the edge *u* → *v*."""
        matrix = np.zeros((self.n, self.n), dtype=np.bool_)
        for child, mask in enumerate(self.parent_masks):
            matrix[list(bits(mask)), child] = True
        return matrix

    def to_networkx(self) -> nx.DiGraph[str]:
        """The graph as a networkx ``DiGraph``."""
        import networkx as nx

        graph: nx.DiGraph[str] = nx.DiGraph()
        graph.add_nodes_from(self.variables)
        graph.add_edges_from(self.edges)
        return graph

    @property
    def directed(self) -> tuple[int, ...]:
        """The parents of each variable, as in a :class:`Cpdag`: every edge is directed."""
        return self.parent_masks

    @property
    def undirected(self) -> tuple[int, ...]:
        """The neighbours of each variable by undirected edges, as in a :class:`Cpdag`: none."""
        return (0,) * self.n

    def to_cpdag(self) -> Cpdag:
        """The equivalence class of the graph, as a CPDAG."""
        from dagscape.graphs.equivalence import dag_to_cpdag

        return dag_to_cpdag(self)

    def _repr_svg_(self) -> str:
        return svg(self)

    def __repr__(self) -> str:
        shown = ", ".join(f"{parent} -> {child}" for parent, child in self.edges[:8])
        more = ", …" if self.edge_count > 8 else ""
        return f"Dag({self.n} variables, {self.edge_count} edges{': ' if shown else ''}{shown}{more})"


def v_structures(parents: Sequence[int], adjacent: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """The triples (a, child, b), a < b, of parents of one child that are not adjacent, by child."""
    for child, above in enumerate(parents):
        for a in bits(above):
            for b in bits(above & ~adjacent[a] & ~((2 << a) - 1)):
                yield a, child, b


def numbered(variables: Sequence[str]) -> dict[str, int]:
    """The number of each variable by its name."""
    check_variables(variables)
    return {name: number for number, name in enumerate(variables)}


def check_order(variables: Sequence[str], order: Sequence[str]) -> None:
    """Refuse an order that is not one of the variables."""
    if sorted(variables) != sorted(order):
        raise InvalidOption("the new order does not have the variables of the graph, each once")


def check_collection(names: object, what: str) -> None:
    """Refuse a text where a collection of names is meant, and what is no collection at all."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise InvalidOption(f"{what} is {names!r}; it must be a collection of names")


def _labelled_matrix(frame: Any, variables: Sequence[str] | None) -> tuple[Any, list[str]]:
    """A data frame's cells and names, with its columns in the order of its rows."""
    rows, columns = list(map(str, frame.index)), list(map(str, frame.columns))
    if sorted(rows) != sorted(columns):
        raise InvalidData("the rows and columns of the adjacency matrix do not have the same labels")
    cells = np.asarray(frame)[:, [columns.index(name) for name in rows]]
    return cells, rows if variables is None else list(variables)


def check_variables(variables: Sequence[str]) -> None:
    """Refuse names that are not texts, or not distinct."""
    seen = set()
    for name in variables:
        if not isinstance(name, str):
            raise InvalidData(f"the name {name!r} of a variable is not a text")
        if name in seen:
            raise InvalidData(f"two variables are called {name!r}")
        seen.add(name)


def check_masks(variables: Sequence[str], masks: Sequence[int]) -> None:
    """Refuse sets that do not fit the variables, and edges from a variable to itself."""
    if len(masks) != len(variables):
        raise InvalidData(f"there are {len(variables)} variables, but {len(masks)} sets of parents")
    for number, mask in enumerate(masks):
        if mask < 0 or mask >> len(variables):
            raise InvalidData(f"the parents of {variables[number]!r} are not a set of the {len(variables)} variables")
        if mask >> number & 1:
            raise InvalidData(f"{variables[number]!r} cannot be a parent of itself")
