"""Times of COMMAND and PARM: python -m benchmarks.students [--write].

The experiments of chapter 6 of [chen2016] are those of ``dagscape reproduce chen2016``.
"""

from __future__ import annotations

import warnings
from functools import partial
from pathlib import Path
from typing import Any

import dagscape as ds
from benchmarks import SHARED
from benchmarks.pages import Page
from benchmarks.timing import best_times

PAGE = Page("students")

DATA = SHARED / "student"


def data_set(name: str) -> tuple[Path, Path]:
    """The answers, and the Q-matrix."""
    answers = DATA / f"{name}_items.csv"
    return answers if answers.exists() else answers.with_suffix(".csv.gz"), DATA / f"{name}_qmatrix.csv"


def ladder(skills: int) -> ds.Dag:
    """Prerequisites of about two for each skill."""
    names = [f"S{number}" for number in range(1, skills + 1)]
    return ds.Dag.from_edges(
        names, [(names[i], names[j]) for j in range(skills) for i in {j - 1, j // 2} if 0 <= i < j]
    )


def measured(job: str, answers: Any, q_matrix: Any, **options: Any) -> list[object]:
    """The processor time of structural EM alone, with refinement, with monotone items, and of PARM."""
    calls = (
        partial(ds.command, refine=False),
        ds.command,
        partial(ds.command, monotone=True),
        ds.parm,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ds.DagscapeWarning)
        return [job, *(best_times(1, partial(call, answers, q_matrix, threads=1, **options))[0][1] for call in calls)]


def main() -> None:
    rows = [measured(f"{name}, 10 starts", *data_set(name)) for name in ("ecpe", "fraction_subtraction", "fraction15")]
    for skills in (7, 10, 12):
        data = ds.simulate_students(ladder(skills), 2000, items_per_skill=60 // skills, seed=1)
        size = f"2000 students × {len(data.answers.items)} items × {skills} skills, one start"
        rows.append(measured(size, data.answers, data.q_matrix, restarts=1))
    headers = ["job", "structural EM", "refined (default)", "refined, monotone", "PARM"]
    PAGE.table("times", "Seconds of processor time, one thread.", headers, rows)


if __name__ == "__main__":
    main()
