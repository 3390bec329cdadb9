"""Results that can be drawn, and that a notebook shows with a picture."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Unpack

from dagscape.core.references import loaded

if TYPE_CHECKING:
    from dagscape.drawing.draw import Drawing
    from dagscape.drawing.edges import ProbableEdges, Structure
    from dagscape.drawing.view import DrawOptions

# Drawing takes a dozen modules, which most programs never need. This draws what a notebook shows.
NOTEBOOK_SVG = "drawing.draw:notebook_svg"


class Drawn(ABC):
    """A mixin for results that say, with the property ``drawable``, what a drawing of them shows."""

    __slots__ = ()

    @property
    @abstractmethod
    def drawable(self) -> Structure | ProbableEdges:
        """What a drawing shows."""

    @property
    def legend_remarks(self) -> tuple[str, ...]:
        """What only the legend of a drawing says of the result, because it is about what is drawn."""
        return ()

    def draw(self, path: str | os.PathLike[str] | None = None, **options: Unpack[DrawOptions]) -> Drawing | None:
        """Draw the result, as :func:`dagscape.draw` does.

        Parameters
        ----------
        path : path, optional
            The file to write: ``.svg``, ``.png``, ``.pdf``, ``.dot`` or ``.gv``. Default: return the SVG.
        **options
            ``weights``, ``labels``, ``threshold``, ``lines``, ``direction_threshold``, ``title``, ``label_width``,
            ``around``, ``steps``, ``isolated``, ``page``, ``effects``: as for :func:`dagscape.draw`.
        """
        drawn: Drawing | None = loaded("drawing.draw:draw")(self, path, **options)
        return drawn

    def _picture(self) -> str | None:
        picture: str | None = loaded(NOTEBOOK_SVG)(self)
        return picture
