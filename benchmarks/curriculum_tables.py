"""Tables 2.2 and 2.3 and figures 2.2 and 2.3 of [chen2016], run again, and the ablation of its section 2.6.

python -m benchmarks.curriculum_tables [--samples 5] [--networks alarm …] [--rows 500 1000 …] [--only-show] [--write]

Rows for MMHC with its own sets of neighbours and with those of the curriculum, tabu search in the time that the
curriculum took, GES and the search over orders. BDeu with an equivalent sample size of 10; the measures are those of
5000 separate rows. The figures are drawn to the folder of the runs.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import dagscape as ds
from benchmarks.experiments import (
    TEST_SEED,
    Task,
    learned,
    parser,
    row_measures,
    run,
    sample,
    shown,
    structure_measures,
)
from benchmarks.inputs import network
from benchmarks.pages import Page, show
from dagscape.drawing.curves import draw_curves

PAGE = Page("curriculum")

NETWORKS = ("alarm", "andes", "asia", "child", "hailfinder", "hepar2", "insurance", "sachs", "water", "win95pts")
ROWS = (100, 500, 1000, 5000, 10_000, 50_000)
SAMPLES = 5
ESS = 10.0
TEST_ROWS = 5000
# These end by themselves sooner, except on the largest networks and on dense classes learned from few rows.
LIMITED = ("ges", "order")
SECONDS = 5.0
# MMHC keeps a neighbour if each of two variables is in the set of the other; the curriculum keeps it if either is.
SAME_SETS = "mmhc, sets of curriculum"
METHODS = ("curriculum", "mmhc", SAME_SETS, "greedy", "tabu", "ges", "order")

# Ratios of MMHC to the curriculum in table 2.2, and the networks on which the curriculum and MMHC are better.
PAPER_RATIOS = {
    "bdeu": ((0.89, 1.06, 1.02, 1.01, 1.01, 1.01), (0, 10, 9, 8, 9, 7), (10, 0, 1, 2, 1, 3)),
    "bic": ((0.88, 1.07, 1.02, 1.02, 1.01, 1.01), (0, 9, 9, 6, 7, 7), (10, 1, 1, 4, 3, 3)),
    "kl": ((1.72, 0.82, 0.96, 0.96, 0.97, 0.96), (0, 10, 9, 7, 9, 9), (10, 0, 1, 2, 0, 0)),
    "shd": ((1.06, 1.26, 1.29, 1.07, 1.22, 1.24), (7, 9, 7, 7, 8, 6), (3, 1, 3, 2, 1, 3)),
}

# Table 2.3: how often no curriculum, and step sizes 1, 2 and 3 win.
PAPER_WINNERS = {
    "alarm": (1, 18, 9, 2), "asia": (5, 21, 2, 2), "insurance": (8, 7, 11, 4), "child": (3, 17, 6, 4),
    "sachs": (8, 12, 6, 4), "water": (7, 11, 7, 5), "hepar2": (5, 8, 7, 10), "win95pts": (1, 15, 5, 9),
    "hailfinder": (16, 14, 0, 0), "andes": (0, 13, 10, 7), "total": (54, 136, 63, 47),
}  # fmt: skip

MEASURES = {
    "bdeu": "BDeu (smaller is better)",
    "bic": "BIC (smaller is better)",
    "kl": "Σ MI(X, Pa) (larger is better)",
    "shd": "SHD (smaller is better)",
}
ON_PAGE = ("bdeu", "shd")

FIGURE_2_2 = ("andes", "hailfinder", "hepar2", "win95pts")
FIGURE_2_3 = ("alarm", "hailfinder")

# Differences below this are equal scores.
_EQUAL = 1e-9


def tasks(networks: Sequence[str], sizes: Sequence[int], methods: Sequence[str], samples: int) -> Iterator[Task]:
    for rows, name, seed, method in itertools.product(sizes, networks, range(samples), methods):
        yield {"network": name, "rows": rows, "seed": seed, "method": method}


def learn_one(task: Task, seconds: dict[tuple[str, int, int], float] | None = None, **options: Any) -> dict[str, Any]:
    """One run; ``seconds`` is the time that tabu search has, by data set."""
    data = sample(task["network"], task["rows"], task["seed"])
    if task["method"] == "tabu" and seconds is not None:
        limit = seconds[task["network"], task["rows"], task["seed"]]
        options |= {"max_seconds": limit, "restarts": 1_000_000}
    if task["method"] in LIMITED:
        options |= {"max_seconds": SECONDS}
    method = task["method"]
    if method == SAME_SETS:
        method, options = "mmhc", {"symmetric": False}
    found, taken = learned(data, method, seed=task["seed"], ess=ESS, **options)
    test = network(task["network"]).sample(TEST_ROWS, seed=TEST_SEED)
    return {
        **row_measures(found.network, test, ESS),
        **structure_measures(found.network, network(task["network"]).dag),
        "training": found.score,
        "edges": found.network.edge_count,
        "seconds": taken,
        "winners": _winners(found),
    }


def _winners(found: ds.Learned) -> list[int]:
    """The step sizes of the best candidates; 0 is no curriculum."""
    candidates = found.details.get("candidates", ())
    best = max((candidate["score"] for candidate in candidates), default=0.0)
    return [candidate["step_size"] or 0 for candidate in candidates if candidate["score"] == best]


def ratio_tables(frame: pd.DataFrame) -> None:
    for measure, (paper, ours_won, theirs_won) in PAPER_RATIOS.items():
        values = frame.pivot(index=["rows", "network", "seed"], columns="method", values=measure)
        sizes = list(values.index.unique("rows"))
        lines = []
        for method in values.columns:
            cells = []
            for rows in sizes:
                part = values.loc[rows][["curriculum", method]].dropna() if method != "curriculum" else None
                cells.append("1" if part is None else _ratio(part, method, measure))
            lines.append([method, *cells])
        of_paper = {
            rows: f"{ratio:.2f} ({first}:{second})"
            for rows, ratio, first, second in zip(ROWS, paper, ours_won, theirs_won, strict=True)
        }
        lines.append(["paper: mmhc", *(of_paper.get(rows, "") for rows in sizes)])
        title = f"Table 2.2, {MEASURES[measure]}: ratio to curriculum; in brackets, networks won by it : by the method."
        headers = ["method", *map(str, sizes)]
        if measure in ON_PAGE:
            PAGE.table(measure, title, headers, lines)
        else:
            show(title, headers, lines)


def _ratio(part: pd.DataFrame, method: str, measure: str) -> str:
    """The average ratio to the curriculum, and the numbers of networks won."""
    # Networks without edges have the divergence 0, and distances may be 0.
    kept = part[part["curriculum"].abs() > _EQUAL]
    ratio = float((kept[method] / kept["curriculum"]).mean())
    means = part.groupby("network").mean()
    gain = (means["curriculum"] - means[method]) * (-1 if measure == "shd" else 1)
    return f"{ratio:.2f} ({int((gain > _EQUAL).sum())}:{int((gain < -_EQUAL).sum())})"


def winner_table(frame: pd.DataFrame) -> None:
    chosen = frame[frame["method"] == "curriculum"]
    lines = []
    for name in [*chosen["network"].unique(), "total"]:
        part = chosen if name == "total" else chosen[chosen["network"] == name]
        # Of equally good candidates the smallest step size counts, and no curriculum last.
        first = [min(winners, key=lambda step: step or np.inf) for winners in part["winners"]]
        alike = sum(len(winners) > 1 for winners in part["winners"])
        lines.append([name, *(first.count(step) for step in range(4)), alike, *PAPER_WINNERS[name]])
    steps = ["none", "1", "2", "3"]
    headers = ["network", *steps, "ties", *(f"paper: {step}" for step in steps)]
    caption = "Table 2.3: which step size wins; of equally good ones the smallest"
    show(f"{caption}.", headers, lines)
    *total, alike = lines[-1][1:6]
    rows = [["here", *total, alike], ["paper", *PAPER_WINNERS["total"], ""]]
    PAGE.table("winners", f"{caption}. All networks, samples and numbers of rows.", ["", *steps, "ties"], rows)


def time_table(frame: pd.DataFrame) -> None:
    means = frame.groupby(["rows", "method"], sort=False)["seconds"].mean().unstack()
    ratio = means.div(means["curriculum"], axis=0) if "curriculum" in means else means
    lines = [
        [method, *(f"{means.loc[rows, method]:.2f} ({ratio.loc[rows, method]:.2f})" for rows in means.index)]
        for method in means.columns
    ]
    caption = "Seconds (ratio to curriculum; paper: MMHC 0.37 on average)."
    show(caption, ["method", *map(str, means.index)], lines)


def figure_2_2(frame: pd.DataFrame, folder: Path) -> None:
    """Draw the average distance to the truth by the number of rows."""
    panels = {}
    for name in FIGURE_2_2:
        part = frame[frame["network"] == name]
        if len(part):
            means = part.groupby(["rows", "method"])["shd"].mean().unstack()
            panels[f"{name}: SHD"] = {str(method): means[method].to_numpy() for method in means.columns}
    if panels:
        sizes = np.log10(sorted(frame["rows"].unique()))
        draw_curves(folder / "curriculum_figure_2_2.svg", sizes, panels, "log10 of the number of rows")


def stage_distances(name: str, rows: int, seed: int, **options: Any) -> tuple[list[int], list[int]]:
    """How many variables each stage of step size 1 has, and the distance of its network to the truth.

    As in section 2.5.1.5, the variables that are not selected yet are joined to each other and to all others.
    """
    found, _ = learned(sample(name, rows, seed), "curriculum", seed=seed, ess=ESS, step_sizes=(1,), **options)
    sequence, truth = found.details["sequence"], network(name).dag
    order = np.random.default_rng(seed).permutation(found.variables).tolist()
    selected, distances = [], []
    for step in found.trace:
        if step.move[:2] != ("stage", "step size 1") or step.network is None:
            continue
        count = int(step.move[2].split()[0])
        inside = set(sequence[:count])
        learned_part = [edge for edge in step.network if inside.issuperset(edge)]
        # The selected variables come first, so that no cycle arises.
        first = ds.Dag.from_edges(sequence[:count], learned_part).topological_order()
        later = [variable for variable in order if variable not in inside]
        joined = [(u, v) for i, v in enumerate(later) for u in (*first, *later[:i])]
        graph = ds.Dag.from_edges(found.variables, [*learned_part, *joined])
        selected.append(count)
        distances.append(int(ds.compare(graph, truth)["shd"]))
    return selected, distances


def figure_2_3(folder: Path, names: Sequence[str], rows: int = 5000) -> None:
    """Draw and print the distance to the truth by stage."""
    for name in names:
        selected, distances = stage_distances(name, rows, 0)
        panel = {f"{name}, {rows} rows: SHD": {"curriculum": np.array(distances)}}
        draw_curves(folder / f"curriculum_figure_2_3_{name}.svg", np.array(selected), panel, "selected variables")
        rises = sum(later > earlier for earlier, later in itertools.pairwise(distances))
        ends = f"SHD {distances[0]} at {selected[0]} variables, {distances[-1]} at the end"
        print(f"\nFigure 2.3, {name}: {ends}; it rises at {rises} of {len(distances) - 1} stages")


def ablation(frame: pd.DataFrame, folder: Path) -> None:
    """Show and draw section 2.6: stages that ignore the other variables, in place of stages given them."""
    lines, panels = [], {}
    for measure, better in (("bdeu", "larger"), ("kl", "larger"), ("shd", "smaller")):
        means = frame.groupby(["rows", "variant"])[measure].mean().unstack()
        lines += [
            [measure, better, variant, *(f"{means.loc[rows, variant]:.2f}" for rows in means.index)]
            for variant in means.columns
        ]
        panels[measure] = {str(variant): means[variant].to_numpy() for variant in means.columns}
    PAGE.table(
        "ablation",
        "Section 2.6: stages given the other variables, or without them; means over all networks and samples.",
        ["measure", "better", "stages", *map(str, sorted(frame["rows"].unique()))],
        lines,
    )
    sizes = np.log10(sorted(frame["rows"].unique()))
    draw_curves(folder / "curriculum_ablation.svg", sizes, panels, "log10 of the number of rows")


def without_others(task: Task) -> dict[str, Any]:
    """One run of the ablation."""
    return learn_one(task, conditional=False)


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--rows", nargs="+", type=int, default=list(ROWS), help="numbers of rows")
    given = options.parse_args()
    networks = [name for name in NETWORKS if given.networks is None or name in given.networks]
    methods = [method for method in METHODS if given.methods is None or method in given.methods]
    samples = given.samples or SAMPLES
    path = given.folder / "curriculum.jsonl"
    collect = (lambda tasks, work: shown(path, tasks)) if given.only_show else partial(run, path, workers=given.workers)
    plain = [method for method in methods if method != "tabu"]
    frame = collect(list(tasks(networks, given.rows, plain, samples)), learn_one)
    own = frame[frame["method"] == "curriculum"] if len(frame) else frame
    if "tabu" in methods and len(own):
        # Tabu search has the time that the curriculum took on the same rows.
        times = {(row.network, row.rows, row.seed): row.seconds for row in own.itertuples()}
        every = [task for task in tasks(networks, given.rows, ["tabu"], samples) if _data_set(task) in times]
        frame = pd.concat([frame, collect(every, partial(learn_one, seconds=times))], ignore_index=True)
    if len(own):
        ratio_tables(frame)
        winner_table(frame)
    time_table(frame)
    figure_2_2(frame, given.folder)
    if "curriculum" in methods and not given.only_show:
        figure_2_3(given.folder, [name for name in FIGURE_2_3 if name in networks])
        every = [{**task, "variant": "without them"} for task in tasks(networks, given.rows, ["curriculum"], samples)]
        ignoring = collect(every, without_others)
        ablation(pd.concat([own.assign(variant="given the others"), ignoring], ignore_index=True), given.folder)


def _data_set(task: Task) -> tuple[str, int, int]:
    return task["network"], task["rows"], task["seed"]


if __name__ == "__main__":
    main()
