"""The tables of the study of mixed scores: networks of discrete and measured variables, and real tables."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks import SHARED

# How a discrete variable comes about, and what the numbers look like.
KINDS = ("conditional", "threshold", "logistic", "skewed")

# Real tables, and the columns of numbers that are categories.
CATEGORIES: dict[str, tuple[str, ...]] = {
    "abalone": (),
    "auto_mpg": ("cylinders", "origin"),
    "credit_approval": (),
    "south_german_credit": ("status", "credit_history", "purpose", "savings", "employment_duration", "housing"),
    "student_performance": ("Medu", "Fedu", "traveltime", "studytime", "failures"),
    "algerian_forest_fires": ("month",),
}
# Of the wide ones, the columns that are used.
COLUMNS = {
    "credit_approval": ["A2", "A3", "A4", "A6", "A8", "A9", "A10", "A11", "A15", "A16"],
    "south_german_credit": [*CATEGORIES["south_german_credit"], "duration", "amount", "age", "credit_risk"],
    "student_performance": ["sex", "age", *CATEGORIES["student_performance"][:4], "absences", "G1", "G2", "G3"],
}
LEFT_OUT = {"algerian_forest_fires": ["year", "day"]}


class Mixed(NamedTuple):
    """A table, and which pairs of its columns are adjacent."""

    frame: pd.DataFrame
    truth: NDArray[np.bool_]


def simulated(kind: str, n: int, m: int, seed: int) -> Mixed:
    """Rows of a random network, half of whose variables are discrete; every level and column occurs.

    conditional
        Discrete variables have discrete parents only, and measured ones a regression for each state of theirs.
    threshold
        A linear network of normal variables, half of which are seen in two to four grades.
    logistic
        A level depends on all parents by a softmax, and a number on all parents by a regression.
    skewed
        As logistic, but of the measured variables the exponentials are seen.
    """
    rng = np.random.default_rng([41, KINDS.index(kind), n, m, seed])
    while True:
        frame, edges = _rows(kind, n, m, rng)
        if (frame.nunique() > 1).all():
            order = rng.permutation(n)
            truth = (edges | edges.T)[np.ix_(order, order)]
            return Mixed(frame.iloc[:, order].set_axis([f"v{i}" for i in range(n)], axis=1), truth)


def _rows(kind: str, n: int, m: int, rng: np.random.Generator) -> tuple[pd.DataFrame, NDArray[np.bool_]]:
    """A table in a causal order, and the matrix of its edges."""
    discrete = rng.permutation(n) < n // 2
    edges = np.triu(rng.random((n, n)) < 2.0 / (n - 1), 1)
    if kind == "conditional":
        edges[np.ix_(~discrete, discrete)] = False
    # What a variable looks like to its children: a number for each row.
    signals = np.zeros((m, n))
    columns: dict[str, object] = {}
    for child in range(n):
        parents = np.flatnonzero(edges[:, child])
        weights = rng.uniform(0.4, 1.2, len(parents)) * rng.choice([-1, 1], len(parents))
        effect = signals[:, parents] @ weights
        levels = int(rng.integers(2, 5))
        if kind == "threshold":
            number = effect + rng.normal(size=m)
            signals[:, child] = number
            if discrete[child]:
                cuts = np.quantile(number, np.sort(rng.uniform(0.1, 0.9, levels - 1)))
                columns[str(child)] = np.char.add("g", np.searchsorted(cuts, number).astype(str))
            else:
                columns[str(child)] = number
        elif discrete[child]:
            tendency = rng.normal(0, 0.4, levels) + 1.5 * np.outer(effect, np.linspace(-1, 1, levels))
            code = (tendency + rng.gumbel(size=(m, levels))).argmax(axis=1)
            signals[:, child] = rng.permutation(np.linspace(-1.2, 1.2, levels))[code]
            columns[str(child)] = np.char.add("g", code.astype(str))
        else:
            if kind == "conditional" and discrete[parents].any():
                # In each state of a discrete parent, the slopes of the others differ.
                switch = signals[:, parents[discrete[parents]][0]] > 0
                effect = np.where(
                    switch, effect, signals[:, parents] @ (weights * np.where(discrete[parents], 1, -0.3))
                )
            signals[:, child] = effect + rng.normal(size=m)
            columns[str(child)] = np.exp(signals[:, child]) if kind == "skewed" else signals[:, child]
    return pd.DataFrame(columns), edges


def real(name: str) -> pd.DataFrame:
    """Complete rows of a real table, without constant columns; categories are text, other numbers stay numbers."""
    path = SHARED / "continuous" / f"mixed_{name}.txt.gz"
    frame = pd.read_csv(path, sep="\t", na_values=["?", "*"]).drop(columns=LEFT_OUT.get(name, []))
    frame = frame.dropna().reset_index(drop=True)
    for column in (*CATEGORIES[name], "credit_risk"):
        if column in frame:
            frame[column] = frame[column].astype(str)
    return frame[COLUMNS.get(name, list(frame))]


def permuted(name: str, number: int) -> pd.DataFrame:
    """A real table each of whose columns was permuted by itself."""
    rng = np.random.default_rng([42, number])
    frame = real(name)
    return frame.apply(lambda column: rng.permutation(column.to_numpy()))


def halves(name: str, number: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The two halves of a real table at random."""
    frame = real(name)
    order = np.random.default_rng([43, number]).permutation(len(frame))
    parts = order[: len(frame) // 2], order[len(frame) // 2 :]
    first, second = (frame.iloc[part].reset_index(drop=True) for part in parts)
    return first, second
