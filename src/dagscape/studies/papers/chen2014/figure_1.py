"""Figure 1 of [chen2014], and figure 3.3 of [chen2016]: the times of lists of classes and of DAGs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from dagscape.studies.papers.chen2014.runs import DID, DIFFERS, DOES, POWERS, STUDY, TABLE, first_samples
from dagscape.studies.papers.item import Item, PaperPlot, PaperTable, Part

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# By data set, the values of k and a ratio of times.
Ratios = dict[str, tuple[list[int], list[float]]]


def same_k(frame: pd.DataFrame) -> Ratios:
    """Return the time of k classes over that of k DAGs."""
    return _ratios(frame, lambda run: run["classes"]["search"] / run["dags"]["search"])


def same_dags(frame: pd.DataFrame) -> Ratios:
    """Return the time of as many DAGs as k classes have over that of the k classes."""
    return _ratios(frame, lambda run: run["same"]["search"] / run["classes"]["search"])


def _ratios(frame: pd.DataFrame, ratio: Callable[[dict[str, Any]], float]) -> Ratios:
    runs = first_samples(frame)
    found: Ratios = {}
    for name in TABLE:
        ks = [k for k in POWERS if (name, k) in runs]
        if ks:
            found[name] = ks, [ratio(runs[name, k]) for k in ks]
    return found


def plot_ratios(axes: Axes, ratios: Ratios, title: str) -> None:
    """Plot the ratios of all data sets against log2 k."""
    for name, (ks, values) in ratios.items():
        axes.plot(np.log2(ks), values, marker="o", markersize=3, label=name)
    axes.axhline(1.0, color="red", linestyle="--", linewidth=1)
    axes.set(xlabel="log2 k", ylabel="ratio of times", title=title)
    axes.legend(fontsize=8)


def summary(ratios: Ratios) -> list[tuple[object, ...]]:
    """Return the least, the median and the largest ratio of each data set."""
    return [(name, min(values), float(np.median(values)), max(values)) for name, (_, values) in ratios.items()]


def show(frame: pd.DataFrame) -> Iterator[Part]:
    """Plot the time of the same DAGs, one by one or by classes."""
    ratios = same_dags(frame)

    def draw(figure: Figure) -> None:
        plot_ratios(figure.subplots(), ratios, "k' best DAGs / k best classes")

    yield PaperPlot("", "The time of the k' best DAGs over that of the k best classes, which have k' DAGs.", draw)
    yield PaperTable.of("The ratio of times.", ("data", "least", "median", "largest"), summary(ratios))


FINDING = (
    "As in the paper, the same DAGs take longer one by one on the sets of 15 and 17 variables, up to 3.9 times on "
    "Syn-1 and Syn-2 and 3.0 on Vote; with small k, both take about the same time, most of it on what both share. On "
    "Asia and Tic the ratio is 0.8 to 1.4 and 0.9 to 1.1. There the searches take about one millisecond up to "
    "k = 128, so that it says little; from 256 on it is 1.3 to 1.4 and 1.0 to 1.1."
)

ITEM = Item(
    "chen2014",
    "Figure 1",
    "The times of classes and of as many DAGs",
    DID,
    DOES + " k up to 1024.",
    DIFFERS,
    STUDY,
    show,
    (FINDING,),
)
