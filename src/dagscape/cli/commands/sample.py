"""``dagscape sample``: rows drawn from a network."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
import numpy as np

from dagscape.cli.arguments.graph_arguments import MODEL_HELP, load
from dagscape.cli.arguments.numbers import within
from dagscape.cli.arguments.table_files import table_output, table_writer
from dagscape.core.randomness import SEED
from dagscape.data.discrete.dataset import Dataset
from dagscape.networks.discrete.sampling import ROWS

if TYPE_CHECKING:
    from _csv import Writer

# Rows are converted to strings in blocks: strings of all rows could take many times the memory of the data.
_BLOCK_ROWS = 10_000


@click.command(epilog=MODEL_HELP)
@click.argument("network")
@click.option(
    "-n", "--rows", type=within(ROWS), default=1000, metavar="N", show_default=True, help="Number of rows to draw."
)
@click.option("--seed", type=within(SEED), metavar="N", show_default="random", help="Seed for reproducible rows.")
@table_output
def command(network: str, rows: int, seed: int | None, output: str | None) -> None:
    """Draw random rows from a network.

    A file of rows lacks levels that were not drawn: read it with --levels NETWORK.bif to declare all levels.
    """
    data = load(network).sample(rows, seed=seed)
    with table_writer(output) as writer:
        _write_rows(data, seed, writer)


def _write_rows(data: Dataset, seed: int | None, writer: Writer) -> None:
    """Write all rows in random order; a data set keeps equal rows together, as no random sample does."""
    # A stream of random numbers of its own, independent of the one that drew the rows.
    shuffle = np.random.default_rng(None if seed is None else [seed, 1])
    order = shuffle.permutation(np.repeat(np.arange(len(data.weights), dtype=np.int64), data.weights))
    levels = [np.array(data.levels[variable], dtype=object) for variable in data.variables]
    writer.writerow(data.variables)
    for start in range(0, len(order), _BLOCK_ROWS):
        codes = data.codes[order[start : start + _BLOCK_ROWS]]
        columns = [names[codes[:, i]] for i, names in enumerate(levels)]
        writer.writerows(zip(*columns, strict=True))
