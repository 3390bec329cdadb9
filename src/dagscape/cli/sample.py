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
from dagscape.files import replace_file


@click.command(epilog=NETWORK_HELP)
@click.argument("network")
@click.option("-n", "--rows", type=click.IntRange(1), default=1000, show_default=True, help="How many rows to draw.")
@click.option("--seed", type=click.IntRange(0), help="The same seed gives the same rows; at random if not said.")
@click.option("-o", "--output", metavar="FILE", callback=output_path, help="Write to a file (.gz is packed).")
def command(network: str, rows: int, seed: int | None, output: str | None) -> None:
    """Draw rows from a network, as CSV."""
    text = _as_csv(load(network).sample(rows, seed=seed), seed)
    if output is None:
        click.echo(text, nl=False)
        return
    with replace_file(output) as stream:
        if output.endswith(".gz"):
            stream.write(gzip.compress(text.encode(), mtime=0))
        else:
            stream.write(text.encode())


def _as_csv(data: Dataset, seed: int | None) -> str:
    """All rows, in random order: a data set keeps equal rows together, which would look like no random sample."""
    # Another stream of random numbers than that which drew the rows.
    shuffle = np.random.default_rng(None if seed is None else [seed, 1])
    order = shuffle.permutation(np.repeat(np.arange(len(data.weights)), data.weights))
    lines = [[data.levels[v][code] for v, code in zip(data.variables, row, strict=True)] for row in data.codes.tolist()]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(data.variables)
    writer.writerows(lines[row] for row in order.tolist())
    return text.getvalue()
