"""The sums over orders behind the tables and figures of chapter 4 of [chen2016]."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from dagscape.studies.papers.chen2016.chapter_4.model import Model
from dagscape.studies.papers.chen2016.chapter_4.ranks import launcher, told_by_ranks
from dagscape.studies.papers.item import RunTask, Scale, Study
from dagscape.studies.papers.measuring import records

if TYPE_CHECKING:
    import pandas as pd

    from dagscape.studies.papers.sources import Sources

PAPER = "chen2016"
RANKS = (1, 2, 4, 8)

# Processors in the tables; 1 is the serial program.
PROCESSORS = (1, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048)
LIMITS = (2, 4, 6, 8)
VARIABLES = (21, 23, 25, 27, 29, 31, 33)

DID = (
    "Synthetic data of 500 rows. ParaREBEL computes the probabilities of all edges, summed over orders, on up to 2048 "
    "processors of a cluster (Xeon E5-2680, one MPI process each, 4 GB for each); REBEL is the serial program."
)
DOES = (
    "The same sums on 1, 2, 4 and 8 ranks of one machine, by the processor's time of the slowest rank, because there "
    "are fewer processors than ranks; for more ranks a model that is fitted to these (10 Gbit/s and 20 µs for each "
    "message between machines), marked with ~."
)
DIFFERS = (
    "Scaled down: no cluster. Sums are measured for up to 29 variables and 6 parents; larger ones are predicted, "
    "except for 8 parents. Without MPI, there is one rank, and no prediction.",
    "The data: random networks of binary variables, since the paper does not say how its data were made. Levels are "
    "those that the networks declare; all of them occur.",
    "The serial column is one rank of the same program, where the paper has another program, REBEL.",
)

# Variables, parents, and numbers of ranks.
_SUMS: tuple[tuple[int, int, tuple[int, ...]], ...] = (
    (21, 4, RANKS),
    (23, 4, RANKS),
    (25, 2, RANKS),
    (25, 4, RANKS),
    (25, 6, RANKS),
    (27, 4, RANKS),
    (29, 4, (1, 8)),
)
_QUICK: tuple[tuple[int, int, tuple[int, ...]], ...] = ((19, 2, (1, 2)), (19, 4, (1, 2)))


def tasks(scale: Scale) -> Iterator[RunTask]:
    """Iterate over sums and numbers of ranks; without MPI there is only one."""
    several = launcher() is not None
    for n, max_parents, ranks in _QUICK if scale == "quick" else _SUMS:
        for count in ranks if several else ranks[:1]:
            yield {"n": n, "max_parents": max_parents, "ranks": count}


def sum_on_ranks(task: RunTask, _: Sources) -> dict[str, Any]:
    """Sum on ranks of this machine: the processor's time of the slowest, and the largest peak of memory."""
    repeats = 3 if task["n"] <= 25 else 1
    told = told_by_ranks(task["n"], task["max_parents"], task["ranks"], repeats)
    peaks = [rank["peak"] for rank in told]
    return {"busy": max(rank["busy"] for rank in told), "peak": None if None in peaks else max(peaks)}


STUDY = Study("ranks", tasks, sum_on_ranks, alone=True, minutes=9.0)


def busy_times(frame: pd.DataFrame) -> dict[tuple[int, int], dict[int, float]]:
    """Return the processor's times by variables and parents, then by ranks."""
    found: dict[tuple[int, int], dict[int, float]] = {}
    for run in records(frame):
        found.setdefault((run["n"], run["max_parents"]), {})[run["ranks"]] = run["busy"]
    return found


def predicted(times: dict[tuple[int, int], dict[int, float]], n: int, max_parents: int) -> Model | None:
    """Return the model of a sum: fitted to it, or to the largest with as many parents; None if there is none."""
    fits = sorted(size for size, limit in times if limit == max_parents and len(times[size, limit]) > 1)
    if not fits:
        return None
    base = n if n in fits else fits[-1]
    model = Model.fitted(base, max_parents, times[base, max_parents])
    return model if base == n else model.for_variables(n)


def seconds_on(
    times: dict[tuple[int, int], dict[int, float]], n: int, max_parents: int, ranks: int
) -> str | float | None:
    """Return the measured seconds, or the predicted ones with a mark; None if there are none."""
    measured = times.get((n, max_parents), {}).get(ranks)
    if measured is not None:
        return measured
    model = predicted(times, n, max_parents)
    seconds = None if model is None else model.seconds(ranks)
    return None if seconds is None else f"~{seconds:.3g}"
