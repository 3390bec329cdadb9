"""Figure 6.13 of [chen2016]: how well models predict answers, on public sets in place of the Math data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pandas as pd

from dagscape.studies.papers.chen2016.chapter_6.real import STUDY
from dagscape.studies.papers.item import Item, PaperPlot, PaperTable, Part

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def show(frame: pd.DataFrame) -> Iterator[Part]:
    """Show the areas of all models, and plot them."""
    found = {(run["data"], bool(run["refine"])): pd.DataFrame(run["evaluation"]) for run in frame.to_dict("records")}
    names = list(dict.fromkeys(name for name, _ in found))
    models = ["command, refined", *found[names[0], False]["model"]]
    columns = [_cells(found[name, False], found[name, True]) for name in names]
    rows = [(model, *(column[model] for column in columns)) for model in models]
    caption = "Area under the ROC curve, mean ± 1.96 SE over folds; in brackets p of the paired t-test against COMMAND "
    yield PaperTable.of(caption + "without refinement, as in the dissertation.", ("model", *names), rows)

    def draw(figure: Figure) -> None:
        panels = figure.subplots(1, len(names), squeeze=False)[0]
        for axes, name in zip(panels, names, strict=True):
            plain, refined = found[name, False], found[name, True].iloc[:1].assign(model="refined")
            both = pd.concat([refined, plain])
            axes.errorbar(both["auc"], both["model"], xerr=both["interval"], fmt="o", capsize=2)
            axes.set(title=name, xlabel="AUC")
            axes.tick_params(labelsize=7)

    yield PaperPlot("", "Areas under the ROC curve with 95 % intervals.", draw, 10.0, 3.0)


def _cells(plain: pd.DataFrame, refined: pd.DataFrame) -> dict[str, str]:
    """Return a cell for each model of one data set."""
    first = refined.iloc[0]
    cells = {"command, refined": f"{first['auc']:.4f} ± {first['interval']:.4f}"}
    for row in plain.to_dict("records"):
        p = "" if pd.isna(row["p_value"]) else f" ({row['p_value']:.1g})"
        cells[row["model"]] = f"{row['auc']:.4f} ± {row['interval']:.4f}{p}"
    return cells


ITEM = Item(
    "chen2016",
    "Figure 6.13",
    "Predicting answers",
    "Ten-fold cross-validation on Math-chap2 (1720 students, 30 items, 6 skills) and Math-chap3 (1245, 33, 7): each "
    "answer is predicted from the other answers of the student. COMMAND 0.803 ± 0.008 and 0.775 ± 0.007, fully "
    "connected 0.791 ± 0.007 and 0.765 ± 0.008; COMMAND is better than all five baselines.",
    "The same protocol on four public sets: ECPE, two sets on the subtraction of fractions, and TIMSS 2007.",
    (
        "The Math data are not public. The sets here have items of several skills, the Math sets had one skill per "
        "item; TIMSS has its 15 skills merged into the 3 domains of its framework, because the answers do not "
        "determine more.",
        "PARM estimates mastery with all skills joined, without the weakest edge of each cycle. The chain is in the "
        "order of the Q-matrix.",
    ),
    STUDY,
    show,
    (
        "COMMAND beats the majority everywhere, and models without prerequisites on ECPE, on fraction subtraction "
        "(0.912 against 0.906, p = 0.02; refined 0.909, p = 0.4) and, refined, on TIMSS (p = 0.03). Against the fully "
        "connected model it is better on fraction subtraction only (0.912 against 0.896, p = 0.005), level elsewhere: "
        "with 3 to 5 skills the full graph has few parameters more. The Math sets had 6 and 7 skills.",
        "With mastery under the complete graph, PARM predicts as well as COMMAND on ECPE (0.7511 each); with "
        "independent skills it had no edges there.",
    ),
)
