"""Learners that climb, on ALARM, Andes and random networks, side by side with pyAgrum and pgmpy.

python -m benchmarks.climbing                (the extra `bench` installs the peers; without them only dagscape runs)
python -m benchmarks.climbing 1000 greedy    (only random networks of 1000 variables, and only greedy)
"""

from __future__ import annotations

import importlib.util
import resource
import sys
import time
import warnings
from collections.abc import Callable
from functools import partial

import numpy as np

import dagscape as ds
from benchmarks.timing import SHARED, best_of, machine

ROWS = 5000
GOALS = {("alarm", "greedy"): 0.1, ("alarm", "tabu"): 0.3, ("andes", "greedy"): 2.0, ("1000", "greedy"): 30.0}
PEER_LIMIT = 60  # variables; with more, pgmpy takes minutes


def random_network(n: int, seed: int = 1) -> ds.Network:
    """A random DAG with 1.5 parents on average and at most 4, with 2 to 4 levels and uneven probabilities."""
    rng = np.random.default_rng(seed)
    dag = ds.random_dag(n, max_parents=4, seed=rng)
    levels = {name: [str(k) for k in range(rng.integers(2, 5))] for name in dag.variables}
    cpts = {}
    for name in dag.variables:
        states = [len(levels[parent]) for parent in dag.parents(name)]
        cpts[name] = rng.dirichlet(np.full(len(levels[name]), 0.5), size=states)
    return ds.Network(dag, levels, cpts)


def load(name: str) -> ds.Network:
    return random_network(int(name)) if name.isdigit() else ds.read_network(SHARED / "networks" / f"{name}.bif.gz")


def ours(name: str, data: ds.Dataset, truth: ds.Network, methods: list[str]) -> None:
    scores = ds.family_scores(data)
    print(f"{'the network':>12} {'':>8} {'':>8} {'':>6} {scores.network(truth):>14.2f}")
    for method in methods:
        repeats = 3 if data.n < 500 else 1
        cpu = time.process_time()
        seconds, found = best_of(repeats, partial(ds.learn, data, method, threads=2))
        cpu = (time.process_time() - cpu) / repeats
        goal = GOALS.get((name, method), "")
        shd = ds.compare(found.network, truth, level="classes")["shd"]
        steps = found.details.get("steps", "")
        print(f"{method:>12} {seconds:>8.3f} {cpu:>8.3f} {goal:>6} {found.score:>14.2f} {shd:>6} {steps:>6}")


def pyagrum_climb(frame: object, method: str) -> list[tuple[str, str]]:
    import pyagrum

    learner = pyagrum.BNLearner(frame)
    learner.useScoreBDeu()
    if method == "tabu":
        learner.useLocalSearchWithTabuList(10, 10)
    else:
        learner.useGreedyHillClimbing()
    network = learner.learnBN()
    return [(network.variable(u).name(), network.variable(v).name()) for u, v in network.arcs()]


def pgmpy_climb(frame: object, method: str) -> list[tuple[str, str]]:
    from pgmpy.causal_discovery import HillClimbSearch
    from pgmpy.structure_score import BDeu

    search = HillClimbSearch(
        BDeu(frame, equivalent_sample_size=1),
        tabu_length=10 if method == "tabu" else 0,
        return_type="dag",
        show_progress=False,
    )
    search.fit(frame)
    return list(search.causal_graph_.edges())


def peers(data: ds.Dataset) -> None:
    frame = data.to_frame().astype(str)
    scores = ds.family_scores(data)
    measures: dict[str, Callable[[object, str], list[tuple[str, str]]]] = {
        "pyagrum": pyagrum_climb,
        "pgmpy": pgmpy_climb,
    }
    for peer, climb in measures.items():
        if importlib.util.find_spec(peer) is None:
            print(f"{peer:>12} not installed")
            continue
        if peer == "pgmpy" and data.n > PEER_LIMIT:
            continue
        for method in ("greedy", "tabu"):
            cpu = time.process_time()
            seconds, edges = best_of(1, partial(climb, frame, method))
            cpu = time.process_time() - cpu
            found = ds.Dag.from_edges(data.variables, edges)
            print(f"{peer[:6] + ' ' + method:>12} {seconds:>8.3f} {cpu:>8.3f} {'':>6} {scores.network(found):>14.2f}")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    sizes = [word for word in sys.argv[1:] if word.isdigit() or word in ("alarm", "andes")]
    methods = [word for word in sys.argv[1:] if word not in sizes] or ["greedy", "tabu"]
    print(machine())
    for name in sizes or ["alarm", "andes", "1000"]:
        network = load(name)
        data = network.sample(ROWS, seed=1)
        print(f"\n{name}: {data.n} variables x {ROWS} rows, BDeu, ess 1, 2 threads")
        print(f"{'method':>12} {'seconds':>8} {'of CPU':>8} {'goal':>6} {'score':>14} {'SHD':>6} {'steps':>6}")
        ours(name, data, network, methods)
        peers(data)
        print(f"most memory so far: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MiB")
