"""Differences between two structures: of skeletons, v-structures, and equivalence classes or directed edges.

By default (``level="classes"``) a DAG is compared by its class, because observations cannot distinguish its members:
all counts are the same for all members of a class. Experiments, and scores that are not score-equivalent, can
distinguish them; then DAGs are compared as they are (``level="dags"``), and every edge has a direction.

- ``shd``: the structural Hamming distance between the CPDAGs [tsamardinos2006]_: the number of edges to add,
  remove or change in kind (directed one way, directed the other way, or undirected). Between DAGs it is the number of
  edges to add, remove or reverse.
- ``a_plus``, ``a_minus``: edges of the skeleton that are only in the first graph, or only in the second (the truth);
  ``vs_plus``, ``vs_minus``: the same for v-structures [munteanu2000]_.
- ``precision``, ``recall`` and ``f1`` of the adjacencies, and of the directed edges ("orientation"), those of the
  CPDAGs or all edges of the DAGs; 1 if there was nothing to find and nothing was found.
- ``reversed`` and ``same_direction`` (between DAGs only): the number of adjacencies of both with opposite directions,
  and the share of those with the same direction; 1 if there are none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar, Protocol, runtime_checkable

from dagscape.core.checks import check_choice
from dagscape.core.errors import InvalidData, InvalidOption, type_of
from dagscape.core.masks import bits, transposed
from dagscape.core.version import __version__
from dagscape.core.wording import plural
from dagscape.graphs.dag import Cpdag, Dag
from dagscape.results.base import Provenance, Result, inherited_warnings
from dagscape.results.decoding import Count, OneOf, Share

if TYPE_CHECKING:
    import pandas as pd


LEVELS = ("classes", "dags")


@runtime_checkable
class HasDag(Protocol):
    """A network, or another object with a structure."""

    @property
    def dag(self) -> Dag:
        """The structure."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Comparison(Result, Mapping[str, float]):
    """The differences between two structures, by name: ``comparison["shd"]``.

    Attributes
    ----------
    shd : int
        The structural Hamming distance between the equivalence classes, or between the DAGs.
    a_plus, a_minus : int
        Edges of the skeleton that are only in the first structure, or only in the second.
    vs_plus, vs_minus : int
        V-structures that are only in the first structure, or only in the second.
    precision_adjacency, recall_adjacency, f1_adjacency : float
        Agreement of the skeletons; the second structure is the truth.
    precision_orientation, recall_orientation, f1_orientation : float
        Agreement of the directed edges of the two classes, or of the two DAGs.
    level : str
        ``"classes"`` or ``"dags"``: what was compared.
    reversed : int or None
        Adjacencies of both DAGs with opposite directions. None between classes.
    same_direction : float or None
        The share of the adjacencies of both DAGs that have the same direction. None between classes.
    """

    kind: ClassVar[str] = "comparison"

    shd: Count
    a_plus: Count
    a_minus: Count
    vs_plus: Count
    vs_minus: Count
    precision_adjacency: Share
    recall_adjacency: Share
    f1_adjacency: Share
    precision_orientation: Share
    recall_orientation: Share
    f1_orientation: Share
    level: Annotated[str, OneOf(LEVELS)] = "classes"
    reversed: Count | None = None
    same_direction: Share | None = None

    def _check(self) -> None:
        super(Comparison, self)._check()
        of_dags = self.level == "dags"
        if (self.reversed is not None) != of_dags or (self.same_direction is not None) != of_dags:
            raise InvalidData("reversed and same_direction must be given if DAGs were compared, and only then")

    def _measures(self) -> dict[str, float]:
        values = {name: getattr(self, name) for name in _MEASURES}
        return {name: value for name, value in values.items() if value is not None}

    def __getitem__(self, name: str) -> float:
        return self._measures()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._measures())

    def __len__(self) -> int:
        return len(self._measures())

    def __repr__(self) -> str:
        names = ["shd", "a_plus", "a_minus", *(["reversed"] if self.level == "dags" else []), "vs_plus", "vs_minus"]
        return f"Comparison(of {self.level}: {', '.join(f'{name}={self[name]}' for name in names)})"

    def to_frame(self) -> pd.DataFrame:
        """Return a data frame with one row per measure."""
        import pandas as pd

        return pd.DataFrame({"measure": list(self), "value": list(self.values())})


_MEASURES = tuple(name for name in Comparison.__slots__ if name not in ("variables", "provenance", "level"))


def compare(found: Dag | Cpdag | HasDag, truth: Dag | Cpdag | HasDag, level: str = "classes") -> Comparison:
    """Compare a structure with another, such as a learned one with the true one.

    Parameters
    ----------
    found, truth : Dag, Cpdag or Network
        Two structures on the same variables, in any order.
    level : {"classes", "dags"}
        What to compare: equivalence classes, so that differences which no observation can reveal do not count, or DAGs
        as they are, with the direction of every edge. Use ``"dags"`` if directions are known, such as from
        experiments.

    Examples
    --------
    >>> import dagscape as ds
    >>> truth = ds.Dag.from_edges("abc", [("a", "c"), ("b", "c")])
    >>> found = ds.Dag.from_edges("abc", [("a", "b"), ("b", "c")])
    >>> result = ds.compare(found, truth)
    >>> result["shd"], result["a_plus"], result["a_minus"], result["vs_minus"]
    (3, 1, 1, 1)
    >>> result = ds.compare(found, truth, level="dags")
    >>> result["shd"], result["reversed"], result["recall_orientation"]
    (2, 0, 0.5)
    """
    first, second = at_level(found, level), at_level(truth, level)
    check_same_variables(first.variables, second.variables)
    if first.variables != second.variables:
        first = first.reordered(second.variables)
    adjacency = _agreement(_pairs(first.skeleton_masks()), _pairs(second.skeleton_masks()))
    arrows = _agreement(first.directed, second.directed)
    vs_plus, vs_minus = _v_structure_differences(first, second)
    turned = adjacency.both - arrows.both if level == "dags" else None
    return Comparison(
        variables=second.variables,
        provenance=Provenance(__version__, "compare"),
        warnings=inherited_warnings(found, truth),
        shd=_structural_hamming_distance(first, second),
        a_plus=adjacency.only_first,
        a_minus=adjacency.only_second,
        vs_plus=vs_plus,
        vs_minus=vs_minus,
        precision_adjacency=adjacency.precision,
        recall_adjacency=adjacency.recall,
        f1_adjacency=adjacency.f1,
        precision_orientation=arrows.precision,
        recall_orientation=arrows.recall,
        f1_orientation=arrows.f1,
        level=level,
        reversed=turned,
        same_direction=None if turned is None else arrows.both / adjacency.both if adjacency.both else 1.0,
    )


def check_level(level: str) -> None:
    """Refuse a level that is not one of ``LEVELS``."""
    check_choice(level, LEVELS, "level")


def at_level(graph: Dag | Cpdag | HasDag, level: str) -> Dag | Cpdag:
    """Return what a structure is compared by: its equivalence class, or its DAG."""
    check_level(level)
    if level == "classes":
        return as_class(graph)
    if not isinstance(graph, Cpdag):
        return structure_of(graph)
    if not any(graph.undirected):
        # The class has one member, with just these edges.
        return Dag.trusted(graph.variables, graph.directed)
    raise InvalidOption(
        f"is 'dags', but an equivalence class with {plural(len(graph.undirected_edges), 'undirected edge')} is not a "
        "DAG: compare classes, or choose a member with to_dag()",
        option="level",
    )


def check_same_variables(first: Sequence[str], second: Sequence[str], what: str = "structures") -> None:
    """Raise an error that lists the variables which only one of two structures, or results, has."""
    only = [
        f"only the {which} has {_listed([name for name in names if name not in set(others)])}"
        for which, names, others in (("first", first, second), ("second", second, first))
        if not set(names) <= set(others)
    ]
    if only:
        raise InvalidOption(f"the two {what} do not have the same variables: {', and '.join(only)}")


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(map(repr, names[:_NAMES_SHOWN]))
    return shown if len(names) <= _NAMES_SHOWN else f"{shown} and {len(names) - _NAMES_SHOWN} more"


_NAMES_SHOWN = 8


def as_class(graph: Dag | Cpdag | HasDag) -> Cpdag:
    """Return the equivalence class of a structure."""
    return graph if isinstance(graph, Cpdag) else structure_of(graph).to_cpdag()


def structure_of(graph: Dag | HasDag) -> Dag:
    """Return the DAG of a DAG or a network."""
    dag = graph if isinstance(graph, Dag) else getattr(graph, "dag", None)
    if not isinstance(dag, Dag):
        raise InvalidOption(
            f"{type_of(graph)} has no structure to compare: give a Dag, a Cpdag or a Network, "
            "such as networks[0] of a list"
        )
    return dag


def equivalent(first: Dag | HasDag, second: Dag | HasDag) -> bool:
    """Whether two DAGs (or networks) on the same variables are Markov equivalent.

    Examples
    --------
    >>> import dagscape as ds
    >>> a = ds.Dag.from_edges(["x", "y"], [("x", "y")])
    >>> b = ds.Dag.from_edges(["x", "y"], [("y", "x")])
    >>> ds.equivalent(a, b)
    True
    """
    one, other = _dag_of(first), _dag_of(second)
    if sorted(other.variables) != sorted(one.variables):
        raise InvalidOption("the two graphs do not have the same variables")
    if other.variables != one.variables:
        other = other.reordered(one.variables)
    return one.skeleton_masks() == other.skeleton_masks() and set(one.v_structure_numbers()) == set(
        other.v_structure_numbers()
    )


def _dag_of(graph: Dag | HasDag) -> Dag:
    dag = getattr(graph, "dag", graph)
    if not isinstance(dag, Dag):
        raise InvalidOption(f"{type_of(graph)} is not a DAG: compare classes with ==, or use a member")
    return dag


@dataclass(frozen=True, slots=True)
class _Agreement:
    both: int
    only_first: int
    only_second: int

    @property
    def precision(self) -> float:
        found = self.both + self.only_first
        return self.both / found if found else float(not self.only_second)

    @property
    def recall(self) -> float:
        true = self.both + self.only_second
        return self.both / true if true else float(not self.only_first)

    @property
    def f1(self) -> float:
        counted = 2 * self.both + self.only_first + self.only_second
        return 2 * self.both / counted if counted else 1.0


def _agreement(first: tuple[int, ...], second: tuple[int, ...]) -> _Agreement:
    pairs = list(zip(first, second, strict=True))
    return _Agreement(
        both=sum((a & b).bit_count() for a, b in pairs),
        only_first=sum((a & ~b).bit_count() for a, b in pairs),
        only_second=sum((b & ~a).bit_count() for a, b in pairs),
    )


def _pairs(skeleton: tuple[int, ...]) -> tuple[int, ...]:
    """Return each edge of a skeleton once, at its later end."""
    return tuple(mask & ((1 << vertex) - 1) for vertex, mask in enumerate(skeleton))


def _v_structure_differences(first: Dag | Cpdag, second: Dag | Cpdag) -> tuple[int, int]:
    """Return the number of v-structures that only the first graph has, and of those that only the second has.

    All edges of a v-structure are directed in the CPDAG.
    """
    adjacent = first.skeleton_masks(), second.skeleton_masks()
    only_first = only_second = 0
    for parents in zip(first.directed, second.directed, strict=True):
        for a in bits(parents[0] | parents[1]):
            later = -1 << (a + 1)
            one, other = (
                above & ~near[a] & later if above >> a & 1 else 0 for above, near in zip(parents, adjacent, strict=True)
            )
            only_first += (one & ~other).bit_count()
            only_second += (other & ~one).bit_count()
    return only_first, only_second


def _structural_hamming_distance(first: Dag | Cpdag, second: Dag | Cpdag) -> int:
    differing = 0
    parts = [(c.directed, transposed(c.directed), c.undirected) for c in (first, second)]
    for vertex in range(first.n):
        earlier = (1 << vertex) - 1
        # The edge to an earlier variable is absent, incoming, outgoing or undirected. Any difference counts once.
        different = 0
        for kind in range(3):
            different |= parts[0][kind][vertex] ^ parts[1][kind][vertex]
        differing += (different & earlier).bit_count()
    return differing
