"""The search over orders: gaps to known and published scores, and speed.

python -m benchmarks.orders [files] [data] [gaps] [--write]      (default: all)

``files``: score files of up to 1041 variables, 5 seconds each; ``data``: proved optima from data; ``gaps``: how far
every learner is from the best scores known, in at most 60 seconds.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import partial

import dagscape as ds
from benchmarks import SHARED
from benchmarks.climbing import METHODS
from benchmarks.inputs import table
from benchmarks.pages import Page, words
from benchmarks.timing import Times, timed

PAGE = Page("orders")

FILE_SECONDS, GAP_SECONDS = 5.0, 60.0

# A plain insertion search after 12 and after 150 seconds, and the best published network of bounded treewidth.
FILES = {
    "alarm": (-53781.33860, None, -53781.34),
    "hepar2": (-164432.75580, None, -164433.40),
    "pathfinder": (-149209.67440, None, -150290.93),
    "diabetes": (-2112805.42, -2104693.66, -2165008.82),
    "pigs": (-1677868.12, -1675769.10, -1730867.33),
    "munin": (-1025893.20, -1025224.93, -1039861.07),
}

# Data, score and the proved optimum.
OPTIMA = {
    "gobnilp_alarm_10000": ("bdeu", -105226.51191678),
    "bnlearn_alarm": ("bic", -218632.31567965),
    "bnlearn_insurance": ("bic", -264708.85975),
    "bnlearn_hailfinder": ("bic", -990162.80504),
}


def files() -> Iterator[list[object]]:
    """The score within the time, and its differences to other searches."""
    for name, others in FILES.items():
        scores = score_file(name)
        _, found = learned(scores, max_seconds=FILE_SECONDS)
        differences = (None if other is None else f"{found.score - other:.2f}" for other in others)
        yield [name, scores.n, f"{found.score:.4f}", *differences]


def data() -> Iterator[list[object]]:
    """Optima reached from data, of at most 3 parents."""
    for name, (score, optimum) in OPTIMA.items():
        times, found = learned(table(name), max_parents=3, score=score, threads=1)
        yield [name, score, f"{found.score:.8f}", f"{optimum - found.score:.4f}", *times]


def gaps() -> Iterator[list[object]]:
    """How far each learner stays below the best score known."""
    for name, (score, optimum) in OPTIMA.items():
        options = {"score": score, "max_parents": 3}
        yield [name, *(gap(table(name), method, optimum, **options) for method in METHODS)]
    for name, others in FILES.items():
        scores, best = score_file(name), max(score for score in others if score is not None)
        yield [f"{name}-5000.jkl", *(gap(scores, method, best) for method in METHODS)]


def gap(source: ds.Dataset | ds.LocalScores, method: str, best: float, **options: object) -> str:
    try:
        times, found = learned(source, method, max_seconds=GAP_SECONDS, **options)
    except ds.InvalidOption:  # these need data, or a score that is equal on equivalent networks
        return ""
    return f"{best - found.score:.2f} ({times.wall:.1f})"


def score_file(name: str) -> ds.LocalScores:
    return ds.read_scores(SHARED / "scores" / "bnslim" / f"{name}-5000.jkl.gz")


def learned(source: ds.Dataset | ds.LocalScores, method: str = "order", **options: object) -> tuple[Times, ds.Learned]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ds.StoppedEarly)
        return timed(
            partial(
                ds.learn,
                source,
                method,
                **{} if isinstance(source, ds.LocalScores) else {"settings": "fixed"},
                **options,
            )
        )


def main() -> None:
    parts = words() or ["files", "data", "gaps"]
    if "files" in parts:
        PAGE.table(
            "files",
            f"Score files, {FILE_SECONDS:g} seconds each. Differences to a plain insertion search after 12 and 150 "
            "seconds, and to the best published network of bounded treewidth: positive ones are in favour of dagscape.",
            ["file", "n", "score", "to 12 s", "to 150 s", "to published"],
            files(),
        )
    if "data" in parts:
        PAGE.table(
            "data",
            "From data, at most 3 parents, one thread: the optima are those that GOBNILP proved.",
            ["data", "score by", "score", "below the optimum", "seconds", "processor, s"],
            data(),
        )
    if "gaps" in parts:
        PAGE.table(
            "gaps",
            f"How far every method stays below the best score known, in nats, in at most {GAP_SECONDS:g} seconds "
            "(seconds in brackets; negative: better than the best known). Data have at most 3 parents.",
            ["source", *METHODS],
            gaps(),
        )


if __name__ == "__main__":
    main()
