"""The experiments of chapter 6 of [chen2016] on prerequisites of skills, run again, and the times of COMMAND.

python -m benchmarks.students [study] [real] [speed] [--samples 10] [--only-show]

``study`` simulates students (figures 6.6, 6.8, 6.9 and 6.10), ``real`` learns from the data sets at hand and
cross-validates, ``speed`` measures times. Finished runs are kept in the folder of the runs; figures go to
``benchmarks/figures``. What each table shows is in ``benchmarks/RESULTS.md``.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import dagscape as ds
from benchmarks.experiments import Task, parser, quiet, run, shown, table
from benchmarks.timing import SHARED, machine
from dagscape.drawing.curves import draw_curves
from dagscape.student.learning.parm import parm
from dagscape.student.model.network import Simulated
from dagscape.student.model.simulate import STRUCTURES, draw_model

FIGURES = Path(__file__).parent / "figures"
PARTS = ("study", "real", "speed")

SIZES = (150, 500, 1000, 2000)
SETS = 10
KINDS = ("single", "multi", "ability")
MISSING = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)
MISSING_SIZE = 1000
RESTARTS = 3
# Half the width of a 95 % interval, in standard errors.
INTERVAL = 1.96
# Scores that differ by less are those of the same model.
EQUAL = 0.01

DATA = SHARED / "student"


# The study.


def study_tasks(sets: int) -> Iterator[dict[str, Any]]:
    """The data sets of the figures, and the methods on each."""
    for structure, students, number in itertools.product(STRUCTURES, SIZES, range(sets)):
        common = {"structure": structure, "students": students, "set": number, "missing": 0.0}
        for kind in KINDS:
            yield {**common, "kind": kind, "method": "bic"}
        for kind in ("single", "multi"):
            yield {**common, "kind": kind, "method": "refined"}
        yield {**common, "kind": "single", "method": "aic"}
        yield {**common, "kind": "single", "method": "parm"}
    for structure, missing, number in itertools.product(STRUCTURES, MISSING[1:], range(sets)):
        yield {
            "structure": structure, "students": MISSING_SIZE, "set": number, "missing": missing, "kind": "single",
            "method": "bic",
        }  # fmt: skip


def simulated(task: Task) -> Simulated:
    """The students of a task. Those with other items, an ability or missing answers have the same skills."""
    place = list(STRUCTURES).index(task["structure"])
    model = draw_model(
        task["structure"],
        skills_per_item=(1, 3) if task["kind"] == "multi" else 1,
        ability=task["kind"] == "ability",
        seed=np.random.default_rng([place, task["students"], task["set"], 0]),
    )
    rng = np.random.default_rng([place, task["students"], task["set"], 1])
    return model.sample(task["students"], rng, missing=task["missing"])


def learn_one(task: Task) -> dict[str, Any]:
    """One run of the study."""
    data, truth, method = simulated(task), STRUCTURES[task["structure"]], task["method"]
    options = {"restarts": RESTARTS, "seed": task["set"], "threads": 1}
    start = time.process_time()
    with quiet():
        if method == "parm":
            pairs = parm(data.answers, data.q_matrix, **options).pairs
            return relation_measures(pairs, truth) | {"seconds": time.process_time() - start}
        options["score"] = "aic" if method == "aic" else "bic"
        model = ds.command(data.answers, data.q_matrix, refine=method == "refined", **options)
        seconds = time.process_time() - start
        # The refined model is compared with the same fit of the truth.
        fitted = None if method == "refined" else fitted_structure(data, truth, **options)
    return {
        **structure_measures(model.network, truth),
        **relation_measures(ancestor_pairs(model.network), truth),
        "score": model.score,
        "true_score": None if fitted is None else fitted.score,
        "seconds": seconds,
    }


def fitted_structure(data: Simulated, dag: ds.Dag, **options: Any) -> ds.StudentModel:
    """The model with a given structure: COMMAND with all of its edges required and all others forbidden."""
    others = [pair for pair in itertools.permutations(dag.variables, 2) if pair not in set(dag.edges)]
    return ds.command(data.answers, data.q_matrix, required=dag.edges, forbidden=others, **options)


def structure_measures(found: ds.Dag, truth: ds.Dag) -> dict[str, float]:
    """F1 of adjacencies (table 6.2) and of directed edges (table 6.3), and the numbers of wrong adjacencies."""
    learned, true = undirected(found.edges), undirected(truth.edges)
    return {
        "adjacency": f1(learned, true),
        "orientation": f1(set(found.edges), set(truth.edges)),
        "lacking": len(true - learned),
        "extra": len(learned - true),
    }


def relation_measures(found: Iterable[tuple[str, str]], truth: ds.Dag) -> dict[str, float]:
    """F1 of related pairs of skills, and of the same with their direction."""
    learned, true = set(found), set(ancestor_pairs(truth))
    return {"related": f1(undirected(learned), undirected(true)), "ancestors": f1(learned, true)}


def ancestor_pairs(dag: ds.Dag) -> Iterator[tuple[str, str]]:
    for skill in dag.variables:
        for ancestor in dag.ancestors(skill):
            yield ancestor, skill


def undirected(pairs: Iterable[tuple[str, str]]) -> set[frozenset[str]]:
    return {frozenset(pair) for pair in pairs}


def f1(learned: set[Any], true: set[Any]) -> float:
    """The harmonic mean of the shares of the true ones that are learned, and of the learned ones that are true."""
    return 2 * len(learned & true) / (len(learned) + len(true))


def full_f1(structure: str) -> float:
    """F1 of adjacencies of the complete graph."""
    dag = STRUCTURES[structure]
    every, edges = dag.n * (dag.n - 1) / 2, dag.edge_count
    return 2 * edges / (every + edges)


# The tables and figures of the study.


def show_study(frame: pd.DataFrame) -> None:
    single = frame[(frame["kind"] == "single") & (frame["missing"] == 0)]
    bic = frame[(frame["method"] == "bic") & (frame["missing"] == 0)]
    named = {"single": "one skill per item", "multi": "1 to 3 skills per item", "ability": "one skill, StudentAbility"}
    for figure, kinds in (("6.6", ("single", "multi")), ("6.8", ("single", "ability"))):
        chosen = bic[bic["kind"].isin(kinds)].replace({"kind": named})
        for measure in ("adjacency", "orientation"):
            compare(f"Figure {figure}", chosen, measure, "kind", "students")
    some = frame[(frame["method"] == "bic") & (frame["kind"] == "single") & (frame["students"] == MISSING_SIZE)]
    both = some.melt([*("structure", "missing", "set")], ["adjacency", "orientation"], "measure", "f1")
    compare("Figure 6.9", both, "f1", "measure", "missing")
    against = single[(single["structure"] == "c") & single["method"].isin(("bic", "parm"))]
    against = against.replace({"method": {"bic": "COMMAND", "parm": "PARM"}})
    for measure in ("related", "ancestors"):
        compare("Figure 6.10", against, measure, "method", "students")
    show_limits(frame)
    show_refinement(frame[frame["missing"] == 0])


def compare(figure: str, frame: pd.DataFrame, measure: str, by: str, over: str) -> None:
    """Print and draw the mean of a measure and its 95 % interval, for each structure."""
    places = sorted(frame[over].unique())
    what = "F1" if measure == "f1" else f"F1, {measure}"
    lines, panels, errors = [], {}, {}
    for structure, of_structure in frame.groupby("structure"):
        title = f"({structure}) {what}"
        panels[title], errors[title] = {}, {}
        for name, part in of_structure.groupby(by, sort=False):
            groups = part.groupby(over)[measure]
            means, halves = groups.mean().reindex(places), INTERVAL * groups.sem().reindex(places)
            cells = [f"{mean:.3f} ± {half:.3f}" for mean, half in zip(means, halves, strict=True)]
            lines.append([structure, name, *cells])
            panels[title][name], errors[title][name] = means.to_numpy(), halves.to_numpy()
        if measure in ("adjacency", "f1"):
            baseline = full_f1(str(structure))
            lines.append([structure, "fully connected, adjacency", *[f"{baseline:.3f}"] * len(places)])
            panels[title]["fully connected"] = np.full(len(places), baseline)
    table(f"{figure}: {what} (mean ± 1.96 SE)", lines, ["structure", by, *map(str, places)])
    name = f"students_{figure.split()[1].replace('.', '_')}_{measure}.svg".replace("_f1", "")
    draw_curves(FIGURES / name, places, panels, over if over != "missing" else "share of missing answers", errors)


def show_limits(frame: pd.DataFrame) -> None:
    """Print what keeps COMMAND from the true structure: the score, or the search for its maximum."""
    keys = ["structure", "kind", "students", "set"]
    chosen = frame[(frame["missing"] == 0) & (frame["kind"] != "ability") & (frame["method"] != "parm")]
    true_scores = chosen[chosen["method"] == "bic"].set_index(keys)["true_score"].rename("of_truth")
    chosen = chosen.join(true_scores, on=keys)
    chosen["true_score"] = chosen["true_score"].fillna(chosen["of_truth"])
    lines = []
    for (kind, structure, students), part in chosen.groupby(["kind", "structure", "students"], sort=False):
        for method, runs in part.groupby("method", sort=False):
            gain = runs["score"] - runs["true_score"]
            f1s = (
                f"{runs[name].mean():.3f} ± {INTERVAL * runs[name].sem():.3f}" for name in ("adjacency", "orientation")
            )
            lines.append([
                kind, structure, students, method, *f1s, float(runs["lacking"].mean()), float(runs["extra"].mean()),
                int((gain > EQUAL).sum()), int((gain.abs() <= EQUAL).sum()), int((gain < -EQUAL).sum()),
                float(gain.mean()), float(runs["seconds"].mean()),
            ])  # fmt: skip
    table(
        "What limits COMMAND: F1, wrong adjacencies, data sets by the score of the model found beside that of the true "
        "structure, the mean difference of the two, and seconds of processor time",
        lines,
        ["items", "structure", "students", "method", "F1 adjacency", "F1 orientation", "lacking", "extra", "above",
         "equal", "below", "difference", "seconds"],
    )  # fmt: skip


def show_refinement(frame: pd.DataFrame) -> None:
    """Print what refinement changes, on the same data sets."""
    keys, measures = ["kind", "structure", "students", "set"], ["adjacency", "orientation", "score"]
    plain, refined = (frame[frame["method"] == name].set_index(keys)[measures] for name in ("bic", "refined"))
    change = (refined - plain).dropna()
    lines = []
    for (kind, structure), part in change.groupby(level=["kind", "structure"], sort=False):
        cells = [f"{part[name].mean():+.3f} ± {INTERVAL * part[name].sem():.3f}" for name in measures[:2]]
        up, down = int((part["adjacency"] > 0).sum()), int((part["adjacency"] < 0).sum())
        gain = part["score"]
        lines.append([kind, structure, len(part), *cells, f"{up} / {down}", int((gain > EQUAL).sum()), gain.mean()])
    table(
        "Refined minus structural EM alone: F1 of adjacencies and of directed edges, data sets with a higher / lower "
        "F1 of adjacencies, data sets with a higher score, and its mean gain",
        lines,
        ["items", "structure", "data sets", "adjacency", "orientation", "higher / lower", "score higher", "gain"],
    )


# Real data.


def data_set(name: str) -> tuple[Path, pd.DataFrame]:
    """The answers, and the Q-matrix. ``timss07_g4:content`` has its skills merged by a column of their description."""
    stem, _, merged_by = name.partition(":")
    answers = DATA / f"{stem}_items.csv"
    needs = pd.read_csv(DATA / f"{stem}_qmatrix.csv", index_col="item")
    if merged_by:
        info = pd.read_csv(DATA / f"{stem}_skillinfo.csv", index_col="skill")
        groups = info.loc[needs.columns, merged_by].to_numpy()
        needs = needs.T.groupby(groups, sort=False).max().T
    return answers if answers.exists() else answers.with_suffix(".csv.gz"), needs


# Random starts of the model, and of each fold.
REAL = {"ecpe": 10, "fraction_subtraction": 10, "fraction15": 10, "timss07_g4:content": 10, "timss07_g4:subcontent": 1}
REFINED = ("ecpe", "fraction15", "fraction_subtraction", "timss07_g4:content")
# The number of seeds of single starts; with 15 skills, one start takes minutes.
STARTS = {"ecpe": 6, "fraction15": 6, "fraction_subtraction": 6, "timss07_g4:content": 6, "timss07_g4:subcontent": 6,
          "timss07_g4": 2}  # fmt: skip


def start_one(task: Task) -> dict[str, Any]:
    """One random start on real data."""
    with quiet():
        model = ds.command(*data_set(task["data"]), restarts=1, seed=task["seed"])
    undetermined = sum(int((~np.isfinite(errors)).sum()) for errors in (*model.item_errors, *model.skill_errors))
    return {
        "log_likelihood": model.log_likelihood,
        "score": model.score,
        "edges": model.network.edge_count,
        "parameters": model.parameter_count,
        "undetermined": undetermined,
        "mastery": dict(zip(model.variables, model.mastery_shares.tolist(), strict=True)),
        "steps": model.restarts[0].steps,
    }


def evaluate_one(task: Task) -> dict[str, Any]:
    """The model of a real data set, and its cross-validation."""
    with quiet():
        model = ds.command(*data_set(task["data"]), restarts=task["restarts"], refine=task.get("refine", False))
        evaluation = model.evaluate(cv=10, seed=0, workers=task["workers"])
    return {
        "log_likelihood": model.log_likelihood,
        "score": model.score,
        "mastery": dict(zip(model.variables, model.mastery_shares.tolist(), strict=True)),
        "edges": model.to_frame().values.tolist(),
        "evaluation": evaluation.to_frame().replace(np.nan, None).to_dict("list"),
        "students": evaluation.students,
        "answers": evaluation.answers,
    }


def show_starts(frame: pd.DataFrame) -> None:
    lines = []
    for name, part in frame.groupby("data", sort=False) if len(frame) else ():
        best = part["log_likelihood"].max()
        near = part[part["log_likelihood"] > best - 0.5]
        shares = pd.DataFrame(near["mastery"].tolist())
        spread = shares.max() - shares.min()
        lines.append([
            name, shares.shape[1], int(part["parameters"].median()), f"{best:.3f}", f"{part['score'].max():.2f}",
            f"{len(near)} of {len(part)}", f"{spread.max():.3f} ({spread.idxmax()})",
            int(part["undetermined"].median()), int(part["steps"].median()),
        ])  # fmt: skip
    table(
        "Random starts that end within 0.5 of the highest log-likelihood, and how far their shares of masters differ",
        lines,
        ["data", "skills", "parameters", "log-likelihood", "best BIC", "starts", "largest difference", "undetermined",
         "E-steps"],
    )  # fmt: skip


def show_real(frame: pd.DataFrame) -> None:
    for row in frame.itertuples():
        evaluation = pd.DataFrame(row.evaluation)
        lines = [
            [one.model, f"{one.auc:.4f} ± {one.interval:.4f}", "" if pd.isna(one.p_value) else f"{one.p_value:.2g}",
             f"{one.prerequisites:.1f}"]
            for one in evaluation.itertuples()
        ]  # fmt: skip
        masters = ", ".join(f"{skill} {share:.3f}" for skill, share in row.mastery.items())
        name = f"{row.data}{', refined' if getattr(row, 'refine', False) is True else ''}"
        title = f"{name}: {row.students} students, {row.answers} answers, log-likelihood {row.log_likelihood:.3f}"
        table(f"{title}, BIC {row.score:.2f}; masters: {masters}", lines, ["model", "AUC", "p", "prerequisites"])
        edges = [[f"{source} → {target}", f"{strength:.3f}", how] for source, target, strength, how, _ in row.edges]
        table(f"{name}: prerequisites", edges, ["edge", "strength", "direction"])


# Times.


def timed(name: str, goal: float, work: Callable[[], object], repeats: int = 3) -> list[Any]:
    """A row: the shortest wall and process times."""
    walls, processes = [], []
    for _ in range(repeats):
        wall, process = time.perf_counter(), time.process_time()
        with quiet():
            work()
        walls.append(time.perf_counter() - wall)
        processes.append(time.process_time() - process)
    return [name, f"{min(walls):.2f}", f"{min(processes):.2f}", goal]


def ladder(skills: int) -> ds.Dag:
    """Prerequisites of about two for each skill."""
    names = [f"S{number}" for number in range(1, skills + 1)]
    return ds.Dag.from_edges(
        names, [(names[i], names[j]) for j in range(skills) for i in {j - 1, j // 2} if 0 <= i < j]
    )


def show_speed() -> None:
    rows = []
    for name, goal in (("ecpe", 2.0), ("fraction_subtraction", 5.0), ("fraction15", None)):
        rows.append(timed(f"{name}, 10 restarts", goal, partial(ds.command, *data_set(name))))
    for skills, goal in ((10, 20.0), (12, 90.0)):
        data = ds.simulate_students(ladder(skills), 2000, items_per_skill=60 // skills, seed=1)
        name = f"2000 students × 60 items × {skills} skills, one start"
        rows.append(timed(name, goal, partial(ds.command, data.answers, data.q_matrix, restarts=1)))
    table(f"Times of COMMAND ({machine()})", rows, ["job", "wall, s", "process, s", "goal, s"])


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("parts", nargs="*", default=PARTS, help=f"any of {', '.join(PARTS)}")
    given = options.parse_args()
    folder: Path = given.folder

    def collect(name: str, tasks: Sequence[Task], work: Callable[[Task], Mapping[str, Any]]) -> pd.DataFrame:
        path = folder / f"students_{name}.jsonl"
        return shown(path, tasks) if given.only_show else run(path, tasks, work, given.workers)

    if "study" in given.parts:
        show_study(collect("study", list(study_tasks(given.samples or SETS)), learn_one))
    if "real" in given.parts:
        chosen = [name for name in REAL if given.networks is None or name in given.networks]
        tasks = [{"data": name, "restarts": REAL[name], "workers": 1} for name in chosen]
        refined = [{**task, "refine": True} for task in tasks if task["data"] in REFINED]
        show_real(collect("real", [*tasks, *refined], evaluate_one))
        starts = [{"data": name, "seed": seed} for name, seeds in STARTS.items() for seed in range(seeds)]
        show_starts(collect("starts", starts, start_one))
    if "speed" in given.parts and not given.only_show:
        show_speed()


if __name__ == "__main__":
    main()
