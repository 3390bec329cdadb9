"""The tables of the study of settings: rows of random networks, permuted real tables, and halves of real tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import dagscape as ds
from benchmarks import SHARED

Matrix = NDArray[np.float64]

# Of every ten networks, nine have at most so many variables, and one has 14 to 20.
WIDE = 13
TABLE_KINDS = ("even", "sharp", "weak", "ordered")
MOST_ROWS = 3000
MOST_COLUMNS = 13
INTERVALS = 4


class Simulated(NamedTuple):
    """Rows of a network, with the truth for their variables."""

    data: ds.Dataset
    truth: NDArray[np.bool_]
    compelled: NDArray[np.bool_]
    kind: str


def variables_of(number: int) -> int:
    """The number of variables of a network."""
    rng = np.random.default_rng([27, number])
    return int(rng.integers(6, WIDE + 1) if number % 10 else rng.integers(14, 21))


def simulated(number: int) -> Simulated:
    """The rows of a random network, and its edges; users see only levels that occur, and columns that vary."""
    network, rows, kind = _network(number)
    sampled = network.sample(rows, seed=np.random.default_rng([29, number]))
    data = ds.Dataset.from_frame(sampled.to_frame().astype(str))
    kept = list(data.variables)
    truth = np.array([[network.dag.has_edge(u, v) for v in kept] for u in kept])
    directed = set(network.dag.to_cpdag().directed_edges)
    compelled = np.array([[(u, v) in directed for v in kept] for u in kept])
    return Simulated(data, truth, compelled, kind)


def _network(number: int) -> tuple[ds.Network, int, str]:
    """A random network, a number of rows, and the kind of its tables."""
    rng = np.random.default_rng([28, number])
    kind = TABLE_KINDS[number % len(TABLE_KINDS)]
    n = variables_of(number)
    rows = round(float(np.exp(rng.uniform(np.log(50), np.log(10_000)))))
    most_levels = int(rng.integers(2, 7))
    mean = rng.uniform(0.3, 1.6)
    order = rng.permutation(n)
    names = [f"v{i}" for i in range(n)]
    levels = {name: [str(k) for k in range(rng.integers(2, most_levels + 1))] for name in names}
    edges: list[tuple[str, str]] = []
    tables = {}
    for place, child in enumerate(order):
        count = min(int(rng.poisson(mean)), place, 4)
        parents = sorted(rng.choice(order[:place], count, replace=False).tolist()) if count else []
        edges += [(names[parent], names[child]) for parent in parents]
        states = [len(levels[names[parent]]) for parent in parents]
        tables[names[child]] = _table(kind, len(levels[names[child]]), states, rng)
    return ds.Network(ds.Dag.from_edges(names, edges), levels, tables), rows, kind


def _table(kind: str, size: int, states: Sequence[int], rng: np.random.Generator) -> Matrix:
    """The table of a variable: Dirichlet rows, or a level that rises or falls with those of the parents."""
    if kind != "ordered":
        return rng.dirichlet(np.full(size, {"even": 1.0, "sharp": 0.3, "weak": 4.0}[kind]), size=states)
    place = np.zeros(states)
    for axis, count in enumerate(states):
        slope = rng.choice([-1, 1]) * rng.uniform(0.5, 2.0)
        shape = [1] * len(states)
        shape[axis] = count
        place = place + slope * (np.arange(count).reshape(shape) / max(count - 1, 1) - 0.5)
    middle = (place[..., np.newaxis] + rng.normal(0, 0.3)) * (size - 1) + (size - 1) / 2
    weights = np.exp(-np.abs(np.arange(size) - middle) * rng.uniform(0.7, 2.0)) + 0.02
    table: Matrix = weights / weights.sum(axis=-1, keepdims=True)
    return table


def _cut(frame: pd.DataFrame) -> ds.Dataset:
    """The first columns that vary; numbers are cut into quantiles."""
    few = [column for column in frame if frame[column].nunique() > 1][:MOST_COLUMNS]
    return ds.discretize(frame[few].reset_index(drop=True), bins=INTERVALS)


def _raw(name: str) -> Callable[[], ds.Dataset]:
    return lambda: _cut(pd.read_csv(SHARED / "raw" / f"{name}.csv.gz").drop(columns="rownames").dropna())


def _set(name: str) -> Callable[[], ds.Dataset]:
    def load() -> ds.Dataset:
        path = SHARED / "sets" / f"{name}.csv"
        return _cut(pd.read_csv(path if path.exists() else path.with_suffix(".csv.gz"), na_values="?").dropna())

    return load


def _bundled(name: str) -> Callable[[], ds.Dataset]:
    def load() -> ds.Dataset:
        data = ds.load_dataset(name)
        return data.select(data.variables[:MOST_COLUMNS])

    return load


REAL: dict[str, Callable[[], ds.Dataset]] = {
    **{name: _bundled(name) for name in ("votes", "zoo", "wine", "iris")},
    **{name: _raw(name) for name in ("BEPS", "Chile", "wa_churn", "WVS")},
    **{name: _set(name) for name in ("abalone", "keel_pima", "keel_nursery", "keel_flare", "winequality_red")},
}


def real(name: str) -> pd.DataFrame:
    """At most ``MOST_ROWS`` rows of a real table, as text."""
    frame = REAL[name]().to_frame().astype(str)
    if len(frame) > MOST_ROWS:
        frame = frame.sample(MOST_ROWS, random_state=1).reset_index(drop=True)
    return frame


def permuted(name: str, number: int) -> ds.Dataset:
    """A table each of whose columns was permuted by itself."""
    rng = np.random.default_rng([30, number])
    frame = real(name)
    for column in frame:
        frame[column] = rng.permutation(frame[column].to_numpy())
    return ds.Dataset.from_frame(frame, missing="level")


def half(name: str, number: int) -> ds.Dataset:
    """One half of a table; an even number and the next one are the two halves of the same split."""
    rng = np.random.default_rng([31, number // 2])
    frame = real(name)
    order = rng.permutation(len(frame))
    first = order[: len(frame) // 2] if number % 2 == 0 else order[len(frame) // 2 :]
    levels = {column: sorted(set(frame[column])) for column in frame}
    rows = frame.iloc[first].reset_index(drop=True)
    return ds.Dataset.from_frame(rows, levels=levels, keep_constant=True, missing="level")
