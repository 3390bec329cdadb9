"""Learning from tables with missing cells: structural EM beside other rules, and beside bnlearn's.

python -m benchmarks.missing_cells [TABLE ... | shown] [--write]

Samples of asia, child, alarm and bnlearn's gaussian.test have cells removed, at random or depending on other columns.
The rules are structural EM, the node-average score pnal, complete rows only, and a level for what is missing; the same
search (ges; order for pnal, which differs within classes) maximises BIC of each. bnlearn's structural.em runs if R has
bnlearn (R_LIBS). For small tables, posteriors of the rules that have one are compared with the truth, too, by the Brier
score of adjacencies. Runs that were made before are read from ``build/missing_cells.jsonl``; ``shown``
makes no others.
"""

from __future__ import annotations

import itertools
import json
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import dagscape as ds
from benchmarks import SHARED
from benchmarks.pages import Page, words

PAGE = Page("missing-cells")

RUNS = Path(__file__).resolve().parents[1] / "build" / "missing_cells.jsonl"

TABLES = ("asia", "gaussian", "child", "alarm")
HOW, SHARES, SEEDS = ("random", "depending"), (0.1, 0.3, 0.5), (0, 1, 2)
ROWS, HELD_OUT = 1000, 5000

# Rules that find one network, and rules that have a posterior.
RULES = ("em", "bnlearn", "pnal", "drop", "level", "complete table")
POSTERIORS = ("drop", "level", "sample")
# Tables whose posteriors are computed, with a few short chains where cells are drawn.
SMALL = ("asia", "gaussian")
CHAINS = {"chains": 2, "draws": 300}

GAUSSIAN = [("A", "C"), ("B", "C"), ("B", "D"), ("A", "F"), ("D", "F"), ("E", "F"), ("G", "F")]

PATIENCE = 300

STRUCTURAL_EM = """
suppressMessages(library(bnlearn))
arguments <- commandArgs(TRUE)
measured <- arguments[2] == "gaussian"
frame <- read.csv(arguments[1], na.strings = "", stringsAsFactors = !measured)
set.seed(1)
found <- structural.em(frame, maximize.args = list(score = if (measured) "bic-g" else "bic"))
edges <- paste0('["', found$arcs[, 1], '","', found$arcs[, 2], '"]', collapse = ",")
cat("[", if (nrow(found$arcs)) edges else "", "]")
"""


def sample_of(name: str, seed: int) -> tuple[pd.DataFrame, pd.DataFrame, ds.Dag, Any]:
    """Rows to learn from, rows that are held out, the true structure, and the network (None: not known)."""
    if name == "gaussian":
        frame = pd.read_csv(SHARED / "continuous" / "gaussian_test.csv.gz")
        frame = frame.sample(frac=1, random_state=seed).reset_index(drop=True)
        return frame[:ROWS], frame[ROWS:], ds.Dag.from_edges(list(frame), GAUSSIAN), None
    network = ds.read_network(SHARED / "networks" / f"{name}.bif.gz")
    frames = [network.sample(rows, seed=[seed, part]) for part, rows in enumerate((ROWS, HELD_OUT))]
    first, second = (data.to_frame().sample(frac=1, random_state=seed).reset_index(drop=True) for data in frames)
    return first, second, network.dag, network


def with_holes(frame: pd.DataFrame, how: str, share: float, seed: int) -> pd.DataFrame:
    """Remove a share of the cells: of all columns at random; or of two thirds, by what a complete column holds."""
    rng = np.random.default_rng([seed, HOW.index(how), int(100 * share)])
    if how == "random":
        return frame.mask(rng.random(frame.shape) < share)
    columns = rng.permutation(list(frame))
    drivers = columns[: max(1, len(columns) // 3)]
    holes = pd.DataFrame(False, frame.index, frame.columns)
    for name in columns[len(drivers) :]:
        driver = frame[rng.choice(drivers)]
        codes = driver if driver.dtype.kind == "f" else driver.cat.codes
        high = (codes > codes.median()) | (codes == codes.max())
        # Nine cells of ten at most; the average is the share.
        odds = np.where(high, min(0.9, 1.6 * share), 0.4 * share)
        holes[name] = rng.random(len(frame)) < odds * share / max(odds.mean(), 1e-9)
    return frame.mask(holes)


def data_of(frame: pd.DataFrame, network: Any, missing: str) -> Any:
    """Read a table with a rule; levels are those of the network."""
    if network is None:
        return ds.NumericData.from_frame(frame, missing=missing)
    return ds.Dataset.from_frame(frame.astype(object), missing=missing, levels=dict(network.levels))


def learned(rule: str, frame: pd.DataFrame, whole: pd.DataFrame, network: Any) -> tuple[ds.Dag, Any]:
    """Return the network that a rule finds, and the data that its parameters are fitted to."""
    score = "bic-g" if network is None else "bic"
    kept = data_of(frame, network, "keep")
    if rule == "em":
        return ds.learn(kept, "ges", missing="em").network, kept
    if rule == "pnal":
        return ds.learn(kept, "order", score="pnal").network, kept
    if rule == "bnlearn":
        return _by_bnlearn(frame, "gaussian" if network is None else "discrete"), kept
    table = whole if rule == "complete table" else frame
    if rule == "level":
        data = ds.Dataset.from_frame(table.astype(object), missing="level", keep_constant=True)
        return ds.learn(data, "ges", score=score, settings="fixed", max_parents=5).network, kept
    data = data_of(table, network, "drop")
    return ds.learn(data, "ges", score=score).network, data


def _by_bnlearn(frame: pd.DataFrame, kind: str) -> ds.Dag:
    with tempfile.TemporaryDirectory() as folder:
        script, table = Path(folder, "em.R"), Path(folder, "table.csv")
        script.write_text(STRUCTURAL_EM)
        frame.to_csv(table, index=False)
        command = ["Rscript", "--vanilla", str(script), str(table), kind]
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    if done.returncode:
        raise ds.InvalidData(done.stderr.strip().splitlines()[-1])
    return ds.Dag.from_edges(list(frame), [tuple(edge) for edge in json.loads(done.stdout)])


def held_out(dag: ds.Dag, data: Any, test: pd.DataFrame, network: Any) -> float:
    """The log-likelihood of a row that was held out, with parameters fitted to all that the rule uses."""
    options: dict[str, Any] = {"missing": "em", "tolerance": 0.1} if data.has_missing else {}
    if network is None:
        return ds.GaussianNetwork.fit(dag, data, **options).log_likelihood(test) / len(test)
    return ds.Network.fit(dag, data, **options).log_likelihood(test.astype(object)) / len(test)


def run(task: dict[str, Any]) -> dict[str, Any]:
    """Make one run: the rule's network beside the truth, or its posterior."""
    whole, test, truth, network = sample_of(task["table"], task["seed"])
    frame = with_holes(whole, task["how"], task["share"], task["seed"])
    start = time.perf_counter()
    try:
        if task["what"] == "posterior":
            kept = data_of(frame, network, "keep")
            scoring = {"score": "bge" if network is None else "bdeu", "settings": "fixed"}
            found = ds.compare_missing(kept, [task["rule"]], seed=task["seed"], **scoring, **CHAINS)
            order = [truth.number(name) for name in found.variables]
            skeleton = truth.to_adjacency() | truth.to_adjacency().T
            pairs = np.triu_indices(len(order), 1)
            adjacent = (found.edges[0] + found.edges[0].T)[pairs]
            brier = float(((adjacent - skeleton[np.ix_(order, order)][pairs]) ** 2).mean())
            return {"brier": brier, "seconds": time.perf_counter() - start}
        dag, data = learned(task["rule"], frame, whole, network)
        seconds = time.perf_counter() - start
        shd = int(ds.compare(dag, truth)["shd"])
        return {"shd": shd, "held_out": held_out(dag, data, test, network), "seconds": seconds}
    except (ds.DagscapeError, subprocess.TimeoutExpired) as error:
        return {"failed": str(error)[:200]}


def tasks(tables: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """All runs."""
    for seed, table, how, share in itertools.product(SEEDS, tables, HOW, SHARES):
        cell = {"table": table, "how": how, "share": share, "seed": seed}
        for rule in RULES:
            if (rule != "bnlearn" or shutil.which("Rscript")) and not (rule == "level" and table == "gaussian"):
                yield {**cell, "what": "network", "rule": rule}
        for rule in POSTERIORS if table in SMALL else ():
            if not (rule == "level" and table == "gaussian"):
                yield {**cell, "what": "posterior", "rule": rule}


def finished(tables: tuple[str, ...]) -> pd.DataFrame:
    """Make the runs that are missing, and return all."""
    RUNS.parent.mkdir(exist_ok=True)
    lines = [json.loads(line) for line in RUNS.read_text().splitlines()] if RUNS.exists() else []
    done = {json.dumps(line["task"], sort_keys=True) for line in lines}
    for task in tasks(tables):
        if json.dumps(task, sort_keys=True) not in done:
            lines.append({"task": task, **run(task)})
            with RUNS.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(lines[-1]) + "\n")
            print(task, {name: lines[-1][name] for name in lines[-1] if name != "task"}, file=sys.stderr, flush=True)
    return pd.DataFrame(
        [{**line["task"], **{name: line.get(name) for name in line if name != "task"}} for line in lines]
    )


def shown(runs: pd.DataFrame, what: str, rules: tuple[str, ...], measure: str, digits: int) -> list[list[object]]:
    """The mean of a measure over the seeds: a row for each kind of table, and a column for each rule."""
    rows: list[list[object]] = []
    part = runs[runs["what"] == what]
    for table, how, share in itertools.product(TABLES, HOW, SHARES):
        cell = part[(part["table"] == table) & (part["how"] == how) & (part["share"] == share)]
        # Rules are compared on the same samples.
        seeds = [set(own["seed"]) for rule, own in cell.groupby("rule") if rule in rules]
        cell = cell[cell["seed"].isin(set.intersection(*seeds) if seeds else set())]
        if cell.empty:
            continue
        values = []
        for rule in rules:
            own = cell[cell["rule"] == rule]
            # A rule that failed with some seed has no mean.
            complete = len(own) and measure in own and own[measure].notna().all()
            values.append(f"{own[measure].mean():.{digits}f}" if complete else "")
        rows.append([f"{table}, {how}, {share:.0%}", *values])
    return rows


def main() -> None:
    """Measure, and print or write the tables."""
    warnings.simplefilter("ignore", ds.DagscapeWarning)
    asked = words()
    runs = finished(() if asked == ["shown"] else tuple(asked) or TABLES)
    about = f"means of up to {len(SEEDS)} seeds, {ROWS} rows; empty: a rule failed, does not apply or was not run"
    for section, caption, measure, digits in (
        ("shd", f"Structural Hamming distance between classes, {about}.", "shd", 1),
        ("held-out", f"Log-likelihood of a row that was held out, {about}.", "held_out", 3),
        ("seconds", f"Seconds to learn the structure, {about}.", "seconds", 1),
    ):
        PAGE.table(section, caption, ["table", *RULES], shown(runs, "network", RULES, measure, digits))
    caption = f"Brier score of adjacencies against the truth, {about}."
    PAGE.table("brier", caption, ["table", *POSTERIORS], shown(runs, "posterior", POSTERIORS, "brier", 4))


if __name__ == "__main__":
    main()
