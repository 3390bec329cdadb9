"""``dagscape reproduce``: tables and figures of the papers, run again."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from dagscape.cli.arguments.numbers import within
from dagscape.cli.arguments.options import output_options
from dagscape.cli.program.output import Output
from dagscape.cli.program.streams import write_json
from dagscape.core.errors import InvalidOption
from dagscape.report.paper_pages import write_pages, write_times
from dagscape.report.papers import render_item, render_items, render_reproduced, render_times
from dagscape.running.repetitions import WORKERS
from dagscape.studies.papers.catalogue import SOURCES
from dagscape.studies.papers.item import Item
from dagscape.studies.papers.reproducing import Reproduced, chosen_items, reproduce
from dagscape.studies.papers.sources import Sources


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option(
    "--list", "listing", is_flag=True, help="List all tables and figures, and where their data are published."
)
@click.option(
    "--data", "folder_of_data", metavar="DIR", type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The folder with data that are not bundled; --list says what belongs there.",
)  # fmt: skip
@click.option(
    "--quick/--full", default=False,
    help="Run a small part of everything, in seconds; or all that the paper did (the default).",
)  # fmt: skip
@click.option(
    "--workers", type=within(WORKERS), metavar="N", show_default="one for each processor", help="Runs at the same time."
)
@click.option(
    "-o", "folder", metavar="DIR", type=click.Path(file_okay=False, path_type=Path),
    help="The folder for pages, plots and finished runs; needed unless --list is given. What is finished there is not "
    "run again. Quick runs have a folder of their own in it.",
)  # fmt: skip
@output_options
def command(
    names: tuple[str, ...],
    listing: bool,
    folder_of_data: Path | None,
    quick: bool,
    workers: int | None,
    folder: Path | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Run tables and figures of the papers again, and show the numbers beside those of the paper.

    NAME is a table or figure, such as munteanu2000-table-1, or a paper, such as munteanu2000. Default: all of them.
    """
    out = Output(as_json, quiet)
    items = chosen_items(names)
    if listing:
        _list(items, out)
        return
    if folder is None:
        raise InvalidOption("give a folder for the results with -o DIR, or --list to see what there is")
    if quick:
        folder /= "quick"
    _check_folder(folder)
    if names and not as_json:
        out.show_blocks(block for item in items if not item.computed for block in render_item(item))
    done: list[Reproduced] = []
    start = time.perf_counter()
    with _telling_how_to_go_on(out), out.working() as progress:
        for item in reproduce(
            items, folder, sources=Sources(folder_of_data), scale="quick" if quick else "full", workers=workers,
            progress=progress,
        ):  # fmt: skip
            done.append(item)
            write_pages([item], folder)
            if not as_json:
                out.show_blocks(render_reproduced(item))
    if done and not any(item.parts for item in done):
        missing = ", ".join(sorted({name for item in done for name in item.left_out}))
        raise InvalidOption(f"nothing could be run without {missing}: give the folder that has them with --data")
    seconds = time.perf_counter() - start
    times = render_times(done, seconds)
    if not names:
        write_times(times, folder)
    if as_json:
        write_json({"items": [item.to_dict() for item in done], "seconds": seconds})
    elif any(item.runs for item in done):
        out.show_blocks(times)


@contextmanager
def _telling_how_to_go_on(out: Output) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        out.note("finished runs are kept; the same command goes on from there")
        raise


def _list(items: list[Item], out: Output) -> None:
    if not out.as_json:
        out.show_blocks(render_items(items))
        return
    document: dict[str, Any] = {
        "items": [{"name": item.name, "title": item.title, "computed": item.computed} for item in items],
        "sources": [
            {
                "name": source.name,
                "sha256": source.sha256,
                "published": source.origin.place,
                "licence": source.origin.licence,
                "conversion": source.conversion,
            }
            for source in SOURCES.values()
        ],
    }
    write_json(document)


def _check_folder(folder: Path) -> None:
    """Refuse a folder that cannot be written, before any work is done for it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidOption(f"cannot make the folder {str(folder)!r}: {error.strerror}") from error
    if not os.access(folder, os.W_OK | os.X_OK):
        raise InvalidOption(f"cannot write to the folder {str(folder)!r}")
