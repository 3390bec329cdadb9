"""Table 2.4 of [chen2016]: the data sets of the experiments on classification."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from dagscape.studies.papers.chen2016.chapter_2.classifying import TABLES, TRAINING, complete_rows, needs
from dagscape.studies.papers.chen2016.chapter_2.runs import PAPER
from dagscape.studies.papers.item import Item, PaperTable, Part, RunTask, Scale, Study

if TYPE_CHECKING:
    import pandas as pd

    from dagscape.studies.papers.sources import Sources

# Variables without the class, classes, training rows.
PRINTED = {
    "abalone": (8, 28, 2504), "adult": (14, 2, 27133), "banana": (2, 2, 3180), "chess": (36, 2, 1917),
    "connect-4": (42, 3, 40534), "fars": (29, 8, 60580), "kddcup": (41, 23, 296412), "kr-vs-k": (6, 18, 16833),
    "magic": (10, 2, 11412), "titanic": (3, 2, 1320), "mushroom": (22, 2, 3386), "nursery": (8, 5, 7776),
    "phoneme": (5, 2, 3242), "ring": (20, 2, 4440), "segment": (19, 7, 1386), "spambase": (57, 2, 2758),
    "splice": (60, 3, 1914), "twonorm": (20, 2, 4440), "winequality-white": (11, 11, 2938), "balance": (4, 3, 375),
    "car": (6, 4, 1036), "flare": (11, 6, 639), "led7digit": (7, 10, 300), "pima": (8, 2, 460),
    "tic-tac-toe": (9, 2, 574), "wdbc": (30, 2, 341), "winequality-red": (11, 11, 959), "yeast": (8, 10, 890),
}  # fmt: skip


def tasks(scale: Scale) -> Iterator[RunTask]:
    """Iterate over the sets."""
    for name in ("balance", "car") if scale == "quick" else TABLES:
        yield {"set": name}


def describe(task: RunTask, sources: Sources) -> dict[str, Any]:
    """Return the row of a set."""
    frame = complete_rows(sources, task["set"])
    classes = int(frame.iloc[:, -1].nunique())
    return {"variables": frame.shape[1] - 1, "classes": classes, "training": int(TRAINING * len(frame))}


def show(frame: pd.DataFrame) -> Iterator[Part]:
    """Return ours beside the paper's."""
    ours = {run["set"]: (run["variables"], run["classes"], run["training"]) for run in frame.to_dict("records")}
    rows = [(name, *ours.get(name, (None, None, None)), *printed) for name, printed in PRINTED.items()]
    columns = ("variables", "classes", "training rows")
    headers = ("set", *(f"here: {name}" for name in columns), *(f"paper: {name}" for name in columns))
    yield PaperTable.of("The sets; an empty row is a set that is not at hand.", headers, rows)


STUDY = Study("chen2016-sets", tasks, describe, needs, minutes=0.1)

ITEM = Item(
    PAPER,
    "Table 2.4",
    "Data sets used in the experiments on classification",
    "28 sets of the KEEL repository, three fifths of the rows for training.",
    "The same statistics of the 26 sets that can be had; `python -m dagscape.studies.papers.keel` converts them.",
    (
        "Connect-4 and kddcup are missing: only two-class extracts of kddcup are published where the others are.",
        "Abalone has the 4177 rows of UCI, not the 4174 of KEEL.",
        "Classes are those that occur. KEEL declares 11 classes of wine, of which 6 and 7 occur.",
    ),
    STUDY,
    show,
    ("All numbers of the 26 sets are those of the dissertation, except the rows of abalone and the classes of wine.",),
)
