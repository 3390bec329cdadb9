"""Figure 6.8 of [chen2016]: students of different ability, of which the learner does not know."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dagscape.studies.papers.chen2016.chapter_6.comparing import MEASURES, paired_gain, plot, table, tidy
from dagscape.studies.papers.chen2016.chapter_6.simulated import PROTOCOL, STUDY
from dagscape.studies.papers.item import Item, Part

if TYPE_CHECKING:
    import pandas as pd

_COMMAND = ("structural EM", "refined")


def show(frame: pd.DataFrame) -> Iterator[Part]:
    """Compare answers that depend on the skills only with those that depend on an ability, too."""
    runs = tidy(frame)
    runs = runs[(runs["missing"] == 0) & runs["kind"].isin(("single", "ability")) & runs["method"].isin(_COMMAND)]
    for measure, what in MEASURES.items():
        yield table(runs, measure, f"F1 of {what}", ("structure", "kind", "ranges", "method"), "students")
    for measure, what in MEASURES.items():
        drawn = runs[runs["ranges"] == "any"]
        yield plot(drawn, measure, measure, f"F1 of {what}, any tables.", ("kind", "method"), "students")
    for measure in MEASURES:
        yield paired_gain(runs, measure, "kind", "single", "ability", ("ranges", "method", "structure", "students"))


ITEM = Item(
    "chen2016",
    "Figure 6.8",
    "Students of different ability",
    "F1 with and without a variable StudentAbility (low, medium, high) on which answers depend, and of which COMMAND "
    "does not know; items of one skill. Ability raises F1, above all with 150 students: its correlations are thought "
    "to make edges between skills stronger, where BIC prefers sparse structures.",
    "The same, with structural EM alone and with its refinement, on any, wide and clear tables.",
    (
        *PROTOCOL,
        "The dissertation does not say how ability changes the tables of the items. Here it is independent of the "
        "skills, uniform, and moves the log odds of a correct answer down or up by a number from 0.5 to 1.5, drawn for "
        "each item.",
        "With and without ability, the students of a data set have the same skills, so that the changes are paired.",
    ),
    STUDY,
    show,
)
