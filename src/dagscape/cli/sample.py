"""``dagscape sample``: rows drawn from a network."""

from __future__ import annotations

import csv
import gzip
import io
import sys
from contextlib import ExitStack
from typing import IO, TextIO, cast

import click
import numpy as np

from dagscape.cli.graph_arguments import NETWORK_HELP, load
from dagscape.cli.options import output_path
from dagscape.data.dataset import Dataset
from dagscape.errors import InvalidOption
from dagscape.files import replace_file

# Rows that are texts at one time: a table of them all could be many times the size of the data.
_BLOCK_ROWS = 10_000

_ENDINGS = (".csv", ".csv.gz", ".tsv", ".tsv.gz")


def _table_file(context: click.Context, parameter: click.Parameter, path: str | None) -> str | None:
    if path is not None and not path.lower().endswith(_ENDINGS):
        raise InvalidOption(f"cannot tell the format of {path!r}: end it in {', '.join(_ENDINGS)}")
    return output_path(context, parameter, path)


@click.command(epilog=NETWORK_HELP)
@click.argument("network")
@click.option("-n", "--rows", type=click.IntRange(1), default=1000, show_default=True, help="How many rows to draw.")
@click.option("--seed", type=click.IntRange(0), help="The same seed gives the same rows; at random if not said.")
@click.option("-o", "--output", metavar="FILE", callback=_table_file, help="A .csv or .tsv file, or .csv.gz, .tsv.gz.")
def command(network: str, rows: int, seed: int | None, output: str | None) -> None:
    """Draw rows from a network, as CSV.

    Levels that happen not to be drawn are not in the file: read it with --levels NETWORK.bif to have them all.
    """
    data = load(network).sample(rows, seed=seed)
    if output is None:
        _write_rows(data, seed, ",", sys.stdout)
        return
    separator = "\t" if ".tsv" in output.lower() else ","
    with ExitStack() as open_files:
        stream: IO[bytes] = open_files.enter_context(replace_file(output))
        if output.lower().endswith(".gz"):
            packed = gzip.GzipFile(filename="", fileobj=stream, mode="wb", mtime=0)
            stream = cast("IO[bytes]", open_files.enter_context(packed))
        text = io.TextIOWrapper(stream, encoding="utf-8", newline="")
        _write_rows(data, seed, separator, text)
        # The stream below belongs to whoever opened it.
        text.detach()


def _write_rows(data: Dataset, seed: int | None, separator: str, text: TextIO) -> None:
    """Write all rows, in random order: a data set keeps equal rows together, which would look like no random sample."""
    # Another stream of random numbers than that which drew the rows.
    shuffle = np.random.default_rng(None if seed is None else [seed, 1])
    order = shuffle.permutation(np.repeat(np.arange(len(data.weights), dtype=np.int64), data.weights))
    levels = [np.array(data.levels[variable], dtype=object) for variable in data.variables]
    writer = csv.writer(text, delimiter=separator, lineterminator="\n")
    writer.writerow(data.variables)
    for start in range(0, len(order), _BLOCK_ROWS):
        codes = data.codes[order[start : start + _BLOCK_ROWS]]
        columns = [texts[codes[:, i]] for i, texts in enumerate(levels)]
        writer.writerows(zip(*columns, strict=True))
    text.flush()
