"""The legend of a drawing: what its lines mean, if that needs an explanation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dagscape.drawing.edges import HEAVY, SOLID, DrawnEdge


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


def legend_of(edges: Sequence[DrawnEdge], *, labels: bool) -> list[LegendKey]:
    """Return the legend of a drawing with the given edges; empty if all lines are plain arrows.

    >>> [(key.name, key.meaning) for key in legend_of([DrawnEdge(0, 1, True, 0.95)], labels=True)]
    [('heavy line', 'probability ≥ 0.9')]
    """
    keys = []
    bands = (
        ("heavy line", f"probability ≥ {HEAVY:g}", HEAVY, 2.0, 1.0),
        ("solid line", f"probability ≥ {SOLID:g}", SOLID, HEAVY, 0.7),
        ("dashed line", f"probability < {SOLID:g}", 0.0, SOLID, 0.4),
    )
    for name, meaning, low, high, typical in bands:
        if any(edge.weight is not None and low <= edge.weight < high for edge in edges):
            keys.append(LegendKey(DrawnEdge(0, 1, True, typical), name, meaning))
    lines = [edge for edge in edges if not edge.directed]
    if lines:
        weight = None if lines[0].weight is None else 0.7
        uncertain = any(edge.directions for edge in lines)
        meaning = "adjacent, direction unclear" if uncertain else "both directions occur in the class"
        keys.append(LegendKey(DrawnEdge(0, 1, False, weight), "line without arrowhead", meaning))
    if labels and any(edge.directions for edge in edges):
        keys.append(LegendKey(None, "↓ ↑", "probability of each direction"))
    return keys
