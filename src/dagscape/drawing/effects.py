"""Signed numbers on the edges of a drawing: how strongly, and in which direction, two variables go together."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from dagscape.core.errors import InvalidOption, type_of
from dagscape.drawing.edges import DrawnEdge


class SignedEffects(Protocol):
    """An object that knows what a drawing says of the association of two variables."""

    def shown_effects(self) -> Mapping[frozenset[str], str]:
        """Return the text on the edge between two variables, such as ``"+0.31"``."""

    def meaning_of(self, pairs: Collection[frozenset[str]]) -> str:
        """Return what these texts are on the edges between some pairs of variables, for the legend."""


def with_effects(
    edges: Sequence[DrawnEdge], variables: Sequence[str], effects: SignedEffects | None
) -> list[DrawnEdge]:
    """Return edges with the texts of effects; a pair that has none is left as it is."""
    if effects is None:
        return list(edges)
    if not hasattr(effects, "shown_effects"):
        raise InvalidOption(f"is {type_of(effects)}; it must be a result of edge_effects()", option="effects")
    texts = effects.shown_effects()
    return [
        dataclasses.replace(edge, effect=texts.get(frozenset((variables[edge.tail], variables[edge.head])), ""))
        for edge in edges
    ]
