"""Signed numbers on the edges of a drawing: how strongly, and in which direction, two variables go together."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from dagscape.core.errors import InvalidOption, type_of
from dagscape.drawing.edges import DrawnEdge, OfGraph, Structure


class SignedEffects(Protocol):
    """An object that knows what a drawing says of the association of two variables."""

    def shown_effects(self) -> Mapping[frozenset[str], str]:
        """Return the text on the edge between two variables, such as ``"+0.31"``."""

    def meaning_of(self, pairs: Collection[frozenset[str]]) -> str:
        """Return what these texts are on the edges between some pairs of variables, for the legend."""


@dataclass(frozen=True, slots=True, eq=False)
class SignedGraph(OfGraph):
    """A graph whose edges have signed numbers of their own.

    Parameters
    ----------
    graph : Structure
        The graph.
    texts : mapping of frozenset of str to str
        What is shown on the edge between two variables.
    sizes : mapping of frozenset of str to float
        How large it is, from 0 to 1.
    meaning : str
        What it is, for the legend.
    """

    graph: Structure
    texts: Mapping[frozenset[str], str]
    sizes: Mapping[frozenset[str], float]
    meaning: str

    def shown_effects(self) -> Mapping[frozenset[str], str]:
        """Return what is shown on the edge between two variables."""
        return self.texts

    def meaning_of(self, pairs: Collection[frozenset[str]]) -> str:  # noqa: ARG002 (it is the same for all pairs)
        """Return what that is."""
        return self.meaning


def with_effects(
    edges: Sequence[DrawnEdge], variables: Sequence[str], effects: SignedEffects | None
) -> list[DrawnEdge]:
    """Return edges with the texts of effects; a pair that has none is left as it is."""
    if effects is None:
        return list(edges)
    if not hasattr(effects, "shown_effects"):
        raise InvalidOption(f"is {type_of(effects)}; it must be a result of edge_effects()", option="effects")
    texts = effects.shown_effects()
    sizes = effects.sizes if isinstance(effects, SignedGraph) else {}
    found = []
    for edge in edges:
        pair = frozenset((variables[edge.tail], variables[edge.head]))
        found.append(dataclasses.replace(edge, effect=texts.get(pair, ""), size=sizes.get(pair)))
    return found
