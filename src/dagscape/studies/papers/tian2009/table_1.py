"""Table 1 of [tian2009]: the time of the posterior probabilities of all edges."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dagscape.studies.papers.item import Item, PaperTable, Part
from dagscape.studies.papers.measuring import records
from dagscape.studies.papers.tian2009.runs import DIFFERS, DOES, LIMITS, PAPER, STUDY

if TYPE_CHECKING:
    import pandas as pd

# Seconds of the local scores, of the paper's program and of REBEL, both with the local scores.
PRINTED = {
    ("Iris", 4): (2.2e-3, 3.5e-3, 3.1e-3),
    ("TicTacToe", 4): (0.47, 0.62, 0.51),
    ("TicTacToe", 5): (0.91, 1.1, 0.94),
    ("TicTacToe", 6): (1.3, 1.5, 1.4),
    ("TicTacToe", 9): (1.7, 1.9, 1.7),
    ("Zoo", 4): (1.4, 602.3, 13.4),
    ("Zoo", 5): (4.4, 607.0, 19.2),
    ("Zoo", 6): (11.5, 610.6, 28.7),
    ("Synthetic", 4): (9.2, 23083, 128.3),
}


def show(frame: pd.DataFrame) -> Iterator[Part]:
    """Return the seconds of scoring and of both sums, beside those of the paper."""
    runs = {(run["data"], run["max_parents"], run["over"]): run for run in records(frame)}
    rows = []
    for name, limits in LIMITS.items():
        for limit in limits:
            if (name, limit, "dags") in runs:
                dags, orders = runs[name, limit, "dags"], runs[name, limit, "orders"]
                here = (dags["scoring"], dags["total"], orders["total"])
                rows.append((name, dags["n"], dags["m"], limit, *here, *PRINTED[name, limit]))
    headers = ("data", "n", "m", "parents", "scores, s", "DAGs, s", "orders, s")
    yield PaperTable.of(
        "Seconds of the local scores alone, and of scores and sum: over DAGs and over orders (REBEL in the paper).",
        (*headers, "paper: scores, s", "paper: DAGs, s", "paper: REBEL, s"),
        rows,
    )


ITEM = Item(
    PAPER,
    "Table 1",
    "The speed of the sum over DAGs and of REBEL",
    "The probabilities of all edges of three UCI tables and of synthetic data that come with REBEL, BDeu with ess 1; "
    "one processor of 3 GHz.",
    DOES + " Seconds of the processor, one thread. The sum over DAGs also gives all ancestor relations.",
    (*DIFFERS, "The machine: compare how times grow."),
    STUDY,
    show,
    (
        "As in the paper, a limit on parents hardly changes the time of the sum over DAGs, apart from the scores: with "
        "4 to 6 parents, 0.084 to 0.087 seconds on Zoo here, and 600 to 603 there. The sum over orders is faster on "
        "all data.",
    ),
)
