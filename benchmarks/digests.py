"""One SHA-256 digest for each result on more than a dozen data sets: whether another version gives the same bits.

python -m benchmarks.digests > before.txt              (with the one version)
python -m benchmarks.digests --compare before.txt      (with the other: prints what differs, and then exits with 1)

Digests depend on the values of the results only: on the bits of arrays, on numbers, names and sets of parents. Every
task uses only public names, so one file serves both versions. All of them take about two minutes on two cores.
"""

from __future__ import annotations

import argparse
import hashlib
import struct
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import dagscape as ds
from benchmarks import SHARED

SETS, NETWORKS, STUDENTS = SHARED / "sets", SHARED / "networks", SHARED / "student"

SCORES = ("bdeu", "k2", "bic", "aic", "mdl", "loglik")
METHODS = ("order", "boss", "grasp", "greedy", "tabu", "eq1", "ges", "xges", "mmhc", "curriculum", "optimal")
# Methods over equivalence classes refuse rows from experiments, which distinguish the members of a class.
CLASS_METHODS = ("eq1", "ges", "xges")

# A task and its value, for each of which a digest is printed.
Results = Iterator[tuple[str, object]]


# Digests.


def digest(value: object) -> str:
    """The SHA-256 digest of a value, of which every part is written with its type and length."""
    summed = hashlib.sha256()
    for part in parts(value):
        summed.update(part)
    return summed.hexdigest()


def parts(value: Any) -> Iterator[bytes]:
    """The bytes of a value: exact bits of numbers, names, and the parents of every variable of a network."""
    match value:
        case None | bool() | str() | int():
            text = str(value).encode()
            yield b"%s %d " % (type(value).__name__.encode(), len(text))
            yield text
        case float():
            yield b"float " + struct.pack("<d", value)
        case ds.Dag():
            yield b"network "
            yield from parts({v: sorted(value.parents(v)) for v in value.variables})
        case pd.Series():
            yield from parts(value.to_frame("value"))
        case pd.DataFrame():
            yield from parts([[str(row) for row in value.index], {name: list(value[name]) for name in value.columns}])
        case np.ndarray() | np.generic():
            plain = np.ascontiguousarray(value)
            if plain.dtype.kind not in "bifu":
                raise TypeError(f"an array of {plain.dtype} has no digest")
            yield f"array {plain.dtype.str} {plain.shape} ".encode()
            yield plain.tobytes()
        case Mapping():
            yield from parts(list(value.items()))
        case Iterable():
            members = list(value)
            yield b"list %d " % len(members)
            for member in members:
                yield from parts(member)
        case _:
            raise TypeError(f"{type(value).__name__} has no digest")


def attributes(result: object, *names: str) -> dict[str, object]:
    return {name: getattr(result, name) for name in names}


# Data sets.


def table(file: str, **options: Any) -> ds.Dataset:
    return ds.read_data(SETS / file, **options)


def sampled(network: str, rows: int, seed: int) -> ds.Dataset:
    """Rows of a bundled network, or of a file."""
    file = NETWORKS / f"{network}.bif.gz"
    return (ds.read_network(file) if file.exists() else ds.load_network(network)).sample(rows, seed=seed)


# Data sets of few variables, for which all tasks are run.
SMALL: dict[str, Callable[[], ds.Dataset]] = {
    "iris": partial(ds.load_dataset, "iris"),
    "tic-tac-toe": partial(ds.load_dataset, "tic-tac-toe"),
    "coronary": partial(table, "bnlearn_coronary.csv.gz"),
    "learning_test": partial(table, "bnlearn_learning_test.csv.gz"),
    "beandisco": partial(table, "beandisco_example.csv"),
    "led7digit": partial(table, "keel_led7digit.csv"),
    "sachs": partial(table, "sachs_observational_discretised.csv.gz"),
    "sachs, interventions": partial(table, "sachs_interventional.csv.gz", interventions="INT"),
    "asia, 300 rows": partial(sampled, "asia", 300, 1),
    "survey, 50 rows": partial(sampled, "survey", 50, 2),
    "cancer, 1000 rows": partial(sampled, "cancer", 1000, 3),
}

# Data sets for sums, lists and searches alone.
LARGE: dict[str, Callable[[], ds.Dataset]] = {
    "votes": partial(ds.load_dataset, "votes"),
    "zoo": partial(ds.load_dataset, "zoo"),
    "wine": partial(ds.load_dataset, "wine"),
    "votes, missing dropped": partial(table, "house_votes_84.csv", missing="drop"),
    "child, 200 rows": partial(sampled, "child", 200, 4),
}

# Data sets for searches from data alone.
WIDE: dict[str, Callable[[], ds.Dataset]] = {
    "alarm, 1000 rows": partial(sampled, "alarm", 1000, 5),
    "hailfinder, 500 rows": partial(sampled, "hailfinder", 500, 6),
}


# Results of data.


def data_results(data: ds.Dataset) -> Results:
    cells = data.to_frame().astype(str)
    yield "data", [data.variables, dict(data.levels), data.m, data.experimental_rows, cells]


def score_results(data: ds.Dataset, names: Iterable[str] = SCORES, max_parents: int | None = None) -> Results:
    for name in names:
        scores = ds.local_scores(data, name, max_parents=max_parents)
        yield f"local scores, {name}", listed_scores(scores)


def listed_scores(scores: ds.EnumerableScores) -> list[object]:
    """All scores, best first, and the parents of the first of each child."""
    found = [scores.families(child) for child in scores.variables]
    return [[families.scores, [family.parents for family in families[:100]]] for families in found]


def settings(data: ds.Dataset) -> dict[str, dict[str, Any]]:
    """Options of scores: limits, priors and constraints that do not contradict each other."""
    first, second, *_, last = data.variables
    half = data.n // 2
    return {
        "defaults": {},
        "2 parents": {"max_parents": 2},
        "ess 10, per-size": {"ess": 10.0, "structure_prior": "per-size"},
        "BIC, edge penalty": {"score": "bic", "structure_prior": "edge-penalty:1.5"},
        "constraints": {"required": [(first, last)], "forbidden": [(last, second), (second, first)]},
        "tiers": {"tiers": [data.variables[:half], data.variables[half:]], "max_parents": 3},
    }


def sum_of(found: ds.Posterior) -> dict[str, object]:
    return attributes(found, "log_total", "log_prior_total", "log_evidence", "error", "edges", "ancestors", "paths")


def sum_results(data: ds.Dataset, chosen: Mapping[str, dict[str, Any]]) -> Results:
    for setting, options in chosen.items():
        scores = ds.local_scores(data, **options)
        for over in ("dags", "orders"):
            yield f"posterior over {over}, {setting}", sum_of(ds.posterior(scores, over))
            yield f"prior over {over}, {setting}", sum_of(ds.posterior(scores, over, prior=True))


def feature_results(data: ds.Dataset) -> Results:
    scores = ds.local_scores(data, max_parents=3)
    first, second, *_, last = data.variables
    conditions: tuple[dict[str, Any], ...] = (
        {"required": [(first, second)]},
        {"forbidden": [(second, last), (last, second)]},
        {"parents": {last: [first, second]}},
    )
    for over in ("dags", "orders"):
        found = [ds.feature_probability(scores, over=over, **condition) for condition in conditions]
        yield f"feature probabilities over {over}", [[float(value), value.error] for value in found]


def path_results(data: ds.Dataset) -> Results:
    yield "posterior with all paths", sum_of(ds.posterior(ds.local_scores(data), via="all"))


def list_results(data: ds.Dataset, k: int, max_parents: int | None = None) -> Results:
    scores = ds.local_scores(data, max_parents=max_parents)
    optimal = ds.optimal_network(scores)
    yield "optimal network", attributes(optimal, "network", "score")
    spaces = ("dags",) if data.experimental_rows else ("classes", "dags")
    for space in spaces:
        best = ds.k_best(scores, k, space)
        yield (
            f"{k} best {space}",
            attributes(
                best, "networks", "scores", "class_sizes", "ties", "ends_in_tie", "exhausted", "edges", "ancestors"
            ),
        )
    within = ds.k_best(scores, k, spaces[0], within=20.0)
    yield "best within a factor of 20", attributes(within, "networks", "scores", "class_sizes", "exhausted")
    for delta in (0, 1, 3):
        peaks = ds.modes(scores, 10, delta)
        yield f"modes, delta {delta}", attributes(peaks, "networks", "scores", "orders", "exhausted")


def search_results(data: ds.Dataset, methods: Iterable[str] = METHODS) -> Results:
    for method in methods:
        if method in CLASS_METHODS and data.experimental_rows:
            continue
        for seed in (0, 1):
            found = ds.learn(data, method, seed=seed, settings="fixed")
            yield f"learn, {method}, seed {seed}", attributes(found, "network", "score", "complete")


def start_results(data: ds.Dataset) -> Results:
    """Searches that start from a network, with options of scores."""
    scores = ds.local_scores(data, max_parents=3)
    start = ds.learn(scores, "greedy").network
    for method in ("order", "greedy", "tabu"):
        found = ds.learn(scores, method, start=start, seed=2)
        yield f"learn, {method}, from a start", attributes(found, "network", "score", "complete")


def neighbour_results(data: ds.Dataset) -> Results:
    for symmetric in (True, False):
        found = ds.mmpc(data, symmetric=symmetric)
        name = f"mmpc, symmetric={symmetric}"
        yield f"{name}: neighbours", [sorted(found.neighbours(v)) for v in found.variables]
        yield f"{name}: strengths", found.strengths


def demand_results(data: ds.Dataset) -> Results:
    scores = ds.family_scores(data)
    first, second, *_, last = data.variables
    changes = [scores.additions(v, [w for w in (first, second) if w != v]) for v in data.variables]
    yield "scores on demand", [*changes, scores.removals(last, [first, second]), scores.family(last, [second])]


def bootstrap_results(data: ds.Dataset) -> Results:
    for method in ("order", "mmhc"):
        found = ds.bootstrap(data, method, samples=4, seed=3, workers=1, settings="fixed")
        yield f"bootstrap, {method}", attributes(found, "networks", "scores", "edges", "ancestors")


def sensitivity_results(data: ds.Dataset) -> Results:
    found = ds.sensitivity(data, ess=(0.5, 4.0), structure_prior=("uniform", "per-size"), max_parents=(2, 3))
    names = ("ess", "structure_prior", "max_parents", "log_evidence", "log_total", "error", "parent_states")
    yield "sensitivity", [found.edges, found.shares, [attributes(setting, *names) for setting in found.settings]]


def network_results(data: ds.Dataset) -> Results:
    dag = ds.learn(data, "greedy", settings="fixed").network
    fitted = ds.Network.fit(dag, data, ess=2.0)
    yield "fit", {v: np.asarray(fitted.cpts[v]) for v in fitted.variables}
    yield "fit without a prior: likelihood", ds.Network.fit(dag, data, prior="none").log_likelihood(data)
    sample = fitted.sample(40, seed=7)
    yield "sample", list(data_results(sample))
    first, *_, last = data.variables
    evidence = {first: data.levels[first][0]}
    yield "query", [fitted.query(last, evidence), fitted.log_probability(evidence)]
    rows = sample.to_frame().drop(columns=[last])
    yield "predict", fitted.predict(rows, last)
    empty = ds.Dag.from_edges(dag.variables)
    yield "compare", dict(ds.compare(empty, dag))
    yield "class", [dag.to_cpdag().size(), dag.to_cpdag().to_adjacency()]


def small_results(data: ds.Dataset) -> Results:
    yield from data_results(data)
    yield from score_results(data)
    yield from sum_results(data, settings(data))
    yield from feature_results(data)
    yield from path_results(data)
    yield from list_results(data, 30)
    yield from search_results(data)
    yield from start_results(data)
    yield from neighbour_results(data)
    yield from demand_results(data)
    yield from bootstrap_results(data)
    yield from sensitivity_results(data)
    yield from network_results(data)


def large_results(data: ds.Dataset) -> Results:
    yield from data_results(data)
    yield from score_results(data, ("bdeu", "bic"), max_parents=3)
    kept = ("defaults", "tiers") if data.n < 20 else ("2 parents",)
    yield from sum_results(data, {name: settings(data)[name] for name in kept})
    yield from feature_results(data)
    yield from list_results(data, 100, max_parents=4)
    yield from search_results(data)
    yield from start_results(data)


def wide_results(data: ds.Dataset) -> Results:
    yield from data_results(data)
    yield from search_results(data, (method for method in METHODS if method != "optimal"))
    yield from neighbour_results(data)
    yield from demand_results(data)
    yield from network_results(data)


# Results of other sources.


def cut_results() -> Results:
    """Columns of numbers that are cut, of files and of a frame."""
    iris = pd.read_csv(SETS / "iris.csv")
    cuts = {"quantile": {"bins": 3}, "width": {"bins": 4}, "mdl": {"class_column": iris.columns[-1]}}
    for method, options in cuts.items():
        yield f"discretize iris, {method}", list(data_results(ds.discretize(iris, method=method, **options)))
    proteins = SETS / "sachs_observational_continuous.csv"
    for method in ("quantile", "width"):
        yield f"discretize sachs, {method}", list(data_results(ds.discretize(proteins, method=method, bins=3)))
    fitted = ds.Discretizer(method="quantile", bins=3).fit(proteins)
    yield "discretizer: cuts and levels", [fitted.cuts, fitted.levels]
    yield "discretizer: applied", list(data_results(fitted.apply(proteins)))


def file_results() -> Results:
    """Scores of files, and files of scores."""
    for file in ("asia_10000.palim3.jkl", "wine.BIC.3.jkl"):
        scores = ds.read_scores(SHARED / "scores" / file)
        yield f"scores of {file}", listed_scores(scores)
        yield f"optimal network of {file}", attributes(ds.optimal_network(scores), "network", "score")
        yield f"posterior of {file}", sum_of(ds.posterior(scores))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "scores.jkl")
        ds.write_scores(ds.local_scores(ds.load_dataset("iris")), path)
        yield "scores of iris, written and read", listed_scores(ds.read_scores(path))
    for name in ("alarm", "hailfinder", "carstarts"):
        network = ds.read_network(NETWORKS / f"{name}.bif.gz")
        yield f"network {name}", [network.dag, dict(network.levels), {v: network.cpts[v] for v in network.variables}]


def model_of(model: ds.StudentModel) -> dict[str, object]:
    return attributes(
        model, "network", "score", "log_likelihood", "skill_tables", "item_tables", "skill_counts", "item_counts",
        "state_counts", "mastery_shares",
    )  # fmt: skip


def student_results(answers: object, q_matrix: object, restarts: int) -> Results:
    model = ds.command(answers, q_matrix, restarts=restarts, seed=1)
    yield "command", model_of(model)
    yield "command: standard errors", attributes(model, "skill_errors", "item_errors", "mastery_errors")
    restarts_done = [
        attributes(start, "log_likelihood", "score", "edges", "rounds", "steps") for start in model.restarts
    ]
    yield "command: restarts", restarts_done
    yield "command: mastery, prediction, next item", [model.mastery(), model.predict(), model.next_item()]
    yield "command: posterior and list", [sum_of(model.posterior()), model.k_best(5).scores, model.k_best(5).networks]
    refined = ds.command(answers, q_matrix, restarts=1, refine=True, seed=2, max_parents=2)
    yield "command, refined", model_of(refined)
    rules = ds.parm(answers, q_matrix, restarts=2, seed=1)
    yield "parm", attributes(rules, "mastered", "lacking", "confidence", "mastery", "pairs")


def evaluation_results(answers: object, q_matrix: object) -> Results:
    evaluation = ds.command(answers, q_matrix, restarts=2, seed=1).evaluate(cv=3, seed=2, workers=1)
    yield "cross-validation", attributes(evaluation, "models", "areas", "edges", "students", "answers")
    boot = ds.bootstrap_skills(answers, q_matrix, samples=3, seed=1, workers=1, restarts=1)
    yield "bootstrap of skills", attributes(boot, "networks", "scores", "edges", "ancestors")


def student_sets() -> Results:
    simulated = ds.simulate_students("b", 200, seed=5, missing=0.1)
    yield from student_results(simulated.answers, simulated.q_matrix, 3)
    yield from evaluation_results(simulated.answers, simulated.q_matrix)


def results() -> Iterator[tuple[str, str, object]]:
    """Every data set and task, and the value."""
    for sets, of_data in ((SMALL, small_results), (LARGE, large_results), (WIDE, wide_results)):
        for name, load in sets.items():
            for task, value in of_data(load()):
                yield name, task, value
    students = {
        "simulated students": student_sets(),
        **{
            name: student_results(next(STUDENTS.glob(f"{name}_items.csv*")), STUDENTS / f"{name}_qmatrix.csv", 3)
            for name in ("ecpe", "fraction15")
        },
    }
    for name, found in {"columns of numbers": cut_results(), "files": file_results(), **students}.items():
        for task, value in found:
            yield name, task, value


def lines() -> Iterator[str]:
    for name, task, value in results():
        yield f"{digest(value)}  {name}: {task}"


def compare(path: Path) -> int:
    """Print the digests that differ from those of a file; return 1 if any do."""
    before = dict(reversed(line.split("  ", 1)) for line in path.read_text(encoding="utf-8").splitlines())
    after = dict(reversed(line.split("  ", 1)) for line in lines())
    changed = [what for what in before if what in after and after[what] != before[what]]
    for heading, found in (
        ("differ", changed),
        ("are only in the file", [what for what in before if what not in after]),
        ("are not in the file", [what for what in after if what not in before]),
    ):
        if found:
            print(f"{len(found)} {heading}:", *found, sep="\n  ")
    same = sum(after.get(what) == value for what, value in before.items())
    print(f"{same} of {len(before)} digests are the same")
    return int(same < max(len(before), len(after)))


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--compare", type=Path, metavar="FILE", help="the digests of another version")
    given = options.parse_args()
    warnings.simplefilter("ignore")
    if given.compare is not None:
        return compare(given.compare)
    for line in lines():
        print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
