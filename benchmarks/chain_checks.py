"""Chains against exact posteriors, edge by edge, and what their diagnostics say of hundreds of variables.

python -m benchmarks.chain_checks [within] [wide] [--data=FOLDER] [--write]      (default: both)

``within`` counts the edges whose probability is within three and five Monte Carlo errors of the exact one, on data of
up to 20 variables, with ten seeds. ``wide`` runs chains on 200 to 1000 variables, those of Gibby's data files among
them if their folder is given.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import dagscape as ds
from benchmarks import gibby
from benchmarks.chains import DATA
from benchmarks.inputs import mixed_network, network
from benchmarks.pages import Page, words
from benchmarks.timing import timed

PAGE = Page("chains")

PARENTS = (3, 4)
SEEDS = tuple(range(1, 11))
WIDE_DRAWS = 100


def copied_columns() -> ds.Dataset:
    """Eight columns of 200 rows, each of four in two copies: many networks have exactly the same score."""
    codes = np.random.default_rng(1).integers(0, 2, (200, 4))
    codes[:, 1] = np.where(np.arange(200) % 5 == 0, codes[:, 1], codes[:, 0])
    return ds.Dataset.from_codes(np.repeat(codes, 2, axis=1), {f"v{i}": 2 for i in range(8)})


def almost_certain() -> ds.Dataset:
    """Rows of a network whose tables are almost deterministic."""
    rng = np.random.default_rng(3)
    dag = ds.random_dag(10, max_parents=3, seed=rng)
    tables = {}
    for name in dag.variables:
        first = np.where(rng.random([2] * len(dag.parents(name))) < 0.5, 0.01, 0.99)
        tables[name] = np.stack([first, 1 - first], axis=-1)
    return ds.Network(dag, {name: ["0", "1"] for name in dag.variables}, tables).sample(100_000, seed=3)


SMALL: dict[str, Callable[[], ds.Dataset]] = {
    "zoo": lambda: ds.load_dataset("zoo"),
    "votes": lambda: ds.load_dataset("votes"),
    "tic-tac-toe": lambda: ds.load_dataset("tic-tac-toe"),
    "asia, 1000 rows": lambda: ds.load_network("asia").sample(1000, seed=1),
    "14 columns, 25 rows": lambda: mixed_network(14, seed=4).sample(25, seed=1),
    "10 columns, 10 rows": lambda: mixed_network(10, seed=5).sample(10, seed=1),
    "columns in two copies": copied_columns,
    "almost deterministic, 100,000 rows": almost_certain,
    "child, 1000 rows": lambda: network("child").sample(1000, seed=1),
}


class Distances(NamedTuple):
    """How far the edges of one run are from the exact posterior: as they are, and in Monte Carlo errors."""

    gaps: NDArray[np.float64]
    ratios: NDArray[np.float64]
    accepted: bool
    seconds: float


def distances(scores: ds.EnumerableScores, exact: NDArray[np.float64], seed: int) -> Distances:
    """Run the default chains, and compare every edge with the exact posterior."""
    times, found = timed(lambda: ds.chain(scores, threads=1, seed=seed))
    off = ~np.eye(scores.n, dtype=bool)
    gaps = np.abs(found.edges - exact)[off]
    return Distances(gaps, gaps / found.edge_errors[off], found.diagnostics.converged, times.cpu)


def counted(runs: Sequence[Distances]) -> list[object]:
    """The cells of some runs: the edges of all of them together."""
    gaps, ratios = (np.concatenate([getattr(run, name) for run in runs]) for name in ("gaps", "ratios"))
    beyond = [int((ratios > most).sum()) for most in (3, 5)]
    accepted = f"{sum(run.accepted for run in runs)} of {len(runs)}"
    return [
        f"{np.sqrt((gaps**2).mean()):.5f}",
        len(ratios),
        *beyond,
        f"{100 * (1 - beyond[0] / len(ratios)):.1f} %",
        float(ratios.max()),
        accepted,
        float(np.mean([run.seconds for run in runs])),
    ]


def within() -> None:
    """Compare every edge with the exact posterior, and say how many of all there are."""
    rows, every = [], []
    for name, data in SMALL.items():
        for max_parents in PARENTS:
            scores = ds.local_scores(data(), max_parents=max_parents, threads=1)
            exact = ds.posterior(scores, over="dags", threads=1).edges
            runs = [distances(scores, exact, seed) for seed in SEEDS]
            rows.append([name, scores.n, max_parents, *counted(runs)])
            every += runs
            print(name, max_parents, file=sys.stderr, flush=True)
    rows.append(["all", None, None, *counted(every)])
    PAGE.table(
        "within",
        f"The default chains against exact posteriors, {len(SEEDS)} seeds together: root mean square error of all "
        "edges, their number, how many are beyond three and five Monte Carlo errors of the exact probability, the "
        "share within three, the largest distance in such errors, how many of the runs the diagnostics accept, and "
        "processor seconds of a run, scores excluded.",
        [
            "data",
            "n",
            "parents",
            "error",
            "edges",
            "beyond 3",
            "beyond 5",
            "within 3",
            "largest",
            "accepted",
            "seconds",
        ],
        rows,
    )


def trust(found: ds.SampledNetworks) -> str:
    return "yes" if found.diagnostics.converged else "no"


def wide_data() -> dict[str, ds.Dataset]:
    """1000 rows of networks of hundreds of variables; pigs is in the folder of data files, if that is given."""
    found = {"andes": network("andes").sample(1000, seed=1)}
    for word in words():
        if word.startswith(DATA):
            found["pigs"] = gibby.read(Path(word.removeprefix(DATA)) / "pigs1k.dat")
    return {**found, "random network": mixed_network(1000).sample(1000, seed=1)}


def wide() -> None:
    """Run chains on hundreds of variables, and show what their diagnostics say."""
    rows = []
    for name, data in wide_data().items():
        times, found = timed(lambda data=data: ds.chain(data, draws=WIDE_DRAWS, seed=1, settings="fixed"))
        told = found.diagnostics
        rows.append(
            [name, data.n, times.cpu, times.wall, told.r_hat_score, told.r_hat_edges, told.ess_score,
             told.largest_disagreement, trust(found)]
        )  # fmt: skip
    PAGE.table(
        "wide",
        f"Four chains of {WIDE_DRAWS} draws on 1000 rows of large networks, with the default limit on parents: "
        "processor and wall seconds, split R-hat of the score and the largest of an edge, the effective sample size of "
        "the score, "
        "the largest disagreement between chains about an edge, and what the diagnostics say.",
        ["data", "n", "processor, s", "s", "R-hat", "edges", "size", "disagreement", "accepted"],
        rows,
    )


PARTS = {"within": within, "wide": wide}


def main() -> None:
    for name in [word for word in words() if word in PARTS] or PARTS:
        PARTS[name]()


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
