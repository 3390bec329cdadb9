"""Results that can be drawn, and that a notebook shows with a picture."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Unpack

# Drawing takes a dozen modules, which most programs never need.
if TYPE_CHECKING:
    from dagscape.drawing.draw import Drawing, DrawOptions
    from dagscape.drawing.edges import ProbableEdges, Structure


class Drawn(ABC):
    """A mixin for results that say, with the property ``drawable``, what a drawing of them shows."""

    __slots__ = ()

    @property
    @abstractmethod
    def drawable(self) -> Structure | ProbableEdges:
        """What a drawing shows."""

    def draw(self, path: str | os.PathLike[str] | None = None, **options: Unpack[DrawOptions]) -> Drawing | None:
        """Draw the result, as :func:`dagscape.draw` does.

        Parameters
        ----------
        path : path, optional
            The file to write: ``.svg``, ``.png``, ``.pdf``, ``.dot`` or ``.gv``. Default: return the SVG.
        **options
            ``weights``, ``labels``, ``threshold``, ``lines``, ``title``, ``label_width``: as for :func:`dagscape.draw`.
        """
        from dagscape.drawing.draw import draw

        return draw(self, path, **options)

    def _picture(self) -> str | None:
        from dagscape.drawing.draw import notebook_svg

        return notebook_svg(self)
