"""The experiments of chapter 6 of [chen2016] on prerequisites of skills, run again, and the times of COMMAND.

python -m benchmarks.students [study] [real] [speed] [--samples 10] [--only-show] [--write]

``study`` simulates students (figures 6.6, 6.8, 6.9 and 6.10), ``real`` learns from the data sets at hand and
cross-validates, ``speed`` measures times. Finished runs are kept in the folder of the runs; figures are drawn to
``build/figures/students_*.svg``.
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
from benchmarks import SHARED
from benchmarks.experiments import Task, parser, quiet, run, shown
from benchmarks.pages import FIGURES, Page, show
from benchmarks.timing import best_times
from dagscape.drawing.curves import draw_curves
from dagscape.student.learning.parm import parm
from dagscape.student.model.network import Simulated
from dagscape.student.model.simulate import STRUCTURES, draw_model

STUDY_PAGE, PAGE = Page("students-simulated"), Page("students")
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

NAMED = {"single": "one skill per item", "multi": "1 to 3 skills per item", "ability": "one skill, StudentAbility"}


def show_study(frame: pd.DataFrame) -> None:
    FIGURES.mkdir(parents=True, exist_ok=True)
    single = frame[(frame["kind"] == "single") & (frame["missing"] == 0)]
    bic = frame[(frame["method"] == "bic") & (frame["missing"] == 0)].replace({"kind": NAMED})
    for measure, what in (("adjacency", "adjacencies (table 6.2)"), ("orientation", "directed edges (table 6.3)")):
        compare(measure, f"F1 of {what}, by the number of students", bic, measure, "kind", "students")
        for figure, kinds in (("6_6", ("single", "multi")), ("6_8", ("single", "ability"))):
            chosen = bic[bic["kind"].isin([NAMED[kind] for kind in kinds])]
            draw(f"students_{figure}_{measure}", chosen, measure, "kind", "students")
    some = frame[(frame["method"] == "bic") & (frame["kind"] == "single") & (frame["students"] == MISSING_SIZE)]
    both = some.melt([*("structure", "missing", "set")], ["adjacency", "orientation"], "measure", "f1")
    compare("missing", f"F1 by the share of missing answers, {MISSING_SIZE} students", both, "f1", "measure", "missing")
    draw("students_6_9", both, "f1", "measure", "missing")
    against = single[(single["structure"] == "c") & single["method"].isin(("bic", "parm"))]
    against = against.replace({"method": {"bic": "COMMAND", "parm": "PARM"}})
    directed = against.assign(related=against["ancestors"], method=against["method"] + ", with direction")
    caption = "F1 of related pairs of skills (figure 6.10)"
    compare("related", caption, pd.concat([against, directed]), "related", "method", "students")
    for measure in ("related", "ancestors"):
        draw(f"students_6_10_{measure}", against, measure, "method", "students")
    show_limits(frame)
    show_refinement(frame[frame["missing"] == 0])


Intervals = dict[str, dict[str, pd.DataFrame]]


def intervals(frame: pd.DataFrame, measure: str, by: str, over: str) -> Intervals:
    """The mean of a measure and half the width of its 95 % interval, for each structure and name."""
    found: Intervals = {}
    for structure, of_structure in frame.groupby("structure"):
        for name, part in of_structure.groupby(by, sort=False):
            groups = part.groupby(over)[measure]
            both = pd.DataFrame({"mean": groups.mean(), "half": INTERVAL * groups.sem()})
            found.setdefault(str(structure), {})[str(name)] = both.reindex(sorted(frame[over].unique()))
    return found


def compare(section: str, caption: str, frame: pd.DataFrame, measure: str, by: str, over: str) -> None:
    """Print the means, with those of the complete graph for adjacencies."""
    lines = []
    for structure, named in intervals(frame, measure, by, over).items():
        lines += [[structure, name, *interval_cells(both)] for name, both in named.items()]
        if measure == "adjacency":
            lines.append([structure, "fully connected", *[f"{full_f1(structure):.3f}"] * frame[over].nunique()])
    headers = ["structure", by, *(f"{place:g}" for place in sorted(frame[over].unique()))]
    STUDY_PAGE.table(section, f"{caption}: mean ± 1.96 SE.", headers, lines)


def interval_cells(both: pd.DataFrame) -> list[str]:
    return [f"{mean:.3f} ± {half:.3f}" for mean, half in both.itertuples(index=False)]


def draw(name: str, frame: pd.DataFrame, measure: str, by: str, over: str) -> None:
    """Draw the means and their intervals, a panel for each structure."""
    panels: dict[str, dict[str, Any]] = {}
    errors: dict[str, dict[str, Any]] = {}
    places = sorted(frame[over].unique())
    for structure, named in intervals(frame, measure, by, over).items():
        title = f"({structure}) F1{'' if measure == 'f1' else f', {measure}'}"
        panels[title] = {label: both["mean"].to_numpy() for label, both in named.items()}
        errors[title] = {label: both["half"].to_numpy() for label, both in named.items()}
        if measure in ("adjacency", "f1"):
            panels[title]["fully connected"] = np.full(len(places), full_f1(structure))
    label = over if over != "missing" else "share of missing answers"
    draw_curves(FIGURES / f"{name}.svg", places, panels, label, errors)


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
    show(
        "What limits COMMAND: F1, wrong adjacencies, data sets by the score of the model found beside that of the true "
        "structure, the mean difference of the two, and seconds of processor time",
        ["items", "structure", "students", "method", "F1 adjacency", "F1 orientation", "lacking", "extra", "above",
         "equal", "below", "difference", "seconds"],
        lines,
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
        better = int((gain > EQUAL).sum())
        lines.append([NAMED[kind], structure, len(part), *cells, f"{up} / {down}", better, float(gain.mean())])
    STUDY_PAGE.table(
        "refinement",
        "Refined minus structural EM alone, on the same data sets of all sizes: F1, data sets with a higher / lower F1 "
        "of adjacencies, data sets with a higher BIC, and its mean gain.",
        ["items", "structure", "data sets", "adjacencies", "directed edges", "higher / lower", "BIC higher", "gain"],
        lines,
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
    show(
        "Random starts that end within 0.5 of the highest log-likelihood, and how far their shares of masters differ",
        ["data", "skills", "parameters", "log-likelihood", "best BIC", "starts", "largest difference", "undetermined",
         "E-steps"],
        lines,
    )  # fmt: skip


def show_real(frame: pd.DataFrame) -> None:
    """A column for each data set: the area under the curve of every model, and p against COMMAND; and all edges."""
    areas: dict[str, dict[str, str]] = {}
    edges = []
    for row in frame.itertuples():
        refined = getattr(row, "refine", False) is True
        column = areas.setdefault(row.data, {})
        for one in pd.DataFrame(row.evaluation).itertuples():
            p = "" if pd.isna(one.p_value) else f" ({one.p_value:.1g})"
            if not refined:
                column[one.model] = f"{one.auc:.4f} ± {one.interval:.4f}{p}"
            elif one.model == "command":
                column["command, refined"] = f"{one.auc:.4f} ± {one.interval:.4f}"
        found = ", ".join(f"{source} → {target} {strength:.3f}" for source, target, strength, *_ in row.edges)
        edges.append([f"{row.data}{', refined' if refined else ''}", f"{row.score:.2f}", found])
    models = list(dict.fromkeys(model for column in areas.values() for model in column))
    PAGE.table(
        "areas",
        "Ten folds; structure and parameters are learned again in each. Area under the ROC curve: mean ± 1.96 SE over "
        "folds; in brackets p of the paired t-test against COMMAND, not corrected for the number of tests.",
        ["model", *areas],
        [[model, *(column.get(model, "") for column in areas.values())] for model in models],
    )
    PAGE.table(
        "prerequisites",
        "Prerequisites of all students, with P(skill not mastered | prerequisite not mastered).",
        ["data", "BIC", "prerequisites"],
        edges,
    )


# Times.


def ladder(skills: int) -> ds.Dag:
    """Prerequisites of about two for each skill."""
    names = [f"S{number}" for number in range(1, skills + 1)]
    return ds.Dag.from_edges(
        names, [(names[i], names[j]) for j in range(skills) for i in {j - 1, j // 2} if 0 <= i < j]
    )


def show_speed() -> None:
    rows = []

    def measure(job: str, *arguments: Any, **options: Any) -> None:
        with quiet():
            times, _ = best_times(3, partial(ds.command, *arguments, **options))
        rows.append([job, *times])

    for name in ("ecpe", "fraction_subtraction", "fraction15"):
        measure(f"{name}, 10 restarts", *data_set(name))
    for skills in (10, 12):
        data = ds.simulate_students(ladder(skills), 2000, items_per_skill=60 // skills, seed=1)
        measure(f"2000 students × 60 items × {skills} skills, one start", data.answers, data.q_matrix, restarts=1)
    PAGE.table("times", "Times of COMMAND, all cores.", ["job", "seconds", "processor, s"], rows)


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
