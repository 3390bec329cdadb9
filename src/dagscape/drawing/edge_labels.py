"""The numbers on the edges of a drawing."""

from __future__ import annotations

from collections.abc import Iterator

from dagscape.drawing.edges import HEAVY, LEAST_SHOWN, SOLID, DrawnEdge
from dagscape.drawing.style import DOWN, Flow

# No number may seem to reach one of these probabilities by rounding: two of them decide the kind of line.
_LIMITS = (0.1, SOLID, HEAVY)


def edge_label(edge: DrawnEdge, flow: Flow = DOWN) -> tuple[str, ...]:
    """Return what an edge shows: its probability, those of directions, with arrows as on the page, and its effect."""
    effect = edge.effect.split("\n") if edge.effect else ()
    return (*_probabilities(edge, flow), *effect)


def shows_directions(edge: DrawnEdge) -> bool:
    """Say whether an edge shows the probability of a direction below its own.

    >>> sure, open_ = (DrawnEdge(0, 1, True, 1.0, (there, 0.0), compelled=True) for there in (1.0, 0.4))
    >>> shows_directions(sure), shows_directions(open_)
    (False, True)
    """
    return len(_probabilities(edge, DOWN)) > 1


def _probabilities(edge: DrawnEdge, flow: Flow) -> tuple[str, ...]:
    if edge.weight is None:
        return ()
    if edge.directions is None:
        return (_number(edge.weight),)
    if edge.compelled:
        directions = " ".join(_compelled_numbers(edge, flow))
        # An arrow whose direction is as sure as the edge needs one number.
        same = edge.directed and directions[1:] == _number(edge.weight)
        return (_number(edge.weight),) if same or not directions else (_number(edge.weight), directions)
    there, back = (_number(direction) for direction in edge.directions)
    if edge.directed:
        return _number(edge.weight), f"{flow.forth if edge.upward else flow.back}{back}"
    return _number(edge.weight), f"{flow.forth}{there} {flow.back}{back}"


def _compelled_numbers(edge: DrawnEdge, flow: Flow) -> Iterator[str]:
    """Iterate over the probabilities that a direction is compelled, those worth showing."""
    arrows = (flow.back, flow.forth) if edge.upward else (flow.forth, flow.back)
    for symbol, probability in zip(arrows, edge.directions or (), strict=True):
        if probability >= LEAST_SHOWN:
            yield f"{symbol}{_number(probability)}"


def _number(probability: float) -> str:
    """Round a probability to two digits, or to three if it would seem to reach a limit that it does not reach.

    >>> _number(0.894), _number(0.896), _number(0.89999), _number(0.9)
    ('0.89', '0.896', '0.899', '0.90')
    """
    text = f"{probability:.2f}"
    limit = next((limit for limit in _LIMITS if probability < limit <= float(text)), None)
    return text if limit is None else f"{min(probability, limit - 0.001):.3f}"
