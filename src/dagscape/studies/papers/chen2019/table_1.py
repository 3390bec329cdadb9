"""Table 1 of [chen2019]: how many classes there are among the first ten networks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from dagscape.studies.papers.chen2019.runs import DIFFERS, DOES, LISTS, PAPER, ROWS, SCORINGS, STUDY, chosen
from dagscape.studies.papers.item import Item, PaperNote, PaperTable, Part

if TYPE_CHECKING:
    import pandas as pd

_FIRST = 10
_SAMPLES_OF_THE_PAPER = 10

# Classes and networks among the first ten, by list and rows, in the paper.
PUBLISHED: dict[str, dict[int, tuple[float, float]]] = {
    "k best": {10: (6.0, 10.0), 100: (1.5, 10.0), 1000: (1.0, 10.0)},
    "δ = 0": {10: (6.7, 10.0), 100: (1.4, 10.0), 1000: (1.0, 10.0)},
    "δ = 1": {10: (8.2, 10.0), 100: (3.3, 10.0), 1000: (1.5, 10.0)},
    "δ = 3": {10: (9.4, 10.0), 100: (6.1, 9.9), 1000: (1.8, 9.5)},
    "δ = 5": {10: (8.8, 9.3), 100: (2.5, 4.7), 1000: (2.2, 5.3)},
}

_MEANINGS = {
    "exact": "exact ties, declared levels",
    "rounding": "ties broken by rounding",
    "observed": "levels that occur",
}


def show(frame: pd.DataFrame) -> Iterator[Part]:
    """Show classes / networks among the first ten, in three ways of scoring, with standard deviations."""
    sizes = [rows for rows in ROWS if rows in set(frame["rows"])]
    rows = []
    for name in LISTS:
        for size in sizes:
            cells = [_cell(_counts(frame, size, scoring, name)) for scoring in SCORINGS]
            published = PUBLISHED[name][size]
            rows.append((name, size, f"{published[0]:.1f}/{published[1]:.1f}", *cells))
    yield PaperTable.of(
        "Classes/networks among the first ten on Sachs: means over the data sets, and in brackets their standard "
        "deviations between data sets.",
        ["list", "rows", "paper", *(_MEANINGS[scoring] for scoring in SCORINGS)],
        rows,
    )
    counts = _counts(frame, 100, "exact", "δ = 3")
    if len(counts) > 1:
        error = counts.std(axis=0, ddof=1) / np.sqrt(_SAMPLES_OF_THE_PAPER)
        far = (np.array(PUBLISHED["δ = 3"][100]) - counts.mean(axis=0)) / np.where(error > 0, error, np.inf)
        yield PaperNote(
            f"δ = 3, 100 rows: means of ten data sets have standard errors of {error[0]:.1f}/{error[1]:.1f}, so that "
            f"the paper's are {far[0]:+.1f} and {far[1]:+.1f} standard errors away."
        )


def _counts(frame: pd.DataFrame, size: int, scoring: str, name: str) -> np.ndarray:
    """Return the classes and the networks among the first ten of one list, one row for each data set."""
    lists = [run[name]["classes"][:_FIRST] for run in chosen(frame, "Sachs", size, scoring)["lists"]]
    return np.array([(classes[-1], len(classes)) for classes in lists], dtype=np.float64)


def _cell(counts: np.ndarray) -> str:
    mean, spread = counts.mean(axis=0), counts.std(axis=0, ddof=1)
    return f"{mean[0]:.1f}/{mean[1]:.1f} ({spread[0]:.1f}/{spread[1]:.1f})"


ITEM = Item(
    PAPER,
    "Table 1",
    "Different classes among the top networks",
    "The number of equivalence classes among the top ten networks on Sachs, and of networks if there are fewer, "
    "averages of ten data sets.",
    DOES + " Also with ties broken by rounding, and with the levels that occur.",
    DIFFERS,
    STUDY,
    show,
)
