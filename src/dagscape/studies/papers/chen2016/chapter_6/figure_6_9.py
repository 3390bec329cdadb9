"""Figure 6.9 of [chen2016]: missing answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dagscape.studies.papers.chen2016.chapter_6.comparing import MEASURES, plot, table, tidy
from dagscape.studies.papers.chen2016.chapter_6.simulated import PROTOCOL, STUDY
from dagscape.studies.papers.item import Item, Part

if TYPE_CHECKING:
    import pandas as pd


def show(frame: pd.DataFrame) -> Iterator[Part]:
    """Show F1 by the share of missing answers."""
    runs = tidy(frame)
    gaps = runs[runs["missing"] > 0]
    students = gaps["students"].max()
    runs = runs[(runs["students"] == students) & (runs["kind"] == "single") & runs["ranges"].isin(gaps["ranges"])]
    runs = runs[runs["method"].isin(("structural EM", "refined"))]
    for measure, what in MEASURES.items():
        caption = f"F1 of {what} by the share of missing answers, {students:,} students"
        yield table(runs, measure, caption, ("structure", "ranges", "method"), "missing")
        yield plot(runs, measure, measure, f"{caption}.", ("ranges", "method"), "missing")


ITEM = Item(
    "chen2016",
    "Figure 6.9",
    "Missing answers",
    "F1 of 1000 students with 0 to 50 % of the answers missing at random; items of one skill. Structures 1 and 2 are "
    "recovered with up to 30 % missing.",
    "The same, with structural EM alone and with its refinement, on wide and on clear tables.",
    (*PROTOCOL, "A student who would have no answer at all keeps one."),
    STUDY,
    show,
    (
        "With clear tables, structures a and b are recovered with up to 30 % missing answers, as in the dissertation, "
        "and with refinement with 50 %. With wide tables F1 is lower and falls earlier.",
    ),
)
