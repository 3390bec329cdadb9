"""Running items: their studies first, then their tables and plots."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dagscape.core.constraints import OrNone
from dagscape.core.errors import BackendUnavailable, InvalidOption, did_you_mean
from dagscape.core.files.writing import replace_file
from dagscape.core.progress import ProgressListener
from dagscape.core.resources import thread_count
from dagscape.running.repetitions import WORKERS
from dagscape.running.workers import may_start_processes
from dagscape.studies.papers.item import Item, PaperNote, PaperPlot, PaperTable, Part, RunTask, Scale, Study
from dagscape.studies.papers.registry import ITEMS
from dagscape.studies.papers.runs import Line, finished_runs, run_missing, runs_of, task_key
from dagscape.studies.papers.sources import Sources

if TYPE_CHECKING:
    import pandas as pd

# Where the finished runs and the plots are, in the folder of results.
RUNS = "runs"
FIGURES = "figures"


@dataclass(frozen=True, slots=True)
class Reproduced:
    """An item that was run again.

    Attributes
    ----------
    item : Item
        The item.
    scale : str
        "quick" or "full".
    parts : tuple
        Its tables, plots and remarks.
    plots : mapping of str to str
        The files of its plots, relative to the folder of results, by their names.
    runs, seconds : int, float
        The number of runs, and the time that all took together.
    earlier : int
        How many of them had been finished by an earlier run of it.
    left_out : tuple of str
        The sources that are not at hand; what needs them was left out.
    other_contents : tuple of str
        The sources whose contents are not those that were used for the published results.
    """

    item: Item
    scale: Scale
    parts: tuple[Part, ...]
    plots: Mapping[str, str] = field(default_factory=dict)
    runs: int = 0
    seconds: float = 0.0
    left_out: tuple[str, ...] = ()
    other_contents: tuple[str, ...] = ()
    earlier: int = 0

    @property
    def whole(self) -> bool:
        """Whether all was run, with the data of the published run: only then do the findings hold."""
        return self.scale == "full" and bool(self.parts) and not self.left_out and not self.other_contents

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON values."""
        tables = [part for part in self.parts if isinstance(part, PaperTable)]
        return {
            "name": self.item.name,
            "title": self.item.title,
            "scale": self.scale,
            "runs": self.runs,
            "seconds": self.seconds,
            "earlier": self.earlier,
            "tables": [
                {"caption": table.caption, "headers": list(table.headers), "rows": [list(row) for row in table.rows]}
                for table in tables
            ],
            "notes": [part.text for part in self.parts if isinstance(part, PaperNote)],
            "plots": list(self.plots.values()),
            "left_out": list(self.left_out),
            "other_contents": list(self.other_contents),
        }


def chosen_items(names: Iterable[str]) -> list[Item]:
    """Return items by their names, by the keys of their papers, or all if there are no names."""
    wanted = list(names)
    papers = {item.paper for item in ITEMS.values()}
    for name in wanted:
        if name not in ITEMS and name not in papers:
            known = did_you_mean(name, [*ITEMS, *papers])
            raise InvalidOption(f"there is no table or figure {name!r}{known}; `dagscape reproduce --list` shows all")
    return [item for item in ITEMS.values() if not wanted or item.name in wanted or item.paper in wanted]


def reproduce(
    items: Sequence[Item],
    folder: Path,
    *,
    sources: Sources,
    scale: Scale = "full",
    workers: int | None = None,
    progress: ProgressListener | None = None,
) -> Iterator[Reproduced]:
    """Run items again, one by one, and yield each when it is done.

    Parameters
    ----------
    items : sequence of Item
        The items; those without anything to compute are passed over.
    folder : Path
        Where finished runs and plots go. What is finished there is not run again.
    sources : Sources
        The data at hand.
    scale : {"full", "quick"}
        How much to run.
    workers : int, optional
        The number of runs at a time; studies that compare times run alone. Default: one for each processor.
    progress : callable, optional
        Receives the progress of each study.
    """
    OrNone(WORKERS).check(workers, "workers")
    count = 1 if not may_start_processes() else thread_count(None) if workers is None else int(workers)
    _require_packages()
    finished: dict[str, _Finished] = {}
    for item in items:
        if item.show is None:
            continue
        if item.study is not None and item.study.name not in finished:
            tasks, used, missing = _tasks_at_hand(item.study, scale, sources)
            path = folder / RUNS / f"{item.study.name}.jsonl"
            earlier = len({task_key(task) for task in tasks} & finished_runs(path).keys())
            lines = run_missing(item.study, tasks, path, sources, count, progress) if tasks else []
            finished[item.study.name] = _Finished(lines, used, missing, earlier)
        yield _shown(item, scale, finished[item.study.name] if item.study else _Finished(), folder, sources)


@dataclass(frozen=True, slots=True)
class _Finished:
    """The runs of a study, their sources, those that are missing, and how many runs had been finished before."""

    lines: list[Line] = field(default_factory=list)
    used: set[str] = field(default_factory=set)
    missing: set[str] = field(default_factory=set)
    earlier: int = 0


def _require_packages() -> None:
    """Raise an error before any work if a package is not installed."""
    missing = [name for name in ("matplotlib", "scipy", "sklearn") if find_spec(name) is None]
    if missing:
        raise BackendUnavailable(
            f"tables and figures of papers need {', '.join(missing)}, not installed: pip install 'dagscape[papers]'"
        )


def _tasks_at_hand(study: Study, scale: Scale, sources: Sources) -> tuple[list[RunTask], set[str], set[str]]:
    """Return the tasks whose data are at hand, the sources that they use, and the sources of the others."""
    tasks: list[RunTask] = []
    used: set[str] = set()
    missing: set[str] = set()
    for task in study.tasks(scale):
        absent = {name for name in study.needs(task) if not sources.has(name)}
        missing |= absent
        if not absent:
            tasks.append(task)
            used |= set(study.needs(task))
    return tasks, used, missing


def _shown(item: Item, scale: Scale, runs: _Finished, folder: Path, sources: Sources) -> Reproduced:
    parts: tuple[Part, ...] = ()
    if item.show is not None and (runs.lines or item.study is None):
        parts = tuple(item.show(_frame(runs.lines)))
    return Reproduced(
        item,
        scale,
        parts,
        plots={part.name: _saved_plot(item, part, folder) for part in parts if isinstance(part, PaperPlot)},
        runs=len(runs.lines),
        seconds=sum(line["seconds"] for line in runs.lines),
        left_out=tuple(sorted(runs.missing)),
        other_contents=tuple(sorted(name for name in runs.used if sources.differs(name))),
        earlier=runs.earlier,
    )


def _frame(lines: list[Line]) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(runs_of(lines))


def _saved_plot(item: Item, plot: PaperPlot, folder: Path) -> str:
    """Write a plot as SVG, and return its path in the folder of results."""
    import matplotlib
    from matplotlib.figure import Figure

    name = "-".join([item.name, *([plot.name] if plot.name else [])]) + ".svg"
    (folder / FIGURES).mkdir(parents=True, exist_ok=True)
    # The same numbers give the same file; the user's settings do not change it.
    with matplotlib.rc_context(matplotlib.rcParamsDefault | {"svg.hashsalt": item.name, "svg.fonttype": "none"}):
        figure = Figure(figsize=(plot.width, plot.height), layout="constrained")
        plot.draw(figure)
        drawn = io.BytesIO()
        figure.savefig(drawn, format="svg", metadata={"Date": None})
    with replace_file(folder / FIGURES / name) as stream:
        stream.write(drawn.getvalue())
    return f"{FIGURES}/{name}"
