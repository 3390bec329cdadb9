"""The sums behind the table and the figures of [tian2009]: over DAGs, as the paper, and over orders, as REBEL."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dagscape.sampling.exact_posterior import exact_posterior
from dagscape.scores.scoring import local_scores
from dagscape.studies.papers.item import RunTask, Scale, Study
from dagscape.studies.papers.measuring import best_of
from dagscape.studies.papers.synthetic import binary_rows

if TYPE_CHECKING:
    import pandas as pd

    from dagscape.data.discrete.dataset import Dataset
    from dagscape.studies.papers.sources import Sources

PAPER = "tian2009"

# The data sets by their names in the paper, and their limits on parents in table 1.
LIMITS = {"Iris": (4,), "TicTacToe": (4, 5, 6, 9), "Zoo": (4, 5, 6), "Synthetic": (4,)}
_TABLES = {"Iris": "builtin:iris", "TicTacToe": "builtin:tic-tac-toe", "Zoo": "builtin:zoo"}

# Figure 4 has more limits on parents.
SCATTERED = (1, 2, 3, 4)

# A sum over orders has the prior of REBEL: all numbers of parents are equally probable.
PRIORS = {"dags": "uniform", "orders": "per-size"}

DOES = (
    "The same score, priors and limits on parents. REBEL's part is played by the sum over orders here, with its prior "
    "(all numbers of parents equally probable, then all parent sets of a size)."
)
DIFFERS = (
    "The synthetic data that come with REBEL are not at hand: 500 rows of a random network of 20 binary variables.",
    "How Iris was cut into intervals is not said; here by Fayyad and Irani's method.",
    "Levels: those that occur, which are all published levels of these tables.",
)


def data_of(task: RunTask, sources: Sources) -> Dataset:
    """Return the data of a task."""
    name = task["data"]
    return sources.table(_TABLES[name]) if name in _TABLES else binary_rows(task["variables"])


def tasks(scale: Scale) -> Iterator[RunTask]:
    """Iterate over data sets, limits on parents and what is summed over."""
    quick = scale == "quick"
    for name, limits in LIMITS.items():
        wanted = {*limits, *(SCATTERED if name == "TicTacToe" else ())}
        size = {"variables": 10 if quick else 20} if name == "Synthetic" else {}
        for over in PRIORS if name != "Zoo" or not quick else ():
            for limit in sorted(wanted):
                yield {"data": name, "max_parents": limit, "over": over, **size}


def sum_once(task: RunTask, sources: Sources) -> dict[str, Any]:
    """Score and sum: the seconds of both, and the probabilities of all edges."""
    data, over = data_of(task, sources), task["over"]
    options = {"max_parents": task["max_parents"], "structure_prior": PRIORS[over], "threads": 1}
    scoring, scores = best_of(3, lambda: local_scores(data, **options))
    summing, found = best_of(3 if scores.n < 20 else 1, lambda: exact_posterior(scores, over, backend="cpu", threads=1))
    return {"n": data.n, "m": data.m, "scoring": scoring, "total": scoring + summing, "edges": found.edges.tolist()}


STUDY = Study("tian2009", tasks, sum_once, alone=True, minutes=0.1)


def edges_of(frame: pd.DataFrame, data: str, max_parents: int, over: str = "dags") -> NDArray[np.float64]:
    """Return the probabilities of a run."""
    chosen = (frame["data"] == data) & (frame["max_parents"] == max_parents) & (frame["over"] == over)
    return np.array(frame.loc[chosen, "edges"].item(), dtype=np.float64)
