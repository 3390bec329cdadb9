"""The lists behind the table and the figures of [chen2019]: the k best DAGs, and modes with several δ.

Three ways of scoring tell apart what may explain differences of numbers from the paper's:

- ``"exact"``: scores as here, in which equivalent networks tie exactly, and levels as the network declares them;
- ``"rounding"``: each local score has an error of 1e-9, so that ties are broken at random. The paper does not say how
  it compares scores; with floating-point numbers, equivalent networks differ by rounding;
- ``"observed"``: levels are those that occur in the rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dagscape.best.k_best import k_best
from dagscape.data.discrete.dataset import Dataset
from dagscape.ensembles.list_curves import ListCurve, list_curves
from dagscape.graphs.dag import Dag
from dagscape.modes.mode_orderings import modes
from dagscape.scores.scoring import local_scores
from dagscape.scores.tables.enumerable_scores import EnumerableScores
from dagscape.scores.tables.family_table import FamilyTable
from dagscape.studies.papers.item import RunTask, Scale, Study
from dagscape.studies.papers.measuring import sample
from dagscape.studies.papers.sources import network_source

if TYPE_CHECKING:
    import pandas as pd

    from dagscape.studies.papers.sources import Sources

PAPER = "chen2019"

DELTAS = (0, 1, 3, 5)
ROWS = (10, 100, 1000)
LENGTH = 20
BEST = "k best"
LISTS = (BEST, *(f"δ = {delta}" for delta in DELTAS))

# Child* of the paper has five leaves of Child less, without their names; these are the first five.
_DROPPED = ("LVHreport", "LowerBodyO2", "RUQO2", "CO2Report", "XrayReport")

# The networks by their names in the paper: the source, and the variables that are left out.
NETWORKS: dict[str, tuple[str, tuple[str, ...]]] = {
    "Survey": ("survey", ()),
    "Asia": ("builtin:asia", ()),
    "Sachs": ("sachs", ()),
    "Child*": ("child", _DROPPED),
    "Child": ("child", ()),
}

# How scores are compared, and what levels are; only Sachs has all of them, and more data sets.
SCORINGS = ("exact", "rounding", "observed")
SAMPLES, SAMPLES_OF_SACHS = 10, 30
_ERROR = 1e-9

DOES = (
    "The same networks, sizes, score (BDeu, equivalent sample size 1, uniform prior) and values of δ, with new data "
    "sets."
)
DIFFERS = (
    "The data sets are drawn anew, with seeds from 0; on Sachs there are thirty of each size instead of ten.",
    "Ties between equivalent networks are exact here, and go to the smallest ordering; the paper says the same of "
    "equal scores, but not how scores are computed.",
    "Levels are those that the network declares.",
    "Where a list has fewer networks than asked for, its last value is repeated.",
)


def tasks(scale: Scale) -> Iterator[RunTask]:
    """Iterate over networks, sizes, data sets and ways of scoring."""
    quick = scale == "quick"
    for network in ("Asia", "Sachs") if quick else NETWORKS:
        of_sachs = network == "Sachs"
        for rows in ROWS[:2] if quick else ROWS:
            for seed in range(2 if quick else SAMPLES_OF_SACHS if of_sachs else SAMPLES):
                for scoring in SCORINGS if of_sachs else SCORINGS[:1]:
                    yield {"network": network, "rows": rows, "seed": seed, "scoring": scoring}


def needs(task: RunTask) -> tuple[str, ...]:
    """Return the source of the network of a task."""
    return (network_source(NETWORKS[task["network"]][0]),)


def find_lists(task: RunTask, sources: Sources) -> dict[str, Any]:
    """Find the lists of one data set: their curves, and those with one network of each class."""
    source, dropped = NETWORKS[task["network"]]
    data = sample(sources, source, task["rows"], task["seed"])
    kept = tuple(name for name in data.variables if name not in dropped)
    scores = _scores(data.select(kept), task["scoring"], task["seed"])
    truth = sources.network(source).dag.subgraph(kept)
    found: dict[str, Any] = {"lists": _curves(scores, truth, "network")}
    if task["network"] == "Sachs" and task["scoring"] == "exact":
        found["distinct"] = _curves(scores, truth, "class")
    return found


def _scores(data: Dataset, scoring: str, seed: int) -> EnumerableScores:
    if scoring == "observed":
        cells = data.to_frame().astype(str).to_numpy(dtype=object)
        data = Dataset.from_array(cells, list(data.variables), keep_constant=True)
    scores = local_scores(data, threads=1)
    if scoring != "rounding":
        return scores
    rng = np.random.default_rng(seed)
    return FamilyTable(
        {
            child: {family.parents: family.score + _ERROR * rng.standard_normal() for family in scores.families(child)}
            for child in scores.variables
        },
        complete=True,
    )


def _curves(scores: EnumerableScores, truth: Dag, distinct: str) -> dict[str, dict[str, Sequence[float]]]:
    found: dict[str, Any] = {BEST: k_best(scores, LENGTH, "dags" if distinct == "network" else "classes", threads=1)}
    for delta in DELTAS:
        found[f"δ = {delta}"] = modes(scores, LENGTH, delta, distinct=distinct, threads=1)
    return {curve.name: _values(curve) for curve in list_curves(found, truth, level="classes")}


def _values(curve: ListCurve) -> dict[str, Sequence[float]]:
    return {"diversity": curve.diversity, "classes": curve.classes, "distance": curve.distance or ()}


STUDY = Study("chen2019", tasks, find_lists, needs, minutes=1.5)


def chosen(frame: pd.DataFrame, network: str, rows: int, scoring: str = "exact") -> pd.DataFrame:
    """Return the runs of one network, size and way of scoring."""
    return frame[(frame["network"] == network) & (frame["rows"] == rows) & (frame["scoring"] == scoring)]


def averaged(runs: Iterable[dict[str, dict[str, Sequence[float]]]], measure: str) -> dict[str, NDArray[np.float64]]:
    """Return the average curve of each list over LENGTH networks; shorter lists repeat their last value."""
    lists = list(runs)
    return {
        name: np.mean([[each[name][measure][min(i, len(each[name][measure]) - 1)] for i in range(LENGTH)]
                       for each in lists], axis=0)
        for name in LISTS
    }  # fmt: skip
