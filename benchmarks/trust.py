"""Edges given in part: exact answers beside those of TRUST, on the same simulated data.

python -m benchmarks.trust [DATA_SETS] [--write]

Wang, Wicker and Kwiatkowska (2022) approximate the posterior by a circuit over orders, and ask it for edges when some
edges of the truth are given. The protocol is that of the program that they publish: 16 variables, 32 edges expected,
weights from a standard normal distribution, noise with a standard deviation of 0.316, 100 rows that are not
standardised, BGe with a prior mean of 0, and the structure prior ``per-size``. A DAG weighs as much as the orders that
it agrees with, so the circuit approximates the posterior over orders.

The peer may be installed elsewhere: PEER_PYTHON is a Python that can import its packages (``trust``, ``sumu`` and
``oracle``). What it answers is kept in ``build/trust``, one file for each data set, and not asked again.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import dagscape as ds
from benchmarks.gaussian_searches import PEER_PYTHON
from benchmarks.pages import Page, words
from benchmarks.sachs import area, expected_distance

PAGE = Page("gaussian")

VARIABLES, ROWS, EDGES, NOISE = 16, 100, 32, 0.316

# The numbers of edges that are given; each set has those before it.
GIVEN = (0, 1, 2, 4, 8)

# Seconds for the circuit's structure: the part of the program's 300 that is not for scores.
SECONDS = 240

DATA_SETS = 8

ANSWERS = Path(__file__).resolve().parents[1] / "build" / "trust"

# All other variables are candidate parents, and are named outright: the search for candidates would find the same.
PEER = """
import json, random, sys, time
import numpy as np, torch
from sumu.gadget import Gadget
from trust.leaf_scores.leaf_handler import LeafHandler
from trust.learning.learn_trust import learn_ordergraph, learn_orderspn
from trust.learning.split_strategy import ThresholdStrategy
from trust.oracle.enumeration_oracle import EnumerationOracle
from trust.oracle.gadget_oracle import GadgetOracle
from trust.utils.misc import HiddenPrints

task = json.load(open(sys.argv[1]))
rows, start = np.array(task["rows"]), time.time()
n = rows.shape[1]
torch.set_num_threads(1)
for seeded in (random.seed, np.random.seed, torch.manual_seed):
    seeded(task["seed"])
others = {v: tuple(u for u in range(n) if u != v) for v in range(n)}
with HiddenPrints():
    candidates, score, table = Gadget(data=rows, cons={"K": n - 1}, candp=others).return_cand_parents_and_score()
leaves = LeafHandler(C=candidates, c_r_score=score.c_r_score, c_c_score=score.c_c_score, score_array=table)
leaves.precompute_sum_and_max()
oracle = GadgetOracle.__new__(GadgetOracle)
oracle.candidates, oracle.score, oracle.score_array, (oracle.N, oracle.d) = candidates, score, table, rows.shape
strategy = ThresholdStrategy(oracle, EnumerationOracle(), min_dimension=5)
graph = learn_ordergraph(n, strategy, [64, 16, 6, 2], time_budget=task["seconds"], seed=task["seed"],
                         suppress_prints=True, log=False)
circuit = learn_orderspn(graph, device="cpu", leaf_function=leaves).eval()

# The values of leaves under evidence are those of its method marginal, computed once for all leaves that are equal.
numbers, place = {}, []
for before, own in circuit.leaf_layer.leaf_graph_layer:
    place.append(numbers.setdefault((frozenset(before), own), len(numbers)))
kinds, place = [(before, own[0]) for before, own in numbers if own], np.array(place)
assert len(kinds) == len(numbers)
total = [leaves.f_func(v=v, A=frozenset(), A_prime_comp=before) for before, v in kinds]

def value(k, parents):
    before, v = kinds[k]
    return leaves.f_func(v=v, A=parents, A_prime_comp=before) - total[k] if parents <= before else -np.inf

def log_probability(values):
    with torch.no_grad():
        return circuit.forward(torch.tensor(values[place], dtype=torch.float32)[None]).item()

# A node that got no splits in its time has the value 0 when weights are learned, and takes them all.
assert all(set(parents) == set(range(len(layer))) for parents, layer in
           zip(graph.prod_to_sum_layers_map, graph.sum_layers[1:])), "nodes without splits: too little time"

answers = []
for given in task["given"]:
    parents = [frozenset(u for u, child in given if child == v) for v in range(n)]
    values = np.array([value(k, parents[v]) for k, (_, v) in enumerate(kinds)])
    evidence, edges = log_probability(values), np.zeros((n, n))
    for v in range(n):
        own = [k for k, (_, child) in enumerate(kinds) if child == v]
        for u in others[v]:
            changed = values.copy()
            changed[own] = [value(k, parents[v] | {u}) for k in own]
            edges[u, v] = np.exp(log_probability(changed) - evidence)
    answers.append({"evidence": evidence, "edges": edges.tolist()})
print(json.dumps({"seconds": time.time() - start, "answers": answers}))
"""

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Simulated:
    """A table, the network that it comes from, and the edges of that in random order."""

    frame: pd.DataFrame
    truth: Matrix
    edges: list[tuple[int, int]]

    def names(self, given: int) -> list[tuple[str, str]]:
        """The first edges, by the names of their variables."""
        columns = [str(name) for name in self.frame]
        return [(columns[source], columns[target]) for source, target in self.edges[:given]]


def simulated(seed: int) -> Simulated:
    """Rows of a random linear network of normal variables."""
    rng, n = np.random.default_rng(seed), VARIABLES
    order = rng.permutation(n)
    truth = np.triu(rng.random((n, n)) < EDGES / (n * (n - 1) / 2), 1).astype(float)[np.ix_(order, order)]
    weights = truth * rng.normal(size=(n, n))
    rows = rng.normal(0, NOISE, size=(ROWS, n)) @ np.linalg.inv(np.eye(n) - weights)
    edges = [(int(source), int(target)) for source, target in rng.permutation(np.argwhere(truth))]
    return Simulated(pd.DataFrame(rows, columns=[f"x{i}" for i in range(n)]), truth, edges)


@dataclass(frozen=True)
class Answer:
    """What a posterior says when edges are given: their log probability, and the probabilities of all edges."""

    evidence: float
    edges: Matrix


def exact(data: Simulated, given: int, prior: str, over: str) -> Answer:
    """The exact answer."""

    def scores(required: list[tuple[str, str]]) -> ds.EnumerableScores:
        return ds.local_scores(data.frame, "bge", structure_prior=prior, required=required, nu=0, scale="none")

    names = data.names(given)
    evidence = float(np.log(ds.feature_probability(scores([]), required=names, over=over)))
    return Answer(evidence, ds.posterior(scores(names), over).edges)


def peer(seed: int) -> dict[int, Answer] | None:
    """What TRUST answers for a data set, by the number of edges that are given, or None if it is not there."""
    kept = ANSWERS / f"{seed}.json"
    if not kept.exists():
        data = simulated(seed)
        given = [data.edges[:count] for count in GIVEN]
        task = {"rows": data.frame.to_numpy().tolist(), "given": given, "seed": seed, "seconds": SECONDS}
        with tempfile.TemporaryDirectory() as folder:
            asked, program = Path(folder) / "task.json", Path(folder) / "program.py"
            asked.write_text(json.dumps(task))
            program.write_text(PEER)
            try:
                done = subprocess.run([PEER_PYTHON, program, asked], capture_output=True, text=True, check=True)
            except subprocess.CalledProcessError as error:
                print(f"data set {seed}: {error.stderr.strip().splitlines()[-1]}", flush=True)
                return None
            except OSError:
                return None
        ANSWERS.mkdir(parents=True, exist_ok=True)
        kept.write_text(done.stdout.strip().splitlines()[-1])
    told = json.loads(kept.read_text())["answers"]
    return {count: Answer(one["evidence"], np.array(one["edges"])) for count, one in zip(GIVEN, told, strict=True)}


def open_area(edges: Matrix, data: Simulated, given: int) -> float:
    """The area under the ROC curve of the edges between variables that no given edge joins."""
    unknown = ~np.eye(len(edges), dtype=bool)
    for source, target in data.edges[:given]:
        unknown[source, target] = unknown[target, source] = False
    return area(edges[unknown], data.truth[unknown])


Ask = Callable[[int, int], Answer]

TARGET = "orders, per-size"


def exact_answers() -> dict[str, Ask]:
    """The exact posteriors, by what the table calls them."""
    return {
        f"{over}, {prior}": cache(lambda seed, given, o=over, p=prior: exact(simulated(seed), given, p, o))
        for over, prior in (("dags", "uniform"), ("dags", "per-size"), ("orders", "per-size"))
    }


def row(name: str, ask: Ask, target: Ask, seeds: range, given: int) -> list[object]:
    """A row of the table: averages over the data sets."""
    cells = []
    for seed in seeds:
        data, answer = simulated(seed), ask(seed, given)
        apart = np.abs(answer.edges - target(seed, given).edges)
        distance = expected_distance(answer.edges, data.truth)
        mean = apart.sum() / (apart.size - len(apart))
        cells.append([answer.evidence, distance, open_area(answer.edges, data, given), mean, apart.max()])
    evidence, distance, roc, mean, largest = np.mean(cells, axis=0)
    beside = ["", ""] if name == TARGET else [f"{mean:.3f}", f"{largest:.2f}"]
    return [given, name, f"{evidence:.2f}", f"{distance:.2f}", f"{roc:.3f}", *beside]


def main() -> None:
    seeds = range(int(words()[0]) if words() else DATA_SETS)
    asked, told = exact_answers(), {seed: answers for seed in seeds if (answers := peer(seed))}
    if len(told) == len(seeds):
        asked["TRUST-G"] = lambda seed, given: told[seed][given]
    rows = [row(name, ask, asked[TARGET], seeds, given) for given in GIVEN for name, ask in asked.items()]
    PAGE.table(
        "trust",
        f"{len(seeds)} data sets of {VARIABLES} variables and {ROWS} rows, and edges of the truth given, drawn at "
        "random: the log probability of those, the expected structural Hamming distance to the truth, the area under "
        "the ROC curve of the edges between other pairs, and the mean and largest difference of the probabilities of "
        f"edges from those over {TARGET}. All are averages over the data sets; all but TRUST's answers are exact.",
        ["given", "posterior", "ln P(given)", "distance", "area", "mean difference", "largest"],
        rows,
    )


if __name__ == "__main__":
    main()
