"""Experiments: networks × sizes × samples × methods, as one tidy frame, a row for each run.

Every finished run is a line of JSON in a file, appended at once. An experiment that was interrupted goes on where it
was; one with more samples or methods only does what is missing. ``benchmarks/*_tables.py`` make tables of the frames.

A *task* is a mapping of names to JSON values that says what to run. Its result is another mapping, with other names.
"""

from __future__ import annotations

import argparse
import json
import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pandas as pd

import dagscape as ds
from benchmarks.pages import WRITE
from benchmarks.timing import machine

Task = Mapping[str, Any]
Work = Callable[[Task], Mapping[str, Any]]


def parser(description: str) -> argparse.ArgumentParser:
    """The options that all experiments have."""
    options = argparse.ArgumentParser(description=description)
    options.add_argument("--folder", type=Path, default=Path("build/experiments"), help="where to keep finished runs")
    options.add_argument(
        "--workers",
        type=lambda text: text if text == "mpi" else int(text),
        default=1,
        help="runs at the same time; times are fair with 1; mpi: on the ranks of python -m mpi4py.futures",
    )
    options.add_argument("--samples", type=int, help="data sets for each network and size")
    options.add_argument("--methods", nargs="+", help="only these")
    options.add_argument("--networks", nargs="+", help="only these, or these data sets")
    options.add_argument("--only-show", action="store_true", help="run nothing; make tables of what is there")
    options.add_argument(WRITE, action="store_true", help="put the tables into the page of results")
    return options


def finished(path: Path) -> list[dict[str, Any]]:
    """The runs in a file; an incomplete last line, of a run that was killed, is removed."""
    if not path.exists():
        return []
    content = path.read_bytes()
    whole = content[: content.rfind(b"\n") + 1]
    if len(whole) < len(content):
        os.truncate(path, len(whole))
    return [json.loads(line) for line in whole.splitlines()]


def run(path: Path, tasks: Iterable[Task], work: Work, workers: int | str = 1) -> pd.DataFrame:
    """Run what is missing, and return the frame of these tasks: a column for each name of tasks and results.

    ``workers`` is a number of processes on this machine, or "mpi" for the ranks of ``python -m mpi4py.futures``.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    wanted = {_key(task): dict(task) for task in tasks}
    done = {_key(line["task"]): line for line in finished(path)}
    missing = [task for key, task in wanted.items() if key not in done]
    with path.open("a", encoding="utf-8") as stream, ds.progress_bar(enabled=bool(missing)) as progress:
        for number, line in enumerate(_lines(missing, work, workers), start=1):
            stream.write(json.dumps(line) + "\n")
            stream.flush()
            done[_key(line["task"])] = line
            if progress is not None:
                progress(ds.Progress(path.stem, number, len(missing)))
    return pd.DataFrame([done[key]["task"] | done[key]["result"] for key in wanted if key in done])


def shown(path: Path, tasks: Iterable[Task]) -> pd.DataFrame:
    """The frame of those tasks that are finished."""
    done = {_key(line["task"]): line for line in finished(path)}
    keys = [_key(task) for task in tasks]
    return pd.DataFrame([done[key]["task"] | done[key]["result"] for key in keys if key in done])


def _key(task: Task) -> str:
    return json.dumps(task, sort_keys=True)


def _pool(workers: int | str) -> Executor:
    if workers != "mpi":
        return ProcessPoolExecutor(int(workers), get_context("spawn"))
    from mpi4py.futures import MPIPoolExecutor

    return MPIPoolExecutor()


def _lines(tasks: Sequence[Task], work: Work, workers: int | str) -> Iterable[dict[str, Any]]:
    about = {"version": ds.__version__, "machine": machine()}
    if workers == 1:
        for task in tasks:
            yield {"task": task, "result": work(task), **about}
        return
    with _pool(workers) as pool:
        futures = {pool.submit(work, task): task for task in tasks}
        try:
            for future in as_completed(futures):
                yield {"task": futures[future], "result": future.result(), **about}
        finally:
            pool.shutdown(cancel_futures=True)


@contextmanager
def quiet():
    """Without the warnings of the package: tables say what matters."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ds.DagscapeWarning)
        yield
