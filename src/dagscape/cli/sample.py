"""``dagscape sample``: rows drawn from a network."""

from __future__ import annotations

import csv
import gzip
import io

import click
import numpy as np

from dagscape.cli.graph_arguments import NETWORK_HELP, load
from dagscape.cli.options import output_path
from dagscape.data.dataset import Dataset
from dagscape.errors import InvalidOption
from dagscape.files import replace_file

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
    separator = "\t" if output is not None and ".tsv" in output.lower() else ","
    text = _as_text(load(network).sample(rows, seed=seed), seed, separator)
    if output is None:
        click.echo(text, nl=False)
        return
    with replace_file(output) as stream:
        if output.lower().endswith(".gz"):
            stream.write(gzip.compress(text.encode(), mtime=0))
        else:
            stream.write(text.encode())


def _as_text(data: Dataset, seed: int | None, separator: str) -> str:
    """All rows, in random order: a data set keeps equal rows together, which would look like no random sample."""
    # Another stream of random numbers than that which drew the rows.
    shuffle = np.random.default_rng(None if seed is None else [seed, 1])
    order = shuffle.permutation(np.repeat(np.arange(len(data.weights)), data.weights))
    lines = [[data.levels[v][code] for v, code in zip(data.variables, row, strict=True)] for row in data.codes.tolist()]
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator, lineterminator="\n")
    writer.writerow(data.variables)
    writer.writerows(lines[row] for row in order.tolist())
    return text.getvalue()
