"""The lists behind the table and the figures of [chen2014] and of chapter 3 of [chen2016]: k best classes and DAGs.

Each run finds the k best classes, the k best DAGs, and the k' best DAGs, where k' is the number of DAGs in the k best
classes: the same networks as these.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dagscape.best.k_best import k_best
from dagscape.sampling.exact_posterior import exact_posterior
from dagscape.scores.scoring import local_scores
from dagscape.studies.papers.item import RunTask, Scale, Study
from dagscape.studies.papers.measuring import best_of, peak_memory, records
from dagscape.studies.papers.sources import Sources
from dagscape.studies.papers.synthetic import binary_network

if TYPE_CHECKING:
    import pandas as pd

    from dagscape.data.discrete.dataset import Dataset
    from dagscape.scores.tables.lattice_scores import LatticeScores

# The values of k in the table, by data set.
TABLE = {
    "Asia": (1, 10, 100, 1000, 10_000),
    "Tic": (1, 10, 100, 1000),
    "Syn-1": (1, 10, 100),
    "Syn-2": (1, 10, 100),
    "Vote": (1, 10, 100),
}
# Those of the figures.
POWERS = tuple(2**i for i in range(11))

# Data sets that are samples, and the samples that tell how much they matter.
SAMPLED = {"Asia": 500, "Syn-1": 100, "Syn-2": 200}
SAMPLES = 10

# Memory is measured from this k on: below, it is not seen beside that of the process.
_LEAST_MEASURED = 100

DID = (
    "The k best equivalence classes and the k best DAGs of five data sets, BDeu with ess 1 and a uniform prior: Asia "
    "(500 rows), Tic-Tac-Toe, two synthetic sets (15 variables, 100 and 200 rows) and Congressional Voting Records. "
    "One processor of 2.4 GHz, 4 GB."
)
DOES = "The same lists; seconds of the processor, one thread."
DIFFERS = (
    "The samples of Asia and of the synthetic networks are not published: here seed 0 of Asia, and of a random network "
    "of 15 binary variables; ranges are over ten samples (and, for the synthetic sets, ten networks).",
    "Levels: those that the networks declare and, of the tables, those that occur. In the samples all levels occur.",
)


def data_of(task: RunTask, sources: Sources) -> Dataset:
    """Return the data of a task."""
    name, seed = task["data"], task.get("seed", 0)
    if name == "Asia":
        return sources.network("builtin:asia").sample(SAMPLED[name], seed=seed)
    if name in SAMPLED:
        return binary_network(15, seed=seed + 1).sample(SAMPLED[name], seed=seed)
    return sources.table({"Tic": "builtin:tic-tac-toe", "Vote": "builtin:votes"}[name])


def tasks(scale: Scale) -> Iterator[RunTask]:
    """Iterate over data sets, values of k, and samples."""
    quick = scale == "quick"
    for name, listed in TABLE.items():
        if quick and name not in ("Asia", "Tic"):
            continue
        for k in (1, 2, 10) if quick else sorted({*listed, *POWERS}):
            yield {"data": name, "k": k}
        for seed in range(1, 3 if quick else SAMPLES) if name in SAMPLED else ():
            for k in (1, 10) if quick else listed[:3]:
                yield {"data": name, "k": k, "seed": seed}


def list_best(task: RunTask, sources: Sources) -> dict[str, Any]:
    """Find the lists of a task, and measure them; further samples have no times."""
    data = data_of(task, sources)
    scoring, scores = best_of(1, lambda: local_scores(data, threads=1))
    total = exact_posterior(scores, threads=1).log_total
    folder = str(sources.folder or "")

    def measured(k: int, space: str) -> dict[str, Any]:
        found = _listed(scores, k, space, total)
        if "seed" not in task and task["k"] in TABLE[task["data"]] and k >= _LEAST_MEASURED:
            found["memory"] = _memory(task["data"], k, space, folder)
        return found | {"total": scoring + found["search"] + found["averaging"]}

    classes = measured(task["k"], "classes")
    return {
        "n": data.n,
        "m": data.m,
        "classes": classes,
        "dags": measured(task["k"], "dags"),
        "same": measured(classes["dags"], "dags"),
    }


def _listed(scores: LatticeScores, k: int, space: str, total: float) -> dict[str, Any]:
    repeats = 3 if k <= 1000 else 1
    search, best = best_of(repeats, lambda: k_best(scores, k, space=space, threads=1))
    averaging, _ = best_of(1, lambda: best.edges)
    return {
        "k": k,
        "search": search,
        "averaging": averaging,
        "stored": best.stored,
        "coverage": best.coverage(total),
        "ratio": best.ratio,
        "dags": best.dag_count,
        "tied": int((best.scores == best.scores[0]).sum()),
    }


def _memory(name: str, k: int, space: str, folder: str) -> float | None:
    """Return the peak memory of the search in a process of its own, in MB; None where that cannot be measured."""
    if not Path("/proc/self/status").exists():
        return None
    program = "import sys; from dagscape.studies.papers.chen2014.runs import print_memory; print_memory(*sys.argv[1:])"
    command = [sys.executable, "-W", "ignore", "-c", program, name, str(k), space, folder]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def print_memory(name: str, k: str, space: str, folder: str) -> None:
    """Print how far a search raises the peak memory of this process, in MB."""
    scores = local_scores(data_of({"data": name}, Sources(Path(folder) if folder else None)), threads=1)
    before = peak_memory()
    k_best(scores, int(k), space=space, threads=1)
    print((peak_memory() - before) / 1e6)


def first_samples(frame: pd.DataFrame) -> dict[tuple[str, int], dict[str, Any]]:
    """Return the runs of the first sample of each data set, by data set and k."""
    first = frame[frame["seed"].isna()] if "seed" in frame else frame
    return {(run["data"], run["k"]): run for run in records(first)}


STUDY = Study("kbest", tasks, list_best, alone=True, minutes=1.0)
