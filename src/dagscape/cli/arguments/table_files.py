"""The rows that a command writes: CSV on standard output, or a .csv or .tsv file."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

import click

from dagscape.cli.program.output import Command, check_format, chosen_format, format_option, output_path
from dagscape.cli.program.streams import document_stream
from dagscape.core.files.paths import format_by_ending
from dagscape.core.files.writing import replace_by_ending

if TYPE_CHECKING:
    from _csv import Writer

_SEPARATORS = {"csv": ",", "tsv": "\t"}


def _table_path(context: click.Context, parameter: click.Parameter, path: str | None) -> str | None:
    if path is None or path == "-":
        return None
    check_format(table_format, path)
    return output_path(context, parameter, path)


def table_format(path: str) -> str:
    """Return the format of a table by the ending of its file, and refuse other endings."""
    return format_by_ending(path, tuple(_SEPARATORS))


def table_output(command: Command) -> Command:
    """Add the options of the file that takes the rows."""
    output = click.option(
        "-o",
        "--output",
        metavar="FILE",
        callback=_table_path,
        show_default="standard output",
        help="A .csv, .csv.gz, .tsv or .tsv.gz file.",
    )
    return format_option(tuple(_SEPARATORS), "csv")(output(command))


@contextmanager
def table_writer(path: str | None) -> Iterator[Writer]:
    """Yield a writer of rows to a file, or to standard output if the path is None."""
    if path is None:
        with document_stream() as text:
            yield _writer(text, _SEPARATORS[chosen_format() or "csv"])
        return
    with file_writer(path, chosen_format()) as rows:
        yield rows


@contextmanager
def file_writer(path: str, file_format: str | None = None) -> Iterator[Writer]:
    """Yield a writer of rows to a file, in the format of its ending by default."""
    with replace_by_ending(path) as stream:
        packed = io.TextIOWrapper(stream, encoding="utf-8", newline="")
        yield _writer(packed, _SEPARATORS[file_format or table_format(path)])
        packed.flush()
        # The wrapper must not close the stream that it wraps.
        packed.detach()


def _writer(text: TextIO, separator: str) -> Writer:
    return csv.writer(text, delimiter=separator, lineterminator="\n")
