"""Local scores: data of several sizes, and BDeu compared with pgmpy and pyAgrum on the same families.

python -m benchmarks.local_scores [--write]       (peers are the extra `bench`; those not installed are left out)
"""

from __future__ import annotations

import itertools
import random
import time
import warnings
from collections.abc import Callable

import numpy as np
import pandas as pd

import dagscape as ds
from benchmarks.inputs import independent_columns, table
from benchmarks.pages import Page
from benchmarks.timing import best_of, is_installed

PAGE = Page("scores")

Families = list[tuple[int, tuple[int, ...]]]


def read_every_score(scores: ds.LocalScores) -> int:
    return sum(len(scores.families(child)) for child in range(scores.n))


def sizes() -> None:
    jobs: list[tuple[str, Callable[[], ds.Dataset], int | None, int]] = [
        ("Votes, 435 × 17, all sets", lambda: ds.load_dataset("votes"), None, 1),
        ("n = 20, m = 5000, ternary, all sets", lambda: independent_columns(20, 5000, 3), None, 2),
        ("n = 20, m = 5000, binary, up to 4 parents", lambda: independent_columns(20, 5000, 2), 4, 1),
        ("ALARM, 37 × 10000, up to 4 parents", lambda: table("gobnilp_alarm_10000"), 4, 2),
    ]
    rows = []
    for name, load, max_parents, threads in jobs:
        data = load()
        seconds, scores = best_of(
            3, lambda data=data, d=max_parents, t=threads: ds.local_scores(data, max_parents=d, threads=t)
        )
        rows.append([name, scores.nbytes // 8, scores.family_count, threads, seconds])
    PAGE.table("sizes", "BDeu, ess 1.", ["job", "sets", "families", "threads", "seconds"], rows)


def families_up_to(n: int, max_parents: int) -> Families:
    return [
        (child, parents)
        for child in range(n)
        for size in range(max_parents + 1)
        for parents in itertools.combinations([v for v in range(n) if v != child], size)
    ]


def time_pgmpy(frame: pd.DataFrame, asked: Families) -> tuple[float, list[float]]:
    from pgmpy.structure_score import BDeu

    names = list(frame.columns)
    scorer = BDeu(frame, equivalent_sample_size=1)
    start = time.perf_counter()
    found = [scorer.local_score(names[child], tuple(names[p] for p in parents)) for child, parents in asked]
    return time.perf_counter() - start, found


def time_pyagrum(frame: pd.DataFrame, asked: Families) -> tuple[float, list[float]]:
    import pyagrum

    names = list(frame.columns)
    learner = pyagrum.BNLearner(frame)
    learner.useScoreBDeu()
    start = time.perf_counter()
    found = [learner.score(names[child], [names[p] for p in parents]) for child, parents in asked]
    return time.perf_counter() - start, [score * np.log(2) for score in found]


PEERS = {"pgmpy": time_pgmpy, "pyagrum": time_pyagrum}


def peers() -> None:
    """dagscape, on one thread, scores all families and reads them all; each peer scores some, one call for each."""
    n, m = 20, 5000
    data = independent_columns(n, m, 2)
    frame = data.to_frame().astype(str)
    rows = []
    for max_parents in (2, 4):
        asked = families_up_to(n, max_parents)

        def ours(max_parents: int = max_parents) -> ds.LocalScores:
            scores = ds.local_scores(data, max_parents=max_parents, threads=1)
            read_every_score(scores)
            return scores

        seconds, scores = best_of(5, ours)
        sample = sorted(random.Random(0).sample(asked, min(len(asked), 4000)))
        for peer, measure in PEERS.items():
            if not is_installed(peer):
                continue
            taken, found = measure(frame, sample)
            difference = max(
                abs(value - scores.family(child, parents))
                for value, (child, parents) in zip(found, sample, strict=True)
            )
            ratio = (taken / len(sample)) / (seconds / len(asked))
            rows.append([f"{len(asked):,} (up to {max_parents} parents)", seconds, peer, len(sample), taken,
                         round(ratio), difference])  # fmt: skip
    if rows:
        PAGE.table(
            "peers",
            f"BDeu, ess 1, n = {n}, m = {m}, binary: dagscape scores all families and reads them, with one thread; a "
            "peer scores those in its column, one call for each. The ratio is of seconds per family.",
            ["families", "dagscape, s", "peer", "its families", "peer, s", "ratio", "largest difference of a score"],
            rows,
        )


def plans() -> None:
    rows = []
    for n, m, arity, max_parents in [(15, 1000, 3, None), (18, 2000, 2, None), (20, 5000, 3, None), (30, 5000, 3, 4)]:
        data = independent_columns(n, m, arity)
        planned = ds.plan(data, max_parents=max_parents, threads=2)
        seconds, _ = best_of(1, lambda data=data, d=max_parents: ds.local_scores(data, max_parents=d, threads=2))
        limit = "all sets" if max_parents is None else f"up to {max_parents} parents"
        rows.append([f"n = {n}, m = {m}, {arity} levels, {limit}", planned.seconds, seconds])
    PAGE.table("plans", "Estimates of `plan()` and times, two threads.", ["job", "planned, s", "took, s"], rows)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    sizes()
    plans()
    peers()
