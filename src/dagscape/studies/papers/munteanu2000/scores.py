"""How tables 1 and 2 of [munteanu2000] compare another method with EQ1: means, counts, and a paired t-test."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from dagscape.studies.papers.item import PaperTable
from dagscape.studies.papers.measuring import paired_p
from dagscape.studies.papers.munteanu2000.runs import in_paper_order

if TYPE_CHECKING:
    import pandas as pd

# The better method is named if p is below this.
_SIGNIFICANT = 0.01

# A row of the paper: mean of the other method, mean of EQ1, data sets with <, =, >, and p.
PaperRow = tuple[float, float, tuple[int, int, int], float]

_HEADERS = ("network", "", "other, bits", "EQ1, bits", "difference", "<", "=", ">", "p", "better")


def comparison_table(
    frame: pd.DataFrame, other: str, measure: str, caption: str, printed: Mapping[str, PaperRow]
) -> PaperTable:
    """Compare a method with EQ1 on every network, beside what the paper prints."""
    rows = []
    for network in in_paper_order(frame):
        rows.append((network, "here", *_compared(frame[frame["network"] == network], other, measure)))
        if network in printed:
            mean, eq1, counts, p = printed[network]
            rows.append(("", "paper", *_cells(mean, eq1, counts, p, other)))
    return PaperTable.of(caption, _HEADERS, rows)


def comparison_tables(
    frame: pd.DataFrame, other: str, name: str, printed: Mapping[str, PaperRow]
) -> Iterator[PaperTable]:
    """Compare a method with EQ1 on the training rows, beside what the paper prints, and on separate rows."""
    caption = f"MDL on the training rows; data sets on which {name} is better (<), equal and worse (>)."
    yield comparison_table(frame, other, "mdl", caption, printed)
    yield comparison_table(frame, other, "mdl_test", "The same on as many separate rows.", {})


def _compared(runs: pd.DataFrame, other: str, measure: str) -> tuple[object, ...]:
    values = runs.pivot(index="seed", columns="method", values=measure)
    difference = (values[other] - values["eq1"]).round(6)
    counts = int((difference < 0).sum()), int((difference == 0).sum()), int((difference > 0).sum())
    p = paired_p(values[other], values["eq1"]) if difference.any() else 1.0
    return _cells(float(values[other].mean()), float(values["eq1"].mean()), counts, p, other)


def _cells(mean: float, eq1: float, counts: tuple[int, int, int], p: float, other: str) -> tuple[object, ...]:
    better = "" if not p < _SIGNIFICANT else "eq1" if eq1 < mean else other
    return f"{mean:.2f}", f"{eq1:.2f}", f"{mean - eq1:.2f}", *counts, f"{p:.1e}", better
