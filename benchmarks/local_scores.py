"""Local scores: data of several sizes, and BDeu compared with pgmpy and pyAgrum on the same families.

python -m benchmarks.local_scores            (the extra `bench` installs the peers; without them only dagscape runs)
"""

from __future__ import annotations

import importlib.util
import itertools
import random
import time
import warnings

import numpy as np
import pandas as pd

import dagscape as ds
from benchmarks.timing import SHARED, best_of, machine


def random_data(n: int, m: int, arity: int) -> ds.Dataset:
    return ds.Dataset.from_array(np.random.default_rng(1).integers(0, arity, (m, n)))


def read_every_score(scores: ds.LocalScores) -> int:
    return sum(len(scores.families(child)) for child in range(scores.n))


def sizes() -> None:
    jobs = [
        ("Votes 435 x 17, all sets", "votes", None, 1, 0.3),
        ("n=20, m=5000 ternary, all sets", (20, 5000, 3), None, 2, 20.0),
        ("n=20, m=5000 binary, up to 4 parents", (20, 5000, 2), 4, 1, 0.2),
        ("ALARM 37 x 10000, up to 4 parents", "alarm", 4, 2, 30.0),
    ]
    print(f"{'job':40} {'sets':>10} {'families':>10} {'threads':>7} {'seconds':>8} {'goal':>6}  reading all, sorted")
    for name, source, max_parents, threads, goal in jobs:
        if isinstance(source, tuple):
            data = random_data(*source)
        elif source == "votes":
            data = ds.load_dataset("votes")
        elif not SHARED.is_dir():
            print(f"{name:40} (the shared data sets are not available)")
            continue
        else:
            data = ds.read_data(SHARED / "sets/gobnilp_alarm_10000.csv.gz")
        seconds, scores = best_of(
            3, lambda data=data, d=max_parents, t=threads: ds.local_scores(data, max_parents=d, threads=t)
        )
        listing = ""
        if scores.family_count < 3_000_000:
            listing = f"{best_of(1, lambda scores=scores: read_every_score(scores))[0]:.2f} s"
        print(
            f"{name:40} {scores.nbytes // 8:>10,} {scores.family_count:>10,} {threads:>7} {seconds:>8.3f} {goal:>6}"
            f"  {listing}"
        )


def families_up_to(n: int, max_parents: int) -> list[tuple[int, tuple[int, ...]]]:
    return [
        (child, parents)
        for child in range(n)
        for size in range(max_parents + 1)
        for parents in itertools.combinations([v for v in range(n) if v != child], size)
    ]


def time_pgmpy(frame: pd.DataFrame, asked: list[tuple[int, tuple[int, ...]]]) -> tuple[float, list[float]]:
    from pgmpy.structure_score import BDeu

    names = list(frame.columns)
    scorer = BDeu(frame, equivalent_sample_size=1)
    start = time.perf_counter()
    found = [scorer.local_score(names[child], tuple(names[p] for p in parents)) for child, parents in asked]
    return time.perf_counter() - start, found


def time_pyagrum(frame: pd.DataFrame, asked: list[tuple[int, tuple[int, ...]]]) -> tuple[float, list[float]]:
    import pyagrum

    names = list(frame.columns)
    learner = pyagrum.BNLearner(frame)
    learner.useScoreBDeu()
    start = time.perf_counter()
    found = [learner.score(names[child], [names[p] for p in parents]) for child, parents in asked]
    return time.perf_counter() - start, [score * np.log(2) for score in found]


def peers() -> None:
    n, m = 20, 5000
    data = random_data(n, m, 2)
    frame = data.to_frame().astype(str)
    print(f"\nBDeu (ess 1), n={n}, m={m} binary. Ours: one thread, scores computed and every family read out, sorted.")
    print(
        f"{'families':>10} {'ours, s':>9} {'peer':>8} {'on':>8} {'peer, s':>9} {'ratio per family':>17} "
        f"{'largest difference':>19}"
    )
    for max_parents in (2, 4):
        asked = families_up_to(n, max_parents)

        def ours(max_parents: int = max_parents) -> ds.LocalScores:
            scores = ds.local_scores(data, max_parents=max_parents, threads=1)
            read_every_score(scores)
            return scores

        seconds, scores = best_of(5, ours)
        sample = sorted(random.Random(0).sample(asked, min(len(asked), 4000)))
        for peer, measure in (("pgmpy", time_pgmpy), ("pyagrum", time_pyagrum)):
            if importlib.util.find_spec(peer) is None:
                print(f"{len(asked):>10,} {seconds:>9.4f} {peer:>8} not installed")
                continue
            taken, found = measure(frame, sample)
            difference = max(
                abs(value - scores.family(child, parents))
                for value, (child, parents) in zip(found, sample, strict=True)
            )
            ratio = (taken / len(sample)) / (seconds / len(asked))
            print(
                f"{len(asked):>10,} {seconds:>9.4f} {peer:>8} {len(sample):>8,} {taken:>9.2f} {ratio:>17,.0f} "
                f"{difference:>19.2g}"
            )


def plans() -> None:
    print("\nplan() against the run, two threads")
    for n, m, arity, max_parents in [(15, 1000, 3, None), (18, 2000, 2, None), (20, 5000, 3, None), (30, 5000, 3, 4)]:
        data = random_data(n, m, arity)
        planned = ds.plan(data, max_parents=max_parents, threads=2)
        seconds, _ = best_of(1, lambda data=data, d=max_parents: ds.local_scores(data, max_parents=d, threads=2))
        print(
            f"n={n} m={m} arity={arity} max_parents={max_parents}: "
            f"planned {planned.seconds:.3f} s, took {seconds:.3f} s"
        )


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(machine())
    sizes()
    plans()
    peers()
