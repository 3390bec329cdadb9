"""Modes: speed and expanded states, and the experiments of [chen2019] with new samples.

python -m benchmarks.modes speed
python -m benchmarks.modes states
python -m benchmarks.modes large        (Insurance and Water: minutes, and up to 10 GiB)
python -m benchmarks.modes experiments  (writes benchmarks/figures/modes_*.svg)
"""

from __future__ import annotations

import resource
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import dagscape as ds
from benchmarks.timing import SHARED, best_of, machine
from dagscape.drawing.curves import draw_curves
from dagscape.ensembles.diversity import class_counts, least_distances, mean_distances
from dagscape.graphs.lists import DagList

FIGURES = Path(__file__).parent / "figures"
DELTAS = (0, 1, 3, 5)
SAMPLES = 10
LENGTH = 20

# "Child*": the paper drops five leaves without naming them; these are the first five.
DROPPED_LEAVES = ("LVHreport", "LowerBodyO2", "RUQO2", "CO2Report", "XrayReport")

# Table 1 of the paper: classes / networks among the top 10 on Sachs, by rows.
TABLE_1 = {
    "K-Best": ("6.0/10.0", "1.5/10.0", "1.0/10.0"),
    0: ("6.7/10.0", "1.4/10.0", "1.0/10.0"),
    1: ("8.2/10.0", "3.3/10.0", "1.5/10.0"),
    3: ("9.4/10.0", "6.1/9.9", "1.8/9.5"),
    5: ("8.8/9.3", "2.5/4.7", "2.2/5.3"),
}


def network(name: str) -> ds.Network:
    return ds.read_network(SHARED / "networks" / f"{name}.bif.gz")


def kept(name: str) -> tuple[str, ...]:
    return tuple(v for v in network(name).variables if v not in DROPPED_LEAVES)


def sample_scores(name: str, rows: int, seed: int, **options: object) -> ds.LocalScores:
    """Scores of a sample; ``child*`` is child without five leaves."""
    data = network(name.rstrip("*")).sample(rows, seed=seed)
    if name.endswith("*"):
        data = data.select(kept(name.rstrip("*")))
    return ds.local_scores(data, **options)


def truth_of(name: str) -> ds.Dag:
    dag = network(name.rstrip("*")).dag
    return dag.subgraph(kept(name.rstrip("*"))) if name.endswith("*") else dag


def speed() -> None:
    print("10 modes, scoring excluded (best of 3; the paper's times are of its own machine)")
    for rows, paper in ((100, {0: "-", 1: "10.1 s", 3: "5.2 s", 5: "177 s"}), (1000, {0: "did not finish"})):
        scores = sample_scores("child*", rows, 1)
        for delta in DELTAS:
            seconds, found = best_of(3, lambda s=scores, d=delta: ds.modes(s, 10, d))
            counts = f"{len(found)} modes, {found.expanded:,} expanded"
            print(f"child*, {rows} rows, delta {delta}: {seconds:.3f} s, {counts}  {paper.get(delta, '')}")
    scores = sample_scores("child", 1000, 1)
    for delta in range(6):
        seconds, found = best_of(2, lambda s=scores, d=delta: ds.modes(s, 10, d))
        print(f"child, 1000 rows, delta {delta}: {seconds:.3f} s, {len(found)} modes, {found.expanded:,} expanded")
    scores = ds.local_scores(ds.load_dataset("votes"))
    seconds, found = best_of(3, lambda: ds.modes(scores, 100, 3))
    print(f"votes, 100 modes, delta 3: {seconds:.3f} s, {found.expanded:,} expanded")


def states() -> None:
    print("prefixes expanded for 10 modes (merged / not merged), and seconds")
    scores = sample_scores("child*", 100, 1)
    for delta in DELTAS:
        for bound, groups in (("exact", None), ("patterns", 2), ("patterns", 3), ("none", None)):
            cells = []
            for merge in (True, False):

                def search(d: int = delta, b: str = bound, g: int | None = groups, m: bool = merge) -> ds.Modes:
                    return ds.modes(scores, 10, d, bound=b, groups=g, merge=m, max_seconds=60, max_memory="6GiB")

                seconds, found = best_of(1, search)
                ended = "" if found.complete else f" (stopped: {found.stopped}, {len(found)} modes)"
                cells.append(f"{found.expanded:>11,} {seconds:7.3f} s{ended}")
            name = f"{groups} groups" if groups else bound
            print(f"delta {delta}  {name:9}  {'  /  '.join(cells)}")


def large() -> None:
    print("10 modes, delta 3, 1000 rows, up to 3 parents")
    for name in ("insurance", "water"):
        scores = sample_scores(name, 1000, 1, max_parents=3)
        for bound in ("patterns", "exact") if scores.n < 30 else ("patterns",):
            seconds, found = best_of(1, lambda s=scores, b=bound: ds.modes(s, 10, 3, bound=b, max_memory="10GiB"))
            sizes = [len(group) for group in found.provenance.parameters["groups"]]
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
            print(f"{name} ({scores.n}), {bound}, groups {sizes}: {seconds:.1f} s, {found}", end=" ")
            print(f"{found.expanded:,} expanded, peak so far {peak:.2f} GiB")


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
        for label, dags in lists_of(sample_scores(name, rows, seed), distinct).items():
            found = dags.cpdags()
            curve = mean_distances(found) if measure == "diversity" else least_distances(found, truth_of(name))
            sums[label] = sums.get(label, np.zeros(LENGTH)) + extended(curve.tolist()) / SAMPLES
    return sums


def show(title: str, curves: dict[str, np.ndarray]) -> None:
    print(f"\n{title}, of the first 1, 2, 5, 10, {LENGTH}")
    for label, curve in curves.items():
        print(f"  {label:8}", *(f"{curve[i - 1]:6.2f}" for i in (1, 2, 5, 10, LENGTH)))


def experiments() -> None:
    FIGURES.mkdir(exist_ok=True)
    x = np.arange(1, LENGTH + 1)
    diversity = averages("sachs", 100, "diversity")
    show("Figure 2: average pairwise SHD, Sachs, 100 rows", diversity)
    draw_curves(FIGURES / "modes_diversity.svg", x, {"Sachs, 100 rows: average pairwise SHD": diversity}, "networks")
    for name in ("survey", "asia", "sachs", "child*"):
        panels = {}
        for rows in (10, 100, 1000):
            title = f"{name}, {rows} rows: least SHD to the truth"
            panels[title] = averages(name, rows, "accuracy")
            show(f"Figure 3: {title}", panels[title])
        draw_curves(FIGURES / f"modes_accuracy_{name.rstrip('*')}.svg", x, panels, "networks")
    print("\nTable 1: classes / networks among the top 10 on Sachs (the paper's in brackets)")
    for label, key in (("k best", "K-Best"), *((f"δ = {delta}", delta) for delta in DELTAS)):
        cells = []
        for column, rows in enumerate((10, 100, 1000)):
            lists = [lists_of(sample_scores("sachs", rows, seed))[label][:10] for seed in range(SAMPLES)]
            classes = np.mean([class_counts(dags.cpdags())[-1] for dags in lists])
            cells.append(f"{classes:.1f}/{np.mean([len(dags) for dags in lists]):.1f} [{TABLE_1[key][column]}]")
        print(f"  {label:8}", *(f"{cell:>22}" for cell in cells))
    classes_only = averages("sachs", 100, "accuracy", "class")
    show("Figure 4: least SHD to the truth, one network of each class, Sachs, 100 rows", classes_only)
    panels = {"Sachs, 100 rows: least SHD, distinct classes": classes_only}
    draw_curves(FIGURES / "modes_classes.svg", x, panels, "networks")


if __name__ == "__main__":
    print(machine())
    for part in sys.argv[1:] or ["speed", "states"]:
        {"speed": speed, "states": states, "large": large, "experiments": experiments}[part]()
