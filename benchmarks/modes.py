"""Modes: speed and expanded states.

python -m benchmarks.modes [speed] [states] [large] [--write]        (default: speed and states)

``large`` takes minutes and up to 10 GiB.
"""

from __future__ import annotations

import warnings

import dagscape as ds
from benchmarks.inputs import sampled_scores
from benchmarks.pages import Page, words
from benchmarks.timing import best_of
from dagscape.studies.papers.measuring import peak_memory

PAGE = Page("modes")

DELTAS = (0, 1, 3, 5)


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


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for part in words() or ["speed", "states"]:
        {"speed": speed, "states": states, "large": large}[part]()
