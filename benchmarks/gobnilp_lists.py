"""Lists of the k best by GOBNILP beside ours, from the same local scores.

python -m benchmarks.gobnilp_lists [--write]

It needs pygobnilp (James Cussens) on the path, and gurobipy, whose licence that comes with the package solves problems
of up to 2000 variables and constraints; larger ones are marked. GOBNILP finds the list by integer programming, one
network after the other (``kbest=True``), with one network of each class if it is asked to (``mec=True``). Its pruning
is off, because it removes families that no optimal network has, but that others of the list have.
"""

from __future__ import annotations

import contextlib
import io
import math
import time
import warnings
from collections.abc import Callable

import dagscape as ds
from benchmarks import SHARED
from benchmarks.inputs import table
from benchmarks.pages import Page

PAGE = Page("gobnilp")

LENGTHS = (10, 100)

# Scores are printed with about ten digits in files, and a solver has tolerances of its own.
_SAME = 1e-6


def cases() -> dict[str, Callable[[], ds.EnumerableScores]]:
    """Local scores that are small enough for the licence."""
    return {
        "Iris, 5 variables": lambda: ds.local_scores(ds.load_dataset("iris")),
        "GOBNILP's discrete.dat, 6": lambda: ds.local_scores(table("gobnilp_discrete")),
        "Survey, 200 rows, 6": lambda: ds.local_scores(ds.load_network("survey").sample(200, seed=1)),
        "Asia, 1000 rows, 8, 2 parents": lambda: _sampled_asia(2),
        "Asia, 1000 rows, 8, 3 parents": lambda: _sampled_asia(3),
        "Tic-tac-toe, 10, 2 parents": lambda: ds.local_scores(ds.load_dataset("tic-tac-toe"), max_parents=2),
        "wine.BIC.3.jkl, 14, pruned": lambda: ds.read_scores(
            SHARED / "scores" / "wine.BIC.3.jkl", score_equivalent=True
        ),
    }


def _sampled_asia(max_parents: int) -> ds.EnumerableScores:
    return ds.local_scores(ds.load_network("asia").sample(1000, seed=1), max_parents=max_parents)


def gobnilp(scores: ds.EnumerableScores, k: int, space: str) -> tuple[list[ds.Dag], float]:
    """The list of GOBNILP, and its seconds."""
    from pygobnilp.gobnilp import Gobnilp

    given = {
        child: {frozenset(family.parents): family.score for family in scores.families(child)}
        for child in scores.variables
    }
    solver = Gobnilp()
    start = time.perf_counter()
    with contextlib.redirect_stdout(io.StringIO()):
        solver.learn(local_scores_source=given, nsols=k, kbest=True, mec=space == "classes", pruning=False, plot=False)
    seconds = time.perf_counter() - start
    return [ds.Dag.from_edges(scores.variables, list(found.edges)) for found in solver.learned_bns], seconds


def same_lists(ours: list[ds.Dag], theirs: list[ds.Dag], scores: ds.EnumerableScores, space: str) -> tuple[str, int]:
    """Whether two lists have the same scores, and the same networks above the last; and how many of those there are."""
    values = [[scores.network(dag) for dag in dags] for dags in (ours, theirs)]
    kept = above_last(ours, scores, space)
    if len(ours) != len(theirs) or any(abs(a - b) > _SAME for a, b in zip(*map(sorted, values), strict=True)):
        return "no", len(kept)
    return "yes" if kept == above_last(theirs, scores, space) else "no", len(kept)


def above_last(dags: list[ds.Dag], scores: ds.EnumerableScores, space: str) -> set[ds.Dag | ds.Cpdag]:
    """The networks or classes above the last score, where a list may cut ties."""
    values = [scores.network(dag) for dag in dags]
    return {
        dag.to_cpdag() if space == "classes" else dag
        for dag, value in zip(dags, values, strict=True)
        if value > min(values) + _SAME
    }


def lists() -> None:
    rows = []
    for name, make in cases().items():
        scores = make()
        for space in ("dags", "classes"):
            for k in LENGTHS:
                # The files of others have missing families, which members of a class may need.
                if space == "classes" and scores.complete is False:
                    continue
                rows.append([name, space, k, *compared(scores, k, space)])
    PAGE.table(
        "lists",
        "The k best by GOBNILP (Gurobi with its defaults) and by dagscape (one thread) from the same local scores.",
        ["scores", "space", "k", "GOBNILP, s", "dagscape, s", "the same list", "networks compared"],
        rows,
    )


def compared(scores: ds.EnumerableScores, k: int, space: str) -> list[object]:
    """The seconds of both, whether the lists are the same, and how many networks this compares."""
    start = time.perf_counter()
    try:
        ours = ds.k_best(scores, k, space, threads=1)
    except ds.InvalidOption:
        return [math.nan, math.nan, "not ranked: families are missing", 0]
    seconds = time.perf_counter() - start
    try:
        theirs, taken = gobnilp(scores, k, space)
    except Exception as error:
        if "size-limited" not in str(error):
            raise
        return [math.nan, seconds, "too large for the licence", 0]
    return [taken, seconds, *same_lists(list(ours.networks), theirs, scores, space)]


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    lists()
