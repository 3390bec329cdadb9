"""The record of a table or a figure of a paper, and of the study that it shows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from dagscape.studies.papers.sources import Sources

# "full" is what the paper did, scaled down where it took a cluster; "quick" takes seconds and shows that all works.
Scale = Literal["quick", "full"]

# What one run is to do: names and JSON values.
RunTask = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class PaperTable:
    """A table: numbers of ours beside those of the paper.

    Cells are strings, numbers, or None for an empty cell; writers give floats three significant digits.
    """

    caption: str
    headers: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]

    @classmethod
    def of(cls, caption: str, headers: Iterable[str], rows: Iterable[Iterable[object]]) -> PaperTable:
        """Return a table of any iterables."""
        return cls(caption, tuple(headers), tuple(tuple(row) for row in rows))


@dataclass(frozen=True, slots=True)
class PaperPlot:
    """A plot, drawn with matplotlib on an empty figure.

    Attributes
    ----------
    name : str
        What tells it from other plots of the same item; empty if there is only one.
    caption : str
        What it shows, in words that can stand for it.
    draw : callable
        Draws it on a figure.
    width, height : float
        In inches.
    """

    name: str
    caption: str
    draw: Callable[[Figure], None]
    width: float = 6.4
    height: float = 4.0


@dataclass(frozen=True, slots=True)
class PaperNote:
    """A remark that depends on the numbers."""

    text: str


Part = PaperTable | PaperPlot | PaperNote


# Runs one task with the data at hand.
Work: TypeAlias = "Callable[[RunTask, Sources], Mapping[str, Any]]"


@dataclass(frozen=True, slots=True)
class Study:
    """Independent runs of one function.

    Attributes
    ----------
    name : str
        The name of the file of its finished runs.
    tasks : callable
        Returns what its runs are to do at a scale: mappings of names to JSON values.
    work : callable
        A function of a module that runs one task, with the data at hand, and returns a mapping of other names to JSON
        values. Its result depends on the task alone, but for times.
    needs : callable
        Returns the names of the sources that a task needs. Tasks whose sources are not at hand are left out.
    alone : bool
        Whether its times are to be compared, so that nothing else may run beside it.
    minutes : float
        How long it took on two processors, at full scale.
    """

    name: str
    tasks: Callable[[Scale], Iterable[RunTask]]
    work: Work
    needs: Callable[[RunTask], Iterable[str]] = lambda _: ()
    alone: bool = False
    minutes: float = 0.0


@dataclass(frozen=True, slots=True)
class Item:
    """A numbered table or figure of a paper.

    Attributes
    ----------
    paper : str
        The key of the paper in ``docs/references.bib``.
    number : str
        What the paper calls it, such as "Table 2.2".
    title : str
        What it is about.
    did, does : str
        What the paper did, and what is done here.
    differs : tuple of str
        Every difference of protocol, and why.
    study : Study or None
        The runs that it shows.
    show : callable or None
        Returns the tables, plots and remarks, given the frame of the runs: a column for each name of tasks and results.
        None if there is nothing to compute; ``does`` then says why.
    findings : tuple of str
        What the full run showed beside the paper, with the evidence.
    unexplained : tuple of str
        Differences for which there is no explanation yet.
    lacking : str
        In a few words, what an item that would be computed lacks.
    """

    paper: str
    number: str
    title: str
    did: str = ""
    does: str = ""
    differs: tuple[str, ...] = ()
    study: Study | None = None
    show: Callable[[pd.DataFrame], Iterable[Part]] | None = None
    findings: tuple[str, ...] = ()
    unexplained: tuple[str, ...] = ()
    lacking: str = ""

    @property
    def name(self) -> str:
        """Its name on the command line, such as ``chen2016-table-2.2``."""
        return f"{self.paper}-{self.number.lower().replace(' ', '-')}"

    @property
    def computed(self) -> bool:
        """Whether there is something to compute."""
        return self.show is not None


def illustration(paper: str, number: str, title: str, why: str = "") -> Item:
    """Return an item that explains something: there is nothing to compute."""
    return Item(paper, number, title, does=why or "It illustrates the text: there is nothing to compute.")


def without_data(paper: str, number: str, title: str, why: str) -> Item:
    """Return an item that cannot be made again, because its data are not public."""
    return Item(paper, number, title, does=why, lacking="data not public")
