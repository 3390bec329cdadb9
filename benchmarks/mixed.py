"""Scores of tables with discrete and measured columns: which to take, and what cutting the numbers loses.

python -m benchmarks.mixed [simulated] [permuted] [halves] [heldout] [--write]

The same tables are read in several ways: as they are, with a score of mixed columns; or with the measured columns cut
into intervals. All posteriors average over the settings that are the default of ``posterior``.

* *simulated*: random networks (``benchmarks/mixed_tables.py``), half of whose variables are discrete. The log loss of
  adjacencies, false ones above 0.5, and true ones below.
* *permuted*: real tables in which each column is permuted by itself. Every edge is false.
* *halves*: the rows of real tables, divided in two at random: the log loss of each half, judged by the other.
* *heldout*: networks learned and fitted from half of the rows; the log density of the others. Where numbers are cut,
  the density is that of a uniform distribution in each interval.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd

import dagscape as ds
from benchmarks.mixed_tables import CATEGORIES, KINDS, halves, permuted, simulated
from benchmarks.pages import Page, words
from dagscape.data.discrete.interval_widths import log_density

PAGE = Page("mixed")
VARIABLES, NETWORKS, ROWS = 6, 15, (100, 400, 1600)
PERMUTATIONS, SPLITS = 10, 5
MIXED_SCORES = ("cg", "dg-bge", "dg", "bic-cg")

# Adjacencies of a table, or None if a score refuses it.
Reader = Callable[[pd.DataFrame], np.ndarray | None]


def measured_columns(frame: pd.DataFrame) -> list[str]:
    """The columns of numbers."""
    return [column for column in frame if pd.api.types.is_numeric_dtype(frame[column])]


def as_mixed(frame: pd.DataFrame) -> Any:
    """The table with numbers as numbers, whatever they look like."""
    return ds.MixedData.from_frame(frame, numeric=measured_columns(frame), keep_constant=True)


def with_score(score: str) -> Reader:
    """Adjacencies of the table as it is; None if columns are linearly dependent."""

    def read(frame: pd.DataFrame) -> np.ndarray | None:
        try:
            return ds.posterior(as_mixed(frame), score=score, threads=1).adjacencies
        except ds.InvalidData:
            return None

    return read


def with_cuts(*intervals: int) -> Reader:
    """Adjacencies of the table with its numbers cut into so many quantiles; the mean of several ways."""

    def read(frame: pd.DataFrame) -> np.ndarray:
        cut = [
            ds.discretize(frame, bins=bins, columns=measured_columns(frame), keep_constant=True) for bins in intervals
        ]
        return np.mean([ds.posterior(data, threads=1).adjacencies for data in cut], axis=0)

    return read


READERS: dict[str, Reader] = {
    **{score: with_score(score) for score in MIXED_SCORES},
    "bdeu, 3 quantiles": with_cuts(3),
    "bdeu, 2 to 5 quantiles": with_cuts(2, 3, 4, 5),
}


def pairs(adjacent: np.ndarray) -> np.ndarray:
    """The entries above the diagonal."""
    return adjacent[np.triu_indices(len(adjacent), 1)]


def loss(stated: np.ndarray, there: np.ndarray) -> float:
    """The mean log loss of probabilities, kept 1/2000 away from 0 and 1; the truth may be a probability, too."""
    kept = np.clip(stated, 1 / 2000, 1 - 1 / 2000)
    return float(-(there * np.log(kept) + (1 - there) * np.log(1 - kept)).mean())


def show_simulated() -> None:
    measured = []
    for kind, m, seed in itertools.product(KINDS, ROWS, range(NETWORKS)):
        table = simulated(kind, VARIABLES, m, seed)
        there = pairs(table.truth).astype(float)
        for name, reader in READERS.items():
            adjacent = reader(table.frame)
            assert adjacent is not None
            stated = pairs(adjacent)
            false, missing = ((stated > 0.5) & (there == 0)).sum(), ((stated < 0.5) & (there == 1)).sum()
            measured.append((name, kind, m, loss(stated, there), false, missing))
    frame = pd.DataFrame(measured, columns=["score", "kind", "rows", "loss", "false", "missing"])
    whole = frame.groupby("score")[["loss", "false", "missing"]].mean().sort_values("loss")
    by_kind = frame.pivot_table(index="score", columns=["kind", "rows"], values="loss").loc[whole.index]
    PAGE.table(
        "simulated",
        f"Log loss of adjacencies, per pair of {VARIABLES} variables, half of them discrete; false adjacencies above "
        f"0.5 and true ones below it, per table: {len(KINDS) * len(ROWS) * NETWORKS} tables.",
        ["score", "log loss", "false", "missing"],
        [(name, *map(float, row)) for name, row in zip(whole.index, whole.to_numpy(), strict=True)],
    )
    PAGE.table(
        "kinds",
        f"The log loss by kind of table and number of rows, means of {NETWORKS} tables.",
        ["score", *(f"{kind}, {m}" for kind, m in by_kind.columns)],
        [(name, *map(float, row)) for name, row in zip(by_kind.index, by_kind.to_numpy(), strict=True)],
    )


def show_permuted() -> None:
    rows = []
    for name, reader in READERS.items():
        tables = itertools.product(CATEGORIES, range(PERMUTATIONS))
        stated = [pairs(found) for table in tables if (found := reader(permuted(*table))) is not None]
        every = np.concatenate(stated)
        shares = [f"{(every > bound).mean():.3%}" for bound in (0.5, 0.9)]
        rows.append([name, len(stated), len(every), *shares, f"{every.mean():.5f}"])
    PAGE.table(
        "permuted",
        "Real tables with permuted columns, where every pair is false: the share of pairs above 0.5 and 0.9, and the "
        "mean probability. Tables that a score refuses are left out.",
        ["score", "tables", "pairs", "above 0.5", "above 0.9", "mean"],
        rows,
    )


def show_halves() -> None:
    rows = []
    for name, reader in READERS.items():
        losses, apart, sure, confirmed = [], 0, 0, 0
        for table, number in itertools.product(CATEGORIES, range(SPLITS)):
            both = [found for part in halves(table, number) if (found := reader(part)) is not None]
            if len(both) < 2:
                continue
            first, second = map(pairs, both)
            losses.append((loss(first, second) + loss(second, first)) / 2)
            apart += int((np.abs(first - second) > 0.8).sum())
            for one, other in ((first, second), (second, first)):
                sure += int((one > 0.9).sum())
                confirmed += int(((one > 0.9) & (other > 0.5)).sum())
        rows.append([name, len(losses), f"{np.mean(losses):.4f}", apart, sure, f"{confirmed / max(sure, 1):.1%}"])
    PAGE.table(
        "halves",
        "Halves of real tables: the log loss of the probabilities of one half, judged by those of the other; pairs "
        "that differ by more than 0.8; pairs above 0.9 in one half, and the share of these above 0.5 in the other. "
        "Tables that a score refuses are left out.",
        ["score", "splits", "log loss", "apart", "above 0.9", "confirmed"],
        rows,
    )


def densities(first: pd.DataFrame, second: pd.DataFrame) -> Iterator[tuple[str, float]]:
    """The mean log density of new rows by networks that were learned with each score, and with numbers cut."""
    whole = as_mixed(pd.concat([first, second], ignore_index=True))
    levels = {name: whole.levels[name] for name in whole.discrete}
    known = {"numeric": list(whole.measured), "levels": levels, "keep_constant": True}
    old, new = (ds.MixedData.from_frame(part, **known) for part in (first, second))
    for score in ("cg", "bic-cg"):
        dag = ds.learn(old, score=score, seed=0).network
        yield score, ds.ConditionalGaussianNetwork.fit(dag, old).log_likelihood(new) / new.m
    for bins in (3, 5):
        cutter = ds.Discretizer(bins=bins, columns=list(whole.measured)).fit(first[list(whole.measured)])
        cut_old, cut_new = (
            ds.Dataset.from_frame(
                part.assign(**cutter.transform(part[list(whole.measured)])),
                levels=levels | {name: _intervals(cutter, name) for name in whole.measured},
                keep_constant=True,
            )
            for part in (first, second)
        )
        widths = log_density(cutter.apply(second[list(whole.measured)]))
        dag = ds.learn(cut_old, seed=0).network
        yield f"bdeu, {bins} quantiles", (ds.Network.fit(dag, cut_old).log_likelihood(cut_new) + widths) / new.m


def _intervals(cutter: ds.Discretizer, name: str) -> list[str]:
    """The labels of the intervals of a column."""
    return list(cutter.fitted[name].levels)


def show_heldout() -> None:
    found: dict[str, dict[str, list[float]]] = {}
    for table, number in itertools.product(CATEGORIES, range(SPLITS)):
        for name, density in densities(*halves(table, number)):
            found.setdefault(table, {}).setdefault(name, []).append(density)
    names = list(next(iter(found.values())))
    PAGE.table(
        "heldout",
        f"The log density of a row that was not used, in nats: the mean of {SPLITS} splits.",
        ["table", *names],
        [[table, *(float(np.mean(each[name])) for name in names)] for table, each in found.items()],
    )


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    parts = {"simulated": show_simulated, "permuted": show_permuted, "halves": show_halves, "heldout": show_heldout}
    for word in words() or parts:
        parts[word]()
