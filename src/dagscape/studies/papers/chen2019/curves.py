"""Curves of lists by their length, as the figures of [chen2019] have them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dagscape.studies.papers.chen2019.runs import LENGTH

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The lengths that tables show.
LENGTHS = (1, 2, 5, 10, LENGTH)

_STYLES = {"k best": "k--", "δ = 0": "C0:", "δ = 1": "C1-", "δ = 3": "C2-", "δ = 5": "C3-."}


def plot_curves(axes: Axes, curves: Mapping[str, NDArray[np.float64]], title: str, label: str) -> None:
    """Plot the curves of all lists."""
    for name, curve in curves.items():
        axes.plot(range(1, LENGTH + 1), curve, _STYLES[name], label=name, linewidth=1.2)
    axes.set_title(title, fontsize=9)
    axes.set_xlabel("networks", fontsize=8)
    axes.set_ylabel(label, fontsize=8)
    axes.tick_params(labelsize=7)
    axes.legend(fontsize=7, frameon=False)
