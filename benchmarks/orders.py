"""The search over orders: gaps to known and published scores, and speed.

python -m benchmarks.orders files [SECONDS]   (score files of up to 1041 variables; 5 seconds each by default)
python -m benchmarks.orders data              (proven optima from data, and networks of up to 223 variables)
"""

from __future__ import annotations

import sys
import time
import warnings

import dagscape as ds
from benchmarks.timing import SHARED, machine

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
        scores = ds.read_scores(SHARED / "scores" / "bnslim" / f"{name}-5000.jkl.gz")
        found, spent = timed(scores, max_seconds=seconds)
        gaps = "".join(f"{'':>12}" if other is None else f"{found.score - other:>12.2f}" for other in others)
        print(f"{name:12}{scores.n:>6}{found.score:>16.4f}{spent:>9.2f}{gaps}")


def data() -> None:
    """Print optima reached from data of at most 3 parents, and networks with any number of parents."""
    for name, (options, optimum) in OPTIMA.items():
        start = time.perf_counter()
        table = ds.read_data(SHARED / "sets" / f"{name}.csv.gz")
        found, _ = timed(table, max_parents=3, **options)
        print(f"{name:24}{found.score:>18.8f}{found.score - optimum:>12.6f}{time.perf_counter() - start:>9.2f} s")
    for name in ("alarm", "andes"):
        network = ds.read_network(SHARED / "networks" / f"{name}.bif.gz")
        sample = network.sample(5000, seed=1)
        found, spent = timed(sample)
        truth = ds.family_scores(sample).network(network)
        print(f"{name:24}{found.score:>18.8f}{found.score - truth:>+12.2f} to the truth{spent:>9.2f} s")


def timed(source: ds.Dataset | ds.LocalScores, **options: object) -> tuple[ds.Learned, float]:
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ds.StoppedEarly)
        found = ds.learn(source, "order", **options)
    return found, time.perf_counter() - start


if __name__ == "__main__":
    print(machine())
    {"files": files, "data": data}[sys.argv[1]](*map(float, sys.argv[2:]))
