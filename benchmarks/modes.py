"""Modes: speed and expanded states, and the experiments of [chen2019] with new samples.

python -m benchmarks.modes [speed] [states] [large] [experiments] [--write]        (default: speed and states)

``large`` takes minutes and up to 10 GiB. ``experiments`` draws its figures to build/figures/modes_*.svg, and the one of
the page to build/figures, too, or with ``--write`` to benchmarks/results.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence

import numpy as np

import dagscape as ds
from benchmarks.inputs import kept, network, sampled_scores
from benchmarks.pages import FIGURES, RESULTS, WRITE, Page, words
from benchmarks.timing import best_of, peak_memory
from dagscape.drawing.curves import draw_curves
from dagscape.ensembles.diversity import class_counts, least_distances, mean_distances
from dagscape.graphs.lists import DagList

PAGE, PAPER_PAGE = Page("modes"), Page("modes-paper")

DELTAS = (0, 1, 3, 5)
SAMPLES = 10
LENGTH = 20

# The lengths of lists that tables show.
SHOWN = (1, 2, 5, 10, LENGTH)

# Table 1 of the paper: classes / networks among the top 10 on Sachs, by rows.
TABLE_1 = {
    "K-Best": ("6.0/10.0", "1.5/10.0", "1.0/10.0"),
    0: ("6.7/10.0", "1.4/10.0", "1.0/10.0"),
    1: ("8.2/10.0", "3.3/10.0", "1.5/10.0"),
    3: ("9.4/10.0", "6.1/9.9", "1.8/9.5"),
    5: ("8.8/9.3", "2.5/4.7", "2.2/5.3"),
}


def truth_of(name: str) -> ds.Dag:
    return network(name.rstrip("*")).dag.subgraph(kept(name))


def speed() -> None:
    rows: list[list[object]] = []
    for count, paper in ((100, {0: "not given", 1: "10.1", 3: "5.2", 5: "177"}), (1000, {0: "did not finish"})):
        scores = sampled_scores("child*", count, 1)
        for delta in DELTAS:
            seconds, found = best_of(3, lambda s=scores, d=delta: ds.modes(s, 10, d))
            rows.append([f"Child*, {count} rows, 10 modes", delta, seconds, found.expanded, paper.get(delta, "")])
    scores = sampled_scores("child", 1000, 1)
    for delta in DELTAS:
        seconds, found = best_of(2, lambda s=scores, d=delta: ds.modes(s, 10, d))
        rows.append(["Child, 1000 rows, 10 modes", delta, seconds, found.expanded, ""])
    scores = ds.local_scores(ds.load_dataset("votes"))
    seconds, found = best_of(3, lambda: ds.modes(scores, 100, 3))
    rows.append(["Votes, 100 modes", 3, seconds, found.expanded, ""])
    PAGE.table(
        "speed",
        "Modes, scoring excluded. Child* is Child without its first five leaves (15 variables): the paper drops five "
        "and does not name them. Its times are from its own machine.",
        ["data", "δ", "seconds", "prefixes expanded", "paper, seconds"],
        rows,
    )


def states() -> None:
    scores = sampled_scores("child*", 100, 1)
    bounds = {
        "exact": ("exact", None),
        "2 groups": ("patterns", 2),
        "3 groups": ("patterns", 3),
        "none": ("none", None),
    }
    rows = []
    for delta in DELTAS:
        cells = []
        for merge in (True, False):
            for bound, groups in bounds.values():
                found = ds.modes(
                    scores, 10, delta, bound=bound, groups=groups, merge=merge, max_seconds=60, max_memory="6GiB"
                )
                cells.append(f"{'' if found.complete else 'over '}{found.expanded:,}")
        rows.append([delta, *cells])
    PAGE.table(
        "states",
        "Prefixes expanded for ten modes of Child* (100 rows), with and without merging, by bound; at most 6 GiB.",
        ["δ", *bounds, *(f"{name}, not merged" for name in bounds)],
        rows,
    )


def large() -> None:
    rows = []
    for name in ("insurance", "water"):
        scores = sampled_scores(name, 1000, 1, max_parents=3)
        for bound in ("patterns", "exact") if scores.n < 30 else ("patterns",):
            seconds, found = best_of(1, lambda s=scores, b=bound: ds.modes(s, 10, 3, bound=b, max_memory="10GiB"))
            sizes = [len(group) for group in found.provenance.parameters["groups"]]
            groups = f", groups of {' and '.join(map(str, sizes))}" if len(sizes) > 1 else ""
            rows.append([name, scores.n, f"{bound}{groups}", seconds, found.expanded, peak_memory() / 2**30])
    PAGE.table(
        "large",
        'Ten modes for δ = 3, 1000 rows, up to 3 parents, `max_memory="10GiB"`. The search chooses the groups, and the '
        "time includes that choice.",
        ["network", "variables", "bound", "seconds", "prefixes expanded", "peak of the process so far, GiB"],
        rows,
    )


def extended(curve: Sequence[float]) -> np.ndarray:
    """A curve over LENGTH networks; if there are fewer, its last value is repeated."""
    return np.array([curve[min(i, len(curve) - 1)] for i in range(LENGTH)], dtype=float)


def lists_of(scores: ds.LocalScores, distinct: str = "network") -> dict[str, DagList]:
    """The compared lists, by name."""
    space = "classes" if distinct == "class" else "dags"
    found = {"k best": ds.k_best(scores, LENGTH, space).networks}
    for delta in DELTAS:
        found[f"δ = {delta}"] = ds.modes(scores, LENGTH, delta, distinct=distinct).networks
    return found


def averages(name: str, rows: int, measure: str, distinct: str = "network") -> dict[str, np.ndarray]:
    """Curves averaged over the samples, by list."""
    sums: dict[str, np.ndarray] = {}
    for seed in range(SAMPLES):
        for label, dags in lists_of(sampled_scores(name, rows, seed), distinct).items():
            found = dags.cpdags()
            curve = mean_distances(found) if measure == "diversity" else least_distances(found, truth_of(name))
            sums[label] = sums.get(label, np.zeros(LENGTH)) + extended(curve.tolist()) / SAMPLES
    return sums


def diversity() -> dict[str, np.ndarray]:
    curves = averages("sachs", 100, "diversity")
    cells = {name: [f"{curve[i - 1]:.2f}" for i in SHOWN[1:]] for name, curve in curves.items()}
    PAPER_PAGE.table(
        "diversity",
        "Average pairwise SHD of the first networks, Sachs, 100 rows (figure 2 of the paper).",
        ["networks", *curves],
        [[count, *(column[row] for column in cells.values())] for row, count in enumerate(SHOWN[1:])],
    )
    return curves


def accuracy(x: np.ndarray) -> dict[str, np.ndarray]:
    """The least distances to the truth, of which the figures are drawn; returns those of Sachs with 100 rows."""
    rows, found = [], {}
    for name in ("survey", "asia", "sachs", "child*"):
        panels = {}
        for count in (10, 100, 1000):
            curves = panels[f"{name}, {count} rows: least SHD to the truth"] = averages(name, count, "accuracy")
            found[name, count] = curves
            first = f"{curves['k best'][0]:.1f} / {curves['δ = 0'][0]:.1f}"
            rows.append([f"{name}, {count}", first, *(f"{curve[9]:.1f}" for curve in curves.values()),
                         *(f"{curve[LENGTH - 1]:.1f}" for curve in curves.values())])  # fmt: skip
        draw_curves(FIGURES / f"modes_accuracy_{name.rstrip('*')}.svg", x, panels, "networks")
    names = list(found["sachs", 100])
    PAPER_PAGE.table(
        "accuracy",
        f"Least SHD to the truth among the first 1, 10 and {LENGTH} networks (figure 3).",
        ["data, rows", "first, k best / modes", *(f"{k}: {name}" for k in (10, LENGTH) for name in names)],
        rows,
    )
    return found["sachs", 100]


def classes() -> None:
    rows = []
    for label, key in (("k best", "K-Best"), *((f"δ = {delta}", delta) for delta in DELTAS)):
        cells = []
        for column, count in enumerate((10, 100, 1000)):
            lists = [lists_of(sampled_scores("sachs", count, seed))[label][:10] for seed in range(SAMPLES)]
            different = np.mean([class_counts(dags.cpdags())[-1] for dags in lists])
            cells.append(f"{different:.1f}/{np.mean([len(dags) for dags in lists]):.1f} [{TABLE_1[key][column]}]")
        rows.append([label, *cells])
    PAPER_PAGE.table(
        "classes",
        "Classes / networks among the top 10 on Sachs (table 1 of the paper, in brackets).",
        ["", "10 rows", "100 rows", "1000 rows"],
        rows,
    )


def distinct(x: np.ndarray) -> None:
    curves = averages("sachs", 100, "accuracy", "class")
    PAPER_PAGE.table(
        "distinct",
        "Least SHD to the truth with one network of each class, Sachs, 100 rows (figure 4).",
        ["networks", *(name.replace("best", "best classes") for name in curves)],
        [[count, *(f"{curve[count - 1]:.1f}" for curve in curves.values())] for count in SHOWN],
    )
    panels = {"Sachs, 100 rows: least SHD, distinct classes": curves}
    draw_curves(FIGURES / "modes_classes.svg", x, panels, "networks")


def experiments() -> None:
    FIGURES.mkdir(parents=True, exist_ok=True)
    x = np.arange(1, LENGTH + 1)
    panels = {
        "Sachs, 100 rows: average pairwise SHD": diversity(),
        "Sachs, 100 rows: least SHD to the truth": accuracy(x),
    }
    draw_curves((RESULTS if WRITE in sys.argv[1:] else FIGURES) / "modes.svg", x, panels, "networks")
    classes()
    distinct(x)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for part in words() or ["speed", "states"]:
        {"speed": speed, "states": states, "large": large, "experiments": experiments}[part]()
