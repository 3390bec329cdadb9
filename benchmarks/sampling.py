"""Exact samples of networks: times, and how far averages are from the exact posterior.

python -m benchmarks.sampling [dags] [orders] [dense] [large] [pooled] [paths] [--write]
(default: dags, orders and dense)

``orders`` needs 3 GiB, ``large`` 17 GiB. ``pooled`` draws from the posterior of Child with several seeds, ``paths``
compares all paths of Votes, whose sum takes minutes.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

import dagscape as ds
from benchmarks.inputs import independent_columns, network, sampled_scores, table
from benchmarks.pages import Page, words
from dagscape.studies.papers.measuring import peak_memory

PAGE = Page("sampling")

SAMPLES = 10_000
RUNS = 10
POOLED_SEEDS = (1, 2, 3, 4, 5)

# Sums with paths of more variables take long.
_MOST_WITH_PATHS = 13


def near_copies(n: int, rows: int) -> ds.Dataset:
    """Columns that are functions of others, up to one row of 10,000."""
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 2, (rows, n))
    for i in range(1, n):
        wrong = rng.random(rows) < 1e-4
        if i % 3 == 0:
            codes[:, i] = (codes[:, i - 1] & codes[:, i - 2]) ^ wrong
        elif i % 3 == 1:
            codes[:, i] = codes[:, i - 1] ^ wrong
    return ds.Dataset.from_array(codes)


def first_columns(data: ds.Dataset, n: int) -> ds.Dataset:
    """The first columns of a table."""
    return data.select(data.variables[:n])


OVER_DAGS: dict[str, Callable[[], ds.LocalScores]] = {
    "Asia, 1000 rows": lambda: sampled_scores("builtin:asia", 1000, 1),
    "tic-tac-toe": lambda: ds.local_scores(ds.load_dataset("tic-tac-toe")),
    "near copies, 100,000 rows": lambda: ds.local_scores(near_copies(13, 100_000)),
    "Votes": lambda: ds.local_scores(ds.load_dataset("votes")),
    "Zoo": lambda: ds.local_scores(ds.load_dataset("zoo")),
    "Child, 1000 rows": lambda: sampled_scores("child", 1000, 1),
    "20 columns of ALARM, 100 rows": lambda: ds.local_scores(first_columns(table("gobnilp_alarm_100"), 20)),
    "20 columns of ALARM, 10,000 rows": lambda: ds.local_scores(first_columns(table("gobnilp_alarm_10000"), 20)),
}


def path_shares(drawn: ds.SampledNetworks) -> NDArray[np.float64]:
    """The share of the samples with a path from one variable through a second to a third."""
    n = len(drawn.variables)
    shares = np.zeros((n, n, n))
    for row in drawn.network_shares().itertuples():
        above = np.array([[mask >> s & 1 for mask in row.network.ancestor_masks()] for s in range(n)])
        shares += row.share * above[:, :, None] * above[None, :, :]
    return shares


def deviations(shares: NDArray[np.float64], exact: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    """By how many Monte Carlo errors shares of samples differ from probabilities; an error is at least one sample."""
    found: NDArray[np.float64] = np.abs(shares - exact) / np.sqrt((exact * (1 - exact) + 1 / count) / count)
    return found


def parts_of(drawn: ds.SampledNetworks, count: int) -> list[ds.SampledNetworks]:
    """Return each ``count`` samples as a run of their own."""
    starts = range(0, len(drawn), count)
    return [
        replace(drawn, networks=drawn.networks[at : at + count], scores=drawn.scores[at : at + count]) for at in starts
    ]


def compared(drawn: ds.SampledNetworks, post: ds.Posterior, count: int) -> list[object]:
    """Cells of edges, ancestors and paths: the percentage within 3 errors, and the most errors of any.

    Each ``count`` samples count as a run of their own.
    """
    runs = parts_of(drawn, count)
    features = {"edges": lambda run: run.edges, "ancestors": lambda run: run.ancestors, "paths": path_shares}
    cells: list[object] = []
    for name, shares_of in features.items():
        exact = getattr(post, name)
        if exact is None:
            cells.append(None)
            continue
        off = np.array([deviations(shares_of(run), exact, count) for run in runs])
        cells.append(f"{100 * np.mean(off < 3):.2f} %, {off.max():.1f}")
    return cells


def expected_share(exact: NDArray[np.float64], count: int) -> float:
    """The share of features within 3 errors that is expected of independent samples.

    That features depend on each other does not change it, but how far the share of one run is from it.
    """
    from scipy.stats import binom

    width = 3 * np.sqrt((exact * (1 - exact) + 1 / count) / count) * count
    low, high = np.ceil(count * exact - width), np.floor(count * exact + width)
    return float(np.mean(binom.cdf(high, count, exact) - binom.cdf(low - 1, count, exact)))


def pooled() -> None:
    """Compare the edges and ancestors of Child with several seeds, each with runs of its own."""
    scores = OVER_DAGS["Child, 1000 rows"]()
    post = ds.posterior(scores)
    exact = {"edges": post.edges, "ancestors": post.ancestors}
    found: dict[str, list[NDArray[np.float64]]] = {name: [] for name in exact}
    rows: list[list[object]] = []

    def cells(off: NDArray[np.float64]) -> list[object]:
        return [f"{100 * np.mean(off < 3):.2f} %", int((off >= 5).sum()), float(off.max())]

    for seed in POOLED_SEEDS:
        drawn = ds.sample_dags(scores, RUNS * SAMPLES, seed=seed)
        row: list[object] = [f"seed {seed}", RUNS]
        for name, right in exact.items():
            off = np.array([deviations(getattr(run, name), right, SAMPLES) for run in parts_of(drawn, SAMPLES)])
            found[name].append(off)
            row += cells(off)
        rows.append(row)
    every = [cell for name in exact for cell in cells(np.array(found[name]))]
    rows.append(["all", RUNS * len(POOLED_SEEDS), *every])
    share = [f"{100 * expected_share(right, SAMPLES):.2f} %" for right in exact.values()]
    rows.append(["expected", None, share[0], None, None, share[1], None, None])
    PAGE.table(
        "pooled",
        f"Runs of {SAMPLES:,} samples of Child, 1000 rows, with several seeds: for edges and for ancestors, the share "
        "of probabilities within 3 Monte Carlo errors of the exact posterior, the number beyond 5, and the largest "
        "deviation; and the share that binomial distributions of the exact probabilities have within 3 errors.",
        ["samples", "runs", "edges", "beyond 5", "largest", "ancestors", "beyond 5", "largest"],
        rows,
    )


def paths() -> None:
    """Compare the paths of Votes, whose sum takes 4^17 steps."""
    scores = OVER_DAGS["Votes"]()
    drawn = ds.sample_dags(scores, RUNS * SAMPLES, seed=1)
    post = ds.posterior(scores, via="all")
    PAGE.table(
        "paths",
        f"Votes with all paths through a third variable, {RUNS} runs of {SAMPLES:,} samples: the percentage of "
        "probabilities within 3 Monte Carlo errors of the exact posterior, the largest deviation in such errors, and "
        "the seconds of the exact sum.",
        ["data", "variables", "edges", "ancestors", "paths", "sum, s"],
        [["Votes", scores.n, *compared(drawn, post, SAMPLES), post.provenance.seconds["sums"]]],
    )


def dags() -> None:
    rows = []
    for name, scores_of in OVER_DAGS.items():
        scores = scores_of()
        drawn = ds.sample_dags(scores, RUNS * SAMPLES, seed=1)
        thousand = ds.sample_dags(scores, 1000, seed=2)
        post = ds.posterior(scores, via="all" if scores.n <= _MOST_WITH_PATHS else None)
        seconds = drawn.provenance.seconds
        rows.append(
            [
                name,
                scores.n,
                seconds["sums"],
                thousand.provenance.seconds["samples"],
                seconds["samples"] / RUNS,
                f"{drawn.error:.0e}",
                *compared(drawn, post, SAMPLES),
            ]
        )
    PAGE.table(
        "dags",
        "Exact samples over DAGs, any number of parents, BDeu with ess 1, two threads: seconds of the table, of 1000 "
        "samples and of 10,000; the stated numerical error; and, for edges, ancestors and paths through a third "
        "variable, the percentage of probabilities within 3 Monte Carlo errors of the exact posterior in ten runs of "
        "10,000 samples, and the largest deviation in such errors.",
        ["data", "variables", "table, s", "1000, s", "10,000, s", "error", "edges", "ancestors", "paths"],
        rows,
    )


def _over_orders(sizes: dict[tuple[int, int], int]) -> list[list[object]]:
    rows: list[list[object]] = []
    alarm = {count: network("alarm").sample(count, seed=1) for count in (100, 1000)}
    for (n, count), samples in sizes.items():
        scores = ds.local_scores(first_columns(alarm[count], n), max_parents=4)
        drawn = ds.sample_dags(scores, samples, "orders", seed=1)
        seconds = drawn.provenance.seconds
        edges = compared(drawn, ds.posterior(scores, "orders"), samples)[0] if n <= 25 else None
        rows.append([n, count, seconds["sums"], seconds["samples"], f"{drawn.error:.0e}", edges, peak_memory() / 2**30])
    return rows


_ORDER_HEADERS = ["variables", "rows", "table, s", "1000, s", "error", "edges", "peak of the process so far, GiB"]


def orders() -> None:
    PAGE.table(
        "orders",
        "1000 exact samples over orders, the first columns of ALARM, up to 4 parents, two threads.",
        _ORDER_HEADERS,
        _over_orders({(25, 100): 1000, (25, 1000): 1000, (28, 1000): 1000}),
    )


def large() -> None:
    PAGE.table(
        "large",
        "The same for 31 variables, whose table has 16 GiB.",
        _ORDER_HEADERS,
        _over_orders({(31, 1000): 1000}),
    )


def dense() -> None:
    rows = []
    for n in (14, 17, 20):
        scores = ds.local_scores(independent_columns(n, 30, 2))
        drawn = ds.sample_dags(scores, 200, seed=1)
        edges = float(drawn.average(lambda dag: dag.edge_count))
        rows.append([n, edges, drawn.provenance.seconds["sums"], drawn.provenance.seconds["samples"] / 200])
    PAGE.table(
        "dense",
        "30 random rows of binary columns: all networks are about alike, and dense. Seconds of the table, and of one "
        "sample.",
        ["variables", "edges on average", "table, s", "sample, s"],
        rows,
    )


PARTS = {"dags": dags, "orders": orders, "large": large, "dense": dense, "pooled": pooled, "paths": paths}

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for part in words() or ["dags", "orders", "dense"]:
        PARTS[part]()
