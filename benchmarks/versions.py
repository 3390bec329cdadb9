"""Comparison of two versions of dagscape: the same jobs, run in turn, and the ratio of their times.

python -m benchmarks.versions OTHER_PYTHON [ROUNDS]

OTHER_PYTHON is the interpreter of a virtual environment with the other version ("before"); this one is "after". Every
job uses only public names, so one file measures both.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import PIPE

import dagscape as ds
from benchmarks import SHARED
from benchmarks.inputs import binary_scores, independent_columns, network, sampled_scores, table
from benchmarks.pages import show
from benchmarks.timing import best_of, machine

ROOT = Path(__file__).resolve().parents[1]

Job = tuple[str, int, Callable[[], object]]


def votes() -> ds.Dataset:
    return table("house_votes_84", missing="level")


def scoring() -> Iterator[Job]:
    data = votes()
    yield "scores: Votes, all sets, 1 thread", 5, lambda: ds.local_scores(data, threads=1)
    few = independent_columns(20, 5000, 2)
    yield (
        "scores: n=20, 5000 rows, binary, 4 parents, 1 thread",
        5,
        lambda: ds.local_scores(few, max_parents=4, threads=1),
    )
    many = independent_columns(20, 5000, 3)
    yield "scores: n=20, ternary, all sets", 1, lambda: ds.local_scores(many)
    alarm = table("gobnilp_alarm_10000")
    yield "scores: ALARM, 10,000 rows, 4 parents", 2, lambda: ds.local_scores(alarm, max_parents=4)


def files() -> Iterator[Job]:
    yield "data: read ALARM, 10,000 rows, gzipped", 3, lambda: table("gobnilp_alarm_10000")
    scores = ds.local_scores(votes(), max_parents=4)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "votes.jkl")
        yield "scores: write .jkl, Votes, 4 parents", 3, lambda: ds.write_scores(scores, path)
        yield "scores: read .jkl, Votes, 4 parents", 3, lambda: ds.read_scores(path)


def graphs() -> Iterator[Job]:
    dags = [ds.random_dag(20, 2.0, seed=i) for i in range(300)]
    yield "graphs: 300 DAGs of 20 to CPDAGs, one by one", 5, lambda: [dag.to_cpdag() for dag in dags]
    wide = [ds.random_dag(200, 2.0, seed=i).to_cpdag() for i in range(5)]
    yield "graphs: class sizes of 5 DAGs of 200", 5, lambda: [cpdag.size() for cpdag in wide]
    andes = network("andes")
    yield "networks: read andes.bif.gz", 3, lambda: ds.read_network(SHARED / "networks" / "andes.bif.gz")
    alarm = network("alarm")
    yield "networks: 100,000 rows of alarm", 3, lambda: alarm.sample(100_000, seed=1)
    other = ds.random_dag(andes.variables, 1.5, seed=1)
    yield "graphs: compare two of 223 variables", 5, lambda: ds.compare(other, andes)
    yield "drawing: andes as SVG", 2, lambda: ds.draw(andes)


def posteriors() -> Iterator[Job]:
    zoo = ds.local_scores(table("zoo", missing="level"))
    yield "posterior: DAGs, Zoo, n=17", 3, lambda: ds.posterior(zoo)
    for n, repeats in ((15, 3), (17, 3), (20, 1)):
        scores = binary_scores(n)
        yield f"posterior: DAGs, n={n}, 4 parents", repeats, lambda s=scores: ds.posterior(s)
    paths = binary_scores(12, None)
    yield "posterior: all paths, n=12", 3, lambda: ds.posterior(paths, via="all")
    dense = binary_scores(16, None)
    yield "posterior: orders, n=16, no limit", 3, lambda: ds.posterior(dense, "orders")
    for n, repeats in ((20, 3), (24, 1)):
        scores = binary_scores(n)
        yield f"posterior: orders, n={n}, 4 parents", repeats, lambda s=scores: ds.posterior(s, "orders")


def best() -> Iterator[Job]:
    tic = ds.load_dataset("tic-tac-toe")
    yield "best: tic-tac-toe, k=10,000, with averages", 2, lambda: ds.k_best(ds.local_scores(tic), 10_000).edges
    data = votes()
    for k in (100, 1000):
        yield f"best: Votes, k={k}, with averages", 3, lambda k=k: ds.k_best(ds.local_scores(data), k).edges
    dense = binary_scores(17, None)
    yield "best: optimal, n=17, no limit", 3, lambda: ds.optimal_network(dense)
    for n, repeats in ((20, 3), (24, 2)):
        scores = binary_scores(n)
        yield f"best: optimal, n={n}, 4 parents", repeats, lambda s=scores: ds.optimal_network(s)


def modes() -> Iterator[Job]:
    few = sampled_scores("child*", 100, 1)
    for delta in (0, 3, 5):
        yield f"modes: Child*, 100 rows, delta {delta}", 5, lambda d=delta: ds.modes(few, 10, d)
    many = sampled_scores("child", 1000, 1)
    yield "modes: Child, 1000 rows, delta 3", 2, lambda: ds.modes(many, 10, 3)
    voted = ds.local_scores(votes())
    yield "modes: Votes, 100 modes, delta 3", 3, lambda: ds.modes(voted, 100, 3)


def run_all() -> dict[str, float]:
    """Seconds by job, for the version of this interpreter."""
    groups = (scoring, files, graphs, posteriors, best, modes)
    return {name: best_of(repeats, work)[0] for group in groups for name, repeats, work in group()}


def compare(other: str, rounds: int) -> None:
    found: dict[str, list[dict[str, float]]] = {"before": [], "after": []}
    # A path to this version must not hide the other one.
    own = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environments = {"before": own, "after": dict(os.environ)}
    for _ in range(rounds):
        for label, python in (("before", other), ("after", sys.executable)):
            command = [python, "-m", "benchmarks.versions", "--run"]
            run = subprocess.run(command, stdout=PIPE, text=True, check=True, cwd=ROOT, env=environments[label])
            found[label].append(json.loads(run.stdout))
    rows = []
    for name in found["after"][0]:
        before, after = (min(times[name] for times in found[label]) for label in ("before", "after"))
        rows.append([name, before, after, f"{after / before:.2f}"])
    title = f"Seconds of another version and of this one, in turn: the shortest of {rounds} rounds. {machine()}"
    show(title, ["job", "before, s", "after, s", "ratio"], rows)


if __name__ == "__main__":
    if sys.argv[1:] == ["--run"]:
        print(json.dumps(run_all()))
    else:
        other, *rounds = sys.argv[1:]
        compare(other, int(rounds[0]) if rounds else 2)
