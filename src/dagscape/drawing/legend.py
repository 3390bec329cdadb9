"""The legend of a drawing: what its lines mean, if that needs an explanation, and the warnings about a result."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dagscape.drawing.cut_lines import cut_lines
from dagscape.drawing.display import Drawn
from dagscape.drawing.edge_labels import shows_directions
from dagscape.drawing.edges import (
    DEFAULT_THRESHOLD,
    HEAVY,
    LEAST_SHOWN,
    PROBABILITY,
    SOLID,
    AnnotatedGraph,
    DrawnEdge,
    ProbableEdges,
    Structure,
    has_cycle,
    measure_of,
)
from dagscape.drawing.style import DOWN, Flow
from dagscape.drawing.view import View
from dagscape.results.base import Result, inherited_warnings, settings_of

# The probability of the sample of a solid line.
_TYPICAL = 0.7

# The beginning of a text, up to a colon that is not part of a quoted name.
_CLAUSE = re.compile(r"""(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^:]|:(?! ))*""")

# No more of a warning is looked at: names can have any length.
_LONGEST_WARNING = 2000


@dataclass(frozen=True, slots=True)
class LegendKey:
    """One line of a legend.

    Parameters
    ----------
    sample : DrawnEdge or None
        An edge with the style that is explained; None for a symbol.
    name : str
        The style in words, for formats without samples; the symbol if there is no sample.
    meaning : str
        What it means.
    """

    sample: DrawnEdge | None
    name: str
    meaning: str


def legend_of(
    edges: Sequence[DrawnEdge],
    *,
    labels: bool,
    graph: Structure | ProbableEdges | None = None,
    threshold: float | None = None,
    flow: Flow = DOWN,
    measure: str | None = None,
) -> list[LegendKey]:
    """Return the legend of a drawing with the given edges; empty if all lines are plain arrows.

    ``measure`` is what the numbers on edges are, by default what the content says; those of a graph are probabilities.
    ``flow`` is the direction in which edges lead.

    >>> [(key.name, key.meaning) for key in legend_of([DrawnEdge(0, 1, True, 0.95)], labels=True)]
    [('heavy line', 'probability ≥ 0.9')]
    """
    own = graph if isinstance(graph, AnnotatedGraph) else None
    if measure is None:
        measure = PROBABILITY if graph is None else measure_of(graph)
    keys = list(_kinds_of_lines(edges, measure))
    if own is not None and own.meaning and keys:
        keys.append(LegendKey(None, own.measure, own.meaning))
    if any(edge.compelled for edge in edges):
        keys += _compelled(edges, labels, DEFAULT_THRESHOLD if threshold is None else threshold, measure, flow)
    else:
        either = any(edge.adjacency is not None for edge in edges)
        keys += _directions(edges, labels, measure, flow) if either else _reversible(edges)
        if isinstance(graph, ProbableEdges) and any(edge.directed for edge in edges):
            keys.append(LegendKey(None, "directions", graph.caution))
    if has_cycle(edges):
        keys.append(LegendKey(None, flow.back, f"an arrow that points {flow.against} closes a cycle"))
    return keys


def remarks_of(graph: object, view: View, weights: object = None) -> list[str]:
    """Return the sentences below the keys: what is left out, and what the result says of itself and warns of."""
    said = list(cut_lines(graph))
    if isinstance(graph, Result):
        chosen = settings_of(graph)
        said = [*graph.remarks, *said, *([f"settings: {chosen}"] if chosen else [])]
    return [*remarks_on_drawing(graph, view), *said, *warnings_of(graph, weights)]


def remarks_on_drawing(graph: object, view: View) -> list[str]:
    """Return the sentences below the keys that are about what is drawn: a page says the others beside the picture."""
    return [*view.remarks, *(graph.legend_remarks if isinstance(graph, Drawn) else ())]


def warnings_of(*sources: object) -> list[str]:
    """Return what a drawing says of the warnings about results; a graph has none."""
    return [brief_warning(warning) for warning in inherited_warnings(*sources)]


def brief_warning(warning: str) -> str:
    """Return the kind of a warning and the first part of its message: what was found, not what to do.

    >>> brief_warning("sparse families: the parents of 'a: b' have 9 states, but there are 3 rows: set max_parents")
    "warning: sparse families: the parents of 'a: b' have 9 states, but there are 3 rows"
    """
    text = warning[:_LONGEST_WARNING]
    kind = _CLAUSE.match(text)
    end = kind.end() if kind else 0
    found = _CLAUSE.match(text, end + 1)
    return f"warning: {text[: found.end() if found else end]}"


def _reversible(edges: Sequence[DrawnEdge]) -> Iterator[LegendKey]:
    """Say what a line without arrowhead means in the drawing of a class."""
    if lines := [edge for edge in edges if not edge.directed]:
        weight = None if lines[0].weight is None else _TYPICAL
        meaning = "both directions occur in the class"
        yield LegendKey(DrawnEdge(0, 1, False, weight), "line without arrowhead", meaning)


def _kinds_of_lines(edges: Sequence[DrawnEdge], measure: str) -> Iterator[LegendKey]:
    """Iterate over the kinds of lines by probability: of the edge, or of an edge in either direction."""
    either = any(edge.adjacency is not None for edge in edges)
    what = f"{_of_an_edge(measure)}, in either direction," if either else measure
    bands = (
        ("heavy line", f"≥ {HEAVY:g}", HEAVY, 2.0, 1.0),
        ("solid line", f"≥ {SOLID:g}", SOLID, HEAVY, _TYPICAL),
        ("dashed line", f"< {SOLID:g}", 0.0, SOLID, 0.4),
    )
    for name, range_, low, high, typical in bands:
        if any(edge.strength is not None and low <= edge.strength < high for edge in edges):
            yield LegendKey(DrawnEdge(0, 1, not either, typical), name, f"{what} {range_}")


def _of_an_edge(measure: str) -> str:
    """Return a measure with what it measures.

    >>> _of_an_edge("probability"), _of_an_edge("share of bootstrap samples")
    ('probability of an edge', 'share of bootstrap samples with an edge')
    """
    return f"{measure} {'of' if measure == PROBABILITY else 'with'} an edge"


def _compelled(
    edges: Sequence[DrawnEdge], labels: bool, threshold: float, measure: str, flow: Flow
) -> Iterator[LegendKey]:
    """Iterate over what arrowheads and numbers mean where directions are those of compelled edges."""
    # A threshold of at least a half implies the rest.
    enough = f"{measure} ≥ {threshold:g}" + ("" if threshold >= 0.5 else " and ≥ half of that of the edge")
    if any(edge.directed for edge in edges):
        meaning = f"direction compelled: the same in the whole equivalence class, with {enough}"
        yield LegendKey(DrawnEdge(0, 1, True, _TYPICAL), "arrow", meaning)
    if not all(edge.directed for edge in edges):
        meaning = f"direction open: neither alone is compelled with {enough}"
        yield LegendKey(DrawnEdge(0, 1, False, _TYPICAL), "line without arrowhead", meaning)
    if labels and any(shows_directions(edge) for edge in edges):
        of_it = "that the" if measure == PROBABILITY else "whose"
        meaning = f"{measure} {of_it} direction is compelled, if ≥ {LEAST_SHOWN:g} and not that of the edge"
        yield LegendKey(None, f"{flow.forth} {flow.back}", meaning)


def _directions(edges: Sequence[DrawnEdge], labels: bool, measure: str, flow: Flow) -> Iterator[LegendKey]:
    """Iterate over what arrowheads and numbers mean where lines show the probability of an edge in either direction."""
    arrows, lines = (any(edge.directed is directed for edge in edges) for directed in (True, False))
    if arrows:
        meaning = "most DAGs have this direction" + ("; the number is their share" if labels else "")
        yield LegendKey(DrawnEdge(0, 1, True, _TYPICAL), "arrow", meaning)
    if lines:
        meaning = "neither direction prevails" + (
            f"; the number is the {_of_an_edge(measure)}, in either direction" if labels else ""
        )
        yield LegendKey(DrawnEdge(0, 1, False, _TYPICAL), "line without arrowhead", meaning)
    if labels and any(edge.directions for edge in edges):
        yield LegendKey(None, f"{flow.forth} {flow.back}", "share of the DAGs with each direction")
