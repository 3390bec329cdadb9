"""Tables and plots of the study of simulated students: means and 95 % intervals, a panel for each structure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from dagscape.studies.papers.chen2016.chapter_6.simulated import complete_f1
from dagscape.studies.papers.item import PaperPlot, PaperTable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Half the width of a 95 % interval, in standard errors.
INTERVAL = 1.96

MEASURES = {"adjacency": "adjacencies", "orientation": "directed edges"}


def tidy(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each data set and method."""
    rows = [
        {**{name: value for name, value in run.items() if name != "found"}, "method": method, **measures}
        for run in frame.to_dict("records")
        for method, measures in run["found"].items()
    ]
    return pd.DataFrame(rows)


def means(runs: pd.DataFrame, measure: str, by: Sequence[str], over: str) -> pd.DataFrame:
    """Return the mean of a measure and half the width of its interval: a row for each group, columns by ``over``."""
    groups = runs.groupby([*by, over], sort=False)[measure]
    both = pd.DataFrame({"mean": groups.mean(), "half": INTERVAL * groups.sem()})
    return pd.DataFrame(both.unstack(over))


def table(runs: pd.DataFrame, measure: str, caption: str, by: Sequence[str], over: str) -> PaperTable:
    """Return means and intervals, and for adjacencies those of the complete graph."""
    found = means(runs, measure, by, over)
    places = sorted(runs[over].unique())
    rows: list[tuple[object, ...]] = []
    for names, row in found.iterrows():
        cells = [f"{row['mean', place]:.3f} ± {row['half', place]:.3f}" for place in places]
        rows.append((*(names if isinstance(names, tuple) else (names,)), *cells))
    if measure == "adjacency":
        blank = [""] * (len(by) - 2)
        rows += [
            (structure, "fully connected", *blank, *[f"{complete_f1(structure):.3f}"] * len(places))
            for structure in runs["structure"].unique()
        ]
    return PaperTable.of(f"{caption}: mean ± 1.96 SE.", (*by, *(f"{place:g}" for place in places)), rows)


def plot(
    runs: pd.DataFrame,
    measure: str,
    name: str,
    caption: str,
    label: Sequence[str],
    over: str,
    panel: str = "structure",
) -> PaperPlot:
    """Return a plot with a panel for each structure, or each value of another column, and a line for each label."""
    panels = list(runs[panel].unique())
    places = sorted(runs[over].unique())

    def draw(figure: Figure) -> None:
        every = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
        for axes, shown in zip(every, panels, strict=True):
            found = means(runs[runs[panel] == shown], measure, label, over)
            for names, row in found.iterrows():
                title = ", ".join(map(str, names)) if isinstance(names, tuple) else str(names)
                axes.errorbar(places, row["mean"].loc[places], row["half"].loc[places], label=title, capsize=2)
            if measure == "adjacency":
                axes.axhline(complete_f1(shown), color="grey", linestyle=":", label="fully connected")
            axes.set(title=f"{panel} {shown}", xlabel=over, ylim=(0, 1.05))
        every[0].set_ylabel(f"F1, {MEASURES.get(measure, measure)}")
        figure.legend(*every[0].get_legend_handles_labels(), loc="outside right center", fontsize=8)

    return PaperPlot(name, caption, draw, 10.0, 3.2)


def paired_gain(
    runs: pd.DataFrame, measure: str, column: str, first: str, second: str, by: Sequence[str]
) -> PaperTable:
    """Return what changes from one value of a column to another, on data sets with the same tables of skills."""
    keys = [*by, "set"]
    before, after = (runs[runs[column] == value].set_index(keys)[measure] for value in (first, second))
    change = pd.DataFrame({"change": after - before}).dropna()
    rows = []
    for names, part in change.groupby(list(by), sort=False):
        values = part["change"].to_numpy(dtype=np.float64)
        half = INTERVAL * values.std(ddof=1) / np.sqrt(len(values))
        rows.append((*names, f"{values.mean():+.3f} ± {half:.3f}"))
    what = f"F1 of {MEASURES.get(measure, measure)}: '{second}' minus '{first}'"
    caption = f"{what}, paired by the tables of skills: mean ± 1.96 SE."
    return PaperTable.of(caption, (*by, "change"), rows)
