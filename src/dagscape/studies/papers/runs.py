"""The runs of a study, kept in a file of JSON lines as they finish.

A study that was interrupted goes on where it was, and one with more tasks runs only those that are missing. Runs of
another version of dagscape do not count.
"""

from __future__ import annotations

import json
import math
import os
import time
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from dagscape.core.errors import DagscapeError, DagscapeWarning
from dagscape.core.progress import Progress, ProgressListener
from dagscape.core.version import __version__
from dagscape.running.workers import Workers
from dagscape.studies.papers.item import RunTask, Study, Work
from dagscape.studies.papers.sources import Sources

# A finished run: its task, its result, its seconds, and the version that ran it.
Line = dict[str, Any]


def finished_runs(path: Path) -> dict[str, Line]:
    """Return the runs in a file by their tasks; an incomplete last line, of a run that was killed, is removed."""
    try:
        content = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise DagscapeError(f"cannot read {str(path)!r}: {error.strerror}") from error
    whole = content[: content.rfind(b"\n") + 1]
    if len(whole) < len(content):
        os.truncate(path, len(whole))
    lines = (_line(text, path, number) for number, text in enumerate(whole.splitlines(), start=1))
    return {task_key(line["task"]): line for line in lines if line["version"] == __version__}


def _line(text: bytes, path: Path, number: int) -> Line:
    try:
        line: Line = json.loads(text)
        return {name: line[name] for name in ("task", "result", "seconds", "version")}
    except (ValueError, KeyError, TypeError) as error:
        raise DagscapeError(
            f"{str(path)!r}, line {number}: not a finished run; remove the line to run it again"
        ) from error


def task_key(task: RunTask) -> str:
    """Return a text that tells tasks apart."""
    return json.dumps(task, sort_keys=True)


def run_missing(
    study: Study,
    tasks: Sequence[RunTask],
    path: Path,
    sources: Sources,
    workers: int,
    listener: ProgressListener | None = None,
) -> list[Line]:
    """Run the tasks that are not in the file, add them to it one by one, and return the lines of all tasks."""
    done = finished_runs(path)
    missing = [task for task in tasks if task_key(task) not in done]
    if missing:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            stream = path.open("a", encoding="utf-8")
        except OSError as error:
            raise DagscapeError(f"cannot write {str(path)!r}: {error.strerror}") from error
        with stream:
            for number, line in enumerate(_lines(study, missing, sources, workers), start=1):
                stream.write(json.dumps(line) + "\n")
                stream.flush()
                done[task_key(line["task"])] = line
                if listener is not None:
                    listener(Progress(study.name, number, len(missing)))
    return [done[task_key(task)] for task in tasks]


def _lines(study: Study, tasks: Sequence[RunTask], sources: Sources, workers: int) -> Iterator[Line]:
    count = 1 if study.alone else min(workers, len(tasks))
    if count == 1:
        yield from (_run((study.name, study.work, sources), task) for task in tasks)
        return
    with Workers(count, (study.name, study.work, sources)) as processes:
        for _, outcome in processes.run(_run, ((task,) for task in tasks), lambda: math.inf):
            yield outcome.result()


def _run(shared: tuple[str, Work, Sources], task: RunTask) -> Line:
    name, work, sources = shared
    start = time.perf_counter()
    with warnings.catch_warnings():
        # The tables say what matters.
        warnings.simplefilter("ignore", DagscapeWarning)
        try:
            result: Mapping[str, Any] = work(task, sources)
        except DagscapeError as error:
            raise DagscapeError(f"{name}, {task_key(task)}: {error}") from error
    return {
        "task": dict(task),
        "result": dict(result),
        "seconds": time.perf_counter() - start,
        "version": __version__,
    }


def runs_of(lines: Iterable[Line]) -> list[dict[str, Any]]:
    """Return tasks and results as rows of a frame."""
    return [line["task"] | line["result"] for line in lines]
