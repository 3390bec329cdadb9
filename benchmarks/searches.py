"""Searches for one network side by side, on random Gaussian networks and samples of known networks.

python -m benchmarks.searches run [PROBLEM …] [METHOD …] [PROCESSES]   (default: all, and one process)
python -m benchmarks.searches peers [PROBLEM …]
python -m benchmarks.searches table [--write]

``run`` adds what each method finds on each problem to a file in ``build/``, unless it is there already, so that it can
be interrupted; ``PROBLEM`` is the beginning of the names of some problems, such as ``gaussian-100`` or ``alarm``.
``peers`` does the same for causal-learn and PyBNesian, which PEER_PYTHON may find elsewhere
(``benchmarks.gaussian_searches``), for at most PATIENCE seconds each. ``table`` compares. Each search has one thread;
all networks are scored by dagscape.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, replace
from functools import cache
from math import inf, log
from multiprocessing import get_context
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
import pandas as pd

import dagscape as ds
from benchmarks.gaussian import random_columns
from benchmarks.gaussian_searches import CAUSAL_LEARN, PATIENCE, PEER_PYTHON, PYBNESIAN, run_peer
from benchmarks.inputs import network
from benchmarks.pages import Page, words
from benchmarks.timing import timed

PAGE = Page("searches")
RECORDS = Path(os.environ.get("RECORDS", Path(__file__).resolve().parents[1] / "build" / "searches.jsonl"))

METHODS = ("ges", "xges", "boss", "grasp", "order")
# More parents than these are not looked for, so that units and tables are the same for all methods.
MOST_PARENTS = 40
# A search ends after so many seconds by the clock; with a thousand variables, after the second number.
MOST_SECONDS, MOST_SECONDS_OF_LARGE = 60.0, 300.0
LARGE = 1000

NETWORKS = ("alarm", "hailfinder", "win95pts", "andes")

OTHERS = """
import json, sys, time, pandas as pd
frame = pd.read_csv(sys.argv[1])
from causallearn.search.PermutationBased.METHOD import METHOD_LOWER
start = time.process_time()
found = METHOD_LOWER(frame.to_numpy(), score_func="local_score_BIC_from_cov", verbose=False)
seconds, matrix, names = time.process_time() - start, found.graph, list(frame)
n = len(names)
arrows = [(names[i], names[j]) for i in range(n) for j in range(n) if matrix[i, j] == -1 and matrix[j, i] == 1]
lines = [(names[i], names[j]) for i in range(n) for j in range(i) if matrix[i, j] == -1 and matrix[j, i] == -1]
print(json.dumps({"seconds": seconds, "edges": arrows, "lines": lines}))
"""

PEERS = {
    "causal-learn ges": CAUSAL_LEARN,
    "causal-learn boss": OTHERS.replace("METHOD_LOWER", "boss").replace("METHOD", "BOSS"),
    "causal-learn grasp": OTHERS.replace("METHOD_LOWER", "grasp").replace("METHOD", "GRaSP"),
    "PyBNesian hc": PYBNESIAN.replace("SCORE", "bic"),
}


def plain_columns(n: int, m: int, degree: float, seed: int) -> tuple[pd.DataFrame, ds.Dag]:
    """Standardised columns of a linear network with weights from -1 to 1 and error variances from 1 to 2; its graph."""
    rng = np.random.default_rng(seed)
    order, values, edges = rng.permutation(n), np.zeros((m, n)), []
    names = [f"x{i}" for i in range(n)]
    for place, v in enumerate(order):
        parents = order[:place][rng.random(place) < degree / (n - 1)]
        errors = rng.normal(size=m) * rng.uniform(1, 2) ** 0.5
        values[:, v] = values[:, parents] @ rng.uniform(-1, 1, len(parents)) + errors
        edges += [(names[u], names[v]) for u in parents]
    frame = pd.DataFrame(values, columns=names)
    return (frame - frame.mean()) / frame.std(), ds.Dag.from_edges(names, edges)


# Networks of random weights: moderate ones, with the penalty of the BIC and with twice the penalty, and strong ones,
# which leave little noise.
RANDOM = {"gaussian": plain_columns, "doubled": plain_columns, "strong": random_columns}


@dataclass(frozen=True)
class Problem:
    """Rows of a known network: Gaussian ones if there is a degree, and otherwise those of the network of this name."""

    name: str
    rows: int
    seed: int
    variables: int = 0
    degree: int = 0

    @property
    def key(self) -> str:
        """Its name in the records."""
        size = f"-{self.variables}-{self.degree}" if self.degree else ""
        return f"{self.name}{size}-{self.rows}-{self.seed}"

    @property
    def score(self) -> str:
        """The score that all methods maximise."""
        return "bic-g" if self.degree else "bdeu"

    @property
    def prior(self) -> str:
        """The structure prior; the BIC's penalty is half the logarithm of the number of rows for each edge."""
        return f"edge-penalty:{log(self.rows) / 2:.4f}" if self.name == "doubled" else "uniform"

    @property
    def seconds(self) -> float:
        """The time limit of a search."""
        return MOST_SECONDS_OF_LARGE if self.variables >= LARGE else MOST_SECONDS


def problems() -> Iterator[Problem]:
    for variables in (100, 200, 500, LARGE):
        for degree in (4, 10, 20):
            for rows in (500, 10_000):
                yield Problem("gaussian", rows, 0, variables, degree)
                yield Problem("doubled", rows, 0, variables, degree)
    for variables in (500, LARGE):
        for degree in (4, 10, 20):
            yield Problem("strong", 10_000, 0, variables, degree)
    for name in NETWORKS:
        for rows in (500, 10_000):
            for seed in range(2):
                yield Problem(name, rows, seed)


def sample(problem: Problem) -> tuple[ds.Dataset | pd.DataFrame, ds.Dag]:
    """The rows, and the graph of the truth."""
    if problem.degree:
        return RANDOM[problem.name](problem.variables, problem.rows, problem.degree, problem.seed)
    truth = network(problem.name)
    return truth.sample(problem.rows, seed=problem.seed), truth.dag


@cache
def scores(problem: Problem) -> ds.LocalScores:
    data, _ = sample(problem)
    return ds.family_scores(
        data, score=problem.score, structure_prior=problem.prior, max_parents=MOST_PARENTS, threads=1
    )


@dataclass(frozen=True)
class Row:
    """What a method finds: its score, whether it ended by itself, and how its class compares with that of the truth."""

    problem: str
    method: str
    wall: float
    cpu: float
    complete: bool
    score: float
    edges: int
    adjacency_precision: float
    adjacency_recall: float
    arrow_precision: float
    arrow_recall: float
    shd: int


def row_of(problem: Problem, method: str, found: ds.Dag, wall: float, cpu: float, *, complete: bool) -> Row:
    _, truth = sample(problem)
    mine, true = found.to_cpdag(), truth.to_cpdag()
    edges, right = ({frozenset(edge) for edge in dag.edges} for dag in (found, truth))
    arrows, right_arrows = set(mine.directed_edges), set(true.directed_edges)
    return Row(
        problem.key,
        method,
        wall,
        cpu,
        complete,
        scores(problem).network(found),
        len(edges),
        _share(edges & right, edges),
        _share(edges & right, right),
        _share(arrows & right_arrows, arrows),
        _share(arrows & right_arrows, right_arrows),
        ds.compare(found, truth)["shd"],
    )


def _share(part: set[Any], whole: set[Any]) -> float:
    return len(part) / len(whole) if whole else 1.0


def search(problem: Problem, method: str) -> Row:
    """Run one of our methods, from the rows to the network."""
    data, _ = sample(problem)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        times, found = timed(
            lambda: ds.learn(
                data,
                method,
                score=problem.score,
                structure_prior=problem.prior,
                max_parents=MOST_PARENTS,
                settings="fixed",
                threads=1,
                max_seconds=problem.seconds,
            )
        )
    return row_of(problem, method, found.network, times.wall, times.cpu, complete=found.complete)


def recorded() -> list[Row]:
    if not RECORDS.exists():
        return []
    return [Row(**json.loads(line)) for line in RECORDS.read_text(encoding="utf-8").splitlines()]


def record(row: Row) -> None:
    RECORDS.parent.mkdir(exist_ok=True)
    with RECORDS.open("a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(row)) + "\n")
    print(row.problem, row.method, f"{row.cpu:.1f} s, score {row.score:.1f}, distance {row.shd}", flush=True)


def run(chosen: Sequence[Problem], methods: Sequence[str], processes: int) -> None:
    """Run some of our methods, those that may take longest first."""
    done = {(row.problem, row.method) for row in recorded()}
    jobs = [(problem, method) for problem in chosen for method in methods if (problem.key, method) not in done]
    jobs.sort(key=lambda job: (-job[0].seconds, -job[0].variables * job[0].degree, METHODS.index(job[1])))
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        for future in as_completed([pool.submit(search, *job) for job in jobs]):
            record(future.result())


def run_peers(chosen: Sequence[Problem]) -> None:
    """Run the methods of other packages on Gaussian columns."""
    done = {(row.problem, row.method) for row in recorded()}
    for problem in chosen:
        if problem.name not in ("gaussian", "strong"):
            continue
        frame, _ = sample(problem)
        for name, script in PEERS.items():
            if (problem.key, name) in done:
                continue
            found = run_peer(name, "bic", [PEER_PYTHON], script, frame)
            if found is None:
                print(f"{name} is not there", flush=True)
            elif found.network is not None:
                record(row_of(problem, name, found.network, found.seconds, found.seconds, complete=True))
            else:
                nothing = row_of(problem, name, ds.Dag.from_edges(list(frame)), PATIENCE, PATIENCE, complete=False)
                record(replace(nothing, score=-inf))


def table() -> None:
    """Show averages over the seeds."""
    found = {(row.problem, row.method): row for row in recorded()}
    best: dict[str, float] = {}
    for row in found.values():
        best[row.problem] = max(row.score, best.get(row.problem, row.score))
    headers = ["rows", "method", "below best", "precision", "recall", "of arrows", "recall of arrows", "SHD"]
    headers += ["processor, s", "clock, s"]

    def rows_of(groups: dict[tuple[object, ...], list[Problem]]) -> Iterator[list[object]]:
        for group, members in groups.items():
            for method in (*METHODS, *PEERS):
                rows = [found[member.key, method] for member in members if (member.key, method) in found]
                if len(rows) < len(members):
                    continue
                if any(row.score == -inf for row in rows):
                    yield [*group, method, *[None] * 6, f"over {rows[0].cpu:g}", None]
                    continue
                mark = "" if all(row.complete for row in rows) else " *"
                yield [
                    *group,
                    f"{method}{mark}",
                    round(mean(best[row.problem] - row.score for row in rows), 1),
                    *(
                        f"{mean(getattr(row, name) for row in rows):.3f}"
                        for name in ("adjacency_precision", "adjacency_recall", "arrow_precision", "arrow_recall")
                    ),
                    round(mean(row.shd for row in rows)),
                    round(mean(row.cpu for row in rows), 1),
                    round(mean(row.wall for row in rows), 1),
                ]

    caption = (
        "How far the score is below the best of all methods here, in nats; precision and recall of adjacencies, and of "
        "the arrows of classes; the structural Hamming distance of "
        f"classes; and seconds. A star: the time limit ended a search, after {MOST_SECONDS:g} s, or "
        f"{MOST_SECONDS_OF_LARGE:g} s with {LARGE} variables. One thread."
    )
    groups: dict[str, dict[tuple[object, ...], list[Problem]]] = {
        "gaussian": {},
        "doubled": {},
        "strong": {},
        "discrete": {},
    }
    for problem in problems():
        if problem.degree:
            group = (problem.variables, problem.degree, problem.rows)
            groups[problem.name].setdefault(group, []).append(problem)
        else:
            groups["discrete"].setdefault((problem.name, problem.rows), []).append(problem)
    measured = "by variables and neighbours of each on average, with the Gaussian BIC"
    for section, what in (
        ("gaussian", f"Random linear networks with weights from -1 to 1, {measured}. "),
        ("doubled", f"The same networks, {measured}, whose penalty is doubled. "),
        ("strong", f"Random linear networks with weights from 0.5 to 1.5 of standardised parents, {measured}. "),
    ):
        if rows := list(rows_of(groups[section])):
            PAGE.table(section, what + caption, ["variables", "degree", *headers], rows)
    PAGE.table(
        "discrete",
        f"Two samples of each of some known networks, with BDeu and an equivalent sample size of 1. {caption}",
        ["network", *headers],
        rows_of(groups["discrete"]),
    )


def main() -> None:
    command, *rest = words() or ["table"]
    counts = [int(word) for word in rest if word.isdigit()]
    methods = [word for word in rest if word in METHODS] or METHODS
    starts = tuple(word for word in rest if not word.isdigit() and word not in METHODS)
    chosen = [
        problem
        for problem in problems()
        if not starts or any(f"{problem.key}-".startswith(f"{start}-") for start in starts)
    ]
    if command == "run":
        run(chosen, methods, counts[0] if counts else 1)
    elif command == "peers":
        run_peers(chosen)
    elif command == "table":
        table()
    else:
        sys.exit(f"{command!r} is not run, peers or table")


if __name__ == "__main__":
    main()
