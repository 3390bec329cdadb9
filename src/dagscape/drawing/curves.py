"""Panels of curves, drawn with matplotlib (the extra ``plot``)."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from dagscape.core.errors import InvalidOption
from dagscape.core.files.writing import check_writable, replace_file
from dagscape.drawing.figure import require_matplotlib
from dagscape.drawing.style import WARNING_LINES
from dagscape.drawing.text import filled_lines

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CURVE_ENDINGS = (".svg", ".png", ".pdf")

_PANEL_INCHES = (4.0, 3.0)
_POINTS_PER_INCH, _REMARK_SIZE = 72.0, 7.0
_STYLES = ("-", "--", ":", "-.")


@dataclass(frozen=True, slots=True)
class Line:
    """A curve: its name in the legend (empty: none), its points, half the lengths of its error bars, and a marker."""

    name: str
    x: ArrayLike
    y: ArrayLike
    errors: ArrayLike | None = None
    marker: str = ""


@dataclass(frozen=True, slots=True)
class Panel:
    """One panel of a picture: its title, the label of its horizontal axis, and its lines."""

    title: str
    x_label: str
    lines: Sequence[Line]


def draw_curves(
    path: str | os.PathLike[str],
    x: ArrayLike,
    panels: Mapping[str, Mapping[str, ArrayLike]],
    x_label: str,
    errors: Mapping[str, Mapping[str, ArrayLike]] | None = None,
    remarks: Sequence[str] = (),
) -> None:
    """Draw panels in a row, each with a title and named curves over the same x.

    Parameters
    ----------
    path : path
        The file to write: ``.svg``, ``.png`` or ``.pdf``.
    x : array-like
        The values on the horizontal axes.
    panels : mapping
        The curves by name, for each title.
    x_label : str
        The label of the horizontal axes.
    errors : mapping, optional
        Half the lengths of the error bars, by title and name of the curve. Default: no bars.
    remarks : sequence of str
        Sentences below the panels.
    """
    named = errors or {}
    draw_panels(
        path,
        [
            Panel(
                title,
                x_label,
                [Line(name, x, values, named.get(title, {}).get(name)) for name, values in curves.items()],
            )
            for title, curves in panels.items()
        ],
        remarks,
    )


def draw_panels(path: str | os.PathLike[str], panels: Sequence[Panel], remarks: Sequence[str] = ()) -> None:
    """Draw panels in a row, each with lines of its own.

    Parameters
    ----------
    path : path
        The file to write: ``.svg``, ``.png`` or ``.pdf``.
    panels : sequence of Panel
        The panels, from left to right.
    remarks : sequence of str
        Sentences below them, such as warnings.
    """
    ending = curve_format(path)
    check_writable(path)
    require_matplotlib(os.fspath(path))
    import matplotlib
    from matplotlib.figure import Figure

    # The user's settings must not change the picture; a fixed salt and no date make the file reproducible.
    with matplotlib.rc_context({"text.usetex": False, "svg.fonttype": "none", "svg.hashsalt": "dagscape"}):
        figure = Figure(figsize=(_PANEL_INCHES[0] * len(panels), _PANEL_INCHES[1]), layout="constrained")
        for i, panel in enumerate(panels):
            _draw_panel(figure.add_subplot(1, len(panels), i + 1), panel)
        if remarks:
            width = _POINTS_PER_INCH * _PANEL_INCHES[0] * len(panels)
            lines = [line for remark in remarks for line in filled_lines(remark, width, _REMARK_SIZE, WARNING_LINES)]
            figure.supxlabel("\n".join(lines), x=0.01, ha="left", size=_REMARK_SIZE).set_parse_math(False)
        undated = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
        with replace_file(path) as stream:
            figure.savefig(stream, format=ending[1:], metadata=undated.get(ending))


def curve_format(path: str | os.PathLike[str]) -> str:
    """Return the ending of the file of a picture of curves; refuse others."""
    ending = Path(path).suffix.lower()
    if ending not in CURVE_ENDINGS:
        known = ", ".join(CURVE_ENDINGS)
        raise InvalidOption(f"cannot tell the format of {os.fspath(path)!r}: its name must end in one of {known}")
    return ending


def _draw_panel(axes: Axes, panel: Panel) -> None:
    for number, line in enumerate(panel.lines):
        style = f"{line.marker}{_STYLES[number % len(_STYLES)]}"
        label = line.name or "_nolegend_"
        if line.errors is None:
            axes.plot(line.x, line.y, style, label=label)
        else:
            axes.errorbar(line.x, line.y, line.errors, fmt=style, label=label, capsize=3)
    axes.set_title(panel.title, fontsize=10)
    axes.set_xlabel(panel.x_label)
    axes.set_ylim(bottom=0)
    axes.legend(fontsize=8, frameon=False)
