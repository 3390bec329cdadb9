"""Whether edges with a probability of 0.9 are there nine times of ten: exact posteriors, exact samples and chains.

python -m benchmarks.calibration run [METHOD …]    (exact, samples, chain; default: all)
python -m benchmarks.calibration table [--write]

200 networks of 6 to 20 variables and 100 to 5000 rows, and 800 more of 6 to 14 variables. Structure
and tables are from the prior that the scores use (``benchmarks/prior_draws.py``): uniform over DAGs with at most three
parents, and the Dirichlet distributions of BDeu. Half of the networks have an equivalent sample size of 1, half of 10.
``run`` keeps what it found in ``build/``, so that it can be interrupted; ``table`` compares with the truth.
"""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import dagscape as ds
from benchmarks.pages import FIGURES, RESULTS, WRITE, Page, words
from benchmarks.prior_draws import Drawn, drawn
from benchmarks.timing import timed

PAGE = Page("calibration")
FOLDER = Path(__file__).resolve().parents[1] / "build" / "calibration"

# The first of them may have up to 20 variables, the others are small.
FIRST = 200
NETWORKS = 1000
MAX_PARENTS = 3
SIZES = (1.0, 10.0)
ROWS = (100, 300, 1000, 5000)
SAMPLES = 1000
# Of each of four chains: a quarter of the default.
DRAWS = 250

# Upper ends of the bins of probabilities.
BINS = (0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.95, 0.99, 1.0)

TITLES = {"exact": "exact posterior", "samples": f"{SAMPLES} exact samples", "chain": f"4 chains of {DRAWS} draws"}
FEATURES = ("edges", "ancestors", "compelled")
Matrix = NDArray[np.float64]


def variables(number: int) -> int:
    """The number of variables of a network: of every ten of the first, six have 6 to 12, and four 13 to 20."""
    rng = np.random.default_rng([1, number])
    if number >= FIRST:
        return int(rng.integers(6, 15))
    return int(rng.integers(6, 13) if number % 10 < 6 else rng.integers(13, 21))


def ess_of(number: int) -> float:
    """The equivalent sample size: each for every second network."""
    return SIZES[number % 2]


def example(number: int) -> Drawn:
    """A network and rows; the same whenever it is asked for."""
    rng = np.random.default_rng([2, number])
    rows = int(rng.choice(ROWS))
    return drawn(variables(number), rows, MAX_PARENTS, ess_of(number), rng)


def scores_of(number: int) -> ds.LocalScores:
    """The scores of a network's rows by the prior that it came from."""
    return ds.local_scores(example(number).data, ess=ess_of(number), max_parents=MAX_PARENTS, threads=1)


def exact(scores: ds.LocalScores) -> Any:
    return ds.posterior(scores, over="dags", threads=1)


def samples(scores: ds.LocalScores) -> Any:
    return ds.sample_dags(scores, SAMPLES, over="dags", seed=1, threads=1)


def chain(scores: ds.LocalScores) -> Any:
    return ds.chain(scores, draws=DRAWS, seed=1, threads=1)


METHODS: dict[str, Callable[[ds.LocalScores], Any]] = {"exact": exact, "samples": samples, "chain": chain}


def run(methods: list[str]) -> None:
    """Estimate the probabilities of all networks by some methods, unless that was done before."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for number in range(NETWORKS):
        scores = None
        for method in methods:
            path = FOLDER / f"{method}-{number}.npz"
            if path.exists():
                continue
            scores = scores or scores_of(number)
            times, found = timed(lambda scores=scores, method=method: METHODS[method](scores))
            kept = {name: getattr(found, name) for name in FEATURES if getattr(found, name, None) is not None}
            np.savez(path, seconds=times.cpu, **kept)
            print(number, scores.n, method, f"{times.cpu:.2f} s", flush=True)


def truth(number: int, feature: str) -> Matrix:
    """Which edges, ancestor relations or compelled edges the network has."""
    dag = example(number).network.dag
    names = dag.variables
    match feature:
        case "edges":
            pairs = dag.edges
        case "compelled":
            pairs = dag.to_cpdag().directed_edges
        case _:
            pairs = tuple((u, v) for v in names for u in dag.ancestors(v))
    matrix = np.zeros((dag.n, dag.n))
    for u, v in pairs:
        matrix[names.index(u), names.index(v)] = 1
    return matrix


# For each network: the probabilities of all ordered pairs, and whether they are there.
Pairs = list[tuple[Matrix, Matrix]]


def pairs(method: str, feature: str, ess: float | None = None) -> Pairs:
    """What a method says of each network, and the truth."""
    found = []
    for number in range(NETWORKS):
        if ess is not None and ess_of(number) != ess:
            continue
        with np.load(FOLDER / f"{method}-{number}.npz") as kept:
            if feature not in kept:
                return []
            stated = kept[feature]
        off = ~np.eye(len(stated), dtype=bool)
        found.append((stated[off], truth(number, feature)[off]))
    return found


class Bin(NamedTuple):
    """Pairs with similar probabilities: how many, what is said of them on average, and how many are there.

    The interval is Wilson's, with the number of pairs divided by the design effect: pairs of one network depend on each
    other, so that the sums over networks vary more than those of independent pairs would.
    """

    pairs: int
    stated: float
    there: float
    interval: tuple[float, float]

    @property
    def outside(self) -> bool:
        """Whether the mean probability is outside of the interval."""
        return not self.interval[0] <= self.stated <= self.interval[1]


def reliability(given: Pairs) -> list[Bin | None]:
    """What is in each bin."""
    sums = np.zeros((len(given), len(BINS), 4))
    for place, (stated, there) in enumerate(given):
        where = np.minimum(np.searchsorted(BINS, stated), len(BINS) - 1)
        for column, weights in enumerate((None, stated, there, stated * (1 - stated))):
            sums[place, :, column] = np.bincount(where, weights, len(BINS))
    found: list[Bin | None] = []
    for count, stated, there, variance, spread in np.column_stack(
        [sums.sum(axis=0), ((sums[:, :, 2] - sums[:, :, 1]) ** 2).sum(axis=0)]
    ).tolist():
        if not count:
            found.append(None)
            continue
        effect = max(spread / variance, 1.0) if variance else 1.0
        found.append(Bin(int(count), stated / count, there / count, wilson(there / count, count / effect)))
    return found


def wilson(share: float, count: float) -> tuple[float, float]:
    """The 95 % interval of a share by Wilson's formula."""
    z = 1.96
    middle = (share + z**2 / (2 * count)) / (1 + z**2 / count)
    half = z * math.sqrt(share * (1 - share) / count + z**2 / (4 * count**2)) / (1 + z**2 / count)
    return middle - half, middle + half


def losses(given: Pairs) -> tuple[float, float]:
    """The mean Brier score, and the mean log loss; probabilities are kept 1/2000 away from 0 and 1."""
    stated, there = (np.concatenate(part) for part in zip(*given, strict=True))
    kept = np.clip(stated, 1 / 2000, 1 - 1 / 2000)
    return float(((stated - there) ** 2).mean()), float(-np.log(np.where(there > 0, kept, 1 - kept)).mean())


def table() -> None:
    """Write the bins of edges, and the losses of all features."""
    found = {method: reliability(pairs(method, "edges")) for method in METHODS}
    rows: list[list[object]] = []
    for place, (low, high) in enumerate(zip((0.0, *BINS), BINS, strict=False)):
        cells: list[object] = [f"{low:g} to {high:g}"]
        for method in METHODS:
            one = found[method][place]
            cells += ["", "", ""] if one is None else [one.pairs, f"{one.stated:.4f}", _share(one)]
        rows.append(cells)
    PAGE.table(
        "edges",
        f"Ordered pairs of variables of {NETWORKS} networks, by the probability of their edge: how many there are, the "
        "mean of their probabilities, and the share that is there with its 95 % interval.",
        ["probability", *(f"{method}: {what}" for method in METHODS for what in ("pairs", "stated", "there"))],
        rows,
    )
    PAGE.table(
        "losses",
        f"All {NETWORKS} networks, by feature and equivalent sample size: the sum of the probabilities, how many "
        "of the pairs are there, the mean Brier score and log loss, and in how many bins the mean probability is "
        "outside of the interval.",
        ["feature", "ess", "method", "stated", "there", "Brier", "log loss", "bins outside"],
        [row for feature in FEATURES for ess in SIZES for method in METHODS for row in _losses(feature, ess, method)],
    )
    draw(found)


def _share(one: Bin) -> str:
    low, high = one.interval
    return f"{one.there:.4f} ({low:.4f} to {high:.4f})"


def _losses(feature: str, ess: float, method: str) -> Iterator[list[object]]:
    given = pairs(method, feature, ess)
    if not given:
        return
    stated, there = (float(sum(part.sum() for part in parts)) for parts in zip(*given, strict=True))
    brier, log_loss = losses(given)
    found = [one for one in reliability(given) if one is not None]
    outside = f"{sum(one.outside for one in found)} of {len(found)}"
    yield [feature, f"{ess:g}", method, f"{stated:,.1f}", int(there), f"{brier:.5f}", f"{log_loss:.5f}", outside]


def draw(found: dict[str, list[Bin | None]]) -> None:
    """Draw the share of edges that are there by their probability."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "dagscape"}):
        figure = Figure(figsize=(8.5, 3.2), layout="constrained")
        for place, (method, all_bins) in enumerate(found.items()):
            axes = figure.add_subplot(1, len(found), 1 + place)
            kept = [one for one in all_bins if one is not None]
            stated, there = [one.stated for one in kept], [one.there for one in kept]
            low, high = zip(*(one.interval for one in kept), strict=True)
            ends = np.abs(np.array([low, high]) - there)
            axes.plot([0, 1], [0, 1], "k:", linewidth=0.8)
            axes.errorbar(stated, there, yerr=ends, fmt="C0o", markersize=3.5, linewidth=1, capsize=2)
            axes.set_title(TITLES[method], fontsize=10)
            axes.set_xlabel("probability of the edge")
            axes.set_aspect("equal")
            if not place:
                axes.set_ylabel("share that is there")
        path = (RESULTS if WRITE in sys.argv[1:] else FIGURES) / "calibration.svg"
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, metadata={"Date": None})
        print(path)


def main() -> None:
    match words():
        case ["run", *methods]:
            run(methods or list(METHODS))
        case ["table"]:
            table()
        case _:
            raise SystemExit(__doc__)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
