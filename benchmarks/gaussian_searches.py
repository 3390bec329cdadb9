"""Searches for a network of measured columns, beside those of other packages.

python -m benchmarks.gaussian_searches [VARIABLES ...] [--write]

The peers are PyBNesian, causal-learn and bnlearn (R). They may be installed elsewhere: PEER_PYTHON is a Python that has
the first two, and R_LIBS a folder with the third; those that are not there are left out. Each runs in a process of its
own, on one thread, for at most PATIENCE seconds (default: 600).
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

import dagscape as ds
from benchmarks.gaussian import random_columns
from benchmarks.pages import Page, words
from benchmarks.timing import timed

PAGE = Page("gaussian")

ROWS = 1000

# The variables of the networks, and how many neighbours each of them has on average.
DEGREES = {30: (4,), 50: (4,), 200: (4, 8)}

# Our methods; what they maximise, with the options that give it the values of the peers.
METHODS = ("ges", "order", "mmhc")
# The search over orders goes on while it finds anything better, which takes many minutes with 200 variables.
MOST_SECONDS = 20.0
SCORES: dict[str, dict[str, str]] = {"bge": {"scale": "none"}, "bic-g": {}}

PATIENCE = float(os.environ.get("PATIENCE", "600"))

PEER_PYTHON = os.environ.get("PEER_PYTHON", sys.executable)

ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}

PYBNESIAN = """
import json, sys, time, pandas as pd, pybnesian as pb
frame = pd.read_csv(sys.argv[1])
start = time.process_time()
found = pb.hc(frame, bn_type=pb.GaussianNetworkType(), score="SCORE")
print(json.dumps({"seconds": time.process_time() - start, "edges": found.arcs()}))
"""

CAUSAL_LEARN = """
import json, sys, time, pandas as pd
from causallearn.search.ScoreBased.GES import ges
frame = pd.read_csv(sys.argv[1])
start = time.process_time()
found = ges(frame.to_numpy(), score_func="local_score_BIC_from_cov")["G"]
seconds, matrix, names = time.process_time() - start, found.graph, list(frame)
n = len(names)
arrows = [(names[i], names[j]) for i in range(n) for j in range(n) if matrix[i, j] == -1 and matrix[j, i] == 1]
lines = [(names[i], names[j]) for i in range(n) for j in range(i) if matrix[i, j] == -1 and matrix[j, i] == -1]
print(json.dumps({"seconds": seconds, "edges": arrows, "lines": lines}))
"""

BNLEARN = """
suppressMessages(library(bnlearn))
frame <- read.csv(commandArgs(TRUE)[1])
start <- proc.time()
found <- METHOD(frame, score = "SCORE")
seconds <- sum((proc.time() - start)[c("user.self", "sys.self")])
edges <- paste0('["', found$arcs[, 1], '","', found$arcs[, 2], '"]', collapse = ",")
cat("{\\"seconds\\":", seconds, ", \\"edges\\": [", edges, "]}")
"""


@dataclass(frozen=True)
class Run:
    """One search: what it maximised, its seconds of processor time, and its network; None if it took too long."""

    method: str
    score: str
    seconds: float
    network: ds.Dag | None


def our_runs(frame: pd.DataFrame) -> Iterator[Run]:
    """The searches of dagscape."""
    for score, options in SCORES.items():
        for method in METHODS:
            times, found = timed(
                lambda method=method, score=score, options=options: ds.learn(
                    frame, method, score=score, settings="fixed", seed=0, threads=1, max_seconds=MOST_SECONDS, **options
                )
            )
            yield Run(f"dagscape {method}", score, times.cpu, found.network)


def peer_runs(frame: pd.DataFrame) -> Iterator[Run]:
    """The searches of other packages, of those that are installed."""
    scripts = [(f"PyBNesian hc, {s}", s, [PEER_PYTHON], PYBNESIAN.replace("SCORE", s)) for s in ("bge", "bic")]
    scripts.append(("causal-learn ges", "bic", [PEER_PYTHON], CAUSAL_LEARN))
    if shutil.which("Rscript"):
        for method in ("hc", "tabu"):
            script = BNLEARN.replace("METHOD", method)
            scripts += [(f"bnlearn {method}", s, ["Rscript"], script.replace("SCORE", s)) for s in ("bge", "bic-g")]
    for name, score, command, script in scripts:
        found = run_peer(name.partition(",")[0], score, command, script, frame)
        if found is not None:
            yield found


def run_peer(name: str, score: str, command: list[str], script: str, frame: pd.DataFrame) -> Run | None:
    """The search of a script of another package; None if the package is not there."""
    with tempfile.TemporaryDirectory() as folder:
        table, program = Path(folder) / "table.csv", Path(folder) / "program"
        frame.to_csv(table, index=False)
        program.write_text(script)
        line = [*command, str(program), str(table)]
        try:
            done = subprocess.run(
                line, capture_output=True, text=True, timeout=PATIENCE, check=True, env=os.environ | ONE_THREAD
            )
        except subprocess.TimeoutExpired:
            return Run(name, score, PATIENCE, None)
        except (subprocess.SubprocessError, OSError):
            return None
    told = json.loads(done.stdout.strip().splitlines()[-1])
    if "lines" in told:
        return Run(
            name, score, told["seconds"], ds.Cpdag.from_edges(list(frame), told["edges"], told["lines"]).to_dag()
        )
    return Run(name, score, told["seconds"], ds.Dag.from_edges(list(frame), told["edges"]))


def rows_of(n: int, degree: int) -> Iterator[list[object]]:
    """The rows of one network."""
    frame, truth = random_columns(n, ROWS, degree)
    runs = [*our_runs(frame), *peer_runs(frame)]
    scorers = [ds.family_scores(frame, score=score, **options) for score, options in SCORES.items()]
    networks = [run.network for run in runs if run.network is not None]
    best = [max(map(scores.network, networks)) for scores in scorers]
    for run in runs:
        if run.network is None:
            yield [n, degree, run.method, run.score, f"over {run.seconds:g}", None, None, None, None]
            continue
        below = [scores.network(run.network) - top for scores, top in zip(scorers, best, strict=True)]
        shd = ds.compare(run.network, truth)["shd"]
        yield [n, degree, run.method, run.score, run.seconds, *below, shd, run.network.edge_count]


def main() -> None:
    sizes = [int(word) for word in words()] or [*DEGREES]
    # The first call of anything imports what it needs.
    for _ in our_runs(random_columns(5, 100, 2)[0]):
        pass
    PAGE.table(
        "searches",
        f"Searches on {ROWS} standardised rows of random linear networks with so many neighbours of each variable on "
        "average: what a search maximised; its seconds of processor time, on one thread ("
        f"those of dagscape end after {MOST_SECONDS:g} s by the clock); how far the score of its "
        "network is below that of the best of all networks here, in BGe and in the Gaussian BIC, both computed by "
        "dagscape; the structural Hamming distance of its class to that of the truth; and its edges.",
        ["variables", "degree", "method", "score", "seconds", "BGe below best", "BIC below best", "SHD", "edges"],
        (row for n in sizes for degree in DEGREES.get(n, (4,)) for row in rows_of(n, degree)),
    )


if __name__ == "__main__":
    main()
