"""Figure 3.4 of [chen2016]: which edges are true, by averages over lists and over all DAGs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from dagscape.best.k_best import k_best
from dagscape.ensembles.edge_accuracy import edge_accuracy
from dagscape.sampling.exact_posterior import exact_posterior
from dagscape.scores.scoring import local_scores
from dagscape.studies.papers.item import Item, PaperPlot, PaperTable, Part, RunTask, Scale, Study
from dagscape.studies.papers.measuring import paired_p
from dagscape.studies.papers.synthetic import binary_network

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from dagscape.studies.papers.sources import Sources

ROWS = (100, 200, 500)
LENGTHS = (1, 10, 100)
NETWORKS = 20
VARIABLES = 15
EXACT = "all DAGs"

# The false positive rates at which curves are averaged.
_RATES = np.linspace(0, 1, 101)

_NAMES = {f"{space}-{k}": f"{k} best {space}" for space in ("DAGs", "classes") for k in LENGTHS} | {EXACT: EXACT}


def tasks(scale: Scale) -> Iterator[RunTask]:
    """Iterate over networks and numbers of rows."""
    quick = scale == "quick"
    for seed in range(2 if quick else NETWORKS):
        for rows in ROWS:
            yield {"network": seed, "rows": rows, "variables": 8 if quick else VARIABLES}


def discover(task: RunTask, _: Sources) -> dict[str, Any]:
    """Compare averages over lists, and over all DAGs, with the true edges: curves and areas."""
    truth = binary_network(task["variables"], seed=task["network"] + 1)
    scores = local_scores(truth.sample(task["rows"], seed=task["network"]), threads=1)
    found: dict[str, Any] = {EXACT: exact_posterior(scores, threads=1)}
    for k in LENGTHS:
        found[f"DAGs-{k}"] = k_best(scores, k, space="dags", threads=1)
        found[f"classes-{k}"] = k_best(scores, k, threads=1)
    measured = {name: edge_accuracy(result, truth) for name, result in found.items()}
    return {
        "auc": {name: accuracy.auc for name, accuracy in measured.items()},
        "brier": {name: accuracy.brier for name, accuracy in measured.items()},
        "curve": {name: accuracy.true_positives_at(_RATES).round(4).tolist() for name, accuracy in measured.items()},
    }


STUDY = Study("edges", tasks, discover, minutes=0.2)


def show(frame: pd.DataFrame) -> Iterator[Part]:
    """Plot the mean curves, and compare the areas."""
    sizes = sorted(set(frame["rows"]))
    curves = {rows: _means(frame, rows, "curve") for rows in sizes}

    def draw(figure: Figure) -> None:
        for axes, rows in zip(figure.subplots(1, len(sizes), sharey=True), sizes, strict=True):
            for name, title in _NAMES.items():
                line = "--" if name.startswith("DAGs") else "-" if name != EXACT else ":"
                colour = "black" if name == EXACT else f"C{LENGTHS.index(int(name.split('-')[1]))}"
                axes.plot(_RATES, curves[rows][name], line, color=colour, label=title, linewidth=1.2)
            axes.set(title=f"{rows} rows", xlabel="false positive rate", xlim=(0, 0.5), ylim=(0, 1))
        figure.axes[0].set_ylabel("true positive rate")
        figure.axes[-1].legend(fontsize=7, loc="lower right")

    yield PaperPlot("", "ROC curves of edges, means over the networks, up to a false positive rate of 0.5.", draw, 9.0)
    for measure, words in (("auc", "the area under the ROC curve"), ("brier", "the Brier score (lower is better)")):
        means = {rows: _means(frame, rows, measure) for rows in sizes}
        table = [(title, *(float(means[rows][name]) for rows in sizes)) for name, title in _NAMES.items()]
        table += [
            (f"p, {k} classes against {k} DAGs", *(_p(frame, rows, measure, k) for rows in sizes)) for k in LENGTHS
        ]
        headers = ("average over", *(f"{rows} rows" for rows in sizes))
        yield PaperTable.of(f"Means of {words}, and p of paired t-tests.", headers, table)


def _means(frame: pd.DataFrame, rows: int, measure: str) -> dict[str, Any]:
    runs = frame.loc[frame["rows"] == rows, measure].tolist()
    return {name: np.mean([run[name] for run in runs], axis=0) for name in _NAMES}


def _p(frame: pd.DataFrame, rows: int, measure: str, k: int) -> float:
    runs = frame.loc[frame["rows"] == rows, measure].tolist()
    return paired_p([run[f"classes-{k}"] for run in runs], [run[f"DAGs-{k}"] for run in runs])


ITEM = Item(
    "chen2016",
    "Figure 3.4",
    "ROC curves of edges",
    "Random networks of 15 variables, samples of 100, 200 and 500 rows. The probabilities of all 210 edges, averaged "
    "over the k best classes or DAGs (k = 1, 10, 100) and over all DAGs, are compared with the true edges.",
    f"The same with {NETWORKS} random networks of binary variables: mean curves, areas, and Brier scores.",
    (
        "The networks: those of the paper are not published, and it does not say how many there were.",
        "Levels: those that the networks declare. All of them occur in all samples.",
    ),
    STUDY,
    show,
    (
        "As in the paper, averages over classes are better than over as many DAGs (p < 0.02 for all k and numbers of "
        "rows), more networks are better, and all DAGs are best.",
    ),
)
