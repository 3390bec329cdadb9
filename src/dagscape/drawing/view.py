"""What a drawing shows of a graph: all of it, or a neighbourhood, with or without variables that have no edges."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike

from dagscape.core.constraints import FLAG, OrNone, Whole
from dagscape.core.errors import InvalidOption, argument, did_you_mean, type_of
from dagscape.core.masks import bits
from dagscape.core.wording import plural
from dagscape.drawing.display import Drawn
from dagscape.drawing.edges import (
    AnnotatedGraph,
    Drawable,
    DrawnEdge,
    ProbableEdges,
    Structure,
    content_of,
    drawn_edges,
    measure_of,
    shows_labels,
    smallest_drawn,
)
from dagscape.drawing.effects import SignedEffects, SignedGraph, with_effects
from dagscape.drawing.text import shown_text
from dagscape.results.base import Result, matrix_frame

STEPS = Whole(0)
DEFAULT_STEPS = 1
# More variables without edges than this are not drawn, unless the user says so.
MOST_ISOLATED = 10

# The names in a remark: so many, and so many characters of each.
_NAMES_SHOWN, _NAME_LENGTH = 3, 40

Page = float | str | Sequence[float | str]


class DrawOptions(TypedDict, total=False):
    """The options of :func:`dagscape.draw`."""

    weights: ArrayLike | Result | None
    labels: bool | None
    threshold: float | None
    lines: str | None
    direction_threshold: float | None
    title: str | None
    label_width: int | None
    around: str | Sequence[str] | None
    steps: int | None
    isolated: bool | None
    page: Page | None
    effects: SignedEffects | None


@dataclass(frozen=True, slots=True)
class PartOfGraph:
    """A graph with some of the variables of another, and the edges among them."""

    variables: tuple[str, ...]
    directed: tuple[int, ...]
    undirected: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class View:
    """What is drawn.

    Parameters
    ----------
    content : Structure or ProbableEdges
        The variables that are drawn, and what their edges mean.
    edges : tuple of DrawnEdge
        The edges; their ends are numbers of these variables.
    labelled : bool
        Whether edges show their numbers.
    remarks : tuple of str
        What was left out, for the legend.
    measure : str
        What the numbers on edges are.
    """

    content: Structure | ProbableEdges
    edges: tuple[DrawnEdge, ...]
    labelled: bool
    remarks: tuple[str, ...]
    measure: str


def view_of(graph: Drawable, **options: Unpack[DrawOptions]) -> View:
    """Return what is drawn of a graph or a result, by the options of :func:`dagscape.draw`.

    >>> from dagscape.graphs.dag import Dag
    >>> chain = Dag.from_edges("abcd", [("a", "b"), ("b", "c"), ("c", "d")])
    >>> view = view_of(chain, around="a", steps=2)
    >>> view.content.variables, view.remarks
    (('a', 'b', 'c'), ('3 of 4 variables: within 2 steps of a',))
    """
    weights, threshold, effects = options.get("weights"), options.get("threshold"), options.get("effects")
    weights, measure = numbers_of(weights)
    content = content_of(graph, weights)
    if effects is None and isinstance(content, SignedGraph):
        effects = content
    edges = drawn_edges(content, weights, threshold, options.get("lines"), options.get("direction_threshold"))
    centres, steps = _centres(options.get("around"), options.get("steps"), content.variables)
    kept, remarks = list(range(len(content.variables))), []
    if centres:
        kept = sorted(_within(centres, steps, edges, len(content.variables)))
        remarks.append(_about_neighbourhood(content.variables, kept, centres, steps))
    edges = _among(kept, edges)
    may_hide = bool(edges) or isinstance(content, ProbableEdges)
    alone = _alone(kept, edges, options.get("isolated"), centres, may_hide=may_hide)
    if alone:
        kept = [node for node in kept if node not in alone]
        least = smallest_drawn(content, threshold)
        remarks.append(_about_isolated(len(alone), len(content.variables), measure_of(content), least))
    edges = with_effects(edges, content.variables, effects)
    names = content.variables
    if effects is not None and (signed := [edge for edge in edges if edge.effect]):
        remarks.append(effects.meaning_of({frozenset((names[edge.tail], names[edge.head])) for edge in signed}))
    number = {node: place for place, node in enumerate(kept)}
    shown = tuple(dataclasses.replace(edge, tail=number[edge.tail], head=number[edge.head]) for edge in edges)
    labelled = shows_labels(options.get("labels"), shown, content, weights)
    return View(_part(content, kept), shown, labelled, tuple(remarks), measure or measure_of(content))


def threshold_of_directions(options: DrawOptions) -> float | None:
    """Return the probability from which a direction has an arrowhead; None for that of an edge by default."""
    given = options.get("direction_threshold")
    return options.get("threshold") if given is None else given


def numbers_of(weights: ArrayLike | Result | None) -> tuple[ArrayLike | None, str | None]:
    """Return the probabilities of edges that are an array, or those of a result, and what the result calls them."""
    if not isinstance(weights, Result):
        return weights, None
    edges = getattr(weights, "edges", None)
    if not isinstance(edges, np.ndarray):
        raise InvalidOption(f"is {type_of(weights)}, which has no probabilities of edges", option="weights")
    content = weights.drawable if isinstance(weights, Drawn) else None
    labelled: ArrayLike = matrix_frame(weights.variables, edges, "source", "target")
    return labelled, content.measure if isinstance(content, ProbableEdges) else None


def _centres(
    around: str | Sequence[str] | None, steps: int | None, variables: Sequence[str]
) -> tuple[tuple[int, ...], int]:
    """Return the numbers of the variables in the middle of a neighbourhood, and its radius."""
    OrNone(STEPS).check(steps, "steps")
    if around is None:
        if steps is not None:
            raise InvalidOption(f"is the size of a neighbourhood: it needs {argument('around')}", option="steps")
        return (), 0
    names = [around] if isinstance(around, str) else around
    try:
        names = list(names)
    except TypeError as error:
        raise InvalidOption(f"is {type_of(around)}; it must be a variable, or a list of them", option="around") from (
            error
        )
    if not names:
        raise InvalidOption("is empty; it must have at least one variable", option="around")
    for name in names:
        if name not in variables:
            known = did_you_mean(name, variables)
            raise InvalidOption(f"has {name!r}, which is not a variable of the graph{known}", option="around")
    centres = tuple(dict.fromkeys(variables.index(name) for name in names))
    return centres, DEFAULT_STEPS if steps is None else steps


def _within(centres: Sequence[int], steps: int, edges: Sequence[DrawnEdge], n: int) -> set[int]:
    """Return the nodes that at most so many edges, in either direction, separate from one of the centres."""
    near: list[set[int]] = [set() for _ in range(n)]
    for edge in edges:
        near[edge.tail].add(edge.head)
        near[edge.head].add(edge.tail)
    reached = frontier = set(centres)
    for _ in range(min(steps, n)):
        frontier = {other for node in frontier for other in near[node]} - reached
        reached = reached | frontier
    return reached


def _among(kept: Sequence[int], edges: Sequence[DrawnEdge]) -> list[DrawnEdge]:
    inside = set(kept)
    return [edge for edge in edges if edge.tail in inside and edge.head in inside]


def _alone(
    kept: Sequence[int],
    edges: Sequence[DrawnEdge],
    isolated: bool | None,
    centres: Sequence[int],
    *,
    may_hide: bool,
) -> frozenset[int]:
    """Return the variables that are left out because they have no edge.

    Without a choice of the user, a graph that has no edges at all is drawn as it is: there is nothing else to see.
    """
    OrNone(FLAG).check(isolated, "isolated")
    joined = {end for edge in edges for end in (edge.tail, edge.head)}
    alone = frozenset(kept).difference(joined, centres)
    hidden = may_hide and len(alone) > MOST_ISOLATED if isolated is None else not isolated
    return alone if hidden else frozenset()


def _about_neighbourhood(variables: Sequence[str], kept: Sequence[int], centres: Sequence[int], steps: int) -> str:
    names = _listed([variables[node] for node in centres])
    which = f"within {plural(steps, 'step')} of {names}" if steps else names
    return f"{len(kept):,} of {plural(len(variables), 'variable')}: {which}"


def _about_isolated(hidden: int, n: int, measure: str, least: float) -> str:
    edge = f"edge with a {measure} of at least {least:g}" if least else "edge"
    has = "has" if hidden == 1 else "have"
    return f"{hidden:,} of {plural(n, 'variable')} {has} no {edge} and {'is' if hidden == 1 else 'are'} not shown"


def _listed(names: Sequence[str]) -> str:
    shown = [shown_text(name, _NAME_LENGTH) for name in names[:_NAMES_SHOWN]]
    if more := len(names) - len(shown):
        return f"{', '.join(shown)} and {plural(more, 'other')}"
    return " or ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else shown[0]


def _part(content: Structure | ProbableEdges, kept: Sequence[int]) -> Structure | ProbableEdges:
    """Return the content of a drawing with some of its variables."""
    if len(kept) == len(content.variables):
        return content
    variables = tuple(content.variables[node] for node in kept)
    square = np.ix_(kept, kept)
    if isinstance(content, ProbableEdges):
        compelled = None if content.compelled is None else content.compelled[square]
        return dataclasses.replace(content, variables=variables, edges=content.edges[square], compelled=compelled)
    part = PartOfGraph(variables, _masks(content.directed, kept), _masks(content.undirected, kept))
    if isinstance(content, AnnotatedGraph):
        notes = tuple(content.notes[node] for node in kept)
        return dataclasses.replace(content, graph=part, notes=notes, weights=np.asarray(content.weights)[square])
    return part


def _masks(sets: Sequence[int], kept: Sequence[int]) -> tuple[int, ...]:
    """Return the sets of the nodes that are kept, in their new numbers."""
    place = {node: number for number, node in enumerate(kept)}

    def renumbered() -> Iterator[int]:
        for node in kept:
            yield sum(1 << place[other] for other in bits(sets[node]) if other in place)

    return tuple(renumbered())
