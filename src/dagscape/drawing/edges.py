"""Which edges a drawing has: those of a graph, or those that are probable enough.

The edges of a graph may come with probabilities (``weights``). Edge probabilities alone (:class:`ProbableEdges`) decide
for each pair of variables whether it is drawn, and whether it has a direction:

- a pair is drawn if the probability of an edge in either direction reaches the threshold;
- it has an arrowhead if the probability that its direction is compelled, the same in every member of the equivalence
  class, reaches the threshold of directions (by default the same), and is at least half of that of the edge;
- otherwise it is a line without arrowhead.

A share of DAGs with u → v is no evidence for this direction: within a class it is the share of members, which only the
prior decides. Where compelled edges were not computed, there is nothing better: a pair then has an arrowhead if the
share of one direction reaches that threshold and is at least three times that of the other, and the legend warns of it.

How heavy such a line is depends on the probability of an edge in either direction, with and without arrowhead: a sure
edge does not look doubtful because its direction is less sure. With ``lines="edges"``, each edge u → v is instead an
arrow of its own, drawn by its own probability; a pair may have two.

Such edges may form cycles. Layers need an order, so the edges that close a cycle, least probable first, point upwards.
"""

from __future__ import annotations

import dataclasses
import graphlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dagscape.core.checks import check_choice
from dagscape.core.constraints import A_PROBABILITY, OrNone
from dagscape.core.errors import InvalidOption, argument, type_of
from dagscape.core.masks import bits, connected_components

Matrix = NDArray[np.float64]

HEAVY, SOLID = 0.9, 0.5
DEFAULT_THRESHOLD = 0.5
CLEAR_RATIO = 3.0
# Lower probabilities of a compelled direction are not shown.
LEAST_SHOWN = 0.1
# What a line stands for in a drawing of edge probabilities: a pair of variables, or an edge with its direction.
LINES = ("pairs", "edges")
MOST_LABELS = 100
PROBABILITY = "probability"
SHARE_OF_SAMPLES = "share of bootstrap samples"
# What to think of directions where compelled edges are unknown.
SHARES_ALONE = "shares of DAGs, which the prior decides too: no evidence unless they are compelled"
_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class DrawnEdge:
    """An edge by the indices of its ends.

    Numbers of directions are probabilities of edges, or, with ``compelled``, that the edge holds in the whole class.

    Parameters
    ----------
    tail, head : int
        The ends; the tail is drawn above the head, unless the edge points upwards.
    directed : bool
        Whether it has an arrowhead.
    weight : float, optional
        Its probability.
    directions : tuple of float, optional
        The probabilities of tail → head and head → tail, if both are to be shown.
    upward : bool
        Whether the head is above the tail.
    adjacency : float, optional
        The probability of an edge in either direction, if that decides the kind of line; else the weight does.
    compelled : bool
        Whether its direction is that of compelled edges, and its weight the probability of the pair.
    effect : str
        How strongly its ends go together, such as ``"+0.31"``, on one line or more; empty if that is not shown.
    size : float, optional
        The same as a number from 0 to 1, which decides how wide and dark a line without probability is.
    """

    tail: int
    head: int
    directed: bool
    weight: float | None = None
    directions: tuple[float, float] | None = None
    upward: bool = False
    adjacency: float | None = None
    compelled: bool = False
    effect: str = ""
    size: float | None = None

    @property
    def strength(self) -> float | None:
        """The probability that the kind of line shows."""
        return self.weight if self.adjacency is None else self.adjacency

    @property
    def dashed(self) -> bool:
        """Whether the line is that of an improbable edge."""
        return self.strength is not None and self.strength < SOLID


class Structure(Protocol):
    """A graph that can be drawn: a Dag, whose edges are all directed, or a Cpdag.

    Sets of parents and of neighbours are integers: bit i stands for variable i.
    """

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of the variables."""

    @property
    def directed(self) -> tuple[int, ...]:
        """The parents of each variable by directed edges."""

    @property
    def undirected(self) -> tuple[int, ...]:
        """The neighbours of each variable by undirected edges."""


@dataclass(frozen=True, slots=True, eq=False)
class ProbableEdges:
    """Edge probabilities that can be drawn without a graph.

    Parameters
    ----------
    variables : tuple of str
        The names of the variables.
    edges : array of shape (n, n)
        ``[u, v]`` is P(u → v).
    compelled : array of shape (n, n), optional
        ``[u, v]`` is the probability that u → v holds in every member of the class; None if unknown.
    caution : str
        What the legend says of arrows if compelled edges are unknown.
    measure : str
        What the numbers are, for the legend.
    """

    variables: tuple[str, ...]
    edges: Matrix
    compelled: Matrix | None = None
    caution: str = SHARES_ALONE
    measure: str = PROBABILITY


class OfGraph:
    """What stands for a graph in a drawing, and has more to show than its edges."""

    __slots__ = ()

    graph: Structure

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of the variables."""
        return self.graph.variables

    @property
    def directed(self) -> tuple[int, ...]:
        """The parents of each variable by directed edges."""
        return self.graph.directed

    @property
    def undirected(self) -> tuple[int, ...]:
        """The neighbours of each variable by undirected edges."""
        return self.graph.undirected


@dataclass(frozen=True, slots=True, eq=False)
class AnnotatedGraph(OfGraph):
    """A graph with notes on its variables, and with numbers on its edges that are not their probabilities.

    Parameters
    ----------
    graph : Structure
        The graph.
    notes : tuple of str
        What the box of each variable shows below its name.
    weights : array of shape (n, n)
        ``[u, v]`` is the number on the edge u → v, from 0 to 1.
    measure, meaning : str
        The name of these numbers, and what they are, for the legend.
    """

    graph: Structure
    notes: tuple[str, ...]
    weights: Matrix
    measure: str
    meaning: str


class HasStructure(Protocol):
    """An object with a DAG, such as a network."""

    @property
    def dag(self) -> Structure:
        """The structure."""


class HasDrawable(Protocol):
    """A result that says what a drawing of it shows."""

    @property
    def drawable(self) -> Structure | ProbableEdges:
        """What is drawn."""


Drawable = Structure | ProbableEdges | HasStructure | HasDrawable


def content_of(graph: object, weights: ArrayLike | None = None) -> Structure | ProbableEdges:
    """Return what is drawn: the graph itself, that of a network, or what a result says.

    With ``weights``, the edges show probabilities, also those of an annotated graph.
    """
    content = _content(graph)
    if weights is not None and isinstance(content, AnnotatedGraph):
        return dataclasses.replace(content, measure=PROBABILITY, meaning="")
    return content


def _content(graph: object) -> Structure | ProbableEdges:
    if isinstance(graph, ProbableEdges):
        return graph
    found: Any = graph
    # Results come first: they may have a list of directed edges as well.
    if hasattr(graph, "drawable"):
        found = graph.drawable
    elif not hasattr(graph, "directed"):
        found = getattr(graph, "dag", None)
    if isinstance(found, ProbableEdges) or isinstance(getattr(found, "directed", None), tuple):
        content: Structure | ProbableEdges = found
        return content
    raise InvalidOption(
        f"is {type_of(graph)}; it must be a Dag, a Cpdag or a Network, or a result that has one", option="graph"
    )


def drawn_edges(
    content: Structure | ProbableEdges,
    weights: ArrayLike | None = None,
    threshold: float | None = None,
    lines: str | None = None,
    direction_threshold: float | None = None,
) -> list[DrawnEdge]:
    """Return the edges of a drawing with their probabilities, without those below the threshold.

    The ends of an undirected edge of a graph are ordered so that the drawing is acyclic; its probability is the sum of
    both directions.
    """
    OrNone(A_PROBABILITY).check(threshold, "threshold")
    OrNone(A_PROBABILITY).check(direction_threshold, "direction_threshold")
    if lines is not None:
        check_choice(lines, LINES, "lines")
    n = len(content.variables)
    if isinstance(content, ProbableEdges):
        if weights is not None:
            raise InvalidOption("is for graphs: a posterior has its own probabilities", option="weights")
        matrix = _checked(content.edges, n)
        least = smallest_drawn(content, threshold)
        sure = least if direction_threshold is None else direction_threshold
        if lines == "edges":
            if direction_threshold is not None:
                raise InvalidOption(
                    f"is for lines that are pairs: with {argument('lines', 'edges')} all are arrows",
                    option="direction_threshold",
                )
            return _layered(n, list(_single(matrix, least)))
        if content.compelled is None:
            return _layered(n, list(_probable(matrix, least, sure)))
        return _layered(n, list(_compelled(matrix, _checked(content.compelled, n), least, sure)))
    for option, value in (("lines", lines), ("direction_threshold", direction_threshold)):
        if value is not None:
            raise InvalidOption("is for results with edge probabilities: those of a graph are its edges", option=option)
    if weights is None and isinstance(content, AnnotatedGraph):
        weights = content.weights
    if weights is None and threshold is not None:
        raise InvalidOption(f"hides edges by their probabilities: it needs {argument('weights')}", option="threshold")
    edges = [DrawnEdge(tail, head, True) for head, mask in enumerate(content.directed) for tail in bits(mask)]
    edges += [DrawnEdge(tail, head, False) for tail, head in _oriented(content.undirected)]
    if weights is not None:
        matrix = _checked(_aligned(weights, content.variables), n)
        weighted = [dataclasses.replace(edge, weight=_probability(content, matrix, edge)) for edge in edges]
        edges = [edge for edge in weighted if edge.weight is not None and edge.weight >= (threshold or 0.0)]
    return _layered(n, edges)


def measure_of(content: Structure | ProbableEdges) -> str:
    """Return what the numbers on the edges of a drawing are."""
    return content.measure if isinstance(content, ProbableEdges | AnnotatedGraph) else PROBABILITY


def smallest_drawn(content: Structure | ProbableEdges, threshold: float | None) -> float:
    """Return the probability below which an edge is not drawn."""
    default = DEFAULT_THRESHOLD if isinstance(content, ProbableEdges) else 0.0
    return default if threshold is None else threshold


def shows_labels(
    labels: bool | None, edges: Sequence[DrawnEdge], content: Structure | ProbableEdges, weights: ArrayLike | None
) -> bool:
    """Whether edges show their numbers. Default: if they have any and are not too many."""
    weighted = weights is not None or isinstance(content, ProbableEdges | AnnotatedGraph)
    weighted = weighted or any(edge.effect for edge in edges)
    if labels and not weighted:
        raise InvalidOption(f"shows the probabilities of edges: it needs {argument('weights')}", option="labels")
    return weighted and len(edges) <= MOST_LABELS if labels is None else labels


def _probable(matrix: Matrix, threshold: float, sure: float) -> Iterator[DrawnEdge]:
    """Iterate over the pairs of variables that are probable enough, the likelier direction of each."""
    for v in range(len(matrix)):
        for u in range(v):
            tail, head = (u, v) if matrix[u, v] >= matrix[v, u] else (v, u)
            there, back = float(matrix[tail, head]), float(matrix[head, tail])
            either = min(there + back, 1.0)
            if either < threshold or not either:
                continue
            directed = there >= sure and there >= CLEAR_RATIO * back
            weight = there if directed else either
            both = None if directed and (back < threshold or not back) else (there, back)
            yield DrawnEdge(tail, head, directed, weight, both, adjacency=either)


def _compelled(matrix: Matrix, compelled: Matrix, threshold: float, sure: float) -> Iterator[DrawnEdge]:
    """Iterate over the pairs of variables that are probable enough, with the directions that are compelled."""
    for v in range(len(matrix)):
        for u in range(v):
            either = min(float(matrix[u, v] + matrix[v, u]), 1.0)
            if either < threshold or not either:
                continue
            highest, lowest = sorted((float(compelled[u, v]), float(compelled[v, u])), reverse=True)
            directed = highest >= max(sure, either / 2) and highest > lowest
            # Shares of DAGs place a line without arrowhead.
            order = compelled if directed else matrix
            tail, head = (u, v) if order[u, v] >= order[v, u] else (v, u)
            there, back = float(compelled[tail, head]), float(compelled[head, tail])
            both = (there, back) if highest >= LEAST_SHOWN else None
            yield DrawnEdge(tail, head, directed, either, both, adjacency=either, compelled=True)


def _single(matrix: Matrix, threshold: float) -> Iterator[DrawnEdge]:
    """Iterate over the edges that are probable enough, whatever the probability of the other direction."""
    for tail, head in np.argwhere((matrix >= threshold) & (matrix > 0)).tolist():
        yield DrawnEdge(tail, head, True, float(matrix[tail, head]))


def has_cycle(edges: Sequence[DrawnEdge]) -> bool:
    """Whether the arrows of a drawing form a cycle."""
    arrows = [edge for edge in edges if edge.directed]
    return not _acyclic(1 + max((max(edge.tail, edge.head) for edge in arrows), default=-1), arrows)


def _layered(n: int, edges: list[DrawnEdge]) -> list[DrawnEdge]:
    """Turn the edges that close a cycle upwards, or around if they have no arrowhead; likely edges stay as they are."""
    if _acyclic(n, edges):
        return edges
    found = list(edges)
    above = [0] * n
    for number in sorted(range(len(edges)), key=lambda number: (*_rank(edges[number]), number)):
        edge = edges[number]
        upper, lower = edge.tail, edge.head
        if above[upper] >> lower & 1:
            found[number] = _turned(edge)
            upper, lower = lower, upper
        reached = above[upper] | 1 << upper
        for v in range(n):
            if v == lower or above[v] >> lower & 1:
                above[v] |= reached
    return found


def _acyclic(n: int, edges: Sequence[DrawnEdge]) -> bool:
    parents: dict[int, set[int]] = {v: set() for v in range(n)}
    for edge in edges:
        parents[edge.head].add(edge.tail)
    try:
        graphlib.TopologicalSorter(parents).prepare()
    except graphlib.CycleError:
        return False
    return True


def _rank(edge: DrawnEdge) -> tuple[float, bool]:
    """Sort edges by how much more probable their direction is than the other; of equal ones, arrows come first."""
    if edge.directions is not None:
        there, back = edge.directions
        return back - there, not edge.directed
    probability = 1.0 if edge.weight is None else edge.weight
    return -probability if edge.directed else 0.0, not edge.directed


def _turned(edge: DrawnEdge) -> DrawnEdge:
    if edge.directed:
        return dataclasses.replace(edge, upward=True)
    directions = None if edge.directions is None else edge.directions[::-1]
    return dataclasses.replace(edge, tail=edge.head, head=edge.tail, directions=directions)


def _aligned(weights: ArrayLike, variables: Sequence[str]) -> ArrayLike:
    """Return the cells of a data frame in the order of the variables; other arrays as they are."""
    index, header = getattr(weights, "index", None), getattr(weights, "columns", None)
    if index is None or header is None:
        return weights
    rows, columns = [str(label) for label in index], [str(label) for label in header]
    if sorted(rows) != sorted(variables) or sorted(columns) != sorted(variables):
        raise InvalidOption("has labels of rows and columns that are not the variables of the graph", option="weights")
    order = np.ix_([rows.index(v) for v in variables], [columns.index(v) for v in variables])
    aligned: ArrayLike = np.asarray(weights)[order]
    return aligned


def _checked(weights: ArrayLike, n: int) -> Matrix:
    try:
        matrix = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidOption(
            "is not an array of numbers; [u, v] must be the probability of the edge u -> v", option="weights"
        ) from error
    if matrix.shape != (n, n):
        raise InvalidOption(
            f"has shape {matrix.shape}; the graph has {n} variables, so it must be {(n, n)}", option="weights"
        )
    wrong = ~((matrix >= -_TOLERANCE) & (matrix <= 1 + _TOLERANCE))
    if wrong.any():
        u, v = np.argwhere(wrong)[0].tolist()
        raise InvalidOption(f"is {float(matrix[u, v])!r} at [{u}, {v}]; it must be between 0 and 1", option="weights")
    return np.clip(matrix, 0.0, 1.0)


def _probability(graph: Structure, matrix: Matrix, edge: DrawnEdge) -> float:
    there, back = float(matrix[edge.tail, edge.head]), float(matrix[edge.head, edge.tail])
    if edge.directed:
        return there
    if there + back > 1 + _TOLERANCE:
        u, v = graph.variables[edge.tail], graph.variables[edge.head]
        raise InvalidOption(
            f"gives the two directions of {u!r} - {v!r} the probabilities {there!r} and {back!r}, which sum to "
            "more than 1",
            option="weights",
        )
    return min(there + back, 1.0)


def _oriented(undirected: Sequence[int]) -> list[tuple[int, int]]:
    """Orient undirected edges from the centre of each component outwards.

    No directed edge joins two nodes of such a component of a CPDAG, and no directed path leads back to it, so any
    acyclic orientation of the component keeps the whole graph acyclic. This one makes few layers.
    """
    rank: dict[int, tuple[int, int]] = {}
    for component in connected_components(undirected, (1 << len(undirected)) - 1):
        hub = max(bits(component), key=lambda node: (undirected[node].bit_count(), -node))
        reached, frontier, distance = 0, 1 << hub, 0
        while frontier:
            rank |= {node: (distance, node) for node in bits(frontier)}
            reached |= frontier
            around = 0
            for node in bits(frontier):
                around |= undirected[node]
            frontier, distance = around & ~reached, distance + 1
    return [(u, v) for v in range(len(undirected)) for u in bits(undirected[v]) if rank[u] < rank[v]]
