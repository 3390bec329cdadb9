"""Plots that several items share, on axes of matplotlib."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Where a node is, and an edge with its direction or without.
Places = Mapping[str, tuple[float, float]]
Edge = tuple[str, str]


def off_diagonal(matrix: ArrayLike) -> NDArray[np.float64]:
    """Return the entries of a square matrix that are not on its diagonal."""
    values = np.asarray(matrix, dtype=np.float64)
    return values[~np.eye(len(values), dtype=bool)]


def scatter_probabilities(axes: Axes, x: ArrayLike, y: ArrayLike, title: str, names: tuple[str, str]) -> None:
    """Plot two probabilities of each pair of variables against each other."""
    axes.plot([0, 1], [0, 1], color="0.8", linewidth=1, zorder=0)
    axes.scatter(off_diagonal(x), off_diagonal(y), s=14, facecolors="none", edgecolors="C0", linewidths=0.9)
    axes.set(xlim=(-0.04, 1.04), ylim=(-0.04, 1.04), xlabel=names[0], ylabel=names[1], title=title, aspect="equal")


def on_a_circle(names: Sequence[str]) -> dict[str, tuple[float, float]]:
    """Return places on a circle, the first at the top, clockwise."""
    angles = np.pi / 2 - 2 * np.pi * np.arange(len(names)) / len(names)
    return {
        name: (float(np.cos(angle)), float(np.sin(angle))) for name, angle in zip(names, angles.tolist(), strict=True)
    }


def draw_graph(
    axes: Axes,
    places: Places,
    directed: Mapping[Edge, str],
    undirected: Iterable[Edge] = (),
    *,
    style: Mapping[Edge, str] | None = None,
    size: float = 7.0,
) -> None:
    """Draw a graph with its nodes at given places.

    Parameters
    ----------
    axes : Axes
        Where to draw.
    places : mapping of str to (x, y)
        The nodes, at distances of about 1.
    directed : mapping of edges to str
        Edges with arrows, and their labels.
    undirected : iterable of edges
        Edges without.
    style : mapping of edges to str, optional
        Colours of some edges. Default: black.
    size : float
        The size of the letters, in points.
    """
    colours = style or {}
    lines = [(edge, "-|>", label) for edge, label in directed.items()] + [(edge, "-", "") for edge in undirected]
    for (source, target), arrow, label in lines:
        colour = colours.get((source, target), "0.25")
        arrows = {"arrowstyle": arrow, "color": colour, "shrinkA": 11, "shrinkB": 11, "linewidth": 0.9}
        axes.annotate("", places[target], places[source], arrowprops=arrows)
        if label:
            (x0, y0), (x1, y1) = places[source], places[target]
            # Near the source, where few edges cross.
            place = 0.72 * x0 + 0.28 * x1, 0.72 * y0 + 0.28 * y1
            box = {"boxstyle": "square,pad=0.1", "facecolor": "white", "edgecolor": "none"}
            axes.text(*place, label, fontsize=size - 1, color="C3", ha="center", va="center", bbox=box)
    for name, (x, y) in places.items():
        frame = {"boxstyle": "round,pad=0.25", "facecolor": "white", "edgecolor": "0.6"}
        axes.text(x, y, name, fontsize=size, ha="center", va="center", bbox=frame)
    xs, ys = zip(*places.values(), strict=True)
    axes.set(xlim=(min(xs) - 0.4, max(xs) + 0.4), ylim=(min(ys) - 0.3, max(ys) + 0.3))
    axes.set_axis_off()
