"""The search over orders: gaps to known and published scores, and speed.

python -m benchmarks.orders files [SECONDS]   (score files of up to 1041 variables; 5 seconds each by default)
python -m benchmarks.orders data              (proven optima from data, and networks of up to 223 variables)
python -m benchmarks.orders gaps [SECONDS]    (how far every learner is from the best scores known)
"""

from __future__ import annotations

import sys
import time
import warnings

import dagscape as ds
from benchmarks.experiments import table
from benchmarks.timing import SHARED, machine
from dagscape.search.registry import LEARNERS

# A plain insertion search after 12 and after 150 seconds, and the best published network of bounded treewidth.
FILES = {
    "alarm": (-53781.33860, None, -53781.34),
    "hepar2": (-164432.75580, None, -164433.40),
    "pathfinder": (-149209.67440, None, -150290.93),
    "diabetes": (-2112805.42, -2104693.66, -2165008.82),
    "pigs": (-1677868.12, -1675769.10, -1730867.33),
    "munin": (-1025893.20, -1025224.93, -1039861.07),
}

# Data, options and the proven optimum.
OPTIMA = {
    "gobnilp_alarm_10000": ({"score": "bdeu"}, -105226.51191678),
    "bnlearn_alarm": ({"score": "bic"}, -218632.31567965),
    "bnlearn_insurance": ({"score": "bic"}, -264708.85975),
    "bnlearn_hailfinder": ({"score": "bic"}, -990162.80504),
}


def files(seconds: float = 5.0) -> None:
    """Print, for each score file, the score within the time and its differences to other searches."""
    print(f"{'file':12}{'n':>6}{'score':>16}{'seconds':>9}{'to 12 s':>12}{'to 150 s':>12}{'published':>12}")
    for name, others in FILES.items():
        scores = jkl(name)
        found, spent = timed(scores, max_seconds=seconds)
        gaps = "".join(f"{'':>12}" if other is None else f"{found.score - other:>12.2f}" for other in others)
        print(f"{name:12}{scores.n:>6}{found.score:>16.4f}{spent:>9.2f}{gaps}")


def data() -> None:
    """Print optima reached from data of at most 3 parents, and networks with any number of parents."""
    for name, (options, optimum) in OPTIMA.items():
        start = time.perf_counter()
        found, _ = timed(csv(name), max_parents=3, **options)
        print(f"{name:24}{found.score:>18.8f}{found.score - optimum:>12.6f}{time.perf_counter() - start:>9.2f} s")
    for name in ("alarm", "andes"):
        network = ds.read_network(SHARED / "networks" / f"{name}.bif.gz")
        sample = network.sample(5000, seed=1)
        found, spent = timed(sample)
        truth = ds.family_scores(sample).network(network)
        print(f"{name:24}{found.score:>18.8f}{found.score - truth:>+12.2f} to the truth{spent:>9.2f} s")


def gaps(seconds: float = 60.0) -> None:
    """Print, for each data set and score file, how far each learner stays below the best score known."""
    methods = [name for name in LEARNERS if name != "optimal"]
    lines = []
    for name, (options, optimum) in OPTIMA.items():
        lines.append([name, optimum, *(_gap(csv(name), method, optimum, seconds, **options) for method in methods)])
    for name, others in FILES.items():
        scores, best = jkl(name), max(score for score in others if score is not None)
        lines.append([f"{name}-5000.jkl", best, *(_gap(scores, method, best, seconds) for method in methods)])
    table(
        f"Below the best score known, in at most {seconds:g} seconds (negative: better)",
        lines,
        ["source", "best known", *methods],
    )


def _gap(source: ds.Dataset | ds.LocalScores, method: str, best: float, seconds: float, **options: object) -> str:
    if isinstance(source, ds.Dataset):
        options |= {"max_parents": 3}
    try:
        found, spent = timed(source, method, max_seconds=seconds, **options)
    except ds.InvalidOption:  # these need data, or a score that is equal on equivalent networks
        return ""
    return f"{best - found.score:.2f} ({spent:.1f} s)"


def csv(name: str) -> ds.Dataset:
    return ds.read_data(SHARED / "sets" / f"{name}.csv.gz")


def jkl(name: str) -> ds.LocalScores:
    return ds.read_scores(SHARED / "scores" / "bnslim" / f"{name}-5000.jkl.gz")


def timed(source: ds.Dataset | ds.LocalScores, method: str = "order", **options: object) -> tuple[ds.Learned, float]:
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ds.StoppedEarly)
        found = ds.learn(source, method, **options)
    return found, time.perf_counter() - start


if __name__ == "__main__":
    print(machine())
    {"files": files, "data": data, "gaps": gaps}[sys.argv[1]](*map(float, sys.argv[2:]))
