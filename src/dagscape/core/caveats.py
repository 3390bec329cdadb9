"""Warnings that are issued where users see them, and kept for the results that they are about.

Python shows a warning once, in the program that computed a result. Whoever reads the result later, from a file, in a
table or in a picture, needs it as much. So a function collects its warnings in :class:`Caveats`, and its result keeps
them as strings: the kind of the warning and its message.
"""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Iterable
from pathlib import Path

from dagscape.core.errors import DagscapeWarning

_PACKAGE = str(Path(__file__).resolve().parents[1]) + os.sep


def issue(*found: DagscapeWarning | None) -> None:
    """Issue warnings that point at the line outside dagscape from which the package was called; None is no warning."""
    for warning in found:
        if warning is not None:
            warnings.warn(warning, stacklevel=_level_outside())


def _level_outside() -> int:
    """Return the stack level, as seen by the caller, of the innermost code that is not part of dagscape."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame, level = frame.f_back, level + 1
    return level


def kept_text(warning: DagscapeWarning) -> str:
    """Return what a result keeps of a warning.

    >>> from dagscape.core.errors import StoppedEarly
    >>> kept_text(StoppedEarly("there was no time"))
    'stopped early: there was no time'
    """
    kind = re.sub("(?<=[a-z])(?=[A-Z])", " ", type(warning).__name__).lower()
    return f"{kind}: {warning.lasting}"


class Caveats:
    """The warnings about a result, in the order in which they were issued.

    Parameters
    ----------
    inherited : iterable of str
        What is kept from warnings about the input, which were issued before.

    Examples
    --------
    >>> from dagscape.core.errors import StoppedEarly
    >>> caveats = Caveats(["suspicious columns: is 'id' an identifier?"])
    >>> with warnings.catch_warnings(record=True) as issued:
    ...     warnings.simplefilter("always")
    ...     caveats.issue(None, StoppedEarly("there was no time"))
    >>> len(issued), caveats.kept
    (1, ("suspicious columns: is 'id' an identifier?", 'stopped early: there was no time'))
    """

    def __init__(self, inherited: Iterable[str] = ()) -> None:
        self._kept = list(inherited)

    @property
    def kept(self) -> tuple[str, ...]:
        """What the result keeps."""
        return tuple(self._kept)

    def issue(self, *found: DagscapeWarning | None) -> None:
        """Issue warnings as :func:`issue` does, and keep them."""
        self._kept += [kept_text(warning) for warning in found if warning is not None]
        issue(*found)
