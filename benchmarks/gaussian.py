"""Scores of measured columns: all families, families on demand, and searches beside other packages.

python -m benchmarks.gaussian [lattice] [demand] [searches] [--write]

The peers of ``searches`` are PyBNesian, causal-learn and bnlearn (R). They may be installed elsewhere: PEER_PYTHON is a
Python that has the first two, and R_LIBS a folder with the third; those that are not there are left out.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

import dagscape as ds
from benchmarks.pages import Page, words
from benchmarks.timing import timed
from dagscape.scores.scoring_job import prepare

PAGE = Page("gaussian")

# A peer that takes longer is stopped.
PATIENCE = 600

PEER_PYTHON = os.environ.get("PEER_PYTHON", sys.executable)

PYBNESIAN = """
import json, sys, time, pandas as pd, pybnesian as pb
frame = pd.read_csv(sys.argv[1])
start = time.perf_counter()
found = pb.hc(frame, bn_type=pb.GaussianNetworkType(), score="bge")
print(json.dumps({"seconds": time.perf_counter() - start, "edges": found.arcs()}))
"""

CAUSAL_LEARN = """
import json, sys, time, pandas as pd
from causallearn.search.ScoreBased.GES import ges
frame = pd.read_csv(sys.argv[1])
start = time.perf_counter()
found = ges(frame.to_numpy(), score_func="local_score_BIC_from_cov")["G"]
seconds, matrix, names = time.perf_counter() - start, found.graph, list(frame)
n = len(names)
arrows = [(names[i], names[j]) for i in range(n) for j in range(n) if matrix[i, j] == -1 and matrix[j, i] == 1]
lines = [(names[i], names[j]) for i in range(n) for j in range(i) if matrix[i, j] == -1 and matrix[j, i] == -1]
print(json.dumps({"seconds": seconds, "edges": arrows, "lines": lines}))
"""

BNLEARN = """
suppressMessages(library(bnlearn))
frame <- read.csv(commandArgs(TRUE)[1])
start <- proc.time()[["elapsed"]]
found <- METHOD(frame, score = "bge")
seconds <- proc.time()[["elapsed"]] - start
edges <- paste0('["', found$arcs[, 1], '","', found$arcs[, 2], '"]', collapse = ",")
cat("{\\"seconds\\":", seconds, ", \\"edges\\": [", edges, "]}")
"""


def random_columns(n: int, m: int, degree: float, seed: int = 0) -> tuple[pd.DataFrame, ds.Dag]:
    """Standardised columns of a linear network of normal variables, and its graph."""
    rng = np.random.default_rng(seed)
    order, values, edges = rng.permutation(n), np.zeros((m, n)), []
    names = [f"x{i}" for i in range(n)]
    for place, v in enumerate(order):
        parents = order[:place][rng.random(place) < degree / (n - 1)]
        weights = rng.uniform(0.5, 1.5, len(parents)) * rng.choice([-1, 1], len(parents))
        values[:, v] = values[:, parents] @ weights + rng.normal(size=m)
        values[:, v] /= values[:, v].std()
        edges += [(names[u], names[v]) for u in parents]
    frame = pd.DataFrame(values, columns=names)
    return (frame - frame.mean()) / frame.std(), ds.Dag.from_edges(names, edges)


def lattice() -> None:
    rows = []
    for m in (1000, 10_000, 100_000):
        data = ds.NumericData.from_frame(random_columns(20, m, 4)[0])
        for score in ("bge", "bic-g"):
            for threads in (1, 2):
                whole, scores = timed(lambda s=score, t=threads, d=data: ds.local_scores(d, score=s, threads=t))
                first, _ = timed(lambda s=score, d=data: prepare(d, score=s))
                rows.append([score, m, threads, first.wall, whole.wall - first.wall, scores.nbytes / 2**20])
    PAGE.table(
        "lattice",
        "All 2^20 sets of 20 columns, that is, the scores of 10,485,760 families: seconds for the first pass over the "
        "rows, and for all sets.",
        ["score", "rows", "threads", "first pass, s", "all sets, s", "MiB"],
        rows,
    )


def demand() -> None:
    rows = []
    for n in (50, 200, 500):
        scores = ds.family_scores(random_columns(n, 1000, 4)[0], score="bge", threads=1)
        for size in (0, 2, 5, 10):
            rng = np.random.default_rng(size)
            calls = []
            for _ in range(200):
                child, *parents = (int(v) for v in rng.choice(n, size + 1, replace=False))
                parents.sort()
                calls.append(timed(lambda s=scores, c=child, p=parents: s.additions_exact(c, p))[0].cpu)
            rows.append([n, size, statistics.median(calls) / (n - size - 1) * 1e6])
    PAGE.table(
        "demand",
        "BGe on demand, 1000 rows: microseconds of one processor for each family, where all variables are added to a "
        "set of parents, one at a time.",
        ["variables", "parents", "µs a family"],
        rows,
    )


def peer(command: list[str], script: str, frame: pd.DataFrame) -> dict | None:
    """What a script of another package prints, or None if it is not there or takes too long."""
    with tempfile.TemporaryDirectory() as folder:
        table, program = Path(folder) / "table.csv", Path(folder) / "program"
        frame.to_csv(table, index=False)
        program.write_text(script)
        try:
            done = subprocess.run(
                [*command, program, table], capture_output=True, text=True, timeout=PATIENCE, check=True
            )
        except (subprocess.SubprocessError, OSError):
            return None
        return json.loads(done.stdout.strip().splitlines()[-1])


def searches() -> None:
    rows = []
    for n, degree in ((50, 4), (200, 4), (200, 8)):
        frame, truth = random_columns(n, 1000, degree)
        scores = ds.family_scores(frame, score="bge", scale="none")
        runs: list[tuple[str, float, ds.Dag]] = []
        for method in ("ges", "order", "greedy", "tabu"):
            found_in, found = timed(
                lambda method=method, data=frame: ds.learn(
                    data, method=method, score="bge", scale="none", settings="fixed", seed=0, threads=1
                )
            )
            runs.append((f"dagscape {method}", found_in.wall, found.network))
        scripts = [("PyBNesian hc", [PEER_PYTHON], PYBNESIAN)]
        if n <= 50:
            scripts.append(("causal-learn ges (BIC)", [PEER_PYTHON], CAUSAL_LEARN))
        if shutil.which("Rscript"):
            scripts += [(f"bnlearn {m}", ["Rscript"], BNLEARN.replace("METHOD", m)) for m in ("hc", "tabu")]
        for name, command, script in scripts:
            if (told := peer(command, script, frame)) is not None:
                graph = (
                    ds.Cpdag.from_edges(list(frame), told["edges"], told.get("lines", [])) if "lines" in told else None
                )
                dag = graph.to_dag() if graph else ds.Dag.from_edges(list(frame), told["edges"])
                runs.append((name, told["seconds"], dag))
        totals = [sum(scores.family(v, dag.parents(v)) for v in frame) for _, _, dag in runs]
        for (name, seconds, dag), total in zip(runs, totals, strict=True):
            rows.append([n, degree, name, seconds, total - max(totals), ds.compare(dag, truth)["shd"], dag.edge_count])
    PAGE.table(
        "searches",
        "Searches with BGe on 1000 standardised rows of random linear networks, one thread: seconds; the score below "
        "that of the best (BGe of all networks, computed here); and the structural Hamming distance of the class to "
        "the truth.",
        ["variables", "degree", "method", "seconds", "score below best", "SHD", "edges"],
        rows,
    )


if __name__ == "__main__":
    parts = {"lattice": lattice, "demand": demand, "searches": searches}
    for name in words() or parts:
        parts[name]()
