"""The sums behind table 5.1 and figure 5.5 of [chen2016]: ancestor relations over DAGs and over orders."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from dagscape.data.discrete.dataset import Dataset
from dagscape.sampling.exact_posterior import exact_posterior
from dagscape.scores.scoring import local_scores
from dagscape.studies.papers.item import RunTask, Scale, Study
from dagscape.studies.papers.measuring import best_of
from dagscape.studies.papers.sources import table_source

if TYPE_CHECKING:
    from dagscape.studies.papers.sources import Sources

PAPER = "chen2016"
CYTOMETRY = "sachs_interventional"

# The data sets of table 5.1, and how many of their variables; None is all.
DATA = {
    "Weather": None,
    "Iris": None,
    "Asia": None,
    "Tic-Tac-Toe": None,
    "CYTO": None,
    "Wine-11": 11,
    "Wine-12": 12,
    "Wine-13": 13,
    "Wine": None,
}
# Those that are summed over orders, too.
COMPARED = ("Asia", "Tic-Tac-Toe", "CYTO", "Wine")
_QUICK = ("Weather", "Iris", "Asia")

# Saturday mornings, from [quinlan1986]: outlook, temperature, humidity, wind, and whether to play.
_WEATHER = """\
sunny hot high weak no; sunny hot high strong no; overcast hot high weak yes; rain mild high weak yes;
rain cool normal weak yes; rain cool normal strong no; overcast cool normal strong yes; sunny mild high weak no;
sunny cool normal weak yes; rain mild normal weak yes; sunny mild normal strong yes; overcast mild high strong yes;
overcast hot normal weak yes; rain mild high strong no"""

DIFFERS = (
    "The sample of Asia is new; how Iris and Wine were cut into intervals, and which variables Wine-11 to Wine-13 "
    "have, is not said: here Fayyad and Irani's method, and the first variables.",
    "Levels: those that occur, which are all published ones; the sample of Asia has all levels of the network.",
)


def weather() -> Dataset:
    """Return the fourteen rows of the weather data."""
    rows = [row.split() for row in _WEATHER.replace("\n", " ").split("; ")]
    return Dataset.from_array(rows, ["outlook", "temperature", "humidity", "wind", "play"])


def data_of(name: str, sources: Sources) -> Dataset:
    """Return the data of a name."""
    if name == "Weather":
        return weather()
    if name == "Asia":
        return sources.network("builtin:asia").sample(500, seed=0)
    if name == "CYTO":
        return sources.table(CYTOMETRY, interventions="INT")
    table = sources.table(f"builtin:{name.split('-1')[0].lower()}")
    return table.select(table.variables[: DATA[name]])


def tasks(scale: Scale) -> Iterator[RunTask]:
    """Iterate over data sets, and what is summed over."""
    for name in _QUICK if scale == "quick" else DATA:
        for over in ("dags", "orders") if name in COMPARED else ("dags",):
            yield {"data": name, "over": over}


def needs(task: RunTask) -> tuple[str, ...]:
    """Return the source of the data of a task."""
    return (table_source(CYTOMETRY),) if task["data"] == "CYTO" else ()


def sum_ancestors(task: RunTask, sources: Sources) -> dict[str, Any]:
    """Score and sum: the seconds of both, and the probabilities of all ancestor relations."""
    data = data_of(task["data"], sources)
    scoring, scores = best_of(3, lambda: local_scores(data, threads=1))
    summing, found = best_of(3, lambda: exact_posterior(scores, task["over"], ancestors=True, backend="cpu", threads=1))
    assert found.ancestors is not None
    ancestors = found.ancestors.tolist()
    return {"n": data.n, "m": data.m, "scoring": scoring, "total": scoring + summing, "ancestors": ancestors}


STUDY = Study("ancestors", tasks, sum_ancestors, needs, alone=True, minutes=0.1)
