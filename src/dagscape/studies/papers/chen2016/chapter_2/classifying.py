"""The runs behind tables 2.4 and 2.5 of [chen2016]: networks as classifiers, on the sets of KEEL that can be had."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from dagscape.data.discrete.discretizing import discretize
from dagscape.networks.discrete.network import Network
from dagscape.search.class_structures import naive_bayes_dag, tree_augmented_dag
from dagscape.search.learning import learn
from dagscape.studies.papers.item import RunTask, Scale, Study
from dagscape.studies.papers.keel import KEEL_SETS
from dagscape.studies.papers.sources import table_source

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from dagscape.data.discrete.dataset import Dataset
    from dagscape.graphs.dag import Dag
    from dagscape.studies.papers.sources import Sources

TABLES = {each.name: each.table for each in KEEL_SETS}
TRAINING = 0.6
ESS = 10.0

NAIVE, TAN = "naive", "tan"
# The methods of learn(), with their options.
LEARNED: dict[str, tuple[str, dict[str, Any]]] = {
    "curriculum": ("curriculum", {}),
    "mmhc": ("mmhc", {}),
    "mmhc, sets of curriculum": ("mmhc", {"symmetric": False}),
    "order": ("order", {"max_seconds": 5.0}),
}
METHODS = (NAIVE, TAN, *LEARNED)

SPLITS = 5
# These take longest and have one split, as all sets have in the dissertation.
LARGE = ("adult", "fars", "spambase")


def tasks(scale: Scale) -> Iterator[RunTask]:
    """Iterate over the tasks: each set, split and method."""
    quick = scale == "quick"
    for name in ("balance", "car", "pima") if quick else TABLES:
        for seed in range(1 if quick or name in LARGE else SPLITS):
            for method in METHODS[:-1] if quick else METHODS:
                yield {"set": name, "seed": seed, "method": method}


def needs(task: RunTask) -> tuple[str, ...]:
    """Return the source of the set of a task."""
    return (table_source(TABLES[task["set"]]),)


@lru_cache(maxsize=1)
def complete_rows(sources: Sources, name: str) -> pd.DataFrame:
    """Return a set without the rows that have missing cells, as in KEEL; the class is text, and the last column."""
    import pandas as pd

    path = sources.path(table_source(TABLES[name]))
    frame = pd.read_csv(path, keep_default_na=False, na_values=["?"]).dropna(ignore_index=True)
    target = frame.columns[-1]
    return frame.assign(**{target: "is " + frame[target].astype(str)})


def classify(task: RunTask, sources: Sources) -> dict[str, Any]:
    """Learn from three fifths of the rows: the accuracy on the others, and the mean log-probability of their class."""
    import pandas as pd

    frame = complete_rows(sources, task["set"])
    target = frame.columns[-1]
    rows = np.random.default_rng(task["seed"]).permutation(len(frame))
    size = int(TRAINING * len(frame))
    train, test = frame.iloc[rows[:size]], frame.iloc[rows[size:]]
    data = discretize(train, method="mdl", class_column=target)
    start = time.perf_counter()
    dag = _structure(task["method"], data, target, task["seed"])
    seconds = time.perf_counter() - start
    found = Network.fit(dag, data, prior="k2").predict(_known(test, train, data), target)
    logs = np.log(np.maximum(found.to_numpy(dtype=np.float64), np.finfo(np.float64).tiny))
    right = found.columns.get_indexer(pd.Index(test[target]))
    return {
        "accuracy": float((logs.argmax(axis=1) == right).mean()),
        "cll": float(_own(logs, right).mean()),
        "edges": dag.edge_count,
        "variables": data.n,
        "seconds": seconds,
    }


def _structure(method: str, data: Dataset, target: str, seed: int) -> Dag:
    if method == NAIVE:
        return naive_bayes_dag(data, target)
    if method == TAN:
        return tree_augmented_dag(data, target, np.random.default_rng(seed), 1)
    name, options = LEARNED[method]
    return learn(data, name, seed=seed, ess=ESS, threads=1, **{"settings": "fixed", **options}).network


def _known(test: pd.DataFrame, train: pd.DataFrame, data: Dataset) -> pd.DataFrame:
    """Return rows with missing cells in place of levels that training did not show; these are summed out."""
    cut = {} if data.discretizer is None else data.discretizer.cuts
    known = {name: test[name].where(test[name].isin(train[name])) for name in data.variables if name not in cut}
    return test.assign(**known)


def _own(logs: NDArray[np.float64], right: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the log-probability of the class of each row; of a class that training did not show, as if all were equal.

    Such a class has the number -1.
    """
    own = np.full(len(right), -np.log(logs.shape[1]))
    seen = right >= 0
    own[seen] = logs[seen, right[seen]]
    return own


STUDY = Study("chen2016-classifiers", tasks, classify, needs, minutes=3.0)
