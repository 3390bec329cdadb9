"""Exact inference side by side with pyAgrum and pgmpy: results and times.

python -m benchmarks.inference [NETWORK …] [--write]

The peers are the extra ``bench``; one that is not installed is left out.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd

import dagscape as ds
from benchmarks.graphs import PAGE
from benchmarks.inputs import network
from benchmarks.pages import words
from benchmarks.timing import best_of, best_times, is_installed

NETWORKS = ("alarm", "hailfinder", "hepar2", "andes")
QUESTIONS = 20

Question = tuple[str, dict[str, str]]


def questions(network: ds.Network, seed: int) -> list[Question]:
    """Random targets, each with five observations taken from a random row."""
    generator = np.random.default_rng(seed)
    rows = network.sample(QUESTIONS, seed=generator).to_frame().astype(str)
    found = []
    for _, row in rows.iterrows():
        target, *given = generator.choice(network.variables, 6, replace=False).tolist()
        found.append((target, {name: row[name] for name in given}))
    return found


def ask_agrum(network: ds.Network) -> Callable[[Question], np.ndarray]:
    """Lazy propagation of pyAgrum, on a network built in double precision."""
    gum = importlib.import_module("pyagrum")
    model = gum.BayesNet()
    for name in network.variables:
        model.add(gum.LabelizedVariable(name, name, list(network.levels[name])))
    for parent, child in network.dag.edges:
        model.addArc(parent, child)
    for name in network.variables:
        axes = [*network.dag.parents(name), name]
        cpt = model.cpt(name)
        order = [axes.index(other) for other in reversed(cpt.names)]
        cpt[:] = np.ascontiguousarray(network.cpts[name].transpose(order))

    def ask(question: Question) -> np.ndarray:
        target, given = question
        engine = gum.LazyPropagation(model)
        engine.setEvidence(given)
        engine.addTarget(target)
        engine.makeInference()
        return np.asarray(engine.posterior(target).toarray())

    return ask


def ask_pgmpy(network: ds.Network) -> Callable[[Question], np.ndarray]:
    """Variable elimination of pgmpy."""
    models = importlib.import_module("pgmpy.models")
    factors = importlib.import_module("pgmpy.factors.discrete")
    inference = importlib.import_module("pgmpy.inference")
    model = models.DiscreteBayesianNetwork(list(network.dag.edges))
    model.add_nodes_from(network.variables)
    for name in network.variables:
        parents = list(network.dag.parents(name))
        names = {other: list(network.levels[other]) for other in (name, *parents)}
        values = network.cpts[name].reshape(-1, len(network.levels[name])).T
        sizes = [len(names[parent]) for parent in parents]
        model.add_cpds(factors.TabularCPD(name, len(names[name]), values, parents, sizes, state_names=names))
    engine = inference.VariableElimination(model)

    def ask(question: Question) -> np.ndarray:
        target, given = question
        answer = engine.query([target], evidence=given, show_progress=False)
        order = [answer.state_names[target].index(level) for level in network.levels[target]]
        return np.asarray(answer.values)[order]

    return ask


PEERS: dict[str, Callable[[ds.Network], Callable[[Question], np.ndarray]]] = {
    "pyagrum": ask_agrum,
    "pgmpy": ask_pgmpy,
}


def compare(name: str) -> list[object]:
    """Ask all programs the same questions: milliseconds for a query by program, and the largest difference."""
    model = network(name)
    asked = questions(model, seed=1)

    def answers(ask: Callable[[Question], Any]) -> list[np.ndarray]:
        return [np.asarray(ask(question)) for question in asked]

    taken, own = best_times(5, lambda: answers(lambda question: model.query(*question).to_numpy()))
    times: list[float | None] = [taken.cpu / QUESTIONS * 1000]
    worst = None
    for peer, connect in PEERS.items():
        if not is_installed(peer):
            times.append(None)
            continue
        ask = connect(model)
        taken, found = best_times(5, lambda ask=ask: answers(ask))
        times.append(taken.cpu / QUESTIONS * 1000)
        differences = (np.abs(one - other).max() for one, other in zip(own, found, strict=True))
        worst = max(worst or 0.0, *map(float, differences))
    return [name, model.n, *times, worst]


def predictions() -> Iterator[list[object]]:
    """Predictions of 10,000 rows, complete and with gaps."""
    alarm = network("alarm")
    frame = alarm.sample(10_000, seed=1).to_frame().astype(object)
    generator = np.random.default_rng(0)
    gaps = frame.mask(pd.DataFrame(generator.random(frame.shape) < 0.05, columns=frame.columns))
    tables = {"all other columns": frame, "three of them": frame[["HRBP", "CO", "PRESS"]], "5 % of cells missing": gaps}
    for what, table in tables.items():
        yield [what, best_of(2, lambda table=table: alarm.predict(table, "LVFAILURE"))[0]]


def main() -> None:
    PAGE.table(
        "queries",
        f"{QUESTIONS} random queries of one variable given five observations that occur together, one at a time: "
        "milliseconds of the processor for each, and the largest difference between programs.",
        ["network", "variables", "dagscape", *PEERS, "largest difference"],
        [compare(name) for name in words() or NETWORKS],
    )
    PAGE.table("predictions", "`LVFAILURE` of alarm, predicted in 10,000 rows.", ["given", "seconds"], predictions())


if __name__ == "__main__":
    main()
