"""All learners on networks of up to 1000 variables, side by side with pyAgrum and pgmpy, and the effect of restarts.

python -m benchmarks.climbing [methods] [wide] [peers] [restarts] [--write]     (default: methods)

``methods`` learns ALARM, Hailfinder and Andes by every method; ``wide`` learns a random network of 1000 variables;
``peers`` climbs ALARM and Andes with the extra `bench`; ``restarts`` varies the number of random moves.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

import dagscape as ds
from benchmarks.inputs import mixed_network, network
from benchmarks.pages import Page, words
from benchmarks.timing import best_times, is_installed, timed
from dagscape.studies.papers.measuring import peak_memory

PAGE = Page("search")

ROWS = 5000
NETWORKS = ("alarm", "hailfinder", "andes")
METHODS = ("greedy", "tabu", "eq1", "ges", "mmhc", "curriculum", "order")
CLIMBS = ("greedy", "tabu")
PEER_LIMIT = 60  # variables; with more, pgmpy takes minutes

HEADERS = ["network", "method", "processor, s", "score", "edges", "SHD"]

RESTARTS, RESTART_ROWS, RESTART_SEEDS = 20, 2000, range(4)


def learned(name: str, truth: ds.Network, methods: tuple[str, ...]) -> Iterator[list[object]]:
    """A row for each method, and one for the network that the rows are from."""
    data = truth.sample(ROWS, seed=1)
    for method in methods:
        times, found = best_times(
            3 if data.n < 100 else 1, partial(ds.learn, data, method, settings="fixed", threads=2)
        )
        distance = ds.compare(found.network, truth, level="classes")["shd"]
        yield [name, method, times.cpu, f"{found.score:.2f}", found.network.edge_count, distance]
    score = ds.family_scores(data).network(truth)
    yield [name, "the network", None, f"{score:.2f}", truth.dag.edge_count, 0]


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


PEERS: dict[str, Callable[[object, str], list[tuple[str, str]]]] = {"pyagrum": pyagrum_climb, "pgmpy": pgmpy_climb}


def peers(name: str) -> Iterator[list[object]]:
    data = network(name).sample(ROWS, seed=1)
    frame = data.to_frame().astype(str)
    scores = ds.family_scores(data)
    for method in CLIMBS:
        times, found = best_times(3, partial(ds.learn, data, method, settings="fixed", threads=2))
        yield [name, method, "dagscape", *times, f"{found.score:.2f}"]
        for peer, climb in PEERS.items():
            if is_installed(peer) and not (peer == "pgmpy" and data.n > PEER_LIMIT):
                times, edges = timed(partial(climb, frame, method))
                score = scores.network(ds.Dag.from_edges(data.variables, edges))
                yield [name, method, peer, *times, f"{score:.2f}"]


def restarts(name: str) -> Iterator[list[object]]:
    """Mean scores after restarts from the best network, changed by few or many random moves."""
    data = network(name).sample(RESTART_ROWS, seed=1)
    for method in CLIMBS:
        cells = []
        for moves in (0, 4, data.n // 4, data.n // 2, data.n):
            options = {"restarts": RESTARTS, "perturbation": moves} if moves else {}
            runs = [ds.learn(data, method, seed=seed, settings="fixed", **options) for seed in RESTART_SEEDS]
            cells.append(float(np.mean([found.score for found in runs])))
        yield [name, method, *(f"{score:.2f}" for score in cells)]


def main() -> None:
    parts = words() or ["methods"]
    setting = f"BDeu, ess 1, no limit on parents, {ROWS} rows, two threads"
    if "methods" in parts:
        rows = [row for name in NETWORKS for row in learned(name, network(name), METHODS)]
        caption = (
            f"{setting}: the whole call of `learn`, in seconds of the processors. SHD is the distance to the class of "
            "the true network."
        )
        PAGE.table("methods", caption, HEADERS, rows)
    if "wide" in parts:
        rows = list(learned("random, 1000 variables", mixed_network(1000), CLIMBS))
        caption = f"The same on 1000 variables of 2 to 4 levels; the process took {peak_memory() / 2**20:.0f} MiB."
        PAGE.table("wide", caption, HEADERS, rows)
    if "peers" in parts:
        headers = ["network", "method", "program", "seconds", "processor, s", "score"]
        rows = [row for name in ("alarm", "andes") for row in peers(name)]
        PAGE.table("peers", f"Side by side: {setting}, tabu lists of 10.", headers, rows)
    if "restarts" in parts:
        headers = ["network", "method", "no restart", "4 moves", "n/4", "n/2", "n"]
        caption = f"Scores after {RESTARTS} restarts, means over {len(RESTART_SEEDS)} seeds, {RESTART_ROWS} rows."
        PAGE.table("restarts", caption, headers, [row for name in ("alarm", "hailfinder") for row in restarts(name)])


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
