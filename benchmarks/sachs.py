"""Sachs' 853 observational rows under BGe: exact answers beside published estimates.

python -m benchmarks.sachs [--write]

Deleu et al. (2022) compare samplers of DAGs on these rows by the expected number of edges, the expected structural
Hamming distance to the consensus network (17 edges) and the area under the ROC curve of the edges. Here all three are
exact. The program that they publish takes the truth in the order of the variables of pgmpy's example network, and the
rows in the order of the columns of bnlearn's file, which is another. So both are shown: truth and data in one order,
and each in its own.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import rankdata

import dagscape as ds
from benchmarks import SHARED
from benchmarks.inputs import network
from benchmarks.pages import Page

PAGE = Page("gaussian")

# The columns of bnlearn's file; pgmpy's network has the variables in alphabetical order.
FILE_ORDER = ("Raf", "Mek", "Plcg", "PIP2", "PIP3", "Erk", "Akt", "PKA", "PKC", "P38", "Jnk")

SCORES = (("bge", {}), ("bge", {"nu": 0}), ("bic-g", {}))
PRIORS = ("uniform", "per-size")

Matrix = NDArray[np.float64]


def expected_distance(edges: Matrix, truth: Matrix) -> float:
    """The expected number of pairs whose edge differs from the truth, in presence or direction."""
    right = truth * edges + truth.T * edges.T + (1 - truth) * (1 - truth.T) * (1 - edges - edges.T)
    return float((1 - right)[np.triu_indices(len(truth), 1)].sum())


def area(edges: Matrix, truth: Matrix) -> float:
    """The area under the ROC curve of all entries of the matrix, as the published program computes it."""
    found, ranks = truth.ravel() > 0, rankdata(edges.ravel())
    positive, negative = found.sum(), (~found).sum()
    return float((ranks[found].sum() - positive * (positive + 1) / 2) / (positive * negative))


def main() -> None:
    frame = pd.read_csv(SHARED / "continuous" / "sachs_observational_853.csv.gz")
    names, dag = list(frame), network("sachs").dag
    truth = np.array([[float(source in dag.parents(target)) for target in names] for source in names])
    moved = np.ix_(*[[names.index(name) for name in FILE_ORDER]] * 2)
    rows: list[list[object]] = []
    for (score, options), prior in product(SCORES, PRIORS):
        edges = ds.posterior(ds.local_scores(frame, score=score, structure_prior=prior, **options)).edges
        label = " ".join([score, *(f"{name} = {value}" for name, value in options.items())])
        measured = [f(kind, truth) for kind in (edges, edges[moved]) for f in (expected_distance, area)]
        rows.append(
            [label, prior, f"{edges.sum():.2f}", *(f"{x:.{d}f}" for x, d in zip(measured, (2, 3, 2, 3), strict=True))]
        )
    rows.append(["published", "", "10.59 to 12.62", "", "", "21.8 to 23.3", "0.48 to 0.54"])
    PAGE.table(
        "sachs",
        "Sachs' 853 observational rows, standardised: the exact expected number of edges, expected structural Hamming "
        "distance to the network of 17 edges, and area under the ROC curve of all entries of the matrix of edges; then "
        "the last two with the network in alphabetical order and the columns of the data in that of bnlearn's file. "
        "Published: the estimates of four samplers (DAG-GFlowNet, DiBS, Gadget, MC3) in Deleu et al. (2022).",
        ["score", "prior", "edges", "distance", "area", "other order: distance", "area"],
        rows,
    )


if __name__ == "__main__":
    main()
