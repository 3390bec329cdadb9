"""Results with a picture of their own, which is not a graph."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dagscape.drawing.draw import Drawing


class OwnPicture(ABC):
    """A mixin for results that draw themselves; :func:`dagscape.draw` calls their method."""

    __slots__ = ()

    @abstractmethod
    def draw(self, path: str | os.PathLike[str] | None = None, *, title: str | None = None) -> Drawing | None:
        """Write a picture to a file, or return it."""
