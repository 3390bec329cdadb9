"""Figure 6.4 of [chen2016]: where the ratio rule directs an edge wrongly."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from dagscape.studies.papers.item import Item, PaperPlot, PaperTable, Part

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

# P(S2 = 0 | S1 = 0), the strength of the prerequisite.
STRENGTHS = (1.0, 0.9, 0.8)

_POINTS = 401


def log_ratio(p: NDArray[np.float64], r: NDArray[np.float64], q: float) -> NDArray[np.float64]:
    """Return log P(S2 = 0) / P(S1 = 0), with P(S1 = 0) = p, P(S2 = 1 | S1 = 1) = r and P(S2 = 0 | S1 = 0) = q."""
    return np.log((q * p + (1 - r) * (1 - p)) / p)


def wrong_share(q: float) -> float:
    """Return the share of the square of p and r on which the ratio is below 1.

    The ratio is below 1 if r > 1 - p (1 - q) / (1 - p). With s = 1 - q, the area is that of p s / (1 - p) where it is
    less than 1, up to p = 1 / (1 + s), and all beyond.

    >>> wrong_share(1.0)
    0.0
    """
    s = 1 - q
    if s == 0:
        return 0.0
    edge = 1 / (1 + s)
    return float(s * (-np.log(1 - edge) - edge) + 1 - edge)


def show(_: pd.DataFrame) -> Iterator[Part]:
    """Plot the contours, and compute the areas in which the rule fails."""
    grid = (np.arange(_POINTS) + 0.5) / _POINTS
    p, r = np.meshgrid(grid, grid)

    def draw(figure: Figure) -> None:
        for axes, q in zip(figure.subplots(1, len(STRENGTHS), sharey=True), STRENGTHS, strict=True):
            # A tenth of the grid: the contours are smooth, and the file is small.
            values = np.clip(log_ratio(p, r, q), -1, 4)[::10, ::10]
            contours = axes.contourf(p[::10, ::10], r[::10, ::10], values, levels=np.linspace(0, 4, 17))
            axes.set(title=f"P(S2 = 0 | S1 = 0) = {q:g}", xlabel="P(S1 = 0)")
        figure.axes[0].set_ylabel("P(S2 = 1 | S1 = 1)")
        figure.colorbar(contours, ax=figure.axes, label="log(ratio)")

    yield PaperPlot("", "log(ratio); white where it is below 0, and the rule fails.", draw, 9.0, 3.4)
    rows = [(q, wrong_share(q), float((log_ratio(p, r, q) < -1e-12).mean())) for q in STRENGTHS]
    caption = "The share of the square in which the rule decides wrongly."
    yield PaperTable.of(caption, ("P(S2 = 0 | S1 = 0)", "by the formula", "of the grid"), rows)


ITEM = Item(
    "chen2016",
    "Figure 6.4",
    "Where the ratio rule is right",
    "Contours of log(ratio) of the true edge S1 → S2 against P(S1 = 0) and P(S2 = 1 | S1 = 1), for three strengths of "
    "the prerequisite. The rule fails in the white region, which is empty if the strength is 1.",
    "The same, and the area of the white region in closed form.",
    ("The three strengths of the figure are not in the text: here 1, 0.9 and 0.8.",),
    None,
    show,
    ("With a strength of 1 the rule never fails; the region grows as the prerequisite gets weaker, as the text says.",),
)
