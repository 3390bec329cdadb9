"""The rows that a command writes: CSV on standard output, or a .csv or .tsv file."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO

import click

from dagscape.cli.output import checked_path
from dagscape.cli.streams import document_stream
from dagscape.files.paths import format_by_ending
from dagscape.files.writing import replace_by_ending

if TYPE_CHECKING:
    from _csv import Writer

_SEPARATORS = {"csv": ",", "tsv": "\t"}


def _table_path(context: click.Context, parameter: click.Parameter, path: str | None) -> str | None:
    return None if path == "-" else checked_path(_format)(context, parameter, path)


def _format(path: str) -> str:
    return format_by_ending(path, tuple(_SEPARATORS))


table_output: Callable[[Any], Any] = click.option(
    "-o",
    "--output",
    metavar="FILE",
    callback=_table_path,
    show_default="CSV on standard output",
    help="A .csv, .csv.gz, .tsv or .tsv.gz file.",
)


@contextmanager
def table_writer(path: str | None) -> Iterator[Writer]:
    """Yield a writer of rows to a file, or to standard output if the path is None."""
    if path is None:
        with document_stream() as text:
            yield _writer(text, ",")
        return
    with replace_by_ending(path) as stream:
        packed = io.TextIOWrapper(stream, encoding="utf-8", newline="")
        yield _writer(packed, _SEPARATORS[_format(path)])
        packed.flush()
        # The wrapper must not close the stream that it wraps.
        packed.detach()


def _writer(text: TextIO, separator: str) -> Writer:
    return csv.writer(text, delimiter=separator, lineterminator="\n")
