"""BDs [scutari2016]_: BDeu whose equivalent sample size is shared by the parent configurations that occur.

With q' configurations of the parents that some row has, and r levels of the variable, every cell of these has the
parameter ess / (r q'), and the others have none. Equivalent networks have different scores, so this is no score of the
package; it is here for comparison, in plain NumPy.
"""

from __future__ import annotations

import itertools
import tempfile
from math import lgamma
from pathlib import Path

import numpy as np

import dagscape as ds


def bds_scores(data: ds.Dataset, ess: float, penalty: float = 0.0) -> ds.LocalScores:
    """The scores of all families, less a penalty for each parent."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "scores.jkl")
        path.write_text(_document(data, ess, penalty), encoding="utf-8")
        return ds.read_scores(path)


def _document(data: ds.Dataset, ess: float, penalty: float) -> str:
    lines = [str(data.n)]
    for child in range(data.n):
        others = [v for v in range(data.n) if v != child]
        sets = [each for size in range(data.n) for each in itertools.combinations(others, size)]
        lines.append(f"v{child} {len(sets)}")
        for parents in sets:
            score = family_score(data, child, parents, ess) - penalty * len(parents)
            lines.append(" ".join([f"{score:.10f}", str(len(parents)), *(f"v{p}" for p in parents)]))
    return "\n".join(lines) + "\n"


def family_score(data: ds.Dataset, child: int, parents: tuple[int, ...], ess: float) -> float:
    """The logarithm of the marginal likelihood of a family."""
    codes, weights, size = data.codes, data.weights, int(data.arities[child])
    keys = np.zeros(len(codes), np.int64)
    for parent in parents:
        keys = keys * int(data.arities[parent]) + codes[:, parent]
    states, place = np.unique(keys, return_inverse=True)
    counts = np.zeros((len(states), size))
    np.add.at(counts, (place, codes[:, child]), weights)
    cell = ess / (size * len(states))
    positive = counts[counts > 0]
    of_cells = sum(lgamma(cell + count) for count in positive.tolist()) - len(positive) * lgamma(cell)
    of_rows = sum(lgamma(size * cell + count) for count in counts.sum(axis=1).tolist())
    return of_cells - of_rows + len(states) * lgamma(size * cell)
