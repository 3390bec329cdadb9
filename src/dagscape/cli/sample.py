"""``dagscape sample``: rows drawn from a network."""

from __future__ import annotations

import csv
import io
import sys
from typing import TextIO

import click
import numpy as np

from dagscape.cli.graph_arguments import MODEL_HELP, load
from dagscape.cli.numbers import IntRange
from dagscape.cli.options import output_path
from dagscape.data.dataset import Dataset
from dagscape.files import format_by_ending, replace_by_ending

# Rows are converted to strings in blocks: strings of all rows could take many times the memory of the data.
_BLOCK_ROWS = 10_000

_FORMATS = ("csv", "tsv")


def _table_file(context: click.Context, parameter: click.Parameter, path: str | None) -> str | None:
    if path is None or path == "-":
        return None
    format_by_ending(path, _FORMATS)
    return output_path(context, parameter, path)


@click.command(epilog=MODEL_HELP)
@click.argument("network")
@click.option(
    "-n", "--rows", type=IntRange(1), default=1000, metavar="N", show_default=True, help="Number of rows to draw."
)
@click.option("--seed", type=IntRange(0), metavar="N", show_default="random", help="Seed for reproducible rows.")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    callback=_table_file,
    show_default="CSV on standard output",
    help="A .csv, .csv.gz, .tsv or .tsv.gz file.",
)
def command(network: str, rows: int, seed: int | None, output: str | None) -> None:
    """Draw random rows from a network.

    A file of rows lacks levels that were not drawn: read it with --levels NETWORK.bif to declare all levels.
    """
    data = load(network).sample(rows, seed=seed)
    if output is None:
        _write_rows(data, seed, ",", sys.stdout)
        return
    separator = "\t" if format_by_ending(output, _FORMATS) == "tsv" else ","
    with replace_by_ending(output) as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8", newline="")
        _write_rows(data, seed, separator, text)
        # The wrapper must not close the stream that it wraps.
        text.detach()


def _write_rows(data: Dataset, seed: int | None, separator: str, text: TextIO) -> None:
    """Write all rows in random order; a data set keeps equal rows together, as no random sample does."""
    # A stream of random numbers of its own, independent of the one that drew the rows.
    shuffle = np.random.default_rng(None if seed is None else [seed, 1])
    order = shuffle.permutation(np.repeat(np.arange(len(data.weights), dtype=np.int64), data.weights))
    levels = [np.array(data.levels[variable], dtype=object) for variable in data.variables]
    writer = csv.writer(text, delimiter=separator, lineterminator="\n")
    writer.writerow(data.variables)
    for start in range(0, len(order), _BLOCK_ROWS):
        codes = data.codes[order[start : start + _BLOCK_ROWS]]
        columns = [names[codes[:, i]] for i, names in enumerate(levels)]
        writer.writerows(zip(*columns, strict=True))
    text.flush()
