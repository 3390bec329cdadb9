"""Tables and figures of papers, run again: what was done, ours beside the paper's, and the data that they need."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from dagscape.core.wording import plural
from dagscape.report.blocks import (
    Block,
    Caution,
    Cell,
    Heading,
    Note,
    Number,
    Paragraph,
    PictureFile,
    Table,
    number,
    table,
)
from dagscape.studies.papers.catalogue import SOURCES
from dagscape.studies.papers.item import Item, PaperNote, PaperPlot, PaperTable, Part
from dagscape.studies.papers.reproducing import Reproduced


def render_reproduced(done: Reproduced) -> list[Block]:
    """Render an item that was run again."""
    blocks: list[Block] = [*_about(done.item)]
    for part in done.parts:
        blocks += _part(part, done)
    if done.whole:
        blocks += [Note(f"Found: {text}") for text in done.item.findings]
        blocks += [Note(f"Unexplained: {text}") for text in done.item.unexplained]
    blocks += _cautions(done)
    if done.runs:
        scale = ", at the quick scale" if done.scale == "quick" else ""
        blocks.append(Note(f"{plural(done.runs, 'run')}, {_duration(done.seconds)} in all{scale}."))
    return blocks


def render_item(item: Item) -> list[Block]:
    """Render what is known of an item without running it."""
    return [*_about(item)]


def _about(item: Item) -> Iterable[Block]:
    yield Heading(f"{item.number}: {item.title}")
    if item.did:
        yield Paragraph(f"Paper: {item.did}")
    if item.does:
        yield Paragraph(f"Here: {item.does}" if item.did else item.does)
    if item.differs:
        yield Paragraph("What differs:", item.differs)


def _part(part: Part, done: Reproduced) -> list[Block]:
    match part:
        case PaperTable():
            return [Paragraph(part.caption), _table(part)]
        case PaperPlot():
            return [PictureFile(done.plots[part.name], part.caption), Note(part.caption)]
        case PaperNote():
            return [Note(part.text)]


def _cautions(done: Reproduced) -> list[Block]:
    blocks: list[Block] = []
    if done.left_out:
        blocks.append(Caution(f"left out, because the data are not at hand: {', '.join(done.left_out)}"))
    if done.other_contents:
        names = ", ".join(done.other_contents)
        blocks.append(Caution(f"other contents than in the published run, so that numbers differ: {names}"))
    return blocks


def _table(part: PaperTable) -> Table:
    rows = [tuple(map(_cell, row)) for row in part.rows]
    numeric = [i for i in range(len(part.headers)) if all(_numeric(row[i]) for row in rows)]
    return table(part.headers, rows, numeric=numeric)


def _cell(value: object) -> Cell:
    """Return a cell: nothing for None and NaN, three significant digits for floats, commas in large integers."""
    match value:
        case None:
            return ""
        case float():
            return "" if math.isnan(value) else number(value, ",.0f" if abs(value) >= 1000 else ".3g")
        case int() if not isinstance(value, bool):
            return number(value)
        case _:
            return str(value)


def _numeric(cell: Cell) -> bool:
    return isinstance(cell, Number) or (isinstance(cell, str) and (not cell or cell[-1].isdigit()) and _starts(cell))


def _starts(text: str) -> bool:
    return not text or text.lstrip("+-−±").lstrip("(")[:1].isdigit()


def render_times(done: Sequence[Reproduced], seconds: float) -> list[Block]:
    """Render the times of the studies behind some items, which share them, and that of the whole run.

    Parameters
    ----------
    done : sequence of Reproduced
        The items.
    seconds : float
        How long the run took by the clock.
    """
    studies: dict[str, list[Reproduced]] = {}
    for item in done:
        if item.item.study is not None and item.runs:
            studies.setdefault(item.item.study.name, []).append(item)
    rows = [
        (name, number(len(items)), number(items[0].runs), number(items[0].earlier), _duration(items[0].seconds))
        for name, items in studies.items()
    ]
    each = [items[0] for items in studies.values()]
    runs, earlier = sum(item.runs for item in each), sum(item.earlier for item in each)
    work = _duration(sum(item.seconds for item in each))
    return [
        Heading("Times"),
        table(("runs of", "tables and figures", "runs", "finished before", "their time"), rows, numeric=range(1, 5)),
        Note(
            f"{plural(runs, 'run')} took {work} in all; this command made {runs - earlier:,} in {_duration(seconds)}."
        ),
    ]


def _duration(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 100 else f"{seconds / 60:.1f} minutes"


def render_items(items: Sequence[Item]) -> list[Block]:
    """Render the list of items, and where the data that they need are published."""
    rows = [(item.name, item.title, _minutes(item), "" if item.study is None else item.study.name) for item in items]
    blocks: list[Block] = [table(("name", "what it is about", "minutes on 2 processors", "runs"), rows, numeric=[2])]
    needed = sorted({name for item in items for name in _needs(item) if name in SOURCES})
    if needed:
        blocks.append(Heading("Data", ("Files in the folder of --data; the digest is that of the plain contents.",)))
    for name in needed:
        source = SOURCES[name]
        details = (
            f"from {source.origin.place} (licence: {source.origin.licence})",
            f"made of {source.conversion}",
            f"SHA-256 {source.sha256}",
        )
        blocks.append(Paragraph(name, details))
    return blocks


def _minutes(item: Item) -> Cell:
    if not item.computed:
        return item.lacking or "nothing to compute"
    return number(item.study.minutes if item.study else 0.0, ".1f")


def _needs(item: Item) -> set[str]:
    return (
        set() if item.study is None else {name for task in item.study.tasks("full") for name in item.study.needs(task)}
    )
