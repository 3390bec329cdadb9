"""Pages of the tables and figures of papers, in the folder of their results: one page for each paper.

The text of each item is kept under ``items/``, so that a page can be written again when one of its items was.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from dagscape.core.files.writing import replace_file
from dagscape.report.blocks import Block
from dagscape.report.markdown import markdown_text
from dagscape.report.papers import render_item, render_reproduced
from dagscape.studies.papers.registry import ITEMS, PAPERS
from dagscape.studies.papers.reproducing import Reproduced

_ITEMS = "items"


def write_pages(done: Iterable[Reproduced], folder: Path) -> None:
    """Write the pages of items that were run, and those of their papers anew."""
    papers = []
    for item in done:
        _write(folder / _ITEMS / f"{item.item.name}.md", markdown_text(render_reproduced(item)))
        papers.append(item.item.paper)
    for paper in dict.fromkeys(papers):
        _write(folder / f"{paper}.md", "\n".join([f"# {PAPERS[paper]}\n", *_pages(paper, folder)]))


def write_times(blocks: Iterable[Block], folder: Path) -> None:
    """Write a page of the times of a run of everything."""
    _write(folder / "times.md", markdown_text(blocks, level=1))


def _pages(paper: str, folder: Path) -> Iterable[str]:
    """Return what there is of each item of a paper."""
    for item in ITEMS.values():
        path = folder / _ITEMS / f"{item.name}.md"
        if item.paper != paper:
            continue
        if not item.computed:
            yield markdown_text(render_item(item))
        elif path.exists():
            yield path.read_text(encoding="utf-8")


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with replace_file(path) as stream:
        stream.write(text.encode())
