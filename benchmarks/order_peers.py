"""The search over orders side by side with bnlearn, pyAgrum, PyBNesian and BiDAG, on 42 samples of 7 networks.

python -m benchmarks.order_peers run [PROGRAM …]    (default: all that are installed)
python -m benchmarks.order_peers before             (under the package of an earlier version)
python -m benchmarks.order_peers equal
python -m benchmarks.order_peers table [--write]
python -m benchmarks.order_peers few [--write]

``run`` adds the score and the time of every program on every sample to a file in ``build/``, unless they are there
already, so that it can be interrupted. ``equal`` runs the search once more for every peer that took less time than the
search, with the time of the peer as the limit. ``table`` compares. ``few`` takes the first columns of the largest
samples, for which the optimum can be found exactly. All programs maximise BDeu with an equivalent sample
size of 1 and no limit on parents, on one thread; all networks are scored by dagscape, and times are those of the
processor, without reading data and starting programs. R is called as ``Rscript``, with the libraries of ``R_LIBS``.
"""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import pandas as pd

import dagscape as ds
from benchmarks.inputs import network
from benchmarks.pages import Page, words
from benchmarks.timing import is_installed, timed

PAGE = Page("order-peers")
RECORDS = Path(__file__).resolve().parents[1] / "build" / "order_peers.jsonl"

NETWORKS = ("child", "insurance", "water", "alarm", "hailfinder", "hepar2", "win95pts")
ROWS = (500, 1000, 2000, 5000, 10_000, 20_000)

# BiDAG takes minutes with more rows or variables, and is stopped after so many seconds of the processor.
BIDAG_ROWS = (1000,)
R_SECONDS = 150
FEW_COLUMNS = 16

# Nats that make no difference.
TIE = 0.005
# Runs with different limits, until one takes the wanted time of the processor.
ATTEMPTS = 12

Edges = list[tuple[str, str]]
Sample = tuple[str, int]


@cache
def sample(name: str, rows: int) -> ds.Dataset:
    """Rows of a network with the levels that occur; columns of one level are left out."""
    frame = network(name).sample(rows, seed=1).to_frame().astype(str)
    return ds.Dataset.from_frame(frame)


def pyagrum_climb(frame: pd.DataFrame, method: str) -> tuple[float, Edges]:
    import pyagrum

    learner = pyagrum.BNLearner(frame)
    learner.setNumberOfThreads(1)
    learner.useScoreBDeu()
    if method == "tabu":
        learner.useLocalSearchWithTabuList(100, 10)
    else:
        learner.useGreedyHillClimbing()
    times, found = timed(learner.learnBN)
    return times.cpu, [(found.variable(u).name(), found.variable(v).name()) for u, v in found.arcs()]


def pybnesian_climb(frame: pd.DataFrame) -> tuple[float, Edges]:
    import pybnesian

    categories = frame.astype("category")
    start = pybnesian.DiscreteBN(list(frame.columns))

    def climb() -> Any:
        score, operators = pybnesian.BDe(categories, iss=1.0), pybnesian.ArcOperatorSet()
        return pybnesian.GreedyHillClimbing().estimate(operators, score, start, patience=10)

    times, found = timed(climb)
    return times.cpu, list(found.arcs())


# Each program prints the seconds of the processor, and then the edges.
R_START = """
arguments <- commandArgs(trailingOnly = TRUE)
data <- read.csv(arguments[1], colClasses = "factor", check.names = FALSE)
show <- function(time, edges) {
    cat("seconds", sum(time[c("user.self", "sys.self")]), "\\n")
    write.table(edges, quote = FALSE, sep = "\\t", row.names = FALSE, col.names = FALSE)
}
"""
R_BNLEARN = """
suppressMessages(library(bnlearn))
time <- system.time(found <- METHOD(data, score = "bde", iss = 1))
show(time, arcs(found))
"""
R_BIDAG = """
suppressMessages(library(BiDAG))
set.seed(1)
numbers <- as.data.frame(lapply(data, function(column) as.integer(column) - 1))
names(numbers) <- paste0("v", seq_along(data))
time <- system.time({
    score <- scoreparameters("bdecat", numbers, bdecatpar = list(chi = 1, edgepf = 1))
    found <- iterativeMCMC(score, verbose = FALSE)
})
pairs <- which(as.matrix(getDAG(found)) != 0, arr.ind = TRUE)
show(time, cbind(names(data)[pairs[, 1]], names(data)[pairs[, 2]]))
"""


def r_search(frame: pd.DataFrame, program: str) -> tuple[float, Edges] | None:
    """Run a program of R; None if it does not end in time."""
    with tempfile.TemporaryDirectory() as folder:
        table, script = Path(folder, "data.csv"), Path(folder, "search.R")
        frame.to_csv(table, index=False)
        script.write_text(R_START + program, encoding="utf-8")
        command = ["prlimit", f"--cpu={R_SECONDS}:{R_SECONDS + 1}", "Rscript", "--vanilla", str(script), str(table)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == -signal.SIGXCPU:
        return None
    if done.returncode:
        print(done.stderr, file=sys.stderr)
        return None
    first, *lines = done.stdout.splitlines()
    edges = [tuple(line.split("\t")) for line in lines]
    return float(first.split()[1]), [(parent, child) for parent, child in edges]


def own(data: ds.Dataset, method: str, **options: Any) -> tuple[float, Edges]:
    times, found = timed(partial(ds.learn, data, method, settings="fixed", threads=1, **options))
    return times.cpu, list(found.network.edges)


def has_r(package: str) -> bool:
    if shutil.which("Rscript") is None:
        return False
    command = ["Rscript", "--vanilla", "-e", f"library({package})"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


PEERS: dict[str, Callable[[pd.DataFrame], tuple[float, Edges] | None]] = {
    "bnlearn hc": partial(r_search, program=R_BNLEARN.replace("METHOD", "hc")),
    "bnlearn tabu": partial(r_search, program=R_BNLEARN.replace("METHOD", "tabu")),
    "pyagrum greedy": partial(pyagrum_climb, method="greedy"),
    "pyagrum tabu": partial(pyagrum_climb, method="tabu"),
    "pybnesian": pybnesian_climb,
    "BiDAG": partial(r_search, program=R_BIDAG),
}
OWN = ("order", "ges", "tabu", "greedy")


def installed(peer: str) -> bool:
    package = peer.split()[0]
    return has_r(package) if package in ("bnlearn", "BiDAG") else is_installed(package)


def samples(program: str) -> Iterator[Sample]:
    for name in NETWORKS:
        yield from ((name, rows) for rows in (BIDAG_ROWS if program == "BiDAG" else ROWS))


Records = dict[tuple[str, int, str], dict[str, Any]]


def records() -> Records:
    lines = RECORDS.read_text(encoding="utf-8").splitlines() if RECORDS.exists() else []
    found = map(json.loads, lines)
    return {(one["network"], one["rows"], one["program"]): one for one in found}


def record(where: Sample, program: str, found: tuple[float, Edges] | None) -> None:
    """Add a line to the file; a program that did not end has no score."""
    name, rows = where
    line: dict[str, Any] = {"network": name, "rows": rows, "program": program}
    if found is not None:
        data = sample(name, rows)
        dag = ds.Dag.from_edges(data.variables, found[1])
        line |= {"seconds": found[0], "score": ds.family_scores(data, threads=1).network(dag)}
    RECORDS.parent.mkdir(exist_ok=True)
    with RECORDS.open("a", encoding="utf-8") as file:
        print(json.dumps(line), file=file)
    print(line, flush=True)


def run(programs: list[str]) -> None:
    """Run programs on all samples, those of the package included."""
    for program in programs:
        for where in samples(program):
            if (*where, program) in records():
                continue
            data = sample(*where)
            if program in PEERS:
                record(where, program, PEERS[program](data.to_frame().astype(str)))
            else:
                record(where, program, own(data, "order" if program == "before" else program))


def equal() -> None:
    """Run the search in the time of each peer that took less."""
    known = records()
    for (name, rows, program), peer in known.items():
        ours, label = known.get((name, rows, "order")), f"order as {program}"
        if program not in PEERS or "score" not in peer or ours is None or (name, rows, label) in known:
            continue
        if peer["seconds"] < ours["seconds"]:
            record((name, rows), label, in_time(sample(name, rows), peer["seconds"]))


def in_time(data: ds.Dataset, seconds: float) -> tuple[float, Edges]:
    """The search in so many seconds of the processor, which is less than a time limit says if other programs run."""
    limit, best = seconds, None
    for _ in range(ATTEMPTS):
        used, edges = own(data, "order", max_seconds=limit)
        if used <= seconds:
            best = max(best or (0.0, edges), (used, edges), key=lambda found: found[0])
        if 0.9 * seconds <= used <= seconds:
            break
        limit *= min(max(0.95 * seconds / used, 0.2), 3.0)
    return best or own(data, "order", max_seconds=seconds / 10)


def lead(known: Records, where: Sample, program: str) -> float:
    """How many nats the search is ahead of a peer in no more than the peer's time."""
    ours = known.get((*where, f"order as {program}"), known[(*where, "order")])
    return float(ours["score"] - known[(*where, program)]["score"])


def peer_cell(known: Records, where: Sample, program: str) -> str:
    peer = known.get((*where, program))
    if peer is None:
        return ""
    if "score" not in peer:
        return f"over {R_SECONDS} s"
    return f"{lead(known, where, program):.2f} ({peer['seconds']:.2f})"


def table() -> None:
    known = records()
    rows = []
    for where in samples("order"):
        order, before = known[(*where, "order")], known[(*where, "before")]
        own = [f"{one[key]:.2f}" for one in (before, order) for key in ("score", "seconds")]
        cells = [peer_cell(known, where, program) for program in PEERS]
        rows.append([*where, *own, f"{order['score'] - before['score']:.2f}", *cells])
    PAGE.table(
        "peers",
        "BDeu, ess 1, no limit on parents, one thread, seconds of the processor. Before and after: the score of "
        "`order` and its seconds without a time limit. For each peer: how many nats `order` is ahead of it in no more "
        "than the peer's time, and the peer's seconds; negative: the peer is ahead.",
        ["network", "rows", "before", "s", "order", "s", "gain", *PEERS],
        rows,
    )
    PAGE.table(
        "summary",
        "In the time of each peer: on how many samples `order` is ahead, equal and behind, the longest time of a peer "
        "that is ahead, and on how many samples `order` without a limit is behind.",
        ["peer", "ahead", "equal", "behind", "longest, s", "behind without a limit"],
        [[program, *_standing(known, program)] for program in PEERS],
    )
    PAGE.table(
        "methods",
        "Other methods of `learn` on the same samples: on how many their network is better, equal or worse than "
        "bnlearn's `hc` and `tabu`, and the sums of the seconds.",
        ["method", "against hc", "against tabu", "seconds", "hc, s", "tabu, s"],
        [[method, *_behind(known, method)] for method in ("ges", "tabu", "greedy")],
    )


def _standing(known: Records, program: str) -> list[object]:
    compared = [where for where in samples(program) if "score" in known.get((*where, program), {})]
    leads = {where: lead(known, where, program) for where in compared}
    behind = [where for where, nats in leads.items() if nats < -TIE]
    ahead = sum(nats > TIE for nats in leads.values())
    longest = max((known[(*where, program)]["seconds"] for where in behind), default=None)
    unlimited = sum(known[(*where, "order")]["score"] < known[(*where, program)]["score"] - TIE for where in compared)
    return [ahead, len(leads) - ahead - len(behind), len(behind), longest, unlimited]


def _behind(known: Records, method: str) -> list[object]:
    cells: list[object] = []
    seconds = []
    for peer in ("bnlearn hc", "bnlearn tabu"):
        pairs = [(known[(*where, method)], known[(*where, peer)]) for where in samples(peer) if (*where, peer) in known]
        gains = [own["score"] - other["score"] for own, other in pairs]
        better, worse = sum(gain > TIE for gain in gains), sum(gain < -TIE for gain in gains)
        cells.append(f"{better} / {len(gains) - better - worse} / {worse}")
        seconds.append(f"{sum(other['seconds'] for _, other in pairs):.1f}")
    own_seconds = sum(known[(*where, method)]["seconds"] for where in samples(method))
    return [*cells, f"{own_seconds:.1f}", *seconds]


def few() -> None:
    """The first columns of 20,000 rows: by the exact method where it is fast, and by the search."""
    rows = []
    for name in NETWORKS:
        data = sample(name, ROWS[-1])
        part = data.select(data.variables[:FEW_COLUMNS])
        (default, found), (searching, searched) = (
            timed(partial(ds.learn, part, settings="fixed", threads=1, exact=exact)) for exact in (True, False)
        )
        proved = "yes" if found.details["proved_optimal"] else "no"
        rows.append([name, f"{found.score:.2f}", proved, default.cpu, f"{searched.score:.2f}", searching.cpu])
    PAGE.table(
        "few",
        f"The first {FEW_COLUMNS} columns of {ROWS[-1]:,} rows: the default, and `exact=False`; seconds of the "
        "processor, one thread.",
        ["network", "order", "proved", "s", "search", "s"],
        rows,
    )


def main() -> None:
    match words():
        case ["run", *programs]:
            run(programs or [*OWN, *filter(installed, PEERS)])
        case ["before"]:
            run(["before"])
        case ["equal"]:
            equal()
        case ["table"]:
            table()
        case ["few"]:
            few()
        case _:
            raise SystemExit(__doc__)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
