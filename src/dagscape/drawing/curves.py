"""Panels of curves, drawn with matplotlib (the extra ``plot``)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from numpy.typing import ArrayLike

from dagscape.core.errors import InvalidOption
from dagscape.core.files.writing import check_writable, replace_file
from dagscape.drawing.figure import require_matplotlib

CURVE_ENDINGS = (".svg", ".png", ".pdf")

_PANEL_INCHES = (4.0, 3.0)
_STYLES = ("-", "--", ":", "-.")


def draw_curves(
    path: str | os.PathLike[str],
    x: ArrayLike,
    panels: Mapping[str, Mapping[str, ArrayLike]],
    x_label: str,
    errors: Mapping[str, Mapping[str, ArrayLike]] | None = None,
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
    """
    ending = Path(path).suffix.lower()
    if ending not in CURVE_ENDINGS:
        known = ", ".join(CURVE_ENDINGS)
        raise InvalidOption(f"cannot tell the format of {os.fspath(path)!r}: its name must end in one of {known}")
    check_writable(path)
    require_matplotlib(os.fspath(path))
    import matplotlib
    from matplotlib.figure import Figure

    # The user's settings must not change the picture; a fixed salt and no date make the file reproducible.
    with matplotlib.rc_context({"text.usetex": False, "svg.fonttype": "none", "svg.hashsalt": "dagscape"}):
        figure = Figure(figsize=(_PANEL_INCHES[0] * len(panels), _PANEL_INCHES[1]), layout="constrained")
        for i, (title, curves) in enumerate(panels.items()):
            axes = figure.add_subplot(1, len(panels), i + 1)
            for number, (name, values) in enumerate(curves.items()):
                style = _STYLES[number % len(_STYLES)]
                bars = None if errors is None else errors.get(title, {}).get(name)
                if bars is None:
                    axes.plot(x, values, style, label=name)
                else:
                    axes.errorbar(x, values, bars, fmt=style, label=name, capsize=3)
            axes.set_title(title, fontsize=10)
            axes.set_xlabel(x_label)
            axes.set_ylim(bottom=0)
            axes.legend(fontsize=8, frameon=False)
        undated = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
        with replace_file(path) as stream:
            figure.savefig(stream, format=ending[1:], metadata=undated.get(ending))
